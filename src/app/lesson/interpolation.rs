//! The numbers of a step, as what is shown has them now.

use crate::{
    app::{figure::registry::FigureRegistry, state::page::PageState},
    figure::Table,
    lesson_checks::{ClaimResult, LessonValue, judge, of_model, read},
    short_text::short_name,
    url_state::figure_named,
};
use leptos::prelude::*;
use lesson_format::{Claim, Number, Of, Step};
use std::{collections::BTreeSet, sync::Arc};

/// What is said in place of a number that is not there.
const MISSING: &str = "–";
/// And of one that is not there yet.
const WAITING: &str = "…";

/// A number in a sentence.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Filled {
    /// It is not there yet.
    Waiting,
    /// It is this.
    There(LessonValue),
    /// What is shown has no such number, for this reason.
    Missing(String),
}

impl Filled {
    /// The word that tests and style sheets know it by.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::There(_) => "there",
            Self::Missing(_) => "missing",
        }
    }

    /// As it is read.
    pub(super) fn written(&self, number: &Number) -> String {
        match self {
            Self::Waiting => WAITING.to_owned(),
            Self::Missing(_) => MISSING.to_owned(),
            Self::There(value) => value.written(number.writing),
        }
    }
}

/// A number as what is shown has it; `table` gives the table of a figure that is whole.
pub(super) fn fill(
    number: &Number,
    state: PageState,
    table: impl Fn(&str) -> Option<Arc<Table>>,
) -> Filled {
    match &number.of {
        Of::Model(fact) => match state.summary() {
            None => Filled::Waiting,
            Some(summary) => match of_model(*fact, &summary) {
                Some(value) => Filled::There(value),
                None => Filled::Missing("This model has none.".to_owned()),
            },
        },
        Of::Figure {
            figure,
            reading,
            rows,
        } => match table(figure) {
            None if figure_named(figure).is_none() => {
                Filled::Missing(format!("This page has no figure “{}”.", short_name(figure)))
            }
            None => Filled::Waiting,
            Some(table) => match read(reading, rows, &table) {
                Ok(value) => Filled::There(value),
                Err(why) => Filled::Missing(format!("In “{figure}”, {why}.")),
            },
        },
    }
}

/// The table of a figure, once that is whole.
type TableOf = Memo<Option<Arc<Table>>>;

/// Fills in the numbers of a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct StepNumbers {
    state: PageState,
    tables: StoredValue<Vec<(String, TableOf)>>,
}

impl StepNumbers {
    /// Of a step. Tables are made once, however many numbers are read from them.
    pub(super) fn of(step: &Step) -> Self {
        let standing = FigureRegistry::from_context();
        let figures: BTreeSet<&str> = step.numbers().filter_map(Number::figure).collect();
        let tables = figures.into_iter().map(|id| {
            let id = id.to_owned();
            let own = id.clone();
            let table = Memo::new_with_compare(
                move |_| {
                    let standing = standing.find(&own)?;
                    let whole = standing.is_whole.get();
                    let figure = standing.figure.get().filter(|_| whole)?;
                    Some(Arc::new(figure.table()))
                },
                |_, _| true,
            );
            (id, table)
        });
        Self {
            state: PageState::from_context(),
            tables: StoredValue::new(tables.collect()),
        }
    }

    /// A number as it is now.
    pub(super) fn fill(self, number: &Number) -> Filled {
        fill(number, self.state, |figure| {
            let table = self.tables.with_value(|tables| {
                let found = tables.iter().find(|(id, _)| id == figure);
                found.map(|(_, table)| *table)
            });
            table.and_then(|table| table.get())
        })
    }

    /// A number as it is read.
    pub(super) fn written(self, number: &Number) -> String {
        self.fill(number).written(number)
    }

    /// What has become of a claim.
    pub(super) fn judge(self, claim: &Claim) -> ClaimResult {
        judge(claim, |number| match self.fill(number) {
            Filled::There(value) => Some(value),
            Filled::Waiting | Filled::Missing(_) => None,
        })
    }
}
