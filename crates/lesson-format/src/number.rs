//! A number in a sentence: where the page reads it, and how it is written.

use serde::{Deserialize, Serialize};

/// A number that the page fills in, `{offset-profile: mean where offset=-1 | 2 digits}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Number {
    /// Where it is read.
    pub of: Of,
    /// How it is written.
    pub writing: Writing,
}

/// Where a number is read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Of {
    /// The open model.
    Model(ModelFact),
    /// The table of numbers of a figure.
    Figure {
        /// The figure's identifier.
        figure: String,
        /// What is read of the rows that fit.
        reading: Reading,
        /// Which rows fit: those for which all of this holds.
        rows: Vec<Condition>,
    },
}

/// What is known of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ModelFact {
    /// Its name.
    Name,
    /// n, the positions it has.
    Rows,
    /// d, the width of its table.
    Width,
    /// Layers.
    Layers,
    /// Heads a layer.
    Heads,
    /// d_k, the width of a head.
    HeadWidth,
    /// The first position behind the seam of its table.
    Seam,
}

/// What is read of the rows that fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reading {
    /// A column in the first row.
    First(String),
    /// A column's extreme value.
    Extreme(Extreme, String),
    /// A column where another one is extreme.
    At {
        /// What is read.
        column: String,
        /// Which extreme.
        extreme: Extreme,
        /// Of which column.
        of: String,
    },
    /// A column's mean.
    Mean(String),
    /// A column's sum.
    Sum(String),
    /// How many rows there are.
    Count,
}

/// The largest or the smallest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Extreme {
    /// The largest.
    Max,
    /// The smallest.
    Min,
}

/// A condition on a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Condition {
    /// The column.
    pub column: String,
    /// How it compares.
    pub relation: super::Relation,
    /// What it is compared with, a number or a name.
    pub value: String,
}

/// How a number is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Writing {
    /// Significant digits.
    pub digits: u8,
    /// As a percentage.
    pub percent: bool,
    /// Without its sign.
    pub size: bool,
}

impl Default for Writing {
    fn default() -> Self {
        Self {
            digits: 3,
            percent: false,
            size: false,
        }
    }
}

/// Significant digits that a number may be written with.
const DIGITS: std::ops::RangeInclusive<u8> = 1..=9;

impl Number {
    /// Reads what stands between the braces.
    ///
    /// # Errors
    /// A sentence on what is not understood.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (what, writing) = match text.split_once('|') {
            None => (text, Writing::default()),
            Some((what, how)) => (what, Writing::parse(how)?),
        };
        let Some((place, what)) = what.split_once(':') else {
            return Err(format!(
                "{{{text}}} names no figure: it should read {{figure: column}} or {{model: rows}}."
            ));
        };
        let (place, what) = (place.trim(), what.trim());
        let of = if place == "model" {
            Of::Model(ModelFact::parse(what)?)
        } else {
            let (reading, rows) = match what.split_once(" where ") {
                None => (what, Vec::new()),
                Some((reading, rows)) => (
                    reading,
                    rows.split(" and ")
                        .map(Condition::parse)
                        .collect::<Result<_, _>>()?,
                ),
            };
            Of::Figure {
                figure: identifier(place)?,
                reading: Reading::parse(reading.trim())?,
                rows,
            }
        };
        Ok(Self { of, writing })
    }

    /// The figure it is read from.
    #[must_use]
    pub fn figure(&self) -> Option<&str> {
        match &self.of {
            Of::Model(_) => None,
            Of::Figure { figure, .. } => Some(figure),
        }
    }
}

/// An identifier: lower-case letters, digits and dashes.
pub(crate) fn identifier(text: &str) -> Result<String, String> {
    let is_one = !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    if is_one {
        Ok(text.to_owned())
    } else {
        Err(format!("“{text}” is no identifier of a figure."))
    }
}

impl ModelFact {
    fn parse(text: &str) -> Result<Self, String> {
        Ok(match text {
            "name" => Self::Name,
            "rows" => Self::Rows,
            "width" => Self::Width,
            "layers" => Self::Layers,
            "heads" => Self::Heads,
            "head-width" => Self::HeadWidth,
            "seam" => Self::Seam,
            _ => {
                return Err(format!(
                    "“{text}” is not known of a model. These are: name, rows, width, layers, heads, head-width and seam."
                ));
            }
        })
    }
}

impl Reading {
    fn parse(text: &str) -> Result<Self, String> {
        if text == "count" {
            return Ok(Self::Count);
        }
        if let Some((column, at)) = text.split_once(" at ")
            && let Some((extreme, of)) = Extreme::parse(at.trim())
        {
            return Ok(Self::At {
                column: column.trim().to_owned(),
                extreme,
                of,
            });
        }
        if let Some((extreme, column)) = Extreme::parse(text) {
            return Ok(Self::Extreme(extreme, column));
        }
        let after = |word: &str| text.strip_prefix(word).map(|rest| rest.trim().to_owned());
        if text.is_empty() {
            Err("A number in braces names no column.".to_owned())
        } else if let Some(column) = after("mean ") {
            Ok(Self::Mean(column))
        } else if let Some(column) = after("sum ") {
            Ok(Self::Sum(column))
        } else {
            Ok(Self::First(text.to_owned()))
        }
    }
}

impl Extreme {
    /// `max column` or `min column`.
    fn parse(text: &str) -> Option<(Self, String)> {
        let (word, column) = text.split_once(' ')?;
        let extreme = match word {
            "max" => Self::Max,
            "min" => Self::Min,
            _ => return None,
        };
        Some((extreme, column.trim().to_owned()))
    }
}

impl Condition {
    fn parse(text: &str) -> Result<Self, String> {
        let (column, relation, value) = super::Relation::split(text)
            .filter(|(column, _, value)| !column.is_empty() && !value.is_empty())
            .ok_or_else(|| {
                format!(
                    "“{}” is no condition on a row: it should read column=value.",
                    text.trim()
                )
            })?;
        Ok(Self {
            column: column.to_owned(),
            relation,
            value: value.to_owned(),
        })
    }
}

impl Writing {
    fn parse(text: &str) -> Result<Self, String> {
        let mut writing = Self::default();
        for word in text.split(',').map(str::trim) {
            match word {
                "percent" => writing.percent = true,
                "size" => writing.size = true,
                _ => {
                    let digits = word
                        .strip_suffix("digits")
                        .or_else(|| word.strip_suffix("digit"))
                        .and_then(|digits| digits.trim().parse().ok())
                        .filter(|digits| DIGITS.contains(digits));
                    writing.digits = digits.ok_or_else(|| {
                        format!("“{word}” says nothing about how a number is written: “2 digits”, “percent” and “size” do.")
                    })?;
                }
            }
        }
        Ok(writing)
    }
}
