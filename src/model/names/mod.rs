//! Names of a checkpoint's tensors as families list them.
//!
//! Frameworks put wrappers into names, and libraries have their own names for the same architecture. Both are resolved
//! here once: families list the names of one library, and [`TensorNames`] translates them to those of the file.

mod layout;
mod layouts;
mod pattern;

use layout::LibraryLayout;
use std::{
    borrow::Cow,
    collections::{BTreeMap, HashSet},
};

/// Parts that wrappers insert at any place of a name: `torch.compile`, FSDP, activation checkpointing, PEFT. If the names
/// of two tensors differ only in such parts, the tensor whose part is earlier in this list counts; a tensor without any of
/// them counts before all others.
const WRAPPERS: &[&str] = &[
    "_orig_mod",
    "_fsdp_wrapped_module",
    "_fpw_module",
    "_checkpoint_wrapped_module",
    "_forward_module",
    "modules_to_save.default",
    "base_layer",
    "original_module",
];

/// The tensors of a checkpoint under the names that families list, each with its name in the file.
#[derive(Clone, Debug, Default)]
pub(super) struct TensorNames<'a> {
    /// Name for families and name in the file, sorted by the first.
    names: Vec<(Cow<'a, str>, &'a str)>,
    /// Names in the file, sorted.
    file_names: Vec<&'a str>,
    /// Indices into `names` of the tensors whose names end in a part, by that part.
    by_last_part: BTreeMap<String, Vec<usize>>,
    /// The library of each translated name, such as “torchvision’s ViT”, by the name in the file.
    libraries: BTreeMap<&'a str, &'static str>,
}

impl<'a> TensorNames<'a> {
    /// Translates the names of a file.
    pub(super) fn new(file_names: &[&'a str]) -> Self {
        let mut names: BTreeMap<Cow<'a, str>, (usize, &'a str)> = BTreeMap::new();
        for name in file_names {
            let (plain, rank) = without_wrappers(name);
            let entry = names.entry(plain).or_insert((rank, *name));
            if rank < entry.0 {
                *entry = (rank, *name);
            }
        }
        let names = names.into_iter().map(|(name, (_, file))| (name, file));
        let mut names = Self {
            names: names.collect(),
            ..Self::default()
        };
        for layout in layouts::LAYOUTS {
            names.translate(layout);
        }
        names.with_indices()
    }

    /// Builds the indices of the names.
    fn with_indices(mut self) -> Self {
        self.file_names = self.names.iter().map(|(_, file)| *file).collect();
        self.file_names.sort_unstable();
        self.by_last_part.clear();
        for (at, (name, _)) in self.names.iter().enumerate() {
            let part = last_part(name).to_owned();
            self.by_last_part.entry(part).or_default().push(at);
        }
        self
    }

    /// Prefixes before `end` in the names that end in it, each empty or with a final dot.
    pub(super) fn prefixes(&self, end: &str) -> impl Iterator<Item = &str> {
        let tensors = self.by_last_part.get(last_part(end));
        let names = tensors.into_iter().flatten();
        names.filter_map(move |at| {
            let prefix = self.names[*at].0.strip_suffix(end)?;
            (prefix.is_empty() || prefix.ends_with('.')).then_some(prefix)
        })
    }

    /// Renames the tensors of a library's layout, if the file has it. A tensor keeps its name where another tensor has
    /// the new one.
    fn translate(&mut self, layout: &LibraryLayout) {
        let sorted: Vec<&str> = self.iter().collect();
        let prefixes = layout.prefixes(&sorted);
        if prefixes.is_empty() {
            return;
        }
        let mut names: Vec<(Cow<'a, str>, &'a str)> = Vec::with_capacity(self.names.len());
        let mut file_names: Vec<&'a str> = Vec::new();
        for (name, file) in &self.names {
            let prefix = prefixes.iter().find(|prefix| name.starts_with(**prefix));
            let new_name = prefix.and_then(|prefix| {
                let end = layout.translate(&name[prefix.len()..])?;
                Some(format!("{prefix}{end}"))
            });
            names.push(match new_name.filter(|name| !self.has(name)) {
                Some(name) => {
                    file_names.push(*file);
                    (Cow::Owned(name), *file)
                }
                None => (name.clone(), *file),
            });
        }
        names.sort();
        names.dedup_by(|later, earlier| later.0 == earlier.0);
        self.names = names;
        let libraries = file_names.into_iter().map(|file| (file, layout.library));
        self.libraries.extend(libraries);
    }

    /// The library whose name a tensor of the file has; `None` if it has the name that families list.
    pub(super) fn library_of(&self, file_name: &str) -> Option<&'static str> {
        self.libraries.get(file_name).copied()
    }

    /// All names, sorted.
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|(name, _)| name.as_ref())
    }

    /// Whether there is a tensor of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.in_file(name).is_some()
    }

    /// The name in the file of the tensor of this name.
    pub(super) fn in_file(&self, name: &str) -> Option<&'a str> {
        let at = self
            .names
            .binary_search_by(|(other, _)| other.as_ref().cmp(name));
        Some(self.names[at.ok()?].1)
    }

    /// Whether the file has a tensor of this name.
    pub(super) fn is_in_file(&self, name: &str) -> bool {
        self.file_names.binary_search(&name).is_ok()
    }

    /// The names without those of some tensors of the file.
    pub(super) fn without(&self, file_names: &HashSet<String>) -> Self {
        let is_other = |(_, file): &&(Cow<'a, str>, &'a str)| !file_names.contains(*file);
        Self {
            names: self.names.iter().filter(is_other).cloned().collect(),
            libraries: self.libraries.clone(),
            ..Self::default()
        }
        .with_indices()
    }
}

/// The part of a name after its last dot.
fn last_part(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(_, part)| part)
}

/// A name without the parts of wrappers, and its rank among equal names: the index of the last wrapper from 1, or 0.
/// Separates the parts by dots, also where a file of Flax has slashes.
fn without_wrappers(name: &str) -> (Cow<'_, str>, usize) {
    let mut plain = if name.contains('/') && !name.contains('.') {
        Cow::Owned(name.replace('/', "."))
    } else {
        Cow::Borrowed(name)
    };
    let mut rank = 0;
    for (number, wrapper) in (1..).zip(WRAPPERS) {
        if let Some(shorter) = without_part(&plain, wrapper) {
            plain = Cow::Owned(shorter);
            rank = number;
        }
    }
    (plain, rank)
}

/// A name without a part, at every place where a further part follows; `None` if it is at no such place.
fn without_part(name: &str, part: &str) -> Option<String> {
    let mut at = part_in(name, part)?;
    let (mut shorter, mut rest) = (String::with_capacity(name.len()), name);
    loop {
        shorter.push_str(&rest[..at]);
        rest = &rest[at + part.len() + 1..];
        match part_in(rest, part) {
            Some(next) => at = next,
            None => break,
        }
    }
    shorter.push_str(rest);
    Some(shorter)
}

/// Byte offset of a whole part of a name after which a further part follows.
fn part_in(name: &str, part: &str) -> Option<usize> {
    name.match_indices(part).map(|(at, _)| at).find(|at| {
        let begins = *at == 0 || name.as_bytes()[at - 1] == b'.';
        begins && name[at + part.len()..].starts_with('.')
    })
}
