//! Scores of the first layer over a text as a sum of parts by content and position.

use crate::{
    checkpoint::hostile::assert_is_sentence,
    support::questions::{FIRST, ask, folder, open},
};
use diagonal::{
    analysis::{
        MatrixPart, MemorySession, PartShare, RunTexts, ScorePart, SpecialTokenMode,
        TextHeadMatrix, TextId, TextPartMatrix, TextPartShares, TextTokens, TextValues,
    },
    math::reference,
    model::ModelOptions,
};
use ndarray::{Array2, Axis};

const TEXT: TextId = TextId { run: 1, index: 0 };

fn run(name: &str) -> MemorySession {
    let session = MemorySession::default();
    open(&session, folder(name), ModelOptions::default()).expect(name);
    let ids = [5, 9, 3, 3, 17, 1, 8, 20, 11].to_vec();
    let texts = vec![TextTokens::plain(ids)];
    let (of, run) = (FIRST, TEXT.run);
    let question = RunTexts {
        of,
        run,
        texts,
        stores_bytes: false,
    };
    ask(&session, question).expect(name);
    session
}

fn shares(session: &MemorySession) -> Vec<PartShare> {
    ask(
        session,
        TextPartShares {
            of: FIRST,
            text: TEXT,
        },
    )
    .expect("shares")
}

fn part(session: &MemorySession, head: usize, part: ScorePart) -> Array2<f32> {
    let question = TextPartMatrix {
        of: FIRST,
        text: TEXT,
        head,
        part,
        special: SpecialTokenMode::Shown,
    };
    ask(session, question).expect("a part").cells
}

fn scores(session: &MemorySession, head: usize) -> Array2<f32> {
    let question = TextHeadMatrix {
        of: FIRST,
        text: TEXT,
        layer: 0,
        head,
        values: TextValues::Scores,
        part: MatrixPart::Whole,
        special: SpecialTokenMode::Shown,
    };
    ask(session, question).expect("scores").cells
}

/// Norms before and after the first layer, a projection, biases by bucket, vectors of distances, masks.
const MODELS: [&str; 11] = [
    "bert",
    "gpt2",
    "albert",
    "electra",
    "roberta",
    "distilbert",
    "mpnet",
    "t5",
    "deberta",
    "deberta-v2",
    "opt",
];

#[test]
fn parts_add_up_to_the_scores() {
    for name in MODELS {
        let session = run(name);
        let shares = shares(&session);
        for (head, of_head) in shares.chunks(5).enumerate() {
            let scores = scores(&session, head);
            let parts = ScorePart::ALL.map(|kind| part(&session, head, kind));
            let sum = parts
                .iter()
                .skip(1)
                .fold(parts[0].clone(), |sum, part| sum + part);
            let range = scores
                .iter()
                .filter(|s| !s.is_nan())
                .fold(0.0_f32, |most, s| most.max(s.abs()));
            for (sum, score) in sum.iter().zip(&scores) {
                let is_close = (sum - score).abs() <= 2e-5 * range.max(1.0);
                assert!(
                    is_close || (sum.is_nan() && score.is_nan()),
                    "{name} head {head}: {sum} {score}"
                );
            }
            let total: f64 = of_head.iter().map(|share| share.share).sum();
            assert!((total - 1.0).abs() < 1e-9, "{name}: {total}");
            for (share, kind) in of_head.iter().zip(ScorePart::ALL) {
                assert_eq!(
                    (share.layer, share.head, share.part),
                    (0, head, kind),
                    "{name}"
                );
            }
        }
    }
}

/// Shares and R² against their definitions, for a model without a mask.
#[test]
fn shares_follow_their_definition() {
    let session = run("bert");
    for of_head in shares(&session).chunks(5) {
        let head = of_head[0].head;
        let centred = |cells: Array2<f32>| {
            let wide = cells.mapv(f64::from);
            let means = wide
                .mean_axis(Axis(1))
                .expect("columns")
                .insert_axis(Axis(1));
            wide - means
        };
        let scores = centred(scores(&session, head));
        for share in of_head {
            let cells = part(&session, head, share.part);
            let r2 = reference::toeplitz_r2(&cells.mapv(f64::from));
            assert!((share.r2 - r2).abs() < 1e-6, "{share:?} {r2}");
            let direct = (&centred(cells) * &scores).sum() / (&scores * &scores).sum();
            assert!((share.share - direct).abs() < 1e-4, "{share:?} {direct}");
        }
    }
}

/// T5 adds its bias to scores of words: the part of positions depends on the offset alone, and nothing mixes.
#[test]
fn a_bias_by_offset_is_all_that_positions_add() {
    let session = run("t5");
    for share in shares(&session) {
        match share.part {
            ScorePart::PositionPosition => assert!((share.r2 - 1.0).abs() < 1e-9, "{share:?}"),
            ScorePart::ContentContent => assert!(share.share.abs() > 0.0),
            _ => assert!(share.share == 0.0 && share.r2.is_nan(), "{share:?}"),
        }
    }
}

#[test]
fn rotated_queries_and_keys_have_no_parts() {
    let session = run("llama");
    let failure = ask(
        &session,
        TextPartShares {
            of: FIRST,
            text: TEXT,
        },
    );
    let sentence = failure.expect_err("no parts").to_string();
    assert!(sentence.contains("rotates"), "{sentence}");
    assert_is_sentence(&sentence);
}
