//! Link section of the kernels view besides its sliders: fits, parameter counts, word embeddings before the first
//! layer.

use super::{
    codec::{AnyText, Codec, Maybe, OneOf, ShortText, take, whole_within},
    section::fields,
};
use crate::{
    analysis::{
        AttentionMask, FitOptions, MAX_LENGTH, Objective, Weighting, parameter_count::SIZE_PARTS,
    },
    encoding::MAX_KERNELS,
};

/// The most characters of the prefix of tensor names in exported safetensors.
pub const LONGEST_PREFIX: usize = 200;

/// Options of the kernels view besides its sliders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelOptions {
    /// The model size whose parameters are counted: S, n, d, L and H. If only S is given, the rest is that of the open
    /// model. If empty, five kernels in the open model.
    pub count: Vec<u64>,
    /// Heads that kernels are fitted to, and how.
    pub fit: FitChoice,
    /// Rows of the word embeddings before the first layer, as typed. If empty, the mean x̄ is used.
    pub words: String,
    /// Whether maps side by side each have their own colour range.
    pub own_colours: bool,
    /// Number of positions on either side of a query that count as near it.
    pub near: usize,
    /// Whether f(k) is drawn at all offsets or only at those near zero. `None` derives it from f.
    pub all_offsets: Option<bool>,
    /// The same for a fit.
    pub all_fit_offsets: Option<bool>,
    /// Whether the first layer is unfolded. `None` unfolds it if rows are typed.
    pub first_layer: Option<bool>,
    /// Whether the options of fits are unfolded. `None` unfolds them if any differs from the default.
    pub fit_options: Option<bool>,
    /// Prefix of tensor names in exported safetensors. `None` is the default.
    pub prefix: Option<String>,
}

impl KernelOptions {
    /// Returns whether the first layer is unfolded.
    #[must_use]
    pub fn shows_first_layer(&self) -> bool {
        self.first_layer.unwrap_or(!self.words.is_empty())
    }

    /// Returns whether the options of fits are unfolded.
    #[must_use]
    pub fn shows_fit_options(&self) -> bool {
        self.fit_options.unwrap_or_else(|| {
            let usual = FitChoice {
                scope: self.fit.scope,
                kernels: self.fit.kernels,
                ..FitChoice::default()
            };
            self.fit.is_of_group() || self.fit != usual
        })
    }
}

fields! { KernelOptions {
    "count" => count: SizeList;
    "fit" => fit: FitText;
    "words" => words: AnyText;
    "attention" => own_colours: OneOf(&[(false, "one"), (true, "own")]);
    "near" => near: OneOf(&NEAR);
    "kernel-offsets" => all_offsets: OneOf(&OFFSETS);
    "fit-offsets" => all_fit_offsets: OneOf(&OFFSETS);
    "first-layer" => first_layer: OneOf(&FOLD_WORDS);
    "fit-options" => fit_options: OneOf(&FOLD_WORDS);
    "prefix" => prefix: Maybe(ShortText(LONGEST_PREFIX));
}}

const FOLD_WORDS: [(Option<bool>, &str); 2] = [(Some(true), "open"), (Some(false), "folded")];
const OFFSETS: [(Option<bool>, &str); 2] = [(Some(false), "near"), (Some(true), "all")];

/// Options for [`KernelOptions::near`].
pub const NEAR: [(usize, &str); 5] = [(1, "1"), (2, "2"), (4, "4"), (8, "8"), (16, "16")];

impl Default for KernelOptions {
    fn default() -> Self {
        Self {
            count: Vec::new(),
            fit: FitChoice::default(),
            words: String::new(),
            own_colours: false,
            near: 4,
            all_offsets: None,
            all_fit_offsets: None,
            first_layer: None,
            fit_options: None,
            prefix: None,
        }
    }
}

/// Which heads kernels are fitted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FitScope {
    /// The open head.
    Head,
    /// All heads of its layer.
    Layer,
    /// All heads of the model.
    All,
}

const SCOPES: [(Option<FitScope>, &str); 4] = [
    (None, "none"),
    (Some(FitScope::Head), "head"),
    (Some(FitScope::Layer), "layer"),
    (Some(FitScope::All), "all"),
];

const OBJECTIVES: [(Objective, &str); 3] = [
    (Objective::Readable, "readable"),
    (Objective::NonNegative, "non-negative"),
    (Objective::LeastSquares, "least-squares"),
];

/// Heads that kernels are fitted to, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FitChoice {
    /// The heads, once a fit was requested.
    pub scope: Option<FitScope>,
    /// Number of kernels.
    pub kernels: usize,
    /// Offsets up to this one have equal weight. `None` weights every cell equally.
    pub within: Option<usize>,
    /// The objective of the fit.
    pub objective: Objective,
}

impl Default for FitChoice {
    fn default() -> Self {
        Self {
            scope: None,
            kernels: 5,
            within: None,
            objective: Objective::default(),
        }
    }
}

impl FitChoice {
    /// Returns the options of these fits over the cells of a mask.
    #[must_use]
    pub fn options(self, cells: AttentionMask) -> FitOptions {
        let window = |reach: usize| Weighting::Window(u32::try_from(reach).unwrap_or(u32::MAX));
        FitOptions {
            kernels: self.kernels,
            weighting: self.within.map_or(Weighting::Cells, window),
            cells,
            objective: self.objective,
        }
    }

    /// Returns whether kernels are fitted to more than the open head.
    #[must_use]
    pub fn is_of_group(self) -> bool {
        matches!(self.scope, Some(FitScope::Layer | FitScope::All))
    }
}

/// `head`, `layer.3`, `all.5.64` or `head.5.non-negative`: heads, number of kernels, window, and the objective unless
/// it is the default.
struct FitText;

impl Codec<FitChoice> for FitText {
    fn read(&self, text: &str, into: &mut FitChoice) -> Result<(), String> {
        take(text, fit_of(text), into)
    }

    fn write(&self, value: &FitChoice) -> Option<String> {
        let (_, scope) = SCOPES.iter().find(|(scope, _)| *scope == value.scope)?;
        let within = value
            .within
            .map_or(String::new(), |reach| format!(".{reach}"));
        let objective = OBJECTIVES.iter().find(|(objective, _)| {
            *objective == value.objective && *objective != Objective::default()
        });
        let objective = objective.map_or(String::new(), |(_, word)| format!(".{word}"));
        Some(format!("{scope}.{}{within}{objective}", value.kernels))
    }
}

fn fit_of(text: &str) -> Option<FitChoice> {
    let mut choice = FitChoice::default();
    if text.is_empty() {
        return Some(choice);
    }
    let mut parts = text.split('.');
    let word = parts.next()?;
    (choice.scope, _) = *SCOPES.iter().find(|(_, other)| *other == word)?;
    if let Some(kernels) = parts.next() {
        choice.kernels = whole_within(kernels, 1..=MAX_KERNELS)?;
    }
    let mut parts = parts.peekable();
    if let Some(reach) = parts.next_if(|part| objective_of(part).is_none()) {
        choice.within = Some(whole_within(reach, 1..=MAX_LENGTH)?);
    }
    if let Some(word) = parts.next() {
        choice.objective = objective_of(word)?;
    }
    parts.next().is_none().then_some(choice)
}

fn objective_of(word: &str) -> Option<Objective> {
    let (objective, _) = OBJECTIVES.iter().find(|(_, other)| *other == word)?;
    Some(*objective)
}

/// An empty text, the number of kernels, or all five parts of a size.
struct SizeList;

impl Codec<Vec<u64>> for SizeList {
    fn read(&self, text: &str, into: &mut Vec<u64>) -> Result<(), String> {
        take(text, sizes_of(text), into)
    }

    fn write(&self, value: &Vec<u64>) -> Option<String> {
        let parts: Vec<String> = value.iter().map(u64::to_string).collect();
        Some(parts.join(","))
    }
}

fn sizes_of(text: &str) -> Option<Vec<u64>> {
    if text.is_empty() {
        return Some(Vec::new());
    }
    let one = |(at, text): (usize, &str)| whole_within(text, 1..=SIZE_PARTS.get(at)?.2);
    let parts = text.split(',').take(SIZE_PARTS.len() + 1).enumerate();
    let parts: Vec<u64> = parts.map(one).collect::<Option<_>>()?;
    [1, SIZE_PARTS.len()]
        .contains(&parts.len())
        .then_some(parts)
}
