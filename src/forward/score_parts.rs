//! Scores of the first layer as a sum of parts, by what query and key contribute: word, position, or neither.
//!
//! ```text
//! u = w + E + t                                     word, position, token type
//! x = γ ⊙ c(w)/σ  +  γ ⊙ c(E)/σ  +  (γ ⊙ c(t)/σ + β)      c subtracts a row's mean, σ is that of u
//! ```
//!
//! With σ taken from the text itself, the norm is affine and each map after it linear, so that states are sums of three
//! parts and scores of nine products (TISA paper, eqs. 2 and 3). Those with a third part are together
//! [`ScorePart::Rest`]. A bias by offset is [`ScorePart::PositionPosition`], the product of a word with a vector of
//! distances one of the two mixed parts.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, ArrayViewMut1, Zip, s};
use serde::{Deserialize, Serialize};

use super::{
    Embedding, LinearMap, NormWeights, ScoreWeights, position_terms::PositionTerms,
    position_weights::PositionWeights,
};
use crate::{
    math::matrix_product::{product, product_into},
    model::{InputStep, NormKind},
};

/// A part of the scores, by what the query and the key contribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ScorePart {
    /// Query and key by their words.
    ContentContent,
    /// Query by its word, key by its position.
    ContentPosition,
    /// Query by its position, key by its word.
    PositionContent,
    /// Query and key by their positions; a bias by offset.
    PositionPosition,
    /// Products with vectors that all tokens share: biases, token types, the shift of a norm.
    Rest,
}

impl ScorePart {
    /// All parts, in the order in which they are listed.
    pub const ALL: [Self; 5] = [
        Self::ContentContent,
        Self::ContentPosition,
        Self::PositionContent,
        Self::PositionPosition,
        Self::Rest,
    ];

    /// The part to which a product of a part of the query and a part of the key belongs.
    fn from_sources(query: PartSource, key: PartSource) -> Self {
        match (query, key) {
            (PartSource::Rest, _) | (_, PartSource::Rest) => Self::Rest,
            (PartSource::Content, PartSource::Content) => Self::ContentContent,
            (PartSource::Content, PartSource::Position) => Self::ContentPosition,
            (PartSource::Position, PartSource::Content) => Self::PositionContent,
            (PartSource::Position, PartSource::Position) => Self::PositionPosition,
        }
    }
}

/// Source of a part of the states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PartSource {
    Content,
    Position,
    /// The same vector for every token, apart from its scale.
    Rest,
}

const SOURCES: [PartSource; 3] = [PartSource::Content, PartSource::Position, PartSource::Rest];

/// States as a sum of parts, in the order of [`SOURCES`], [n, width] each.
#[derive(Clone, Debug, PartialEq)]
struct StateParts([Array2<f32>; 3]);

/// Queries and keys of the first layer as sums of parts.
#[derive(Clone, Debug)]
pub struct ScoreParts<'a> {
    weights: &'a ScoreWeights,
    queries: StateParts,
    keys: StateParts,
    terms: PositionTerms,
}

impl<'a> ScoreParts<'a> {
    /// The parts for one text with the weights of the first layer; `None` if its queries and keys are rotated, which
    /// leaves no sum.
    ///
    /// # Panics
    /// If the embedding is not that of one text, or does not have the model's width.
    #[must_use]
    pub fn new(weights: &'a ScoreWeights, embedding: &Embedding) -> Option<Self> {
        if matches!(weights.positions, PositionWeights::Rotation(_)) {
            return None;
        }
        assert_eq!(embedding.lengths.len(), 1, "one text");
        let mut states = StateParts::from_embedding(embedding);
        if let Some(norm) = &embedding.norm {
            states.norm(norm);
        }
        if let Some(map) = &embedding.map {
            states = states.map(map);
        }
        Some(Self::from_states(weights, states, embedding.lengths[0]))
    }

    /// The parts for words at the positions of a table, both [n, width], which pass through steps before the layer.
    ///
    /// # Panics
    /// If words, positions or steps differ in width.
    #[must_use]
    pub fn from_table(
        weights: &'a ScoreWeights,
        words: Array2<f32>,
        positions: Array2<f32>,
        steps: &[InputStep],
    ) -> Self {
        let n = positions.nrows();
        let mut states = StateParts::new(words, positions);
        for step in steps {
            match step {
                InputStep::Add(row) => states.add_to_rest(row),
                InputStep::Norm(norm) => states.norm(&norm.into()),
                InputStep::Map(map) => {
                    states = states.map(&LinearMap {
                        weight: map.weight.clone(),
                        bias: map.bias.clone(),
                    });
                }
            }
        }
        Self::from_states(weights, states, n)
    }

    /// The parts for the states that enter a layer, of `n` positions.
    fn from_states(weights: &'a ScoreWeights, mut states: StateParts, n: usize) -> Self {
        if let Some(norm) = &weights.input_norm {
            states.norm(norm);
        }
        let width = weights.norms_heads.then_some(weights.head_width);
        let project = |map: &LinearMap, norm: &Option<NormWeights>| {
            let mut parts = states.map(map);
            if let Some(norm) = norm {
                parts.norm_groups(norm, width);
            }
            parts
        };
        Self {
            queries: project(&weights.query, &weights.query_norm),
            keys: project(&weights.key, &weights.key_norm),
            terms: PositionTerms::new(weights, n),
            weights,
        }
    }

    /// Number of heads.
    #[must_use]
    pub fn heads(&self) -> usize {
        self.weights.heads
    }

    /// The parts of a head's scores in the order of [`ScorePart::ALL`], [n, n] each. Their sum is the scores before mask
    /// and softmax.
    ///
    /// # Panics
    /// If there is no such head.
    #[must_use]
    pub fn head(&self, head: usize) -> [Array2<f32>; 5] {
        let (width, scale) = (self.weights.head_width, self.weights.scale as f32);
        let key_head = self.weights.key_head(head);
        let query = |source: PartSource| self.queries.head(source, head, width);
        let key = |source: PartSource| self.keys.head(source, key_head, width);
        let [words, positions, rest] = SOURCES.map(query);
        let [key_words, key_positions, key_rest] = SOURCES.map(key);
        // The five products with a rest are two: of the rest of the queries with whole keys, and of what is left of the
        // queries with the rest of the keys.
        let mut of_rest = product(rest, (&key_words + &key_positions + key_rest).t(), scale);
        let left = &words + &positions;
        let n = left.nrows();
        let cells = of_rest.as_slice_mut().unwrap_or_default();
        product_into(cells, n, left.view(), key_rest.t(), scale, 1.0);
        let mut parts = [
            product(words, key_words.t(), scale),
            product(words, key_positions.t(), scale),
            product(positions, key_words.t(), scale),
            product(positions, key_positions.t(), scale),
            of_rest,
        ];
        for source in SOURCES {
            let part = &mut parts[ScorePart::from_sources(source, PartSource::Position) as usize];
            self.terms
                .add_key_terms(part.view_mut(), head, 0, query(source), scale);
            let part = &mut parts[ScorePart::from_sources(PartSource::Position, source) as usize];
            self.terms
                .add_query_terms(part.view_mut(), head, 0, key(source), scale);
        }
        let part = &mut parts[ScorePart::PositionPosition as usize];
        self.terms.add_offset_scores(part.view_mut(), head, 0);
        parts
    }
}

impl StateParts {
    /// Sums of words and positions, [n, width] each, without a rest.
    fn new(words: Array2<f32>, positions: Array2<f32>) -> Self {
        let rest = Array2::zeros(words.dim());
        Self([words, positions, rest])
    }

    fn from_embedding(embedding: &Embedding) -> Self {
        let shape = embedding.content.dim();
        let positions = embedding.positions.as_ref();
        let positions = positions.map(|rows| rows.slice(s![..shape.0, ..]).to_owned());
        let positions = positions.unwrap_or_else(|| Array2::zeros(shape));
        let mut states = Self::new(embedding.content.clone(), positions);
        if let Some(row) = &embedding.token_type {
            states.add_to_rest(row);
        }
        states
    }

    /// Adds a row to every position.
    fn add_to_rest(&mut self, row: &[f32]) {
        self.0[PartSource::Rest as usize] += &ArrayView1::from(row);
    }

    /// Columns of a head of the part from a source.
    fn head(&self, source: PartSource, head: usize, width: usize) -> ArrayView2<'_, f32> {
        self.0[source as usize].slice(s![.., head * width..(head + 1) * width])
    }

    /// Applies a linear map. Its bias belongs to the rest.
    fn map(&self, map: &LinearMap) -> Self {
        let mut parts =
            (self.0.each_ref()).map(|rows| product(rows.view(), map.weight.view(), 1.0));
        if let Some(bias) = &map.bias {
            parts[PartSource::Rest as usize] += &Array1::from(bias.clone());
        }
        Self(parts)
    }

    /// Applies a norm to the rows.
    fn norm(&mut self, norm: &NormWeights) {
        self.norm_groups(norm, None);
    }

    /// Applies a norm to groups of `width` columns, each with the same weights; to whole rows without a width. Its
    /// shift belongs to the rest.
    fn norm_groups(&mut self, norm: &NormWeights, width: Option<usize>) {
        let (rows, columns) = self.0[0].dim();
        let width = width.unwrap_or(columns).max(1);
        for row in 0..rows {
            for first in (0..columns).step_by(width) {
                let [content, position, rest] = &mut self.0;
                let group = s![row, first..first + width];
                let parts = [content, position, rest].map(|part| part.slice_mut(group));
                norm_group(parts, norm);
            }
        }
    }
}

/// Applies a norm to a row that is the sum of three parts.
fn norm_group(mut parts: [ArrayViewMut1<'_, f32>; 3], norm: &NormWeights) {
    let width = norm.scales.len() as f64;
    if norm.kind == NormKind::Layer {
        for part in &mut parts {
            let mean = part.iter().map(|x| f64::from(*x)).sum::<f64>() / width;
            part.mapv_inplace(|x| (f64::from(x) - mean) as f32);
        }
    }
    let [content, position, rest] = &parts;
    let mut squares = 0.0;
    Zip::from(content)
        .and(position)
        .and(rest)
        .for_each(|&w, &p, &t| {
            squares += (f64::from(w) + f64::from(p) + f64::from(t)).powi(2);
        });
    let factor = (squares / width + norm.epsilon).sqrt().recip();
    for part in &mut parts {
        let scaled = part.iter_mut().zip(&norm.scales);
        scaled.for_each(|(x, scale)| *x = (f64::from(*x) * factor * f64::from(*scale)) as f32);
    }
    if let Some(shifts) = &norm.shifts {
        let rest = parts[PartSource::Rest as usize].iter_mut();
        rest.zip(shifts).for_each(|(x, shift)| *x += shift);
    }
}
