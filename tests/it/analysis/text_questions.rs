//! Questions about texts: the stream of layers, maps, profiles and predictions.

use crate::{
    checkpoint::hostile::assert_is_sentence,
    support::{
        models::{bytes, config, open_model},
        questions::{FIRST, ask, folder, hear, open},
    },
};
use diagonal::{
    analysis::{
        AttentionMask, DescribeTextSupport, MatrixPart, MemorySession, PredictTokens,
        PredictionKind, RunTexts, SpecialTokenMode, TextHeadMatrix, TextHeadProfile, TextId,
        TextLayers, TextMatrix, TextTokens, TextValues,
    },
    forward::{AttentionObserver, ForwardPass, HeadPlace},
    math::DenseFit,
    model::ModelOptions,
};
use ndarray::{Array2, ArrayView2};
use pollster::block_on;

const RUN: u32 = 4;
const TEXT: TextId = TextId { run: RUN, index: 0 };

/// A text of 12 tokens whose first, sixth and last are special.
fn text() -> TextTokens {
    let ids: Vec<u32> = (0..12).map(|at| (at * 7 + 3) % 40).collect();
    let is_special = (0..12).map(|at| [0, 5, 11].contains(&at)).collect();
    TextTokens { ids, is_special }
}

fn session_with(name: &str) -> MemorySession {
    let session = MemorySession::default();
    open(&session, folder(name), ModelOptions::default()).expect(name);
    session
}

fn run(session: &MemorySession, texts: &[TextTokens]) -> TextLayers {
    let question = RunTexts {
        of: FIRST,
        run: RUN,
        texts: texts.to_vec(),
        stores_bytes: false,
    };
    ask(session, question).expect("a run")
}

/// Scores and attention of every head, as the layers yield them.
#[derive(Default)]
struct Heads(Vec<(HeadPlace, Array2<f32>, Array2<f32>)>);

impl AttentionObserver for Heads {
    fn observe_head(
        &mut self,
        place: HeadPlace,
        scores: ArrayView2<'_, f32>,
        attention: ArrayView2<'_, f32>,
    ) {
        self.0
            .push((place, scores.to_owned(), attention.to_owned()));
    }
}

/// The heads of a model over one text, from the forward pass itself.
fn heads_of(name: &str, text: &TextTokens) -> Heads {
    let options = ModelOptions::default();
    let (checkpoint, model) = open_model(bytes(name), Some(&config(name)), &options).expect(name);
    block_on(async {
        let pass = ForwardPass::open(&model, &checkpoint).await.expect(name);
        let pause = async || ();
        let texts = [text.ids.clone()];
        let embedding = pass.embed(&checkpoint, &texts, &pause).await.expect(name);
        let (mut batch, mut heads) = (embedding.states(), Heads::default());
        for layer in 0..pass.layers() {
            let weights = pass
                .read_layer(&checkpoint, layer, &pause)
                .await
                .expect(name);
            let passed = pass
                .apply(layer, &weights, &mut batch, &mut heads, &pause)
                .await;
            passed.expect(name);
        }
        heads
    })
}

fn matrix(
    session: &MemorySession,
    (layer, head): (usize, usize),
    values: TextValues,
    part: MatrixPart,
    special: SpecialTokenMode,
) -> TextMatrix {
    let question = TextHeadMatrix {
        of: FIRST,
        text: TEXT,
        layer,
        head,
        values,
        part,
        special,
    };
    ask(session, question).expect("a map")
}

const MODELS: [&str; 6] = ["bert", "gpt2", "albert", "t5", "roberta", "distilbert"];

/// Maps from stored states are those that the layers had when the text passed them, and the summaries are theirs.
#[test]
fn maps_and_summaries_are_those_of_the_run() {
    for name in MODELS {
        let session = session_with(name);
        let support = ask(&session, DescribeTextSupport { of: FIRST }).expect(name);
        let layers = run(&session, &[text()]);
        assert_eq!(
            (layers.of, layers.passed_layers),
            (support.layers, support.layers),
            "{name}"
        );
        assert_eq!(layers.heads.len(), support.layers * support.heads, "{name}");
        let direct = heads_of(name, &text());
        assert_eq!(direct.0.len(), layers.heads.len(), "{name}");
        for (summary, (place, scores, attention)) in layers.heads.iter().zip(&direct.0) {
            assert_eq!(
                (summary.layer, summary.head),
                (place.layer, place.head),
                "{name}"
            );
            let place = (place.layer, place.head);
            for (values, direct) in [
                (TextValues::Scores, scores),
                (TextValues::Attention, attention),
            ] {
                let map = matrix(
                    &session,
                    place,
                    values,
                    MatrixPart::Whole,
                    SpecialTokenMode::Shown,
                );
                assert_eq!(map.tokens, (0..12).collect::<Vec<_>>());
                for ((cell, value), direct) in map.cells.indexed_iter().zip(direct) {
                    let is_masked = support.mask == AttentionMask::Causal && cell.1 > cell.0;
                    let is_same = if is_masked {
                        value.is_nan()
                    } else {
                        (value - direct).abs() < 1e-6
                    };
                    assert!(is_same, "{name} {place:?} {cell:?}: {value} {direct}");
                }
            }
            let sum = |at: &dyn Fn(usize) -> Option<usize>| -> f64 {
                (0..12)
                    .filter_map(|i| Some(f64::from(attention[[i, at(i)?]])))
                    .sum()
            };
            let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-6, "{name} {place:?}: {a} {b}");
            close(summary.previous, sum(&|i| i.checked_sub(1)) / 11.0);
            close(
                summary.next,
                sum(&|i| Some(i + 1).filter(|j| *j < 12)) / 11.0,
            );
            close(summary.itself, sum(&|i| Some(i)) / 12.0);
            close(summary.first, sum(&|_| Some(0)) / 12.0);
            close(
                summary.separator,
                (sum(&|_| Some(5)) + sum(&|_| Some(11))) / 12.0,
            );
            let logs = attention.iter().map(|p| f64::from(*p)).filter(|p| *p > 0.0);
            close(
                summary.entropy,
                -logs.map(|p| p * p.log2()).sum::<f64>() / 12.0,
            );
            for special in [
                SpecialTokenMode::Shown,
                SpecialTokenMode::Hidden,
                SpecialTokenMode::Renormalised,
            ] {
                let r2 = summary.r2(special);
                for (values, r2) in [
                    (TextValues::Attention, r2.attention),
                    (TextValues::Scores, r2.scores),
                ] {
                    let map = matrix(&session, place, values, MatrixPart::Whole, special);
                    assert!(
                        (map.r2 - r2).abs() < 1e-5 || (map.r2.is_nan() && r2.is_nan()),
                        "{name}: {} {r2}",
                        map.r2
                    );
                }
            }
        }
    }
}

/// Hidden tokens have no rows and columns, rows that are renormalised sum to 1, and parts add up.
#[test]
fn special_tokens_are_left_out() {
    for name in MODELS {
        let session = session_with(name);
        run(&session, &[text()]);
        for values in [TextValues::Attention, TextValues::Scores] {
            for special in [
                SpecialTokenMode::Shown,
                SpecialTokenMode::Hidden,
                SpecialTokenMode::Renormalised,
            ] {
                let part = |part| matrix(&session, (1, 1), values, part, special);
                let whole = part(MatrixPart::Whole);
                let hidden = special != SpecialTokenMode::Shown;
                let tokens = (0..12).filter(|at| !hidden || ![0, 5, 11].contains(at));
                assert_eq!(whole.tokens, tokens.collect::<Vec<_>>());
                assert_eq!(whole.cells.dim(), (whole.tokens.len(), whole.tokens.len()));
                let (toeplitz, residual) = (part(MatrixPart::Toeplitz), part(MatrixPart::Residual));
                let sum = &toeplitz.cells + &residual.cells;
                for (a, b) in whole.cells.iter().zip(&sum) {
                    assert!(
                        a.is_nan() && b.is_nan() || (a - b).abs() < 1e-5,
                        "{name}: {a} {b}"
                    );
                }
                if (values, special) == (TextValues::Attention, SpecialTokenMode::Renormalised) {
                    for row in whole.cells.rows() {
                        let sum: f32 = row.iter().filter(|p| !p.is_nan()).sum();
                        assert!((sum - 1.0).abs() < 1e-5, "{name}: {sum}");
                    }
                }
            }
        }
    }
}

/// The profile over one text is its diagonal means; over several it is between the lowest and the highest of them.
#[test]
fn profiles_are_means_over_texts() {
    let session = session_with("bert");
    let shorter = TextTokens::plain(vec![9, 8, 7, 6, 5, 4, 3]);
    let question = |values| TextHeadProfile {
        of: FIRST,
        run: RUN,
        layer: 1,
        head: 2,
        values,
        special: SpecialTokenMode::Shown,
    };
    for values in [TextValues::Scores, TextValues::Attention] {
        run(&session, &[text()]);
        let alone = ask(&session, question(values)).expect("a profile");
        let map = matrix(
            &session,
            (1, 2),
            values,
            MatrixPart::Whole,
            SpecialTokenMode::Shown,
        );
        let fit = DenseFit::new(map.cells.view());
        assert_eq!(alone.offsets, (-11..12).collect::<Vec<_>>());
        for (at, k) in alone.offsets.iter().enumerate() {
            let f = fit.f.at(*k).expect("a diagonal");
            assert!((alone.mean[at] - f).abs() < 1e-9);
            assert_eq!(
                (alone.low[at], alone.high[at]),
                (alone.mean[at], alone.mean[at])
            );
        }
        let weights = alone.weights.as_ref().expect("a profile from weights");
        assert!(weights.iter().all(|f| f.is_finite()));

        run(&session, &[text(), shorter.clone()]);
        let both = ask(&session, question(values)).expect("a profile");
        assert_eq!((both.texts, both.offsets.len()), (2, 23));
        run(&session, std::slice::from_ref(&shorter));
        let short = ask(&session, question(values)).expect("a profile");
        for (at, k) in both.offsets.iter().enumerate() {
            let of_short = short.offsets.iter().position(|other| other == k);
            let mean = match of_short {
                Some(other) => (alone.mean[at] + short.mean[other]) / 2.0,
                None => alone.mean[at],
            };
            assert!((both.mean[at] - mean).abs() < 1e-6, "offset {k}");
            assert!(both.low[at] <= both.mean[at] && both.mean[at] <= both.high[at]);
        }
    }
}

/// Decoders predict the next token, so the last position has no true one; probabilities of the best fall.
#[test]
fn predictions_name_the_token_that_follows() {
    let session = session_with("gpt2");
    let support = ask(&session, DescribeTextSupport { of: FIRST }).expect("a decoder");
    assert_eq!(support.predictions, Some(PredictionKind::Next));
    run(&session, &[text()]);
    let question = PredictTokens {
        of: FIRST,
        text: TEXT,
        positions: (0..12).collect(),
    };
    let found = ask(&session, question.clone()).expect("predictions");
    for (position, prediction) in found.iter().enumerate() {
        assert_eq!(prediction.position, position);
        assert_eq!(prediction.top.len(), 10.min(support.vocabulary));
        assert!(prediction.top.windows(2).all(|two| two[0].1 >= two[1].1));
        let next = text().ids.get(position + 1).copied();
        assert_eq!(prediction.rank.map(|(id, _)| id), next);
        assert_eq!(prediction.surprise.is_nan(), next.is_none());
        if let Some((id, rank)) = prediction.rank
            && let Some((of_best, p)) = prediction.top.get(rank - 1)
        {
            assert_eq!(*of_best, id, "position {position}");
            assert!((prediction.surprise + p.log2()).abs() < 1e-4);
        }
    }
    let beyond = PredictTokens {
        positions: vec![12],
        ..question
    };
    assert_is_sentence(&ask(&session, beyond).expect_err("12 tokens").to_string());
}

#[test]
fn texts_that_cannot_be_run_are_refused_with_a_sentence() {
    let session = session_with("bert");
    let support = ask(&session, DescribeTextSupport { of: FIRST }).expect("BERT");
    let words = u32::try_from(support.vocabulary).expect("few words");
    for ids in [
        vec![],
        vec![1, words],
        vec![1; support.longest_text + 1],
        vec![u32::MAX],
    ] {
        let question = RunTexts {
            of: FIRST,
            run: RUN,
            texts: vec![TextTokens::plain(ids)],
            stores_bytes: false,
        };
        let heard = hear(&session, question, Vec::new());
        assert!(heard.pieces.is_empty());
        assert_is_sentence(&heard.failure.expect("a refusal").to_string());
    }
    run(&session, &[TextTokens::plain(vec![1])]);
    let one = matrix(
        &session,
        (0, 0),
        TextValues::Attention,
        MatrixPart::Whole,
        SpecialTokenMode::Shown,
    );
    assert_eq!(one.cells, Array2::<f32>::ones((1, 1)));
    // Swin merges patches between layers, so no states pass all of them.
    let session = session_with("swin");
    let failure = ask(&session, DescribeTextSupport { of: FIRST }).expect_err("Swin");
    assert_is_sentence(&failure.to_string());
}
