//! Numbers in sentences: where the page reads them, and how they are formatted.

use serde::{Deserialize, Serialize};

/// A number that the page fills in, `{offset-profile: mean where offset=-1 | 2 digits}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Number {
    /// Where the number is read.
    pub of: NumberSource,
    /// How the number is formatted.
    pub writing: Writing,
}

/// Source of a number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum NumberSource {
    /// A property of the open model.
    Model(ModelFact),
    /// The table of numbers of a figure.
    Figure {
        /// The figure's identifier.
        figure: String,
        /// The value computed from the rows that match.
        reading: NumberReading,
        /// Conditions on rows; a row matches if all of them hold.
        rows: Vec<Condition>,
    },
}

/// Property of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ModelFact {
    /// Name of the model.
    Name,
    /// n, the number of positions.
    Rows,
    /// d, the width of its table.
    Width,
    /// Number of layers.
    Layers,
    /// Heads per layer.
    Heads,
    /// d_k, the width of a head.
    HeadWidth,
    /// First position after the seam of its table.
    Seam,
}

/// Value computed from the rows that match.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum NumberReading {
    /// Value of a column in the first row.
    First(String),
    /// Maximum or minimum of a column.
    Extreme(Extreme, String),
    /// Value of a column in the row where another column is extreme.
    At {
        /// The column that is read.
        column: String,
        /// Maximum or minimum.
        extreme: Extreme,
        /// The column whose extreme is searched.
        of: String,
    },
    /// Mean of a column.
    Mean(String),
    /// Sum of a column.
    Sum(String),
    /// Number of rows.
    Count,
}

/// Maximum or minimum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Extreme {
    /// Maximum.
    Max,
    /// Minimum.
    Min,
}

/// A condition on a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Condition {
    /// Name of the column.
    pub column: String,
    /// Relation that must hold.
    pub relation: super::Relation,
    /// Value to compare with, a number or a name.
    pub value: String,
}

/// Number format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Writing {
    /// Significant digits.
    pub digits: u8,
    /// Whether to format as a percentage.
    pub percent: bool,
    /// Whether to omit the sign.
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

/// Significant digits that are allowed.
const DIGITS: std::ops::RangeInclusive<u8> = 1..=9;

impl Number {
    /// Parses the text between the braces.
    ///
    /// # Errors
    /// A sentence that states what was not understood.
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
            NumberSource::Model(ModelFact::parse(what)?)
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
            NumberSource::Figure {
                figure: identifier(place)?,
                reading: NumberReading::parse(reading.trim())?,
                rows,
            }
        };
        Ok(Self { of, writing })
    }

    /// The figure it is read from; `None` for a property of the model.
    #[must_use]
    pub fn figure(&self) -> Option<&str> {
        match &self.of {
            NumberSource::Model(_) => None,
            NumberSource::Figure { figure, .. } => Some(figure),
        }
    }
}

/// Parses an identifier: lower-case letters, digits and dashes.
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

impl NumberReading {
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
    /// Parses `max column` or `min column`.
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
