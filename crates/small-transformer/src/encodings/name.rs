//! Names of encodings, as links have them.

use std::{fmt, str::FromStr};

/// Greatest number of TISA kernels of a head.
pub const MOST_KERNELS: usize = 9;

/// A way to encode position, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EncodingName {
    /// `none`: no positions.
    None,
    /// `learned`: a learned row for each position (Gehring et al. 2017).
    Learned,
    /// `sinusoidal`: a fixed row of sines and cosines for each position (Vaswani et al. 2017).
    Sinusoidal,
    /// `rotary`: queries and keys turned by angles that grow with position (Su et al. 2021).
    Rotary,
    /// `rotary-half`: half of the numbers of each head turned (GPT-J, GPT-NeoX).
    PartialRotary,
    /// `rotary-alternate`: turned in every other layer, from the first (Yang et al. 2025, RNoPE).
    AlternateRotary,
    /// `alibi`: scores fall with distance at fixed rates (Press et al. 2022).
    Alibi,
    /// `t5`: a learned score for each bucket of offsets (Raffel et al. 2020).
    T5,
    /// `shaw`: a learned key for each offset (Shaw et al. 2018).
    Shaw,
    /// `tisa3`: so many Gaussian kernels of the offset a head (Wennberg & Henter 2021, eq. 5).
    Tisa(usize),
    /// `learned-tisa3`: a learned table and kernels (the same, eq. 4a).
    LearnedAndTisa(usize),
}

impl EncodingName {
    /// One of each kind, TISA with three kernels.
    pub const ALL: [Self; 11] = [
        Self::None,
        Self::Learned,
        Self::Sinusoidal,
        Self::Rotary,
        Self::PartialRotary,
        Self::AlternateRotary,
        Self::Alibi,
        Self::T5,
        Self::Shaw,
        Self::Tisa(3),
        Self::LearnedAndTisa(3),
    ];

    /// Whether heads must have an even width.
    #[must_use]
    pub fn turns_pairs(self) -> bool {
        matches!(
            self,
            Self::Rotary | Self::PartialRotary | Self::AlternateRotary
        )
    }

    /// Whether there is a table of positions \[n, d\].
    #[must_use]
    pub fn has_table(self) -> bool {
        matches!(
            self,
            Self::Learned | Self::Sinusoidal | Self::LearnedAndTisa(_)
        )
    }

    /// Whether heads have TISA kernels.
    #[must_use]
    pub fn has_kernels(self) -> bool {
        matches!(self, Self::Tisa(_) | Self::LearnedAndTisa(_))
    }

    /// Whether heads have scores that depend on positions alone, and that are in the weights: those of a table, of each
    /// offset, or of Shaw's keys with the mean word. Rotary scores need words, and those of ALiBi are fixed.
    #[must_use]
    pub fn has_positional_scores(self) -> bool {
        self.has_table() || matches!(self, Self::T5 | Self::Shaw | Self::Tisa(_))
    }

    /// Value of `position_embedding_type` in the configuration.
    #[must_use]
    pub(crate) fn position_embedding_type(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Learned | Self::Sinusoidal => "absolute",
            Self::Rotary | Self::PartialRotary | Self::AlternateRotary => "rotary",
            Self::Alibi => "alibi",
            Self::T5 => "relative_attention_bias",
            Self::Shaw => "relative_key",
            Self::Tisa(_) => "tisa",
            Self::LearnedAndTisa(_) => "absolute_tisa",
        }
    }
}

impl fmt::Display for EncodingName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Learned => f.write_str("learned"),
            Self::Sinusoidal => f.write_str("sinusoidal"),
            Self::Rotary => f.write_str("rotary"),
            Self::PartialRotary => f.write_str("rotary-half"),
            Self::AlternateRotary => f.write_str("rotary-alternate"),
            Self::Alibi => f.write_str("alibi"),
            Self::T5 => f.write_str("t5"),
            Self::Shaw => f.write_str("shaw"),
            Self::Tisa(kernels) => write!(f, "tisa{kernels}"),
            Self::LearnedAndTisa(kernels) => write!(f, "learned-tisa{kernels}"),
        }
    }
}

impl FromStr for EncodingName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let kernels = |digits: &str| match digits.parse() {
            Ok(kernels) if (1..=MOST_KERNELS).contains(&kernels) => Ok(kernels),
            _ => Err(format!(
                "TISA has 1 to {MOST_KERNELS} kernels a head, as in `tisa3`."
            )),
        };
        if let Some(digits) = text.strip_prefix("tisa") {
            return kernels(digits).map(Self::Tisa);
        }
        if let Some(digits) = text.strip_prefix("learned-tisa") {
            return kernels(digits).map(Self::LearnedAndTisa);
        }
        let known = || Self::ALL.iter().map(ToString::to_string);
        let found = Self::ALL.iter().find(|name| name.to_string() == text);
        found.copied().ok_or_else(|| {
            let start: String = text.chars().take(30).collect();
            let names = known().collect::<Vec<_>>().join(", ");
            format!("There is no encoding `{start}`. There are {names}.")
        })
    }
}
