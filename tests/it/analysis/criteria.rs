//! The table of criteria is complete, and every demonstration shows its mark.

use crate::math::laws::{config, kernels};
use diagonal::{
    analysis::criteria::{
        CRITERIA, CRITERION_IDS, Criterion, EncodingMethod, Verdict, WAY_IDS, WAYS,
        demonstrations::{Around, Outcome, Quantity, Seen, demonstrate, is_about_open_model},
        judged,
        parameters::criterion_parameters,
        small_head::{SmallHead, r2},
    },
    encoding::{Kernels, Rotary},
    figure::{
        Figure, Judgements,
        demonstration::{demonstration, in_digits},
    },
    math::{LowRank, ToeplitzFit, reference},
    url_state::default_kernels,
};
use ndarray::Array2;
use proptest::prelude::*;

fn around(kernels: &Kernels) -> Around<'_> {
    Around {
        kernels,
        table_r2: None,
        head_r2: None,
    }
}

fn cells() -> impl Iterator<Item = (usize, usize)> {
    (0..WAYS.len()).flat_map(|way| (0..CRITERIA.len()).map(move |criterion| (way, criterion)))
}

fn at_first(way: usize, criterion: usize) -> Outcome {
    demonstrate(way, criterion, &[], &around(&default_kernels())).expect("a demonstration")
}

/// Index of the cell of an encoding method and a criterion.
fn cell(way: EncodingMethod, criterion: Criterion) -> (usize, usize) {
    let row = WAYS.iter().position(|(w, ..)| *w == way);
    let column = CRITERIA.iter().position(|(c, ..)| *c == criterion);
    (row.expect("a row"), column.expect("a column"))
}

fn shown(way: EncodingMethod, criterion: Criterion, values: &[f64], name: &str) -> f64 {
    let (row, column) = cell(way, criterion);
    let outcome = demonstrate(row, column, values, &around(&default_kernels())).expect("one");
    let found = outcome.quantity(name);
    match found.unwrap_or_else(|| panic!("{way:?} has no {name}: {outcome:?}")) {
        Quantity::Count(count) => count as f64,
        Quantity::Share(value) | Quantity::Number(value) => value,
    }
}

#[test]
fn the_marks_are_the_papers() {
    let marks: Vec<String> = (0..WAYS.len())
        .map(|way| {
            (0..CRITERIA.len())
                .map(|criterion| judged(way, criterion).expect("a mark").0.is_yes())
                .map(|yes| if yes { '✓' } else { '✗' })
                .collect()
        })
        .collect();
    assert_eq!(
        marks,
        [
            "✓✗✓✗✓✗",
            "✗✓✗✗✓✗",
            "✗✓✓✓✗✗",
            "✗✓✓✓✓✓",
            "✓✓✓✗✗✗",
            "✗✓✓✗✓✗",
            "✗✓✗✗✓✗",
            "✓✗✓✓✓✗",
            "✓✓✓✓✓✓",
        ]
    );
}

#[test]
fn every_cell_has_an_argument_and_something_that_moves() {
    let kernels = default_kernels();
    for (way, criterion) in cells() {
        let place = format!("{}.{}", WAY_IDS[way], CRITERION_IDS[criterion]);
        let (_, argument) = judged(way, criterion).expect("a mark");
        assert!(
            argument.ends_with('.') && argument.len() > 30,
            "{place}: {argument}"
        );
        let parameters = criterion_parameters(way, criterion);
        let first = at_first(way, criterion);
        assert!(
            first.words.ends_with('.') && !first.numbers.is_empty(),
            "{place}"
        );
        let mut moved = false;
        for (at, parameter) in parameters.iter().enumerate() {
            assert_eq!(
                parameter.near(parameter.start),
                parameter.start,
                "{place}: {}",
                parameter.name
            );
            for value in [
                parameter.low,
                parameter.high,
                (parameter.low + parameter.high) / 2.0,
            ] {
                let mut values: Vec<f64> =
                    parameters.iter().map(|parameter| parameter.start).collect();
                values[at] = value;
                let other = demonstrate(way, criterion, &values, &around(&kernels)).expect("one");
                for (name, quantity) in &other.numbers {
                    let finite = match quantity {
                        Quantity::Count(_) => true,
                        Quantity::Share(share) => (0.0..=1.0).contains(share),
                        Quantity::Number(value) => value.is_finite(),
                    };
                    assert!(finite, "{place}: {name} is {quantity:?}");
                }
                moved |= other.seen != first.seen;
            }
        }
        assert!(moved, "{place}: nothing moves");
    }
    assert_eq!(judged(WAYS.len(), 0), None);
    assert_eq!(demonstrate(0, CRITERIA.len(), &[], &around(&kernels)), None);
    assert!(criterion_parameters(0, CRITERIA.len()).is_empty());
}

#[test]
fn what_the_marks_say_can_be_seen() {
    const R2: &str = "Toeplitz R² of the scores";
    let invariant = Criterion::TranslationInvariant;
    for (row, (way, ..)) in WAYS.iter().enumerate() {
        let yes = judged(row, cell(*way, invariant).1)
            .expect("a mark")
            .0
            .is_yes();
        for seed in [1.0, 7.0, 32.0] {
            let r2 = shown(*way, invariant, &[48.0, seed], R2);
            assert_eq!(r2 > 1.0 - 1e-9, yes, "{way:?} at seed {seed}: {r2}");
        }
    }
    // The reason why the sinusoidal mark is arguable.
    let gram = shown(
        EncodingMethod::Sinusoidal,
        invariant,
        &[],
        "of the table’s inner products",
    );
    assert!(gram > 1.0 - 1e-9, "{gram}");

    let ends = |way| {
        shown(
            way,
            Criterion::Inductive,
            &[64.0, 128.0],
            "of these without a score",
        )
    };
    for (way, ..) in WAYS {
        let none = matches!(
            way,
            EncodingMethod::Learned | EncodingMethod::Untied | EncodingMethod::Synthesizer
        );
        assert_eq!(
            ends(way),
            if none {
                128.0 * 128.0 - 64.0 * 64.0
            } else {
                0.0
            },
            "{way:?}"
        );
    }
    // The reason why the marks of the two clipped methods are arguable: there are scores, but no new ones.
    let distinct = |way| {
        shown(
            way,
            Criterion::Inductive,
            &[64.0, 512.0],
            "different scores in this row",
        )
    };
    assert_eq!(
        (
            distinct(EncodingMethod::Relative),
            distinct(EncodingMethod::T5)
        ),
        (17.0, 16.0)
    );
    assert_eq!(distinct(EncodingMethod::Rotary), 512.0);

    let steps = |way| {
        shown(
            way,
            Criterion::Parallelizable,
            &[512.0, 64.0],
            "steps that wait for one another",
        )
    };
    assert_eq!(
        (steps(EncodingMethod::Flow), steps(EncodingMethod::Tisa)),
        (512.0, 1.0)
    );
    let held = |way| {
        shown(
            way,
            Criterion::Parallelizable,
            &[512.0, 64.0],
            "numbers held for positions",
        )
    };
    assert_eq!(
        (held(EncodingMethod::Relative), held(EncodingMethod::Tisa)),
        (512.0 * 512.0 * 64.0, 1023.0)
    );

    let learned = |way| shown(way, Criterion::ParameterEfficient, &[], "learned numbers");
    for (row, (way, ..)) in WAYS.iter().enumerate() {
        let yes = judged(row, cell(*way, Criterion::ParameterEfficient).1)
            .expect("a mark")
            .0
            .is_yes();
        // The paper marks two methods with yes that learn more than a table here, so these marks are arguable.
        let in_other_forms = matches!(way, EncodingMethod::Flow | EncodingMethod::Synthesizer);
        let is_fewer = learned(*way) < learned(EncodingMethod::Learned);
        assert_eq!(is_fewer, yes && !in_other_forms, "{way:?}");
    }
}

#[test]
fn learning_reaches_what_its_numbers_allow() {
    let r2 = |way, peak: f64, width: f64| {
        shown(
            way,
            Criterion::DataDriven,
            &[peak, width],
            "of the target, R²",
        )
    };
    for (row, (way, ..)) in WAYS.iter().enumerate() {
        let yes = judged(row, cell(*way, Criterion::DataDriven).1)
            .expect("a mark")
            .0
            .is_yes();
        assert_eq!(r2(*way, -3.0, 4.0) > 0.9, yes, "{way:?}");
    }
    // A peak beyond the clip is out of reach for Shaw, and blurred for T5.
    assert!(r2(EncodingMethod::Relative, -24.0, 2.0) < 0.2);
    assert!(r2(EncodingMethod::T5, -24.0, 2.0) < 0.6);
    assert!(r2(EncodingMethod::Tisa, -24.0, 2.0) > 0.97);
}

#[test]
fn a_moved_number_moves_what_the_arguments_say() {
    let moving = |way| {
        shown(
            way,
            Criterion::Interpretable,
            &[40.0, 1.0],
            "scores that move",
        )
    };
    // Cells that change: a row and a column; one cell; all cells; one diagonal.
    assert_eq!(moving(EncodingMethod::Learned), 47.0);
    assert_eq!(moving(EncodingMethod::Untied), 47.0);
    assert_eq!(moving(EncodingMethod::Synthesizer), 1.0);
    assert!(moving(EncodingMethod::Sinusoidal) > 500.0);
    assert!(moving(EncodingMethod::Flow) > 500.0);
    assert_eq!(moving(EncodingMethod::Rotary), 576.0);
    // Slider value 40 selects offset 40 / 8 − 16 = −11, whose diagonal has 24 − 11 cells.
    assert_eq!(moving(EncodingMethod::Relative), 13.0);
    let change = |way| {
        shown(
            way,
            Criterion::Interpretable,
            &[40.0, 1.0],
            "Toeplitz R² of the change",
        )
    };
    assert!(change(EncodingMethod::Relative) < 0.9 && change(EncodingMethod::Rotary) > 1.0 - 1e-9);
    // T5: distances 12 … 15 share one bucket.
    let bucket = |name| shown(EncodingMethod::T5, Criterion::Interpretable, &[-12.0], name);
    assert_eq!((bucket("from offset"), bucket("to offset")), (-15.0, -12.0));
    let far = |name| {
        shown(
            EncodingMethod::T5,
            Criterion::Interpretable,
            &[-160.0],
            name,
        )
    };
    assert_eq!(far("its bucket"), 15.0);
    assert_eq!(
        shown(
            EncodingMethod::Tisa,
            Criterion::Interpretable,
            &[0.0, 0.05, -4.0],
            "odds there, times eᵃ"
        ),
        1.0
    );
}

#[test]
fn an_open_model_stands_beside_the_untrained_table() {
    let kernels = default_kernels();
    let open = Around {
        table_r2: Some(0.474),
        head_r2: Some(0.25),
        ..around(&kernels)
    };
    let (row, column) = cell(EncodingMethod::Learned, Criterion::TranslationInvariant);
    let outcome = demonstrate(row, column, &[], &open).expect("one");
    let shares: Vec<_> = outcome.numbers[1..]
        .iter()
        .map(|(_, value)| *value)
        .collect();
    assert_eq!(shares, [Quantity::Share(0.474), Quantity::Share(0.25)]);
}

#[test]
fn only_the_cells_that_say_so_ask_about_the_open_model() {
    let kernels = default_kernels();
    let open = Around {
        table_r2: Some(0.474),
        head_r2: Some(0.25),
        ..around(&kernels)
    };
    for (way, criterion) in cells() {
        let with_model = demonstrate(way, criterion, &[], &open).expect("one");
        assert_eq!(
            with_model.numbers != at_first(way, criterion).numbers,
            is_about_open_model(way, criterion),
            "{} {}",
            WAY_IDS[way],
            CRITERION_IDS[criterion]
        );
    }
    assert!(!is_about_open_model(WAYS.len(), 0));
}

#[test]
fn a_mark_is_said_in_words() {
    let words = [Verdict::Yes, Verdict::No, Verdict::YesBut, Verdict::NoBut].map(Verdict::in_words);
    assert_eq!(words, ["yes", "no", "yes, arguably", "no, arguably"]);
    for (way, criterion) in cells() {
        let (verdict, _) = judged(way, criterion).expect("a mark");
        let words = verdict.in_words();
        assert_eq!(words.starts_with("yes"), verdict.is_yes());
        assert_eq!(words.ends_with("arguably"), verdict.is_arguable());
    }
}

#[test]
fn sliders_reach_every_value_of_their_knobs() {
    for (way, criterion) in cells() {
        for parameter in criterion_parameters(way, criterion) {
            for value in [parameter.low, parameter.start, parameter.high] {
                let position = parameter.position_of(value);
                assert_eq!(parameter.at_position(position), value, "{}", parameter.name);
            }
            // One slider step from the lowest value stays within the range.
            let next = parameter
                .at_position(parameter.position_of(parameter.low) + parameter.slider_step());
            assert!(
                (parameter.low..=parameter.high).contains(&next),
                "{}",
                parameter.name
            );
        }
    }
}

#[test]
fn a_demonstration_is_drawn_and_written() {
    for (way, criterion) in cells() {
        let (figure, _) = demonstration(&at_first(way, criterion).seen, way, None);
        let scene = figure.scene(420.0);
        assert!(!scene.marks.is_empty() && figure.height(420.0) > 40.0);
    }
    // The row of the cell's own method is darker.
    let counts = Seen::Counts(vec![1000; WAYS.len()]);
    let drawn = |way| demonstration(&counts, way, None).0.scene(420.0).marks;
    assert_ne!(drawn(0), drawn(1));
    assert_eq!(in_digits(Quantity::Count(262_144)), "262,144");
    assert_eq!(in_digits(Quantity::Share(1.0)), "1.0000");
    assert_eq!(in_digits(Quantity::Number(-4.0)), "−4.00");
}

#[test]
fn downloads_have_the_whole_table() {
    let csv = Judgements::default().table().csv();
    let lines: Vec<&str> = csv.lines().collect();
    assert!(
        lines[0].starts_with("method,criterion,paper,note,arguable,measure_1,value_1,"),
        "{}",
        lines[0]
    );
    assert_eq!(lines.len(), 1 + 54);
    assert!(
        lines[4].starts_with("sinusoidal,translation-invariant,no,"),
        "{}",
        lines[4]
    );
    assert!(lines[4].contains(",yes,Toeplitz R²"), "{}", lines[4]);
    assert!(
        lines[54].starts_with("tisa,interpretable,yes,"),
        "{}",
        lines[54]
    );
    assert!(Judgements::default().summary().contains("TISA 6"));
}

fn small(way: EncodingMethod, n: usize, seed: u64, kernels: &Kernels) -> SmallHead<'_> {
    SmallHead {
        way,
        positions: n,
        queries: n,
        seed,
        contents_differ: false,
        moved: None,
        kernels,
    }
}

fn dense(rows: &[Vec<f64>]) -> Array2<f64> {
    Array2::from_shape_fn((rows.len(), rows[0].len()), |(i, j)| rows[i][j])
}

proptest! {
    #![proptest_config(config(40))]

    #[test]
    fn r2_is_the_slow_twins(way in 0..WAYS.len(), n in 3..40_usize, seed: u64, kernels in kernels()) {
        let scores = small(WAYS[way].0, n, seed, &kernels).scores();
        let cells = dense(&scores);
        let fast = r2(&scores);
        let slow = reference::toeplitz_r2(&cells);
        // The reference gives NaN for a matrix without variance.
        let flat = cells.iter().all(|v| (v - cells[[0, 0]]).abs() < 1e-9);
        prop_assert!(flat && fast == 1.0 || (fast - slow).abs() < 1e-9, "{} {fast} {slow}", WAYS[way].1);
        let fit = ToeplitzFit::from_cells(n, |i, j| scores[i][j]);
        for (f, mean) in fit.f.iter().zip(reference::diagonal_mean(&cells)) {
            prop_assert!((f - mean).abs() <= 1e-9 * (1.0 + mean.abs()));
        }
    }

    #[test]
    fn cell_by_cell_and_in_factors_are_the_same(n in 3..40_usize, seed: u64) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let (left, right) = (crate::support::oracles::random(&mut rng, n, 4), crate::support::oracles::random(&mut rng, n, 4));
        let a = LowRank::product(left, right, 0.5);
        let cells = ToeplitzFit::from_cells(n, |i, j| a.cell(i, j));
        prop_assert!((cells.r2 - ToeplitzFit::compute(&a).r2).abs() < 1e-5);
    }

    #[test]
    fn the_first_query_alone_scores_as_among_all(way in 0..WAYS.len(), n in 2..40_usize, seed: u64) {
        let kernels = default_kernels();
        // Contents are drawn query by query, so the first query's are always the same.
        let all = small(WAYS[way].0, n, seed, &kernels);
        let one = SmallHead { queries: 1, ..all };
        prop_assert_eq!(&all.scores()[0], &one.scores()[0]);
    }

    #[test]
    fn values_from_outside_are_brought_inside(way in 0..WAYS.len(), criterion in 0..CRITERIA.len(), values in proptest::collection::vec(prop_oneof![-1e300..1e300, Just(f64::NAN)], 0..7)) {
        let outcome = demonstrate(way, criterion, &values, &around(&Kernels::default()));
        prop_assert!(outcome.is_some());
    }
}

#[test]
fn rotary_scores_are_sums_of_its_waves() {
    let kernels = Kernels::default();
    let n = 20;
    let scores = small(EncodingMethod::Rotary, n, 3, &kernels).scores();
    // f(k) = Σ_m A_m·cos(k·θ_m) + B_m·sin(k·θ_m): eight unknowns, fitted by elimination, give all 39 scores.
    let speeds: Vec<f64> = Rotary {
        rows: n,
        width: 8,
        ..Rotary::default()
    }
    .frequencies()
    .collect();
    let basis = |k: f64| -> Vec<f64> {
        speeds
            .iter()
            .flat_map(|w| [(k * w).cos(), (k * w).sin()])
            .collect()
    };
    let f = |k: i64| {
        if k >= 0 {
            scores[0][k as usize]
        } else {
            scores[(-k) as usize][0]
        }
    };
    let offsets: Vec<i64> = (-19..=19).collect();
    let mut normal = vec![vec![0.0; 9]; 8];
    for &k in &offsets {
        let row = basis(k as f64);
        for a in 0..8 {
            for b in 0..8 {
                normal[a][b] += row[a] * row[b];
            }
            normal[a][8] += row[a] * f(k);
        }
    }
    for pivot in 0..8 {
        let best =
            (pivot..8).max_by(|&a, &b| normal[a][pivot].abs().total_cmp(&normal[b][pivot].abs()));
        normal.swap(pivot, best.expect("a row"));
        let eliminating = normal[pivot].clone();
        for (row, cells) in normal.iter_mut().enumerate() {
            let share = cells[pivot] / eliminating[pivot];
            for (cell, by) in cells.iter_mut().zip(&eliminating) {
                *cell -= if row == pivot { 0.0 } else { share * by };
            }
        }
    }
    let weights: Vec<f64> = (0..8).map(|m| normal[m][8] / normal[m][m]).collect();
    for &k in &offsets {
        let sum: f64 = basis(k as f64)
            .iter()
            .zip(&weights)
            .map(|(x, w)| x * w)
            .sum();
        assert!((sum - f(k)).abs() < 1e-6, "at {k}: {sum} {}", f(k));
    }
}

#[test]
fn matrices_are_square_and_curves_are_whole() {
    for (way, criterion) in cells() {
        match at_first(way, criterion).seen {
            Seen::Matrix(rows) => assert!(rows.iter().all(|row| row.len() == rows.len())),
            Seen::Curves { curves, .. } => {
                let length = curves[0].values.len();
                assert!(curves.iter().all(|curve| curve.values.len() == length));
            }
            Seen::Counts(counts) => assert_eq!(counts.len(), WAYS.len()),
        }
    }
}
