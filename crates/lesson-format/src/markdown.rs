//! Parses a lesson from Markdown.
//!
//! Supported are level-2 headings, paragraphs, lists, block quotes, emphasis, code, links and
//! formulas. Everything else is rejected with its line, in particular HTML and images, because lessons are untrusted.

use super::{
    Block, Head, Inline, LONGEST_TEXT, Lesson, LessonError, LessonFormula, LessonQuestion,
    MOST_STEPS, Number, Step, settings,
};
use pulldown_cmark::{
    Event, HeadingLevel, MetadataBlockKind, Options, Parser, Tag, TagEnd, TextMergeWithOffset,
};
use std::ops::Range;

/// Maximum nesting of emphasis.
const DEEPEST: usize = 8;
/// Maximum number of numbers per step.
const MOST_NUMBERS: usize = 100;
/// Prefix of the first paragraph of a step's notes.
const NOTES: &str = "Notes:";

impl Lesson {
    /// Parses a lesson.
    ///
    /// # Errors
    /// If it does not follow the format in `www/lessons/README.md`.
    pub fn parse(text: &str) -> Result<Self, LessonError> {
        if text.len() > LONGEST_TEXT {
            return Err(LessonError {
                line: 1,
                sentence: format!(
                    "A lesson has at most {LONGEST_TEXT} bytes, and this text has {}.",
                    text.len()
                ),
            });
        }
        let mut reader = Reader::new(text);
        let events = TextMergeWithOffset::new(
            Parser::new_ext(
                text,
                Options::ENABLE_YAML_STYLE_METADATA_BLOCKS | Options::ENABLE_MATH,
            )
            .into_offset_iter(),
        );
        for (event, range) in events {
            let line = range.start;
            reader
                .take(event, range)
                .map_err(|sentence| error_at(text, line, sentence))?;
        }
        reader.end()
    }
}

fn error_at(text: &str, byte: usize, sentence: String) -> LessonError {
    let before = text.as_bytes().get(..byte).unwrap_or_default();
    LessonError {
        line: 1 + before.iter().filter(|byte| **byte == b'\n').count(),
        sentence,
    }
}

/// Destination of the current text within a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The step's text.
    Text,
    /// The question or its answer.
    Question,
    /// The notes.
    Notes,
}

/// An open element and its text so far.
struct OpenElement<'a> {
    tag: Tag<'a>,
    /// One past its last byte in the source.
    end: usize,
    text: Vec<Inline>,
}

/// Parser state.
struct Reader<'a> {
    source: &'a str,
    lesson: Lesson,
    /// Whether the head has been read.
    has_head: bool,
    /// Destination of the next block.
    place: Place,
    /// Open elements, including paragraphs and items.
    open: Vec<OpenElement<'a>>,
    /// The open list: whether it is numbered, and its items.
    list: Option<(bool, Vec<Vec<Inline>>)>,
    /// Whether the open list is the list of settings of the step.
    sets_up: bool,
    /// Whether only the heading of the step has been read.
    is_fresh: bool,
    /// One past the closing brace of the last number that Markdown had split.
    number_end: usize,
}

impl<'a> Reader<'a> {
    fn new(source: &'a str) -> Self {
        Self {
            source,
            lesson: Lesson {
                head: Head::default(),
                steps: Vec::new(),
            },
            has_head: false,
            place: Place::Text,
            open: Vec::new(),
            list: None,
            sets_up: false,
            is_fresh: false,
            number_end: 0,
        }
    }

    fn take(&mut self, event: Event<'a>, range: Range<usize>) -> Result<(), String> {
        if self.sets_up {
            return self.take_setting(&event, range);
        }
        let Some(event) = self.after_number(event, &range)? else {
            return Ok(());
        };
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(end) => self.close(end),
            Event::Text(text) => self.text(&text, range),
            Event::Code(code) => self.push(Inline::Code(code.into_string())),
            Event::InlineMath(source) => self.formula(&source),
            Event::DisplayMath(_) => Err(
                "A formula stands in its line, between single dollar signs: $x^2$.".to_owned(),
            ),
            Event::SoftBreak | Event::HardBreak => self.push(Inline::Text(" ".to_owned())),
            Event::Html(_) | Event::InlineHtml(_) => Err("A lesson has no HTML.".to_owned()),
            _ => Err("This is nothing that a lesson has: it has paragraphs, lists, questions, emphasis, code, links and formulas.".to_owned()),
        }
    }

    fn start(&mut self, tag: Tag<'a>, range: Range<usize>) -> Result<(), String> {
        let end = range.end;
        match &tag {
            Tag::MetadataBlock(MetadataBlockKind::YamlStyle) if !self.has_head => {}
            Tag::Heading {
                level: HeadingLevel::H2,
                ..
            } => {
                self.place = Place::Text;
                self.begin_step()?;
            }
            Tag::Heading { .. } => {
                return Err("A step begins with “## ”; there are no other headings.".to_owned());
            }
            Tag::List(_) if self.list.is_some() => {
                return Err("A list in a list is too much for a step.".to_owned());
            }
            Tag::List(counted) => {
                self.step()?;
                if self.is_fresh && counted.is_none() {
                    self.sets_up = true;
                    return Ok(());
                }
                self.list = Some((counted.is_some(), Vec::new()));
                return Ok(());
            }
            Tag::BlockQuote(_) => {
                let step = self.step()?;
                if step.question.replace(LessonQuestion::default()).is_some() {
                    return Err("A step has one question.".to_owned());
                }
                self.place = Place::Question;
                self.is_fresh = false;
                return Ok(());
            }
            Tag::Paragraph | Tag::Item => {
                self.step()?;
                self.is_fresh = false;
            }
            Tag::Link { dest_url, .. } => {
                if !(dest_url.starts_with("https://") || dest_url.starts_with('?')) {
                    return Err(format!(
                        "“{dest_url}” is no address for a link: https addresses are, and links of this page, which begin with “?”."
                    ));
                }
            }
            Tag::Emphasis | Tag::Strong => {}
            Tag::Image { .. } => {
                return Err(
                    "A lesson has no pictures of its own: its figures are those of the page."
                        .to_owned(),
                );
            }
            Tag::HtmlBlock => return Err("A lesson has no HTML.".to_owned()),
            _ => {
                let text = self.source.get(range).unwrap_or_default();
                let begins = text.lines().next().unwrap_or_default();
                return Err(format!(
                    "“{begins}” is nothing that a lesson has: it has paragraphs, lists, questions, emphasis, code, links and formulas."
                ));
            }
        }
        if self.open.len() >= DEEPEST {
            return Err("Emphasis stands too deep in emphasis.".to_owned());
        }
        self.open.push(OpenElement {
            tag,
            end,
            text: Vec::new(),
        });
        Ok(())
    }

    /// The part of an event after the last number: text between a number's braces is not Markdown.
    ///
    /// # Errors
    /// If an element begins within the braces and ends after them.
    fn after_number(
        &self,
        event: Event<'a>,
        range: &Range<usize>,
    ) -> Result<Option<Event<'a>>, String> {
        if range.start >= self.number_end {
            return Ok(Some(event));
        }
        match event {
            _ if range.end <= self.number_end => Ok(None),
            // The end of an element that was opened before the braces.
            Event::End(_) => Ok(Some(event)),
            Event::Text(text) => {
                let rest = text.split_once('}').map(|(_, rest)| rest.to_owned());
                Ok(rest.map(|rest| Event::Text(rest.into())))
            }
            _ => Err(
                "Emphasis, code, a link or a formula begins between the braces of a number and ends after them."
                    .to_owned(),
            ),
        }
    }

    fn close(&mut self, end: TagEnd) -> Result<(), String> {
        match end {
            TagEnd::List(_) => {
                if let Some((counted, items)) = self.list.take() {
                    self.put(Block::List {
                        is_numbered: counted,
                        items,
                    })?;
                }
                return Ok(());
            }
            TagEnd::BlockQuote(_) => {
                self.place = Place::Text;
                let question = self.step()?.question.as_ref();
                return match question {
                    Some(question) if question.reveals.is_empty() => Err(
                        "A question needs an answer: a second paragraph of the quotation."
                            .to_owned(),
                    ),
                    _ => Ok(()),
                };
            }
            _ => {}
        }
        let Some(OpenElement { tag, text, .. }) = self.open.pop() else {
            return Ok(());
        };
        match tag {
            Tag::Heading { .. } => {
                let title = super::plain(&text, &|_| String::new());
                if title.trim().is_empty() {
                    return Err("A step needs a title.".to_owned());
                }
                self.step()?.title = title;
                self.is_fresh = true;
                Ok(())
            }
            Tag::MetadataBlock(_) => {
                self.has_head = true;
                let lines = super::plain(&text, &|_| String::new());
                (lines.lines().filter(|line| !line.trim().is_empty()))
                    .try_for_each(|line| settings::read_head(&mut self.lesson.head, line))
            }
            Tag::Emphasis => self.push(Inline::Emphasis(text)),
            Tag::Strong => self.push(Inline::Strong(text)),
            Tag::Link { dest_url, .. } => self.push(Inline::Link {
                to: dest_url.into_string(),
                text,
            }),
            // A paragraph in a list item: join the paragraphs of an item.
            Tag::Paragraph if self.list.is_some() => {
                if let Some(item) = self.open.last_mut() {
                    item.text.extend(text);
                }
                Ok(())
            }
            Tag::Item => {
                if let Some((_, items)) = &mut self.list {
                    items.push(text);
                }
                Ok(())
            }
            _ => self.put(Block::Paragraph(text)),
        }
    }

    /// Reads settings from the source, because Markdown could turn a query into emphasis.
    fn take_setting(&mut self, event: &Event, range: Range<usize>) -> Result<(), String> {
        match event {
            Event::Start(Tag::Item) => {
                let line = self.source.get(range).unwrap_or_default();
                let line = line.trim().trim_start_matches(['-', '*', '+']);
                let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
                settings::read_setting(self.step()?, &line)
            }
            Event::End(TagEnd::List(_)) => {
                (self.sets_up, self.is_fresh) = (false, false);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Adds text and the numbers in it. A number that Markdown has split, such as `{figure: __column__}`, is read from
    /// the source.
    fn text(&mut self, text: &str, range: Range<usize>) -> Result<(), String> {
        if self.is_plain() {
            return self.push(Inline::Text(text.to_owned()));
        }
        if self.has_lone_dollar(&range) {
            return Err(
                "A dollar sign begins a formula, and this one has no end in its paragraph, or its braces do not match. Write $x^2$ for a formula and \\$ for the sign itself."
                    .to_owned(),
            );
        }
        let mut rest = text;
        let mut numbers = 0;
        while let Some((before, inside)) = rest.split_once('{') {
            if !before.is_empty() {
                self.push(Inline::Text(before.to_owned()))?;
            }
            let Some((number, after)) = inside.split_once('}') else {
                let number = self.number_taken_apart(range, numbers).ok_or_else(|| {
                    format!("“{{{inside}” lacks a closing brace in the same piece of text.")
                })?;
                return self.push(Inline::Number(Number::parse(&number)?));
            };
            self.push(Inline::Number(Number::parse(number)?))?;
            numbers += 1;
            rest = after;
        }
        if rest.is_empty() {
            return Ok(());
        }
        self.push(Inline::Text(rest.to_owned()))
    }

    /// Adds a formula. Titles have none, because lists of steps are plain text.
    fn formula(&mut self, source: &str) -> Result<(), String> {
        if self.is_plain() {
            return Err(format!(
                "The title of a step has no formulas. Write “{source}” in plain letters."
            ));
        }
        // In a question, each line begins with a block quote marker.
        let lines = source.lines().map(str::trim_start);
        let lines = lines.enumerate().map(|(at, line)| match at {
            0 => line,
            _ => line.strip_prefix('>').unwrap_or(line),
        });
        let formula = LessonFormula::parse(&lines.collect::<Vec<_>>().join(" "))?;
        self.push(Inline::Formula(formula))
    }

    /// Whether the text is that of the head or of a title, which have neither numbers nor formulas.
    fn is_plain(&self) -> bool {
        let mut open = self.open.iter();
        open.any(|open| matches!(open.tag, Tag::MetadataBlock(_) | Tag::Heading { .. }))
    }

    /// Whether the source has a dollar sign in `range` without a backslash before it.
    fn has_lone_dollar(&self, range: &Range<usize>) -> bool {
        let bytes = self.source.as_bytes();
        range.clone().any(|at| {
            let before = bytes[..at].iter().rev();
            bytes[at] == b'$' && before.take_while(|byte| **byte == b'\\').count() % 2 == 0
        })
    }

    /// Text between braces that open in `range` of the source, after `numbers` complete numbers, and close later in the
    /// same element. Events within it are skipped afterwards.
    fn number_taken_apart(&mut self, range: Range<usize>, numbers: usize) -> Option<String> {
        let end = self.open.last()?.end;
        let mut at = range.start.max(self.number_end);
        for _ in 0..numbers {
            at += self.source.get(at..end)?.find('}')? + 1;
        }
        at += self.source.get(at..end)?.find('{')? + 1;
        let length = self.source.get(at..end)?.find('}')?;
        let number = self.source.get(at..at + length)?;
        self.number_end = at + length + 1;
        // In a question, each line begins with a block quote marker.
        let lines = number.lines().map(str::trim_start);
        let lines = lines.map(|line| line.strip_prefix('>').unwrap_or(line).trim());
        Some(lines.collect::<Vec<_>>().join(" "))
    }

    fn push(&mut self, piece: Inline) -> Result<(), String> {
        let Some(open) = self.open.last_mut() else {
            return Err("Text stands in no step.".to_owned());
        };
        open.text.push(piece);
        Ok(())
    }

    /// Adds a block to the step's text, question or notes.
    fn put(&mut self, mut block: Block) -> Result<(), String> {
        if let Block::Paragraph(text) = &mut block
            && self.place != Place::Question
            && let Some(Inline::Text(first)) = text.first_mut()
            && let Some(rest) = first.strip_prefix(NOTES)
        {
            *first = rest.trim_start().to_owned();
            self.place = Place::Notes;
        }
        let place = self.place;
        let step = self.step()?;
        match place {
            Place::Text => step.text.push(block),
            Place::Notes => step.notes.push(block),
            Place::Question => {
                let question = step.question.get_or_insert_default();
                match block {
                    Block::Paragraph(text) if question.asks.is_empty() => question.asks = text,
                    block => question.reveals.push(block),
                }
            }
        }
        Ok(())
    }

    fn begin_step(&mut self) -> Result<(), String> {
        self.check_step()?;
        if self.lesson.steps.len() == MOST_STEPS {
            return Err(format!("A lesson has at most {MOST_STEPS} steps."));
        }
        self.lesson.steps.push(Step::default());
        Ok(())
    }

    fn check_step(&self) -> Result<(), String> {
        match self.lesson.steps.last() {
            Some(step) if step.numbers().count() > MOST_NUMBERS => Err(format!(
                "The step before this has more than {MOST_NUMBERS} numbers."
            )),
            _ => Ok(()),
        }
    }

    fn step(&mut self) -> Result<&mut Step, String> {
        self.lesson.steps.last_mut().ok_or_else(|| {
            "Text stands before the first step, which begins with “## ” and a title.".to_owned()
        })
    }

    fn end(self) -> Result<Lesson, LessonError> {
        let last = self.source.len();
        self.check_step()
            .map_err(|sentence| error_at(self.source, last, sentence))?;
        let missing = if self.lesson.head.title.is_empty() {
            Some("The head of a lesson says its title, between two lines of “---”: “title: …”.")
        } else if self.lesson.steps.is_empty() {
            Some("A lesson has steps, each of which begins with “## ” and a title.")
        } else {
            None
        };
        match missing {
            Some(sentence) => Err(error_at(self.source, 0, sentence.to_owned())),
            None => Ok(self.lesson),
        }
    }
}
