//! Names of models, in the model list, the views and saved files.

use crate::short_text::short_name;

/// Usual names of weight files, which say nothing about the model.
const USUAL_STEMS: [&str; 2] = ["model", "pytorch_model"];
/// Family name of a table that belongs to no family.
const NO_FAMILY: &str = "table";

/// The most characters of a name.
const LONGEST_NAME: usize = 100;

/// Facts of an open model that may name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inside<'a> {
    /// The name in its file.
    pub name: Option<&'a str>,
    /// Its model family.
    pub family: &'a str,
    /// Number of positions and their width. The width is 0 if there are no positions.
    pub size: (usize, usize),
}

/// Returns the display name of a model that is named `called` by its file, its preset, the Hub or an address. The
/// ending `.safetensors` is removed. A usual file name such as `model` is replaced by the name inside the file, or by
/// family and size, once the model is open. Long names are cut.
#[must_use]
pub fn model_name(called: &str, inside: Option<Inside<'_>>) -> String {
    let stem = called.split('.').next().unwrap_or_default();
    if let Some(Inside { name, family, size }) = inside
        && USUAL_STEMS.contains(&stem)
    {
        match (name, size) {
            (Some(name), _) => return name.to_owned(),
            (None, _) if family == NO_FAMILY => {}
            (None, (_, 0)) => return family.to_owned(),
            (None, (rows, width)) => return format!("{family} {rows}×{width}"),
        }
    }
    let short = called
        .strip_suffix(".safetensors")
        .filter(|short| !short.is_empty());
    short_name(short.unwrap_or(called))
}

/// Cleans a name that was typed or comes from a file: removes control characters, cuts it to 100 characters and trims
/// it. Returns `None` if nothing is left.
#[must_use]
pub fn typed_name(text: &str) -> Option<String> {
    let letters = text.chars().filter(|c| !c.is_control());
    let name: String = letters.take(LONGEST_NAME).collect();
    let name = name.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// Makes a name unique among those of other models by appending a number: `BERT`, then `BERT (2)`. The given `number`,
/// from a link, is used unless that name is taken. Returns the name and its number.
#[must_use]
pub fn disambiguate(
    name: &str,
    number: Option<usize>,
    is_taken: impl Fn(&str) -> bool,
) -> (String, Option<usize>) {
    let numbered = |number: Option<usize>| match number {
        Some(number) => (format!("{name} ({number})"), Some(number)),
        None => (name.to_owned(), None),
    };
    let numbers = [number, None].into_iter().chain((2..).map(Some));
    let mut names = numbers.map(numbered);
    names
        .find(|(name, _)| !is_taken(name))
        .unwrap_or_else(|| numbered(None))
}
