//! Relative positions against the models' own library (transformers 5.23.0 with torch, on the CPU), and the captions of
//! every encoding.

use crate::{
    math::laws::config,
    support::models::{bytes, data},
};
use diagonal::{
    encoding::{Buckets, ClassScores, ENCODINGS, RelativeRows, Rotary, Sinusoidal, WindowBias},
    math::Grid,
};
use ndarray::Array2;
use proptest::prelude::*;
use safetensors::SafeTensors;
use serde_json::Value;
use std::collections::BTreeSet;

/// Offsets up to ±this were evaluated with the library.
const FAR: i64 = 20_000;

/// Hash of a long list, as in the program that ran the library.
fn list_hash(list: impl Iterator<Item = usize>) -> usize {
    list.fold(0, |sum, v| (sum * 31 + v) % 1_000_003)
}

/// The places where a list by offset changes, from its first offset.
fn steps(of: impl Fn(i64) -> usize, offsets: std::ops::RangeInclusive<i64>) -> Vec<(i64, usize)> {
    let mut steps: Vec<(i64, usize)> = Vec::new();
    for k in offsets {
        if steps.last().is_none_or(|&(_, last)| last != of(k)) {
            steps.push((k, of(k)));
        }
    }
    steps
}

/// A table of a checkpoint, [rows, columns]; further axes must have length one and come first.
pub(crate) fn table(family: &str, name: &str) -> Array2<f32> {
    let file = bytes(family);
    let tensors = SafeTensors::deserialize(&file).expect("a checkpoint");
    let tensor = tensors.tensor(name).expect(name);
    let values: Vec<f32> = tensor
        .data()
        .chunks_exact(4)
        .map(|b| f32::from_le_bytes(b.try_into().expect("four bytes")))
        .collect();
    let [.., rows, columns] = tensor.shape() else {
        panic!("{name} is no table");
    };
    Array2::from_shape_vec((*rows, *columns), values).expect("[rows, columns]")
}

/// Columns of a table of scores, one per head.
fn heads(family: &str, name: &str) -> Vec<Vec<f32>> {
    let table = table(family, name);
    table
        .columns()
        .into_iter()
        .map(|column| column.to_vec())
        .collect()
}

pub(crate) fn golden(family: &str) -> Value {
    let text = std::fs::read(data(family).join("golden.json")).expect("golden numbers");
    serde_json::from_slice(&text).expect("json")
}

/// All numbers of a nested list, in order. They are single-precision numbers written out in full; the JSON reader may
/// miss their last digit.
fn numbers(list: &Value) -> Vec<f64> {
    match list {
        Value::Array(list) => list.iter().flat_map(numbers).collect(),
        number => vec![f64::from(number.as_f64().expect("a number") as f32)],
    }
}

#[test]
fn every_encoding_says_what_it_is() {
    let ids: BTreeSet<&str> = ENCODINGS.iter().map(|encoding| encoding.id).collect();
    assert_eq!(ids.len(), ENCODINGS.len(), "two encodings share a name");
    for encoding in ENCODINGS {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(encoding.id.chars().all(plain), "{}", encoding.id);
        assert!(
            encoding.about.ends_with('.') && !encoding.about.contains('\n'),
            "{}",
            encoding.id
        );
    }
}

#[test]
fn buckets_end_where_the_library_ends_them() {
    let of = |count, max, both| Buckets::new(count, max, both).expect("buckets");
    let encoder = of(32, 128, true);
    let (near, far) = (-7..=8_i64, [8, 12, 16, 23, 32, 46, 64, 91]);
    let mut expected: Vec<(i64, usize)> = vec![(-FAR, 15)];
    expected.extend((1..8).rev().map(|m| (1 - far[m], 7 + m)));
    expected.extend(near.map(|k| {
        let first = if k > 0 { 16 } else { 0 };
        (k, first + k.unsigned_abs() as usize)
    }));
    expected.extend((1..8).map(|m| (far[m], 24 + m)));
    assert_eq!(steps(|k| encoder.bucket(k), -FAR..=FAR), expected);

    for (count, max, both, sum) in [
        (32, 128, true, 442_524),
        (32, 128, false, 741_943),
        (64, 256, true, 119_311),
        (32, 20, true, 747_577),
        (16, 1000, false, 669_148),
        (33, 100, true, 811_046),
        (320, 800, true, 278_800),
        (320, 800, false, 64_485),
        (100, 20_000, true, 363_802),
        (8, 64, true, 572_552),
        (128, 512, false, 578_895),
    ] {
        let buckets = of(count, max, both);
        let found = list_hash((-FAR..=FAR).map(|k| buckets.bucket(k)));
        assert_eq!(found, sum, "{buckets:?}");
    }
}

#[test]
fn t5_scores_offsets_as_the_library_does() {
    let golden = golden("t5");
    let offsets = numbers(&golden["encoder_bias_offsets"]);
    let n = offsets.len().div_ceil(2);
    assert_eq!(offsets[0], 1.0 - n as f64);
    for (stack, both) in [("encoder", true), ("decoder", false)] {
        let name = format!("{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight");
        let heads = heads("t5", &name);
        let buckets = Buckets::new(heads[0].len(), 128, both).expect("buckets");
        let golden = golden[format!("{stack}_bias")].as_array().expect("heads");
        assert_eq!(heads.len(), golden.len());
        for (column, golden) in heads.iter().zip(golden) {
            let golden = numbers(golden);
            let profile = buckets.profile(column, n);
            assert_eq!(profile.len(), 2 * n - 1);
            // The decoder's were evaluated for k ≤ 0.
            assert_eq!(golden.len(), if both { 2 * n - 1 } else { n });
            assert_eq!(profile[..golden.len()], golden);
        }
    }
}

#[test]
fn rows_of_relative_embeddings_are_those_of_the_library() {
    let of = |max, buckets| RelativeRows::new(max, buckets).expect("rows");
    let small = of(128, Some(32));
    let mut expected = vec![(-FAR, 63)];
    let far = [
        16, 18, 21, 24, 27, 31, 36, 42, 48, 55, 63, 73, 83, 96, 110, 127,
    ];
    expected.extend((1..15).rev().map(|m| (-far[m], 48 + m)));
    expected.extend((-16..=16).map(|k: i64| (k, (32 - k) as usize)));
    expected.extend((0..15).map(|m| (far[m] + 1, 15 - m)));
    expected.push((far[15] + 1, 0));
    assert_eq!(steps(|k| small.c2p_row(k), -FAR..=FAR), expected);

    // Versions 2 and 3 with buckets, version 1 without. The last four fold rows used in the attention itself, over 700,
    // 300 or 100 positions, where both terms had the same rows.
    for (max, buckets, far, sum) in [
        (512, Some(256), FAR, 88_082),
        (512, Some(128), FAR, 583_790),
        (1024, Some(32), FAR, 677_084),
        (2048, Some(512), FAR, 142_639),
        (300, Some(100), FAR, 935_376),
        (40, Some(6), FAR, 636_254),
        (40, Some(3), FAR, 21_560),
        (512, None, FAR, 197_588),
        (64, None, FAR, 502_871),
        (512, Some(256), 699, 120_220),
        (128, Some(32), 299, 878_251),
        (64, None, 99, 95_628),
        (512, None, 699, 995_749),
    ] {
        let rows = of(max, buckets);
        assert_eq!(rows.span(), buckets.unwrap_or(max));
        for row in [RelativeRows::c2p_row, RelativeRows::p2c_row] {
            let found = list_hash((-far..=far).map(|k| row(&rows, k)));
            assert_eq!(found, sum, "{rows:?}, up to {far}");
        }
    }
}

#[test]
fn swin_scores_offsets_as_the_library_does() {
    let golden = golden("swin");
    let heads = heads(
        "swin",
        "encoder.layers.0.blocks.0.attention.self.relative_position_bias_table",
    );
    let biases = golden["bias_by_key_minus_query"].as_array().expect("heads");
    assert_eq!(heads.len(), biases.len());
    for (column, bias) in heads.iter().zip(biases) {
        let window = WindowBias::from_rows(column.len()).expect("a window");
        assert!(!window.has_class);
        assert_eq!(golden["window"], window.grid.height);
        let scores = window.scores(column);
        assert_eq!(scores.profile(), numbers(bias));
        assert_eq!(window.class_scores(column), None);
        for (dy, dx) in window.grid.offsets() {
            let row = window.row(dy, dx).expect("listed");
            assert_eq!(scores.at(dy, dx), Some(column[row].into()));
        }
    }
}

/// The index in transformers for BEiT's windows of 2×3 patches: rows are queries, the class token first.
const BEIT_2_BY_3: [[usize; 7]; 7] = [
    [17, 15, 15, 15, 15, 15, 15],
    [16, 7, 6, 5, 2, 1, 0],
    [16, 8, 7, 6, 3, 2, 1],
    [16, 9, 8, 7, 4, 3, 2],
    [16, 12, 11, 10, 7, 6, 5],
    [16, 13, 12, 11, 8, 7, 6],
    [16, 14, 13, 12, 9, 8, 7],
];

#[test]
fn beit_keeps_its_class_token_apart() {
    let grid = Grid {
        height: 2,
        width: 3,
    };
    let window = WindowBias {
        grid,
        has_class: true,
    };
    // The score of a row is the row's number, so that scores identify their rows.
    let column: Vec<f32> = (0..window.rows()).map(|row| row as f32).collect();
    let scores = window.scores(&column);
    for (i, row) in BEIT_2_BY_3[1..].iter().enumerate() {
        for (j, &index) in row[1..].iter().enumerate() {
            let (dy, dx) = grid.offset(i, j);
            assert_eq!(window.row(dy, dx), Some(index));
            assert_eq!(scores.cell(i, j), index as f64);
        }
    }
    let class = ClassScores {
        class_to_patch: BEIT_2_BY_3[0][1] as f64,
        patch_to_class: BEIT_2_BY_3[1][0] as f64,
        class_to_class: BEIT_2_BY_3[0][0] as f64,
    };
    assert_eq!(window.class_scores(&column), Some(class));
}

#[test]
fn tables_tell_their_windows() {
    let found = |rows| WindowBias::from_rows(rows).map(|w| (w.grid.height, w.has_class));
    assert_eq!(found(169), Some((7, false)));
    // BEiT-base: 14×14 patches.
    assert_eq!(found(732), Some((14, true)));
    for rows in 0..3000 {
        if let Some(window) = WindowBias::from_rows(rows) {
            assert_eq!(window.rows(), rows);
            assert_eq!(window.grid.height, window.grid.width);
        }
    }
    let none = [0, 2, 3, 5, 16, 168, 170, 171, 173, 729 + 2, usize::MAX];
    assert!(none.into_iter().all(|rows| found(rows).is_none()));
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn whatever_the_numbers_are_buckets_are_rows_of_the_table(
        count in prop_oneof![0..40_usize, 0..=1_usize << 24, any::<usize>()],
        max in prop_oneof![0..300_usize, 0..=1_usize << 24, any::<usize>()],
        both: bool,
        k in prop_oneof![-400..400_i64, any::<i64>()],
    ) {
        if let Some(buckets) = Buckets::new(count, max, both) {
            prop_assert!(buckets.bucket(k) < buckets.count());
            prop_assert!(both || buckets.bucket(k.saturating_abs()) == 0);
            // Buckets grow with the distance.
            let ahead = |k: i64| buckets.bucket(k.saturating_add(1)) >= buckets.bucket(k);
            prop_assert!(k <= 0 || ahead(k));
        }
        for buckets in [None, Some(count)] {
            if let Some(rows) = RelativeRows::new(max, buckets) {
                prop_assert!(rows.c2p_row(k) < 2 * rows.span());
                prop_assert!(rows.c2p_row(k) >= rows.c2p_row(k.saturating_add(1)));
                prop_assert_eq!(rows.c2p_row(k), rows.p2c_row(k));
            }
        }
    }

    #[test]
    fn a_turned_head_scores_as_a_sinusoidal_table(
        rows in 2..40_usize,
        pairs in 1..20_usize,
        base in 1.001..1e6_f64,
        (i, j) in (0..40_usize, 0..40_usize),
    ) {
        let rotary = Rotary { rows, width: 2 * pairs, base };
        let (i, j) = (i % rows, j % rows);
        // Rotates (1, 0) by each position's angles, and takes the inner product.
        let score: f64 = rotary
            .frequencies()
            .map(|theta| {
                let turned = |at: usize| (at as f64 * theta).sin_cos();
                let ((si, ci), (sj, cj)) = (turned(i), turned(j));
                ci * cj + si * sj
            })
            .sum();
        let profile = rotary.inner_products(false).expect("an even width");
        prop_assert!((profile.at(j as i64 - i as i64).expect("inside") - score).abs() < 1e-9);
        let table = rotary.table();
        let product = table.row(i).dot(&table.row(j));
        prop_assert!((f64::from(product) - score).abs() < 1e-4);
        prop_assert_eq!(table, Sinusoidal::from(rotary).table());
        let odd = Rotary { width: 2 * pairs - 1, ..rotary };
        prop_assert_eq!(odd.inner_products(false), None);
    }
}

#[test]
fn what_cannot_be_divided_into_buckets_is_refused() {
    for (count, max, both) in [
        (0, 128, true),
        (1, 128, false),
        (3, 128, true),
        (32, 8, true),
        (32, 16, false),
        (32, 0, false),
        (32, (1 << 24) + 1, true),
        ((1 << 24) + 2, 1 << 24, true),
    ] {
        assert_eq!(Buckets::new(count, max, both), None, "{count} {max} {both}");
    }
    for (max, buckets) in [
        (0, None),
        (0, Some(32)),
        (512, Some(0)),
        (512, Some(1)),
        (16, Some(32)),
        (17, Some(32)),
        ((1 << 24) + 1, None),
        (usize::MAX, Some(usize::MAX)),
    ] {
        assert_eq!(RelativeRows::new(max, buckets), None, "{max} {buckets:?}");
    }
}
