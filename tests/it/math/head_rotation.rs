//! The single shift that a head's angles may describe: reported where it holds, never against the profile, and with
//! exact angles beside it.

use crate::{
    analysis::golden_minilm,
    support::{
        oracles::random,
        questions::{ask, head_of_first},
    },
};
use diagonal::{
    analysis::{
        ANGLE_BINS, HeadInput, HeadRotation, HeadWaves, LEAST_COHERENCE, REACH, RotationDetail,
        STRONGEST, ScoreMode,
    },
    encoding::Sinusoidal,
    figure::{
        Figure, Table,
        waves::{rotation, rotation_words},
    },
    math::{CHANCE_HEADS, angle_bin},
};
use fastrand::Rng;
use ndarray::{Array2, Axis};
use std::f64::consts::TAU;

/// The number after some words, up to the next space, with a true minus sign and without trailing punctuation.
fn number_after(text: &str, words: &str) -> Option<f64> {
    let rest = &text[text.find(words)? + words.len()..];
    let end = rest.find(' ').unwrap_or(rest.len());
    let number = rest[..end].trim_end_matches(['.', ',']);
    number.replace('−', "-").parse().ok()
}

/// Checks that a shift is named only if the profile agrees, and that both numbers are given otherwise.
fn check_words(found: &RotationDetail, head: &str) {
    let words = rotation_words(found).line;
    let peak = number_after(&words, "The profile peaks at k = ").expect(head);
    assert_eq!(peak, found.peak as f64, "{head}: {words}");
    let line = found.line.expect(head);
    match number_after(&words, "scores peak at k = ") {
        Some(named) => {
            assert!(
                words.starts_with("All frequencies of this head are shifted"),
                "{head}: {words}"
            );
            assert!((named - peak).abs() <= 1.0, "{head}: {words}");
            assert!(
                line.coherence > line.chance.max(LEAST_COHERENCE),
                "{head}: {words}"
            );
        }
        None => {
            assert!(
                words.starts_with("No single shift describes this head."),
                "{head}: {words}"
            );
            let off = (line.delta + peak).abs();
            assert!(
                off > 1.0 || line.coherence <= line.chance.max(LEAST_COHERENCE),
                "{head}: {words}"
            );
            let named = number_after(&words, "would put the peak of the scores at k = ");
            assert!(named.is_some(), "{head}: {words}");
        }
    }
    // The sign of the shift matches its word.
    let (ahead, behind) = (words.contains("ahead of"), words.contains("behind"));
    assert!(
        !(ahead && line.delta < 0.0 || behind && line.delta > 0.0),
        "{head}: {words}"
    );
}

#[test]
fn no_head_of_the_preset_contradicts_its_profile() {
    let (session, summary) = golden_minilm::open();
    let heads = summary.heads.expect("heads").0 as usize;
    for mode in [ScoreMode::Paper, ScoreMode::AsComputed] {
        let mut named = 0;
        for (layer, head) in
            (0..summary.layers).flat_map(|layer| (0..heads).map(move |head| (layer, head)))
        {
            let of = head_of_first(mode, layer, head);
            let name = format!("{mode:?}, L{} H{}", layer + 1, head + 1);
            let found = ask(&session, HeadRotation { of })
                .expect("an answer")
                .expect("a rotation");
            check_words(&found, &name);
            let line = found.line.expect("a line");
            println!(
                "{name}: {line:?} peak {} {}",
                found.peak,
                found.shift().is_some()
            );
            named += usize::from(found.shift().is_some());
            // The peak is that of the figure beside it, unless the line lies beyond its range.
            if line.delta.abs() < REACH as f64 - 1.0 {
                let waves = ask(&session, HeadWaves { of })
                    .expect("an answer")
                    .expect("waves");
                assert_eq!(found.peak, waves.peak(), "{name}");
            }
        }
        println!("{mode:?}: {named} named");
        assert!(
            (15..60).contains(&named),
            "{mode:?}: {named} of {}",
            summary.layers * heads
        );
    }
}

/// A head of this table whose queries and keys are turned by Δ tokens per frequency, as given by `delta`.
fn plant_rotation(table: &Sinusoidal, delta: impl Fn(usize) -> f64) -> RotationDetail {
    let frequencies: Vec<f64> = table.frequencies().collect();
    let d = table.width;
    let turn = Array2::from_shape_fn((d, d), |(a, b)| {
        let (sin, cos) = (frequencies[a / 2] * delta(a / 2)).sin_cos();
        (match (a / 2 == b / 2, a % 2, b % 2) {
            (false, ..) => 0.0,
            (_, 0, 0) | (_, 1, 1) => cos,
            (_, 0, _) => -sin,
            _ => sin,
        }) as f32
    });
    let query = Array2::<f32>::eye(d);
    let key = turn.dot(&query);
    let states = table.table();
    let input = HeadInput {
        states: states.view(),
        query: query.view(),
        key: key.view(),
    };
    RotationDetail::compute(input).expect("a rotation")
}

const TABLE: Sinusoidal = Sinusoidal {
    rows: 256,
    width: 32,
    base: 1_000.0,
};

#[test]
fn a_planted_shift_is_named_with_its_sign() {
    for delta in [-30.0, -7.0, -2.0, -1.0, 0.0, 1.0, 2.5, 3.0, 12.0, 40.0] {
        let found = plant_rotation(&TABLE, |_| delta);
        let words = rotation_words(&found).line;
        let shift = found
            .shift()
            .unwrap_or_else(|| panic!("Δ {delta}: {words}"));
        assert!((shift - delta).abs() < 0.1, "Δ {delta}: {words}");
        check_words(&found, &format!("Δ {delta}"));
        let word = match delta {
            0.0 => "are in phase",
            positive if positive > 0.0 => "tokens ahead of its queries",
            _ => "tokens behind its queries",
        };
        assert!(words.contains(word), "Δ {delta}: {words}");
        assert!(
            !words.contains("ahead of its queries") || delta > 0.0,
            "{words}"
        );
    }
}

#[test]
fn waves_that_are_turned_by_any_angle_have_no_shift() {
    let mut rng = Rng::with_seed(5);
    let frequencies = TABLE.frequencies();
    let each: Vec<f64> = frequencies
        .map(|frequency| TAU * (rng.f64() - 0.5) / frequency)
        .collect();
    let found = plant_rotation(&TABLE, |m| each[m]);
    assert_eq!(found.shift(), None, "{:?} {}", found.line, found.peak);
    assert!(rotation_words(&found).line.starts_with("No single shift"));
    // A single wave fits a line at any angle, so it is never beyond chance.
    let one = Sinusoidal {
        rows: 64,
        width: 2,
        base: 10_000.0,
    };
    let line = plant_rotation(&one, |_| 3.0).line.expect("a line");
    assert!(line.coherence > 0.9 && !line.is_beyond_chance(), "{line:?}");
}

/// About one in a hundred randomly turned heads is beyond chance, and hardly any agrees with its profile.
#[test]
fn randomly_turned_heads_are_rarely_named() {
    let table = Sinusoidal { rows: 128, ..TABLE }.table();
    let (mut beyond, mut named) = (0, 0);
    for seed in 0..100 {
        let mut rng = Rng::with_seed(seed);
        let (query, key) = (random(&mut rng, 32, 8), random(&mut rng, 32, 8));
        let (states, query, key) = (table.view(), query.view(), key.view());
        let input = HeadInput { states, query, key };
        let found = RotationDetail::compute(input).expect("a rotation");
        check_words(&found, &format!("seed {seed}"));
        beyond += usize::from(found.line.expect("a line").is_beyond_chance());
        named += usize::from(found.shift().is_some());
        // The chance level is deterministic.
        let again = RotationDetail::compute(input).expect("a rotation");
        assert_eq!(found.line, again.line);
    }
    println!("{beyond} beyond chance, {named} named");
    assert!(
        beyond <= 8 && named <= 2,
        "{beyond} beyond chance, {named} named"
    );
}

fn numbers(table: &Table, name: &str) -> Vec<f64> {
    let csv = table.csv();
    let mut lines = csv.lines();
    let at = lines
        .next()
        .expect("names")
        .split(',')
        .position(|other| other == name)
        .expect(name);
    let cell = |line: &str| {
        line.split(',')
            .nth(at)
            .map_or(f64::NAN, |cell| cell.parse().unwrap_or(f64::NAN))
    };
    lines.map(cell).collect()
}

#[test]
fn angles_beside_the_bins_are_exact() {
    let (session, _) = golden_minilm::open();
    let of = head_of_first(ScoreMode::Paper, 0, 2);
    let found = ask(&session, HeadRotation { of })
        .expect("an answer")
        .expect("a rotation");
    let amplitudes = Array2::from_shape_vec(
        (found.angles.len(), found.frequencies),
        found.amplitudes.clone(),
    )
    .expect("a row an angle");
    // Bins hold the sum over their eigenvectors, and name the strongest one.
    let table = rotation(&found, false).table();
    let (angle, amplitude, shift) = (
        numbers(&table, "eigenvector_angle"),
        numbers(&table, "eigenvector_amplitude"),
        numbers(&table, "eigenvector_shift"),
    );
    let mut at = 0;
    for bin in 0..ANGLE_BINS {
        let members: Vec<usize> = (0..found.angles.len())
            .filter(|&v| angle_bin(found.angles[v], ANGLE_BINS) == bin)
            .collect();
        for f in 0..found.frequencies {
            let sum: f64 = members.iter().map(|&v| f64::from(amplitudes[[v, f]])).sum();
            assert!((sum - f64::from(found.weights[at])).abs() < 1e-4 * sum.max(1.0));
            let most = members
                .iter()
                .max_by(|&&a, &&b| amplitudes[[a, f]].total_cmp(&amplitudes[[b, f]]));
            match most {
                None => assert!(angle[at].is_nan() && amplitude[at].is_nan()),
                Some(&most) => {
                    assert_eq!(amplitude[at], f64::from(amplitudes[[most, f]]));
                    assert!(
                        (angle[at] - RotationDetail::angle(bin)).abs()
                            <= 0.5001 * TAU / ANGLE_BINS as f64
                    );
                    let tokens = found.n as f64 * angle[at] / (TAU * f as f64);
                    assert!(f == 0 || (shift[at] - tokens).abs() < 1e-9);
                }
            }
            at += 1;
        }
    }
    // Those with the greatest weight in the line: the fast wave first, and each with its own angle.
    assert_eq!(found.strongest.len(), STRONGEST);
    let first = found.strongest[0];
    assert_eq!(first.frequency, 88);
    assert!((first.angle - 0.981).abs() < 2e-3 && (first.shift(found.n) - 0.908).abs() < 2e-3);
    for vector in &found.strongest {
        let row = found.angles.iter().position(|angle| *angle == vector.angle);
        let row = amplitudes.index_axis(Axis(0), row.expect("its angle"));
        assert_eq!(row[vector.frequency], vector.amplitude);
    }
    let words = rotation_words(&found);
    assert!(
        words
            .strongest
            .contains(&format!("at f = {}", first.frequency)),
        "{}",
        words.strongest
    );
    assert!(rotation(&found, false).summary().contains(&words.strongest));
}

/// The guide gives the number of heads beyond chance at random angles.
#[test]
fn the_guide_says_what_chance_is() {
    let family = diagonal::figure_help::PositionFamily::Table;
    let guide = diagonal::figure_spec::waves::HEAD_ROTATION.guide(family);
    let guide = guide.expect("help");
    assert!(
        guide.look_for.contains(&format!("{CHANCE_HEADS} sets")),
        "{}",
        guide.look_for
    );
}
