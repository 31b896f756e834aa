//! What is unfolded on the page: guides to figures and tables of their numbers, and the notes on the open model.

use super::{
    FIGURES,
    codec::{Codec, OneOf, take},
    section::fields,
};

/// Figures of which something is unfolded, by their identifiers and in the order of [`FIGURES`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UnfoldedFigures {
    /// Those whose tables of numbers are.
    pub numbers: Vec<&'static str>,
    /// Those whose guides are.
    pub guides: Vec<&'static str>,
}

fields! { UnfoldedFigures {
    "numbers" => numbers: FigureList;
    "guides" => guides: FigureList;
}}

/// Takes a figure into a list, or out of it.
pub fn unfold(list: &mut Vec<&'static str>, id: &'static str, is_unfolded: bool) {
    *list = listed(|other| {
        if other == id {
            is_unfolded
        } else {
            list.contains(&other)
        }
    });
}

/// The figures of the list for which that holds.
fn listed(is_meant: impl Fn(&str) -> bool) -> Vec<&'static str> {
    let ids = FIGURES.iter().map(|entry| entry.id);
    ids.filter(|id| is_meant(id)).collect()
}

/// Identifiers of figures, separated by commas, in the order of the list; none may be unknown.
struct FigureList;

impl Codec<Vec<&'static str>> for FigureList {
    fn read(&self, text: &str, into: &mut Vec<&'static str>) -> Result<(), String> {
        let found = listed(|id| text.split(',').any(|named| named == id));
        let is_all = found.len() == text.split(',').count();
        take(text, is_all.then_some(found), into)
    }

    fn write(&self, value: &Vec<&'static str>) -> Option<String> {
        Some(value.join(","))
    }
}

/// The notes on the open model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NotesSection {
    /// Whether they are unfolded.
    pub unfolded: bool,
    /// Whether somebody asked what each correction does to R².
    pub effects: bool,
}

fields! { NotesSection {
    "notes" => unfolded: OneOf(&[(false, "folded"), (true, "open")]);
    "effects" => effects: OneOf(&[(false, "unasked"), (true, "asked")]);
}}
