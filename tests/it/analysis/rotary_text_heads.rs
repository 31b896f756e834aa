//! Heads of rotary models whose mean queries and keys are those of a text.

use crate::{
    checkpoint::hostile::assert_is_sentence,
    forward::head_centers::scores_of_pairs,
    support::{
        models::open_model,
        questions::{FIRST, ask, forward_folder, hear, open},
    },
};
use diagonal::{
    analysis::{
        AttentionMask, AttentionSinks, BudgetSource, FailureKind, FitOptions, HeadDeviations,
        HeadEntropies, HeadFit, HeadId, HeadList, HeadOverview, LayerSections, MemorySession,
        PositionBudgets, PositionDependence, RunTexts, ScoreInput, ScoreMode, TextId, TextTokens,
    },
    figure::{Figure, budget_bars},
    forward::ForwardPass,
    model::{Config, ModelOptions},
};
use ndarray::{Array2, Axis};
use pollster::block_on;

const TEXT: TextId = TextId { run: 3, index: 0 };

/// A text of 14 tokens whose first, sixth and last are special.
fn text() -> TextTokens {
    TextTokens {
        ids: (0..14).map(|at| 6 + (at * at * 7 + 5 * at) % 34).collect(),
        is_special: (0..14).map(|at| [0, 5, 13].contains(&at)).collect(),
    }
}

fn run(session: &MemorySession, text: TextTokens) {
    let question = RunTexts {
        of: FIRST,
        run: TEXT.run,
        texts: vec![text],
        stores_bytes: false,
    };
    ask(session, question).expect("a run");
}

fn session(model: &str) -> MemorySession {
    let session = MemorySession::default();
    open(&session, forward_folder(model), ModelOptions::default()).expect(model);
    run(&session, text());
    session
}

fn head(layer: usize, head: usize) -> HeadId {
    HeadId {
        model: FIRST,
        input: ScoreInput::Text(TEXT),
        layer,
        head,
    }
}

#[test]
fn means_leave_out_the_first_token_and_special_ones() {
    assert_eq!(text().of_means(), [1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12]);
    assert!(TextTokens::plain(vec![7]).of_means().is_empty());
    assert_eq!(TextTokens::plain(vec![7, 7]).of_means(), [1]);
}

/// States that enter every layer, of the tokens that count.
fn states(model: &str) -> (Vec<Array2<f32>>, Vec<diagonal::forward::ScoreWeights>) {
    let folder = crate::support::models::data("forward").join(model);
    let bytes = std::fs::read(folder.join("model.safetensors")).expect(model);
    let config = std::fs::read_to_string(folder.join("config.json")).expect(model);
    let config = Config::parse(&config).expect(model);
    let (file, opened) = open_model(bytes, Some(&config), &ModelOptions::default()).expect(model);
    block_on(async {
        let pause = async || ();
        let pass = ForwardPass::open(&opened, &file).await.expect(model);
        let embedding = pass.embed(&file, &[text().ids], &pause).await;
        let mut batch = embedding.expect(model).states();
        let (mut states, mut scores) = (Vec::new(), Vec::new());
        for layer in 0..pass.layers() {
            states.push(batch.text(0).select(Axis(0), &text().of_means()));
            scores.push(pass.read_scores(&file, layer, &pause).await.expect(model));
            let weights = pass.read_layer(&file, layer, &pause).await.expect(model);
            let passed = pass
                .apply(layer, &weights, &mut batch, &mut (), &pause)
                .await;
            passed.expect(model);
        }
        (states, scores)
    })
}

/// f(k) of every head in every layer is the mean score of all pairs of the text's tokens k apart.
#[test]
fn every_layer_has_the_mean_scores_of_the_tokens() {
    for model in [
        "llama",
        "qwen3",
        "gemma3",
        "smollm3",
        "gpt-oss",
        "modernbert",
    ] {
        let session = session(model);
        let (states, weights) = states(model);
        let input = ScoreInput::Text(TEXT);
        let list = ask(&session, HeadList { of: FIRST, input }).expect(model);
        let heads: usize = weights.iter().map(|layer| layer.heads).sum();
        assert_eq!(list.len(), heads, "{model}");
        for (layer, (states, weights)) in states.iter().zip(&weights).enumerate() {
            for (at, (offsets, scores)) in scores_of_pairs(weights, states.view(), 4)
                .into_iter()
                .enumerate()
            {
                let of = head(layer, at);
                let f = ask(&session, HeadOverview { of }).expect(model).fit.f;
                let largest = f.values().iter().fold(0.0_f64, |most, f| most.max(f.abs()));
                for (k, scores) in offsets.iter().zip(scores) {
                    let mean = scores.iter().sum::<f64>() / scores.len() as f64;
                    let apart = (f.at(*k).expect("an offset") - mean).abs() / largest;
                    assert!(
                        apart < 1e-4,
                        "{model}, layer {layer}, head {at}, {k}: {apart:e}"
                    );
                }
            }
        }
    }
}

/// The same text in another order of the counted tokens' words gives other means in later layers, and questions take
/// the states of their own run.
#[test]
fn heads_follow_their_run() {
    let session = session("llama");
    let of = head(1, 0);
    let first = ask(&session, HeadOverview { of }).expect("a head").fit.f;
    let other = TextTokens::plain((0..20).map(|at| 6 + (at * 11) % 30).collect());
    let question = RunTexts {
        of: FIRST,
        run: 4,
        texts: vec![other],
        stores_bytes: false,
    };
    ask(&session, question).expect("a run");
    let input = ScoreInput::Text(TextId { run: 4, index: 0 });
    let overview = HeadOverview {
        of: HeadId { input, ..of },
    };
    let second = ask(&session, overview).expect("a head").fit.f;
    assert_eq!(first.n(), second.n(), "offsets are those of the model");
    assert_ne!(first, second);
    assert_eq!(
        ask(&session, HeadOverview { of }).expect("a head").fit.f,
        first
    );
}

#[test]
fn every_question_about_heads_takes_a_text() {
    let session = session("gpt-oss");
    let (of, input) = (head(2, 1), ScoreInput::Text(TEXT));
    let deviations = ask(&session, HeadDeviations { of }).expect("deviations");
    assert!(deviations.values().iter().all(|d| d.abs() < 1e-9));
    let cells = AttentionMask::Causal;
    let entropies = HeadEntropies {
        of: FIRST,
        input,
        cells,
        layer: None,
    };
    assert_eq!(ask(&session, entropies).expect("entropies").len(), 12);
    let options = FitOptions::default();
    let fit = ask(&session, HeadFit { of, options }).expect("a fit");
    assert!(!fit.fits.is_empty());
    let sections = LayerSections {
        of: FIRST,
        input,
        layer: 2,
    };
    assert_eq!(ask(&session, sections).expect("sections").len(), 4);
    let dependence = PositionDependence {
        of,
        text: text().ids,
        cells,
    };
    assert_eq!(ask(&session, dependence).expect("one line").len(), 1);
    let [of_text, of_weights] = [input, ScoreMode::AsComputed.into()].map(|input| {
        let sinks = AttentionSinks { of: FIRST, input };
        ask(&session, sinks).expect("sinks")
    });
    assert_eq!((of_text.len(), of_weights.len()), (12, 12));
    assert_ne!(of_text, of_weights);
}

#[test]
fn budgets_over_a_text_are_those_of_every_layer() {
    for (model, layers) in [("llama", 2), ("qwen3", 2), ("gpt-oss", 3)] {
        let session = session(model);
        let source = BudgetSource::Text(TEXT);
        let question = PositionBudgets {
            of: FIRST,
            cells: AttentionMask::Causal,
            source,
        };
        let heads = ask(&session, question).expect(model);
        assert_eq!(heads.len(), 4 * layers, "{model}");
        for head in &heads {
            assert_eq!(head.words, (11, 11), "{model}");
            let sum: f64 = head.shares.iter().sum();
            assert!((sum - 1.0).abs() < 1e-9, "{model}: {head:?}");
        }
        assert!(heads.iter().any(|head| head.shares[0] > 1e-6), "{model}");
        let csv = budget_bars(&heads, source, (0, 0))
            .expect("bars")
            .table()
            .csv();
        let rows = csv.lines().skip(1);
        assert!(
            rows.clone().count() == heads.len() && rows.clone().all(|row| row.ends_with(",text"))
        );
    }
}

#[test]
fn texts_without_means_say_so() {
    let session = session("llama");
    for tokens in [
        TextTokens::plain(vec![9]),
        TextTokens {
            ids: vec![9, 2, 2],
            is_special: vec![false, true, true],
        },
    ] {
        run(&session, tokens);
        let failure = hear(&session, HeadOverview { of: head(0, 0) }, Vec::new());
        let failure = failure.answer().expect_err("no means");
        assert!(failure.to_string().contains("longer text"), "{failure}");
        assert_is_sentence(&failure.to_string());
    }
    let gone = HeadId {
        input: ScoreInput::Text(TextId { run: 99, index: 0 }),
        ..head(0, 0)
    };
    let failure = ask(&session, HeadOverview { of: gone }).expect_err("no run");
    assert_eq!(failure.kind, FailureKind::RunGone);
    for of in [head(2, 0), head(0, 4)] {
        let failure = ask(&session, HeadOverview { of }).expect_err("no head");
        assert_is_sentence(&failure.to_string());
    }
}
