//! Published benchmark results of well-known models, to compare with their R² (TISA paper, fig. 2).
//!
//! The eight numbers are those of the authors: the column “Average” of the table in the README of
//! github.com/google-research/albert (release of 31 October 2019), the mean over `SQuAD` 1.1 and 2.0, MNLI, SST-2 and
//! RACE. Those of version 1 are also in Lan et al., “ALBERT: A Lite BERT for Self-supervised Learning of Language
//! Representations”, ICLR 2020, table 2.

/// Published models and their averages.
const ALBERT_AVERAGES: &[(&str, f64)] = &[
    ("albert-base-v1", 80.1),
    ("albert-large-v1", 82.4),
    ("albert-xlarge-v1", 85.5),
    ("albert-xxlarge-v1", 91.0),
    ("albert-base-v2", 82.3),
    ("albert-large-v2", 85.7),
    ("albert-xlarge-v2", 87.9),
    ("albert-xxlarge-v2", 90.9),
];

/// Published average for a model of this name, in percent.
///
/// `name` is a Hub name with or without owner and revision, a folder or a file; `_` and case are ignored. Only whole
/// names match: `albert-base-v2-squad2` is a different model from `albert-base-v2`.
#[must_use]
pub fn published_performance(name: &str) -> Option<f64> {
    let name = name.to_ascii_lowercase().replace('_', "-");
    name.split('/').find_map(|part| {
        let part = part.split('@').next()?;
        let part = [".safetensors", ".bin", ".pt", ".pth", ".npz", ".npy"]
            .iter()
            .find_map(|ending| part.strip_suffix(ending))
            .unwrap_or(part);
        ALBERT_AVERAGES
            .iter()
            .find(|(model, _)| *model == part)
            .map(|(_, average)| *average)
    })
}
