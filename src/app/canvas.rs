//! Scenes on canvases: the only file that touches one.

use crate::figure::{Anchor, Extent, Mark, Raster, Scene, Theme};
use js_sys::{Array, Promise, Uint8ClampedArray};
use leptos::prelude::document;
use std::{cell::RefCell, f64::consts::TAU};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, CanvasRenderingContext2d, HtmlCanvasElement, ImageData, Path2d};

const FONT: &str = "Inter, system-ui, -apple-system, 'Segoe UI', sans-serif";

/// Paints a scene, `scale` device pixels to a CSS pixel. With no paper, what is not drawn is transparent.
pub(super) fn paint(
    canvas: &HtmlCanvasElement,
    scene: &Scene,
    theme: &Theme,
    scale: f64,
    paper: bool,
) {
    let (width, height) = (
        (scene.width * scale).round() as u32,
        (scene.height * scale).round() as u32,
    );
    // Setting a size clears and reallocates, so only when it differs.
    if canvas.width() != width {
        canvas.set_width(width);
    }
    if canvas.height() != height {
        canvas.set_height(height);
    }
    let Some(context) = context(canvas) else {
        return;
    };
    // A finite scale is always accepted.
    let _ = context.set_transform(scale, 0.0, 0.0, scale, 0.0, 0.0);
    context.clear_rect(0.0, 0.0, scene.width, scene.height);
    if paper {
        context.set_fill_style_str(theme.paper);
        context.fill_rect(0.0, 0.0, scene.width, scene.height);
    }
    for mark in &scene.marks {
        paint_mark(&context, mark, theme, scale);
    }
}

/// The scene as a PNG file, on the theme's paper or on none; `None` where the browser has no room for it.
pub(super) async fn png(scene: &Scene, theme: &Theme, scale: f64, paper: bool) -> Option<Blob> {
    let canvas = new_canvas()?;
    paint(&canvas, scene, theme, scale, paper);
    let made = Promise::new(&mut |resolve, _| {
        // Our own canvas is never tainted, so its pixels may be read.
        let _ = canvas.to_blob(resolve.unchecked_ref());
    });
    JsFuture::from(made).await.ok()?.dyn_into().ok()
}

/// Pixels as the address of a PNG, for an `<image>`.
pub(super) fn data_address(raster: &Raster) -> String {
    // A canvas of its own: those that are kept for painting are small.
    let address = || {
        let canvas = new_canvas()?;
        canvas.set_width(raster.width as u32);
        canvas.set_height(raster.height as u32);
        put_pixels(&canvas, raster)?;
        canvas.to_data_url().ok()
    };
    address().unwrap_or_default()
}

fn new_canvas() -> Option<HtmlCanvasElement> {
    document().create_element("canvas").ok()?.dyn_into().ok()
}

fn context(canvas: &HtmlCanvasElement) -> Option<CanvasRenderingContext2d> {
    canvas.get_context("2d").ok().flatten()?.dyn_into().ok()
}

/// Canvases kept for pixels on their way to a picture.
const SCRATCHES: usize = 4;

thread_local! {
    /// By size, the latest last: a moving slider paints the same sizes over and over.
    static SCRATCH: RefCell<Vec<HtmlCanvasElement>> = const { RefCell::new(Vec::new()) };
}

/// A canvas of a size, whatever is on it.
fn scratch(width: u32, height: u32) -> Option<HtmlCanvasElement> {
    SCRATCH.with_borrow_mut(|kept| {
        let fits =
            |canvas: &HtmlCanvasElement| canvas.width() == width && canvas.height() == height;
        if let Some(at) = kept.iter().position(fits) {
            return Some(kept[at].clone());
        }
        let canvas = new_canvas()?;
        canvas.set_width(width);
        canvas.set_height(height);
        if kept.len() == SCRATCHES {
            kept.remove(0);
        }
        kept.push(canvas.clone());
        Some(canvas)
    })
}

/// A canvas with these pixels, good until the next raster of the same size.
fn raster_canvas(raster: &Raster) -> Option<HtmlCanvasElement> {
    let canvas = scratch(raster.width as u32, raster.height as u32)?;
    put_pixels(&canvas, raster)?;
    Some(canvas)
}

/// Puts pixels on a canvas of their size.
fn put_pixels(canvas: &HtmlCanvasElement, raster: &Raster) -> Option<()> {
    // A copy that JavaScript owns: a view of wasm memory would be torn away when the memory grows.
    let pixels = Uint8ClampedArray::new_with_length(raster.rgba.len() as u32);
    pixels.copy_from(&raster.rgba);
    let (width, height) = (raster.width as u32, raster.height as u32);
    let data = ImageData::new_with_js_u8_clamped_array_and_sh(&pixels, width, height).ok()?;
    context(canvas)?.put_image_data(&data, 0.0, 0.0).ok()
}

fn paint_mark(context: &CanvasRenderingContext2d, mark: &Mark, theme: &Theme, scale: f64) {
    match mark {
        Mark::Raster(rect, raster) => {
            let Some(source) = raster_canvas(raster) else {
                return;
            };
            // Few large cells keep sharp edges; more cells than device pixels are averaged.
            let shrinks = raster.width as f64 > rect.width * scale
                || raster.height as f64 > rect.height * scale;
            context.set_image_smoothing_enabled(shrinks);
            // A canvas of the same page can always be drawn.
            let _ = context.draw_image_with_html_canvas_element_and_dw_and_dh(
                &source,
                rect.x,
                rect.y,
                rect.width,
                rect.height,
            );
        }
        Mark::Line {
            points,
            stroke,
            width,
            dash,
        } => {
            trace(context, points);
            context.set_stroke_style_str(theme.color(*stroke));
            context.set_line_width(*width);
            context.set_line_join("round");
            set_dash(context, *dash);
            context.stroke();
        }
        Mark::Area { points, fill } => {
            context.set_fill_style_str(theme.color(*fill));
            trace(context, points);
            context.fill();
        }
        Mark::Extents { extents, fill } => {
            context.set_fill_style_str(theme.color(*fill));
            fill_extents(context, extents, scale);
        }
        Mark::Box { rect, fill, stroke } => {
            if let Some(fill) = fill {
                context.set_fill_style_str(theme.color(*fill));
                context.fill_rect(rect.x, rect.y, rect.width, rect.height);
            }
            if let Some((ink, width)) = stroke {
                context.set_stroke_style_str(theme.color(*ink));
                context.set_line_width(*width);
                set_dash(context, None);
                context.stroke_rect(rect.x, rect.y, rect.width, rect.height);
            }
        }
        Mark::Dot {
            at,
            radius,
            fill,
            stroke,
        } => {
            context.begin_path();
            // A positive radius is always accepted.
            let _ = context.arc(at.0, at.1, *radius, 0.0, TAU);
            context.set_fill_style_str(theme.color(*fill));
            context.fill();
            context.set_stroke_style_str(theme.color(*stroke));
            context.set_line_width(2.0);
            set_dash(context, None);
            context.stroke();
        }
        Mark::Text {
            text,
            at,
            size,
            anchor,
            ink,
        } => {
            context.set_font(&format!("{size}px {FONT}"));
            context.set_text_baseline("middle");
            context.set_text_align(match anchor {
                Anchor::Start => "left",
                Anchor::Middle => "center",
                Anchor::End => "right",
            });
            context.set_fill_style_str(theme.color(*ink));
            // Text without a width limit is always accepted.
            let _ = context.fill_text(text, at.0, at.1);
        }
        Mark::Letters { path, ink, .. } => {
            if let Ok(path) = Path2d::new_with_path_string(path) {
                context.set_fill_style_str(theme.color(*ink));
                context.fill_with_path_2d(&path);
            }
        }
    }
}

/// A polygon whose edges go up and down at every pixel takes browsers tens of milliseconds to fill, and its
/// pixels one by one take few; for a smooth one it is the other way round.
fn fill_extents(context: &CanvasRenderingContext2d, extents: &[Extent], scale: f64) {
    const STEEP: f64 = 4.0;
    let heights = extents.iter().map(|extent| extent.low - extent.high);
    if heights.sum::<f64>() < STEEP * extents.len() as f64 {
        trace(context, &Extent::outline(extents));
        return context.fill();
    }
    // Between whole pixels of the screen, or neighbours would shine through where they meet.
    let snapped = |x: f64| (x * scale).round() / scale;
    for (at, &Extent { x, high, low }) in extents.iter().enumerate() {
        let end = extents.get(at + 1).map_or(x + 1.0, |next| next.x);
        context.fill_rect(snapped(x), high, snapped(end) - snapped(x), low - high);
    }
}

fn trace(context: &CanvasRenderingContext2d, points: &[(f64, f64)]) {
    context.begin_path();
    let mut pen_down = false;
    for &(x, y) in points {
        if !(x.is_finite() && y.is_finite()) {
            pen_down = false;
        } else if pen_down {
            context.line_to(x, y);
        } else {
            context.move_to(x, y);
            pen_down = true;
        }
    }
}

fn set_dash(context: &CanvasRenderingContext2d, dash: Option<f64>) {
    let pattern = dash.map_or_else(Array::new, |length| {
        Array::of2(&length.into(), &length.into())
    });
    // A list of positive numbers is always accepted.
    let _ = context.set_line_dash(&pattern);
}
