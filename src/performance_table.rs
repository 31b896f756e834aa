//! Performance scores of models, read from a table that the visitor pastes or opens: one row per model, its name and its
//! score. A row of column names may come first.
//!
//! The table is untrusted: names are shortened in sentences, and a row that is not understood rejects the table with a
//! sentence that names the row.

use crate::{
    csv_rows::CsvRows,
    short_text::short_name,
    url_state::{PERFORMANCES, finite_number},
};
use indexmap::IndexMap;

/// The longest table, in bytes.
pub const LONGEST_TABLE: usize = 1_000_000;
/// The sentence about a longer one.
pub const TOO_LONG: &str = "This table is longer than 1 MB. Keep two columns: model and score.";
/// The most rows of a table.
const MOST_ROWS: usize = 10_000;
/// The most names that a sentence lists.
const MOST_LISTED: usize = 3;

/// Scores by the name of the model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PerformanceTable {
    /// Name and score of each model, in the order of the rows.
    pub scores: Vec<(String, f64)>,
}

/// Scores of the open models, from a table.
#[derive(Debug, Clone, PartialEq)]
pub struct AssignedScores {
    /// The score of each open model; `None` for models that the table does not name.
    pub scores: Vec<Option<f64>>,
    /// The names in the table that no open model has.
    pub unknown: Vec<String>,
}

impl PerformanceTable {
    /// Parses a table of two columns separated by commas, semicolons or tabs. Empty rows are ignored.
    ///
    /// # Errors
    /// A sentence: which row is wrong, why, and how to write it.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.len() > LONGEST_TABLE {
            return Err(TOO_LONG.to_owned());
        }
        let mut table = Self::default();
        // The row of each name, counted from 1.
        let mut rows: IndexMap<String, usize> = IndexMap::new();
        for (at, fields) in CsvRows::new(text).enumerate() {
            let row = at + 1;
            let fields: Vec<&str> = trim_fields(&fields);
            if fields.is_empty() || (row == 1 && is_header(&fields)) {
                continue;
            }
            if table.scores.len() == MOST_ROWS {
                return Err(format!(
                    "This table has more than {MOST_ROWS} rows. Keep those of the open models."
                ));
            }
            let (name, score) = score_of(row, &fields)?;
            if let Some(earlier) = rows.insert(comparable(name), row) {
                return Err(format!(
                    "Rows {earlier} and {row} both name “{}”. Keep one of them.",
                    quotable(name)
                ));
            }
            table.scores.push((name.to_owned(), score));
        }
        if table.scores.is_empty() {
            return Err(
                "There is no score in this table. Write one row per model: its name, a comma, its score."
                    .to_owned(),
            );
        }
        Ok(table)
    }

    /// Assigns the scores to open models by their titles, without regard to case.
    #[must_use]
    pub fn assign(&self, titles: &[&str]) -> AssignedScores {
        let titles: Vec<String> = titles.iter().map(|title| comparable(title)).collect();
        let mut assigned = AssignedScores {
            scores: vec![None; titles.len()],
            unknown: Vec::new(),
        };
        for (name, score) in &self.scores {
            let own = comparable(name);
            let mut is_open = false;
            for (title, assigned) in titles.iter().zip(&mut assigned.scores) {
                if *title == own {
                    *assigned = Some(*score);
                    is_open = true;
                }
            }
            if !is_open {
                assigned.unknown.push(name.clone());
            }
        }
        assigned
    }
}

impl AssignedScores {
    /// States how many models got a score, and which names of the table no open model has.
    #[must_use]
    pub fn sentence(&self) -> String {
        let taken = match self.scores.iter().flatten().count() {
            0 => "No score was taken.".to_owned(),
            1 => "One score was taken.".to_owned(),
            count => format!("{count} scores were taken."),
        };
        let unknown = match self.unknown.len() {
            0 => return taken,
            _ => list_names(&self.unknown),
        };
        format!("{taken} No open model is called {unknown}. Names are those in the list above.")
    }
}

/// Returns the fields without the spaces around them and without empty fields at the end.
fn trim_fields(fields: &[String]) -> Vec<&str> {
    let mut fields: Vec<&str> = fields.iter().map(|field| field.trim()).collect();
    while fields.last().is_some_and(|field| field.is_empty()) {
        fields.pop();
    }
    fields
}

/// Whether the first row has names of columns: its second field has letters and no digit.
fn is_header(fields: &[&str]) -> bool {
    fields.get(1).is_some_and(|score| {
        score.chars().any(char::is_alphabetic) && !score.chars().any(|c| c.is_ascii_digit())
    })
}

/// Reads the name and the score of a row.
fn score_of<'a>(row: usize, fields: &[&'a str]) -> Result<(&'a str, f64), String> {
    let [name, score] = fields else {
        let count = match fields.len() {
            1 => "one column".to_owned(),
            count => format!("{count} columns"),
        };
        return Err(format!(
            "Row {row} has {count}. Write two: the name of a model and its score, with a comma between them."
        ));
    };
    if name.is_empty() {
        return Err(format!(
            "Row {row} has no name. Write the name of an open model before the score."
        ));
    }
    let digits = score.trim_end_matches('%').trim_end().replace('−', "-");
    // A comma within a field is a decimal comma, as in tables separated by semicolons.
    let digits = match digits.contains('.') {
        true => digits,
        false => digits.replacen(',', ".", 1),
    };
    match finite_number(&digits) {
        Some(number) if PERFORMANCES.contains(&number) => Ok((name, number)),
        Some(_) => Err(format!(
            "Row {row}: “{}” is not a score from −1 000 000 000 to 1 000 000 000.",
            quotable(score)
        )),
        None => Err(format!(
            "Row {row}: “{}” is not a number. Write a score with digits, such as 84.5.",
            quotable(score)
        )),
    }
}

/// Returns a name in the form in which names are compared.
fn comparable(name: &str) -> String {
    name.trim().to_lowercase()
}

/// Returns a field as it is quoted in a sentence: short, and without line breaks and other control characters.
fn quotable(field: &str) -> String {
    short_name(field).replace(char::is_control, " ")
}

/// Lists the first few names, each shortened, and how many more there are.
fn list_names(names: &[String]) -> String {
    let quoted = |name: &String| format!("“{}”", quotable(name));
    let first: Vec<String> = names.iter().take(MOST_LISTED).map(quoted).collect();
    match names.len() - first.len() {
        0 => match first.split_last() {
            Some((last, others)) if !others.is_empty() => {
                format!("{} or {last}", others.join(", "))
            }
            _ => first.concat(),
        },
        more => format!("{}, or {more} others in the table", first.join(", ")),
    }
}
