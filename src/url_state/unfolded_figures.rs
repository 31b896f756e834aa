//! Link sections for unfolded content: guides to figures, tables of their numbers, and notes on the open model.

use super::{
    FigureId,
    codec::{Codec, OneOf, take},
    section::fields,
};

/// Figures with unfolded content, in the order of [`FigureId::ALL`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UnfoldedFigures {
    /// Those with an unfolded number table.
    pub numbers: Vec<FigureId>,
    /// Those with an unfolded guide.
    pub guides: Vec<FigureId>,
}

fields! { UnfoldedFigures {
    "numbers" => numbers: FigureList;
    "guides" => guides: FigureList;
}}

/// Adds a figure to a list or removes it.
pub fn unfold(list: &mut Vec<FigureId>, figure: FigureId, is_unfolded: bool) {
    *list = filter_figures(|other| {
        if other == figure {
            is_unfolded
        } else {
            list.contains(&other)
        }
    });
}

/// Returns the figures that satisfy a predicate.
fn filter_figures(is_listed: impl Fn(FigureId) -> bool) -> Vec<FigureId> {
    let figures = FigureId::ALL.iter().copied();
    figures.filter(|figure| is_listed(*figure)).collect()
}

/// Identifiers of figures, separated by commas, written in the order of [`FigureId::ALL`]. An unknown identifier is an error.
struct FigureList;

impl Codec<Vec<FigureId>> for FigureList {
    fn read(&self, text: &str, into: &mut Vec<FigureId>) -> Result<(), String> {
        let figures = filter_figures(|figure| text.split(',').any(|named| named == figure.id()));
        let is_all = figures.len() == text.split(',').count();
        take(text, is_all.then_some(figures), into)
    }

    fn write(&self, value: &Vec<FigureId>) -> Option<String> {
        let ids: Vec<&str> = value.iter().map(|figure| figure.id()).collect();
        Some(ids.join(","))
    }
}

/// The notes on the open model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NotesSection {
    /// Whether the notes are unfolded.
    pub is_unfolded: bool,
    /// Whether the effect of each correction on R² was requested.
    pub effects: bool,
}

fields! { NotesSection {
    "notes" => is_unfolded: OneOf(&[(false, "folded"), (true, "open")]);
    "effects" => effects: OneOf(&[(false, "unasked"), (true, "asked")]);
}}
