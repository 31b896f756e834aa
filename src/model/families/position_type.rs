//! The kind of positions that a configuration names: `position_embedding_type`.
//!
//! BERT's code keeps a table of absolute positions in every file, whether the model reads it or not. The table is the
//! model's positions where the configuration says "absolute" or nothing; for every other kind it is left over.

use super::{
    DetectionInput, Family, Found, Note, TABLE,
    alibi::AlibiFamily,
    relative_keys::{self, RelativeKeys},
    rotary::RotaryFamily,
};
use crate::checkpoint::Name;

/// The entry of a configuration.
const ENTRY: &str = "position_embedding_type";
/// Its values that stand for a learned table.
const ABSOLUTE: &[&str] = &["absolute", "learned", "learned_absolute", "learnable"];
/// Its values that stand for rotary positions.
const ROTARY: &[&str] = &["rotary", "rope"];
/// Its values that stand for no positions at all.
const NOTHING: &[&str] = &["nope", "none"];
/// Tensors of rotary positions that ESM-2 stores in every layer, though they follow from the base.
const ROTARY_TENSOR: &str = ".rotary_embeddings.";

/// Whether the configuration says that queries and keys are turned.
pub(super) fn is_rotary(clues: &DetectionInput<'_>) -> bool {
    let said = clues.config().word(ENTRY);
    said.is_some_and(|said| ROTARY.contains(&said))
}

/// Whether the configuration says that keys alone meet the vectors of offsets, or queries do, too (`true`); `None`
/// where it says neither.
pub(super) fn meets_keys(clues: &DetectionInput<'_>) -> Option<bool> {
    match clues.config().word(ENTRY)? {
        "relative_key" => Some(false),
        "relative_key_query" => Some(true),
        _ => None,
    }
}

/// Whether the configuration says in so many words that positions are a learned table.
pub(super) fn is_absolute(clues: &DetectionInput<'_>) -> bool {
    let said = clues.config().word(ENTRY);
    said.is_some_and(|said| ABSOLUTE.contains(&said))
}

/// The family and the positions of a checkpoint whose configuration, or whose other tensors, say that its table is not
/// what the model reads. `None` where nothing speaks against the table.
pub(super) fn decide(clues: &DetectionInput<'_>) -> Option<(&'static str, Found)> {
    let table = clues.model(TABLE).map(|model| model.name(TABLE));
    let Some(said) = clues.config().word(ENTRY) else {
        table.as_ref()?;
        // Without such an entry tensors tell: they exist in no other case.
        return if relative_keys::has_vectors(clues) {
            RelativeKeys
                .find(clues)
                .map(|found| (RelativeKeys.name(), found))
        } else {
            let rotary = clues.naming(ROTARY_TENSOR).and(RotaryFamily.find(clues))?;
            Some((RotaryFamily.name(), without_table(rotary, table.as_deref())))
        };
    };
    let (family, found): (&dyn Family, _) = if ABSOLUTE.contains(&said) {
        return None;
    } else if ROTARY.contains(&said) {
        (&RotaryFamily, RotaryFamily.find(clues))
    } else if said == "alibi" {
        (&AlibiFamily, AlibiFamily.find(clues))
    } else if meets_keys(clues).is_some() {
        (&RelativeKeys, RelativeKeys.find(clues))
    } else {
        (&RelativeKeys, None)
    };
    if let Some(found) = found {
        return Some((family.name(), without_table(found, table.as_deref())));
    }
    let sentence = if NOTHING.contains(&said) {
        "By its configuration this model has no positions at all: its attention tells words apart by their content \
         alone."
            .to_owned()
    } else if ROTARY.contains(&said) {
        "The configuration says that positions are rotary, but not how wide a head is. Open the whole config.json of \
         the model beside its weights."
            .to_owned()
    } else if meets_keys(clues).is_some() && relative_keys::has_vectors(clues) {
        "Offsets have vectors here. They meet words that are first projected to the width of the layers, which is not \
         read, so nothing of them is shown."
            .to_owned()
    } else if meets_keys(clues).is_some() {
        format!(
            "The configuration says that offsets have vectors ({ENTRY} is {}), and the file does not hold them where \
             BERT keeps them, so nothing of them is shown.",
            Name(said)
        )
    } else {
        format!(
            "The configuration names a kind of positions that is not read here: {ENTRY} is {}. Where a file of such \
             a model holds a position table, the model may not use it, so none is shown.",
            Name(said)
        )
    };
    let found = without_table(Found::nothing(&sentence), table.as_deref());
    Some(("positions by configuration", found))
}

/// Says that a table in the file is not what the model reads.
fn without_table(mut found: Found, table: Option<&str>) -> Found {
    let Some(table) = table else {
        return found;
    };
    let text = format!(
        "The file also holds the table {}. The model does not read it, so it is not shown.",
        Name(table)
    );
    if found.sources.is_empty() {
        found.reason = format!("{} {text}", found.reason);
    }
    for source in &mut found.sources {
        source.remarks.push(Note::new("Unused table", text.clone()));
    }
    found
}
