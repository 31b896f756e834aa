//! Link section of the text view.

use super::{
    codec::{Codec, Maybe, OneOf, ShortText, take, whole_within},
    section::fields,
};
use crate::{
    analysis::{MatrixPart, SpecialTokenMode, TextValues},
    figure::text_attention::{HEAD_MEASURES, HeadMeasure, ScatterAxes, StripColors},
};

/// The most characters of a text in a link, or of the identifier of a sample.
pub const LONGEST_LINKED_TEXT: usize = 2000;
/// The greatest position of a token that a link names.
const LAST_POSITION: usize = 1_000_000;

/// The values of a head that are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HeadContent {
    /// Attention or scores.
    pub values: TextValues,
    /// The whole map, its diagonal means, or the rest.
    pub part: MatrixPart,
    /// Treatment of special tokens.
    pub special: SpecialTokenMode,
}

/// Texts over which the means of a head are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TextScope {
    /// The open text.
    #[default]
    Open,
    /// The open text and all samples.
    Samples,
}

/// Layout of all heads of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextHeads {
    /// A row of thumbnails for each layer, with a number below each.
    Layers(HeadMeasure),
    /// Thumbnails in the order of a number.
    Sorted(HeadMeasure),
    /// Points.
    Scatter(ScatterAxes),
}

impl Default for TextHeads {
    fn default() -> Self {
        Self::Layers(HeadMeasure::AttentionR2)
    }
}

/// Choices in the text view.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TextSection {
    /// Identifier of the sample; `None` for the first.
    pub sample: Option<String>,
    /// A text in place of a sample. Typed text is in a link only if the visitor asks for that.
    pub words: Option<String>,
    /// The values of the open head.
    pub show: HeadContent,
    /// Texts over which the means of the open head are taken.
    pub scope: TextScope,
    /// The tints of the tokens.
    pub colors: Option<StripColors>,
    /// Layout of all heads.
    pub heads: TextHeads,
}

fields! { TextSection {
    "sample" => sample: Maybe(ShortText(LONGEST_LINKED_TEXT));
    "text" => words: Maybe(ShortText(LONGEST_LINKED_TEXT));
    "show" => show: ContentWords;
    "texts" => scope: OneOf(&[(TextScope::Open, "open"), (TextScope::Samples, "samples")]);
    "token" => colors: TintedBy;
    "text-heads" => heads: HeadsLayout;
}}

const VALUES: &[(TextValues, &str)] = &[
    (TextValues::Attention, "attention"),
    (TextValues::Scores, "scores"),
];
const PARTS: &[(MatrixPart, &str)] = &[
    (MatrixPart::Toeplitz, "toeplitz"),
    (MatrixPart::Residual, "residual"),
];
const SPECIAL: &[(SpecialTokenMode, &str)] = &[
    (SpecialTokenMode::Hidden, "hidden"),
    (SpecialTokenMode::Renormalised, "renormalised"),
];

/// Stores the value of a word, if the list has it.
fn set_word<T: Copy>(list: &[(T, &str)], word: &str, into: &mut T) -> bool {
    let entry = list.iter().find(|(_, other)| *other == word);
    entry.is_some_and(|(value, _)| {
        *into = *value;
        true
    })
}

/// Returns the word of a value. The first value of its type has none, unless it is listed.
fn word_of<T: PartialEq>(list: &[(T, &'static str)], value: &T) -> Option<&'static str> {
    let entry = list.iter().find(|(other, _)| other == value);
    entry.map(|(_, word)| *word)
}

/// The values, then the part unless it is the whole map, then special tokens unless they are shown:
/// `scores.residual.hidden`.
struct ContentWords;

impl Codec<HeadContent> for ContentWords {
    fn read(&self, text: &str, into: &mut HeadContent) -> Result<(), String> {
        let mut content = HeadContent::default();
        let is_known = text.split('.').all(|word| {
            set_word(VALUES, word, &mut content.values)
                || set_word(PARTS, word, &mut content.part)
                || set_word(SPECIAL, word, &mut content.special)
        });
        take(text, is_known.then_some(content), into)
    }

    fn write(&self, value: &HeadContent) -> Option<String> {
        let words = [
            word_of(VALUES, &value.values),
            word_of(PARTS, &value.part),
            word_of(SPECIAL, &value.special),
        ];
        Some(words.into_iter().flatten().collect::<Vec<_>>().join("."))
    }
}

/// `from.5` and `to.5`: attention from or to the token at position 5. `surprise`: surprise.
struct TintedBy;

impl Codec<Option<StripColors>> for TintedBy {
    fn read(&self, text: &str, into: &mut Option<StripColors>) -> Result<(), String> {
        let position = |text: &str| whole_within(text, 0..=LAST_POSITION);
        let colors = match text.split_once('.') {
            None if text == "surprise" => Some(StripColors::Surprise),
            Some(("from", query)) => position(query).map(StripColors::AttentionFrom),
            Some(("to", key)) => position(key).map(StripColors::AttentionTo),
            _ => None,
        };
        take(text, colors.map(Some), into)
    }

    fn write(&self, value: &Option<StripColors>) -> Option<String> {
        Some(match value.as_ref()? {
            StripColors::AttentionFrom(query) => format!("from.{query}"),
            StripColors::AttentionTo(key) => format!("to.{key}"),
            StripColors::Surprise => "surprise".to_owned(),
        })
    }
}

/// A number of heads, `entropy`: rows of layers with that number. `entropy.sorted`: in the order of that number. Three
/// numbers, `previous.next.entropy`: points with two axes and a colour.
struct HeadsLayout;

impl Codec<TextHeads> for HeadsLayout {
    fn read(&self, text: &str, into: &mut TextHeads) -> Result<(), String> {
        let number = |word: &str| {
            let entry = HEAD_MEASURES.iter().find(|(_, id, _)| *id == word);
            entry.map(|(number, ..)| *number)
        };
        let words: Vec<&str> = text.split('.').take(4).collect();
        let heads = match words.as_slice() {
            [label] => number(label).map(TextHeads::Layers),
            [order, "sorted"] => number(order).map(TextHeads::Sorted),
            [x, y, color] => (|| {
                let (x, y, color) = (number(x)?, number(y)?, number(color)?);
                Some(TextHeads::Scatter(ScatterAxes { x, y, color }))
            })(),
            _ => None,
        };
        take(text, heads, into)
    }

    fn write(&self, value: &TextHeads) -> Option<String> {
        let id = |number: &HeadMeasure| {
            let entry = HEAD_MEASURES.iter().find(|(other, ..)| other == number);
            entry.map_or("", |(_, id, _)| *id)
        };
        Some(match value {
            TextHeads::Layers(label) => id(label).to_owned(),
            TextHeads::Sorted(order) => format!("{}.sorted", id(order)),
            TextHeads::Scatter(ScatterAxes { x, y, color }) => {
                format!("{}.{}.{}", id(x), id(y), id(color))
            }
        })
    }
}
