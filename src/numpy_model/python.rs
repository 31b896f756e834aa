//! Python text: literals, and lines of code.

use serde::{Deserialize, Serialize};
use std::fmt::{Display, Write};

/// A definition of Python code: constants or a function.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeSegment {
    /// The names that it defines.
    pub names: Vec<String>,
    /// Its lines.
    pub code: String,
    /// Names of the program parts that it calls.
    pub parts: Vec<String>,
}

impl CodeSegment {
    /// A line that assigns a constant. The value may end in a comment.
    pub(super) fn constant(name: &str, value: &str) -> Self {
        Self::constants(&[name], value)
    }

    /// A line that assigns several constants.
    pub(super) fn constants(names: &[&str], value: &str) -> Self {
        Self {
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            code: format!("{} = {value}\n", names.join(", ")),
            parts: Vec::new(),
        }
    }

    /// A function; `head` is its name with its parameters. The body is indented.
    pub(super) fn function(head: &str, about: &str, body: &[String]) -> Self {
        let name = head.split('(').next().unwrap_or_default();
        let mut code = format!("def {head}:\n    \"\"\"{about}\"\"\"\n");
        for line in body {
            code.push_str(&format!("    {line}\n"));
        }
        Self {
            names: vec![name.to_owned()],
            code,
            parts: Vec::new(),
        }
    }

    /// Adds a part that it calls.
    pub(super) fn with_part(mut self, part: &str) -> Self {
        self.parts.push(part.to_owned());
        self
    }

    /// A function whose last result is stored.
    pub(super) fn with_cache(mut self) -> Self {
        self.code.insert_str(0, "@functools.lru_cache(maxsize=1)\n");
        self
    }

    /// The value of a constant, without a comment.
    pub(super) fn value(&self) -> &str {
        let value = self.code.split_once(" = ").map_or("", |(_, value)| value);
        value.split("  #").next().unwrap_or_default().trim()
    }

    /// Whether another definition is the same, but for a comment beside a constant.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        match self.is_function() {
            true => self.code == other.code,
            false => self.names == other.names && self.value() == other.value(),
        }
    }

    /// Whether it is a function.
    #[must_use]
    pub fn is_function(&self) -> bool {
        self.code.starts_with("def ") || self.code.starts_with('@')
    }
}

/// A string literal. Characters other than printable ASCII are escaped, so that names from files cannot break the code.
#[must_use]
pub fn string_literal(text: &str) -> String {
    let mut literal = "\"".to_owned();
    for character in text.chars() {
        push_escaped(&mut literal, character);
    }
    literal + "\""
}

/// Appends a character of a string literal.
fn push_escaped(literal: &mut String, character: char) {
    match character {
        '"' | '\\' => literal.extend(['\\', character]),
        ' '..='~' => literal.push(character),
        // Writing to a String cannot fail.
        _ if (character as u32) < 0x1_0000 => drop(write!(literal, "\\u{:04x}", character as u32)),
        _ => drop(write!(literal, "\\U{:08x}", character as u32)),
    }
}

/// A tuple literal of two or more numbers.
#[must_use]
pub fn tuple_literal<T: Display>(numbers: impl IntoIterator<Item = T>) -> String {
    let numbers: Vec<String> = numbers
        .into_iter()
        .map(|number| number.to_string())
        .collect();
    format!("({})", numbers.join(", "))
}

/// An expression for the name of a tensor in the layer `layer`: a constant if all layers share it, a formatted string
/// if the names differ by the number of the layer alone, otherwise an element of a list.
pub(super) fn name_in_layer(names: &[&str]) -> String {
    let names: Vec<Option<&str>> = names.iter().copied().map(Some).collect();
    name_by_index(&names, "layer")
}

/// [`name_in_layer`] for names of which some are missing, with another expression for the index of a name.
pub(super) fn name_by_index(names: &[Option<&str>], index: &str) -> String {
    let mut present = names
        .iter()
        .enumerate()
        .filter_map(|(at, name)| Some((at, (*name)?)));
    let Some((at, first)) = present.next() else {
        return "\"\"".to_owned();
    };
    if present.all(|(_, name)| name == first) {
        return string_literal(first);
    }
    match number_place(first, at, names) {
        Some((before, after)) => {
            let [before, after] = [before, after].map(|text| string_literal(&braces(text)));
            format!("f{}{{{index}}}{}", &before[..before.len() - 1], &after[1..])
        }
        None => {
            let literal =
                |name: &Option<&str>| name.map_or_else(|| "None".to_owned(), string_literal);
            let all: Vec<String> = names.iter().map(literal).collect();
            format!("[{}][{index}]", all.join(", "))
        }
    }
}

/// The texts around a place of the name at the index `at`, at which the names of all layers have their number from 0.
fn number_place<'a>(
    first: &'a str,
    at: usize,
    names: &[Option<&str>],
) -> Option<(&'a str, &'a str)> {
    let number = at.to_string();
    let places = first.match_indices(&number).map(|(place, _)| place);
    places.into_iter().find_map(|place| {
        let (before, after) = (&first[..place], &first[place + number.len()..]);
        let is_name = |(layer, name): (usize, &Option<&str>)| {
            name.is_none_or(|name| name == format!("{before}{layer}{after}"))
        };
        names
            .iter()
            .enumerate()
            .all(is_name)
            .then_some((before, after))
    })
}

/// A line of code. If it is longer than `longest` and ends in a call, the arguments of the call have lines of their own.
pub(super) fn wrap_line(line: &str, longest: usize) -> Vec<String> {
    let call = match line.chars().count() > longest && line.ends_with(')') {
        true => last_bracket(line),
        false => None,
    };
    let Some(at) = call else {
        return vec![line.to_owned()];
    };
    let indent = " ".repeat(line.len() - line.trim_start().len());
    let (before, arguments) = (&line[..=at], &line[at + 1..line.len() - 1]);
    let mut lines = vec![before.to_owned()];
    lines.extend(fill_lines(arguments, &format!("{indent}    "), longest));
    lines.push(format!("{indent})"));
    lines
}

/// Lines of at most `longest` characters, as far as commas outside of strings allow it. They lie inside of brackets.
pub(super) fn fill_lines(items: &str, indent: &str, longest: usize) -> Vec<String> {
    let mut lines = vec![indent.to_owned()];
    for item in split_items(items) {
        let line = lines.last_mut().expect("a line");
        let is_first = line.len() == indent.len();
        if is_first || line.chars().count() + item.trim_end().chars().count() <= longest {
            line.push_str(item);
        } else {
            lines.push(format!("{indent}{item}"));
        }
    }
    lines
        .iter()
        .map(|line| line.trim_end().to_owned())
        .collect()
}

/// Parts of a list after each comma and space outside of strings.
fn split_items(items: &str) -> Vec<&str> {
    let (mut parts, mut start) = (Vec::new(), 0);
    let (mut is_string, mut is_escaped) = (false, false);
    for (at, character) in items.char_indices() {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' if is_string => is_escaped = true,
            '"' => is_string = !is_string,
            ',' if !is_string && items[at..].starts_with(", ") => {
                parts.push(&items[start..at + 2]);
                start = at + 2;
            }
            _ => {}
        }
    }
    parts.push(&items[start..]);
    parts
}

/// Place of the bracket that the last character of a line closes. Brackets in strings do not count.
fn last_bracket(line: &str) -> Option<usize> {
    let (mut open, mut last) = (Vec::new(), None);
    let (mut is_string, mut is_escaped) = (false, false);
    for (at, character) in line.char_indices() {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' if is_string => is_escaped = true,
            '"' => is_string = !is_string,
            _ if is_string => {}
            '(' | '[' => open.push(at),
            ')' | ']' => last = open.pop(),
            _ => {}
        }
    }
    last
}

/// Doubles braces, which are placeholders in formatted strings.
fn braces(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}
