//! Drawing of scenes on HTML canvases. No other module draws on a canvas.
//!
//! [`crate::figure::paint`] draws through `plotters-canvas`. Operations that plotters lacks are done directly on the
//! same 2D context. Its transform converts the integer units of plotters to device pixels.

use crate::figure::{
    Raster, Rect, Scene, Theme,
    paint::{self, PaintResult, Pen, Surface, Type, UNITS},
};
use js_sys::{Array, Promise};
use leptos::prelude::document;
use plotters_backend::{BackendColor, DrawingBackend};
use plotters_canvas::CanvasBackend;
use std::cell::RefCell;
use wasm_bindgen::{Clamped, JsCast};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, CanvasRenderingContext2d, HtmlCanvasElement, ImageBitmap, ImageData, Path2d};

/// Paints a scene at `scale` device pixels per CSS pixel. Without `paper`, the background stays transparent.
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
    // Setting a size clears and reallocates the canvas.
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
    // Ignored: a context rejects only circles of negative radius.
    let _ = paint::paint(&mut canvas, scene, theme, scale);
}

/// A canvas as a plotters backend.
struct Canvas {
    backend: CanvasBackend,
    context: CanvasRenderingContext2d,
    /// Device pixels per CSS pixel.
    scale: f64,
    /// Pen of the last line.
    pen: Option<Pen>,
    /// Whether the current transform is that of plotters' units. Texts come in runs, and switching the transform back
    /// and forth takes time.
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

    /// Returns the context, with plotters' units as coordinates.
    fn in_units(&mut self) -> &CanvasRenderingContext2d {
        if !self.counts_units {
            self.transform(self.scale / UNITS, (0.0, 0.0));
            self.counts_units = true;
        }
        &self.context
    }

    /// Returns the context, with CSS pixels relative to `from` as coordinates.
    fn in_pixels(&mut self, from: (f64, f64)) -> &CanvasRenderingContext2d {
        self.transform(self.scale, from);
        self.counts_units = false;
        &self.context
    }

    /// Sets the transform: `scale` device pixels per unit, and an origin in CSS pixels.
    fn transform(&self, scale: f64, (x, y): (f64, f64)) {
        let (x, y) = (x * self.scale, y * self.scale);
        // Ignored: a finite transform is always accepted.
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
        // Ignored: a list of positive numbers is always accepted.
        let _ = self.context.set_line_dash(&dash);
    }

    fn stretch(&mut self, raster: &Raster, rect: &Rect, is_smooth: bool) {
        let Some(source) = raster_canvas(raster) else {
            return;
        };
        let context = self.in_pixels((0.0, 0.0));
        context.set_image_smoothing_enabled(is_smooth);
        // Ignored: a canvas of the same page can always be drawn.
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

    fn write(&mut self, text: &str, style: &Type, at: (f64, f64)) -> PaintResult<Self> {
        self.in_pixels(at);
        self.backend.draw_text(text, style, (0, 0))
    }
}

fn css(color: BackendColor) -> String {
    let (r, g, b) = color.rgb;
    format!("rgb({r},{g},{b})")
}

/// Renders the scene as a PNG, on the theme's paper or transparent. `None` if the browser cannot allocate the canvas.
pub(in crate::app) async fn png(
    scene: &Scene,
    theme: &Theme,
    scale: f64,
    paper: bool,
) -> Option<Blob> {
    let canvas = new_canvas()?;
    paint(&canvas, scene, theme, scale, paper);
    let blob = Promise::new(&mut |resolve, _| {
        // Ignored: the pixels of this canvas can be read, since it never holds images of other origins.
        let _ = canvas.to_blob(resolve.unchecked_ref());
    });
    JsFuture::from(blob).await.ok()?.dyn_into().ok()
}

/// Encodes pixels as the data URL of a PNG, for an SVG `<image>`.
pub(in crate::app) fn data_address(raster: &Raster) -> String {
    // A new canvas, since the scratch canvases should stay small.
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

/// Number of scratch canvases.
const SCRATCHES: usize = 4;

thread_local! {
    /// Scratch canvases, the latest last. A moving slider paints the same sizes repeatedly.
    static SCRATCH: RefCell<Vec<HtmlCanvasElement>> = const { RefCell::new(Vec::new()) };
}

/// Returns a scratch canvas of this size, with arbitrary content.
fn scratch(width: u32, height: u32) -> Option<HtmlCanvasElement> {
    SCRATCH.with_borrow_mut(|canvases| {
        let fits =
            |canvas: &HtmlCanvasElement| canvas.width() == width && canvas.height() == height;
        if let Some(at) = canvases.iter().position(fits) {
            return Some(canvases[at].clone());
        }
        let canvas = new_canvas()?;
        canvas.set_width(width);
        canvas.set_height(height);
        if canvases.len() == SCRATCHES {
            canvases.remove(0);
        }
        canvases.push(canvas.clone());
        Some(canvas)
    })
}

/// Returns a canvas with these pixels. It is valid until the next raster of the same size.
fn raster_canvas(raster: &Raster) -> Option<HtmlCanvasElement> {
    let canvas = scratch(raster.width as u32, raster.height as u32)?;
    put_pixels(&canvas, raster)?;
    Some(canvas)
}

/// Writes pixels to a canvas of the same size.
fn put_pixels(canvas: &HtmlCanvasElement, raster: &Raster) -> Option<()> {
    let (width, height) = (raster.width as u32, raster.height as u32);
    let context = context(canvas)?;
    // A view of WebAssembly memory, which a memory growth would invalidate. Nothing allocates before it is used.
    let pixels = Clamped(&raster.rgba[..]);
    let data = ImageData::new_with_u8_clamped_array_and_sh(pixels, width, height).ok()?;
    context.put_image_data(&data, 0.0, 0.0).ok()
}

/// Scales an image to a size on a white background, and returns its pixels as red, green, blue.
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
    let data = context.get_image_data(0.0, 0.0, across, down).ok()?;
    let pixels = data.data();
    Some(
        pixels
            .chunks_exact(4)
            .flat_map(|pixel| pixel[..3].to_vec())
            .collect(),
    )
}
