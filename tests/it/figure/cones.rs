//! Pictures of planted waves and of the cone below the cosines, and the table of the cone.

use diagonal::{
    analysis::{
        TableCones,
        planted_waves::{PlantedWaves, WaveBasis, WaveTurn},
    },
    figure::{Cursor, Figure, lipschitz_cone, planted_waves},
    math::{ConeBound, LipschitzCone, TableBreaks},
};

/// Lines without a cosine, whose last digit may differ between machines.
fn cones(n: usize) -> TableCones {
    let line = |height: fn(f64) -> f64| (0..n).map(|k| height(k as f64)).collect();
    let bound = |slope, rows, cosine| ConeBound {
        slope,
        rows,
        cosine,
    };
    TableCones {
        table: LipschitzCone {
            mean: line(|k| (1.0 - k / 16.0).max(0.125)),
            lowest: line(|k| (1.0 - k / 4.0).max(-0.25)),
            bound: bound(0.25, (0, 1), 0.75),
            bound_in_parts: Some(bound(0.125, (7, 9), 0.75)),
            rows_without_direction: 1,
        },
        sinusoidal: LipschitzCone {
            mean: line(|k| 1.0 - k / 64.0),
            lowest: line(|k| 1.0 - k / 64.0),
            bound: bound(0.015_625, (0, 1), 0.984_375),
            bound_in_parts: None,
            rows_without_direction: 0,
        },
        breaks: TableBreaks::default(),
    }
}

/// The figures, for the `pictures` tests.
pub(crate) fn pictures() -> Vec<(&'static str, Box<dyn Figure>, Option<Cursor>)> {
    let waves = |turn| PlantedWaves {
        frequencies: vec![4, 8, 16],
        length: 64,
        turn,
        basis: WaveBasis::Own,
    };
    let shift = planted_waves(&waves(WaveTurn::OneShift(2.0)));
    let angle = planted_waves(&waves(WaveTurn::OneAngle(std::f64::consts::FRAC_PI_2)));
    vec![
        (
            "lipschitz-cone",
            Box::new(lipschitz_cone(&cones(64), false)),
            Some(Cursor::Offset(5)),
        ),
        (
            "lipschitz-cone-all",
            Box::new(lipschitz_cone(&cones(64), true)),
            None,
        ),
        ("planted-waves", Box::new(shift), None),
        ("planted-waves-angle", Box::new(angle), None),
    ]
}

#[test]
fn the_cone_has_a_row_for_every_offset() {
    let figure = lipschitz_cone(&cones(64), false);
    let csv = figure.table().csv();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(
        lines[0],
        "offset,mean,lowest,cone,sinusoid_lowest,sinusoid_cone"
    );
    assert_eq!(lines[3], "2,0.875,0.5,0.5,0.96875,0.96875");
    assert_eq!(lines.len(), 65);
    let summary = figure.summary();
    for words in [
        "The smallest C is 0.250, forced by positions 0 and 1 (cosine 0.750).",
        "Without row 0 it is 0.125, forced by positions 7 and 9",
        "C = 0.0156. One row is zero or not finite",
    ] {
        assert!(summary.contains(words), "{summary}");
    }
    // Cones leave the frame and do not set the range.
    assert!(figure.y_range().0 > -0.5);
    let two = lipschitz_cone(&cones(2), false);
    assert_eq!(two.table().rows(), 2);
}
