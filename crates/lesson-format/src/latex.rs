//! Reads formulas from LaTeX.
//!
//! `pulldown_latex` parses; the tree is built here, because its own MathML may carry colours and other attributes that
//! a lesson must not set.

use super::{
    LessonFormula,
    mathml::{MathLayout, MathNode, MathToken, mathml},
};
use pulldown_latex::{
    Parser, ParserError, Storage,
    event::{
        Content, DelimiterType, DimensionUnit, Event, Font, Grouping, ScriptPosition, ScriptType,
        StateChange, Visual,
    },
};
use std::error::Error;

/// Maximum length of a formula in bytes.
const LONGEST: usize = 500;
/// Maximum number of parts of a formula, counted as the parser's events.
const MOST_EVENTS: usize = 500;
/// Maximum nesting of groups, fractions, roots and scripts.
const DEEPEST: usize = 12;
/// Commands that define further commands. They are refused, because definitions may expand without end.
const DEFINITIONS: [&str; 9] = [
    "def",
    "edef",
    "gdef",
    "xdef",
    "let",
    "futurelet",
    "newcommand",
    "renewcommand",
    "providecommand",
];
/// Space between the name of a function and a letter after it, in thousandths of an em.
const THIN: i32 = 167;

impl LessonFormula {
    /// Reads a formula. `source` is the text between dollar signs.
    ///
    /// # Errors
    /// A sentence: the source is too long, is not LaTeX, or uses a command that lessons do not have.
    pub fn parse(source: &str) -> Result<Self, String> {
        let source = source.split_whitespace().collect::<Vec<_>>().join(" ");
        if source.len() > LONGEST {
            return Err(format!(
                "A formula has at most {LONGEST} bytes, and this one has {}. Split it into several.",
                source.len()
            ));
        }
        if let Some(command) = commands(&source).find(|command| DEFINITIONS.contains(command)) {
            return Err(format!(
                "A formula defines no commands, so “\\{command}” is not part of it."
            ));
        }
        let storage = Storage::new();
        let mut reader = FormulaReader {
            events: Parser::new(&source, &storage),
            count: 0,
            is_upright: false,
        };
        let rows = reader.row(0).map(split).map_err(|reason| {
            format!(
                "The formula “{source}” cannot be read: {reason}. A formula is LaTeX, such as x_i, x^2, \\frac{{a}}{{b}}, \\sqrt{{x}} or \\hat F_P."
            )
        })?;
        let mathml = rows.iter().map(|row| mathml(row)).collect();
        Ok(Self { source, mathml })
    }
}

/// The commands of a formula, without their backslashes.
fn commands(source: &str) -> impl Iterator<Item = &str> {
    source.split('\\').skip(1).map(|rest| {
        let end = rest.find(|letter: char| !letter.is_ascii_alphabetic());
        &rest[..end.unwrap_or(rest.len())]
    })
}

/// Builds a tree from the parser's events.
struct FormulaReader<'a> {
    events: Parser<'a>,
    count: usize,
    /// Whether letters are upright.
    is_upright: bool,
}

impl<'a> FormulaReader<'a> {
    fn next(&mut self) -> Result<Option<Event<'a>>, String> {
        self.count += 1;
        if self.count > MOST_EVENTS {
            return Err("it is too long".to_owned());
        }
        self.events
            .next()
            .transpose()
            .map_err(|error| explain(&error))
    }

    /// Reads elements until their group or the formula ends.
    fn row(&mut self, depth: usize) -> Result<Vec<MathNode>, String> {
        let mut row = Vec::new();
        while let Some(event) = self.next()? {
            if event == Event::End {
                break;
            }
            if let Some(node) = self.node(event, depth)? {
                push(&mut row, node);
            }
        }
        Ok(row)
    }

    /// Reads the next element, and changes of fonts before it.
    fn element(&mut self, depth: usize) -> Result<MathNode, String> {
        loop {
            let event = self.next()?.ok_or("it ends too early")?;
            if let Some(node) = self.node(event, depth)? {
                return Ok(node);
            }
        }
    }

    fn elements(&mut self, count: usize, depth: usize) -> Result<Vec<MathNode>, String> {
        (0..count).map(|_| self.element(depth)).collect()
    }

    /// Reads the element that begins with `event`; `None` for a change of font.
    fn node(&mut self, event: Event<'a>, depth: usize) -> Result<Option<MathNode>, String> {
        if depth > DEEPEST {
            return Err("its parts are nested too deeply".to_owned());
        }
        let depth = depth + 1;
        Ok(Some(match event {
            Event::Content(content) => self.token(content),
            Event::Begin(Grouping::Normal) => {
                let outside = self.is_upright;
                let mut row = self.row(depth)?;
                self.is_upright = outside;
                match row.pop() {
                    // A mark in braces, as in 10{,}000, has no space beside it.
                    Some(MathNode::Token(MathToken::Operator, mark))
                        if row.is_empty() && mark == "," =>
                    {
                        MathNode::Token(MathToken::Number, mark)
                    }
                    Some(node) if row.is_empty() => node,
                    last => {
                        MathNode::Layout(MathLayout::Row, row.into_iter().chain(last).collect())
                    }
                }
            }
            Event::Begin(Grouping::LeftRight(left, right)) => {
                let fence = |token, fence: char| MathNode::Token(token, fence.to_string());
                let row = self.row(depth)?;
                let left = left.map(|left| fence(MathToken::TallFence, left));
                let right = right.map(|right| fence(MathToken::TallClosing, right));
                let nodes = left.into_iter().chain(row).chain(right);
                MathNode::Layout(MathLayout::Row, nodes.collect())
            }
            Event::Begin(_) | Event::EnvironmentFlow(_) => {
                return Err("it has a table or several lines".to_owned());
            }
            Event::End => return Err("a group ends that did not begin".to_owned()),
            Event::Visual(Visual::SquareRoot) => {
                MathNode::Layout(MathLayout::SquareRoot, self.elements(1, depth)?)
            }
            Event::Visual(Visual::Root) => {
                MathNode::Layout(MathLayout::Root, self.elements(2, depth)?)
            }
            Event::Visual(Visual::Fraction(None)) => {
                MathNode::Layout(MathLayout::Fraction, self.elements(2, depth)?)
            }
            Event::Visual(_) => {
                return Err("it has a fraction without a line, or a \\not".to_owned());
            }
            Event::Script { ty, position } => self.script(ty, position, depth)?,
            Event::Space { width, .. } => MathNode::Space(match width {
                Some(width) if width.unit == DimensionUnit::Em => (1000.0 * width.value) as i32,
                Some(width) if width.unit == DimensionUnit::Mu => {
                    (1000.0 / 18.0 * width.value) as i32
                }
                _ => return Err("a space is measured in em or mu".to_owned()),
            }),
            Event::StateChange(StateChange::Font(font)) => {
                self.is_upright = match font {
                    Some(Font::UpRight) => true,
                    None | Some(Font::Italic) => false,
                    Some(_) => return Err("letters are italic or \\mathrm".to_owned()),
                };
                return Ok(None);
            }
            Event::StateChange(StateChange::Style(_)) => return Ok(None),
            Event::StateChange(StateChange::Color(_)) => {
                return Err("it has a colour".to_owned());
            }
        }))
    }

    fn script(
        &mut self,
        ty: ScriptType,
        position: ScriptPosition,
        depth: usize,
    ) -> Result<MathNode, String> {
        let is_beside = position == ScriptPosition::Right;
        let (layout, count) = match (ty, is_beside) {
            (ScriptType::Subscript, true) => (MathLayout::Sub, 2),
            (ScriptType::Superscript, true) => (MathLayout::Sup, 2),
            (ScriptType::SubSuperscript, true) => (MathLayout::SubSup, 3),
            (ScriptType::Subscript, false) => (MathLayout::Under, 2),
            (ScriptType::Superscript, false) => (MathLayout::Over, 2),
            (ScriptType::SubSuperscript, false) => (MathLayout::UnderOver, 3),
        };
        let mut nodes = self.elements(count, depth)?;
        if let (MathLayout::Over, Some(MathNode::Token(token, accent))) = (layout, nodes.last_mut())
            && accent.chars().all(|letter| !letter.is_alphanumeric())
        {
            *token = MathToken::Accent;
            // The line of \bar is as long as the letter.
            if accent == "‾" {
                *accent = "¯".to_owned();
            }
        }
        Ok(MathNode::Layout(layout, nodes))
    }

    fn token(&self, content: Content<'_>) -> MathNode {
        let (token, text) = match content {
            Content::Text(words) => (MathToken::Words, words.to_owned()),
            Content::Number(number) => (MathToken::Number, number.to_owned()),
            Content::Function(name) => (MathToken::Name, name.to_owned()),
            Content::Ordinary {
                content: '∥' | '‖',
            ..
            } => (MathToken::Fence, '‖'.to_string()),
            Content::Ordinary { content: '|', .. } => (MathToken::Fence, '|'.to_string()),
            // A minus sign that was typed as such.
            Content::Ordinary { content: '−', .. } => (MathToken::Operator, '−'.to_string()),
            Content::Ordinary { content, .. } if self.is_upright => {
                (MathToken::Name, content.to_string())
            }
            Content::Ordinary { content, .. } => (MathToken::Variable, content.to_string()),
            Content::LargeOp { content, .. }
            | Content::BinaryOp { content, .. }
            | Content::Punctuation(content) => (MathToken::Operator, content.to_string()),
            Content::Relation { content, .. } => {
                let mut bytes = [0; 8];
                let text = content.encode_utf8_to_buf(&mut bytes);
                (
                    MathToken::Operator,
                    String::from_utf8_lossy(text).into_owned(),
                )
            }
            Content::Delimiter { content, ty, .. } => {
                let token = match ty {
                    DelimiterType::Close => MathToken::Closing,
                    DelimiterType::Open | DelimiterType::Fence => MathToken::Fence,
                };
                (token, content.to_string())
            }
        };
        MathNode::Token(token, text)
    }
}

/// The parser's reason, in one line.
fn explain(error: &ParserError) -> String {
    let reason = error.source().map(ToString::to_string).unwrap_or_default();
    reason.lines().next().unwrap_or_default().to_owned()
}

/// Adds an element to a row: letters of an upright name form one word, a sign is told from an operator, and the name of
/// a function is set off from a letter after it.
fn push(row: &mut Vec<MathNode>, mut node: MathNode) {
    if let MathNode::Token(token @ MathToken::Operator, sign) = &mut node
        && matches!(sign.as_str(), "−" | "+" | "±")
        && row.last().is_none_or(is_before_sign)
    {
        *token = MathToken::Prefix;
    }
    match (row.last_mut(), &node) {
        (
            Some(MathNode::Token(MathToken::Name, name)),
            MathNode::Token(MathToken::Name, letter),
        ) if letter.chars().count() == 1 => {
            name.push_str(letter);
            return;
        }
        (
            Some(last),
            MathNode::Token(MathToken::Variable | MathToken::Number, _) | MathNode::Layout(..),
        ) if is_function(last) => {
            row.push(MathNode::Space(THIN));
        }
        _ => {}
    }
    row.push(node);
}

/// Whether a sign after this element has no operand before it.
fn is_before_sign(node: &MathNode) -> bool {
    match node {
        MathNode::Token(MathToken::Operator | MathToken::Prefix, _) | MathNode::Space(_) => true,
        MathNode::Token(MathToken::Fence | MathToken::TallFence, fence) => {
            matches!(fence.as_str(), "(" | "[" | "{" | "⟨")
        }
        _ => false,
    }
}

/// Whether an element is the name of a function, with or without an index.
fn is_function(node: &MathNode) -> bool {
    match node {
        MathNode::Token(MathToken::Name, name) => name.chars().count() > 1,
        MathNode::Layout(layout, nodes) if *layout != MathLayout::Row => {
            nodes.first().is_some_and(is_function)
        }
        _ => false,
    }
}

/// Splits a row after relations, commas, sums and differences that are not in brackets.
fn split(row: Vec<MathNode>) -> Vec<Vec<MathNode>> {
    let mut rows = vec![Vec::new()];
    let mut depth = 0_i32;
    let mut is_in_bars = false;
    for node in row {
        let mut is_break = false;
        match (fence(&node), &node) {
            (Some("(" | "[" | "{" | "⟨"), _) => depth += 1,
            (Some(")" | "]" | "}" | "⟩"), _) => depth -= 1,
            (Some(_), _) => is_in_bars = !is_in_bars,
            (None, MathNode::Token(MathToken::Operator, operator)) => {
                let is_tight = operator.chars().all(|letter| "/⋅·∑∏∫".contains(letter));
                is_break = depth <= 0 && !is_in_bars && !is_tight;
            }
            (None, _) => {}
        }
        if let Some(last) = rows.last_mut() {
            last.push(node);
        }
        if is_break {
            rows.push(Vec::new());
        }
    }
    rows.retain(|row| !row.is_empty());
    rows
}

/// The bracket or bar that an element is, with or without an exponent.
fn fence(node: &MathNode) -> Option<&str> {
    match node {
        MathNode::Token(MathToken::Fence | MathToken::Closing, fence) => Some(fence),
        MathNode::Layout(MathLayout::Sub | MathLayout::Sup | MathLayout::SubSup, nodes) => {
            nodes.first().and_then(fence)
        }
        _ => None,
    }
}
