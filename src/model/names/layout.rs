//! A library's names for an architecture whose family lists other names.

use super::pattern;

/// Maximum number of models of one layout in a file, so that the time grows with the number of names only.
const MOST_PREFIXES: usize = 256;

/// Names of one library for an architecture, and those under which its family knows them.
pub(super) struct LibraryLayout {
    /// The library and the model, as in “torchvision’s ViT”.
    pub(super) library: &'static str,
    /// Patterns of names that together occur in this layout alone.
    pub(super) anchors: &'static [&'static str],
    /// Patterns of names in the file, each with the one that the family lists. See [`pattern::find`].
    pub(super) names: &'static [(&'static str, &'static str)],
}

impl LibraryLayout {
    /// Prefixes at which a file with these names, which are sorted, has all anchors. Each is empty or has a final dot;
    /// the longest comes first. Of more than 256 prefixes with the first anchor, the longer ones are left out.
    pub(super) fn prefixes<'a>(&self, names: &[&'a str]) -> Vec<&'a str> {
        let Some((first, others)) = self.anchors.split_first() else {
            return Vec::new();
        };
        let parts = first.split('.').count();
        let end = first.rsplit('.').next().unwrap_or_default();
        let prefix_of = |name: &&'a str| {
            // Most names do not end like the anchor.
            if !end.contains(['{', '*']) && !name.ends_with(end) {
                return None;
            }
            let start = start_of_last(name, parts)?;
            pattern::find(first, &name[start..]).map(|_| &name[..start])
        };
        let has = |prefix: &str, anchor: &str| {
            // In sorted names those with a prefix are adjacent.
            let from = names.partition_point(|name| *name < prefix);
            let rest = names[from..].iter();
            let mut below = rest.map_while(|name| name.strip_prefix(prefix));
            below.any(|name| pattern::find(anchor, name).is_some())
        };
        let mut prefixes: Vec<&str> = names.iter().filter_map(prefix_of).collect();
        prefixes.sort_unstable();
        prefixes.dedup();
        prefixes.sort_by_key(|prefix| prefix.len());
        prefixes.truncate(MOST_PREFIXES);
        prefixes.retain(|prefix| others.iter().all(|anchor| has(prefix, anchor)));
        prefixes.reverse();
        prefixes
    }

    /// The family's name for a tensor, below the prefix; `None` if the layout does not translate it.
    pub(super) fn translate(&self, name: &str) -> Option<String> {
        self.names.iter().find_map(|(from, to)| {
            let placeholders = pattern::find(from, name)?;
            Some(pattern::fill(to, &placeholders))
        })
    }
}

/// Byte offset of the last `parts` parts of a name.
fn start_of_last(name: &str, parts: usize) -> Option<usize> {
    let mut dots = name.rmatch_indices('.').map(|(at, _)| at + 1);
    match dots.nth(parts - 1) {
        Some(start) => Some(start),
        // The name has exactly as many parts.
        None => (name.split('.').count() == parts).then_some(0),
    }
}
