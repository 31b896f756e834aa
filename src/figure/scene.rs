//! A picture as a list of marks: what is drawn, in order, in CSS pixels.

use super::text;
use std::sync::Arc;

/// A colour by its meaning; a [`super::Theme`] says what it looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    /// Text and main lines.
    Ink,
    /// Secondary text and lines.
    Muted,
    /// What is selected on the page. It looks like [`Self::Ink`] there; a picture that leaves the page shows no
    /// selection, see [`crate::export`].
    Chosen,
    /// Rules and axes.
    Hairline,
    /// The page.
    Paper,
    /// The spread around a line.
    Band,
    /// The offset under the cursor, and nothing else.
    Accent,
    /// A kernel or a row among several.
    Category(usize),
    /// Black under an accent, on any colour map.
    Black,
    /// White under an accent, on any colour map.
    White,
}

/// Where text stands from its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// To the right of it.
    Start,
    /// Around it.
    Middle,
    /// To the left of it.
    End,
}

/// An upright rectangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rect {
    /// Left.
    pub x: f64,
    /// Top.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl Rect {
    /// Right edge.
    #[must_use]
    pub fn right(&self) -> f64 {
        self.x + self.width
    }

    /// Bottom edge.
    #[must_use]
    pub fn bottom(&self) -> f64 {
        self.y + self.height
    }

    /// Whether a point lies inside.
    #[must_use]
    pub fn contains(&self, x: f64, y: f64) -> bool {
        (self.x..self.right()).contains(&x) && (self.y..self.bottom()).contains(&y)
    }
}

/// Pixels, four bytes each, row-major, not premultiplied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raster {
    /// Pixels a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// RGBA.
    pub rgba: Vec<u8>,
}

/// From `high` down to `low` at x.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extent {
    /// Where it begins; it ends where the next one does.
    pub x: f64,
    /// Its upper end: pixels count downwards.
    pub high: f64,
    /// Its lower end.
    pub low: f64,
}

impl Extent {
    /// The polygon around them: along their upper ends and back along the lower ones.
    #[must_use]
    pub fn outline(extents: &[Self]) -> Vec<(f64, f64)> {
        let above = extents.iter().map(|extent| (extent.x, extent.high));
        let below = extents.iter().rev().map(|extent| (extent.x, extent.low));
        above.chain(below).collect()
    }
}

/// One thing drawn.
#[derive(Debug, Clone, PartialEq)]
pub enum Mark {
    /// Pixels stretched over a rectangle, edges kept sharp when they grow.
    Raster(Rect, Arc<Raster>),
    /// A polyline; a point that is not finite breaks it.
    Line {
        /// Its points.
        points: Vec<(f64, f64)>,
        /// Colour.
        stroke: Ink,
        /// Width in pixels.
        width: f64,
        /// Dashes of this length.
        dash: Option<f64>,
    },
    /// A filled polygon.
    Area {
        /// Its corners.
        points: Vec<(f64, f64)>,
        /// Colour.
        fill: Ink,
    },
    /// What a line covers that is denser than pixels.
    Extents {
        /// Where it is highest and lowest, from each x to the next.
        extents: Vec<Extent>,
        /// Colour.
        fill: Ink,
    },
    /// A rectangle.
    Box {
        /// Where.
        rect: Rect,
        /// Inside.
        fill: Option<Ink>,
        /// Outline, and its width.
        stroke: Option<(Ink, f64)>,
    },
    /// A disc.
    Dot {
        /// Centre.
        at: (f64, f64),
        /// Radius.
        radius: f64,
        /// Inside.
        fill: Ink,
        /// Outline, two pixels wide.
        stroke: Ink,
    },
    /// A line of text, its middle at the point's height.
    Text {
        /// The words.
        text: String,
        /// Where.
        at: (f64, f64),
        /// Height of the type.
        size: f64,
        /// Which side.
        anchor: Anchor,
        /// Colour.
        ink: Ink,
    },
    /// Text as shapes, which look the same wherever they are drawn: of pictures that leave the page.
    Letters {
        /// The words.
        text: String,
        /// Their outlines: the commands of an SVG path.
        path: String,
        /// Colour.
        ink: Ink,
    },
}

/// Marks on a sheet.
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    /// Width in CSS pixels.
    pub width: f64,
    /// Height in CSS pixels.
    pub height: f64,
    /// Drawn in this order.
    pub marks: Vec<Mark>,
}

impl Scene {
    /// An empty sheet.
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

    /// Writes a line of text in the type of figures, unless it would leave the sheet to a side or touch text that is there:
    /// the more important text is written first. Returns whether it was written.
    pub(super) fn text(
        &mut self,
        text: impl Into<String>,
        at: (f64, f64),
        anchor: Anchor,
        ink: Ink,
    ) -> bool {
        self.text_of_size(text.into(), at, anchor, (TEXT, ink))
    }

    /// The same in type of another height.
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
        let covered = text::covered(&text, at, anchor, size);
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

    /// Writes a number in a disc that was drawn over what is there: text that it covers is taken away.
    pub(super) fn text_on_top(&mut self, text: String, at: (f64, f64)) {
        let covered = text::covered(&text, at, Anchor::Middle, TEXT);
        self.marks.retain(|mark| match mark {
            Mark::Text {
                text,
                at,
                size,
                anchor,
                ..
            } => !text::overlap(&text::covered(text, *at, *anchor, *size), &covered),
            _ => true,
        });
        self.text(text, at, Anchor::Middle, Ink::Ink);
    }

    /// The boxes of its texts, in the order in which they were written.
    pub fn texts(&self) -> impl Iterator<Item = Rect> {
        self.marks.iter().filter_map(|mark| match mark {
            Mark::Text {
                text,
                at,
                size,
                anchor,
                ..
            } => Some(text::covered(text, *at, *anchor, *size)),
            _ => None,
        })
    }

    /// The number of a model, in a ring of its colour: who cannot tell the colours reads the number.
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

    /// A line that shows on every colour map: the accent between a white and a black edge.
    pub(super) fn lit_line(&mut self, points: Vec<(f64, f64)>) {
        for (ink, width) in [(Ink::Black, 4.6), (Ink::White, 3.4), (Ink::Accent, 1.8)] {
            self.line(points.clone(), ink, width);
        }
    }
}

/// Radius of a badge.
pub(super) const BADGE: f64 = 9.0;

/// Height of the type in figures.
pub(crate) const TEXT: f64 = 12.0;

/// About how wide a character of that type is, where its letters are not known.
pub(crate) const CHARACTER: f64 = 6.6;

/// A text may leave its sheet by this much: a right-aligned one ends at its edge but for rounding.
const ROUNDING: f64 = 1e-6;

pub(crate) use super::text::fitted;
