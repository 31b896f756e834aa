//! Names and documentation are in the field's language: a type name means one thing, no name is a bare participle, and
//! documentation begins with the thing that it documents.

use crate::support::root;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// Type names that mean two things for a reason.
const EXCEPTIONS: &[(&str, &str)] = &[];

/// Irregular participles, and words in "-ing" that are no nouns of the field. Those in "-ed" follow from their ending.
const PARTICIPLES: &[&str] = &[
    "answering",
    "asking",
    "become",
    "begun",
    "broken",
    "brought",
    "built",
    "called",
    "cancelling",
    "chosen",
    "coming",
    "done",
    "drawn",
    "entering",
    "found",
    "given",
    "gone",
    "grown",
    "growing",
    "heard",
    "held",
    "hidden",
    "holding",
    "kept",
    "known",
    "learning",
    "lit",
    "looking",
    "lost",
    "lying",
    "made",
    "making",
    "met",
    "missing",
    "moving",
    "naming",
    "overlapping",
    "paid",
    "pending",
    "playing",
    "pointing",
    "running",
    "said",
    "saying",
    "seen",
    "sent",
    "shown",
    "shrunk",
    "spanning",
    "stood",
    "taken",
    "taught",
    "thought",
    "told",
    "understood",
    "waiting",
    "weighing",
    "worn",
    "written",
];

/// Words in "-ed" that are no participles.
const NOUNS_IN_ED: &[&str] = &["embed", "feed", "need", "red", "seed", "speed"];

/// Names that are bare participles for a reason.
const PARTICIPLE_EXCEPTIONS: &[(&str, &str)] = &[
    (
        "expected",
        "in an error, the side that a file should have, as in Rust's own errors",
    ),
    (
        "found",
        "in an error, the side that a file has, as in Rust's own errors",
    ),
    (
        "malformed",
        "the error about bytes that violate their format",
    ),
];

/// Greatest share of documentation lines that may begin with "What".
const MOST_WHAT: f64 = 0.005;

/// All Rust files below a folder of the project, as path and text.
fn rust_files(folders: &[&str]) -> Vec<(String, String)> {
    fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                walk(&path, files);
            } else if path.extension().is_some_and(|end| end == "rs") {
                files.push(path);
            }
        }
    }
    let root = root();
    let mut files = Vec::new();
    for folder in folders {
        walk(&root.join(folder), &mut files);
    }
    files.sort();
    let text = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a source file");
        (path.display().to_string(), text)
    };
    files.into_iter().map(text).collect()
}

/// The name that a line defines: of a struct, an enum, a trait, or a component.
fn defined_name(line: &str) -> Option<&str> {
    let mut rest = line.trim_start();
    if let Some(public) = rest.strip_prefix("pub") {
        rest = match public.strip_prefix('(') {
            Some(scope) => scope.split_once(") ")?.1,
            None => public.strip_prefix(' ')?,
        };
    }
    let (kind, rest) = rest.split_once(' ')?;
    let name = rest.split(|c: char| !c.is_alphanumeric()).next()?;
    let is_type = matches!(kind, "struct" | "enum" | "trait");
    let is_component = kind == "fn";
    ((is_type || is_component) && name.starts_with(|c: char| c.is_ascii_uppercase()))
        .then_some(name)
}

#[test]
fn definitions_are_recognised() {
    assert_eq!(
        defined_name("pub(in crate::app) struct Page {"),
        Some("Page")
    );
    assert_eq!(defined_name("    enum Kind<T> {"), Some("Kind"));
    assert_eq!(defined_name("pub trait Codec<T>: Sized {"), Some("Codec"));
    assert_eq!(
        defined_name("fn HeadGrid() -> impl IntoView {"),
        Some("HeadGrid")
    );
    assert_eq!(defined_name("fn head_grid() {"), None);
    assert_eq!(defined_name("/// A struct of two."), None);
}

#[test]
fn a_type_name_means_one_thing() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, text) in rust_files(&["src", "crates"]) {
        if path.contains("/tests/") {
            continue;
        }
        for name in text.lines().filter_map(defined_name) {
            places
                .entry(name.to_owned())
                .or_default()
                .push(path.clone());
        }
    }
    for (name, reason) in EXCEPTIONS {
        assert!(!reason.is_empty() && places[*name].len() > 1, "{name}");
    }
    let ambiguous: Vec<_> = (places.iter())
        .filter(|(name, paths)| {
            paths.len() > 1 && !EXCEPTIONS.iter().any(|(exception, _)| exception == name)
        })
        .collect();
    assert!(ambiguous.is_empty(), "{ambiguous:#?}");
}

/// Whether a name is a participle alone, in any case. An adjective before a noun (`visible_range`) is none.
fn is_participle(name: &str) -> bool {
    let word = name.to_lowercase();
    let is_all_upper = name.chars().all(|c| !c.is_lowercase());
    let is_compound =
        name.contains('_') || (!is_all_upper && name.chars().skip(1).any(char::is_uppercase));
    let is_regular = word.len() > 3 && word.ends_with("ed") && !is_compound;
    (is_regular && !NOUNS_IN_ED.contains(&word.as_str())) || PARTICIPLES.contains(&word.as_str())
}

/// Names of functions, constants, types, fields and enum fields that a text defines, in formatted code.
fn all_defined_names(text: &str) -> Vec<&str> {
    fn identifier(text: &str) -> &str {
        let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
        &text[..end.unwrap_or(text.len())]
    }
    let mut names = Vec::new();
    // Indentation of the type whose fields the lines define.
    let mut body: Option<usize> = None;
    for line in text.lines() {
        let start = line.trim_start();
        let indent = line.len() - start.len();
        if start.starts_with("//") || start.starts_with('#') {
            continue;
        }
        let rest = match start.strip_prefix("pub") {
            Some(public) if public.starts_with('(') => {
                public.split_once(") ").map_or("", |(_, rest)| rest)
            }
            Some(public) => public.trim_start(),
            None => start,
        };
        let words = rest.split(' ').take_while(|word| {
            matches!(
                *word,
                "const"
                    | "async"
                    | "unsafe"
                    | "static"
                    | "fn"
                    | "struct"
                    | "enum"
                    | "trait"
                    | "type"
                    | "mod"
                    | "mut"
            )
        });
        let keywords: Vec<&str> = words.collect();
        let after = rest.get(keywords.iter().map(|word| word.len() + 1).sum::<usize>()..);
        if let (false, Some(name)) = (keywords.is_empty(), after.map(identifier)) {
            names.push(name);
            let is_type = keywords.contains(&"struct") || keywords.contains(&"enum");
            if is_type && line.ends_with('{') {
                body = Some(indent);
            }
        } else if body.is_some_and(|outer| indent <= outer) {
            body = None;
        } else if body.is_some() {
            let name = identifier(rest);
            if rest[name.len()..].starts_with(": ") {
                names.push(name);
            }
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

#[test]
fn participles_are_recognised() {
    for name in ["shown", "Opened", "KEPT", "highlighted"] {
        assert!(is_participle(name), "{name}");
    }
    for name in [
        "seed",
        "shown_range",
        "is_open",
        "rank",
        "Encoding",
        "NotConverged",
    ] {
        assert!(!is_participle(name), "{name}");
    }
    let text = "pub(crate) struct Query {\n    /// The answer.\n    pub shown: u8,\n}\n\npub const fn told() {\n    x: 1\n}\n";
    assert_eq!(all_defined_names(text), ["Query", "shown", "told"]);
}

#[test]
fn no_name_is_a_bare_participle() {
    let mut met = Vec::new();
    let mut participles = Vec::new();
    for (path, text) in rust_files(&["src", "crates"]) {
        if path.contains("/tests/") {
            continue;
        }
        let file = Path::new(&path);
        let folder = file.parent().and_then(Path::file_name);
        let parts = [file.file_stem(), folder].into_iter().flatten();
        let parts = parts.filter_map(|part| part.to_str());
        for name in parts
            .chain(all_defined_names(&text))
            .filter(|name| is_participle(name))
        {
            met.push(name.to_owned());
            if !PARTICIPLE_EXCEPTIONS
                .iter()
                .any(|(exception, _)| *exception == name)
            {
                participles.push(format!("{path}: {name}"));
            }
        }
    }
    participles.dedup();
    for (name, reason) in PARTICIPLE_EXCEPTIONS {
        assert!(
            !reason.is_empty() && met.iter().any(|other| other == name),
            "{name}"
        );
    }
    assert!(participles.is_empty(), "{participles:#?}");
}

#[test]
fn documentation_begins_with_its_subject() {
    let (mut lines, mut riddles) = (0, Vec::new());
    for (path, text) in rust_files(&["src", "crates", "xtask", "tests"]) {
        for (number, line) in text.lines().enumerate() {
            let line = line.trim_start();
            let Some(doc) = line
                .strip_prefix("///")
                .or_else(|| line.strip_prefix("//!"))
            else {
                continue;
            };
            lines += 1;
            if doc.trim_start().starts_with("What ") {
                riddles.push(format!("{path}:{}", number + 1));
            }
        }
    }
    let share = riddles.len() as f64 / f64::from(lines);
    assert!(lines > 5_000 && share < MOST_WHAT, "{share}: {riddles:#?}");
}
