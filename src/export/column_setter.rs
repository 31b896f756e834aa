//! Sets marks, lines of text and figures on a sheet, from top to bottom.

use super::{FigureLabels, TextOutlines, TextPlacement};
use crate::figure::{
    Anchor, Figure, Ink, Mark,
    scene::{CHARACTER, LETTER, fit_name},
    text::TEXT,
};

/// Distance between two lines of text.
pub(super) const LEADING: f64 = 16.0;
/// Font size of titles.
pub(super) const TITLE: f64 = 13.0;
/// Space for the name of a vertical axis.
const GUTTER: f64 = 15.0;
/// Space between the heading and the figure, and between the figure and the text below it.
pub(super) const GAP: f64 = 6.0;
/// Length of a line sample in a legend, and the start of its name.
const SAMPLE: (f64, f64) = (16.0, 21.0);
/// The most lines of a text.
const MOST_LINES: usize = 3;

/// The letters a to z in bold, for the letters of panels.
static PANEL_LETTERS: &[u8] = include_bytes!("../../www/fonts/panel-letters.ttf");

/// A figure with its labels, as it is set in a column of a sheet.
#[derive(Clone, Copy)]
pub(super) struct LabelledFigure<'a> {
    pub(super) figure: &'a dyn Figure,
    pub(super) labels: &'a FigureLabels,
}

impl LabelledFigure<'_> {
    /// Returns the space for the name of the vertical axis next to a figure within this width.
    fn gutter(self, width: f64) -> f64 {
        let is_named = self.figure.plot_frame(width).is_some() && !self.vertical_name().is_empty();
        if is_named { GUTTER } else { 0.0 }
    }

    /// Returns the width of the figure in a column of this width.
    pub(super) fn width(self, column: f64) -> f64 {
        column - self.gutter(column)
    }

    /// The name of the vertical axis, if the figure does not draw it itself.
    fn vertical_name(self) -> &'static str {
        match self.figure.vertical_name() {
            "" => self.labels.down,
            _ => "",
        }
    }

    /// Returns whether a mark shows a selection or a drag handle.
    fn is_selection(self, mark: &Mark, width: f64) -> bool {
        match mark {
            Mark::Line { stroke, .. } => *stroke == Ink::Chosen,
            Mark::Box { stroke, .. } => stroke.is_some_and(|(ink, _)| ink == Ink::Chosen),
            Mark::Dot { at, .. } => self.figure.handle_at(width, at.0, at.1).is_some(),
            _ => false,
        }
    }
}

/// Sets a column of a sheet from top to bottom.
pub(super) struct ColumnSetter<'a> {
    pub(super) letters: &'a TextOutlines<'a>,
    pub(super) marks: Vec<Mark>,
    /// Left edge of the column.
    pub(super) left: f64,
    /// Width of the column.
    pub(super) width: f64,
    /// Top of the next line.
    pub(super) y: f64,
}

impl ColumnSetter<'_> {
    /// Draws a figure and the names of its axes, and moves below them.
    pub(super) fn figure(&mut self, set: LabelledFigure<'_>) {
        let gutter = set.gutter(self.width);
        let (dx, dy, width) = (self.left + gutter, self.y, self.width - gutter);
        let scene = set.figure.scene(width);
        let marks = scene.marks.into_iter();
        for mark in marks.filter(|mark| !set.is_selection(mark, width)) {
            self.put(mark.translate((dx, dy)));
        }
        self.y += scene.height;
        let Some(frame) = set.figure.plot_frame(width) else {
            self.y += GAP;
            return;
        };
        if !set.vertical_name().is_empty() {
            let middle = dy + frame.y + frame.height / 2.0;
            self.upwards(set.vertical_name(), (self.left + TEXT / 2.0, middle));
        }
        if !set.labels.across.is_empty() {
            let at = (dx + frame.x + frame.width / 2.0, self.y + LEADING / 2.0);
            self.text(set.labels.across, at, Anchor::Middle, Ink::Muted);
            self.y += LEADING;
        }
        self.y += GAP;
    }

    /// Writes the legend and the notes of a figure.
    pub(super) fn notes(&mut self, labels: &FigureLabels) {
        for (ink, text) in &labels.legend {
            let y = self.y + LEADING / 2.0;
            self.marks.push(Mark::Line {
                points: vec![(self.left, y), (self.left + SAMPLE.0, y)],
                stroke: *ink,
                width: 1.5,
                dash: None,
            });
            self.text(text, (self.left + SAMPLE.1, y), Anchor::Start, Ink::Muted);
            self.y += LEADING;
        }
        for note in &labels.notes {
            self.lines(note, TEXT, Ink::Muted);
        }
    }

    /// Adds a mark. Text is converted to outlines, letters of panels to bold ones.
    pub(super) fn put(&mut self, mark: Mark) {
        let Mark::Text {
            text,
            at,
            size,
            anchor,
            ink,
        } = mark
        else {
            self.marks.push(mark);
            return;
        };
        let ink = if ink == Ink::Chosen { Ink::Muted } else { ink };
        let place = TextPlacement {
            at,
            size,
            anchor,
            upwards: false,
        };
        let outline = match size == LETTER {
            true => TextOutlines::read(PANEL_LETTERS).and_then(|bold| bold.outline(&text, place)),
            false => self.letters.outline(&text, place),
        };
        self.marks.push(match outline {
            Some(path) => Mark::Letters { text, path, ink },
            None => Mark::Text {
                text,
                at,
                size,
                anchor,
                ink,
            },
        });
    }

    fn text(&mut self, text: &str, at: (f64, f64), anchor: Anchor, ink: Ink) {
        self.put(Mark::Text {
            text: text.to_owned(),
            at,
            size: TEXT,
            anchor,
            ink,
        });
    }

    /// Draws the name of a vertical axis.
    fn upwards(&mut self, text: &str, at: (f64, f64)) {
        let place = TextPlacement {
            at,
            size: TEXT,
            anchor: Anchor::Middle,
            upwards: true,
        };
        if let Some(path) = self.letters.outline(text, place) {
            self.marks.push(Mark::Letters {
                text: text.to_owned(),
                path,
                ink: Ink::Muted,
            });
        }
    }

    /// Writes text from the left edge, in at most [`MOST_LINES`] lines.
    pub(super) fn lines(&mut self, text: &str, size: f64, ink: Ink) {
        for line in self.break_lines(text, size, self.width) {
            self.put(Mark::Text {
                text: line,
                at: (self.left, self.y + LEADING / 2.0),
                size,
                anchor: Anchor::Start,
                ink,
            });
            self.y += LEADING;
        }
    }

    fn text_width(&self, text: &str, size: f64) -> f64 {
        let estimate = || CHARACTER * size / TEXT * text.chars().count() as f64;
        self.letters.width(text, size).unwrap_or_else(estimate)
    }

    /// Breaks a text at its spaces into lines that fit.
    fn break_lines(&self, text: &str, size: f64, room: f64) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for word in text.split_whitespace() {
            if let Some(line) = lines.last_mut()
                && self.text_width(&format!("{line} {word}"), size) <= room
            {
                line.push(' ');
                line.push_str(word);
            } else if lines.len() == MOST_LINES {
                if let Some(line) = lines.last_mut() {
                    line.push_str(" …");
                }
                break;
            } else {
                lines.push(self.shorten(word, size, room));
            }
        }
        lines
    }

    /// Cuts a word in its middle until it fits, since similar names usually differ at their ends.
    fn shorten(&self, word: &str, size: f64, room: f64) -> String {
        let mut shorter = word.to_owned();
        let mut most = word.chars().count().min((room / 2.0) as usize);
        while self.text_width(&shorter, size) > room && most > 3 {
            shorter = fit_name(word, CHARACTER * most as f64);
            most -= 1;
        }
        shorter
    }
}
