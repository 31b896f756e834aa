//! Sizes of a model and of its batches, and their limits.

use crate::TrainingError;
use std::{fmt, str::FromStr};

/// Sizes of a model, and of the batches that it learns from, as a recipe gives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RecipeSize {
    /// Length of a sequence n, in tokens.
    pub n: usize,
    /// Width of a token's state d.
    pub d: usize,
    /// Number of layers L.
    pub layers: usize,
    /// Number of heads H of a layer.
    pub heads: usize,
    /// Width of the hidden layer of the feed-forward part, in widths d.
    pub width_factor: usize,
    /// Number of sequences in a batch.
    pub batch: usize,
}

/// Limits of sizes: letters in links, names, least and greatest values.
const LIMITS: [(char, &str, usize, usize); 6] = [
    ('n', "the length n", 4, 256),
    ('d', "the width d", 2, 128),
    ('l', "the number of layers", 1, 4),
    ('h', "the number of heads", 1, 8),
    ('r', "the width factor", 1, 4),
    ('b', "the number of sequences in a batch", 1, 256),
];

/// Greatest number of tokens in a batch.
const MOST_TOKENS: usize = 4096;

impl RecipeSize {
    /// One layer of two heads, for sharp rules: `s` in links.
    pub const S: Self = Self {
        n: 64,
        d: 64,
        layers: 1,
        heads: 2,
        width_factor: 2,
        batch: 16,
    };

    /// Two layers of four heads: `m` in links.
    pub const M: Self = Self {
        layers: 2,
        heads: 4,
        width_factor: 4,
        ..Self::S
    };

    /// As M, with sequences of half the length: places are learned from more examples each.
    pub const TEXT: Self = Self {
        n: 32,
        batch: 32,
        ..Self::M
    };

    /// The numbers in the order of links.
    fn numbers(&self) -> [usize; 6] {
        [
            self.n,
            self.d,
            self.layers,
            self.heads,
            self.width_factor,
            self.batch,
        ]
    }

    /// Number of tokens in a batch.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.n.saturating_mul(self.batch)
    }

    /// Checks the limits; widths of heads must be even if the encoding turns pairs of numbers.
    ///
    /// # Errors
    /// A sentence about the first number beyond its limits.
    pub fn check(&self, turns_pairs: bool) -> Result<(), TrainingError> {
        for ((_, name, least, most), value) in LIMITS.into_iter().zip(self.numbers()) {
            if !(least..=most).contains(&value) {
                let sentence =
                    format!("In a recipe, {name} is between {least} and {most}, not {value}.");
                return Err(TrainingError::Recipe(sentence));
            }
        }
        let head_width = self.d / self.heads;
        let fault = if self.tokens() > MOST_TOKENS {
            let tokens = self.tokens();
            format!(
                "A batch has at most {MOST_TOKENS} tokens; {} sequences of {} have {tokens}.",
                self.batch, self.n
            )
        } else if !self.d.is_multiple_of(self.heads) {
            format!(
                "{} heads do not divide the width {}. Choose a width that they divide.",
                self.heads, self.d
            )
        } else if turns_pairs && !head_width.is_multiple_of(2) {
            format!(
                "Rotary positions turn pairs of numbers, and a head has {head_width}. Choose heads of even width."
            )
        } else {
            return Ok(());
        };
        Err(TrainingError::Recipe(fault))
    }
}

impl fmt::Display for RecipeSize {
    /// `s`, `m`, or six numbers after their letters, as in `n32d32l2h4r4b16`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::S => f.write_str("s"),
            Self::M => f.write_str("m"),
            _ => LIMITS
                .iter()
                .zip(self.numbers())
                .try_for_each(|((letter, ..), number)| write!(f, "{letter}{number}")),
        }
    }
}

impl FromStr for RecipeSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut numbers = [0; 6];
        let mut rest = match text {
            "s" => return Ok(Self::S),
            "m" => return Ok(Self::M),
            _ => text,
        };
        let wrong = || {
            let start: String = text.chars().take(30).collect();
            format!(
                "The size `{start}` is neither s nor m nor six numbers after their letters, as in n32d32l2h4r4b16."
            )
        };
        for (number, (letter, ..)) in numbers.iter_mut().zip(LIMITS) {
            rest = rest.strip_prefix(letter).ok_or_else(wrong)?;
            let digits = rest
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(rest.len());
            *number = rest[..digits].parse().ok().ok_or_else(wrong)?;
            rest = &rest[digits..];
        }
        let [n, d, layers, heads, width_factor, batch] = numbers;
        let size = Self {
            n,
            d,
            layers,
            heads,
            width_factor,
            batch,
        };
        rest.is_empty().then_some(size).ok_or_else(wrong)
    }
}

/// Sizes of a model: those of its recipe, and what follows from its task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TransformerShape {
    /// Length of the sequences that it learns from, n.
    pub n: usize,
    /// Width of a token's state d.
    pub d: usize,
    /// Number of layers L.
    pub layers: usize,
    /// Number of heads H of a layer.
    pub heads: usize,
    /// Width of the hidden layer of the feed-forward part, in widths d.
    pub width_factor: usize,
    /// Number of symbols, with the one that masks.
    pub symbols: usize,
    /// Whether queries see no keys ahead.
    pub is_causal: bool,
}

impl TransformerShape {
    /// The shape of a recipe's model for a task with so many symbols.
    #[must_use]
    pub fn new(size: &RecipeSize, symbols: usize, is_causal: bool) -> Self {
        let RecipeSize {
            n,
            d,
            layers,
            heads,
            width_factor,
            ..
        } = *size;
        Self {
            n,
            d,
            layers,
            heads,
            width_factor,
            symbols,
            is_causal,
        }
    }

    /// Width of a head, `d_k`.
    #[must_use]
    pub fn head_width(&self) -> usize {
        self.d / self.heads
    }

    /// Operations of one step over `tokens` tokens, two for each product and sum: three times those of the forward pass.
    /// Where a part of the tokens is predicted, the head costs less.
    #[must_use]
    pub fn operations_per_step(&self, tokens: usize) -> f64 {
        let [d, n, layers, factor] =
            [self.d, self.n, self.layers, self.width_factor].map(|v| v as f64);
        let layer = 8.0 * d * d + 4.0 * factor * d * d + 4.0 * n * d;
        let head = 2.0 * d * d + 2.0 * d * self.symbols as f64;
        3.0 * tokens as f64 * (layers * layer + head)
    }
}
