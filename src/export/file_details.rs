//! Details in file names that distinguish files of the same figure and model: layer and head, and every choice on the
//! page that changes the figure.

use super::{LabelScope, Shown, about};
use crate::{
    encoding::Kernels,
    math::AttentionMask,
    model::ModelOptions,
    url_state::{ImagesSection, LinkSection, TokensSection, View},
};

/// A figure whose file is to be named.
#[derive(Debug, Clone, Copy)]
pub struct FileSubject<'a> {
    /// The figure in its state on the page.
    pub shown: Shown<'a>,
    /// Layer and head of the open head, from 0.
    pub head: Option<(usize, usize)>,
    /// Number of positions in figures of kernels.
    pub positions: usize,
}

/// The most bytes of a choice that is written out. A longer one is replaced by its hash.
const LONGEST: usize = 24;

/// Returns the details of a file name in order: `layer-3-head-2`, `computed`, `cosine`, `step-500`. Defaults of the
/// page are omitted.
#[must_use]
pub fn file_details(subject: &FileSubject<'_>) -> Vec<String> {
    let Shown { figure, link, .. } = subject.shown;
    let mut details = Vec::new();
    let of = about(figure, link);
    match (of, subject.head) {
        (LabelScope::Head, Some((layer, head))) => {
            details.push(format!("layer-{}-head-{}", layer + 1, head + 1));
        }
        (LabelScope::FirstLayer, Some((_, head))) => {
            details.push(format!("layer-1-head-{}", head + 1));
        }
        _ => {}
    }
    if of == LabelScope::Kernels {
        details.push(format!("n-{}", subject.positions));
    }
    if has_kernels(figure) {
        details.push(kernels_in_short(&link.kernels.kernels));
    }
    if subject.shown.cells == AttentionMask::Causal && depends_on_cells(figure, of) {
        details.push("causal".to_owned());
    }
    let keys = keys(subject, of);
    let query = link.query();
    let chosen = form_urlencoded::parse(query.as_bytes());
    let chosen = chosen.filter(|(key, _)| keys.contains(&key.as_ref()));
    details.extend(chosen.map(|(key, text)| detail(&key, &text)));
    details
}

/// Returns whether the figure is made of the kernels on the sliders, or adds them.
fn has_kernels(figure: &str) -> bool {
    matches!(
        figure,
        "kernel-function"
            | "kernel-matrix"
            | "kernel-attention"
            | "added-scores"
            | "added-attention"
            | "attention-looks"
            | "first-layer-added"
            | "first-layer-instead"
    )
}

/// Returns whether the figure changes if a query sees only the keys up to it.
fn depends_on_cells(figure: &str, of: LabelScope) -> bool {
    let is_of_waves = [
        "head-waves",
        "head-cross-correlation",
        "head-cross-covariance",
        "head-rotation",
    ]
    .contains(&figure);
    let is_of_heads = ["head-grid", "fit-grid", "head-convolution"].contains(&figure);
    is_of_heads
        || !is_of_waves
            && matches!(
                of,
                LabelScope::Head | LabelScope::FirstLayer | LabelScope::Kernels
            )
}

/// Returns the keys of the link that change the figure, besides the open model and the open head.
fn keys(subject: &FileSubject<'_>, of: LabelScope) -> Vec<&'static str> {
    let Shown {
        figure,
        link,
        is_relative,
        ..
    } = subject.shown;
    let mut keys: Vec<&str> = match figure {
        // The compare view shows the whole matrix.
        "position-matrix" if link.view == View::Compare => vec!["compare"],
        "position-matrix" => vec!["compare", "part", "window"],
        "offset-profile" => vec!["compare", "offsets", "window"],
        "toeplitz-scores" | "grid-profile" => vec!["compare"],
        "head-grid" => vec!["sort"],
        "head-matrix" | "head-profile" | "head-sections" => vec!["window"],
        "kernel-function" => vec!["added", "kernel-offsets"],
        "kernel-matrix" | "kernel-attention" => vec!["kernel-window"],
        "head-scores" | "added-scores" | "head-attention" | "added-attention" => {
            vec!["n", "kernel-window"]
        }
        "attention-looks" => vec!["n", "near"],
        "kernel-fit" | "fit-residual" => vec!["fit", "fit-offsets"],
        "fit-curve" => vec!["fit"],
        "fit-grid" => vec!["fit", "sort"],
        "fit-attention" => vec!["fit", "n", "kernel-window"],
        "fit-head-attention" => vec!["n", "kernel-window"],
        "first-layer-embeddings"
        | "first-layer-added"
        | "first-layer-instead"
        | "first-layer-none" => vec!["n", "words"],
        "parameter-count" => vec!["count"],
        "encoding-profile" | "flat-lines" | "phasors" => vec!["encodings"],
        "criteria" => vec!["cell"],
        "permutation" => section_keys::<TokensSection>(),
        "spectrum" | "spectrum-columns" => vec!["frequencies"],
        "columns" | "column-spectra" => vec!["columns", "frequencies"],
        "component-waves" => vec!["plane"],
        "component-path" => vec!["plane", "seen-from"],
        "head-cross-covariance" => vec!["wave-offsets"],
        "layer-spectrum" => vec!["frequencies", "wave-part"],
        "head-clusters" | "cluster-traces" => vec!["groups", "wave-seed"],
        "gaussian-heads" | "query-attention" | "filtered-image" | "convolution-error" => {
            section_keys::<ImagesSection>()
        }
        "grid-similarity" if is_relative => vec!["layer"],
        "grid-similarity" => vec!["patches", "patch-grid", "resampling"],
        "compare-profiles" => vec!["compare", "order", "values", "compare-offsets", "models"],
        "model-scores" | "r2-performance" => vec!["compare", "order", "models"],
        "compare-heads" => vec!["order", "models"],
        "training-curves" => vec!["timeline", "models"],
        "training-matrix" | "training-table" => vec!["step"],
        _ => Vec::new(),
    };
    // In the compare view, models are distinguished by their names there.
    if of.is_of_model() && link.view != View::Compare {
        keys.extend(COMPUTED_TABLES);
        keys.extend(section_keys::<ModelOptions>());
    }
    let has_modes = of == LabelScope::Head || HAVE_MODES.contains(&figure);
    if has_modes && !is_relative {
        keys.push("mode");
    }
    keys
}

/// Returns the keys of a section of the link.
fn section_keys<S: LinkSection>() -> Vec<&'static str> {
    S::FIELDS.iter().map(|field| field.key).collect()
}

/// Keys of the parameters of computed tables.
const COMPUTED_TABLES: [&str; 4] = ["rows", "width", "base", "seed"];

/// Figures of all heads that differ between the paper's formula and the model's computation.
const HAVE_MODES: [&str; 6] = [
    "head-grid",
    "fit-grid",
    "layer-spectrum",
    "head-clusters",
    "cluster-traces",
    "head-convolution",
];

/// Formats a choice for a file name: the value alone if it is a clear word, otherwise key and value.
fn detail(key: &str, text: &str) -> String {
    let is_word = ["mode", "compare", "part"].contains(&key);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || ",._-".contains(c);
    // In a list of decimals the numbers would run together, and a leading minus would look like a separator.
    let is_list_of_decimals = text.contains('.') && text.contains(',');
    let is_clear = !is_list_of_decimals && !text.starts_with('-');
    let is_short = text.len() <= LONGEST && text.chars().all(is_plain);
    match text {
        _ if is_word => text.to_owned(),
        _ if is_short && is_clear => format!("{key}-{}", text.replace([',', '.'], "-")),
        _ => format!("{key}-{}", hash(text)),
    }
}

/// The kernels that are not muted, as their number and a hash of their parameters.
fn kernels_in_short(kernels: &Kernels) -> String {
    let of_each = kernels.0.iter().filter(|kernel| !kernel.muted);
    let numbers: Vec<String> = of_each
        .map(|kernel| format!("{}:{}:{}", kernel.a, kernel.b, kernel.c))
        .collect();
    let word = if numbers.len() == 1 {
        "kernel"
    } else {
        "kernels"
    };
    format!("{}-{word}-{}", numbers.len(), hash(&numbers.join(";")))
}

/// 32-bit FNV-1a hash, folded to four hexadecimal digits. It distinguishes files; it is not cryptographic.
pub(super) fn hash(text: &str) -> String {
    let hash = text.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    format!("{:04x}", (hash >> 16) ^ (hash & 0xffff))
}
