//! What a model is called: one name for the shelf, every view, saved files, and their tables.

use crate::short_text::short_name;

/// What nearly every file of weights is called, whatever model it is of.
const USUAL_STEMS: [&str; 2] = ["model", "pytorch_model"];
/// What the reader of files calls a table that belongs to no family.
const NO_FAMILY: &str = "table";

/// Characters of a name at most.
const LONGEST_NAME: usize = 100;

/// What is known of a model once it is open that may name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inside<'a> {
    /// What its file calls it.
    pub name: Option<&'a str>,
    /// Its family.
    pub family: &'a str,
    /// Positions, and their width; 0 where they have none.
    pub size: (usize, usize),
}

/// The name of a model that is `called` so by its file, its preset, the Hub or an address. Most files end alike, so that
/// ending is left away; and most are called `model`, so that what is inside says more, once that is known: the name there,
/// else family and size. A name that is too long for a line or two is cut.
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

/// A name as somebody typed it or a file has it, as far as it can be one: letters that are seen, and not too many.
#[must_use]
pub fn typed_name(text: &str) -> Option<String> {
    let letters = text.chars().filter(|c| !c.is_control());
    let name: String = letters.take(LONGEST_NAME).collect();
    let name = name.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// A model's name among those of others, and the number behind it where another has the same one: `BERT`, then `BERT (2)`.
/// A link says the `wanted` number, which is given unless it is taken.
#[must_use]
pub fn disambiguate(
    name: &str,
    wanted: Option<usize>,
    is_taken: impl Fn(&str) -> bool,
) -> (String, Option<usize>) {
    let numbered = |number: Option<usize>| match number {
        Some(number) => (format!("{name} ({number})"), Some(number)),
        None => (name.to_owned(), None),
    };
    let numbers = [wanted, None].into_iter().chain((2..).map(Some));
    let mut names = numbers.map(numbered);
    names
        .find(|(name, _)| !is_taken(name))
        .unwrap_or_else(|| numbered(None))
}
