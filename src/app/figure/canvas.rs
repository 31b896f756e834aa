//! Scenes on canvases: the only file that touches one.
//!
//! Plotters draws: [`crate::figure::paint`] says what, `plotters-canvas` does. What plotters has no words for is done
//! on the same context, whose transform makes device pixels of the units that plotters draws in.

use crate::figure::{
    Raster, Rect, Scene, Theme,
    paint::{self, Painted, Pen, Surface, Type, UNITS},
};
use js_sys::{Array, Promise};
use leptos::prelude::document;
use plotters_backend::{BackendColor, DrawingBackend};
use plotters_canvas::CanvasBackend;
use std::cell::RefCell;
use wasm_bindgen::{Clamped, JsCast};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, CanvasRenderingContext2d, HtmlCanvasElement, ImageBitmap, ImageData, Path2d};

/// Paints a scene, `scale` device pixels to a CSS pixel. With no paper, what is not drawn is transparent.
pub(in crate::app) fn paint(
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
    let Some(mut canvas) = Canvas::new(canvas, scale) else {
        return;
    };
    let sheet = canvas.in_pixels((0.0, 0.0));
    sheet.clear_rect(0.0, 0.0, scene.width, scene.height);
    if paper {
        sheet.set_fill_style_str(theme.paper);
        sheet.fill_rect(0.0, 0.0, scene.width, scene.height);
    }
    // A context refuses nothing but circles of negative radius.
    let _ = paint::paint(&mut canvas, scene, theme, scale);
}

/// A canvas as plotters draws on it.
struct Canvas {
    backend: CanvasBackend,
    context: CanvasRenderingContext2d,
    /// Device pixels to a CSS pixel.
    scale: f64,
    /// What the last line was drawn with.
    pen: Option<Pen>,
    /// Whether coordinates are those of plotters: texts come in rows, and it takes time to go there and back.
    counts_units: bool,
}

impl Canvas {
    fn new(canvas: &HtmlCanvasElement, scale: f64) -> Option<Self> {
        let context = context(canvas)?;
        let backend = CanvasBackend::with_canvas_object(canvas.clone())?;
        Some(Self {
            backend,
            context,
            scale,
            pen: None,
            counts_units: false,
        })
    }

    /// The context, on which coordinates are those of plotters.
    fn in_units(&mut self) -> &CanvasRenderingContext2d {
        if !self.counts_units {
            self.transform(self.scale / UNITS, (0.0, 0.0));
            self.counts_units = true;
        }
        &self.context
    }

    /// The context, on which coordinates are CSS pixels from a point.
    fn in_pixels(&mut self, from: (f64, f64)) -> &CanvasRenderingContext2d {
        self.transform(self.scale, from);
        self.counts_units = false;
        &self.context
    }

    /// Coordinates count `scale` device pixels each, from a point in CSS pixels.
    fn transform(&self, scale: f64, (x, y): (f64, f64)) {
        let (x, y) = (x * self.scale, y * self.scale);
        // A finite transform is always accepted.
        let _ = self.context.set_transform(scale, 0.0, 0.0, scale, x, y);
    }
}

impl Surface for Canvas {
    type Backend = CanvasBackend;

    fn backend(&mut self) -> &mut CanvasBackend {
        self.in_units();
        &mut self.backend
    }

    fn take(&mut self, pen: Pen) {
        if self.pen.replace(pen) == Some(pen) {
            return;
        }
        let (join, dash) = match pen {
            Pen::Sharp => ("miter", Array::new()),
            Pen::Round => ("round", Array::new()),
            Pen::Dashed(length) => {
                let units = (length * UNITS).into();
                ("round", Array::of2(&units, &units))
            }
        };
        self.context.set_line_join(join);
        // A list of positive numbers is always accepted.
        let _ = self.context.set_line_dash(&dash);
    }

    fn stretch(&mut self, raster: &Raster, rect: &Rect, is_smooth: bool) {
        let Some(source) = raster_canvas(raster) else {
            return;
        };
        let context = self.in_pixels((0.0, 0.0));
        context.set_image_smoothing_enabled(is_smooth);
        // A canvas of the same page can always be drawn.
        let _ = context.draw_image_with_html_canvas_element_and_dw_and_dh(
            &source,
            rect.x,
            rect.y,
            rect.width,
            rect.height,
        );
    }

    fn fill_columns(&mut self, columns: impl Iterator<Item = Rect>, color: BackendColor) {
        let context = self.in_pixels((0.0, 0.0));
        context.set_fill_style_str(&css(color));
        for Rect {
            x,
            y,
            width,
            height,
        } in columns
        {
            context.fill_rect(x, y, width, height);
        }
    }

    fn fill_shape(&mut self, path: &str, color: BackendColor) {
        if let Ok(path) = Path2d::new_with_path_string(path) {
            let context = self.in_pixels((0.0, 0.0));
            context.set_fill_style_str(&css(color));
            context.fill_with_path_2d(&path);
        }
    }

    fn write(&mut self, text: &str, style: &Type, at: (f64, f64)) -> Painted<Self> {
        self.in_pixels(at);
        self.backend.draw_text(text, style, (0, 0))
    }
}

fn css(color: BackendColor) -> String {
    let (r, g, b) = color.rgb;
    format!("rgb({r},{g},{b})")
}

/// The scene as a PNG file, on the theme's paper or on none; `None` where the browser has no room for it.
pub(in crate::app) async fn png(
    scene: &Scene,
    theme: &Theme,
    scale: f64,
    paper: bool,
) -> Option<Blob> {
    let canvas = new_canvas()?;
    paint(&canvas, scene, theme, scale, paper);
    let made = Promise::new(&mut |resolve, _| {
        // Our own canvas is never tainted, so its pixels may be read.
        let _ = canvas.to_blob(resolve.unchecked_ref());
    });
    JsFuture::from(made).await.ok()?.dyn_into().ok()
}

/// Pixels as the address of a PNG, for an `<image>`.
pub(in crate::app) fn data_address(raster: &Raster) -> String {
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
    let (width, height) = (raster.width as u32, raster.height as u32);
    let context = context(canvas)?;
    // A view of wasm memory, which is torn away when the memory grows: nothing comes between it and its use.
    let pixels = Clamped(&raster.rgba[..]);
    let data = ImageData::new_with_u8_clamped_array_and_sh(pixels, width, height).ok()?;
    context.put_image_data(&data, 0.0, 0.0).ok()
}

/// The red, green and blue of an image scaled to a size, on white.
pub(in crate::app) fn scaled_pixels(
    image: &ImageBitmap,
    width: u32,
    height: u32,
) -> Option<Vec<u8>> {
    let canvas = new_canvas()?;
    canvas.set_width(width);
    canvas.set_height(height);
    let context = context(&canvas)?;
    let (across, down) = (f64::from(width), f64::from(height));
    context.set_fill_style_str("#ffffff");
    context.fill_rect(0.0, 0.0, across, down);
    context.set_image_smoothing_enabled(true);
    context
        .draw_image_with_image_bitmap_and_dw_and_dh(image, 0.0, 0.0, across, down)
        .ok()?;
    let read = context.get_image_data(0.0, 0.0, across, down).ok()?;
    let pixels = read.data();
    Some(
        pixels
            .chunks_exact(4)
            .flat_map(|pixel| pixel[..3].to_vec())
            .collect(),
    )
}
