//! Demonstrations show what the marks say.

use super::{around, at_first, cell, cells, shown};
use diagonal::{
    analysis::criteria::{
        CRITERION_IDS, Criterion, EncodingMethod, WAY_IDS, WAYS,
        demonstrations::{
            DemonstrationPicture, DemonstrationState, Quantity, demonstrate, is_about_open_model,
        },
        verdict,
    },
    figure::demonstration::{self, in_digits},
    url_state::default_kernels,
};

#[test]
fn what_the_marks_say_can_be_seen() {
    const R2: &str = "Toeplitz R² of the scores";
    let invariant = Criterion::TranslationInvariant;
    for (row, (way, ..)) in WAYS.iter().enumerate() {
        let yes = verdict(row, cell(*way, invariant).1)
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
        "R² of the table’s inner products",
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
            "sequential steps",
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
            "numbers stored for positions",
        )
    };
    assert_eq!(
        (held(EncodingMethod::Relative), held(EncodingMethod::Tisa)),
        (512.0 * 512.0 * 64.0, 1023.0)
    );

    let learned = |way| shown(way, Criterion::ParameterEfficient, &[], "learned numbers");
    for (row, (way, ..)) in WAYS.iter().enumerate() {
        let yes = verdict(row, cell(*way, Criterion::ParameterEfficient).1)
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
            "R² of the target",
        )
    };
    for (row, (way, ..)) in WAYS.iter().enumerate() {
        let yes = verdict(row, cell(*way, Criterion::DataDriven).1)
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
            "scores that change",
        )
    };
    // Cells that change: a row and a column; one cell; all cells; one diagonal.
    for (way, count) in [
        (EncodingMethod::Learned, 47.0),
        (EncodingMethod::Untied, 47.0),
        (EncodingMethod::Synthesizer, 1.0),
        (EncodingMethod::Rotary, 576.0),
        // Slider value 40 selects offset 40 / 8 − 16 = −11, whose diagonal has 24 − 11 cells.
        (EncodingMethod::Relative, 13.0),
    ] {
        assert_eq!(moving(way), count, "{way:?}");
    }
    for way in [EncodingMethod::Sinusoidal, EncodingMethod::Flow] {
        assert!(moving(way) > 500.0, "{way:?}");
    }
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
    let open = DemonstrationState {
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
    let open = DemonstrationState {
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
fn a_demonstration_is_drawn_and_written() {
    for (way, criterion) in cells() {
        let (figure, _) = demonstration::draw(&at_first(way, criterion).picture, way, None);
        let scene = figure.scene(420.0);
        assert!(!scene.marks.is_empty() && figure.height(420.0) > 40.0);
    }
    // The row of the cell's own method is darker.
    let counts = DemonstrationPicture::Counts(vec![1000; WAYS.len()]);
    let drawn = |way| demonstration::draw(&counts, way, None).0.scene(420.0).marks;
    assert_ne!(drawn(0), drawn(1));
    assert_eq!(in_digits(Quantity::Count(262_144)), "262,144");
    assert_eq!(in_digits(Quantity::Share(1.0)), "1.0000");
    assert_eq!(in_digits(Quantity::Number(-4.0)), "−4.00");
}

#[test]
fn matrices_are_square_and_curves_are_whole() {
    for (way, criterion) in cells() {
        match at_first(way, criterion).picture {
            DemonstrationPicture::Matrix(rows) => {
                assert!(rows.iter().all(|row| row.len() == rows.len()));
            }
            DemonstrationPicture::Curves { curves, .. } => {
                let length = curves[0].values.len();
                assert!(curves.iter().all(|curve| curve.values.len() == length));
            }
            DemonstrationPicture::Counts(counts) => assert_eq!(counts.len(), WAYS.len()),
        }
    }
}
