//! Fits: collecting, choosing, ordering, drawing and describing them; parsing of typed word rows.

use diagonal::{
    analysis::{
        AttentionMask, FIRST_LAYER_POSITIONS, FitOptions, Fits, HeadFit, HeadId, KernelFit,
        ModelVersion, Objective, Question, Reading, ScoreInput, ScoreMode, Weighting,
        first_layer_content, group_progress, head_progress, set_of_fits, word_rows,
    },
    encoding::{Kernel, Kernels},
    figure::{
        Figure,
        kernel_fits::{fit_curve, fit_grid, fit_lines, fit_residual, fit_table},
        shown_offsets,
    },
    math::Profile,
    url_state::{FitChoice, FitScope, Link, Sort, fits_in_order},
};

/// A fit with one kernel per centre.
fn fit((layer, head): (usize, usize), r2: f64, centres: &[f64]) -> KernelFit {
    let kernels = centres.iter().map(|&c| Kernel::new(2.0, 0.5, c)).collect();
    KernelFit {
        layer,
        head,
        kernels: Kernels(kernels),
        intercept: -1.0,
        r2,
        matrix_r2: r2 / 2.0,
        given_up: 0.0,
        penalty: 0.0,
        reading: Reading {
            tallest: 0.5,
            cancels: false,
        },
        from_uniform: 0.5,
        sketch: [vec![0.0, 1.0], vec![0.0, 0.5]],
    }
}

fn collect_fits(pieces: impl IntoIterator<Item = Result<KernelFit, String>>) -> Fits {
    let collect = |so_far, piece| Some(HeadFit::fold(so_far, piece));
    pieces.into_iter().fold(None, collect).unwrap_or_default()
}

#[test]
fn fits_stand_in_order_however_they_come() {
    let three = fit((0, 0), 0.9, &[0.0, 1.0, 2.0]);
    let one = fit((0, 0), 0.5, &[0.0]);
    let two = fit((0, 0), 0.7, &[0.0, 1.0]);
    let fits = collect_fits([
        Ok(three.clone()),
        Ok(one.clone()),
        Err("Why not.".to_owned()),
        Ok(two.clone()),
    ]);
    assert_eq!(fits.fits, [one, two.clone(), three]);
    assert_eq!(fits.refusals, ["Why not."]);
    assert_eq!(fits.with_kernels(2), Some(&two));
    assert_eq!(fits.with_kernels(4), None);
}

#[test]
fn no_fit_stands_for_that_of_another_head_or_found_otherwise() {
    let one = HeadFit {
        of: HeadId {
            model: ModelVersion { id: 1, revision: 1 },
            input: ScoreInput::Positions(ScoreMode::Paper),
            layer: 0,
            head: 0,
        },
        options: FitOptions::default(),
    };
    let mut other_head = one.clone();
    other_head.of.head = 1;
    let mut other_cells = one.clone();
    other_cells.options.cells = AttentionMask::Causal;
    assert!(one.replaces(&one));
    assert!(!one.replaces(&other_head) && !one.replaces(&other_cells));
}

#[test]
fn a_choice_in_the_link_is_how_kernels_are_fitted() {
    let choice = FitChoice {
        scope: Some(FitScope::Layer),
        kernels: 3,
        within: Some(64),
        objective: Objective::NonNegative,
    };
    assert_eq!(
        choice.options(AttentionMask::Causal),
        FitOptions {
            kernels: 3,
            weighting: Weighting::Window(64),
            cells: AttentionMask::Causal,
            objective: Objective::NonNegative,
        }
    );
    let nothing = FitChoice::default();
    assert_eq!(nothing.options(AttentionMask::Whole), FitOptions::default());
    let of_group = |scope| FitChoice { scope, ..nothing }.is_of_group();
    assert!(of_group(Some(FitScope::Layer)) && of_group(Some(FitScope::All)));
    assert!(!of_group(Some(FitScope::Head)) && !of_group(None));
}

#[test]
fn a_link_names_kernels_that_are_not_the_usual_ones() {
    let choice = |kernels, within, objective| FitChoice {
        scope: Some(FitScope::Head),
        kernels,
        within,
        objective,
    };
    for (text, read, written) in [
        ("head", choice(5, None, Objective::Readable), "head.5"),
        // Links from before the objective could be chosen.
        (
            "head.3.64",
            choice(3, Some(64), Objective::Readable),
            "head.3.64",
        ),
        (
            "head.5.readable",
            choice(5, None, Objective::Readable),
            "head.5",
        ),
        (
            "head.5.non-negative",
            choice(5, None, Objective::NonNegative),
            "head.5.non-negative",
        ),
        (
            "head.2.9.least-squares",
            choice(2, Some(9), Objective::LeastSquares),
            "head.2.9.least-squares",
        ),
    ] {
        let (link, warnings) = Link::parse(&format!("fit={text}"));
        assert_eq!(warnings.count(), 0, "{text}");
        assert_eq!(link.kernel_options.fit, read, "{text}");
        let query = link.query();
        assert!(
            query
                .split('&')
                .any(|pair| pair == format!("fit={written}")),
            "{query}"
        );
    }
    for text in [
        "head.5.9.squares",
        "head.5.non-negative.9",
        "head.5.non-negative.readable",
    ] {
        let (link, warnings) = Link::parse(&format!("fit={text}"));
        assert_eq!(warnings.count(), 1, "{text}");
        assert_eq!(link.kernel_options.fit, FitChoice::default(), "{text}");
    }
}

#[test]
fn fits_are_sorted_and_those_alike_stay_as_they_were() {
    let fits = [
        fit((0, 0), 0.5, &[3.0]),
        fit((0, 1), 0.9, &[-1.0]),
        fit((1, 0), 0.5, &[3.0]),
        fit((1, 1), 0.7, &[0.0]),
    ];
    let order = |sort| -> Vec<(usize, usize)> {
        let sorted = fits_in_order(&fits, sort);
        sorted.iter().map(|fit| (fit.layer, fit.head)).collect()
    };
    assert_eq!(order(Sort::Layer), [(0, 0), (0, 1), (1, 0), (1, 1)]);
    assert_eq!(order(Sort::R2), [(0, 1), (1, 1), (0, 0), (1, 0)]);
    assert_eq!(order(Sort::Peak), [(0, 1), (1, 1), (0, 0), (1, 0)]);
}

#[test]
fn progress_is_told_in_sentences() {
    let nothing = Fits::default();
    let two = collect_fits([Ok(fit((0, 0), 0.5, &[0.0])), Err("Head 2 is flat.".into())]);
    assert_eq!(group_progress(&nothing, 72, true), "0 of 72 heads fitted.");
    assert_eq!(group_progress(&two, 72, true), "2 of 72 heads fitted.");
    assert_eq!(
        group_progress(&two, 2, false),
        "1 head fitted. 1 not: Head 2 is flat."
    );
    let one = collect_fits([Ok(fit((1, 2), 0.98765, &[0.0]))]);
    assert_eq!(
        head_progress(&one, 1, true),
        "Layer 2, head 3: R² 0.9877 of the profile, 0.4938 of the matrix."
    );
    let mut less = fit((1, 2), 0.98765, &[0.0]);
    for (given_up, suffix) in [
        (0.00009, ""),
        (
            0.00123,
            " Least squares alone would explain 0.0012 more of the profile.",
        ),
    ] {
        less.given_up = given_up;
        let progress = head_progress(&collect_fits([Ok(less.clone())]), 1, false);
        assert_eq!(
            progress,
            format!("Layer 2, head 3: R² 0.9877 of the profile, 0.4938 of the matrix.{suffix}")
        );
    }
    assert_eq!(head_progress(&one, 8, true), "");
    assert_eq!(
        head_progress(&one, 8, false),
        "It has too few offsets for 8 kernels; choose fewer."
    );
    let flat = collect_fits([Err("It is flat.".into())]);
    assert_eq!(head_progress(&flat, 8, false), "It is flat.");
}

#[test]
fn fits_are_taken_home_in_their_places() {
    let set = set_of_fits(
        &[fit((2, 1), 0.5, &[0.0]), fit((0, 3), 0.5, &[1.0, 2.0])],
        4,
    );
    assert_eq!(
        (set.layers.len(), set.most_heads(), set.heads_with_kernels()),
        (2, 4, 2)
    );
    let kernels = set.get(0, 3).expect("the second");
    assert_eq!(
        (kernels.kernels.0.len(), kernels.intercept),
        (2, Some(-1.0))
    );
    assert!(set.get(0, 0).is_none());
}

#[test]
fn a_fit_is_drawn_over_its_profile() {
    let fit = fit((0, 0), 0.5, &[0.0, 1.0]);
    let f: Vec<f64> = (-99..=99).map(|k| fit.at(k) + 0.25).collect();
    let f = Profile::new(f);
    let near = shown_offsets(100, false);
    assert_eq!(near, (-40.5, 40.5));
    assert_eq!(shown_offsets(100, true), (-99.5, 99.5));
    assert_eq!(shown_offsets(8, false), (-7.5, 7.5));
    let there = [fit.clone()];
    let lines = fit_lines(&fit, &f, near, &there);
    let names: Vec<&str> = lines.lines().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["fit", "profile", "kernel 1", "kernel 2"]);
    assert_eq!((lines.x_range(), lines.table()), (near, fit_table(&there)));
    let expected = "2 kernels fitted to layer 1, head 1: R² 0.500 of its profile. ";
    assert!(lines.summary().starts_with(expected), "{}", lines.summary());
    let less = KernelFit {
        given_up: 0.004,
        ..fit.clone()
    };
    let less = fit_lines(&less, &f, near, &there).summary();
    let expected = "R² 0.500 of its profile, 0.00400 less than least squares alone reaches.";
    assert!(less.contains(expected), "{less}");
    let residual = fit_residual(&fit, &f, near);
    let line = residual.lines().next().expect("a line");
    assert!(line.values.iter().all(|left| (left - 0.25).abs() < 1e-12));
}

#[test]
fn the_curve_and_the_grid_wait_for_their_first_fit() {
    assert!(fit_curve(&Fits::default(), 5).is_none());
    assert!(fit_grid(&[], None, None).is_none());
    let fits = collect_fits([
        Ok(fit((0, 0), 0.5, &[0.0])),
        Ok(fit((0, 0), 0.7, &[0.0, 1.0])),
    ]);
    let curve = fit_curve(&fits, 2).expect("a curve");
    let points: Vec<(f64, f64)> = curve.points().map(|point| point.at).collect();
    assert_eq!(points, [(1.0, 0.5), (2.0, 0.7)]);
    assert_eq!(curve.marked_place, Some(2.0));
    let in_order: Vec<&KernelFit> = fits.fits.iter().rev().collect();
    let grid = fit_grid(&in_order, Some(2), Some((0, 0))).expect("a grid");
    let labels: Vec<&str> = grid.cells.iter().map(|cell| cell.label.as_str()).collect();
    assert_eq!(labels, ["0.70", "0.50"]);
    assert_eq!(grid.summary, "2 fits, mean R² 0.600.");
}

#[test]
fn rows_of_words_are_read_as_they_are_typed() {
    assert_eq!(word_rows(""), Ok(vec![]));
    assert_eq!(word_rows("5, 9;5  7-9"), Ok(vec![5, 9, 5, 7, 8, 9]));
    assert_eq!(word_rows("3-3"), Ok(vec![3]));
    for (typed, wrong) in [
        ("5 x", "x"),
        ("9-7", "9-7"),
        ("-3", "-3"),
        ("1-2-3", "1-2-3"),
        ("4294967296", "4294967296"),
    ] {
        let message = format!("“{wrong}” is not a token id or a range of ids, such as 1000-1031.");
        assert_eq!(word_rows(typed), Err(message));
    }
    assert_eq!(
        word_rows("0-1023").map(|rows| rows.len()),
        Ok(FIRST_LAYER_POSITIONS)
    );
    // Counting typed ranges must not overflow 32-bit sizes.
    for typed in ["0-1024", "1 0-1023", "1 0-4294967295", "0-4294967295"] {
        let message = word_rows(typed).expect_err(typed);
        assert_eq!(message, "These are more than 1024 rows.");
    }
}

#[test]
fn what_stands_before_the_first_layer_is_said() {
    let content = first_layer_content;
    assert_eq!(content(12, 64, 512), "12 tokens at as many positions.");
    assert_eq!(content(600, 64, 512), "512 tokens at as many positions.");
    assert_eq!(
        content(0, 64, 512),
        "The mean word x̄ at each of 64 positions."
    );
    assert_eq!(
        content(0, 16_384, 2048),
        "The mean word x̄ at each of 1024 positions."
    );
}
