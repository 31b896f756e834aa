//! Layout of a figure with heading, axis names and notes on one sheet.

use super::{FigureLabels, TextOutlines, TextPlacement};
use crate::figure::{
    Anchor, Extent, Figure, Ink, Mark, Rect, Scene,
    scene::{CHARACTER, TEXT},
};

/// Width of a saved picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SheetWidth {
    /// A column of a two-column paper, 84 mm.
    #[default]
    Column,
    /// Both columns, 175 mm.
    Page,
}

impl SheetWidth {
    /// Width in pixels of the scene; see [`Sheet::MILLIMETRES`].
    #[must_use]
    pub fn pixels(self) -> f64 {
        match self {
            Self::Column => 360.0,
            Self::Page => 750.0,
        }
    }
}

/// Background of a saved picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Background {
    /// The white of a page.
    #[default]
    White,
    /// No background. Inks are still those for white paper.
    Transparent,
}

/// Heading above the figure on a sheet. The metadata contain the title in either case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Heading {
    /// The title, and the model or head.
    #[default]
    Title,
    /// No heading, since the caption in the paper has it.
    Nothing,
}

/// The content of a sheet.
#[derive(Clone)]
pub struct Sheet<'a> {
    /// The figure.
    pub figure: &'a dyn Figure,
    /// Its title.
    pub title: &'a str,
    /// The model or head. Empty if the figure names it itself.
    pub subject: &'a str,
    /// Labels around the figure.
    pub words: &'a FigureLabels,
    /// Width of the sheet.
    pub width: SheetWidth,
    /// Whether title and subject are written above the figure.
    pub heading: Heading,
}

impl std::fmt::Debug for Sheet<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sheet")
            .field("title", &self.title)
            .field("subject", &self.subject)
            .finish_non_exhaustive()
    }
}

/// Margin around the sheet.
const MARGIN: f64 = 2.0;
/// Distance between two lines of text.
const LEADING: f64 = 16.0;
/// Font size of titles.
const TITLE: f64 = 13.0;
/// Space for the name of a vertical axis.
const GUTTER: f64 = 15.0;
/// Space between the heading and the figure, and between the figure and the text below it.
const GAP: f64 = 6.0;
/// Length of a line sample in a legend, and the start of its name.
const SAMPLE: (f64, f64) = (16.0, 21.0);
/// The most lines of a text.
const MOST_LINES: usize = 3;

impl Sheet<'_> {
    /// Millimetres per pixel of the scene: 360 pixels are 84 mm. A font size of 12 pixels is 7.9 pt, and a hairline is
    /// 0.66 pt.
    pub const MILLIMETRES: f64 = 84.0 / 360.0;
    /// Resolution of a PNG in dots per inch, the usual requirement for print.
    pub const DOTS_PER_INCH: f64 = 300.0;
    /// Dots per pixel of the scene.
    pub const DOTS: f64 = Self::DOTS_PER_INCH * Self::MILLIMETRES / 25.4;

    /// Returns the sheet as a scene. Texts are outlines if the font has all their characters.
    #[must_use]
    pub fn scene(&self, letters: &TextOutlines<'_>) -> Scene {
        let width = self.width.pixels();
        let room = width - 2.0 * MARGIN;
        let mut sheet = Setter {
            letters,
            scene: Scene::new(width, 0.0),
            y: MARGIN,
        };
        if self.heading == Heading::Title {
            sheet.lines(self.title, TITLE, Ink::Ink, room);
            sheet.lines(self.subject, TEXT, Ink::Muted, room);
            sheet.y += GAP;
        }
        let gutter = self.gutter(room);
        self.place_figure(&mut sheet, MARGIN + gutter, room - gutter);
        for (ink, text) in &self.words.legend {
            let y = sheet.y + LEADING / 2.0;
            let points = vec![(MARGIN, y), (MARGIN + SAMPLE.0, y)];
            sheet.scene.line(points, *ink, 1.5);
            sheet.text(text, (MARGIN + SAMPLE.1, y), Anchor::Start, Ink::Muted);
            sheet.y += LEADING;
        }
        for note in &self.words.notes {
            sheet.lines(note, TEXT, Ink::Muted, room);
        }
        sheet.scene.height = (sheet.y + MARGIN).ceil();
        sheet.scene
    }

    /// Returns the space for the name of the vertical axis next to a figure within this width.
    fn gutter(&self, room: f64) -> f64 {
        let is_named = self.figure.plot_frame(room).is_some() && !self.down().is_empty();
        if is_named { GUTTER } else { 0.0 }
    }

    /// Number of PNG dots along the longer side of the figure's plot. A matrix needs no more blocks per side than that.
    #[must_use]
    pub fn plot_dots(&self) -> Option<usize> {
        let room = self.width.pixels() - 2.0 * MARGIN;
        let frame = self.figure.plot_frame(room - self.gutter(room))?;
        let side = frame.width.max(frame.height);
        Some((side * Self::DOTS).round() as usize)
    }

    /// The name of the vertical axis, if the figure does not draw it itself.
    fn down(&self) -> &'static str {
        match self.figure.vertical_name() {
            "" => self.words.down,
            _ => "",
        }
    }

    /// Draws the figure and the names of its axes at the current position, `dx` from the left.
    fn place_figure(&self, sheet: &mut Setter<'_>, dx: f64, width: f64) {
        let dy = sheet.y;
        let scene = self.figure.scene(width);
        let marks = scene
            .marks
            .into_iter()
            .filter(|mark| !self.is_selection(mark, width));
        for mark in marks {
            sheet.put(translate(mark, (dx, dy)));
        }
        sheet.y += scene.height;
        let Some(frame) = self.figure.plot_frame(width) else {
            sheet.y += GAP;
            return;
        };
        if !self.down().is_empty() {
            let middle = dy + frame.y + frame.height / 2.0;
            sheet.upwards(self.down(), (MARGIN + TEXT / 2.0, middle));
        }
        if !self.words.across.is_empty() {
            let at = (dx + frame.x + frame.width / 2.0, sheet.y + LEADING / 2.0);
            sheet.text(self.words.across, at, Anchor::Middle, Ink::Muted);
            sheet.y += LEADING;
        }
        sheet.y += GAP;
    }

    /// Returns whether a mark shows a selection or a drag handle.
    fn is_selection(&self, mark: &Mark, width: f64) -> bool {
        match mark {
            Mark::Line { stroke, .. } => *stroke == Ink::Chosen,
            Mark::Box { stroke, .. } => stroke.is_some_and(|(ink, _)| ink == Ink::Chosen),
            Mark::Dot { at, .. } => self.figure.handle_at(width, at.0, at.1).is_some(),
            _ => false,
        }
    }
}

/// Places marks and lines of text from top to bottom.
struct Setter<'a> {
    letters: &'a TextOutlines<'a>,
    scene: Scene,
    /// Top of the next line.
    y: f64,
}

impl Setter<'_> {
    /// Adds a mark. Text is converted to outlines.
    fn put(&mut self, mark: Mark) {
        let Mark::Text {
            text,
            at,
            size,
            anchor,
            ink,
        } = mark
        else {
            self.scene.marks.push(mark);
            return;
        };
        let ink = if ink == Ink::Chosen { Ink::Muted } else { ink };
        let place = TextPlacement {
            at,
            size,
            anchor,
            upwards: false,
        };
        self.scene
            .marks
            .push(match self.letters.outline(&text, place) {
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
            self.scene.marks.push(Mark::Letters {
                text: text.to_owned(),
                path,
                ink: Ink::Muted,
            });
        }
    }

    /// Writes text from the left margin, in at most [`MOST_LINES`] lines.
    fn lines(&mut self, text: &str, size: f64, ink: Ink, room: f64) {
        for line in self.break_lines(text, size, room) {
            self.put(Mark::Text {
                text: line,
                at: (MARGIN, self.y + LEADING / 2.0),
                size,
                anchor: Anchor::Start,
                ink,
            });
            self.y += LEADING;
        }
    }

    fn width(&self, text: &str, size: f64) -> f64 {
        let estimate = || CHARACTER * size / TEXT * text.chars().count() as f64;
        self.letters.width(text, size).unwrap_or_else(estimate)
    }

    /// Breaks a text at its spaces into lines that fit.
    fn break_lines(&self, text: &str, size: f64, room: f64) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for word in text.split_whitespace() {
            if let Some(line) = lines.last_mut()
                && self.width(&format!("{line} {word}"), size) <= room
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
        while self.width(&shorter, size) > room && most > 3 {
            shorter = crate::figure::scene::fit_name(word, CHARACTER * most as f64);
            most -= 1;
        }
        shorter
    }
}

/// Translates a mark.
fn translate(mark: Mark, (dx, dy): (f64, f64)) -> Mark {
    let point = |(x, y): (f64, f64)| (x + dx, y + dy);
    let place = |rect: Rect| Rect {
        x: rect.x + dx,
        y: rect.y + dy,
        ..rect
    };
    match mark {
        Mark::Raster(rect, raster) => Mark::Raster(place(rect), raster),
        Mark::Line {
            points,
            stroke,
            width,
            dash,
        } => Mark::Line {
            points: points.into_iter().map(point).collect(),
            stroke,
            width,
            dash,
        },
        Mark::Area { points, fill } => Mark::Area {
            points: points.into_iter().map(point).collect(),
            fill,
        },
        Mark::Extents { extents, fill } => {
            let along = |extent: Extent| Extent {
                x: extent.x + dx,
                high: extent.high + dy,
                low: extent.low + dy,
            };
            Mark::Extents {
                extents: extents.into_iter().map(along).collect(),
                fill,
            }
        }
        Mark::Box { rect, fill, stroke } => Mark::Box {
            rect: place(rect),
            fill,
            stroke,
        },
        Mark::Dot {
            at,
            radius,
            fill,
            stroke,
        } => Mark::Dot {
            at: point(at),
            radius,
            fill,
            stroke,
        },
        Mark::Text {
            text,
            at,
            size,
            anchor,
            ink,
        } => Mark::Text {
            text,
            at: point(at),
            size,
            anchor,
            ink,
        },
        // Figures contain no outlines; text is converted only on the sheet.
        letters @ Mark::Letters { .. } => letters,
    }
}
