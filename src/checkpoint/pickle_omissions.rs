//! A sentence on what a pickle holds besides the tensors that are listed: classes and functions by name.

use std::collections::HashSet;

use super::{error::CheckpointError, pickle_objects::Objects, pickle_tensors::NamedTensors};

/// Key of the sentence in the file's metadata. No writer begins a key with a zero byte.
pub const OMISSIONS: &str = "\0omissions";
/// Maximum number of names in a sentence; the rest is counted.
const MOST_NAMES: usize = 6;
/// Maximum number of classes that are looked at. Whole training programs refer to some hundred.
const MOST_CLASSES: usize = 10_000;
/// Maximum length of a name in characters.
const LONGEST_NAME: usize = 80;

/// Modules whose classes and functions are parts of every saved module, of optimizers, and of TorchScript's own code.
/// The sentences do not name them.
const ORDINARY: [&str; 9] = [
    "torch.nn",
    "torch.optim",
    "torch._C",
    "torch.jit",
    "torch.autograd",
    "torch.distributed",
    "torch.serialization",
    "typing",
    "__torch__",
];

/// The classes and functions of no known meaning that a pickle names, other than those whose objects have been read.
pub(super) struct Omissions {
    /// Functions that would rebuild tensors.
    rebuilders: ShortList,
    others: ShortList,
    /// Whether there is anything else that is left out: objects of another program, views that change signs, and
    /// containers that are nested too deeply.
    has_nameless: bool,
}

impl Omissions {
    pub(super) fn new(objects: &Objects, names: &NamedTensors) -> Self {
        let classes = || objects.classes().zip(&names.is_read).take(MOST_CLASSES);
        let mut seen: HashSet<(&[u8], &[u8])> = HashSet::new();
        // A file may name a class several times.
        seen.extend(
            classes()
                .filter(|(_, is_read)| **is_read)
                .map(|(class, _)| class),
        );
        let mut omissions = Self {
            rebuilders: ShortList::default(),
            others: ShortList::default(),
            has_nameless: objects.unread > 0 || names.is_cut,
        };
        for (class, _) in classes() {
            if !seen.insert(class) {
                continue;
            }
            let module = String::from_utf8_lossy(class.0);
            let name = format!("{module}.{}", String::from_utf8_lossy(class.1));
            if name.contains("._rebuild") {
                omissions.rebuilders.push(&name);
            } else if !is_ordinary(&module) {
                omissions.others.push(&name);
            }
        }
        omissions
    }

    /// The error for a file in which no tensor is left.
    pub(super) fn error(&self) -> Option<CheckpointError> {
        let mut names = self.rebuilders.names.iter().chain(&self.others.names);
        let name = names.next().cloned()?;
        Some(CheckpointError::Foreign { name })
    }

    /// One to three sentences for the user; `None` if nothing was passed over.
    pub(super) fn text(&self) -> Option<String> {
        let mut sentences = Vec::new();
        if let Some(list) = self.rebuilders.text() {
            sentences.push(format!(
                "Some tensors are left out, because they are not stored as plain arrays: {list}."
            ));
        }
        if let Some(list) = self.others.text() {
            sentences.push(format!(
                "The file also uses classes and functions of Python that no tensor here needs: {list}."
            ));
        }
        if self.has_nameless {
            sentences.push(
                "Some objects are left out: they lie too deep in others, lie outside of the file, or are \
                 views that change signs."
                    .to_owned(),
            );
        }
        if sentences.is_empty() {
            return None;
        }
        sentences.push("They are passed over, and no code of the file is run.".to_owned());
        Some(sentences.join(" "))
    }
}

fn is_ordinary(module: &str) -> bool {
    ORDINARY.iter().any(|ordinary| {
        let rest = module.strip_prefix(ordinary);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

/// A name without control characters and quotation marks, and shortened.
fn clean(name: &str) -> String {
    let letters = name.chars().filter(|letter| !letter.is_control());
    let letters = letters.filter(|letter| !matches!(letter, '“' | '”'));
    let mut short: String = letters.take(LONGEST_NAME).collect();
    if name.chars().count() > LONGEST_NAME {
        short.push('…');
    }
    short
}

/// The first names of a list, and the number of all.
#[derive(Default)]
struct ShortList {
    names: Vec<String>,
    count: usize,
}

impl ShortList {
    fn push(&mut self, name: &str) {
        if self.count < MOST_NAMES {
            self.names.push(clean(name));
        }
        self.count += 1;
    }

    /// The names, and how many more there are; `None` if there are none.
    fn text(&self) -> Option<String> {
        let names: Vec<String> = self.names.iter().map(|name| format!("“{name}”")).collect();
        let list = names.join(", ");
        match self.count - self.names.len() {
            _ if list.is_empty() => None,
            0 => Some(list),
            rest => Some(format!("{list} and {rest} more")),
        }
    }
}
