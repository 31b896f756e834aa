//! Rotary runs as models: the page's forward pass over their files against the passes that trained them, and the heads
//! that the shipped run has from weights alone.

use super::{reports::session_after, shipped_runs};
use crate::support::{
    models::open_model,
    questions::{FIRST, ask, open},
};
use diagonal::{
    analysis::{BudgetSource, HeadList, HeadOverview, MemorySession, PositionBudgets, ScoreMode},
    checkpoint::MemorySource,
    forward::ForwardPass,
    math::AttentionMask,
    model::{Config, ModelOptions, PositionKind},
    training::{last_weights_of, shipped_weights_file},
};
use pollster::block_on;
use small_transformer::{PassBuffers, TokenBatch, Trainer};

/// The run that ships with rotary positions.
const SHIPPED: &str = "repeat.rotary.m.1.1000";
const STEPS: u32 = 20;
const N: usize = 16;

#[test]
fn forward_passes_are_those_that_trained_the_model() {
    for encoding in ["rotary", "rotary-half", "rotary-alternate"] {
        let link = format!("repeat.{encoding}.n16d16l2h2r2b4.1.30");
        let mut trainer = Trainer::new(&link.parse().expect(&link), b"").expect(&link);
        for _ in 0..STEPS {
            trainer.step().expect("a finite loss");
        }
        let ids: Vec<u32> = (0..N as u32).map(|at| (at * at + 3 * at) % 11).collect();
        let mut batch = TokenBatch::new(N);
        batch.push(&ids, &[TokenBatch::NO_TARGET; N]);
        let model = trainer.model();
        let mut buffers = PassBuffers::new(model.shape(), 1, N);
        let logits = model.logits(trainer.weights(), &batch, &mut buffers);
        let session = session_after(&link, STEPS);
        let config = Config::parse(&session.description().config).expect(&link);
        let opened = open_model(
            session.weights_file(),
            Some(&config),
            &ModelOptions::default(),
        );
        let (file, opened) = opened.expect(&link);
        let pause = async || ();
        let predictions = block_on(async {
            let pass = ForwardPass::open(&opened, &file).await.expect("a pass");
            let text = std::slice::from_ref(&ids);
            let embedding = pass.embed(&file, text, &pause).await.expect("states");
            let mut states = embedding.states();
            for layer in 0..pass.layers() {
                let weights = pass
                    .read_layer(&file, layer, &pause)
                    .await
                    .expect("weights");
                pass.apply(layer, &weights, &mut states, &mut (), &pause)
                    .await
                    .expect("finite states");
            }
            let words = pass.vocabulary(&file).await.expect("words");
            let last = pass.last_states(&file, states.text(0), &pause).await;
            let last = last.expect("last states");
            let truth = vec![None; N];
            let predictions = pass.predict(&file, last.view(), &truth, words, &pause);
            predictions.await.expect("predictions")
        });
        let symbols = model.shape().symbols;
        for (row, prediction) in logits.chunks_exact(symbols).zip(predictions) {
            assert_eq!(prediction.top.len(), symbols, "{link}");
            for word in prediction.top {
                let expected = f64::from(row[word.word as usize]);
                assert!(
                    (word.score - expected).abs() < 1e-5,
                    "{link}: {word:?} {expected}"
                );
            }
        }
    }
}

/// The files of the last snapshot that ships, with its configuration.
fn shipped_files() -> Vec<(String, MemorySource)> {
    let record = shipped_runs::record(SHIPPED);
    let step = record.snapshots.last().expect("a snapshot").step;
    assert!(last_weights_of(SHIPPED).ends_with(&shipped_weights_file(step)));
    let config = record.description.config.into_bytes();
    vec![
        (
            "a.safetensors".to_owned(),
            MemorySource::new(shipped_runs::weights(SHIPPED, step)),
        ),
        ("config.json".to_owned(), MemorySource::new(config)),
    ]
}

/// The files hold queries and keys alone, without values and feed-forward parts.
#[test]
fn the_shipped_run_has_heads_from_weights() {
    let session = MemorySession::default();
    let opened = open(&session, shipped_files(), ModelOptions::default()).expect(SHIPPED);
    assert_eq!((opened.kind, opened.layers), (PositionKind::Rotary, 2));
    let input = ScoreMode::AsComputed.into();
    let list = ask(&session, HeadList { of: FIRST, input }).expect("heads");
    assert_eq!(list.len(), 8);
    // The head that attends to the token before prefers it by its means, too.
    let previous = list.iter().find(|head| (head.layer, head.head) == (0, 1));
    assert_eq!(previous.map(|head| head.causal_peak_offset), Some(-1));
    let of = crate::support::questions::head_of_first(ScoreMode::AsComputed, 0, 1);
    let f = ask(&session, HeadOverview { of }).expect("a head").fit.f;
    let at = |k: i64| f.at(k).expect("an offset");
    assert!(
        (at(-1) - 16.6).abs() < 0.1 && (at(0) - 13.5).abs() < 0.1,
        "{} {}",
        at(-1),
        at(0)
    );
    let budgets = PositionBudgets {
        of: FIRST,
        cells: AttentionMask::Causal,
        source: BudgetSource::Words,
    };
    let budgets = ask(&session, budgets).expect("budgets");
    let most = budgets
        .iter()
        .max_by(|a, b| a.shares[0].total_cmp(&b.shares[0]));
    let most = most.expect("a head");
    assert_eq!((most.layer, most.head), (0, 1), "{budgets:?}");
    assert!(most.shares[0] > 0.5, "{most:?}");
}
