//! `text` and `next`: masked or next characters of a text.
//!
//! The last tenth of the text is held out. Symbols are the characters of the whole text, in the order of their code
//! points, so that a vocabulary follows from the text.

use super::{DataSplit, TrainingTask, bag};
use crate::{RandomStream, TokenBatch, TrainingError};

/// Greatest size of a text, in bytes: 8 MB.
pub const MOST_TEXT_BYTES: usize = 8_000_000;

/// Greatest number of different characters.
const MOST_SYMBOLS: usize = 256;

/// Share of the characters that are masked: twice BERT's, since short runs gain from more predictions a step (Wettig et
/// al. 2023, Should You Mask 15 %).
const MASK_SHARE: f64 = 0.3;

/// A text as symbols.
#[derive(Clone, Debug)]
pub(super) struct TextTask {
    /// The characters that occur, in order.
    characters: Vec<char>,
    text: Vec<u32>,
    /// Share of the text of each symbol.
    shares: Vec<f64>,
    is_causal: bool,
}

impl TextTask {
    /// Reads a text in UTF-8 for batches of `tokens` characters.
    pub(super) fn new(bytes: &[u8], tokens: usize, is_causal: bool) -> Result<Self, TrainingError> {
        let fault = |sentence: String| Err(TrainingError::Text(sentence));
        if bytes.is_empty() {
            return fault("The text is empty. Choose one with some pages.".to_owned());
        }
        if bytes.len() > MOST_TEXT_BYTES {
            let megabytes = bytes.len() as f64 / 1e6;
            return fault(format!(
                "The text has {megabytes:.1} MB; at most 8 MB can be learned from. Choose a part of it."
            ));
        }
        let text = match str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let place = error.valid_up_to() + 1;
                return fault(format!(
                    "The text is not UTF-8 from byte {place} on. Save it as UTF-8 first."
                ));
            }
        };
        let mut characters: Vec<char> = text.chars().collect();
        let length = characters.len();
        if length <= tokens {
            return fault(format!(
                "The text has {length} characters, and a batch {tokens}. Choose a longer text or smaller batches."
            ));
        }
        characters.sort_unstable();
        characters.dedup();
        if characters.len() > MOST_SYMBOLS {
            return fault(format!(
                "The text has {} different characters; at most {MOST_SYMBOLS} can be learned. Choose a text in one \
                 alphabet.",
                characters.len()
            ));
        }
        let symbol = |c: char| characters.binary_search(&c).unwrap_or(0) as u32;
        let text: Vec<u32> = text.chars().map(symbol).collect();
        let mut shares = vec![0.0; characters.len()];
        for symbol in &text {
            shares[*symbol as usize] += 1.0 / length as f64;
        }
        Ok(Self {
            characters,
            text,
            shares,
            is_causal,
        })
    }
}

impl TrainingTask for TextTask {
    fn symbols(&self) -> usize {
        self.characters.len() + 1
    }

    fn is_causal(&self) -> bool {
        self.is_causal
    }

    fn sample(&self, split: DataSplit, stream: &mut RandomStream, batch: &mut TokenBatch) {
        let n = batch.n;
        let end = self.text.len() - self.text.len() / 10;
        let (from, to) = if split == DataSplit::HeldOut {
            (end, self.text.len())
        } else {
            (0, end)
        };
        // A tenth of a short text may be shorter than a sequence: it then begins earlier.
        let from = from.min(to.saturating_sub(n + 1));
        let start = from + stream.below((to - from).saturating_sub(n));
        let part = &self.text[start..];
        let (mut inputs, mut targets) = (Vec::with_capacity(n), Vec::with_capacity(n));
        for at in 0..n {
            let symbol = part.get(at).copied().unwrap_or(0);
            if self.is_causal {
                inputs.push(symbol);
                targets.push(part.get(at + 1).copied().unwrap_or(0));
                continue;
            }
            let is_masked = stream.uniform() < MASK_SHARE;
            inputs.push(if is_masked {
                self.characters.len() as u32
            } else {
                symbol
            });
            targets.push(if is_masked {
                symbol
            } else {
                TokenBatch::NO_TARGET
            });
        }
        batch.push(&inputs, &targets);
    }

    /// The best loss on natural language is unknown.
    fn best_loss(&self, _batch: &TokenBatch) -> Option<f64> {
        None
    }

    fn bag_loss(&self, batch: &TokenBatch) -> f64 {
        bag::mixture_loss(batch, self.symbols(), self.is_causal, |bag, target| {
            bag::by_share(bag, target, self.shares[target as usize])
        })
    }

    fn symbol_name(&self, symbol: u32) -> String {
        self.characters
            .get(symbol as usize)
            .map_or_else(|| "[MASK]".to_owned(), ToString::to_string)
    }
}
