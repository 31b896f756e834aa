//! Writes a scene as SVG text, for download and snapshot tests. Numbers are rounded to hundredths of a pixel.

use super::{Anchor, Extent, Ink, Mark, Raster, Rect, Scene, Theme};
use std::{borrow::Cow, fmt::Write};

/// Writes a scene in the colours of the page. `href` encodes a raster as the address of an `<image>`: the page makes a
/// PNG with a canvas, tests use a hash of the pixels.
#[must_use]
pub fn svg(scene: &Scene, theme: &Theme, title: &str, href: impl Fn(&Raster) -> String) -> String {
    let href = |_: &Rect, raster: &Raster| href(raster);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" font-family=\"Inter, system-ui, sans-serif\">\n<title>{}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"{}\"/>\n",
        escape(title),
        theme.paper,
        w = round(scene.width),
        h = round(scene.height),
    );
    out.push_str(&marks(scene, theme, href));
    out.push_str("</svg>\n");
    out
}

/// Writes the marks of a scene, one element each. `href` also gets the rectangle of the raster.
pub(crate) fn marks(
    scene: &Scene,
    theme: &Theme,
    href: impl Fn(&Rect, &Raster) -> String,
) -> String {
    let mut out = String::new();
    for mark in &scene.marks {
        // Writing to a String cannot fail.
        let _ = write_mark(&mut out, mark, theme, &href);
    }
    out
}

fn write_mark(
    out: &mut String,
    mark: &Mark,
    theme: &Theme,
    href: &impl Fn(&Rect, &Raster) -> String,
) -> std::fmt::Result {
    let color = |ink: Ink| theme.color(ink);
    match mark {
        Mark::Raster(rect, raster) => writeln!(
            out,
            "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" href=\"{}\"/>",
            round(rect.x),
            round(rect.y),
            round(rect.width),
            round(rect.height),
            href(rect, raster.in_theme(theme)),
        ),
        Mark::Line {
            points,
            stroke,
            width,
            dash,
        } => {
            let dash = dash.map_or(String::new(), |d| format!(" stroke-dasharray=\"{d}\""));
            writeln!(
                out,
                "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\"{dash}/>",
                path(points),
                color(*stroke),
                round(*width),
            )
        }
        Mark::Area { points, fill } => polygon(out, points, color(*fill)),
        Mark::Extents { extents, fill } => polygon(out, &Extent::outline(extents), color(*fill)),
        Mark::Box { rect, fill, stroke } => {
            let stroke = stroke.map_or(String::new(), |(ink, width)| {
                format!(" stroke=\"{}\" stroke-width=\"{width}\"", color(ink))
            });
            writeln!(
                out,
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"{stroke}/>",
                round(rect.x),
                round(rect.y),
                round(rect.width),
                round(rect.height),
                fill.map_or("none", color),
            )
        }
        Mark::Dot {
            at,
            radius,
            fill,
            stroke,
        } => writeln!(
            out,
            "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\" stroke=\"{}\" stroke-width=\"2\"/>",
            round(at.0),
            round(at.1),
            round(*radius),
            color(*fill),
            color(*stroke),
        ),
        Mark::Text {
            text,
            at,
            size,
            anchor,
            ink,
        } => writeln!(
            out,
            "<text x=\"{}\" y=\"{}\" font-size=\"{size}\" text-anchor=\"{}\" dominant-baseline=\"central\" fill=\"{}\">{}</text>",
            round(at.0),
            round(at.1),
            match anchor {
                Anchor::Start => "start",
                Anchor::Middle => "middle",
                Anchor::End => "end",
            },
            color(*ink),
            escape(text),
        ),
        Mark::Letters { text, path, ink } => writeln!(
            out,
            "<path role=\"img\" aria-label=\"{}\" d=\"{path}\" fill=\"{}\"/>",
            escape(text),
            color(*ink),
        ),
    }
}

fn polygon(out: &mut String, points: &[(f64, f64)], fill: &str) -> std::fmt::Result {
    writeln!(out, "<path d=\"{}Z\" fill=\"{fill}\"/>", path(points))
}

fn path(points: &[(f64, f64)]) -> String {
    let mut d = String::new();
    let mut pen_down = false;
    for &(x, y) in points {
        if !(x.is_finite() && y.is_finite()) {
            pen_down = false;
            continue;
        }
        d.push(if pen_down { 'L' } else { 'M' });
        pen_down = true;
        // Writing to a String cannot fail.
        let _ = write!(d, "{} {}", round(x), round(y));
    }
    d
}

pub(crate) fn round(value: f64) -> f64 {
    // Adding zero turns −0 into 0.
    (value * 100.0).round() / 100.0 + 0.0
}

/// Escapes text for elements and attributes. Characters that XML does not allow, such as control characters, are
/// replaced; they would make the file invalid.
pub(crate) fn escape(text: &str) -> String {
    let is_allowed = |c: char| match c {
        '\t' | '\n' | '\r' => true,
        '\u{fffe}' | '\u{ffff}' => false,
        _ => c >= ' ',
    };
    let text: Cow<'_, str> = if text.chars().all(is_allowed) {
        text.into()
    } else {
        text.replace(|c| !is_allowed(c), "\u{fffd}").into()
    };
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
