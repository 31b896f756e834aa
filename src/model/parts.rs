//! Every part of a checkpoint whose positions can be shown: encoder and decoder, vision and text, student and teacher.

use super::{
    Config, Detection, DetectionInput, Note, PatchRotation, PositionTensors, RotaryDescription,
    SourceDescription,
    families::{self, FAMILIES},
    names::TensorNames,
    quantisation,
    source::NO_HEADS,
};
use std::collections::HashSet;

/// Maximum number of parts of one file.
const MOST_PARTS: usize = 32;

/// A part of a checkpoint: one source of positions, and the family that reads it.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) family: &'static str,
    /// Why the part counts as this family, as a sentence.
    pub(super) reason: String,
    pub(super) source: SourceDescription,
}

/// Parts of a checkpoint.
#[derive(Clone, Debug)]
pub(super) enum Parts {
    /// At least one part, the default one first.
    Sources(Vec<Part>),
    /// A family that is known to store no positions, with the reason.
    Nothing(&'static str, String),
    /// No family fits.
    Unknown,
}

/// Finds the parts of a checkpoint. Each tensor belongs to the most specific family that reads it. If no family reads the
/// attention of the file, the parts are the tables with known names, without heads.
pub(super) fn find(clues: &DetectionInput<'_>) -> Parts {
    if let Some((family, detection)) = families::decide_by_type(clues) {
        return match detection.sources.is_empty() {
            true => Parts::Nothing(family, detection.reason),
            false => Parts::Sources(parts_of(family, detection)),
        };
    }
    let has_no_heads = |part: &Part| {
        part.source
            .remarks
            .iter()
            .any(|note| note.title == NO_HEADS)
    };
    let with_heads = find_with(clues);
    let is_readable = match &with_heads {
        // Tables of boxes are found whatever the attention is called; the table of positions may be beside them.
        Parts::Sources(parts) => !parts.iter().all(has_no_heads),
        Parts::Nothing(..) => true,
        Parts::Unknown => false,
    };
    if is_readable {
        return with_heads;
    }
    let lenient = DetectionInput {
        ignores_attention: true,
        ..*clues
    };
    let mut without_heads = find_with(&lenient);
    if let Parts::Sources(parts) = &mut without_heads {
        for part in parts {
            let has_reason = has_no_heads(part);
            let Part { family, source, .. } = part;
            (source.layers, source.description) = (Vec::new(), None);
            if has_reason {
                continue;
            }
            let text = quantisation::sentence(clues.names, clues.config).unwrap_or_else(|| {
                format!(
                    "The queries and keys of this file do not have the names that they have in {family}, so its heads are not shown. You can choose them by hand."
                )
            });
            source.remarks.push(Note::new(NO_HEADS, text));
        }
    }
    without_heads
}

fn find_with(clues: &DetectionInput<'_>) -> Parts {
    let mut parts: Vec<Part> = Vec::new();
    let mut nothing = None;
    // Names of the tensors that hold the positions of the parts, and of their layers' queries.
    let mut tables: HashSet<String> = HashSet::new();
    let mut queries: HashSet<String> = HashSet::new();
    let mut names = clues.names.clone();
    for family in FAMILIES {
        // A family finds one model at a time, so it searches again without the tensors of the models before.
        loop {
            let rest = DetectionInput {
                names: &names,
                ..*clues
            };
            let Some(detection) = family.find(&rest) else {
                break;
            };
            if detection.sources.is_empty() {
                nothing.get_or_insert((family.name(), detection.reason));
                break;
            }
            let mut new = parts_of(family.name(), detection);
            let is_first = parts.is_empty();
            new.retain(|part| is_first || is_new(&part.source, &tables, &queries));
            let before = tables.len();
            for part in &new {
                tables.extend(part.source.positions.names());
                queries.extend(queries_of(&part.source).map(str::to_owned));
            }
            let has_more = tables.len() > before;
            parts.extend(new);
            if has_more {
                names = clues.names.without(&tables);
            }
            if !has_more || parts.len() >= MOST_PARTS {
                break;
            }
        }
    }
    parts.truncate(MOST_PARTS);
    match (parts.is_empty(), nothing) {
        (false, _) => {
            name_apart(&mut parts);
            Parts::Sources(parts)
        }
        (true, Some((family, reason))) => Parts::Nothing(family, reason),
        (true, None) => Parts::Unknown,
    }
}

fn parts_of(family: &'static str, detection: Detection) -> Vec<Part> {
    let reason = detection.reason;
    let part = |source| Part {
        family,
        reason: reason.clone(),
        source,
    };
    detection.sources.into_iter().map(part).collect()
}

/// Whether a source reads tensors of its own. Rotary angles are no tensors, so the layers decide.
fn is_new(source: &SourceDescription, tables: &HashSet<String>, queries: &HashSet<String>) -> bool {
    let names = source.positions.names();
    let has_tensors = match &source.positions {
        PositionTensors::Rotary(_) => queries_of(source).next().is_some(),
        // A table of the same patches is shown with its rotation.
        PositionTensors::RotaryPatches(_) => false,
        _ => !names.is_empty(),
    };
    has_tensors
        && names.iter().all(|name| !tables.contains(name))
        && queries_of(source).all(|query| !queries.contains(query))
}

/// Names of the queries of a source's layers.
pub(super) fn queries_of(source: &SourceDescription) -> impl Iterator<Item = &str> {
    let layers = source.layers.iter().map(|layer| &layer.query);
    let blocks = source.description.iter().flat_map(|model| &model.blocks);
    let queries = layers.chain(blocks.map(|block| &block.attention.query));
    queries.map(|query| query.weight.as_str())
}

/// Gives parts of several models ids and titles that differ: by the first part of their names in which they differ, and
/// by family.
fn name_apart(parts: &mut [Part]) {
    let ids: HashSet<&str> = parts.iter().map(|part| part.source.id.as_str()).collect();
    let is_one_model = parts.iter().all(|part| part.family == parts[0].family);
    if ids.len() == parts.len() && is_one_model {
        return;
    }
    let places: Vec<String> = parts.iter().map(|part| place(&part.source)).collect();
    let names = distinct_names(&places);
    let old_ids: Vec<String> = parts.iter().map(|part| part.source.id.clone()).collect();
    let mut new_ids: Vec<String> = Vec::new();
    for ((part, name), old_id) in parts.iter_mut().zip(&names).zip(&old_ids) {
        let has_own_name = old_id != "positions";
        let is_alone = old_ids.iter().filter(|id| *id == old_id).count() == 1;
        let title = part.source.title.clone();
        let name = match name {
            _ if has_own_name && is_alone => title,
            Some(name) if has_own_name && *name != title => format!("{name}, {title}"),
            Some(name) => name.clone(),
            None => title,
        };
        let mut id = if has_own_name && is_alone {
            old_id.clone()
        } else {
            name.replace(", ", "-")
        };
        let mut title = format!("{name}: {}", part.family);
        for number in 2.. {
            if !new_ids.contains(&id) {
                break;
            }
            id = format!("{old_id}-{number}");
            title = format!("{name} {number}: {}", part.family);
        }
        part.source.title = title;
        part.source.id.clone_from(&id);
        new_ids.push(id);
    }
}

/// Name of the first tensor that a source reads.
fn place(source: &SourceDescription) -> String {
    let names = source.positions.names();
    let first = names.into_iter().next();
    first.unwrap_or_else(|| queries_of(source).next().unwrap_or_default().to_owned())
}

/// The first part of each name that is not common to all, with the part before if it is a number. `None` where a name
/// ends there.
fn distinct_names(names: &[String]) -> Vec<Option<String>> {
    let split: Vec<Vec<&str>> = names.iter().map(|name| name.split('.').collect()).collect();
    let is_common = |at: usize| {
        let first = split.first().and_then(|name| name.get(at));
        first.is_some() && split.iter().all(|name| name.get(at) == first)
    };
    let common = (0..).take_while(|at| is_common(*at)).count();
    let distinct = |parts: &Vec<&str>| {
        // The last part names the tensor itself.
        let part = parts.get(common).filter(|_| common + 1 < parts.len())?;
        let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
        Some(match parts.get(common.wrapping_sub(1)) {
            Some(before) if is_number => format!("{before}.{part}"),
            _ => (*part).to_owned(),
        })
    };
    split.iter().map(distinct).collect()
}

impl RotaryDescription {
    /// The layers of the model of a `config.json` or `params.json`; `None` if it is no rotary model, or if its angles
    /// are unknown.
    #[must_use]
    pub fn from_config(config: &Config) -> Option<Self> {
        sources_of(config).into_iter().next()?.rotary
    }
}

impl PatchRotation {
    /// The rotation by rows and columns of patches in the model of a `config.json` or `params.json`, or in the tower of
    /// a larger model; `None` if there is none, or if its angles are unknown.
    #[must_use]
    pub fn from_config(config: &Config) -> Option<Self> {
        let mut sources = sources_of(config).into_iter();
        sources.find_map(|source| match source.positions {
            PositionTensors::RotaryPatches(rotation) => Some(rotation),
            _ => None,
        })
    }
}

/// The sources of positions of a configuration alone.
fn sources_of(config: &Config) -> Vec<SourceDescription> {
    let names = TensorNames::new(&[]);
    let clues = DetectionInput {
        names: &names,
        config,
        peeked_values: &[],
        fused_shape: None,
        ignores_attention: false,
    };
    match find(&clues) {
        Parts::Sources(parts) => parts.into_iter().map(|part| part.source).collect(),
        Parts::Nothing(..) | Parts::Unknown => Vec::new(),
    }
}
