//! A lesson as a value: steps of a few sentences, each with a state of the page, what is lit in it, and numbers that
//! the page fills in from what it shows.
//!
//! `www/lessons/README.md` says how a lesson is written. Lessons that come with the page are read by its build and
//! fetched as bytes ([`Lesson::to_bytes`]); the reader of Markdown is a feature that only the build has, and the part
//! of the page that opens somebody's own lesson.
//!
//! Nothing here knows the page: which figures there are, and what a state's query means, is not looked at.

mod claim;
mod number;

#[cfg(feature = "markdown")]
mod error;
#[cfg(feature = "markdown")]
mod markdown;
#[cfg(feature = "markdown")]
mod settings;

pub use claim::{Claim, Operand, Relation};
#[cfg(feature = "markdown")]
pub use error::LessonError;
pub use number::{Condition, Extreme, ModelFact, Number, Of, Reading, Writing};

use serde::{Deserialize, Serialize};

/// The most steps that a lesson may have.
pub const MOST_STEPS: usize = 200;
/// The longest text of a lesson, in bytes.
pub const LONGEST_TEXT: usize = 1_000_000;

/// A lesson.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lesson {
    /// What it is and where it comes from.
    pub head: Head,
    /// Its steps, at least one.
    pub steps: Vec<Step>,
}

/// What a lesson says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Head {
    /// Its title.
    pub title: String,
    /// What it is about, in a sentence.
    pub about: String,
    /// The paper or post it follows.
    pub source: String,
    /// The language of its text, as HTML's `lang` has it, where it is not English.
    pub language: String,
}

/// A step of a lesson.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Step {
    /// Its title.
    pub title: String,
    /// The state of the page, as a link's query without `?`; `None` where it stays as it is.
    pub state: Option<String>,
    /// Identifiers of the figures that are lit, the first one first.
    pub light: Vec<String>,
    /// What is lit in them.
    pub lit: Lit,
    /// The equation or figure that it stands for.
    pub source: String,
    /// What its text claims of numbers.
    pub claims: Vec<Claim>,
    /// Its text.
    pub text: Vec<Block>,
    /// A question, answered on request.
    pub question: Option<Question>,
    /// What only the speaker sees.
    pub notes: Vec<Block>,
}

/// What a step lights in figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Lit {
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
pub struct Question {
    /// What is asked.
    pub asks: Vec<Inline>,
    /// What is said then.
    pub reveals: Vec<Block>,
}

/// A block of text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Block {
    /// A paragraph.
    Paragraph(Vec<Inline>),
    /// A list.
    List {
        /// Whether its items are counted.
        counted: bool,
        /// Its items.
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
    /// A link: an `https` address, or `?` and a query of the page.
    Link {
        /// Where it leads.
        to: String,
        /// What is read.
        text: Vec<Self>,
    },
    /// A number that the page fills in.
    Number(Number),
}

/// A lesson in the list of those that come with the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedLesson {
    /// Its identifier: the name of its file.
    pub id: String,
    /// What it says of itself.
    pub head: Head,
    /// How many steps it has.
    pub steps: usize,
}

impl ListedLesson {
    /// A list as bytes, for [`Self::list_from_bytes`].
    ///
    /// # Errors
    /// When there is no memory for them.
    pub fn list_to_bytes(list: &[Self]) -> Result<Vec<u8>, postcard::Error> {
        postcard::to_stdvec(list)
    }

    /// A list from the bytes of [`Self::list_to_bytes`].
    ///
    /// # Errors
    /// When they are something else.
    pub fn list_from_bytes(bytes: &[u8]) -> Result<Vec<Self>, postcard::Error> {
        postcard::from_bytes(bytes)
    }
}

impl Lesson {
    /// As bytes, for [`Self::from_bytes`].
    ///
    /// # Errors
    /// When there is no memory for them.
    pub fn to_bytes(&self) -> Result<Vec<u8>, postcard::Error> {
        postcard::to_stdvec(self)
    }

    /// From the bytes of [`Self::to_bytes`] of the same version.
    ///
    /// # Errors
    /// When they are something else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, postcard::Error> {
        postcard::from_bytes(bytes)
    }
}

impl Step {
    /// Every number in it: of its text, question and notes, and of its claims.
    pub fn numbers(&self) -> impl Iterator<Item = &Number> {
        let blocks = self.text.iter().chain(&self.notes);
        let asked = self.question.iter();
        let reveals = asked.clone().flat_map(|question| &question.reveals);
        let asks = asked.flat_map(|question| numbers_in(&question.asks));
        blocks
            .chain(reveals)
            .flat_map(Block::numbers)
            .chain(asks)
            .chain(self.claims.iter().flat_map(Claim::numbers))
    }

    /// How many words its text has; a number counts as one.
    #[must_use]
    pub fn words(&self) -> usize {
        self.text.iter().map(Block::words).sum()
    }
}

impl Block {
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
            Inline::Text(_) | Inline::Code(_) => Vec::new(),
        })
        .collect()
}

/// Text without its emphases, its numbers written by `write`.
#[must_use]
pub fn plain(text: &[Inline], write: &impl Fn(&Number) -> String) -> String {
    text.iter()
        .map(|piece| match piece {
            Inline::Text(text) | Inline::Code(text) => text.clone(),
            Inline::Number(number) => write(number),
            Inline::Emphasis(text) | Inline::Strong(text) | Inline::Link { text, .. } => {
                plain(text, write)
            }
        })
        .collect()
}
