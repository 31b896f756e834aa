//! Paints scenes with the page's painter on a bitmap instead of a canvas, to test pictures without a browser.

mod bitmap;
mod golden;
mod laws;

use bitmap::Bitmap;
use diagonal::figure::{LIGHT, Scene, paint};

/// Paints a scene on light paper, with `scale` bitmap pixels per scene pixel.
fn paint(scene: &Scene, scale: f64) -> Bitmap {
    let size = |pixels: f64| (pixels * scale).round() as u32;
    let mut bitmap = Bitmap::new(size(scene.width), size(scene.height), scale, LIGHT.paper);
    paint::paint(&mut bitmap, scene, &LIGHT, scale).expect("a bitmap refuses nothing");
    bitmap
}
