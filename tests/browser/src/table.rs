//! A downloaded CSV file.

use std::str::FromStr;

use xtask::Result;

/// The rows of a CSV file under its header. The page writes numbers and plain words: nothing is quoted.
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
        let mut lines = text
            .lines()
            .map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
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
