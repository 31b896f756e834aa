//! Words at the positions of a head whose scores are computed without a text.

use super::{
    Failure, FailureKind, HeadId, Progress, loaded_model::LoadedModel, model_cache::CacheKey,
};
use crate::{checkpoint::Weights, model::Inputs};
use ndarray::{Array2, ArrayView1, Axis, s};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// Most positions of figures with words: their maps are formed cell by cell.
pub const MOST_WORD_POSITIONS: usize = 512;

/// Failure if words are to be added to the positions of a model that adds none.
pub(super) fn no_added_positions() -> Failure {
    Failure::not_there(
        "This model adds no position embeddings to its tokens, so its scores have no parts by word and position. Open one \
         with a position table.",
    )
}

/// Words at the positions of a head.
#[derive(Debug, Clone, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
pub enum HeadWords {
    /// The mean word everywhere.
    #[default]
    Mean,
    /// Random words, drawn with this seed from a sample that is spread evenly over the vocabulary.
    Random(u32),
    /// Rows of the word table, one after the other, repeated where there are more positions.
    Ids(Vec<u32>),
}

#[derive(Clone, PartialEq)]
struct OfWordSample;

impl CacheKey for OfWordSample {
    type Value = Array2<f64>;

    fn numbers(value: &Array2<f64>) -> usize {
        2 * value.len()
    }
}

/// Table and inputs of a model whose positions are added to words.
pub(super) struct WordPositions {
    /// Rows of the first positions, [n, width].
    pub(super) table: Array2<f32>,
    pub(super) inputs: Rc<Inputs>,
}

impl<W: Weights> LoadedModel<W> {
    /// Reads what words are added to at the first positions of a head, at most [`MOST_WORD_POSITIONS`].
    ///
    /// # Errors
    /// If the model has no such head, or adds no positions to words.
    pub(super) async fn word_positions(
        &self,
        of: HeadId,
        watch: &impl Progress,
    ) -> Result<WordPositions, Failure> {
        let (_, model) = self.weights_and_model()?;
        let table = model.added_table().ok_or_else(no_added_positions)?;
        if of.layer >= model.layers || of.head >= model.heads.count as usize {
            return Err(Failure::no_such_head(of));
        }
        let n = table.nrows().min(MOST_WORD_POSITIONS);
        Ok(WordPositions {
            table: table.slice(s![..n, ..]).to_owned(),
            inputs: self.inputs(watch).await?,
        })
    }

    /// Rows of words as they are added to positions, [n, width].
    ///
    /// # Errors
    /// If the model has no word table or no such words.
    pub(super) async fn word_rows(
        &self,
        words: &HeadWords,
        (n, width): (usize, usize),
        watch: &impl Progress,
    ) -> Result<Array2<f64>, Failure> {
        let (file, model) = self.weights_and_model()?;
        let needs_words = match words {
            HeadWords::Ids(ids) => !ids.is_empty(),
            HeadWords::Random(_) => true,
            HeadWords::Mean => false,
        };
        if needs_words && !model.has_words() {
            return Err(Failure::not_there(
                "This file has no table of token embeddings, only their mean. Choose the mean word, or open a whole \
                 checkpoint.",
            ));
        }
        match words {
            HeadWords::Ids(ids) if !ids.is_empty() => {
                let ids = &ids[..ids.len().min(n)];
                let rows = model.read_words(&file.checkpoint, ids, width).await?;
                let order: Vec<usize> = (0..n).map(|at| at % ids.len()).collect();
                Ok(rows.select(Axis(0), &order))
            }
            HeadWords::Random(seed) => {
                let make = async {
                    Ok::<_, Failure>(model.read_word_sample(&file.checkpoint, width).await?)
                };
                let sample = self.cache.get(OfWordSample, Box::pin(make)).await?;
                let mut random = fastrand::Rng::with_seed(u64::from(*seed));
                let order: Vec<usize> = (0..n).map(|_| random.usize(..sample.nrows())).collect();
                Ok(sample.select(Axis(0), &order))
            }
            HeadWords::Mean | HeadWords::Ids(_) => {
                let inputs = self.inputs(watch).await?;
                let mean = ArrayView1::from(&inputs.mean_word).mapv(f64::from);
                let rows = mean.insert_axis(Axis(0));
                let rows = rows.broadcast((n, width)).map(|rows| rows.to_owned());
                rows.ok_or_else(|| {
                    Failure::new(
                        FailureKind::RefusedFile,
                        "Token embeddings and position embeddings of this model differ in width, so they cannot be added.",
                    )
                })
            }
        }
    }
}
