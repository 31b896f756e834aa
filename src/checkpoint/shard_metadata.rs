//! The metadata of a checkpoint in several shards.

use std::collections::{BTreeMap, btree_map::Entry};

use super::pickle_omissions::OMISSIONS;

/// Joins the metadata of shards. Of several texts under one key the first counts; only the sentences on what is passed
/// over, under [`OMISSIONS`], follow one another, each once.
pub(super) fn join<'a>(
    shards: impl Iterator<Item = &'a BTreeMap<String, String>>,
) -> BTreeMap<String, String> {
    let mut metadata: BTreeMap<String, String> = BTreeMap::new();
    for (key, text) in shards.flatten() {
        match metadata.entry(key.clone()) {
            Entry::Vacant(entry) => {
                entry.insert(text.clone());
            }
            Entry::Occupied(mut entry) => {
                let sentences = entry.get_mut();
                if key == OMISSIONS && !sentences.contains(text.as_str()) {
                    sentences.push(' ');
                    sentences.push_str(text);
                }
            }
        }
    }
    metadata
}
