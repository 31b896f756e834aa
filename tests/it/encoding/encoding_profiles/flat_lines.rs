//! Inner products of all pairs at a distance.

use crate::support::questions::{FIRST, ask, with_bert, with_computed};
use diagonal::{
    analysis::{
        DiagonalCells, DiagonalsOf, FailureKind, ModelVersion, Origin, distances, distances_among,
        largest_deviation,
    },
    encoding::{Random, Sinusoidal},
};

#[test]
fn distances_are_few_and_have_partners() {
    assert_eq!(distances(2), [1]);
    assert_eq!(distances(8), [1, 2, 4]);
    assert_eq!(distances(128), [1, 2, 4, 8, 16, 32, 64]);
    assert_eq!(distances(512), [1, 4, 16, 64, 256]);
    for n in 2..5000 {
        let all = distances(n);
        assert!(
            all.len() <= 8 && all[0] == 1 && all.is_sorted(),
            "{n}: {all:?}"
        );
        assert!(all.iter().all(|distance| *distance < n));
    }
}

/// Chosen distances are drawn if they have pairs; without a choice, the defaults are drawn, as for older links.
#[test]
fn chosen_distances_are_drawn_where_they_have_pairs() {
    for n in [2, 15, 128, 512] {
        assert_eq!(distances_among(n, &[]), distances(n));
        assert_eq!(distances_among(n, &[n, n + 1]), distances(n));
    }
    assert_eq!(
        distances_among(15, &[1, 3, 5, 7, 9, 11, 13]),
        [1, 3, 5, 7, 9, 11, 13]
    );
    assert_eq!(distances_among(4, &[0, 3, 4]), [0, 3]);
}

/// The worked example of the post: 15 positions, width 8, distance 3. All pairs have the inner product Σ cos 3ω.
#[test]
fn the_pairs_at_distance_three_are_alike() {
    let table = Sinusoidal {
        rows: 15,
        width: 8,
        base: 10_000.0,
    };
    let distances = distances_among(table.rows, &[3]);
    let question = diagonals(DiagonalsOf::Sinusoidal(table), &distances);
    let session = with_computed(Origin::Random(Random::default()));
    let lines = ask(&session, question).expect("lines");
    let sum: f64 = [1.0, 0.1, 0.01, 0.001]
        .iter()
        .map(|w: &f64| (3.0 * w).cos())
        .sum();
    assert_eq!(lines[0].len(), 12);
    assert!(
        lines[0].iter().all(|value| (value - sum).abs() < 1e-6),
        "{lines:?} {sum}"
    );
}

fn diagonals(of: DiagonalsOf, distances: &[usize]) -> DiagonalCells {
    let distances = distances.to_vec();
    DiagonalCells { of, distances }
}

#[test]
fn a_sinusoids_lines_are_flat_to_rounding() {
    let table = Sinusoidal {
        rows: 700,
        width: 96,
        base: 10_000.0,
    };
    let of = DiagonalsOf::Sinusoidal(table);
    let distances = [1, 2, 64, 699, 700];
    let session = with_computed(Origin::Random(Random::default()));
    let lines = ask(&session, diagonals(of, &distances)).expect("lines");
    let lengths: Vec<usize> = lines.iter().map(Vec::len).collect();
    assert_eq!(lengths, [699, 698, 636, 1, 0]);
    let mut off: f64 = 0.0;
    for (distance, line) in distances.iter().zip(&lines) {
        off = off.max(largest_deviation(
            line,
            table.inner_product(*distance as i64),
        ));
    }
    // Entries are rounded to 2⁻²⁵ and 96 products summed. An exact zero would mean that the lines came from the
    // formula.
    assert!((1e-9..1e-5).contains(&off), "{off}");
}

#[test]
fn a_learned_tables_lines_are_the_diagonals_of_its_matrix() {
    let session = with_bert();
    let lines = ask(&session, diagonals(DiagonalsOf::Model(FIRST), &[0, 3])).expect("lines");
    let table = crate::encoding::relative::table("bert", "embeddings.position_embeddings.weight");
    for (distance, line) in [0, 3].into_iter().zip(&lines) {
        assert_eq!(line.len(), table.nrows() - distance);
        for (start, value) in line.iter().enumerate() {
            let pairs = table
                .row(start)
                .into_iter()
                .zip(table.row(start + distance));
            let slow: f64 = pairs.map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
            assert!((value - slow).abs() < 1e-9, "{value} {slow}");
        }
    }
    let nothing = DiagonalsOf::Model(ModelVersion { id: 9, revision: 1 });
    let missing = ask(&session, diagonals(nothing, &[1])).expect_err("nothing is open there");
    assert_eq!(missing.kind, FailureKind::Closed);
}
