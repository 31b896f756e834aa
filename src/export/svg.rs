//! Writes a sheet as an SVG file with provenance metadata.

use super::{Background, Provenance, Sheet};
use crate::figure::{
    PRINT, Raster, Rect, Scene,
    svg::{escape, marks, round},
};
use std::fmt::Write;

/// Writes the scene of a [`Sheet`]. `href` encodes a raster as the address of a PNG.
///
/// A raster of few cells is enlarged to print resolution, each cell by the same integer factor. Otherwise viewers that
/// ignore `image-rendering` blur its edges.
#[must_use]
pub fn document(
    scene: &Scene,
    background: Background,
    provenance: &Provenance,
    href: impl Fn(&Raster) -> String,
) -> String {
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}mm\" height=\"{}mm\" viewBox=\"0 0 {} {}\" font-family=\"Inter, sans-serif\" role=\"img\">\n",
        round(scene.width * Sheet::MILLIMETRES),
        round(scene.height * Sheet::MILLIMETRES),
        round(scene.width),
        round(scene.height),
    );
    // Writing to a String cannot fail.
    let _ = write_metadata(&mut out, provenance);
    if background == Background::White {
        let _ = writeln!(
            out,
            "<rect width=\"100%\" height=\"100%\" fill=\"{}\"/>",
            PRINT.paper
        );
    }
    out.push_str(&marks(scene, &PRINT, |rect, raster| {
        href(&sharp(rect, raster))
    }));
    out.push_str("</svg>\n");
    out
}

/// Writes title and description, as SVG elements and as Dublin Core terms, which Inkscape and archives read.
fn write_metadata(out: &mut String, provenance: &Provenance) -> std::fmt::Result {
    let title = escape(&provenance.title);
    let description = escape(&provenance.description);
    writeln!(out, "<title>{title}</title>\n<desc>{description}</desc>")?;
    writeln!(
        out,
        "<metadata>\n<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xmlns:xmp=\"http://ns.adobe.com/xap/1.0/\">\n<rdf:Description rdf:about=\"\">"
    )?;
    writeln!(out, "<dc:format>image/svg+xml</dc:format>")?;
    writeln!(out, "<dc:title>{title}</dc:title>")?;
    writeln!(out, "<dc:description>{description}</dc:description>")?;
    writeln!(out, "<dc:source>{}</dc:source>", escape(&provenance.source))?;
    if let Some(hash) = provenance.hash_text() {
        writeln!(
            out,
            "<dc:identifier>position table hash {hash}</dc:identifier>"
        )?;
    }
    writeln!(
        out,
        "<xmp:CreatorTool>{}</xmp:CreatorTool>\n</rdf:Description>\n</rdf:RDF>\n</metadata>",
        Provenance::SOFTWARE
    )
}

/// Enlarges a raster by an integer factor, to at least as many pixels as print dots in `rect`.
fn sharp(rect: &Rect, raster: &Raster) -> Raster {
    let dots = rect.width.max(rect.height) * Sheet::DOTS;
    let pixels = raster.width.max(raster.height).max(1);
    let times = ((dots / pixels as f64).ceil() as usize).max(1);
    let mut rgba = Vec::with_capacity(raster.rgba.len() * times * times);
    for row in raster.rgba.chunks_exact((4 * raster.width).max(1)) {
        let wide: Vec<u8> = row
            .chunks_exact(4)
            .flat_map(|pixel| std::iter::repeat_n(pixel, times))
            .flatten()
            .copied()
            .collect();
        for _ in 0..times {
            rgba.extend_from_slice(&wide);
        }
    }
    Raster::new(raster.width * times, raster.height * times, rgba)
}
