//! Literals in programs: names from files cannot break them.

use crate::support::python::{printed, python};
use diagonal::numpy_model::{string_literal, tuple_literal};
use std::process::Command;

#[test]
fn strings_are_read_back_as_they_were() {
    let Some(python) = python("string literals") else {
        return;
    };
    let texts = [
        "plain.name",
        "a\"b'c",
        "\\n\n\t\r",
        "{layer}",
        "Δy – Ω",
        "😀",
        "\"\"\"",
        "\u{7f}\u{0}#",
    ];
    for text in texts {
        let literal = string_literal(text);
        assert!(literal.is_ascii(), "{literal}");
        let mut command = Command::new(&python);
        command.args(["-c", &format!("print([ord(c) for c in {literal}])")]);
        let expected: Vec<u32> = text.chars().map(u32::from).collect();
        assert_eq!(printed(command).trim(), format!("{expected:?}"));
    }
}

#[test]
fn tuples_have_brackets() {
    assert_eq!(tuple_literal([3, 4]), "(3, 4)");
}
