//! Scores of heads as sums of terms by word and position, and attention by offset for words, against golden numbers.

use crate::{
    analysis::golden_minilm,
    checkpoint::hostile::assert_is_sentence,
    figure::pictures::tile,
    support::{
        models::data,
        questions::{FIRST, ask, folder, head_of_first, open},
    },
};
use diagonal::{
    analysis::{
        AttentionStats, Failure, HeadId, HeadTerms, HeadTile, HeadWords, MemorySession,
        PositionDependence, ScoreMode, ScorePart, ScoreTerms, TermDraws, TermSet, TermWeight,
        WORD_DRAWS, WordAttention,
    },
    figure::{Cursor, Figure, TermChoices, position_dependence, score_terms},
    figure_spec::formulas,
    math::{AttentionMask, Profile, Tile, Window},
    model::ModelOptions,
};
use serde_json::Value;
use std::collections::BTreeSet;

fn session(name: &str) -> MemorySession {
    let session = MemorySession::default();
    open(&session, folder(name), ModelOptions::default()).expect(name);
    session
}

/// Terms of a head, all of which are added up.
fn terms(
    session: &MemorySession,
    of: HeadId,
    words: HeadWords,
    cells: AttentionMask,
) -> Result<HeadTerms, Failure> {
    let summands = TermSet::default();
    ask(
        session,
        ScoreTerms {
            of,
            words,
            summands,
            cells,
        },
    )
}

fn mask(case: &Value) -> AttentionMask {
    match case["causal"].as_bool() {
        Some(true) => AttentionMask::Causal,
        _ => AttentionMask::Whole,
    }
}

fn ids(case: &Value) -> Vec<u32> {
    let words = case["words"].as_array().expect("words");
    words
        .iter()
        .map(|id| id.as_u64().expect("an id") as u32)
        .collect()
}

fn head(case: &Value) -> HeadId {
    let index = |name: &str| case[name].as_u64().expect(name) as usize;
    let mode = match case["mode"].as_str() {
        Some("paper") => ScoreMode::Paper,
        _ => ScoreMode::AsComputed,
    };
    head_of_first(mode, index("layer"), index("head"))
}

fn cases() -> Vec<Value> {
    let text = std::fs::read(data("word-terms.json")).expect("golden numbers");
    serde_json::from_slice(&text).expect("json")
}

#[test]
fn terms_and_their_weights_are_those_of_numpy() {
    for case in cases() {
        let name = case["folder"].as_str().expect("a folder");
        let session = session(name);
        let words = HeadWords::Ids(ids(&case));
        let answer = terms(&session, head(&case), words, mask(&case)).expect(name);
        for (at, (weight, part)) in answer.weights.iter().zip(ScorePart::ALL).enumerate() {
            assert_eq!(weight.part, part);
            let golden = &case["terms"][at];
            let near = |value: f64, field: &str| {
                let expected = golden[field].as_f64().unwrap_or(f64::NAN);
                let is_near =
                    (value - expected).abs() < 1e-5 || expected.is_nan() && value.is_nan();
                assert!(is_near, "{name} {part:?} {field}: {value} {expected}");
            };
            near(weight.share, "share");
            near(weight.variance, "variance");
            near(weight.moved_attention, "moved_attention");
            near(weight.r2, "r2");
            for i in 0..3 {
                for j in 0..3 {
                    let expected = case["corner"][at][i][j].as_f64().expect("a cell");
                    let cell = f64::from(answer.maps[at].at(i, j).expect("a cell"));
                    let bound = 1e-5 * expected.abs().max(1.0);
                    assert!(
                        (cell - expected).abs() < bound,
                        "{name} {part:?}: {cell} {expected}"
                    );
                }
            }
        }
    }
}

#[test]
fn attention_by_offset_is_that_of_numpy() {
    for case in cases() {
        let name = case["folder"].as_str().expect("a folder");
        let session = session(name);
        let text = ids(&case);
        let wanted = match text.is_empty() {
            true => HeadWords::Mean,
            false => HeadWords::Ids(text.clone()),
        };
        let question = PositionDependence {
            of: HeadId {
                input: ScoreMode::AsComputed.into(),
                ..head(&case)
            },
            text,
            cells: mask(&case),
        };
        let lines = ask(&session, question).expect(name);
        let line = lines.iter().find(|line| line.words == wanted);
        let share = &line.expect("the line").stats.share;
        for (k, expected) in (-3..=3).zip(case["attention"].as_array().expect("shares")) {
            let expected = expected.as_f64().expect("a share");
            let value = share.at(k).expect("an offset");
            assert!(
                (value - expected).abs() < 1e-6,
                "{name} {k}: {value} {expected}"
            );
        }
    }
}

/// The sum of all terms with the mean word is the matrix of the heads view, up to 1e-6 of its range; in paper mode also
/// up to the product of the mean word with itself, which equations 9 to 12 leave out.
#[test]
fn terms_of_the_mean_word_add_up_to_the_scores_of_the_head() {
    let (minilm, _) = golden_minilm::open();
    for (session, heads) in [(minilm, 12), (session("bert"), 4), (session("gpt2"), 4)] {
        for mode in [ScoreMode::Paper, ScoreMode::AsComputed] {
            for head in [0, 1, heads - 1] {
                let of = head_of_first(mode, 0, head);
                let whole =
                    terms(&session, of, HeadWords::Mean, AttentionMask::Whole).expect("terms");
                let n = whole.sum.window.rows.end;
                let question = HeadTile {
                    of,
                    window: Window::whole(n, n),
                    limit: 256,
                };
                let scores: Tile = ask(&session, question).expect("scores");
                let shift = match mode {
                    ScoreMode::Paper => whole.maps[0].values[0],
                    ScoreMode::AsComputed => 0.0,
                };
                let ends = |values: &[f32]| {
                    let low = values.iter().copied().fold(f32::INFINITY, f32::min);
                    values.iter().copied().fold(f32::NEG_INFINITY, f32::max) - low
                };
                let range = ends(&scores.values);
                for (sum, score) in whole.sum.values.iter().zip(&scores.values) {
                    let difference = (sum - shift - score).abs();
                    // Single precision cannot hold a small range beside a large constant.
                    let bound = 1e-6 * range + 4.0 * f32::EPSILON * (score.abs() + shift.abs());
                    assert!(
                        difference <= bound,
                        "{mode:?} {head}: {sum} {score} of {range}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_term_that_is_switched_off_leaves_the_sum() {
    let session = session("bert");
    let of = head_of_first(ScoreMode::AsComputed, 0, 1);
    let mut summands = TermSet::default();
    summands.toggle(ScorePart::Rest);
    summands.toggle(ScorePart::PositionPosition);
    let question = ScoreTerms {
        of,
        words: HeadWords::Random(2),
        summands,
        cells: AttentionMask::Whole,
    };
    let answer = ask(&session, question).expect("terms");
    let [a, b, c] = [0, 1, 2].map(|at| &answer.maps[at].values);
    for (at, sum) in answer.sum.values.iter().enumerate() {
        let terms = a[at] + b[at] + c[at];
        assert!((sum - terms).abs() < 1e-6, "{sum} {terms}");
    }
    let row: f32 = answer.attention.values[..96].iter().sum();
    assert!((row - 1.0).abs() < 1e-5, "{row}");
}

#[test]
fn draws_are_those_of_their_seeds_and_differ() {
    let session = session("bert");
    let of = head_of_first(ScoreMode::AsComputed, 0, 2);
    let cells = AttentionMask::Causal;
    let draws = ask(
        &session,
        TermDraws {
            of,
            draws: 4,
            cells,
        },
    )
    .expect("draws");
    assert_eq!(draws.len(), 4);
    for (draw, seed) in draws.iter().zip(1..) {
        let one = terms(&session, of, HeadWords::Random(seed), cells).expect("terms");
        for (a, b) in draw.iter().zip(&one.weights) {
            assert!((a.share - b.share).abs() < 1e-9, "{seed}");
        }
        let total: f64 = draw.iter().map(|weight| weight.share).sum();
        assert!((total - 1.0).abs() < 1e-9, "{total}");
    }
    assert_ne!(draws[0], draws[1]);
}

#[test]
fn the_preset_has_the_line_of_the_mean_word_alone() {
    let (session, _) = golden_minilm::open();
    let of = head_of_first(ScoreMode::AsComputed, 0, 5);
    let cells = AttentionMask::Whole;
    let text = vec![7592, 2088];
    let lines = ask(&session, PositionDependence { of, text, cells }).expect("lines");
    let [line] = lines.as_slice() else {
        panic!("{} lines", lines.len());
    };
    // The share that the audit of the sources found for layer 1, head 6.
    let share = line.stats.share.at(-1).expect("an offset");
    assert!((share - 0.74).abs() < 0.005, "{share}");
    let refusal = terms(&session, of, HeadWords::Random(1), cells).expect_err("no words");
    assert_is_sentence(&refusal.to_string());
}

#[test]
fn random_words_have_as_many_draws_as_promised() {
    let session = session("gpt2");
    let question = PositionDependence {
        of: head_of_first(ScoreMode::AsComputed, 1, 1),
        text: Vec::new(),
        cells: AttentionMask::Causal,
    };
    let lines = ask(&session, question).expect("lines");
    let draws = lines
        .iter()
        .filter(|line| matches!(line.words, HeadWords::Random(_)));
    assert_eq!(draws.count() as u32, WORD_DRAWS);
    for line in &lines {
        let total: f64 = line.stats.share.iter().sum();
        assert!((total - 1.0).abs() < 1e-5, "{:?}: {total}", line.words);
    }
}

#[test]
fn models_that_add_no_positions_and_unknown_heads_are_refused_in_a_sentence() {
    for (name, layer, head) in [
        ("t5", 0, 0),
        ("llama", 0, 0),
        ("bert", 9, 0),
        ("bert", 0, 9),
    ] {
        let session = session(name);
        let of = head_of_first(ScoreMode::AsComputed, layer, head);
        let refusal = terms(&session, of, HeadWords::Mean, AttentionMask::Whole);
        assert_is_sentence(&refusal.expect_err(name).to_string());
        let question = PositionDependence {
            of,
            text: Vec::new(),
            cells: AttentionMask::Whole,
        };
        match (name, ask(&session, question)) {
            // Its scores by offset have attention without words.
            ("t5" | "llama", Ok(lines)) => assert_eq!(lines.len(), 1),
            (_, answer) => assert_is_sentence(&answer.expect_err(name).to_string()),
        }
    }
    let session = session("bert");
    let of = head_of_first(ScoreMode::AsComputed, 0, 0);
    let unknown = HeadWords::Ids(vec![1, 4_000_000_000]);
    let refusal = terms(&session, of, unknown, AttentionMask::Whole).expect_err("no word");
    assert_is_sentence(&refusal.to_string());
    assert_eq!(FIRST, of.model);
}

/// A profile that peaks at offset −1, by `width`.
fn shares(width: f64) -> AttentionStats {
    let share = Profile::from_fn(24, |k| 1.0 / (1.0 + ((k + 1) as f64 / width).powi(2)) / 8.0);
    AttentionStats {
        share,
        entropy: 3.0,
        sides: None,
    }
}

/// The figures, for the `pictures` tests.
pub(crate) fn pictures() -> Vec<(&'static str, Box<dyn Figure>, Option<Cursor>)> {
    let mut lines = vec![
        WordAttention {
            words: HeadWords::Mean,
            stats: shares(1.0),
        },
        WordAttention {
            words: HeadWords::Ids(vec![3]),
            stats: shares(4.0),
        },
    ];
    lines.extend((1..=4).map(|seed| WordAttention {
        words: HeadWords::Random(seed),
        stats: shares(1.5 + 0.25 * f64::from(seed)),
    }));
    let dependence =
        position_dependence(&lines, AttentionMask::Whole, "the mean word").expect("lines");
    let map = |scale: f32| {
        tile(Window::whole(12, 12), 1, move |i, j| {
            scale * (i.abs_diff(j) as f32 - 4.0)
        })
    };
    let weight = |part: ScorePart, share: f64| TermWeight {
        part,
        share,
        variance: share.abs(),
        r2: 0.5,
        moved_attention: share.abs() / 2.0,
    };
    let shares = [0.25, -0.125, 0.125, 0.625, 0.125];
    let weights = |by: f64| -> Vec<TermWeight> {
        let shares = ScorePart::ALL.into_iter().zip(shares);
        shares
            .map(|(part, share)| weight(part, share * by))
            .collect()
    };
    let terms = HeadTerms {
        weights: weights(1.0),
        maps: (0..5).map(|at| map(0.25 * at as f32)).collect(),
        sum: map(1.0),
        attention: tile(Window::whole(12, 12), 1, |i, j| {
            if i.abs_diff(j) == 1 { 0.5 } else { 0.0 }
        }),
        sum_r2: 0.75,
    };
    let mut summands = TermSet::default();
    summands.toggle(ScorePart::Rest);
    let choices = TermChoices {
        head: (1, 2),
        summands,
        cells: AttentionMask::Causal,
    };
    let maps = score_terms(&terms, &[weights(0.5), weights(1.5)], &choices, 0.0);
    vec![
        (
            "position-dependence",
            Box::new(dependence),
            Some(Cursor::Offset(-1)),
        ),
        ("score-terms", Box::new(maps), None),
    ]
}

#[test]
fn figures_have_every_number_in_their_tables() {
    let [(_, dependence, _), (_, terms, _)]: [_; 2] =
        pictures().try_into().ok().expect("two figures");
    let columns = |figure: &dyn Figure| -> Vec<String> {
        figure.table().names().map(str::to_owned).collect()
    };
    assert_eq!(
        columns(&*dependence),
        [
            "offset",
            "mean_word",
            "random_words",
            "low",
            "high",
            "text",
            "mean_word_entropy",
            "mean_word_keys"
        ]
    );
    assert_eq!(
        columns(&*terms),
        [
            "layer",
            "head",
            "part",
            "share",
            "variance",
            "r2",
            "moved_attention",
            "low",
            "high"
        ]
    );
    assert!(
        dependence.summary().contains("median of 4 draws"),
        "{}",
        dependence.summary()
    );
    assert!(
        terms.summary().contains("layer 2, head 3"),
        "{}",
        terms.summary()
    );
}

/// Every term that the formula marks has a part of the picture, and the other way round; the parts are apart.
#[test]
fn terms_of_the_formula_are_those_of_the_figure() {
    let pictures = pictures();
    let (_, figure, _) = pictures
        .iter()
        .find(|(id, ..)| *id == "score-terms")
        .expect("drawn");
    let marks = formulas::SCORE_TERMS.pieces().into_iter();
    let marks: BTreeSet<String> = marks.filter_map(|piece| Some(piece.term?.key())).collect();
    for width in [300.0, 700.0, 1400.0] {
        let terms = figure.terms(width);
        let names: BTreeSet<String> = terms.iter().map(|(term, _)| term.key()).collect();
        assert_eq!(names, marks, "at a width of {width}");
        assert_eq!(names.len(), terms.len(), "at a width of {width}");
        for (at, (term, place)) in terms.iter().enumerate() {
            assert!(
                place.right() <= width && place.bottom() <= figure.height(width),
                "{term:?}"
            );
            let (x, y) = (place.x + place.width / 2.0, place.y + place.height / 2.0);
            let under = terms.iter().filter(|(_, other)| other.contains(x, y));
            assert_eq!(under.count(), 1, "{term:?}, {at}");
        }
    }
}
