//! Hidden states of several texts.

use ndarray::{Array2, ArrayView2, s};
use std::{ops::Range, rc::Rc};

/// Hidden states of several texts, one text under another without padding: [sum of lengths, width].
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    rows: Array2<f32>,
    /// First row of every text, then the number of all rows.
    starts: Vec<usize>,
    /// States to which a decoder attends.
    encoder: Option<Rc<Self>>,
}

impl Batch {
    /// States of texts of these lengths.
    ///
    /// # Panics
    /// If the lengths do not add up to the number of rows.
    #[must_use]
    pub fn new(rows: Array2<f32>, lengths: &[usize]) -> Self {
        let mut starts = vec![0];
        for length in lengths {
            starts.push(starts[starts.len() - 1] + length);
        }
        assert_eq!(starts.last(), Some(&rows.nrows()), "one row for each token");
        Self {
            rows,
            starts,
            encoder: None,
        }
    }

    /// States of a decoder that attends to the last states of its encoder, text by text.
    ///
    /// # Panics
    /// If the encoder has another number of texts.
    #[must_use]
    pub fn with_encoder(self, encoder: Self) -> Self {
        assert_eq!(self.texts(), encoder.texts(), "one text for each text");
        Self {
            encoder: Some(Rc::new(encoder)),
            ..self
        }
    }

    pub(super) fn encoder(&self) -> Option<&Self> {
        self.encoder.as_deref()
    }

    /// Number of texts.
    #[must_use]
    pub fn texts(&self) -> usize {
        self.starts.len() - 1
    }

    /// Rows of a text.
    ///
    /// # Panics
    /// If there is no such text.
    #[must_use]
    pub fn range(&self, text: usize) -> Range<usize> {
        self.starts[text]..self.starts[text + 1]
    }

    /// States of a text, [n, width].
    ///
    /// # Panics
    /// If there is no such text.
    #[must_use]
    pub fn text(&self, text: usize) -> ArrayView2<'_, f32> {
        self.rows.slice(s![self.range(text), ..])
    }

    /// States of all texts.
    #[must_use]
    pub fn rows(&self) -> &Array2<f32> {
        &self.rows
    }

    pub(super) fn rows_mut(&mut self) -> &mut Array2<f32> {
        &mut self.rows
    }

    pub(super) fn is_finite(&self) -> bool {
        self.rows.iter().all(|state| state.is_finite())
    }
}
