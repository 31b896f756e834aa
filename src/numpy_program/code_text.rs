//! Text of programs: the names that code uses, and definitions one after another.

use crate::numpy_model::{CodeSegment, string_literal};
use std::collections::BTreeSet;

/// A function that returns its definitions as a namespace.
pub(super) fn namespace_function(head: &str, about: &str, code: &str) -> String {
    format!(
        "def {head}:\n    \"\"\"{about}\"\"\"\n{}    return types.SimpleNamespace(**locals())",
        indent(code.trim_end())
    )
}

/// The name of a model in the description of a function.
pub(super) fn docstring(name: &str) -> String {
    let text = string_literal(name).replace("\\\"", "'");
    text.trim_matches('"').trim_end_matches('\\').to_owned()
}

/// The identifiers of a code.
pub(super) fn words(code: &str) -> BTreeSet<String> {
    let is_other = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    code.split(is_other).map(str::to_owned).collect()
}

/// Whether a code calls a function that it does not define.
pub(super) fn calls(code: &str, function: &str) -> bool {
    let call = format!("{function}(");
    let is_call = |at: usize| {
        let before = &code[..at];
        let is_part = before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        !is_part && !before.ends_with("def ")
    };
    code.match_indices(&call).any(|(at, _)| is_call(at))
}

/// Whether a code calls functions of a module.
pub(super) fn mentions(code: &str, module: &str) -> bool {
    let call = format!("{module}.");
    code.match_indices(&call).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        !before.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.')
    })
}

pub(super) fn has_word(code: &str, word: &str) -> bool {
    words(code).contains(word)
}

/// Definitions one after another: constants in one block, functions after two empty lines.
pub(super) fn join_segments(segments: &[&CodeSegment]) -> String {
    let constants = segments.iter().filter(|segment| !segment.is_function());
    let mut code: String = constants.map(|segment| segment.code.as_str()).collect();
    for segment in segments.iter().filter(|segment| segment.is_function()) {
        code += &format!("\n\n{}", segment.code);
    }
    code
}

/// Code inside a function.
fn indent(code: &str) -> String {
    let line = |line: &str| match line {
        "" => "\n".to_owned(),
        _ => format!("    {line}\n"),
    };
    code.lines().map(line).collect()
}
