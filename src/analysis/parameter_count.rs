//! How many numbers a way to encode position has to learn.
//!
//! Counted are the numbers that position alone needs, all layers and heads together; query and key maps that a
//! model has anyway are not. S kernels, H heads a layer, L layers, n positions, width d.
//!
//! Table 2 of the TISA paper (Wennberg & Henter 2021) compares three of these ways on three models. It prints
//! counts; here are the models' sizes, from their own configurations, and the counts follow.

use super::ModelSummary;
use serde::{Deserialize, Serialize};

/// What positional parameters depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelSize {
    /// S, TISA kernels a head.
    pub kernels: u64,
    /// n, the greatest number of positions.
    pub positions: u64,
    /// d, columns of a position table.
    pub width: u64,
    /// L.
    pub layers: u64,
    /// H, heads a layer.
    pub heads: u64,
}

/// The parts of a size as one types them: letter, name, greatest. The least is 1. Within these limits no count
/// reaches 2⁶³.
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

    /// In the order of [`SIZE_PARTS`].
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

    /// From its parts, each brought within its limits.
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

/// What parameters are counted for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountedModel {
    /// A name for a sentence.
    pub name: String,
    /// Its size.
    pub size: ModelSize,
    /// A sentence on what of the size was taken from elsewhere; empty where nothing was.
    pub assumed: &'static str,
}

impl CountedModel {
    /// From what a link asks for (nothing, S alone, or all of S, n, d, L, H) and the open model. What neither
    /// says is BERT-base's.
    #[must_use]
    pub fn of(asked: &[u64], open: Option<&ModelSummary>) -> Self {
        let size_of_base = ModelSize::BERT_BASE;
        if let [s, n, d, l, h] = *asked {
            return Self {
                name: "a model of custom size".to_owned(),
                size: ModelSize::from_parts([s, n, d, l, h]),
                assumed: "",
            };
        }
        let kernels = asked.first().copied().unwrap_or(size_of_base.kernels);
        let Some(open) = open else {
            return Self {
                name: "BERT-base".to_owned(),
                size: ModelSize {
                    kernels,
                    ..size_of_base
                },
                assumed: " No model is open, so it stands in.",
            };
        };
        let known = |part: u64| (part > 0).then_some(part);
        // Scores by offset have no width, and what is counted beside them has the model's.
        let width = known(open.width as u64).or(known(open.hidden as u64));
        let layers = known(open.layers as u64);
        let heads = open.heads.and_then(|(heads, _)| known(u64::from(heads)));
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
            assumed: if is_whole {
                ""
            } else {
                " What the open table does not say of these is taken from BERT-base."
            },
        }
    }

    /// What a link asks for once this is the size typed in, or that of the open model again.
    #[must_use]
    pub fn asked(&self, typed_in: bool) -> Vec<u64> {
        let parts = self.size.parts();
        let is_usual = self.size.kernels == ModelSize::BERT_BASE.kernels;
        let kept = match (typed_in, is_usual) {
            (true, _) => parts.len(),
            (false, false) => 1,
            (false, true) => 0,
        };
        parts[..kept].to_vec()
    }

    /// What a link asks for once a part of the size, by its place in [`SIZE_PARTS`], is typed in. S is no part
    /// of a model, so it alone leaves the rest to the open model; any other part makes a size of one's own.
    #[must_use]
    pub fn asked_with(&self, before: &[u64], part: usize, value: u64) -> Vec<u64> {
        let mut parts = self.size.parts();
        let kept = if part == 0 && before.len() <= 1 {
            1
        } else {
            parts.len()
        };
        if let Some(part) = parts.get_mut(part) {
            *part = value;
        }
        parts[..kept].to_vec()
    }
}

/// A way to encode position, and what it learns.
#[derive(Debug, Clone, Copy)]
pub struct CountMethod {
    /// Name in files.
    pub id: &'static str,
    /// Name on the page.
    pub name: &'static str,
    /// The count in letters.
    pub formula: &'static str,
    count: fn(&ModelSize) -> u64,
}

impl CountMethod {
    /// Learned numbers; parts of the size beyond their limits count as these.
    #[must_use]
    pub fn count(&self, size: &ModelSize) -> u64 {
        (self.count)(&ModelSize::from_parts(size.parts()))
    }
}

/// Offsets that Shaw et al. tell apart in either direction (their base model).
pub const SHAW_CLIP: u64 = 16;

/// Buckets of offsets in T5.
pub const T5_BUCKETS: u64 = 32;

/// Every way that has a well-defined count, the leanest that learns first.
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
    // Press et al. 2022: slopes that nobody learns.
    CountMethod {
        id: "alibi",
        name: "ALiBi",
        formula: "0",
        count: |_| 0,
    },
];

/// A way by its identifier.
#[must_use]
pub fn count_method(id: &str) -> Option<&'static CountMethod> {
    COUNT_METHODS.iter().find(|method| method.id == id)
}

/// The columns of the paper's Table 2.
pub const TABLE_2_METHODS: [&str; 3] = ["learned", "untied", "tisa"];

/// Its rows: S = 5 kernels for each head of 12 layers with 12 heads. Longformer's table has rows for 4096
/// positions, BERT's and RoBERTa's for 512; ALBERT's is 128 wide before it is projected up.
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
