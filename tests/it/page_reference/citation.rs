//! Citations agree with `CITATION.cff`.

use crate::support::root;
use std::fs;

use diagonal::page_reference::{CitedWork, DIAGONAL, SOURCES};

/// `CITATION.cff` without line breaks inside of values: one entry per line, each with its indentation.
fn citation_file() -> String {
    let path = root().join("CITATION.cff");
    let text = fs::read_to_string(path).expect("CITATION.cff");
    let mut lines: Vec<String> = Vec::new();
    let mut is_folded = false;
    for line in text.lines() {
        let is_entry =
            line.trim_start().starts_with("- ") || line.contains(": ") || line.ends_with(':');
        match lines.last_mut() {
            Some(last) if is_folded && !is_entry || line.trim_start().starts_with("Joint ") => {
                last.push(' ');
                last.push_str(line.trim());
            }
            _ => lines.push(line.to_owned()),
        }
        is_folded = line.ends_with(">-") || is_folded && !is_entry;
    }
    lines.join("\n").replace(">- ", "")
}

/// The part of the file about Diagonal, and the part of each reference.
fn entries(file: &str) -> (String, Vec<String>) {
    let (own, references) = file.split_once("\nreferences:\n").expect("references");
    let mut parts = Vec::new();
    for line in references.lines() {
        if line.starts_with("  - ") {
            parts.push(String::new());
        }
        let part: &mut String = parts.last_mut().expect("a reference");
        part.push_str(line);
        part.push('\n');
    }
    (own.to_owned(), parts)
}

/// The values of a key in a part of the file.
fn values<'a>(part: &'a str, key: &str) -> Vec<&'a str> {
    let value = |line: &'a str| {
        let line = line.trim().trim_start_matches("- ");
        Some(
            line.strip_prefix(key)?
                .strip_prefix(": ")?
                .trim_matches('"'),
        )
    };
    part.lines().filter_map(value).collect()
}

fn agrees(work: &CitedWork, part: &str) {
    assert!(values(part, "title").contains(&work.title), "{part}");
    let (mut families, mut given): (Vec<_>, Vec<_>) = work.authors.iter().copied().unzip();
    let names = values(part, "family-names");
    if names.is_empty() {
        assert_eq!(values(part, "name").first(), families.first(), "{part}");
        families.clear();
    }
    given.retain(|given| !given.is_empty());
    assert_eq!(names, families);
    assert_eq!(values(part, "given-names"), given);
    assert_eq!(values(part, "doi"), Vec::from_iter(work.doi));
    assert_eq!(values(part, "url"), Vec::from_iter(work.url));
    let pages = work
        .pages
        .map(|(first, last)| (first.to_string(), last.to_string()));
    let (first, last) = pages.unzip();
    assert_eq!(values(part, "start"), Vec::from_iter(first.as_deref()));
    assert_eq!(values(part, "end"), Vec::from_iter(last.as_deref()));
    assert_eq!(values(part, "version"), Vec::from_iter(work.version));
}

#[test]
fn the_page_cites_what_the_citation_file_cites() {
    let file = citation_file();
    let (own, references) = entries(&file);
    agrees(&DIAGONAL, &own);
    assert_eq!(values(&own, "license"), [env!("CARGO_PKG_LICENSE")]);
    let year = values(&own, "date-released")[0].split('-').next();
    assert_eq!(year, Some(DIAGONAL.year.to_string().as_str()));
    assert_eq!(references.len(), SOURCES.len());
    for (work, part) in SOURCES.iter().zip(&references) {
        agrees(work, part);
        assert_eq!(values(part, "year"), [work.year.to_string()]);
        if let [venue] = values(part, "collection-title")[..] {
            assert_eq!(venue, work.venue);
        }
    }
}

#[test]
fn a_bibtex_entry_has_balanced_braces_and_every_field_once() {
    for work in SOURCES.iter().chain([&DIAGONAL]) {
        let entry = work.bibtex();
        let depth = entry.chars().try_fold(0_i32, |depth, c| match c {
            '{' => Some(depth + 1),
            '}' => Some(depth - 1).filter(|depth| *depth >= 0),
            _ => Some(depth),
        });
        assert_eq!(depth, Some(0), "{entry}");
        for field in ["author", "title", "year"] {
            assert_eq!(
                entry.matches(&format!("\n  {field} = ")).count(),
                1,
                "{entry}"
            );
        }
    }
    let tisa = SOURCES[0].bibtex();
    assert!(
        tisa.starts_with("@inproceedings{wennberg-henter-2021,\n"),
        "{tisa}"
    );
    assert!(
        tisa.contains("  author = {Wennberg, Ulme and Henter, Gustav Eje},\n"),
        "{tisa}"
    );
    assert!(tisa.contains("  pages = {130--140},\n"), "{tisa}");
    let own = DIAGONAL.bibtex();
    assert!(
        own.contains("author = {{The Diagonal developers}}"),
        "{own}"
    );
}

#[test]
fn lists_name_up_to_three_authors() {
    let names: Vec<String> = SOURCES.iter().map(CitedWork::author_names).collect();
    assert_eq!(names[0], "Wennberg and Henter");
    assert_eq!(names[2], "Cordonnier, Loukas and Jaggi");
    assert_eq!(names[3], "Vaswani et al.");
    assert_eq!(names[4], "Halvdansson");
}
