//! Which lesson is open, how it is shown, and what its steps do with the rest of the link; and the one figure that
//! another page may embed.

use super::{
    FigureEntry, LazySection, Link, ParseWarnings,
    codec::{Codec, Flag, FromOne, Maybe, ShortText, take},
    figures::figure_named,
    section::fields,
};

/// The longest name or address of a lesson.
const LONGEST_NAME: usize = 2_000;

/// The lesson that is open.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LessonSection {
    /// What it is called: an identifier, an `https` address, or `file:` and the name of a file of this device.
    pub lesson: Option<String>,
    /// The step, counted from 0.
    pub step: usize,
    /// Whether it is presented: the figures large, and nothing beside them but the text.
    pub presenting: bool,
    /// Whose notes this window shows, and nothing else: the lecture by the name of its channel, or an empty name where
    /// the address names none.
    pub speaker: Option<String>,
}

fields! { LessonSection {
    "lesson" => lesson: Maybe(ShortText(LONGEST_NAME));
    "lesson-step" => step: FromOne;
    "present" => presenting: Flag;
    "speaker" => speaker: Maybe(LectureName);
}}

/// Characters of the name of a lecture at most.
const LONGEST_LECTURE: usize = 32;

/// The name of a lecture: hexadecimal digits, or none.
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

/// What a link for the page of somebody else says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EmbedSection {
    /// The only figure that is shown.
    pub figure: Option<&'static FigureEntry>,
}

fields! { EmbedSection {
    "embed" => figure: OneFigure;
}}

/// A figure by its identifier.
struct OneFigure;

impl Codec<Option<&'static FigureEntry>> for OneFigure {
    fn read(&self, text: &str, into: &mut Option<&'static FigureEntry>) -> Result<(), String> {
        take(text, figure_named(text).map(Some), into)
    }

    fn write(&self, value: &Option<&'static FigureEntry>) -> Option<String> {
        value.map(|figure| figure.id.to_owned())
    }
}

/// Where a lesson lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LessonPlace<'a> {
    /// Beside the page, by its identifier.
    Page(&'a str),
    /// On this device, by the name of its file.
    File(&'a str),
    /// At an address.
    Address(&'a str),
}

/// What begins the name of a lesson that is a file of this device.
const FILE: &str = "file:";

impl<'a> LessonPlace<'a> {
    /// What a link's name means.
    #[must_use]
    pub fn of(name: &'a str) -> Self {
        if let Some(file) = name.strip_prefix(FILE) {
            Self::File(file)
        } else if name.contains("://") {
            Self::Address(name)
        } else {
            Self::Page(name)
        }
    }

    /// Its name in links.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Page(name) | Self::Address(name) => name.to_owned(),
            Self::File(file) => format!("{FILE}{file}"),
        }
    }
}

impl LazySection<LessonSection> {
    /// Which lesson and step, as the link has them.
    pub(super) fn place(&self) -> [Option<&str>; 2] {
        ["lesson", "lesson-step"].map(|key| self.text(key))
    }
}

impl Link {
    /// This link in the state of a step, a query without `?`; and what of that was not understood. What no step says
    /// stays: the lesson, who computes, and what is embedded.
    #[must_use]
    pub fn in_state(&self, state: &str) -> (Self, ParseWarnings) {
        let (link, misread) = Self::parse(state);
        let link = Self {
            lesson: self.lesson.clone(),
            computing: self.computing.clone(),
            embed: self.embed.clone(),
            ..link
        };
        (link, misread)
    }

    /// The link to a lesson's first step.
    #[must_use]
    pub fn of_lesson(name: &str) -> Self {
        Self::at_step(&LessonSection {
            lesson: Some(name.to_owned()),
            ..LessonSection::default()
        })
    }

    /// A link that says no more than the step of a lesson.
    #[must_use]
    pub fn at_step(section: &LessonSection) -> Self {
        Self {
            lesson: LazySection::from(LessonSection {
                presenting: false,
                ..section.clone()
            }),
            ..Self::default()
        }
    }

    /// Whether it says no more than which lesson is open, so that the step says what is shown.
    #[must_use]
    pub fn leaves_state_to_lesson(&self) -> bool {
        self.lesson.text("lesson").is_some() && self.in_state("").0 == *self
    }

    /// Whether both show the same, in whatever lesson.
    #[must_use]
    pub fn shows_as(&self, other: &Self) -> bool {
        let other = Self {
            lesson: self.lesson.clone(),
            ..other.clone()
        };
        *self == other
    }
}
