//! Link sections for the open lesson and for the one figure that another page embeds, and how the steps of a lesson
//! change the rest of the link.

use super::{
    FigureId, Link, ModelRef, ParseWarnings,
    codec::{Codec, Flag, FromOne, Maybe, ShortText, take},
    section::fields,
};

/// The most characters of the name or address of a lesson.
const LONGEST_NAME: usize = 2_000;

/// The open lesson.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LessonSection {
    /// The lesson: an identifier, an `https` address, or `file:` and the name of a local file.
    pub lesson: Option<String>,
    /// The step, counted from 0.
    pub step: usize,
    /// Whether it is presented: large figures, and beside them only the text.
    pub is_presented: bool,
    /// Set in a window that shows only the speaker's notes. The name of the lecture's channel, or empty if the address
    /// names none.
    pub speaker: Option<String>,
}

fields! { LessonSection {
    "lesson" => lesson: Maybe(ShortText(LONGEST_NAME));
    "lesson-step" => step: FromOne;
    "present" => is_presented: Flag;
    "speaker" => speaker: Maybe(LectureName);
}}

/// The most characters of the name of a lecture.
const LONGEST_LECTURE: usize = 32;

/// The name of a lecture: hexadecimal digits, possibly none.
struct LectureName;

impl Codec<String> for LectureName {
    fn read(&self, text: &str, into: &mut String) -> Result<(), String> {
        let is_name =
            text.len() <= LONGEST_LECTURE && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        take(text, is_name.then(|| text.to_owned()), into)
    }

    fn write(&self, value: &String) -> Option<String> {
        Some(value.clone())
    }
}

/// Options of a link that another page embeds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EmbedSection {
    /// The only figure that is shown.
    pub figure: Option<FigureId>,
}

fields! { EmbedSection {
    "embed" => figure: OneFigure;
}}

/// A figure by its identifier.
struct OneFigure;

impl Codec<Option<FigureId>> for OneFigure {
    fn read(&self, text: &str, into: &mut Option<FigureId>) -> Result<(), String> {
        take(text, FigureId::from_id(text).map(Some), into)
    }

    fn write(&self, value: &Option<FigureId>) -> Option<String> {
        value.map(|figure| figure.id().to_owned())
    }
}

/// Source of a lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LessonPlace<'a> {
    /// A lesson that ships with the page, by its identifier.
    Page(&'a str),
    /// A local file, by its name.
    File(&'a str),
    /// An address.
    Address(&'a str),
}

/// Prefix of the name of a lesson that is a local file.
const FILE: &str = "file:";

impl<'a> LessonPlace<'a> {
    /// Parses the name of a lesson in a link.
    #[must_use]
    pub fn from_name(name: &'a str) -> Self {
        if let Some(file) = name.strip_prefix(FILE) {
            Self::File(file)
        } else if name.contains("://") {
            Self::Address(name)
        } else {
            Self::Page(name)
        }
    }

    /// Returns the name of the lesson in links.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Page(name) | Self::Address(name) => name.to_owned(),
            Self::File(file) => format!("{FILE}{file}"),
        }
    }
}

impl LessonSection {
    /// Returns the lesson and the index of its step.
    pub(super) fn place(&self) -> (Option<&str>, usize) {
        (self.lesson.as_deref(), self.step)
    }
}

impl Link {
    /// Returns this link with the state of a lesson step (a query without `?`), and the parse warnings of that state.
    /// The lesson, the compute backend and the embedded figure stay, since steps do not set them.
    #[must_use]
    pub fn in_state(&self, state: &str) -> (Self, ParseWarnings) {
        let (link, warnings) = Self::parse(state);
        let link = Self {
            lesson: self.lesson.clone(),
            backend: self.backend.clone(),
            embed: self.embed.clone(),
            ..link
        };
        (link, warnings)
    }

    /// Returns the link to a lesson's first step.
    #[must_use]
    pub fn from_lesson(name: &str) -> Self {
        Self::at_step(&LessonSection {
            lesson: Some(name.to_owned()),
            ..LessonSection::default()
        })
    }

    /// Returns a link that names only the step of a lesson.
    #[must_use]
    pub fn at_step(section: &LessonSection) -> Self {
        Self {
            lesson: LessonSection {
                is_presented: false,
                ..section.clone()
            },
            ..Self::default()
        }
    }

    /// Returns whether the link names only a lesson, so that the step decides what is shown.
    #[must_use]
    pub fn leaves_state_to_lesson(&self) -> bool {
        self.lesson.lesson.is_some() && self.in_state("").0 == *self
    }

    /// Returns whether both links show the same apart from the lesson. Runs that are open as models do not count: the
    /// view that shows a run opens it by itself.
    #[must_use]
    pub fn shows_as(&self, other: &Self) -> bool {
        let alone = |link: &Self| {
            let mut link = link.clone();
            link.lesson = LessonSection::default();
            let models = &mut link.models.models;
            models.retain(|named| !matches!(named.model, ModelRef::Run(_)));
            // A link lists no model but its own only if there are others.
            if models.iter().all(|named| named.model == link.model) {
                models.clear();
            }
            link
        };
        alone(self) == alone(other)
    }
}
