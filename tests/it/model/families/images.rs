//! Patch grids inferred from the shape of a table, and its width.

use diagonal::model::HeadsSource;

use super::{describe_positions, parse_config};
use crate::support::models::{Tensors, f32s, note, plainly, write};

#[test]
fn heads_of_image_models_are_assumed_as_timm_has_them() {
    for (width, heads) in [
        (192, 3),
        (384, 6),
        (768, 12),
        (1152, 16),
        (1280, 16),
        (1408, 16),
    ] {
        let mut all = Tensors::new();
        all.insert("pos_embed".to_owned(), f32s(&[1, 5, width], |i| i as f32));
        all.insert(
            "blocks.0.attn.qkv.weight".to_owned(),
            f32s(&[3 * width, width], |_| 0.0),
        );
        let (_, model) = plainly(write(&all), None);
        assert_eq!(
            (model.heads.count, model.heads.source),
            (heads, HeadsSource::Assumed),
            "{width}"
        );
        assert_eq!(
            describe_positions(&model.positions),
            format!("4 × {width}, patches 2 × 2")
        );
    }
}

#[test]
fn leading_rows_of_images_are_told_by_what_is_left() {
    let table = |rows: usize, config: Option<&str>| {
        let mut all = Tensors::new();
        all.insert("pos_embed".to_owned(), f32s(&[1, rows, 4], |i| i as f32));
        all.insert(
            "patch_embed.proj.weight".to_owned(),
            f32s(&[4, 3, 2, 2], |_| 0.0),
        );
        let config = config.map(parse_config);
        let (_, model) = plainly(write(&all), config.as_ref());
        (
            describe_positions(&model.positions),
            note(&model, "Rows left out").map(str::to_owned),
        )
    };
    let of = |rows, config| table(rows, config).0;
    assert_eq!(of(196, None), "196 × 4, patches 14 × 14");
    assert_eq!(of(197, None), "196 × 4, patches 14 × 14");
    assert_eq!(of(198, None), "196 × 4, patches 14 × 14");
    assert_eq!(of(1369, None), "1369 × 4, patches 37 × 37");
    assert_eq!(of(1374, None), "1369 × 4, patches 37 × 37");
    assert_eq!(of(199, Some("{}")), "196 × 4, patches 14 × 14");
    assert_eq!(of(203, None), "203 × 4");
    assert!(
        table(197, None)
            .1
            .is_some_and(|text| text.contains("class token"))
    );
    // 289 is a square, but the configuration takes precedence.
    let config =
        r#"{"architecture": "vit_patch16_x", "pretrained_cfg": {"input_size": [3, 192, 384]}}"#;
    assert_eq!(of(289, Some(config)), "288 × 4, patches 12 × 24");
    assert_eq!(of(289, None), "289 × 4, patches 17 × 17");
    // The configuration may be for another image size.
    assert_eq!(of(197, Some(config)), "196 × 4, patches 14 × 14");
}
