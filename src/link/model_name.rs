//! What a model is called: one name for the shelf, every view, saved files, and their tables.

/// What nearly every file of weights is called, whatever model it is of.
const USUAL_STEMS: [&str; 2] = ["model", "pytorch_model"];
/// What the reader of files calls a table that belongs to no family.
const NO_FAMILY: &str = "table";

/// The name of a model that is `called` so by its file, its preset, the Hub or an address, and is of a family, once that
/// is known. Most files end alike, so that ending is left away; and most are called `model`, so that the family says
/// more.
#[must_use]
pub fn model_name<'a>(called: &'a str, family: Option<&'a str>) -> &'a str {
    let stem = called.split('.').next().unwrap_or_default();
    let family = family.filter(|family| *family != NO_FAMILY && USUAL_STEMS.contains(&stem));
    let short = called
        .strip_suffix(".safetensors")
        .filter(|short| !short.is_empty());
    family.or(short).unwrap_or(called)
}

/// A model's name among those of others, and the number behind it where another has the same one: `BERT`, then `BERT 2`.
/// A link says the `wanted` number, which is given unless it is taken.
#[must_use]
pub fn told_apart(
    name: &str,
    wanted: Option<usize>,
    is_taken: impl Fn(&str) -> bool,
) -> (String, Option<usize>) {
    let numbered = |number: Option<usize>| match number {
        Some(number) => (format!("{name} {number}"), Some(number)),
        None => (name.to_owned(), None),
    };
    let numbers = [wanted, None].into_iter().chain((2..).map(Some));
    let mut names = numbers.map(numbered);
    names
        .find(|(name, _)| !is_taken(name))
        .unwrap_or_else(|| numbered(None))
}
