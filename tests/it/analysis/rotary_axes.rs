//! Angles along several axes: text with pictures, and patches of images.

use super::rotary_angle_sets::{angles_of, csv_of, file, lines, with};
use crate::support::models::{f32s, write};
use diagonal::{
    analysis::ModelAngles,
    checkpoint::MemorySource,
    figure::{AngleChange, Cursor, Figure, PlotMark, rotary_angles},
};
use serde_json::{Value, json};
use std::f64::consts::TAU;

fn qwen() -> Value {
    with(&json!({"model_type": "qwen2_5_vl", "hidden_size": 512,
        "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]},
        "vision_config": {"depth": 2, "hidden_size": 1280, "num_heads": 16, "patch_size": 14}}))
}

#[test]
fn the_pairs_of_a_text_with_pictures_have_axes() {
    let angles = angles_of(vec![file("config.json", &qwen())], None);
    assert!(!angles.has_patches);
    let (header, rows) = csv_of(&angles);
    assert_eq!(header, "layer,pair,wavelength,unscaled,axis");
    assert_eq!(rows.len(), 3 * 64);
    let count = |axis: &str| rows.iter().filter(|row| row[4] == axis).count();
    assert_eq!(["time", "row", "column"].map(count), [48, 72, 72]);
    let plot = rotary_angles(&angles, AngleChange::default()).expect("a plot");
    let names = [
        "all layers, time",
        "all layers, rows",
        "all layers, columns",
    ];
    assert_eq!(lines(&plot).0, names);
    assert!(
        plot.summary.contains("All layers, time: 16 pairs"),
        "{}",
        plot.summary
    );
}

#[test]
fn the_pairs_of_a_vision_tower_follow_rows_and_columns() {
    let angles = angles_of(vec![file("config.json", &qwen())], Some("vision"));
    assert!(angles.has_patches && angles.grid.is_none());
    let (header, rows) = csv_of(&angles);
    assert_eq!(header, "layer,pair,wavelength,unscaled,axis");
    assert_eq!(rows.len(), 2 * 40);
    assert_eq!(rows[0][..2], ["1", "1"]);
    assert_eq!(
        (rows[0][4].as_str(), rows[20][4].as_str()),
        ("row", "column")
    );
    // θ = 10,000^(−2·19/40) for the slowest pair of rows.
    let slowest: f64 = rows[19][2].parse().expect("a number");
    let expected = TAU * 1e4_f64.powf(38.0 / 40.0);
    assert!((slowest / expected - 1.0).abs() < 1e-12);
    // A slider for the base bends both axes.
    let change = AngleChange {
        factor: None,
        base: Some(100.0),
    };
    let plot = rotary_angles(&angles, change).expect("a plot");
    assert!(plot.summary.contains("patches"), "{}", plot.summary);
    let row = plot.table.csv().lines().nth(40).expect("a row").to_owned();
    let slowest: f64 = row
        .split(',')
        .nth(2)
        .and_then(|n| n.parse().ok())
        .expect("a number");
    assert!((slowest / (TAU * 100_f64.powf(38.0 / 40.0)) - 1.0).abs() < 1e-12);
}

#[test]
fn an_image_of_known_size_has_its_side_as_a_rule() {
    let config = json!({"model_type": "dinov3_vit", "hidden_size": 384, "num_attention_heads": 6,
        "num_hidden_layers": 3, "image_size": 224, "patch_size": 16});
    let angles = angles_of(vec![file("config.json", &config)], None);
    let plot = rotary_angles(&angles, AngleChange::default()).expect("a plot");
    let rules = plot.marks.iter().filter_map(|mark| match mark {
        PlotMark::Rule { y, name } => Some((*y, *name)),
        _ => None,
    });
    assert_eq!(rules.collect::<Vec<_>>(), [(14.0, "side of the image")]);
    // The fastest pair of DINOv3 turns once in half the image.
    assert_eq!(csv_of(&angles).1[0][2], "7");
    assert_eq!(lines(&plot).0, ["all layers, rows", "all layers, columns"]);
}

/// RoPE-Mixed: frequencies of every layer and head, [2, layers, heads, pairs], columns first.
fn mixed() -> ModelAngles {
    let shape = [2, 2, 3, 4];
    let number = |at: usize| ((at * 37 % 41) as f32 - 20.0) / 16.0;
    let tensors = [("rope.freqs".to_owned(), f32s(&shape, number))];
    let bytes = write(&tensors.into_iter().collect());
    angles_of(
        vec![("model.safetensors".to_owned(), MemorySource::from(bytes))],
        None,
    )
}

#[test]
fn learned_frequencies_have_a_row_for_each_head_and_axis() {
    let angles = mixed();
    assert_eq!((angles.layers, angles.sets.len()), (2, 2));
    let (header, rows) = csv_of(&angles);
    assert_eq!(header, "layer,pair,wavelength,unscaled,axis,head,frequency");
    let number = |at: usize| f64::from(((at * 37 % 41) as f32 - 20.0) / 16.0);
    let zeros = (0..48).filter(|at| number(*at) == 0.0).count();
    assert!(zeros > 0);
    assert_eq!(rows.len(), 48 - zeros);
    for row in &rows {
        let place = |at: usize| row[at].parse::<usize>().expect("a number") - 1;
        let [layer, pair, head] = [0, 1, 5].map(place);
        let axis = usize::from(row[4] == "row");
        let expected = number(((axis * 2 + layer) * 3 + head) * 4 + pair);
        let [wavelength, frequency] = [2, 6].map(|at| row[at].parse::<f64>().expect("a number"));
        assert_eq!(frequency, expected);
        assert_eq!(wavelength, TAU / expected.abs());
    }
    let plot = rotary_angles(&angles, AngleChange::default()).expect("a plot");
    assert_eq!(lines(&plot).0, ["all heads, rows", "all heads, columns"]);
}

/// Angles by rows and columns of patches, and learned frequencies, for the `pictures` tests.
pub(crate) fn pictures() -> Vec<(&'static str, Box<dyn Figure>, Option<Cursor>)> {
    let tower = angles_of(vec![file("config.json", &qwen())], Some("vision"));
    let plot =
        |angles: &ModelAngles| rotary_angles(angles, AngleChange::default()).expect("a plot");
    vec![
        ("rotary-angles-patches", Box::new(plot(&tower)), None),
        ("rotary-angles-mixed", Box::new(plot(&mixed())), None),
    ]
}
