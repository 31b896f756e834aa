//! Link section of all open models, for views that show several:
//! `models=model:minilm-l6;hf:org/model@v2,left-out;model:file,file:a.npz,hash:00ff,performance:82.5`.
//!
//! Models are separated by semicolons. Each is the words that a link has for its one model, and the options of that
//! model in the list. Words are separated by commas, key and value by a colon. Commas and semicolons within a value are
//! escaped as in JSON pointers (RFC 6901): `~` as `~0`, `;` as `~1`, `,` as `~2`.

use super::{
    ModelRef,
    codec::{Codec, Flag, Maybe, Whole, finite_number},
    comparison::MOST_NUMBERED,
    model_ref::read_choice,
    query::QueryPairs,
    section::{fields, pairs_of},
};
use crate::model::ModelOptions;
use std::{borrow::Cow, ops::RangeInclusive};

/// The most models in a link.
pub const MOST_MODELS: usize = 32;
/// The longest list of models that is written, in bytes, so that messengers and mail do not cut the link.
pub const LONGEST_LIST: usize = 6000;
/// Models with a longer text, in bytes, are omitted.
const LONGEST_MODEL: usize = 2000;
/// Range of performance scores, in any unit.
pub const PERFORMANCES: RangeInclusive<f64> = -1e9..=1e9;

/// The open models, as far as a link names them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelsSection {
    /// Models in the order in which they are compared.
    pub models: Vec<NamedModel>,
    /// Number of further models that were open when the link was made.
    pub more: usize,
}

fields! { ModelsSection {
    "models" => models: ModelsCodec;
    "more-models" => more: Whole(0..=100_000);
}}

/// A model of the list.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NamedModel {
    /// The model.
    pub model: ModelRef,
    /// Options of the model.
    pub choice: ModelOptions,
    /// Options of the model in the list.
    pub among: AmongOthers,
}

/// Options of a model in the list of open models.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct AmongOthers {
    /// Its number from 1, which also selects its colour. `None` is its place in the list.
    pub number: Option<usize>,
    /// Whether it is not compared.
    pub left_out: bool,
    /// Performance as typed. `Some(None)` if the field was emptied.
    pub performance: Option<Option<f64>>,
    /// Whether its heads were requested.
    pub with_heads: bool,
    /// The number after its name, if another model has the same name.
    pub namesake: Option<usize>,
}

fields! { AmongOthers {
    "number" => number: Maybe(Whole(1..=MOST_NUMBERED));
    "left-out" => left_out: Flag;
    "performance" => performance: TypedNumber;
    "read-heads" => with_heads: Flag;
    "namesake" => namesake: Maybe(Whole(2..=MOST_NUMBERED));
}}

impl ModelsSection {
    /// Names as many of these models as a link holds, in their order.
    ///
    /// Presets, computed tables and models of other hosts come before files, since the page opens them by itself. Of
    /// files, which may be hundreds of snapshots of a run, it takes as many as fit, evenly spread from the first to the
    /// last. The model in front is among them. If it is the only one and has default options, the section is empty,
    /// since the link names that model anyway.
    #[must_use]
    pub fn from_models(all: &[NamedModel], front: &ModelRef) -> Self {
        let is_front = |named: &NamedModel| named.model.is_same_model(front);
        let nothing_else = |named: &NamedModel| {
            let among = AmongOthers {
                number: named.among.number.filter(|number| *number != 1),
                ..named.among
            };
            is_front(named) && among == AmongOthers::default()
        };
        if all.iter().all(nothing_else) {
            return Self::default();
        }
        let short: Vec<(&NamedModel, usize)> = all
            .iter()
            .map(|named| (named, text_of(named).len() + 1))
            .filter(|(_, length)| *length <= LONGEST_MODEL)
            .collect();
        let places = 0..short.len();
        let (first, files): (Vec<usize>, Vec<usize>) =
            places.partition(|&at| is_front(short[at].0) || !short[at].0.model.is_from_visitor());
        let pick = |count: usize| {
            let mut picked: Vec<usize> = first.iter().copied().take(count).collect();
            picked.extend(evenly_spaced(files.len(), count - picked.len()).map(|at| files[at]));
            picked.sort_unstable();
            picked
        };
        let fits = |picked: &Vec<usize>| {
            let length: usize = picked.iter().map(|&at| short[at].1).sum();
            length <= LONGEST_LIST
        };
        let most = MOST_MODELS.min(short.len());
        let picked = (0..=most).rev().map(pick).find(fits).unwrap_or_default();
        let mut named: Vec<NamedModel> = picked.iter().map(|&at| short[at].0.clone()).collect();
        for (at, model) in named.iter_mut().enumerate() {
            model.among.number = model.among.number.filter(|number| *number != at + 1);
        }
        Self {
            more: all.len() - named.len(),
            models: named,
        }
    }

    /// Returns the number of the model at a place.
    #[must_use]
    pub fn number_at(&self, place: usize) -> usize {
        let named = self.models.get(place);
        named
            .and_then(|named| named.among.number)
            .unwrap_or(place + 1)
    }

    /// Returns the place of a model in the list, by any of its names.
    #[must_use]
    pub fn place_of<'a>(&self, names: impl IntoIterator<Item = &'a ModelRef>) -> Option<usize> {
        let is_it = |name: &&ModelRef, named: &NamedModel| name.is_same_model(&named.model);
        names
            .into_iter()
            .find_map(|name| self.models.iter().position(|named| is_it(&name, named)))
    }
}

/// Returns `count` places of 0..`of`: the first, the last, and others evenly between them. Returns all places if
/// `count` is greater.
fn evenly_spaced(of: usize, count: usize) -> impl Iterator<Item = usize> {
    let count = count.min(of);
    (0..count).map(move |at| at * of.saturating_sub(1) / count.saturating_sub(1).max(1))
}

/// Models separated by semicolons, each as its words.
struct ModelsCodec;

impl Codec<Vec<NamedModel>> for ModelsCodec {
    fn read(&self, text: &str, into: &mut Vec<NamedModel>) -> Result<(), String> {
        let mut warnings = Vec::new();
        for text in text.split(';').filter(|text| !text.is_empty()) {
            let is_new = |named: &NamedModel| {
                let is_same = |other: &NamedModel| other.model.is_same_model(&named.model);
                !into.iter().any(is_same)
            };
            let has_room = into.len() < MOST_MODELS && text.len() <= LONGEST_MODEL;
            match has_room.then(|| model_of(text)).flatten().filter(is_new) {
                Some(named) => into.push(named),
                None => warnings.push(text),
            }
        }
        if warnings.is_empty() {
            Ok(())
        } else {
            Err(warnings.join(";"))
        }
    }

    fn write(&self, value: &Vec<NamedModel>) -> Option<String> {
        Some(value.iter().map(text_of).collect::<Vec<_>>().join(";"))
    }
}

fn text_of(named: &NamedModel) -> String {
    let mut pairs = named.model.pairs();
    pairs.extend(pairs_of(&named.choice, None));
    pairs.extend(pairs_of(&named.among, None));
    let word = |(key, value): (&str, String)| match value.as_str() {
        "" => key.to_owned(),
        _ => format!("{key}:{}", escape(&value)),
    };
    pairs.into_iter().map(word).collect::<Vec<_>>().join(",")
}

/// Parses a model. `None` if any of its words is not understood.
fn model_of(text: &str) -> Option<NamedModel> {
    let word = |word: &str| {
        let (key, value) = word.split_once(':').unwrap_or((word, ""));
        (
            Cow::Owned(key.to_owned()),
            Cow::<str>::Owned(unescape(value)),
        )
    };
    let mut pairs = QueryPairs::from_pairs(text.split(',').map(word).collect());
    if !["model", "hf", "url"].iter().any(|key| pairs.has(key)) {
        return None;
    }
    let named = NamedModel {
        model: ModelRef::read(&mut pairs),
        choice: read_choice(&mut pairs),
        among: pairs.section(),
    };
    (pairs.finish().count() == 0).then_some(named)
}

fn escape(text: &str) -> String {
    text.replace('~', "~0")
        .replace(';', "~1")
        .replace(',', "~2")
}

fn unescape(text: &str) -> String {
    text.replace("~2", ",")
        .replace("~1", ";")
        .replace("~0", "~")
}

/// A typed number, or `none` for an emptied field.
struct TypedNumber;

impl Codec<Option<Option<f64>>> for TypedNumber {
    fn read(&self, text: &str, into: &mut Option<Option<f64>>) -> Result<(), String> {
        let number = finite_number(text).filter(|number| PERFORMANCES.contains(number));
        *into = match text {
            "none" => Some(None),
            _ => Some(Some(number.ok_or(text)?)),
        };
        Ok(())
    }

    fn write(&self, value: &Option<Option<f64>>) -> Option<String> {
        value.map(|typed| typed.map_or_else(|| "none".to_owned(), |number| number.to_string()))
    }
}
