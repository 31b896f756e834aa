//! Number of parameters that a position encoding learns.
//!
//! Counts the numbers that position alone needs, over all layers and heads; query and key maps that a model has anyway
//! are not counted. Letters: S kernels, H heads per layer, L layers, n positions, width d.
//!
//! Table 2 of the TISA paper (Wennberg & Henter 2021) compares three methods on three models. The paper prints counts;
//! here the counts follow from the models' sizes, which are those of their own configurations.

use super::ModelSummary;
use serde::{Deserialize, Serialize};

/// Sizes on which the number of positional parameters depends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelSize {
    /// S, TISA kernels per head.
    pub kernels: u64,
    /// n, the maximum number of positions.
    pub positions: u64,
    /// d, columns of a position table.
    pub width: u64,
    /// L, layers.
    pub layers: u64,
    /// H, heads per layer.
    pub heads: u64,
}

/// Parts of a size as a user types them: letter, name, maximum. The minimum is 1. Within these limits no count reaches
/// 2⁶³.
pub const SIZE_PARTS: [(&str, &str, u64); 5] = [
    ("S", "kernels S", 1000),
    ("n", "positions n", 1 << 21),
    ("d", "width d", 100_000),
    ("L", "layers L", 1000),
    ("H", "heads H", 1000),
];

impl ModelSize {
    /// BERT-base, with the five kernels of the paper.
    pub const BERT_BASE: Self = Self {
        kernels: 5,
        positions: 512,
        width: 768,
        layers: 12,
        heads: 12,
    };

    /// The parts, in the order of [`SIZE_PARTS`].
    #[must_use]
    pub fn parts(&self) -> [u64; 5] {
        [
            self.kernels,
            self.positions,
            self.width,
            self.layers,
            self.heads,
        ]
    }

    /// Forms a size from its parts, each clamped to its limits.
    #[must_use]
    pub fn from_parts(parts: [u64; 5]) -> Self {
        let mut within = [0; 5];
        for (at, (part, (.., most))) in parts.iter().zip(SIZE_PARTS).enumerate() {
            within[at] = (*part).clamp(1, most);
        }
        let [kernels, positions, width, layers, heads] = within;
        Self {
            kernels,
            positions,
            width,
            layers,
            heads,
        }
    }
}

/// A model whose parameters are counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountedModel {
    /// Name for use in a sentence.
    pub name: String,
    /// Size of the model.
    pub size: ModelSize,
    /// Sentence that names the parts of the size that are assumed; empty if there are none.
    pub assumptions: &'static str,
}

impl CountedModel {
    /// Combines the numbers in a link (none, S alone, or all of S, n, d, L, H) with the open model. Parts that neither
    /// gives are those of BERT-base.
    #[must_use]
    pub fn new(numbers: &[u64], open: Option<&ModelSummary>) -> Self {
        let size_of_base = ModelSize::BERT_BASE;
        if let [s, n, d, l, h] = *numbers {
            return Self {
                name: "a model of custom size".to_owned(),
                size: ModelSize::from_parts([s, n, d, l, h]),
                assumptions: "",
            };
        }
        let kernels = numbers.first().copied().unwrap_or(size_of_base.kernels);
        let Some(open) = open else {
            return Self {
                name: "BERT-base".to_owned(),
                size: ModelSize {
                    kernels,
                    ..size_of_base
                },
                assumptions: " No model is open, so the numbers are those of BERT-base.",
            };
        };
        let nonzero = |part: u64| (part > 0).then_some(part);
        // Scores by offset have no width; other methods are counted with the model's hidden width.
        let width = nonzero(open.width as u64).or(nonzero(open.hidden_width as u64));
        let layers = nonzero(open.layers as u64);
        let heads = open.heads.and_then(|(heads, _)| nonzero(u64::from(heads)));
        let is_whole = width.is_some() && layers.is_some() && heads.is_some();
        Self {
            name: open.name.clone(),
            size: ModelSize::from_parts([
                kernels,
                open.rows as u64,
                width.unwrap_or(size_of_base.width),
                layers.unwrap_or(size_of_base.layers),
                heads.unwrap_or(size_of_base.heads),
            ]),
            assumptions: if is_whole {
                ""
            } else {
                " Numbers that the open table does not give are those of BERT-base."
            },
        }
    }

    /// Numbers for a link. All parts if the size was typed in; else S if it is not the usual one, or none.
    #[must_use]
    pub fn link_numbers(&self, typed_in: bool) -> Vec<u64> {
        let parts = self.size.parts();
        let is_usual = self.size.kernels == ModelSize::BERT_BASE.kernels;
        let count = match (typed_in, is_usual) {
            (true, _) => parts.len(),
            (false, false) => 1,
            (false, true) => 0,
        };
        parts[..count].to_vec()
    }

    /// Numbers for a link after a part of the size, by its index in [`SIZE_PARTS`], was typed in. S is not a property
    /// of a model, so S alone leaves the rest to the open model; any other part fixes the whole size.
    #[must_use]
    pub fn asked_with(&self, before: &[u64], part: usize, value: u64) -> Vec<u64> {
        let mut parts = self.size.parts();
        let count = if part == 0 && before.len() <= 1 {
            1
        } else {
            parts.len()
        };
        if let Some(part) = parts.get_mut(part) {
            *part = value;
        }
        parts[..count].to_vec()
    }
}

/// A position encoding and its number of parameters.
#[derive(Debug, Clone, Copy)]
pub struct CountMethod {
    /// Identifier in files.
    pub id: &'static str,
    /// Name on the page.
    pub name: &'static str,
    /// The count as a formula.
    pub formula: &'static str,
    count: fn(&ModelSize) -> u64,
}

impl CountMethod {
    /// Number of learned parameters; parts of the size are clamped to their limits.
    #[must_use]
    pub fn count(&self, size: &ModelSize) -> u64 {
        (self.count)(&ModelSize::from_parts(size.parts()))
    }
}

/// Maximum offset that Shaw et al. distinguish in either direction (their base model).
pub const SHAW_CLIP: u64 = 16;

/// Number of offset buckets in T5.
pub const T5_BUCKETS: u64 = 32;

/// All methods with a well-defined count: those of the paper's Table 2 first, those without parameters last.
pub const COUNT_METHODS: &[CountMethod] = &[
    // Wennberg & Henter 2021: amplitude, sharpness and centre of every kernel.
    CountMethod {
        id: "tisa",
        name: "TISA",
        formula: "3SHL",
        count: |size| 3 * size.kernels * size.heads * size.layers,
    },
    // Devlin et al. 2019.
    CountMethod {
        id: "learned",
        name: "Learned table",
        formula: "nd",
        count: |size| size.positions * size.width,
    },
    // Ke et al. 2021: a table and two maps that all layers share.
    CountMethod {
        id: "untied",
        name: "Untied",
        formula: "nd + 2d²",
        count: |size| size.positions * size.width + 2 * size.width * size.width,
    },
    // Raffel et al. 2020: a score for each bucket and head, the same in all layers.
    CountMethod {
        id: "t5",
        name: "T5 buckets",
        formula: "32H",
        count: |size| T5_BUCKETS * size.heads,
    },
    // Shaw et al. 2018: vectors for keys and values, shared by the heads of a layer.
    CountMethod {
        id: "shaw",
        name: "Relative vectors",
        formula: "2(2·16 + 1)(d/H)L",
        count: |size| 2 * (2 * SHAW_CLIP + 1) * (size.width / size.heads) * size.layers,
    },
    // Tay et al. 2020, random variant: a matrix of scores for each head.
    CountMethod {
        id: "synthesizer",
        name: "Synthesizer",
        formula: "n²HL",
        count: |size| size.positions * size.positions * size.heads * size.layers,
    },
    // Vaswani et al. 2017.
    CountMethod {
        id: "sinusoidal",
        name: "Sinusoidal",
        formula: "0",
        count: |_| 0,
    },
    // Su et al. 2021.
    CountMethod {
        id: "rotary",
        name: "Rotary",
        formula: "0",
        count: |_| 0,
    },
    // Press et al. 2022: fixed slopes.
    CountMethod {
        id: "alibi",
        name: "ALiBi",
        formula: "0",
        count: |_| 0,
    },
];

/// Returns the method with this identifier.
#[must_use]
pub fn count_method(id: &str) -> Option<&'static CountMethod> {
    COUNT_METHODS.iter().find(|method| method.id == id)
}

/// Columns of the paper's Table 2.
pub const TABLE_2_METHODS: [&str; 3] = ["learned", "untied", "tisa"];

/// Rows of the paper's Table 2: S = 5 kernels for each head of 12 layers with 12 heads. Longformer's table has rows for
/// 4096 positions, BERT's and RoBERTa's for 512; ALBERT's is 128 wide before it is projected up.
pub const TABLE_2_MODELS: [(&str, ModelSize); 3] = [
    (
        "Longformer",
        ModelSize {
            positions: 4096,
            ..ModelSize::BERT_BASE
        },
    ),
    ("BERT/RoBERTa", ModelSize::BERT_BASE),
    (
        "ALBERT",
        ModelSize {
            width: 128,
            ..ModelSize::BERT_BASE
        },
    ),
];
