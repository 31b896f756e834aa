//! Similarity of an image's patches, and tables resampled to another grid.

use crate::{
    checkpoint::hostile::assert_is_sentence,
    math::laws::config,
    support::{
        oracles::random,
        questions::{FIRST, ask, folder, open, with_computed},
    },
};
use diagonal::{
    analysis::{
        FailureKind, MemorySession, Origin, OtherGrid, PatchMaps, PatchSimilarities,
        PatchSimilarity, Similarity,
    },
    encoding::Sinusoidal,
    math::{Grid, Resampling, reference, resample},
    model::ModelOptions,
};
use fastrand::Rng;
use ndarray::Array2;
use proptest::prelude::*;

const WAYS: [Resampling; 2] = [Resampling::Bicubic, Resampling::Bilinear];

fn grid(height: usize, width: usize) -> Grid {
    Grid { height, width }
}

proptest! {
    #![proptest_config(config(64))]

    #[test]
    fn a_table_on_another_grid_is_that_of_the_slow_twin(
        height in 1..7_usize, width in 1..7_usize, to_height in 1..12_usize, to_width in 1..12_usize, seed: u64,
    ) {
        let (from, to) = (grid(height, width), grid(to_height, to_width));
        let table = random(&mut Rng::with_seed(seed), from.cells(), 2);
        for how in WAYS {
            let found = resample(table.view(), from, to, how);
            for (column, found) in table.columns().into_iter().zip(found.columns()) {
                let picture = column.iter().map(|v| f64::from(*v)).collect();
                let picture = Array2::from_shape_vec((height, width), picture).expect("a picture");
                let is_cubic = how == Resampling::Bicubic;
                let slow = reference::resample(&picture, (to_height, to_width), is_cubic);
                for (found, slow) in found.iter().zip(&slow) {
                    prop_assert!((f64::from(*found) - slow).abs() < 1e-5, "{how:?}: {found} {slow}");
                }
            }
        }
    }

    #[test]
    fn a_grid_of_the_same_size_leaves_the_table(height in 1..7_usize, width in 1..7_usize, seed: u64) {
        let own = grid(height, width);
        let table = random(&mut Rng::with_seed(seed), own.cells(), 3);
        for how in WAYS {
            prop_assert_eq!(&resample(table.view(), own, own, how), &table);
        }
    }
}

/// The result of torch.nn.functional.interpolate (align_corners=False) for twelve numbers in three rows of four.
#[test]
fn golden_numbers_of_torch() {
    let table = Array2::from_shape_fn((12, 1), |(i, _)| (i * i % 17) as f32);
    let text = std::fs::read_to_string(crate::support::models::data("resampled/golden.json"));
    let golden: serde_json::Value =
        serde_json::from_str(&text.expect("golden numbers")).expect("JSON");
    let cases = golden["cases"].as_array().expect("cases");
    assert_eq!(cases.len(), 8);
    for case in cases {
        let side = |at: usize| case["size"][at].as_u64().expect("a side") as usize;
        let how = match case["mode"].as_str() {
            Some("bicubic") => Resampling::Bicubic,
            Some("bilinear") => Resampling::Bilinear,
            other => panic!("{other:?}"),
        };
        let found = resample(table.view(), grid(3, 4), grid(side(0), side(1)), how);
        let values = case["values"].as_array().expect("values");
        assert_eq!(found.len(), values.len());
        for (found, golden) in found.iter().zip(values) {
            let golden = golden.as_f64().expect("a number");
            assert!((f64::from(*found) - golden).abs() < 1e-5, "{case}: {found}");
        }
    }
}

/// Linear interpolation preserves ramps inside the grid. The cubic kernel with a = −¾ preserves only constants.
#[test]
fn ramps_stay_ramps() {
    let (from, to) = (grid(9, 9), grid(21, 12));
    let ramp = |at: f64, side: usize| (at + 0.5) * 9.0 / side as f64 - 0.5;
    let table = Array2::from_shape_fn((81, 1), |(i, _)| (2 * (i / 9) + 5 * (i % 9)) as f32);
    let flat = Array2::from_elem((81, 1), 3.5);
    for how in WAYS {
        let flat = resample(flat.view(), from, to, how);
        assert!(flat.iter().all(|v| (v - 3.5).abs() < 1e-6), "{how:?}");
    }
    for how in [Resampling::Bilinear] {
        let found = resample(table.view(), from, to, how);
        for at in 0..to.cells() {
            let (y, x) = to.place(at);
            let (y, x) = (ramp(y as f64, to.height), ramp(x as f64, to.width));
            if (1.0..7.0).contains(&y) && (1.0..7.0).contains(&x) {
                let expected = 2.0 * y + 5.0 * x;
                assert!(
                    (f64::from(found[[at, 0]]) - expected).abs() < 1e-4,
                    "{how:?} {at}"
                );
            }
        }
    }
}

fn asked(name: &str, question: PatchSimilarity) -> PatchMaps {
    let session = MemorySession::default();
    open(&session, folder(name), ModelOptions::default()).expect(name);
    ask(&session, question).expect(name)
}

fn plain(similarity: Similarity) -> PatchSimilarity {
    PatchSimilarity {
        of: FIRST,
        similarity,
        other: None,
        layer: 0,
    }
}

fn by_patch(maps: PatchMaps) -> PatchSimilarities {
    match maps {
        PatchMaps::ByPatch(maps) => maps,
        PatchMaps::ByHead(_) => panic!("a table has patches"),
    }
}

#[test]
fn every_patch_of_a_table_meets_every_other() {
    for name in ["vit", "deit", "timm-vit"] {
        let config = crate::support::models::config(name);
        let (_, model) =
            crate::support::models::plainly(crate::support::models::bytes(name), Some(&config));
        let own = model.positions.grid().expect(name);
        let table = model.table().expect(name).mapv(f64::from);
        let unit = reference::unit_rows(&table);
        for (similarity, table) in [
            (Similarity::InnerProduct, &table),
            (Similarity::Cosine, &unit),
        ] {
            let maps = by_patch(asked(name, plain(similarity)));
            assert_eq!((maps.grid, maps.step, &maps.own), (own, 1, &None), "{name}");
            let products = table.dot(&table.t());
            for ((i, j), product) in products.indexed_iter() {
                let found = f64::from(maps.at(i, j).expect("it is shown"));
                assert!(
                    (found - product).abs() < 1e-4 * product.abs().max(1.0),
                    "{name} {i} {j}"
                );
            }
            let r2 = reference::grid_r2(&products, own.width);
            assert!((maps.r2 - r2).abs() < 1e-5, "{name} {} {r2}", maps.r2);
        }
    }
}

#[test]
fn another_grid_is_the_resampled_table() {
    let config = crate::support::models::config("vit");
    let (_, model) =
        crate::support::models::plainly(crate::support::models::bytes("vit"), Some(&config));
    let own = model.positions.grid().expect("a grid");
    for how in WAYS {
        let other = OtherGrid {
            grid: grid(9, 7),
            how,
        };
        let question = PatchSimilarity {
            other: Some(other),
            ..plain(Similarity::Cosine)
        };
        let maps = by_patch(asked("vit", question));
        let (was, before) = maps.own.expect("another grid");
        assert_eq!((maps.grid, was), (other.grid, own));
        let r2 = |table: &Array2<f32>, width: usize| {
            let unit = reference::unit_rows(&table.mapv(f64::from));
            reference::grid_r2(&unit.dot(&unit.t()), width)
        };
        let table = model.table().expect("a table");
        assert!((before - r2(table, own.width)).abs() < 1e-5);
        let moved = resample(table.view(), own, other.grid, how);
        assert!((maps.r2 - r2(&moved, 7)).abs() < 1e-5);
    }
    // The table's own grid does not count as another one, and sides are limited.
    let question = |side| PatchSimilarity {
        other: Some(OtherGrid {
            grid: side,
            how: Resampling::Bicubic,
        }),
        ..plain(Similarity::InnerProduct)
    };
    assert_eq!(by_patch(asked("vit", question(own))).own, None);
    let largest = by_patch(asked("vit", question(grid(usize::MAX, 0))));
    assert_eq!(largest.grid, grid(64, 2));
    assert!(largest.values.len() <= 1 << 18);
}

/// Large grids show every n-th patch, in its own place.
#[test]
fn large_grids_show_some_patches() {
    let question = PatchSimilarity {
        other: Some(OtherGrid {
            grid: grid(40, 30),
            how: Resampling::Bilinear,
        }),
        ..plain(Similarity::Cosine)
    };
    let maps = by_patch(asked("vit", question));
    assert!(
        maps.step > 1 && maps.values.len() <= 1 << 18,
        "{}",
        maps.step
    );
    let shown = maps.patch_grid();
    assert_eq!(maps.values.len(), shown.cells() * 1200);
    assert_eq!(maps.patches().count(), shown.cells());
    for patch in maps.patches() {
        let own = maps.at(patch, patch).expect("it is shown");
        assert!((own - 1.0).abs() < 1e-5, "{patch}");
    }
    assert_eq!(maps.at(1, 0), None);
    assert_eq!(maps.at(0, 1200), None);
}

#[test]
fn windows_are_shown_by_head() {
    for name in ["swin", "beit"] {
        let config = crate::support::models::config(name);
        let (_, model) =
            crate::support::models::plainly(crate::support::models::bytes(name), Some(&config));
        let PatchMaps::ByHead(maps) = asked(name, plain(Similarity::Cosine)) else {
            panic!("{name} has no table");
        };
        assert_eq!(
            (maps.layer, Some(maps.grid)),
            (0, model.positions.grid()),
            "{name}"
        );
        assert_eq!(maps.heads.len(), model.heads.count as usize, "{name}");
        let (rows, columns) = maps.grid.reach();
        assert!(
            maps.heads.iter().all(|head| head.len() == rows * columns),
            "{name}"
        );
    }
    let beyond = PatchSimilarity {
        layer: 99,
        ..plain(Similarity::Cosine)
    };
    assert!(matches!(asked("swin", beyond), PatchMaps::ByHead(maps) if maps.layer == 1));
}

#[test]
fn positions_in_one_row_say_what_is_needed() {
    let session = with_computed(Origin::Sinusoidal(Sinusoidal {
        rows: 16,
        width: 8,
        base: 10_000.0,
    }));
    let of_text = MemorySession::default();
    open(&of_text, folder("bert"), ModelOptions::default()).expect("bert");
    for session in [session, of_text] {
        let failure = ask(&session, plain(Similarity::Cosine)).expect_err("no patches");
        assert_eq!(failure.kind, FailureKind::NotThere);
        assert_is_sentence(&failure.to_string());
        assert!(failure.to_string().contains("ViT"));
    }
}
