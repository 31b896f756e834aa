//! Link sections for unfolded content: guides to figures, tables of their numbers, and notes on the open model.

use super::{
    FIGURES,
    codec::{Codec, OneOf, take},
    section::fields,
};

/// Figures with unfolded content, by identifier and in the order of [`FIGURES`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UnfoldedFigures {
    /// Those with an unfolded number table.
    pub numbers: Vec<&'static str>,
    /// Those with an unfolded guide.
    pub guides: Vec<&'static str>,
}

fields! { UnfoldedFigures {
    "numbers" => numbers: FigureList;
    "guides" => guides: FigureList;
}}

/// Adds a figure to a list or removes it.
pub fn unfold(list: &mut Vec<&'static str>, id: &'static str, is_unfolded: bool) {
    *list = listed(|other| {
        if other == id {
            is_unfolded
        } else {
            list.contains(&other)
        }
    });
}

/// Returns the figures that satisfy a predicate.
fn listed(is_listed: impl Fn(&str) -> bool) -> Vec<&'static str> {
    let ids = FIGURES.iter().map(|entry| entry.id);
    ids.filter(|id| is_listed(id)).collect()
}

/// Identifiers of figures, separated by commas, written in the order of [`FIGURES`]. An unknown identifier is an error.
struct FigureList;

impl Codec<Vec<&'static str>> for FigureList {
    fn read(&self, text: &str, into: &mut Vec<&'static str>) -> Result<(), String> {
        let ids = listed(|id| text.split(',').any(|named| named == id));
        let is_all = ids.len() == text.split(',').count();
        take(text, is_all.then_some(ids), into)
    }

    fn write(&self, value: &Vec<&'static str>) -> Option<String> {
        Some(value.join(","))
    }
}

/// The notes on the open model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NotesSection {
    /// Whether the notes are unfolded.
    pub unfolded: bool,
    /// Whether the effect of each correction on R² was requested.
    pub effects: bool,
}

fields! { NotesSection {
    "notes" => unfolded: OneOf(&[(false, "folded"), (true, "open")]);
    "effects" => effects: OneOf(&[(false, "unasked"), (true, "asked")]);
}}
