//! The model that a link names, and its options.

use super::{
    codec::{AnyText, Codec, Decimal, Maybe, OneOf, Whole, take},
    query::QueryPairs,
    section::{fields, pairs_of},
};
use crate::{
    analysis::{MAX_LENGTH, MIN_LENGTH},
    encoding::{Random, Sinusoidal},
    model::{CORRECTIONS, Correction, ModelOptions, PRESETS, SITE_MODELS},
};
use std::{borrow::Cow, ops::RangeInclusive};

/// Range of the rows of a computed table.
pub const ROWS: RangeInclusive<usize> = 2..=4096;
/// Range of the columns of a computed table.
pub const WIDTHS: RangeInclusive<usize> = 1..=1024;
/// Range of the base of a sinusoidal table.
pub const BASES: RangeInclusive<f64> = 1.001..=1e9;

/// The model that a link names.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelRef {
    /// A preset that ships with the page.
    Preset(String),
    /// A whole model of the page's own site, read in parts.
    Site(String),
    /// A computed sinusoidal table.
    Sinusoidal(Sinusoidal),
    /// A computed random table.
    Random(Random),
    /// A local file: its name and a hash of its position table.
    File {
        /// Name of the file.
        name: String,
        /// Hash of the position table, if known.
        hash: Option<u64>,
    },
    /// A model that was trained on the page, by the recipe of its run.
    Run(String),
    /// A model of the Hugging Face Hub by its name. It is fetched only after the user agrees.
    Hub(String),
    /// A file at an address. It is fetched only after the user agrees.
    Url(String),
}

impl Default for ModelRef {
    fn default() -> Self {
        Self::Preset(PRESETS[0].id.to_owned())
    }
}

fields! { Sinusoidal {
    "rows" => rows: Whole(ROWS);
    "width" => width: Whole(WIDTHS);
    "base" => base: Decimal(BASES);
}}

fields! { Random {
    "rows" => rows: Whole(ROWS);
    "width" => width: Whole(WIDTHS);
    "seed" => seed: Whole(0..=u64::MAX);
}}

impl ModelRef {
    /// Returns whether the table is computed instead of loaded.
    #[must_use]
    pub fn is_computed(&self) -> bool {
        matches!(self, Self::Sinusoidal(_) | Self::Random(_))
    }

    /// Returns whether it is the preset with this identifier.
    #[must_use]
    pub fn is_preset(&self, id: &str) -> bool {
        matches!(self, Self::Preset(other) if other == id)
    }

    /// Returns whether it is a preset other than the one that the page opens by default.
    #[must_use]
    pub fn is_sample(&self) -> bool {
        matches!(self, Self::Preset(id) if id != PRESETS[0].id)
    }

    /// Returns whether it comes from another host than the page.
    #[must_use]
    pub fn is_remote(&self) -> bool {
        matches!(self, Self::Hub(_) | Self::Url(_))
    }

    /// Returns whether it is read in parts from a server: another host, or the page's own.
    #[must_use]
    pub fn is_read_in_parts(&self) -> bool {
        self.is_remote() || matches!(self, Self::Site(_))
    }

    /// Returns whether it ships with the page.
    #[must_use]
    pub fn is_shipped(&self) -> bool {
        matches!(self, Self::Preset(_) | Self::Site(_))
    }

    /// Returns whether it is a local file or a run, which the page cannot open by itself.
    #[must_use]
    pub fn is_from_visitor(&self) -> bool {
        matches!(self, Self::File { .. } | Self::Run(_))
    }

    /// Returns a display name: of the file or the table, or as typed.
    #[must_use]
    pub fn title(&self) -> &str {
        match self {
            Self::Preset(name)
            | Self::Site(name)
            | Self::File { name, .. }
            | Self::Run(name)
            | Self::Hub(name) => name,
            // The last part of the path.
            Self::Url(address) => (address.split(['?', '#']).next())
                .and_then(|path| path.rsplit('/').find(|part| !part.is_empty()))
                .unwrap_or(address),
            Self::Sinusoidal(_) => "sinusoidal",
            Self::Random(_) => "random",
        }
    }

    /// Returns whether both are the same model of the model list. Files with the same name match if either hash is
    /// unknown. Computed tables of one kind match for any parameters.
    #[must_use]
    pub fn is_same_model(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::File { name, hash }, Self::File { name: n, hash: h }) => {
                name == n && (hash == h || hash.is_none() || h.is_none())
            }
            (Self::Sinusoidal(_), Self::Sinusoidal(_)) | (Self::Random(_), Self::Random(_)) => true,
            _ => self == other,
        }
    }

    pub(super) fn read(pairs: &mut QueryPairs) -> Self {
        let owned = |text: Option<Cow<str>>| text.map(Cow::into_owned);
        let Some(model) = pairs.take("model") else {
            return match owned(pairs.take("hf")) {
                Some(name) => Self::Hub(name),
                None => owned(pairs.take("url")).map_or_else(Self::default, Self::Url),
            };
        };
        match &*model {
            "sinusoidal" => Self::Sinusoidal(pairs.section()),
            "random" => Self::Random(pairs.section()),
            "file" => Self::File {
                name: owned(pairs.take("file")).unwrap_or_default(),
                hash: pairs.take("hash").and_then(|text| {
                    let hash = u64::from_str_radix(&text, 16).ok();
                    if hash.is_none() {
                        pairs.warnings.note("hash", &text);
                    }
                    hash
                }),
            },
            "run" => Self::Run(owned(pairs.take("run")).unwrap_or_default()),
            id if PRESETS.iter().any(|preset| preset.id == id) => Self::Preset(id.to_owned()),
            id if SITE_MODELS.iter().any(|model| model.id == id) => Self::Site(id.to_owned()),
            unknown => {
                pairs.warnings.note("model", unknown);
                Self::default()
            }
        }
    }

    pub(super) fn pairs(&self) -> Vec<(&'static str, String)> {
        let named = |name: &str| vec![("model", name.to_owned())];
        match self {
            Self::Preset(id) | Self::Site(id) => named(id),
            Self::Sinusoidal(table) => {
                let mut pairs = named("sinusoidal");
                pairs.extend(pairs_of(table, None));
                pairs
            }
            Self::Random(table) => {
                let mut pairs = named("random");
                pairs.extend(pairs_of(table, None));
                pairs
            }
            Self::File { name, hash } => {
                let mut pairs = named("file");
                pairs.push(("file", name.clone()));
                pairs.extend(hash.map(|hash| ("hash", format!("{hash:016x}"))));
                pairs
            }
            Self::Run(recipe) => {
                let mut pairs = named("run");
                pairs.push(("run", recipe.clone()));
                pairs
            }
            Self::Hub(name) => vec![("hf", name.clone())],
            Self::Url(address) => vec![("url", address.clone())],
        }
    }
}

/// The greatest number of heads per layer that can be chosen.
const MOST_HEADS_CHOSEN: u32 = 1024;

fields! { ModelOptions {
    "source" => source: Maybe(AnyText);
    "table" => table: Maybe(AnyText);
    "query" => attention: QueryTensor;
    "key" => attention: KeyTensor;
    "transposed" => is_transposed: OneOf(&[(true, "yes")]);
    "word-table" => words: Maybe(AnyText);
    "norm-weight" => norm: Maybe(AnyText);
    "rows-out" => left_out: RowCounts;
    "heads" => heads: Maybe(Whole(1..=MOST_HEADS_CHOSEN));
    "image-shape" => patches: Maybe(ImageSides);
    "length" => length: Maybe(Whole(MIN_LENGTH as u32..=MAX_LENGTH as u32));
    "switched" => switched_corrections: CorrectionList;
}}

/// Parses the options of a model. Query and key tensors are valid only together.
pub(super) fn read_choice(pairs: &mut QueryPairs) -> ModelOptions {
    if pairs.has("query") != pairs.has("key") {
        for alone in ["query", "key"] {
            if let Some(tensor) = pairs.take(alone) {
                pairs.warnings.note(alone, &tensor);
            }
        }
    }
    pairs.section()
}

/// The most rows or columns of patches that can be chosen.
const LONGEST_SIDE: u32 = 4096;

/// Rows and columns of patches: `16x8`.
struct ImageSides;

impl Codec<(u32, u32)> for ImageSides {
    fn read(&self, text: &str, into: &mut (u32, u32)) -> Result<(), String> {
        let side = |text: &str| {
            let side = text.parse().ok();
            side.filter(|side| (1..=LONGEST_SIDE).contains(side))
        };
        let sides = text.split_once('x');
        take(
            text,
            sides.and_then(|(h, w)| Some((side(h)?, side(w)?))),
            into,
        )
    }

    fn write(&self, (height, width): &(u32, u32)) -> Option<String> {
        Some(format!("{height}x{width}"))
    }
}

/// The most rows that can be left out at one end of a table.
pub const MOST_LEFT_OUT: u32 = 4096;

/// Rows left out at the beginning and at the end: `2-0`.
struct RowCounts;

impl Codec<(u32, u32)> for RowCounts {
    fn read(&self, text: &str, into: &mut (u32, u32)) -> Result<(), String> {
        let count = |text: &str| {
            let count = text.parse().ok();
            count.filter(|count| *count <= MOST_LEFT_OUT)
        };
        let ends = text.split_once('-');
        let counts = ends.and_then(|(first, last)| Some((count(first)?, count(last)?)));
        take(text, counts, into)
    }

    fn write(&self, (first, last): &(u32, u32)) -> Option<String> {
        Some(format!("{first}-{last}"))
    }
}

/// Names of the query tensor and the key tensor.
type QueryAndKey = Option<(String, String)>;

/// The name of the query tensor.
struct QueryTensor;

impl Codec<QueryAndKey> for QueryTensor {
    fn read(&self, text: &str, into: &mut QueryAndKey) -> Result<(), String> {
        into.get_or_insert_default().0 = text.to_owned();
        Ok(())
    }

    fn write(&self, value: &QueryAndKey) -> Option<String> {
        value.as_ref().map(|(query, _)| query.clone())
    }
}

/// The name of the key tensor.
struct KeyTensor;

impl Codec<QueryAndKey> for KeyTensor {
    fn read(&self, text: &str, into: &mut QueryAndKey) -> Result<(), String> {
        into.get_or_insert_default().1 = text.to_owned();
        Ok(())
    }

    fn write(&self, value: &QueryAndKey) -> Option<String> {
        value.as_ref().map(|(_, key)| key.clone())
    }
}

/// Corrections by name, separated by commas. Written in the order of [`CORRECTIONS`], independently of the order in the
/// text.
struct CorrectionList;

impl Codec<Vec<Correction>> for CorrectionList {
    fn read(&self, text: &str, into: &mut Vec<Correction>) -> Result<(), String> {
        let names: Vec<&str> = text.split(',').take(CORRECTIONS.len() + 1).collect();
        let is_known = |name: &&str| CORRECTIONS.iter().any(|(_, word, _)| word == name);
        let listed = CORRECTIONS
            .iter()
            .filter(|(_, word, _)| names.contains(word));
        let corrections = names
            .iter()
            .all(is_known)
            .then(|| listed.map(|(which, ..)| *which).collect());
        take(text, corrections, into)
    }

    fn write(&self, value: &Vec<Correction>) -> Option<String> {
        let listed = CORRECTIONS
            .iter()
            .filter(|(which, ..)| value.contains(which));
        Some(
            listed
                .map(|(_, word, _)| *word)
                .collect::<Vec<_>>()
                .join(","),
        )
    }
}
