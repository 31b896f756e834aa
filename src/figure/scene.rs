//! A picture as a list of marks in drawing order, in CSS pixels.

use super::{
    Rect,
    text::{self, Anchor, TEXT},
    theme::{Ink, Theme},
};
use std::sync::Arc;

/// Pixels in row-major order, four bytes each, with straight alpha.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raster {
    /// Pixels per row.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
    /// Bytes of red, green, blue and alpha.
    pub rgba: Vec<u8>,
    on_dark_paper: Option<Arc<Self>>,
}

impl Raster {
    /// Creates a raster from rows of `width` pixels.
    #[must_use]
    pub fn new(width: usize, height: usize, rgba: Vec<u8>) -> Self {
        Self {
            width,
            height,
            rgba,
            on_dark_paper: None,
        }
    }

    /// Adds the raster of the same size that replaces it on dark paper.
    #[must_use]
    pub fn on_dark_paper(self, dark: Self) -> Self {
        Self {
            on_dark_paper: Some(Arc::new(dark)),
            ..self
        }
    }

    /// Returns the raster in the colours of a theme.
    #[must_use]
    pub fn in_theme(&self, theme: &Theme) -> &Self {
        let dark = self.on_dark_paper.as_deref();
        dark.filter(|_| theme.is_dark).unwrap_or(self)
    }
}

/// A vertical extent from `high` down to `low` at x.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extent {
    /// Left edge. The next extent starts where this one ends.
    pub x: f64,
    /// Upper end. y points down.
    pub high: f64,
    /// Lower end.
    pub low: f64,
}

impl Extent {
    /// Returns the polygon around extents: along the upper ends, and back along the lower ones.
    #[must_use]
    pub fn outline(extents: &[Self]) -> Vec<(f64, f64)> {
        let above = extents.iter().map(|extent| (extent.x, extent.high));
        let below = extents.iter().rev().map(|extent| (extent.x, extent.low));
        above.chain(below).collect()
    }
}

/// A drawn element.
#[derive(Debug, Clone, PartialEq)]
pub enum Mark {
    /// A raster scaled to a rectangle, with sharp pixels when it is enlarged.
    Raster(Rect, Arc<Raster>),
    /// A polyline. A point that is not finite interrupts it.
    Line {
        /// Points of the polyline.
        points: Vec<(f64, f64)>,
        /// Colour.
        stroke: Ink,
        /// Width in pixels.
        width: f64,
        /// Length of dashes and gaps. `None` for a solid line.
        dash: Option<f64>,
    },
    /// A filled polygon.
    Area {
        /// Corners of the polygon.
        points: Vec<(f64, f64)>,
        /// Colour.
        fill: Ink,
    },
    /// The area covered by a line that is denser than pixels.
    Extents {
        /// Upper and lower end, from each x to the next.
        extents: Vec<Extent>,
        /// Colour.
        fill: Ink,
    },
    /// A rectangle.
    Box {
        /// Position and size.
        rect: Rect,
        /// Colour of the inside.
        fill: Option<Ink>,
        /// Colour and width of the outline.
        stroke: Option<(Ink, f64)>,
    },
    /// A disc.
    Dot {
        /// Centre.
        at: (f64, f64),
        /// Radius in pixels.
        radius: f64,
        /// Colour of the inside.
        fill: Ink,
        /// Colour of the outline, which is two pixels wide.
        stroke: Ink,
    },
    /// A line of text, vertically centred on its point.
    Text {
        /// The text.
        text: String,
        /// Anchor point.
        at: (f64, f64),
        /// Font size.
        size: f64,
        /// Position of the text relative to the point.
        anchor: Anchor,
        /// Colour.
        ink: Ink,
    },
    /// Text as outlines, which look the same with any fonts. For exported pictures.
    Letters {
        /// The text, as a label for machines.
        text: String,
        /// SVG path commands of the outlines.
        path: String,
        /// Colour.
        ink: Ink,
    },
}

impl Mark {
    /// Moves the mark by (dx, dy).
    pub(crate) fn translate(self, (dx, dy): (f64, f64)) -> Self {
        let point = |(x, y): (f64, f64)| (x + dx, y + dy);
        let place = |rect: Rect| Rect {
            x: rect.x + dx,
            y: rect.y + dy,
            ..rect
        };
        match self {
            Self::Raster(rect, raster) => Self::Raster(place(rect), raster),
            Self::Line {
                points,
                stroke,
                width,
                dash,
            } => Self::Line {
                points: points.into_iter().map(point).collect(),
                stroke,
                width,
                dash,
            },
            Self::Area { points, fill } => Self::Area {
                points: points.into_iter().map(point).collect(),
                fill,
            },
            Self::Extents { extents, fill } => {
                let along = |extent: Extent| Extent {
                    x: extent.x + dx,
                    high: extent.high + dy,
                    low: extent.low + dy,
                };
                Self::Extents {
                    extents: extents.into_iter().map(along).collect(),
                    fill,
                }
            }
            Self::Box { rect, fill, stroke } => Self::Box {
                rect: place(rect),
                fill,
                stroke,
            },
            Self::Dot {
                at,
                radius,
                fill,
                stroke,
            } => Self::Dot {
                at: point(at),
                radius,
                fill,
                stroke,
            },
            Self::Text {
                text,
                at,
                size,
                anchor,
                ink,
            } => Self::Text {
                text,
                at: point(at),
                size,
                anchor,
                ink,
            },
            // Figures contain no outlines; text is converted only on the sheet.
            letters @ Self::Letters { .. } => letters,
        }
    }
}

/// A picture of a given size.
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    /// Width in CSS pixels.
    pub width: f64,
    /// Height in CSS pixels.
    pub height: f64,
    /// The marks in drawing order.
    pub marks: Vec<Mark>,
}

impl Scene {
    /// Creates an empty scene.
    #[must_use]
    pub fn new(width: f64, height: f64) -> Self {
        Self {
            width,
            height,
            marks: Vec::new(),
        }
    }

    pub(crate) fn line(&mut self, points: Vec<(f64, f64)>, stroke: Ink, width: f64) {
        self.marks.push(Mark::Line {
            points,
            stroke,
            width,
            dash: None,
        });
    }

    /// Writes a line of text in the font size of figures, unless it would leave the scene on the left or right or
    /// overlap existing text. More important text must be written first. Returns whether it was written.
    pub(super) fn text(
        &mut self,
        text: impl Into<String>,
        at: (f64, f64),
        anchor: Anchor,
        ink: Ink,
    ) -> bool {
        self.text_of_size(text.into(), at, anchor, (TEXT, ink))
    }

    /// The same with another font size.
    pub(super) fn text_of_size(
        &mut self,
        text: String,
        at: (f64, f64),
        anchor: Anchor,
        (size, ink): (f64, Ink),
    ) -> bool {
        if text.is_empty() {
            return false;
        }
        let covered = text::line_box(&text, at, anchor, size);
        let is_inside = covered.x >= -ROUNDING && covered.right() <= self.width + ROUNDING;
        let is_free = is_inside && !self.texts().any(|other| text::overlap(&other, &covered));
        if is_free {
            self.marks.push(Mark::Text {
                text,
                at,
                size,
                anchor,
                ink,
            });
        }
        is_free
    }

    /// Writes a number in a disc that was drawn over existing marks, and removes texts that it covers.
    pub(super) fn text_on_top(&mut self, text: String, at: (f64, f64)) {
        let covered = text::line_box(&text, at, Anchor::Middle, TEXT);
        self.marks.retain(|mark| match mark {
            Mark::Text {
                text,
                at,
                size,
                anchor,
                ..
            } => !text::overlap(&text::line_box(text, *at, *anchor, *size), &covered),
            _ => true,
        });
        self.text(text, at, Anchor::Middle, Ink::Ink);
    }

    /// Returns the boxes of the texts, in drawing order.
    pub fn texts(&self) -> impl Iterator<Item = Rect> {
        self.marks.iter().filter_map(|mark| match mark {
            Mark::Text {
                text,
                at,
                size,
                anchor,
                ..
            } => Some(text::line_box(text, *at, *anchor, *size)),
            _ => None,
        })
    }

    /// Draws the number of a model in a ring of its colour. The number identifies it without the colour.
    pub(super) fn badge(&mut self, at: (f64, f64), number: usize) {
        let name = number.to_string();
        self.marks.push(Mark::Dot {
            at,
            radius: BADGE,
            fill: Ink::Paper,
            stroke: Ink::Category(number.saturating_sub(1)),
        });
        self.text_on_top(name, at);
    }

    /// Draws a line that is visible on every colour map: the accent between white and black edges.
    pub(super) fn lit_line(&mut self, points: Vec<(f64, f64)>) {
        for (ink, width) in [(Ink::Black, 4.6), (Ink::White, 3.4), (Ink::Accent, 1.8)] {
            self.line(points.clone(), ink, width);
        }
    }
}

/// Radius of a badge.
pub(super) const BADGE: f64 = 9.0;

/// Font size of the letter of a panel.
pub(crate) const LETTER: f64 = 14.0;

/// Returns the letter of a panel, counted from 0: a, b, c … After z come numbers, from 27.
#[must_use]
pub fn panel_letter(panel: usize) -> String {
    match u8::try_from(panel) {
        Ok(at) if at < 26 => char::from(b'a' + at).to_string(),
        _ => (panel + 1).to_string(),
    }
}

/// Approximate width of a character at that size, for text whose widths are unknown.
pub(crate) const CHARACTER: f64 = 6.6;

/// A text may exceed its scene by this much, to allow for rounding of right-aligned text.
const ROUNDING: f64 = 1e-6;

pub(crate) use super::text::fit_name;
