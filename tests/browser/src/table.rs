//! A downloaded CSV file.

use std::str::FromStr;

use xtask::Result;

/// The rows of a CSV file below its header. Only fields with commas or quotes are quoted (RFC 4180).
#[derive(Clone, Debug)]
pub struct Table {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

impl FromStr for Table {
    type Err = Box<dyn std::error::Error>;

    fn from_str(text: &str) -> Result<Self> {
        let mut lines = text.lines().map(fields);
        let columns = lines.next().ok_or("the file is empty")?;
        let rows: Vec<_> = lines.collect();
        match rows.iter().find(|row| row.len() != columns.len()) {
            Some(row) => Err(format!(
                "{} columns, but a row of {}: {row:?}",
                columns.len(),
                row.len()
            )
            .into()),
            None => Ok(Self { columns, rows }),
        }
    }
}

/// The fields of a line.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut quoted) = (vec![String::new()], false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, fields.last_mut()) {
            ('"', Some(field)) if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                field.push('"');
            }
            ('"', _) => quoted = !quoted,
            (',', _) if !quoted => fields.push(String::new()),
            (letter, Some(field)) => field.push(letter),
            // `fields` is never empty.
            (_, None) => {}
        }
    }
    fields
}

impl Table {
    /// A column as numbers.
    pub fn numbers(&self, name: &str) -> Result<Vec<f64>> {
        self.column(name)?
            .map(|cell| {
                cell.parse()
                    .map_err(|_error| format!("{name}: {cell} is no number").into())
            })
            .collect()
    }

    /// A column as text.
    pub fn column(&self, name: &str) -> Result<impl Iterator<Item = &str>> {
        let index = self.columns.iter().position(|column| column == name);
        let index = index.ok_or_else(|| format!("no column {name} among {:?}", self.columns))?;
        Ok(self.rows.iter().map(move |row| row[index].as_str()))
    }
}
