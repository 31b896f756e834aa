//! A `plotters` backend that draws with tiny-skia.
//!
//! `plotters-bitmap` rounds to whole pixels, and has neither antialiasing nor dashes nor scaled images, so tests with
//! it would mostly test this file instead of the painter. tiny-skia is a port of Skia, the rasterizer of canvases in
//! Chromium and Firefox, and supports all of these.

use crate::support::root;
use diagonal::{
    export::{TextOutlines, TextPlacement},
    figure::{
        Anchor, Raster, Rect,
        paint::{PaintResult, Pen, Surface, Type, UNITS},
    },
};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    text_anchor::HPos,
};
use std::convert::Infallible;
use tiny_skia::{
    ColorU8, FillRule, FilterQuality, LineJoin, Paint, Path, PathBuilder, Pattern, Pixmap,
    SpreadMode, Stroke, StrokeDash, Transform,
};

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

/// Opaque pixels.
pub(super) struct Bitmap {
    pixels: Pixmap,
    /// Bitmap pixels per pixel of the scene.
    scale: f64,
    transform: Transform,
    pen: Pen,
    font: Vec<u8>,
}

impl Bitmap {
    pub(super) fn new(width: u32, height: u32, scale: f64, paper: &str) -> Self {
        let mut pixels = Pixmap::new(width, height).expect("a size");
        let [_, r, g, b] = u32::from_str_radix(&paper[1..], 16)
            .expect("a colour")
            .to_be_bytes();
        pixels.fill(tiny_skia::Color::from_rgba8(r, g, b, 255));
        let font = root().join("www/fonts/inter.otf");
        let mut bitmap = Self {
            pixels,
            scale,
            transform: Transform::identity(),
            pen: Pen::Sharp,
            font: std::fs::read(font).expect("the font"),
        };
        bitmap.count(UNITS, (0.0, 0.0));
        bitmap
    }

    pub(super) fn size(&self) -> (usize, usize) {
        (self.pixels.width() as usize, self.pixels.height() as usize)
    }

    /// Red, green and blue of a pixel.
    pub(super) fn pixel(&self, x: usize, y: usize) -> [u8; 3] {
        let pixel = self.pixels.pixel(x as u32, y as u32).expect("on the sheet");
        [pixel.red(), pixel.green(), pixel.blue()]
    }

    /// Red, green and blue of all pixels, row by row.
    pub(super) fn rgb(&self) -> Vec<u8> {
        let (width, height) = self.size();
        let all = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        all.flat_map(|(x, y)| self.pixel(x, y)).collect()
    }

    /// Sets coordinates to `units` per pixel of the scene, from an origin in the scene.
    fn count(&mut self, units: f64, (x, y): (f64, f64)) {
        let scale = (self.scale / units) as f32;
        let (x, y) = (x * self.scale, y * self.scale);
        self.transform = Transform::from_row(scale, 0.0, 0.0, scale, x as f32, y as f32);
    }

    fn fill(&mut self, path: &Path, color: BackendColor) {
        let (pixels, transform) = (&mut self.pixels, self.transform);
        pixels.fill_path(path, &paint(color), FillRule::Winding, transform, None);
    }

    fn stroke(&mut self, path: &Path, style: &impl BackendStyle) {
        let dashed = |length: f64| vec![(length * UNITS) as f32; 2];
        let stroke = Stroke {
            width: style.stroke_width() as f32,
            line_join: match self.pen {
                Pen::Sharp => LineJoin::Miter,
                Pen::Round | Pen::Dashed(_) => LineJoin::Round,
            },
            dash: match self.pen {
                Pen::Dashed(length) => StrokeDash::new(dashed(length), 0.0),
                Pen::Sharp | Pen::Round => None,
            },
            ..Stroke::default()
        };
        let (pixels, transform) = (&mut self.pixels, self.transform);
        pixels.stroke_path(path, &paint(style.color()), &stroke, transform, None);
    }
}

fn paint(BackendColor { alpha, rgb }: BackendColor) -> Paint<'static> {
    let mut paint = Paint::default();
    let (r, g, b) = rgb;
    paint.set_color_rgba8(r, g, b, (alpha * 255.0).round() as u8);
    paint
}

fn rectangle(rect: (f64, f64, f64, f64)) -> Option<Path> {
    let (left, top, right, bottom) = rect;
    let rect = tiny_skia::Rect::from_ltrb(left as f32, top as f32, right as f32, bottom as f32)?;
    Some(PathBuilder::from_rect(rect))
}

/// A polyline or closed ring through points; `None` if its length is zero.
fn through(points: impl IntoIterator<Item = BackendCoord>, is_ring: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (at, (x, y)) in points.into_iter().enumerate() {
        let (x, y) = (x as f32, y as f32);
        if at == 0 {
            path.move_to(x, y);
        } else {
            path.line_to(x, y);
        }
    }
    if is_ring {
        path.close();
    }
    path.finish()
}

/// Parses an SVG path of the kind that [`TextOutlines`] writes.
fn shape(commands: &str) -> Option<Path> {
    let mut path = PathBuilder::new();
    for command in commands
        .split_inclusive(|c: char| c.is_ascii_alphabetic())
        .collect::<Vec<_>>()
        .windows(2)
    {
        // Each piece ends with the command letter of the next piece's numbers.
        let letter = command[0].chars().last();
        let numbers = command[1].trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let numbers: Vec<f32> = numbers
            .split_whitespace()
            .map(|number| number.parse().expect("a number"))
            .collect();
        match (letter, numbers.as_slice()) {
            (Some('M'), &[x, y]) => path.move_to(x, y),
            (Some('L'), &[x, y]) => path.line_to(x, y),
            (Some('Q'), &[x1, y1, x, y]) => path.quad_to(x1, y1, x, y),
            (Some('C'), &[x1, y1, x2, y2, x, y]) => path.cubic_to(x1, y1, x2, y2, x, y),
            (Some('Z'), []) => path.close(),
            other => panic!("{other:?} in {commands}"),
        }
    }
    path.finish()
}

impl DrawingBackend for Bitmap {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        (self.pixels.width(), self.pixels.height())
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, color: BackendColor) -> Drawn {
        self.draw_rect((x, y), (x + 1, y + 1), &color, true)
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> Drawn {
        self.draw_path([from, to], style)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        (left, top): BackendCoord,
        (right, bottom): BackendCoord,
        style: &S,
        fill: bool,
    ) -> Drawn {
        let corners = (left.into(), top.into(), right.into(), bottom.into());
        match rectangle(corners) {
            Some(path) if fill => self.fill(&path, style.color()),
            Some(path) => self.stroke(&path, style),
            None => {}
        }
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        if let Some(path) = through(path, false) {
            self.stroke(&path, style);
        }
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        (x, y): BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Drawn {
        match PathBuilder::from_circle(x as f32, y as f32, radius as f32) {
            Some(path) if fill => self.fill(&path, style.color()),
            Some(path) => self.stroke(&path, style),
            None => {}
        }
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        if let Some(path) = through(path, true) {
            self.fill(&path, style.color());
        }
        Ok(())
    }

    /// Draws text in the font of exported pictures.
    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        (x, y): BackendCoord,
    ) -> Drawn {
        let place = TextPlacement {
            at: (x.into(), y.into()),
            size: style.size(),
            anchor: match style.anchor().h_pos {
                HPos::Left => Anchor::Start,
                HPos::Center => Anchor::Middle,
                HPos::Right => Anchor::End,
            },
            upwards: false,
        };
        let outline =
            TextOutlines::read(&self.font).and_then(|letters| letters.outline(text, place));
        let outline = outline.unwrap_or_else(|| panic!("the font lacks a letter of {text}"));
        if let Some(path) = shape(&outline) {
            self.fill(&path, style.color());
        }
        Ok(())
    }
}

impl Surface for Bitmap {
    type Backend = Self;

    fn backend(&mut self) -> &mut Self {
        self
    }

    fn take(&mut self, pen: Pen) {
        self.pen = pen;
    }

    fn stretch(&mut self, raster: &Raster, rect: &Rect, is_smooth: bool) {
        let mut source = Pixmap::new(raster.width as u32, raster.height as u32).expect("pixels");
        for (pixel, rgba) in source
            .pixels_mut()
            .iter_mut()
            .zip(raster.rgba.chunks_exact(4))
        {
            *pixel = ColorU8::from_rgba(rgba[0], rgba[1], rgba[2], rgba[3]).premultiply();
        }
        let quality = if is_smooth {
            FilterQuality::Bilinear
        } else {
            FilterQuality::Nearest
        };
        self.count(1.0, (0.0, 0.0));
        let stretched = Transform::from_row(
            (rect.width / raster.width as f64) as f32,
            0.0,
            0.0,
            (rect.height / raster.height as f64) as f32,
            rect.x as f32,
            rect.y as f32,
        );
        let pattern = Pattern::new(source.as_ref(), SpreadMode::Pad, quality, 1.0, stretched);
        let paint = Paint {
            shader: pattern,
            ..Paint::default()
        };
        if let Some(path) = rectangle((rect.x, rect.y, rect.right(), rect.bottom())) {
            self.pixels
                .fill_path(&path, &paint, FillRule::Winding, self.transform, None);
        }
        self.count(UNITS, (0.0, 0.0));
    }

    fn fill_columns(&mut self, columns: impl Iterator<Item = Rect>, color: BackendColor) {
        self.count(1.0, (0.0, 0.0));
        for rect in columns {
            if let Some(path) = rectangle((rect.x, rect.y, rect.right(), rect.bottom())) {
                self.fill(&path, color);
            }
        }
        self.count(UNITS, (0.0, 0.0));
    }

    fn fill_shape(&mut self, path: &str, color: BackendColor) {
        self.count(1.0, (0.0, 0.0));
        if let Some(path) = shape(path) {
            self.fill(&path, color);
        }
        self.count(UNITS, (0.0, 0.0));
    }

    fn write(&mut self, text: &str, style: &Type, at: (f64, f64)) -> PaintResult<Self> {
        self.count(1.0, at);
        let written = self.draw_text(text, style, (0, 0));
        self.count(UNITS, (0.0, 0.0));
        written
    }
}
