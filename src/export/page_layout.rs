//! A figure on a sheet of its own.

use super::{FigureLabels, Placed, TextOutlines};
use crate::figure::{
    Anchor, Extent, Figure, Ink, Mark, Rect, Scene,
    scene::{CHARACTER, TEXT},
};

/// How wide a saved picture is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SheetWidth {
    /// As a column of a paper in two columns, 84 mm.
    #[default]
    Column,
    /// As both columns, 175 mm.
    Page,
}

impl SheetWidth {
    /// In pixels of the scene, see [`Sheet::MILLIMETRES`].
    #[must_use]
    pub fn pixels(self) -> f64 {
        match self {
            Self::Column => 360.0,
            Self::Page => 750.0,
        }
    }
}

/// What lies behind a saved picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Background {
    /// The white of a page.
    #[default]
    White,
    /// Nothing. Inks are those for a white page all the same.
    Transparent,
}

/// The text over the figure on a sheet. The file's metadata have its title in either case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Heading {
    /// Its title, and the model or head that it is of.
    #[default]
    Title,
    /// Nothing: the caption in the paper says it.
    Nothing,
}

/// What stands on a sheet.
#[derive(Clone)]
pub struct Sheet<'a> {
    /// The figure.
    pub figure: &'a dyn Figure,
    /// Its title.
    pub title: &'a str,
    /// What it is of: a model, a head. Nothing where the figure says it itself.
    pub subject: &'a str,
    /// What else is said around it.
    pub words: &'a FigureLabels,
    /// How wide it is.
    pub width: SheetWidth,
    /// Whether the title and what it is of stand over it.
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

/// Around everything.
const MARGIN: f64 = 2.0;
/// From line to line.
const LEADING: f64 = 16.0;
/// Height of the type of titles.
const TITLE: f64 = 13.0;
/// Room for the name of a vertical axis.
const GUTTER: f64 = 15.0;
/// Between the heading and the figure, and between the figure and what is said under it.
const GAP: f64 = 6.0;
/// Length of a line in a legend, and where its name begins.
const SAMPLE: (f64, f64) = (16.0, 21.0);
/// Lines that a title may have.
const MOST_LINES: usize = 3;

impl Sheet<'_> {
    /// Millimetres to a pixel of the scene: 84 mm are 360 pixels, so that type 12 pixels high is one of 7.9 points and
    /// a hairline one of 0.66.
    pub const MILLIMETRES: f64 = 84.0 / 360.0;
    /// Dots to an inch in a PNG, as printers ask for.
    pub const DOTS_PER_INCH: f64 = 300.0;
    /// Dots to a pixel of the scene.
    pub const DOTS: f64 = Self::DOTS_PER_INCH * Self::MILLIMETRES / 25.4;

    /// The sheet as a scene whose texts are outlines, where the font has their letters.
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

    /// Room for the name of the vertical axis beside a figure in a room of this width.
    fn gutter(&self, room: f64) -> f64 {
        let is_named = self.figure.plot_frame(room).is_some() && !self.down().is_empty();
        if is_named { GUTTER } else { 0.0 }
    }

    /// Dots of a PNG along the longer side of the figure's plot: as many blocks a side are worth computing for a matrix.
    #[must_use]
    pub fn plot_dots(&self) -> Option<usize> {
        let room = self.width.pixels() - 2.0 * MARGIN;
        let frame = self.figure.plot_frame(room - self.gutter(room))?;
        let side = frame.width.max(frame.height);
        Some((side * Self::DOTS).round() as usize)
    }

    /// The name of the vertical axis, where the figure does not draw it itself.
    fn down(&self) -> &'static str {
        match self.figure.vertical_name() {
            "" => self.words.down,
            _ => "",
        }
    }

    /// Puts the figure and the names of its axes where the sheet goes on, `dx` from the left.
    fn place_figure(&self, sheet: &mut Setter<'_>, dx: f64, width: f64) {
        let dy = sheet.y;
        let scene = self.figure.scene(width);
        let marks = scene
            .marks
            .into_iter()
            .filter(|mark| !self.is_selection(mark, width));
        for mark in marks {
            sheet.put(moved(mark, (dx, dy)));
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

    /// Whether a mark shows what is selected or can be pulled at on the page.
    fn is_selection(&self, mark: &Mark, width: f64) -> bool {
        match mark {
            Mark::Line { stroke, .. } => *stroke == Ink::Chosen,
            Mark::Box { stroke, .. } => stroke.is_some_and(|(ink, _)| ink == Ink::Chosen),
            Mark::Dot { at, .. } => self.figure.handle_at(width, at.0, at.1).is_some(),
            _ => false,
        }
    }
}

/// Sets marks and lines of text, one below the other.
struct Setter<'a> {
    letters: &'a TextOutlines<'a>,
    scene: Scene,
    /// Where the next line begins.
    y: f64,
}

impl Setter<'_> {
    /// A mark as it is, its text as outlines.
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
        let place = Placed {
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

    /// The name of a vertical axis.
    fn upwards(&mut self, text: &str, at: (f64, f64)) {
        let place = Placed {
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

    /// Text from the left margin, in as many lines as it takes, up to [`MOST_LINES`].
    fn lines(&mut self, text: &str, size: f64, ink: Ink, room: f64) {
        for line in self.broken(text, size, room) {
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

    /// A text in lines that fit, at its spaces where there are some.
    fn broken(&self, text: &str, size: f64, room: f64) -> Vec<String> {
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
                lines.push(self.shortened(word, size, room));
            }
        }
        lines
    }

    /// A word cut in its middle until it fits: what names differ in stands at their ends.
    fn shortened(&self, word: &str, size: f64, room: f64) -> String {
        let mut shorter = word.to_owned();
        let mut most = word.chars().count().min((room / 2.0) as usize);
        while self.width(&shorter, size) > room && most > 3 {
            shorter = crate::figure::scene::fitted(word, CHARACTER * most as f64);
            most -= 1;
        }
        shorter
    }
}

/// A mark elsewhere.
fn moved(mark: Mark, (dx, dy): (f64, f64)) -> Mark {
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
        // A figure makes none: text becomes letters on the sheet.
        letters @ Mark::Letters { .. } => letters,
    }
}
