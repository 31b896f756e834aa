//! Figures as bitmaps, compared with the pictures in `tests/painted`.
//!
//! After an intended change: `UPDATE_SNAPSHOTS=1 cargo test --test it painting`, then review the changed pictures
//! before committing. A differing picture is written beside the original as `NAME-changed.png`.

use super::{Bitmap, paint};
use crate::figure::pictures::figures;
use crate::support::root;
use std::{collections::BTreeSet, fs::File, io::BufReader, path::PathBuf};

/// Compared figures: a heat map, one with a highlighted diagonal, blocks, lines with a band, dashes, gaps and handles,
/// lines denser than pixels, bars, thumbnails with one open.
const LOOKED_AT: [&str; 7] = [
    "matrix",
    "matrix-cursor",
    "matrix-blocks",
    "lines-cursor",
    "lines-dense",
    "bars",
    "grid",
];

/// Bitmap pixels per pixel of the scene; not an integer, so that rounding to pixels is visible.
const SCALE: f64 = 1.5;

/// Tolerance per pixel, of 255: antialiasing differs between machines in the last bits.
const NEAR: u8 = 6;

fn folder() -> PathBuf {
    root().join("tests/painted")
}

/// Paints a figure with its cursor overlay, at the width of a phone.
fn picture(name: &str, moved: f64) -> Bitmap {
    let (_, figure, cursor) = figures()
        .into_iter()
        .find(|(other, ..)| *other == name)
        .expect("a picture");
    let mut scene = figure.scene(320.0 + moved);
    scene
        .marks
        .extend(figure.overlay(320.0 + moved, cursor).marks);
    scene.width = 320.0;
    paint(&scene, SCALE)
}

fn write(bitmap: &Bitmap, name: &str) {
    let (width, height) = bitmap.size();
    let file = File::create(folder().join(name)).expect("a file");
    let mut encoder = png::Encoder::new(file, width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::High);
    let mut writer = encoder.write_header().expect("a header");
    writer.write_image_data(&bitmap.rgb()).expect("pixels");
}

fn read(name: &str) -> Option<Vec<u8>> {
    let file = BufReader::new(File::open(folder().join(name)).ok()?);
    let mut reader = png::Decoder::new(file).read_info().ok()?;
    let mut rgb = vec![0; reader.output_buffer_size()?];
    reader.next_frame(&mut rgb).ok()?;
    Some(rgb)
}

fn is_same(before: &[u8], now: &[u8]) -> bool {
    before.len() == now.len() && before.iter().zip(now).all(|(a, b)| a.abs_diff(*b) <= NEAR)
}

#[test]
fn figures_look_as_they_did() {
    let update = std::env::var_os("UPDATE_SNAPSHOTS").is_some_and(|value| value == "1");
    std::fs::create_dir_all(folder()).expect("a folder");
    let mut changed = Vec::new();
    for name in LOOKED_AT {
        let now = picture(name, 0.0);
        let (golden, rejected) = (format!("{name}.png"), format!("{name}-changed.png"));
        if update {
            write(&now, &golden);
        }
        if read(&golden).is_some_and(|before| is_same(&before, &now.rgb())) {
            // Remove the rejected picture of an earlier run.
            let _ = std::fs::remove_file(folder().join(rejected));
        } else {
            write(&now, &rejected);
            changed.push(name);
        }
    }
    assert!(
        changed.is_empty(),
        "changed: {changed:?}; look at tests/painted/*-changed.png"
    );
    let files: BTreeSet<String> = LOOKED_AT.map(|name| format!("{name}.png")).into();
    for entry in std::fs::read_dir(folder()).expect("a folder") {
        let entry = entry.expect("an entry");
        let name = entry.file_name().into_string().expect("a plain name");
        assert!(files.contains(&name), "no figure looks like {name}");
        let size = entry.metadata().expect("a file").len();
        assert!(size <= 22_000, "{name} takes {size} bytes");
    }
}

#[test]
fn a_quarter_of_a_pixel_is_another_picture() {
    for name in LOOKED_AT {
        let [here, there] = [0.0, 0.25].map(|moved| picture(name, moved));
        assert!(!is_same(&here.rgb(), &there.rgb()), "{name}");
    }
}
