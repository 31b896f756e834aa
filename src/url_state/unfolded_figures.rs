//! Link sections for unfolded content: guides to figures, tables of their numbers, groups of figures, and notes on the
//! open model.

use super::{
    FigureGroup, FigureId,
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
    /// The unfolded groups, in the order of [`FigureGroup::ALL`].
    pub groups: Vec<FigureGroup>,
}

fields! { UnfoldedFigures {
    "numbers" => numbers: FigureList;
    "guides" => guides: FigureList;
    "more" => groups: GroupList;
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

/// Identifiers of groups, separated by commas, written in the order of [`FigureGroup::ALL`]. An unknown identifier is an
/// error.
struct GroupList;

impl Codec<Vec<FigureGroup>> for GroupList {
    fn read(&self, text: &str, into: &mut Vec<FigureGroup>) -> Result<(), String> {
        let is_named = |group: &FigureGroup| text.split(',').any(|named| named == group.id());
        let groups: Vec<FigureGroup> = FigureGroup::ALL.into_iter().filter(is_named).collect();
        let is_all = groups.len() == text.split(',').count();
        take(text, is_all.then_some(groups), into)
    }

    fn write(&self, value: &Vec<FigureGroup>) -> Option<String> {
        let ids: Vec<&str> = value.iter().map(|group| group.id()).collect();
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
