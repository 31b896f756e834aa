//! Seams of position tables: found where one was planted, not found elsewhere, and the numbers of both sides.

use super::{laws::config, table_waves::preset_table};
use crate::{
    analysis::golden_minilm,
    support::{
        oracles::random,
        questions::{FIRST, ask},
    },
};
use diagonal::{
    analysis::{
        AttentionMask, HeadAttentionStats, HeadId, Looks, SEAM_NOTE, ScoreInput, ScoreMode,
        UNTRAINED_ROWS_NOTE,
    },
    encoding::{Kernels, Sinusoidal},
    figure::{
        Column, Figure,
        attention_stats::{attention_looks, look_words},
    },
    math::{RowNeighbours, Seam, TableBreaks},
};
use fastrand::Rng;
use ndarray::{Array2, s};
use proptest::prelude::*;

fn seams(table: &Array2<f32>) -> Vec<Seam> {
    TableBreaks::find(table.view()).seams
}

/// A smooth table: rows follow a sum of a few waves, with a little noise.
pub(super) fn smooth(rows: usize, width: usize, seed: u64) -> Array2<f32> {
    let mut rng = Rng::with_seed(seed);
    let waves: Vec<(f64, f64)> = (0..width)
        .map(|_| (rng.f64() * 0.4, rng.f64() * 6.0))
        .collect();
    let mut noise = Rng::with_seed(seed + 1);
    Array2::from_shape_fn((rows, width), |(i, d)| {
        let (frequency, phase) = waves[d];
        ((frequency * i as f64 + phase).sin() + 0.1 * (noise.f64() - 0.5)) as f32
    })
}

proptest! {
    #![proptest_config(config(64))]

    /// Two smooth tables, one below the other, have a seam between them, at any scale.
    #[test]
    fn a_seam_is_found_where_tables_meet(
        before in 40..200_usize,
        behind in 40..200_usize,
        seed in 0..1000_u64,
        power in -20..20_i32,
    ) {
        let (upper, lower) = (smooth(before, 48, seed), smooth(behind, 48, seed + 5000));
        let mut table = Array2::zeros((before + behind, 48));
        table.slice_mut(s![..before, ..]).assign(&upper);
        table.slice_mut(s![before.., ..]).assign(&lower);
        table *= 2.0_f32.powi(power);
        let all = seams(&table);
        prop_assert_eq!(all.len(), 1);
        let seam = &all[0];
        prop_assert_eq!((seam.last_before, seam.first_behind), (before - 1, before));
        prop_assert!(seam.cosines[0] < seam.before.min(seam.behind));
        for part in [upper, lower] {
            prop_assert_eq!(seams(&part), Vec::new());
        }
    }

    #[test]
    fn noise_has_no_seam(rows in 1..600_usize, width in 4..64_usize, seed in any::<u64>()) {
        let table = random(&mut Rng::with_seed(seed), rows, width);
        prop_assert_eq!(TableBreaks::find(table.view()), TableBreaks::default());
    }
}

#[test]
fn tables_without_a_seam_have_none() {
    let sinusoidal = Sinusoidal {
        rows: 512,
        width: 64,
        ..Sinusoidal::default()
    };
    for table in [
        sinusoidal.table(),
        Array2::zeros((512, 8)),
        Array2::ones((512, 8)),
        Array2::from_elem((512, 8), f32::NAN),
        Array2::zeros((0, 8)),
        Array2::zeros((512, 0)),
    ] {
        assert_eq!(seams(&table), Vec::new(), "{:?}", table.dim());
    }
}

/// Lengths and cosines as their definitions say, on numbers of any size.
#[test]
fn neighbours_are_compared_as_defined() {
    let mut rng = Rng::with_seed(3);
    let mut table = random(&mut rng, 23, 5);
    table.row_mut(7).fill(0.0);
    for scale in [1.0, 1e-30, 1e30] {
        let table = &table * scale;
        let wide = table.mapv(f64::from);
        let neighbours = RowNeighbours::compute(table.view());
        let norm = |row: usize| wide.row(row).dot(&wide.row(row)).sqrt();
        for row in 0..23 {
            assert!((neighbours.norms[row] - norm(row)).abs() <= 1e-12 * norm(row));
        }
        for row in 0..22 {
            let lengths = norm(row) * norm(row + 1);
            let cosine = match lengths == 0.0 {
                true => 0.0,
                false => wide.row(row).dot(&wide.row(row + 1)) / lengths,
            };
            assert!((neighbours.cosines[row] - cosine).abs() < 1e-12);
        }
    }
}

/// Many breaks are a pattern, such as the lines of an image of unknown size.
#[test]
fn regular_breaks_are_no_seams() {
    let lines: Vec<_> = (0..12).map(|line| smooth(16, 48, 40 + line)).collect();
    let lines: Vec<_> = lines.iter().map(|line| line.view()).collect();
    let image = ndarray::concatenate(ndarray::Axis(0), &lines).expect("one width");
    assert_eq!(seams(&image), Vec::new());
}

/// Row 127 of the preset is similar to neither of its neighbours, and the two sides attend differently.
#[test]
fn the_preset_has_a_seam_that_parts_its_queries() {
    let breaks = TableBreaks::find(preset_table().view());
    let [seam] = &breaks.seams[..] else {
        panic!("one seam, not {breaks:?}");
    };
    assert_eq!((seam.last_before, seam.first_behind), (126, 128));
    for (cosine, expected) in seam.cosines.iter().zip([0.439, 0.554]) {
        assert!((cosine - expected).abs() < 0.001, "{cosine}");
    }
    assert!((seam.before - 0.858).abs() < 0.001, "{}", seam.before);
    assert!((seam.behind - 0.845).abs() < 0.001, "{}", seam.behind);
    assert_eq!(breaks.tail, None);
    let (session, summary) = golden_minilm::open();
    assert_eq!(summary.breaks, breaks);
    let notes: Vec<_> = (summary.notes.iter())
        .filter(|note| [SEAM_NOTE, UNTRAINED_ROWS_NOTE].contains(&&*note.title))
        .collect();
    let [note] = notes[..] else {
        panic!("one note, not {notes:?}");
    };
    let words = "Between rows 126 and 128, neighbours suddenly stop being alike: their cosines are 0.44 and 0.55. Before, a usual cosine is 0.86; behind, 0.85.";
    assert!(note.text.starts_with(words), "{}", note.text);
    let look = |n| {
        let of = HeadId {
            model: FIRST,
            input: ScoreInput::Positions(ScoreMode::AsComputed),
            layer: 0,
            head: 2,
        };
        let look = HeadAttentionStats {
            of,
            kernels: Kernels::default(),
            n,
            cells: AttentionMask::Whole,
        };
        ask(&session, look).expect("a look")
    };
    assert_eq!(look(128).sides, None, "no query behind the seam");
    let all = look(512);
    let sides = all.sides.clone().expect("two sides");
    let at = |look: &diagonal::analysis::AttentionStats| look.share.at(-1).expect("an offset");
    assert!((at(&all) - 0.855).abs() < 0.002, "{}", at(&all));
    assert!(
        (at(&sides.before) - 0.44).abs() < 0.005,
        "{}",
        at(&sides.before)
    );
    assert!(
        (at(&sides.behind) - 0.995).abs() < 0.002,
        "{}",
        at(&sides.behind)
    );
    // The whole is the mean over all queries.
    for (k, share) in all.share.by_offset() {
        let [before, behind] =
            [&sides.before, &sides.behind].map(|side| side.share.at(k).expect("an offset"));
        assert!((share - (128.0 * before + 384.0 * behind) / 512.0).abs() < 1e-12);
    }
    let looks = Looks {
        kernels: all.clone(),
        together: all.clone(),
        head: all,
    };
    let names: Vec<String> = look_words(&looks, 4)
        .into_iter()
        .map(|words| words.name)
        .collect();
    assert_eq!(
        names[3..],
        ["head, queries 0–127", "head, queries from 128"]
    );
    let figure = attention_looks(&looks, AttentionMask::Whole);
    assert!(
        figure.summary().contains("seam at position 128"),
        "{}",
        figure.summary()
    );
    let table = figure.table();
    for (column, side) in [
        ("head_before_seam", &sides.before),
        ("head_behind_seam", &sides.behind),
    ] {
        assert!(
            matches!(table.column(column), Some(Column::Number(values)) if values[..] == side.share[..])
        );
    }
}
