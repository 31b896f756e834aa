//! Data model of a lesson: steps of a few sentences, each with a state of the page, highlights in its figures, and
//! numbers that the page fills in from what it shows.
//!
//! `www/lessons/README.md` describes the text format. Lessons shipped with the page are parsed by its build and loaded
//! as bytes ([`Lesson::to_bytes`]). The Markdown parser is behind the feature `markdown`, which only the build enables,
//! and the lazy part of the page that opens users' lessons.
//!
//! This crate is independent of the page: it does not check that a figure exists, or that a state's query is valid.

mod claim;
mod formula;
mod number;

#[cfg(feature = "markdown")]
mod error;
#[cfg(feature = "markdown")]
mod latex;
#[cfg(feature = "markdown")]
mod markdown;
#[cfg(feature = "markdown")]
mod mathml;
#[cfg(feature = "markdown")]
mod settings;

pub use claim::{Claim, Operand, Relation};
#[cfg(feature = "markdown")]
pub use error::LessonError;
pub use formula::LessonFormula;
pub use number::{Condition, Extreme, ModelFact, Number, NumberReading, NumberSource, Writing};

use serde::{Deserialize, Serialize};

/// Maximum number of steps of a lesson.
pub const MOST_STEPS: usize = 200;
/// Maximum length of a lesson's text in bytes.
pub const LONGEST_TEXT: usize = 1_000_000;

/// A lesson: its head and its steps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lesson {
    /// Title, summary and source.
    pub head: Head,
    /// The steps, at least one.
    pub steps: Vec<Step>,
}

/// Front matter of a lesson.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Head {
    /// Title of the lesson.
    pub title: String,
    /// Summary, one sentence.
    pub about: String,
    /// The paper or post it follows.
    pub source: String,
    /// Language of the text, as in HTML's `lang` attribute; empty for English.
    pub language: String,
    /// Time that it takes to read, in minutes.
    pub minutes: Option<u16>,
    /// Identifiers of the lessons that it builds on.
    pub needs: Vec<String>,
}

/// A step of a lesson.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Step {
    /// Title of the step.
    pub title: String,
    /// State of the page, as a link's query without `?`; `None` to keep the current state.
    pub state: Option<String>,
    /// Identifiers of the highlighted figures, the first one first.
    pub light: Vec<String>,
    /// Highlight within these figures.
    pub highlight: StepHighlight,
    /// The equation or figure that it is about.
    pub source: String,
    /// Claims about numbers that its text makes.
    pub claims: Vec<Claim>,
    /// Text of the step.
    pub text: Vec<Block>,
    /// A question whose answer is revealed on request.
    pub question: Option<LessonQuestion>,
    /// Notes that only the speaker sees.
    pub notes: Vec<Block>,
}

/// Highlight of a step within figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StepHighlight {
    /// An offset k = j − i.
    pub offset: Option<i64>,
    /// A cell: query i and key j.
    pub cell: Option<(usize, usize)>,
    /// A head: layer and head, counted from 0.
    pub head: Option<(usize, usize)>,
    /// A kernel of the sliders, counted from 0.
    pub kernel: Option<usize>,
}

/// A question and its answer.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LessonQuestion {
    /// Text of the question.
    pub asks: Vec<Inline>,
    /// Text of the answer.
    pub reveals: Vec<Block>,
}

/// A block of text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Block {
    /// A paragraph.
    Paragraph(Vec<Inline>),
    /// A list.
    List {
        /// Whether its items are numbered.
        is_numbered: bool,
        /// The items, each a line of text.
        items: Vec<Vec<Inline>>,
    },
}

/// A piece of text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Inline {
    /// Plain text.
    Text(String),
    /// Emphasised text.
    Emphasis(Vec<Self>),
    /// Strongly emphasised text.
    Strong(Vec<Self>),
    /// Code.
    Code(String),
    /// A formula.
    Formula(LessonFormula),
    /// A link: an `https` address, or `?` and a query of the page.
    Link {
        /// Address that it leads to.
        to: String,
        /// Text of the link.
        text: Vec<Self>,
    },
    /// A number that the page fills in.
    Number(Number),
}

/// Entry in the list of lessons shipped with the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedLesson {
    /// Identifier: the name of its file.
    pub id: String,
    /// Title, summary and source.
    pub head: Head,
    /// Number of steps.
    pub steps: usize,
}

impl ListedLesson {
    /// Serialises a list for [`Self::list_from_bytes`].
    ///
    /// # Errors
    /// If memory runs out.
    pub fn list_to_bytes(list: &[Self]) -> Result<Vec<u8>, postcard::Error> {
        postcard::to_stdvec(list)
    }

    /// Deserialises the output of [`Self::list_to_bytes`].
    ///
    /// # Errors
    /// If the bytes are not such a list.
    pub fn list_from_bytes(bytes: &[u8]) -> Result<Vec<Self>, postcard::Error> {
        postcard::from_bytes(bytes)
    }
}

impl Lesson {
    /// Serialises the lesson for [`Self::from_bytes`].
    ///
    /// # Errors
    /// If memory runs out.
    pub fn to_bytes(&self) -> Result<Vec<u8>, postcard::Error> {
        postcard::to_stdvec(self)
    }

    /// Deserialises the output of [`Self::to_bytes`] of the same version.
    ///
    /// # Errors
    /// If the bytes are not a lesson.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, postcard::Error> {
        postcard::from_bytes(bytes)
    }
}

impl Step {
    /// All numbers in its text, question, notes and claims.
    pub fn numbers(&self) -> impl Iterator<Item = &Number> {
        let blocks = self.text.iter().chain(&self.notes);
        let question = self.question.iter();
        let reveals = question.clone().flat_map(|question| &question.reveals);
        let asks = question.flat_map(|question| numbers_in(&question.asks));
        blocks
            .chain(reveals)
            .flat_map(Block::numbers)
            .chain(asks)
            .chain(self.claims.iter().flat_map(Claim::numbers))
    }

    /// Number of words in its text; a number counts as one word.
    #[must_use]
    pub fn words(&self) -> usize {
        self.text.iter().map(Block::words).sum()
    }
}

impl Block {
    /// The block with its numbers formatted by `write`, as plain text.
    #[must_use]
    pub fn fill_numbers(&self, write: &impl Fn(&Number) -> String) -> Self {
        match self {
            Self::Paragraph(text) => Self::Paragraph(fill_numbers(text, write)),
            Self::List {
                is_numbered: counted,
                items,
            } => Self::List {
                is_numbered: *counted,
                items: items.iter().map(|item| fill_numbers(item, write)).collect(),
            },
        }
    }

    fn pieces(&self) -> impl Iterator<Item = &Vec<Inline>> {
        let (one, many) = match self {
            Self::Paragraph(text) => (Some(text), [].as_slice()),
            Self::List { items, .. } => (None, items.as_slice()),
        };
        one.into_iter().chain(many)
    }

    fn numbers(&self) -> impl Iterator<Item = &Number> {
        self.pieces().flat_map(|text| numbers_in(text))
    }

    fn words(&self) -> usize {
        self.pieces()
            .map(|text| plain(text, &|_| "1".to_owned()).split_whitespace().count())
            .sum()
    }
}

fn numbers_in(text: &[Inline]) -> Vec<&Number> {
    text.iter()
        .flat_map(|piece| match piece {
            Inline::Number(number) => vec![number],
            Inline::Emphasis(text) | Inline::Strong(text) | Inline::Link { text, .. } => {
                numbers_in(text)
            }
            Inline::Text(_) | Inline::Code(_) | Inline::Formula(_) => Vec::new(),
        })
        .collect()
}

/// Text without markup, with its formulas as LaTeX and its numbers formatted by `write`.
#[must_use]
pub fn plain(text: &[Inline], write: &impl Fn(&Number) -> String) -> String {
    text.iter()
        .map(|piece| match piece {
            Inline::Text(text) | Inline::Code(text) => text.clone(),
            Inline::Formula(formula) => formula.source.clone(),
            Inline::Number(number) => write(number),
            Inline::Emphasis(text) | Inline::Strong(text) | Inline::Link { text, .. } => {
                plain(text, write)
            }
        })
        .collect()
}

/// Text with its numbers formatted by `write`, as plain text.
#[must_use]
pub fn fill_numbers(text: &[Inline], write: &impl Fn(&Number) -> String) -> Vec<Inline> {
    text.iter()
        .map(|piece| match piece {
            Inline::Number(number) => Inline::Text(write(number)),
            Inline::Emphasis(text) => Inline::Emphasis(fill_numbers(text, write)),
            Inline::Strong(text) => Inline::Strong(fill_numbers(text, write)),
            Inline::Link { to, text } => Inline::Link {
                to: to.clone(),
                text: fill_numbers(text, write),
            },
            piece => piece.clone(),
        })
        .collect()
}
