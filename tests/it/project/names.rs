//! Names and documentation are in the field's language: a type name means one thing, and documentation begins with the
//! thing that it documents.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// Type names that mean two things for a reason.
const EXCEPTIONS: &[(&str, &str)] = &[];

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
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
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
