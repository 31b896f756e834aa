//! Sample texts of the text view, from the files in `www/texts/`.

/// A sample text with its origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextSample {
    /// Identifier in links: the name of the file.
    pub id: &'static str,
    /// Title in the list of samples.
    pub title: &'static str,
    /// Language: `en`, `de` or `fr`.
    pub language: &'static str,
    /// Author, work and year.
    pub source: &'static str,
    /// Terms under which the page has it.
    pub licence: &'static str,
    /// The text.
    pub text: &'static str,
}

macro_rules! samples {
    ($($id:literal)+) => {
        /// Identifiers and files of the samples, in the order of the list. The first is shown at first.
        const FILES: &[(&str, &str)] = &[
            $(($id, include_str!(concat!("../www/texts/", $id, ".txt"))),)+
        ];
    };
}

samples! {
    "dog" "lid" "pride" "alice" "beagle" "gettysburg"
    "erlkoenig" "froschkoenig" "verwandlung"
    "corbeau" "bon-sens" "demain"
}

/// Languages of the samples, and their names.
pub const SAMPLE_LANGUAGES: &[(&str, &str)] =
    &[("en", "English"), ("de", "Deutsch"), ("fr", "Français")];

impl TextSample {
    /// Returns all samples. A file that is not in the format is left out, which a test rules out.
    pub fn all() -> impl Iterator<Item = Self> {
        FILES.iter().filter_map(|(id, file)| Self::parse(id, file))
    }

    /// Returns the sample with an identifier.
    #[must_use]
    pub fn find(id: &str) -> Option<Self> {
        Self::all().find(|sample| sample.id == id)
    }

    /// Parses a file: four named lines, an empty line, and the text.
    fn parse(id: &'static str, file: &'static str) -> Option<Self> {
        let (head, text) = file.split_once("\n\n")?;
        let value = |name: &str| {
            head.lines()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
        };
        Some(Self {
            id,
            title: value("title")?,
            language: value("language")?,
            source: value("source")?,
            licence: value("licence")?,
            text: text.trim(),
        })
    }
}
