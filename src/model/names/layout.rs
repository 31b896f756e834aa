//! A library's names for an architecture whose family lists other names.

use super::pattern;

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
    /// Prefixes at which the file has all anchors, each empty or with a final dot, longest first.
    pub(super) fn prefixes<'a>(&self, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
        let Some((first, others)) = self.anchors.split_first() else {
            return Vec::new();
        };
        let names: Vec<&str> = names.collect();
        let parts = first.split('.').count();
        let end = first.rsplit('.').next().unwrap_or_default();
        let prefix_of = |name: &&'a str| {
            // Most names end in another way.
            if !end.contains(['{', '*']) && !name.ends_with(end) {
                return None;
            }
            let start = start_of_last(name, parts)?;
            pattern::find(first, &name[start..]).map(|_| &name[..start])
        };
        let has = |prefix: &str, anchor: &str| {
            let mut below = names.iter().filter_map(|name| name.strip_prefix(prefix));
            below.any(|name| pattern::find(anchor, name).is_some())
        };
        let mut prefixes: Vec<&str> = names.iter().filter_map(prefix_of).collect();
        prefixes.dedup();
        prefixes.retain(|prefix| others.iter().all(|anchor| has(prefix, anchor)));
        prefixes.sort_by_key(|prefix| std::cmp::Reverse(prefix.len()));
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
