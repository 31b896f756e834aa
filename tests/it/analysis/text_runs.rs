//! Runs over texts: the scores of heads from the states of a text, and the memory that states take.

use crate::{
    checkpoint::hostile::assert_is_sentence,
    support::{
        models::{ModelVersion as FileAndModel, bytes, config, open_model},
        oracles::random,
        questions::{
            FIRST, ask, folder, hear, npy, open, open_as, open_otherwise, save, with_bert,
        },
    },
};
use diagonal::{
    analysis::{
        AttentionMask, BackendChoice, BlockValueRange, CloseModel, EnteringStates, Failure,
        FailureKind, FirstLayerAttention, FitOptions, HeadAttention, HeadAttentionStats,
        HeadConvolutions, HeadDeviations, HeadFit, HeadFits, HeadGrouping, HeadId, HeadList,
        HeadOverview, HeadRotation, HeadShifts, HeadTile, HeadWaves, LayerSpectra, ListedQuestion,
        MOST_STATES, MatrixFormat, MatrixId, MatrixTile, MemorySession, ModelVersion, ScoreInput,
        ScoreMode, TextId, TextRun,
    },
    encoding::Kernels,
    math::{GroupCount, Window},
    model::{Correction, HiddenStates, LayerWeights, ModelOptions},
};
use fastrand::Rng;
use ndarray::{Array1, Array2, s};
use pollster::block_on;

const TEXT: TextId = TextId { run: 7, index: 0 };

fn head(input: ScoreInput, layer: usize, head: usize) -> HeadId {
    HeadId {
        model: FIRST,
        input,
        layer,
        head,
    }
}

/// A run over one text, with the same states before each of some layers, given by the index of their weights.
fn run(model: ModelVersion, x: &Array2<f32>, layers: &[usize]) -> TextRun {
    let states = |&weights: &usize| EnteringStates {
        x: x.clone(),
        weights,
    };
    TextRun {
        model,
        texts: vec![layers.iter().map(states).collect()],
    }
}

fn add(session: &MemorySession, id: u32, run: TextRun) -> Result<(), Failure> {
    block_on(session.add_text_run(id, run))
}

/// The states that enter the heads of a model as it computes them from positions alone.
fn states_of_positions((checkpoint, model): &FileAndModel) -> HiddenStates {
    let inputs = block_on(model.read_inputs(checkpoint, |_, _| ())).expect("inputs");
    let table = model.added_table().expect("a table");
    inputs.hidden_states(&table, ScoreMode::AsComputed)
}

/// The answers to a question about positions and about the text are the same to the bit.
fn assert_same<Q: ListedQuestion>(
    session: &MemorySession,
    name: &str,
    question: impl Fn(ScoreInput) -> Q,
) where
    Q::Answer: std::fmt::Debug,
{
    let answer = |input: ScoreInput| {
        let answer = hear(session, question(input), Vec::new());
        let bytes = answer.bytes.clone();
        // Numbers are written so that they can be read again exactly, and NaN equals NaN.
        (format!("{:?}", answer.answer().expect(name)), bytes)
    };
    let of_positions = answer(ScoreMode::AsComputed.into());
    assert!(of_positions == answer(ScoreInput::Text(TEXT)), "{name}");
}

/// Post-norm and pre-norm models, one with a projection, and one whose positions are patches of an image.
#[test]
fn a_run_with_the_states_of_positions_has_their_scores() {
    for name in ["bert", "gpt2", "opt-projected", "vit"] {
        let session = MemorySession::default();
        open(&session, folder(name), ModelOptions::default()).expect(name);
        let file = open_model(bytes(name), Some(&config(name)), &ModelOptions::default());
        let file = file.expect(name);
        let states = states_of_positions(&file);
        let layers: Vec<usize> = (0..file.1.layers).collect();
        add(&session, TEXT.run, run(FIRST, &states.x, &layers)).expect(name);

        let (of, cells) = (FIRST, AttentionMask::Causal);
        let (layer, last) = (layers.len() - 1, file.1.heads.count as usize - 1);
        let of_head = |input| head(input, layer, last);
        let options = FitOptions::default();
        let window = Window {
            rows: 3..31,
            cols: 0..17,
        };
        assert_same(&session, name, |input| HeadOverview { of: of_head(input) });
        assert_same(&session, name, |input| HeadDeviations {
            of: of_head(input),
        });
        assert_same(&session, name, |input| HeadTile {
            of: of_head(input),
            window: window.clone(),
            limit: 64,
        });
        assert_same(&session, name, |input| HeadFit {
            of: of_head(input),
            options,
        });
        assert_same(&session, name, |input| HeadAttention {
            of: of_head(input),
            kernels: Kernels::default(),
            n: 40,
            cells,
            window: Window::whole(40, 40),
            limit: 40,
            by: BackendChoice::Cpu,
        });
        assert_same(&session, name, |input| HeadAttentionStats {
            of: of_head(input),
            kernels: Kernels::default(),
            n: 40,
            cells,
        });
        assert_same(&session, name, |input| HeadWaves { of: of_head(input) });
        assert_same(&session, name, |input| HeadRotation { of: of_head(input) });
        assert_same(&session, name, |input| HeadList { of, input });
        assert_same(&session, name, |input| HeadFits {
            of,
            input,
            layer: Some(layer),
            options,
        });
        assert_same(&session, name, |input| HeadConvolutions { of, input });
        assert_same(&session, name, |input| LayerSpectra { of, input });
        assert_same(&session, name, |input| HeadShifts { of, input });
        assert_same(&session, name, |input| HeadGrouping {
            of,
            input,
            count: GroupCount::Chosen(3),
            seed: 2,
        });
        for matrix in [
            |head| MatrixId::Head(head, AttentionMask::Whole),
            |head| MatrixId::Added(Kernels::default(), 30, AttentionMask::Whole, head),
            |head| MatrixId::Attention(Kernels::default(), 30, AttentionMask::Causal, Some(head)),
        ] {
            let matrix = |input| matrix(of_head(input));
            assert_same(&session, name, |input| MatrixTile {
                of: matrix(input),
                window: Some(window.clone()),
                limit: 16,
            });
            assert_same(&session, name, |input| BlockValueRange {
                of: matrix(input),
                window: window.clone(),
            });
            let saved = |input| save(&session, &matrix(input), MatrixFormat::Npy, None);
            assert!(saved(ScoreMode::AsComputed.into()) == saved(ScoreInput::Text(TEXT)));
        }
    }
}

/// Scores by their definition, in double precision: (x·W_Q + b)(x·W_K + b)ᵀ/√d, with the layer's norm before.
fn direct(x: &Array2<f32>, weights: &LayerWeights, head: usize, heads: usize) -> Array2<f64> {
    let mut x = x.mapv(f64::from);
    if let Some(norm) = &weights.norm {
        norm.apply(&mut x);
    }
    let width = weights.query.ncols() / heads;
    let columns = head * width..(head + 1) * width;
    let project = |matrix: &Array2<f32>, bias: &Option<Vec<f32>>| {
        let bias = Array1::from(bias.clone().unwrap_or_else(|| vec![0.0; matrix.ncols()]));
        let all = x.dot(&matrix.mapv(f64::from)) + &bias.mapv(f64::from);
        all.slice(s![.., columns.clone()]).to_owned()
    };
    let query = project(&weights.query, &weights.query_bias);
    let key = project(&weights.key, &weights.key_bias);
    query.dot(&key.t()) / (width as f64).sqrt()
}

/// ALBERT passes its layer twice, so a run of it has more layers than the model has weights.
#[test]
fn scores_of_a_text_follow_their_definition() {
    for (name, weights_of_layers) in [("bert", [0, 1]), ("gpt2", [0, 1]), ("albert", [0, 0])] {
        let session = MemorySession::default();
        open(&session, folder(name), ModelOptions::default()).expect(name);
        let (checkpoint, model) =
            open_model(bytes(name), Some(&config(name)), &ModelOptions::default()).expect(name);
        let mut rng = Rng::with_seed(5);
        let states = [0; 2].map(|_| random(&mut rng, 5, model.hidden_width));
        let layers = states.iter().zip(weights_of_layers);
        let text = layers.map(|(x, weights)| EnteringStates {
            x: x.clone(),
            weights,
        });
        // A second text, of another length, is beside it.
        let texts = vec![
            run(FIRST, &random(&mut rng, 9, model.hidden_width), &[0])
                .texts
                .remove(0),
            text.collect(),
        ];
        add(
            &session,
            3,
            TextRun {
                model: FIRST,
                texts,
            },
        )
        .expect(name);

        let input = ScoreInput::Text(TextId { run: 3, index: 1 });
        let heads = model.heads.count as usize;
        for (layer, (x, at)) in states.iter().zip(weights_of_layers).enumerate() {
            let weights = block_on(model.read_layer(&checkpoint, at)).expect(name);
            for number in 0..heads {
                let matrix = MatrixId::Head(head(input, layer, number), AttentionMask::Whole);
                let (shape, scores) = npy(&save(&session, &matrix, MatrixFormat::Npy, None));
                assert_eq!(shape, (5, 5), "{name}");
                for (value, expected) in scores.iter().zip(direct(x, &weights, number, heads)) {
                    let error = (f64::from(*value) - expected).abs();
                    assert!(
                        error < 1e-5 * (1.0 + expected.abs()),
                        "{name}: {value} {expected}"
                    );
                }
            }
        }
        let list = ask(&session, HeadList { of: FIRST, input }).expect("heads of every pass");
        assert_eq!(list.len(), 2 * heads, "{name}");
        let of = head(input, 2, 0);
        let failure = ask(&session, HeadOverview { of }).expect_err("there is no third pass");
        assert_eq!(failure.kind, FailureKind::NotThere);
    }
}

fn failure(session: &MemorySession, of: HeadId) -> Failure {
    let failure = ask(session, HeadOverview { of }).expect_err("the text is not there");
    assert_is_sentence(&failure.to_string());
    failure
}

#[test]
fn a_run_ends_with_its_model_version() {
    let session = with_bert();
    let x = random(&mut Rng::with_seed(1), 6, 64);
    let (of, second) = (
        head(ScoreInput::Text(TEXT), 1, 2),
        ModelVersion { id: 1, revision: 2 },
    );
    assert_eq!(
        failure(&session, of).kind,
        FailureKind::RunGone,
        "not run yet"
    );

    let refused = add(&session, TEXT.run, run(second, &x, &[0, 1])).expect_err("not open");
    assert_eq!(refused, Failure::model_closed());
    add(&session, TEXT.run, run(FIRST, &x, &[0, 1])).expect("a run");
    ask(&session, HeadOverview { of }).expect("a head");
    let no_text = HeadId {
        input: ScoreInput::Text(TextId { index: 1, ..TEXT }),
        ..of
    };
    assert_eq!(failure(&session, no_text).kind, FailureKind::NotThere);

    // Another open model has none of it.
    let other = ModelVersion { id: 2, revision: 1 };
    open_as(&session, other, folder("bert"), ModelOptions::default()).expect("a model");
    let of_other = HeadId { model: other, ..of };
    let sentence = failure(&session, of_other).to_string();
    assert!(sentence.contains("another model"), "{sentence}");
    ask(&session, CloseModel { id: 2 }).expect("it closes");
    ask(&session, HeadOverview { of }).expect("it stays");

    let choice = ModelOptions::default().switch(Correction::Biases);
    open_otherwise(&session, second, choice).expect("the same file");
    assert_eq!(failure(&session, of), Failure::model_closed());
    let of_second = HeadId {
        model: second,
        ..of
    };
    let sentence = failure(&session, of_second).to_string();
    assert!(sentence.contains("no longer in memory"), "{sentence}");

    add(&session, TEXT.run, run(second, &x, &[0, 1])).expect("a run");
    ask(&session, HeadOverview { of: of_second }).expect("a head");
    ask(&session, CloseModel { id: 1 }).expect("it closes");
    let third = ModelVersion { id: 1, revision: 3 };
    open_as(&session, third, folder("bert"), ModelOptions::default()).expect("a model");
    let of_third = HeadId { model: third, ..of };
    assert_eq!(failure(&session, of_third).kind, FailureKind::RunGone);
}

#[test]
fn the_runs_used_least_recently_leave_memory() {
    let session = with_bert();
    let hidden = 64;
    // Three of these fit, and a fourth does not.
    let x = Array2::zeros((MOST_STATES / 3 / hidden, hidden));
    let is_there = |id: u32| {
        let input = ScoreInput::Text(TextId { run: id, index: 0 });
        let tile = HeadTile {
            of: head(input, 0, 0),
            window: Window::whole(2, 2),
            limit: 2,
        };
        match ask(&session, tile) {
            Ok(_) => true,
            Err(failure) => {
                assert_eq!(failure.kind, FailureKind::RunGone);
                false
            }
        }
    };
    for id in 1..=3 {
        add(&session, id, run(FIRST, &x, &[0])).expect("a run");
    }
    assert!(is_there(1));
    add(&session, 4, run(FIRST, &x, &[0])).expect("a run");
    assert_eq!([1, 2, 3, 4].map(is_there), [true, false, true, true]);
    // A run takes the place of that with its number, and a small one fits beside others.
    add(
        &session,
        4,
        run(FIRST, &x.slice(s![..5, ..]).to_owned(), &[1]),
    )
    .expect("a run");
    assert_eq!([1, 3].map(is_there), [true, true]);

    let refused = add(&session, 5, run(FIRST, &x, &[0, 1, 0, 1])).expect_err("too large");
    assert_eq!(refused.kind, FailureKind::TooLarge);
    assert_is_sentence(&refused.to_string());
    assert_eq!(
        [1, 3].map(is_there),
        [true, true],
        "nothing was dropped for it"
    );
}

#[test]
fn states_that_do_not_fit_are_refused() {
    let session = with_bert();
    let x = random(&mut Rng::with_seed(1), 6, 64);
    let mut broken = x.clone();
    broken[(2, 3)] = f32::NAN;
    let shorter = x.slice(s![..5, ..]).to_owned();
    let mut uneven = run(FIRST, &x, &[0, 1]);
    uneven.texts[0][1].x = shorter;
    for run in [
        run(FIRST, &x.slice(s![.., ..63]).to_owned(), &[0]),
        run(FIRST, &x, &[2]),
        run(FIRST, &broken, &[0]),
        run(FIRST, &Array2::zeros((0, 64)), &[0]),
        run(FIRST, &x, &[]),
        uneven,
    ] {
        let refused = add(&session, 1, run).expect_err("states that do not fit");
        assert_eq!(refused.kind, FailureKind::OurFault);
        assert_is_sentence(&refused.to_string());
    }
    // Scores by offset are not products of states.
    for name in ["t5", "swin", "deberta"] {
        let session = MemorySession::default();
        let hidden = open(&session, folder(name), ModelOptions::default())
            .expect(name)
            .hidden_width;
        let x = Array2::zeros((6, hidden));
        let refused = add(&session, 1, run(FIRST, &x, &[0])).expect_err(name);
        assert_eq!(refused.kind, FailureKind::NotThere);
        assert_is_sentence(&refused.to_string());
    }
}

#[test]
fn embeddings_below_a_text_are_not_replaced() {
    let session = with_bert();
    let x = random(&mut Rng::with_seed(1), 6, 64);
    add(&session, TEXT.run, run(FIRST, &x, &[0, 1])).expect("a run");
    let attention = FirstLayerAttention {
        of: head(ScoreInput::Text(TEXT), 0, 0),
        kernels: Kernels::default(),
        n: 6,
        cells: AttentionMask::Whole,
        words: Vec::new(),
    };
    let refused = ask(&session, attention).expect_err("a text has words");
    assert_eq!(refused.kind, FailureKind::NotThere);
    assert_is_sentence(&refused.to_string());
}
