//! Parser of the help of a figure. `www/figure_help/README.md` describes the format.

use super::{Guide, Paper, PositionFamily, Source};
use std::fmt;

/// A line of the help that is not in the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HelpError {
    /// Number of the line, from 1. For a missing line, that of the last one.
    pub line: usize,
    /// The reason.
    pub reason: &'static str,
}

impl fmt::Display for HelpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

impl std::error::Error for HelpError {}

/// The lines of a section; `None` for a line that it leaves out.
#[derive(Debug, Default)]
struct HelpSection<'a> {
    question: Option<&'a str>,
    reading: Option<&'a str>,
    look_for: Option<&'a str>,
    sources: Option<Vec<Source<'a>>>,
}

/// Reads the help for a kind of positions: its section, and the lines of the first section that it leaves out.
///
/// # Errors
///
/// If a line anywhere in the text is not in the format, or the first section leaves out the question, the reading or
/// the features to look for.
pub fn parse(text: &str, family: PositionFamily) -> Result<Guide<'_>, HelpError> {
    let (mut first, mut own) = (HelpSection::default(), HelpSection::default());
    // Whether the current section is the first, and whether it is that of the family.
    let mut current: Option<(bool, bool)> = None;
    let mut last = 0;
    for (at, line) in text.lines().enumerate() {
        let error = |reason| HelpError {
            line: at + 1,
            reason,
        };
        last = at + 1;
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        if let Some(heading) = line.strip_prefix('[') {
            let names = heading
                .strip_suffix(']')
                .ok_or(error("a heading ends in “]”"))?;
            let is_own = names_family(names, family).map_err(error)?;
            current = Some((current.is_none(), is_own));
            continue;
        }
        let (is_first, is_own) = current.ok_or(error("a line before the first heading"))?;
        if is_first {
            first.read(line).map_err(error)?;
        } else if is_own {
            own.read(line).map_err(error)?;
        } else {
            HelpSection::default().read(line).map_err(error)?;
        }
    }
    let missing = |reason| HelpError { line: last, reason };
    Ok(Guide {
        question: (own.question.or(first.question)).ok_or(missing("no question"))?,
        reading: (own.reading.or(first.reading)).ok_or(missing("no reading"))?,
        look_for: (own.look_for.or(first.look_for)).ok_or(missing("nothing to look for"))?,
        sources: (own.sources.or(first.sources)).unwrap_or_default(),
    })
}

/// Returns whether the names in a heading contain a family. `all` contains each.
fn names_family(names: &str, family: PositionFamily) -> Result<bool, &'static str> {
    let mut contains = false;
    for name in names.split(',').map(str::trim) {
        contains |= match (name, PositionFamily::from_name(name)) {
            ("all", _) => true,
            (_, Some(named)) => named == family,
            (_, None) => return Err("a heading names an unknown kind of positions"),
        };
    }
    Ok(contains)
}

impl<'a> HelpSection<'a> {
    /// Adds a line.
    fn read(&mut self, line: &'a str) -> Result<(), &'static str> {
        let (name, text) = line.split_once(": ").ok_or("a line has no name")?;
        let field = match name {
            "question" => &mut self.question,
            "reading" => &mut self.reading,
            "look for" => &mut self.look_for,
            "source" => {
                let sources = self.sources.get_or_insert_default();
                if text != "none" {
                    sources.push(read_source(text)?);
                }
                return Ok(());
            }
            _ => return Err("a line has an unknown name"),
        };
        match field.replace(text) {
            Some(_) => Err("a section has a line twice"),
            None => Ok(()),
        }
    }
}

/// Reads `paper | place | content`. The content may contain bars.
fn read_source(text: &str) -> Result<Source<'_>, &'static str> {
    let mut parts = text.splitn(3, " | ");
    let (Some(paper), Some(place), Some(says)) = (parts.next(), parts.next(), parts.next()) else {
        return Err("a source is “paper | place | content”");
    };
    Ok(Source {
        paper: Paper::from_name(paper).ok_or("a source names an unknown paper")?,
        place,
        says,
    })
}
