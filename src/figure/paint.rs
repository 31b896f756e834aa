//! Painter of scenes on the backends of plotters.
//!
//! [`paint`] is the only painter. It is independent of the browser: the page passes a canvas through `plotters-canvas`,
//! tests pass a bitmap. Of plotters it uses only the backend interface, not the charts. A [`Surface`] is a backend with
//! additions that this interface lacks:
//!
//! * **Subpixel positions.** Coordinates and widths of backends are integers. Here they count [`UNITS`] per CSS pixel,
//!   and the surface scales the backend's output to device pixels.
//! * **Rasters.** `blit_bitmap` neither scales nor supports opacity, and by default fills a rectangle per pixel.
//! * **Dashes and joins.** A style has only a colour and a width.
//! * **Columns.** A backend sets the colour for each rectangle. For the thousand columns of a line that is denser than
//!   pixels, this takes as long as everything else.
//! * **Shapes** with curves and holes: polygons have a single ring.
//! * **Text.** A font size in units would be 49,152 pixels, which browsers refuse. The surface moves the origin to the
//!   position of a text, and the backend writes it there in CSS pixels. Text is not measured, since measuring uses
//!   inline styles, which the page's Content-Security-Policy forbids.
//!
//! No figure needs clipping, rotated text or transparency.

use super::{Anchor, Extent, Ink, Mark, Raster, Rect, Scene, Theme};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    FontFamily,
    text_anchor::{HPos, Pos, VPos},
};
use std::fmt;

/// Units per CSS pixel in the coordinates of backends. A power of two, so that scaling is exact; positions up to half a
/// million pixels fit.
pub const UNITS: f64 = 4096.0;

/// Font stack of the page's text.
const FONT: &str = "Inter, 'Inter stand-in', system-ui, -apple-system, 'Segoe UI', sans-serif";

/// Result of painting; see [`Surface`].
pub type PaintResult<S> =
    Result<(), DrawingErrorKind<<<S as Surface>::Backend as DrawingBackend>::ErrorType>>;

/// A plotters backend with the additions described in the module documentation.
pub trait Surface {
    /// The backend.
    type Backend: DrawingBackend;

    /// Returns the backend, on which a CSS pixel is [`UNITS`] long.
    fn backend(&mut self) -> &mut Self::Backend;

    /// Sets the pen of the lines that follow.
    fn take(&mut self, pen: Pen);

    /// Scales a raster to a rectangle in CSS pixels, by averaging if `is_smooth`, otherwise with sharp pixels.
    fn stretch(&mut self, raster: &Raster, rect: &Rect, is_smooth: bool);

    /// Fills rectangles in CSS pixels.
    fn fill_columns(&mut self, columns: impl Iterator<Item = Rect>, color: BackendColor);

    /// Fills a shape, given as SVG path commands in CSS pixels.
    fn fill_shape(&mut self, path: &str, color: BackendColor);

    /// Writes a text with the backend at a point in CSS pixels.
    ///
    /// # Errors
    ///
    /// If the backend fails.
    fn write(&mut self, text: &str, style: &Type, at: (f64, f64)) -> PaintResult<Self>;
}

/// Joins and dashes of lines.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pen {
    /// Sharp corners.
    Sharp,
    /// Round corners.
    Round,
    /// Round corners, with dashes and gaps of this length in CSS pixels.
    Dashed(f64),
}

/// Style of a line of text, vertically centred on its point.
#[derive(Debug, Clone, Copy)]
pub struct Type {
    size: f64,
    anchor: Anchor,
    rgb: (u8, u8, u8),
}

/// Error of font operations that figures do not support: backends write text with their own fonts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoLetters;

impl fmt::Display for NoLetters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a figure brings no letters: backends write with fonts of their own")
    }
}

impl std::error::Error for NoLetters {}

impl BackendTextStyle for Type {
    type FontError = NoLetters;

    fn color(&self) -> BackendColor {
        opaque(self.rgb)
    }

    /// In CSS pixels, since the surface writes text in these.
    fn size(&self) -> f64 {
        self.size
    }

    fn anchor(&self) -> Pos {
        let across = match self.anchor {
            Anchor::Start => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::End => HPos::Right,
        };
        Pos::new(across, VPos::Center)
    }

    fn family(&self) -> FontFamily<'_> {
        FontFamily::Name(FONT)
    }

    fn layout_box(&self, _: &str) -> Result<(BackendCoord, BackendCoord), NoLetters> {
        Err(NoLetters)
    }

    fn draw<E, Draw: FnMut(i32, i32, BackendColor) -> Result<(), E>>(
        &self,
        _: &str,
        _: BackendCoord,
        _: Draw,
    ) -> Result<Result<(), E>, NoLetters> {
        Err(NoLetters)
    }
}

/// A colour, and the width of lines in units. Fills use the same type, since a second style type would duplicate the
/// generic drawing code.
struct Style(BackendColor, u32);

impl BackendStyle for Style {
    fn color(&self) -> BackendColor {
        self.0
    }

    fn stroke_width(&self) -> u32 {
        self.1
    }
}

/// Paints a scene with `scale` device pixels per CSS pixel.
///
/// # Errors
///
/// The first error of the backend.
pub fn paint<S: Surface>(
    surface: &mut S,
    scene: &Scene,
    theme: &Theme,
    scale: f64,
) -> PaintResult<S> {
    let mut painter = Painter {
        surface,
        theme,
        scale,
    };
    scene.marks.iter().try_for_each(|mark| painter.mark(mark))
}

struct Painter<'a, S> {
    surface: &'a mut S,
    theme: &'a Theme,
    scale: f64,
}

impl<S: Surface> Painter<'_, S> {
    fn mark(&mut self, mark: &Mark) -> PaintResult<S> {
        match mark {
            Mark::Raster(rect, raster) => {
                // Few large cells keep sharp edges; if there are more cells than device pixels, they are averaged.
                let shrinks = raster.width as f64 > rect.width * self.scale
                    || raster.height as f64 > rect.height * self.scale;
                let raster = raster.in_theme(self.theme);
                self.surface.stretch(raster, rect, shrinks);
                Ok(())
            }
            Mark::Line {
                points,
                stroke,
                width,
                dash,
            } => {
                self.surface.take(dash.map_or(Pen::Round, Pen::Dashed));
                let style = self.style(*stroke, *width);
                let backend = self.surface.backend();
                runs(points)
                    .try_for_each(|run| backend.draw_path(run.iter().copied().map(point), &style))
            }
            Mark::Area { points, fill } => self.fill(points, *fill),
            Mark::Extents { extents, fill } => self.fill_extents(extents, *fill),
            Mark::Box { rect, fill, stroke } => {
                let (from, to) = (
                    point((rect.x, rect.y)),
                    point((rect.right(), rect.bottom())),
                );
                if let Some(fill) = fill {
                    let style = self.style(*fill, 0.0);
                    self.surface.backend().draw_rect(from, to, &style, true)?;
                }
                if let Some((ink, width)) = stroke {
                    self.surface.take(Pen::Sharp);
                    let style = self.style(*ink, *width);
                    self.surface.backend().draw_rect(from, to, &style, false)?;
                }
                Ok(())
            }
            Mark::Dot {
                at,
                radius,
                fill,
                stroke,
            } => {
                let (at, radius) = (point(*at), length(*radius));
                let (fill, stroke) = (self.style(*fill, 0.0), self.style(*stroke, 2.0));
                self.surface.take(Pen::Round);
                let backend = self.surface.backend();
                backend.draw_circle(at, radius, &fill, true)?;
                backend.draw_circle(at, radius, &stroke, false)
            }
            Mark::Text {
                text,
                at,
                size,
                anchor,
                ink,
            } => {
                let style = Type {
                    size: *size,
                    anchor: *anchor,
                    rgb: self.color(*ink).rgb,
                };
                self.surface.write(text, &style, *at)
            }
            Mark::Letters { path, ink, .. } => {
                let color = self.color(*ink);
                self.surface.fill_shape(path, color);
                Ok(())
            }
        }
    }

    fn fill(&mut self, points: &[(f64, f64)], ink: Ink) -> PaintResult<S> {
        let style = self.style(ink, 0.0);
        let backend = self.surface.backend();
        runs(points)
            .try_for_each(|run| backend.fill_polygon(run.iter().copied().map(point), &style))
    }

    /// Browsers take tens of milliseconds to fill a polygon whose edges zigzag at every pixel, and much less for its
    /// pixel columns. For smooth edges the polygon is faster.
    fn fill_extents(&mut self, extents: &[Extent], ink: Ink) -> PaintResult<S> {
        const STEEP: f64 = 4.0;
        let heights = extents.iter().map(|extent| extent.low - extent.high);
        if heights.sum::<f64>() < STEEP * extents.len() as f64 {
            return self.fill(&Extent::outline(extents), ink);
        }
        let (color, scale) = (self.color(ink), self.scale);
        // Snapped to device pixels. Otherwise antialiasing would leave gaps between neighbours.
        let snapped = |x: f64| (x * scale).round() / scale;
        let columns = extents.iter().enumerate().map(|(at, extent)| {
            let end = extents.get(at + 1).map_or(extent.x + 1.0, |next| next.x);
            let x = snapped(extent.x);
            Rect {
                x,
                y: extent.high,
                width: snapped(end) - x,
                height: extent.low - extent.high,
            }
        });
        self.surface.fill_columns(columns, color);
        Ok(())
    }

    fn color(&self, ink: Ink) -> BackendColor {
        // Theme colours are `#rrggbb`.
        let digits = self.theme.color(ink).get(1..).unwrap_or_default();
        let [.., r, g, b] = u64::from_str_radix(digits, 16).unwrap_or(0).to_be_bytes();
        opaque((r, g, b))
    }

    fn style(&self, ink: Ink, width: f64) -> Style {
        Style(self.color(ink), length(width))
    }
}

/// Splits a line at points that are not finite.
fn runs(points: &[(f64, f64)]) -> impl Iterator<Item = &[(f64, f64)]> {
    points
        .split(|(x, y)| !(x.is_finite() && y.is_finite()))
        .filter(|run| !run.is_empty())
}

fn point((x, y): (f64, f64)) -> BackendCoord {
    (units(x) as i32, units(y) as i32)
}

fn length(pixels: f64) -> u32 {
    units(pixels) as u32
}

/// Rounds ties to even, which is one WebAssembly instruction; lines have thousands of points.
fn units(pixels: f64) -> f64 {
    (pixels * UNITS).round_ties_even()
}

fn opaque(rgb: (u8, u8, u8)) -> BackendColor {
    BackendColor { alpha: 1.0, rgb }
}
