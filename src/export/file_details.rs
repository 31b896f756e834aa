//! Details in file names that distinguish files of the same figure and model: layer and head, and every choice on the
//! page that changes the figure.

use super::LabelContext;
use crate::{
    encoding::Kernels,
    figure_spec::{FileChoice, LabelScope},
    math::AttentionMask,
    model::{ModelOptions, PositionKind},
    url_state::{ImagesSection, LinkSection, TokensSection, View},
};

/// A figure whose file is to be named.
#[derive(Debug, Clone, Copy)]
pub struct FileSubject<'a> {
    /// The figure in its state on the page.
    pub context: LabelContext<'a>,
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
    let LabelContext { figure, link, .. } = subject.context;
    let mut details = Vec::new();
    let scope = figure.scope.in_link(link);
    match (scope, subject.head) {
        (LabelScope::Head, Some((layer, head))) => {
            details.push(format!("layer-{}-head-{}", layer + 1, head + 1));
        }
        (LabelScope::FirstLayer, Some((_, head))) => {
            details.push(format!("layer-1-head-{}", head + 1));
        }
        _ => {}
    }
    if scope == LabelScope::Kernels {
        details.push(format!("n-{}", subject.positions));
    }
    if figure.choices.contains(&FileChoice::Kernels) {
        details.push(kernels_in_short(&link.kernels.kernels));
    }
    if subject.context.cells == AttentionMask::Causal && figure.choices.contains(&FileChoice::Cells)
    {
        details.push("causal".to_owned());
    }
    let keys = keys(subject, scope);
    let query = link.query();
    let chosen = form_urlencoded::parse(query.as_bytes());
    let chosen = chosen.filter(|(key, _)| keys.contains(&key.as_ref()));
    details.extend(chosen.map(|(key, text)| detail(&key, &text)));
    details
}

/// Returns the keys of the link that change the figure, besides the open model and the open head.
fn keys(subject: &FileSubject<'_>, scope: LabelScope) -> Vec<&'static str> {
    let LabelContext {
        figure, link, kind, ..
    } = subject.context;
    let is_compared = link.view == View::Compare;
    let mut keys = Vec::new();
    for choice in figure.choices {
        match *choice {
            // The compare view shows the whole matrix.
            FileChoice::Key("part" | "window") if is_compared => {}
            FileChoice::Key(key) => keys.push(key),
            FileChoice::Tokens => keys.extend(section_keys::<TokensSection>()),
            FileChoice::Images => keys.extend(section_keys::<ImagesSection>()),
            FileChoice::Patches if kind.has_heads_by_offset() => keys.push("layer"),
            FileChoice::Patches => keys.extend(["patches", "patch-grid", "resampling"]),
            FileChoice::Mode if kind == PositionKind::Rotary && link.has_text_means() => {
                keys.push("centres");
            }
            FileChoice::Mode if kind.has_heads_by_offset() => {}
            FileChoice::Mode => keys.push("mode"),
            FileChoice::Cells | FileChoice::Kernels => {}
        }
    }
    // In the compare view, models are distinguished by their names there.
    if scope.is_of_model() && !is_compared {
        keys.extend(COMPUTED_TABLES);
        keys.extend(section_keys::<ModelOptions>());
    }
    keys
}

/// Returns the keys of a section of the link.
fn section_keys<S: LinkSection>() -> Vec<&'static str> {
    S::FIELDS.iter().map(|field| field.key).collect()
}

/// Keys of the parameters of computed tables.
const COMPUTED_TABLES: [&str; 4] = ["rows", "width", "base", "seed"];

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
    let of_each = kernels.0.iter().filter(|kernel| !kernel.is_muted);
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
