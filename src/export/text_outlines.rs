//! Converts text to outlines of a font.

use crate::figure::{Anchor, svg::round};
use std::fmt::Write;
use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// A font whose glyph outlines can be drawn.
///
/// `ttf-parser` parses it, since that crate has no dependencies. There is no kerning: the font of the page has no
/// kerning table, and at caption size the difference is hardly visible.
#[derive(Clone)]
pub struct TextOutlines<'a> {
    face: Face<'a>,
    /// Ems per font unit.
    unit: f64,
    /// Half of the cap height, in font units.
    middle: f64,
}

impl std::fmt::Debug for TextOutlines<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Letters").finish_non_exhaustive()
    }
}

/// Placement of a line of text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TextPlacement {
    /// Anchor point. The text is vertically centred on it.
    pub at: (f64, f64),
    /// Font size.
    pub size: f64,
    /// The side of the point on which the text is.
    pub anchor: Anchor,
    /// Whether the text runs upwards, as for the name of a vertical axis.
    pub upwards: bool,
}

impl<'a> TextOutlines<'a> {
    /// Parses a font. Returns `None` if the bytes are not a font.
    #[must_use]
    pub fn read(font: &'a [u8]) -> Option<Self> {
        let face = Face::parse(font, 0).ok()?;
        let unit = 1.0 / f64::from(face.units_per_em());
        let capitals = face.capital_height().unwrap_or(face.ascender());
        Some(Self {
            unit,
            middle: f64::from(capitals) / 2.0,
            face,
        })
    }

    /// Returns each glyph and its advance width in font units. `None` if the font lacks a character.
    fn glyphs(&self, text: &str) -> Option<Vec<(GlyphId, f64)>> {
        let glyph = |c| {
            let glyph = self.face.glyph_index(c)?;
            Some((glyph, f64::from(self.face.glyph_hor_advance(glyph)?)))
        };
        text.chars().map(glyph).collect()
    }

    /// Returns the width of a text at a font size. `None` if the font lacks a character.
    #[must_use]
    pub fn width(&self, text: &str, size: f64) -> Option<f64> {
        let units: f64 = self.glyphs(text)?.iter().map(|(_, advance)| advance).sum();
        Some(units * self.unit * size)
    }

    /// Returns a line of text as SVG path commands. `None` if the font lacks a character; the caller then keeps the
    /// whole text as text instead of mixing two fonts.
    #[must_use]
    pub fn outline(&self, text: &str, place: TextPlacement) -> Option<String> {
        let glyphs = self.glyphs(text)?;
        let width: f64 = glyphs.iter().map(|(_, advance)| advance).sum();
        let mut pen = OutlineWriter {
            path: String::new(),
            scale: self.unit * place.size,
            origin: place.at,
            shift: match place.anchor {
                Anchor::Start => 0.0,
                Anchor::Middle => -width / 2.0,
                Anchor::End => -width,
            },
            base: -self.middle,
            upwards: place.upwards,
        };
        for (glyph, advance) in glyphs {
            // A space has no outline.
            let _ = self.face.outline_glyph(glyph, &mut pen);
            pen.shift += advance;
        }
        Some(pen.path)
    }
}

/// Writes glyph outlines as SVG path commands in scene coordinates.
struct OutlineWriter {
    path: String,
    scale: f64,
    origin: (f64, f64),
    /// Horizontal position of the glyph, in font units.
    shift: f64,
    base: f64,
    upwards: bool,
}

impl OutlineWriter {
    fn command(&mut self, letter: char, points: &[(f32, f32)]) {
        self.path.push(letter);
        for (at, (x, y)) in points.iter().enumerate() {
            // The y axis of fonts points up, that of pixels down.
            let along = (f64::from(*x) + self.shift) * self.scale;
            let up = (f64::from(*y) + self.base) * self.scale;
            let (dx, dy) = if self.upwards {
                (-up, -along)
            } else {
                (along, -up)
            };
            let gap = if at == 0 { "" } else { " " };
            let (x, y) = (round(self.origin.0 + dx), round(self.origin.1 + dy));
            // Writing to a String cannot fail.
            let _ = write!(self.path, "{gap}{x} {y}");
        }
    }
}

impl OutlineBuilder for OutlineWriter {
    fn move_to(&mut self, x: f32, y: f32) {
        self.command('M', &[(x, y)]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.command('L', &[(x, y)]);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.command('Q', &[(x1, y1), (x, y)]);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.command('C', &[(x1, y1), (x2, y2), (x, y)]);
    }

    fn close(&mut self) {
        self.path.push('Z');
    }
}
