//! Models that are open in a session, with their code, and tables that programs print.

use super::runs::{ProgramRuns, choices, rows_are, with_window};
use crate::support::questions::{FIRST, ask, open};
use diagonal::{
    analysis::{MemorySession, ModelSummary, NumpyCode, ScoreMode},
    checkpoint::MemorySource,
    figure::Table,
    model::ModelOptions,
    numpy_model::NumpyModel,
    numpy_program::{Choices, ProgramModel, write},
    url_state::FigureId,
};

/// An open model with its code.
pub(super) struct Opened {
    pub(super) session: MemorySession,
    pub(super) summary: ModelSummary,
    pub(super) code: NumpyModel,
}

impl Opened {
    /// Opens files with options.
    pub(super) fn new(files: Vec<(String, MemorySource)>, options: ModelOptions) -> Self {
        let session = MemorySession::default();
        let summary = open(&session, files, options).expect("an open model");
        let code = ask(&session, NumpyCode { of: FIRST }).expect("an answer");
        let code = code.expect("code");
        Self {
            session,
            summary,
            code,
        }
    }

    /// The program of a figure.
    pub(super) fn program(&self, choices: &Choices) -> Result<String, String> {
        let model = ProgramModel {
            name: "a model".to_owned(),
            step: None,
            code: self.code.clone(),
        };
        write(&[model], choices)
    }

    /// Choices of a figure of the first head.
    pub(super) fn choices(&self, figure: FigureId) -> Choices {
        let choices = choices(figure, ScoreMode::AsComputed, (0, 0));
        with_window(choices, self.summary.rows, Some(self.summary.clone()))
    }
}

/// The fields of a table with its header.
fn fields(table: &Table) -> Vec<Vec<String>> {
    let csv = table.csv();
    let row = |line: &str| line.split(',').map(str::to_owned).collect();
    csv.lines().map(row).collect()
}

/// Asserts that a program printed a table, each column up to a share of its largest number.
pub(super) fn prints(runs: &ProgramRuns, name: &str, table: &Table) {
    let mut expected = fields(table);
    let (header, rows) = runs.rows(name);
    assert_eq!(header, expected.remove(0), "{name}");
    for column in 0..header.len() {
        let cell = |row: &Vec<String>| row[column].clone();
        let (found, page): (Vec<String>, Vec<String>) = (
            rows.iter().map(cell).collect(),
            expected.iter().map(cell).collect(),
        );
        let title = format!("{name}, {}", header[column]);
        let page: Option<Vec<Vec<f64>>> = page
            .iter()
            .map(|text| Some(vec![text.parse().ok()?]))
            .collect();
        match page {
            Some(page) => {
                let found: Vec<Vec<String>> = found.into_iter().map(|text| vec![text]).collect();
                rows_are(&found, &page, 1e-5, &title);
            }
            None => assert_eq!(
                found,
                expected.iter().map(cell).collect::<Vec<_>>(),
                "{title}"
            ),
        }
    }
}
