//! The numbers in a step's text, filled in from the current model and figures.

use crate::{
    app::{figure::registry::FigureRegistry, state::ModelList},
    figure::Table,
    lesson_checks::{ClaimResult, LessonValue, judge, model_value, read},
    short_text::short_name,
    url_state::FigureId,
};
use leptos::prelude::*;
use lesson_format::{Claim, Number, NumberSource, Step};
use std::{collections::BTreeSet, sync::Arc};

/// Text for a number that does not exist.
const NO_NUMBER: &str = "–";
/// Text for a number that is not available yet.
const PENDING_NUMBER: &str = "…";

/// A number in a sentence, after filling in.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum DisplayedNumber {
    /// The model or figure is not available yet.
    Waiting,
    /// The value.
    There(LessonValue),
    /// The current model or figure has no such number; the text gives the reason.
    Missing(String),
}

impl DisplayedNumber {
    /// Returns the state's name in `data-filled`, which tests and the style sheet use.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::There(_) => "there",
            Self::Missing(_) => "missing",
        }
    }

    /// Returns the displayed text.
    pub(super) fn displayed_text(&self, number: &Number) -> String {
        match self {
            Self::Waiting => PENDING_NUMBER.to_owned(),
            Self::Missing(_) => NO_NUMBER.to_owned(),
            Self::There(value) => value.format(number.writing),
        }
    }
}

/// Fills in a number from the current state. `table` returns the table of a complete figure, `None` before.
pub(super) fn fill(
    number: &Number,
    models: ModelList,
    table: impl Fn(&str) -> Option<Arc<Table>>,
) -> DisplayedNumber {
    match &number.of {
        NumberSource::Model(fact) => match models.summary() {
            None => DisplayedNumber::Waiting,
            Some(summary) => match model_value(*fact, &summary) {
                Some(value) => DisplayedNumber::There(value),
                None => DisplayedNumber::Missing("This model has none.".to_owned()),
            },
        },
        NumberSource::Figure {
            figure,
            reading,
            rows,
        } => match table(figure) {
            None if FigureId::from_id(figure).is_none() => DisplayedNumber::Missing(format!(
                "This page has no figure “{}”.",
                short_name(figure)
            )),
            None => DisplayedNumber::Waiting,
            Some(table) => match read(reading, rows, &table) {
                Ok(value) => DisplayedNumber::There(value),
                Err(why) => DisplayedNumber::Missing(format!("In “{figure}”, {why}.")),
            },
        },
    }
}

/// Memo of a figure's table; `None` until the figure is complete.
type TableOf = Memo<Option<Arc<Table>>>;

/// Fills in the numbers of a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct StepNumbers {
    models: ModelList,
    tables: StoredValue<Vec<(String, TableOf)>>,
}

impl StepNumbers {
    /// Creates the memos for the figures that a step reads. Each figure's table is formed once for all its numbers.
    pub(super) fn new(step: &Step) -> Self {
        let registry = FigureRegistry::from_context();
        let figures: BTreeSet<&str> = step.numbers().filter_map(Number::figure).collect();
        let tables = figures.into_iter().map(|id| {
            let own = FigureId::from_id(id);
            let id = id.to_owned();
            let table = Memo::new_with_compare(
                move |_| {
                    let registry = registry.find(own?)?;
                    let whole = registry.is_whole.get();
                    let figure = registry.figure.get().filter(|_| whole)?;
                    Some(Arc::new(figure.table()))
                },
                |_, _| true,
            );
            (id, table)
        });
        Self {
            models: ModelList::from_context(),
            tables: StoredValue::new(tables.collect()),
        }
    }

    /// No numbers, for text in which they are plain text already.
    pub(super) fn none() -> Self {
        Self::new(&Step::default())
    }

    /// Returns a number's current value.
    pub(super) fn fill(self, number: &Number) -> DisplayedNumber {
        fill(number, self.models, |figure| {
            let table = self.tables.with_value(|tables| {
                let entry = tables.iter().find(|(id, _)| id == figure);
                entry.map(|(_, table)| *table)
            });
            table.and_then(|table| table.get())
        })
    }

    /// Returns a number's displayed text.
    pub(super) fn displayed_text(self, number: &Number) -> String {
        self.fill(number).displayed_text(number)
    }

    /// Returns whether a claim holds for the current numbers.
    pub(super) fn judge(self, claim: &Claim) -> ClaimResult {
        judge(claim, |number| match self.fill(number) {
            DisplayedNumber::There(value) => Some(value),
            DisplayedNumber::Waiting | DisplayedNumber::Missing(_) => None,
        })
    }
}
