//! Every family against the library of its models: states, attention and predictions of two texts, in double
//! precision.

use super::{File, Run, no_pause, open_pass};
use crate::support::models::data;
use diagonal::{
    analysis::{TextShift, TextTokens},
    forward::{Batch, ForwardError, ForwardPass, LayerAttention},
};
use ndarray::{Array2, ArrayView2, Ix1, Ix2, Ix3, Ix4, s};
use pollster::block_on;
use safetensors::SafeTensors;

/// Largest distance of states, as a share of the length of their row.
const STATES: f64 = 5e-5;
/// Largest difference of attention.
const ATTENTION: f32 = 2e-5;
/// Largest difference of scores of words, as a share of their range.
const LOGITS: f64 = 1e-4;

/// Golden numbers of a folder.
pub(super) struct Golden {
    bytes: Vec<u8>,
    folder: String,
    /// Beginning of the names: the side of an encoder-decoder.
    side: String,
}

impl Golden {
    pub(super) fn read(folder: &str, side: &str) -> Self {
        let path = data("forward").join(folder).join("golden.safetensors");
        Self {
            bytes: std::fs::read(path).expect(folder),
            folder: folder.to_owned(),
            side: side.to_owned(),
        }
    }

    fn find(&self, name: &str) -> Option<(Vec<usize>, Vec<[u8; 4]>)> {
        let file = SafeTensors::deserialize(&self.bytes).expect("a file");
        let tensor = file.tensor(&format!("{}{name}", self.side)).ok()?;
        let (numbers, rest) = tensor.data().as_chunks::<4>();
        assert!(rest.is_empty());
        Some((tensor.shape().to_vec(), numbers.to_vec()))
    }

    pub(super) fn ids(&self, text: usize) -> Vec<u32> {
        let (_, ids) = self.find(&format!("ids.{text}")).expect("ids");
        ids.into_iter().map(u32::from_le_bytes).collect()
    }

    fn optional<D: ndarray::Dimension>(&self, name: &str) -> Option<ndarray::Array<f32, D>> {
        let (shape, numbers) = self.find(name)?;
        let numbers = numbers.into_iter().map(f32::from_le_bytes).collect();
        let array = ndarray::ArrayD::from_shape_vec(shape, numbers).expect(name);
        Some(array.into_dimensionality().expect(name))
    }

    fn array<D: ndarray::Dimension>(&self, name: &str) -> ndarray::Array<f32, D> {
        self.optional(name)
            .unwrap_or_else(|| panic!("{}: {name}", self.folder))
    }
}

fn states_are(found: ArrayView2<'_, f32>, golden: ArrayView2<'_, f32>, what: &str) {
    assert_eq!(found.dim(), golden.dim(), "{what}");
    for (i, (found, golden)) in found.rows().into_iter().zip(golden.rows()).enumerate() {
        let square = |x: f32| f64::from(x).powi(2);
        let apart: f64 = found.iter().zip(golden).map(|(a, b)| square(a - b)).sum();
        let length: f64 = golden.iter().map(|x| square(*x)).sum();
        let share = (apart / length).sqrt();
        assert!(share <= STATES, "{what}, row {i}: {share:e} of its length");
    }
}

/// Checks a run of both texts.
pub(super) fn run_is(golden: &Golden, file: &File, pass: &ForwardPass, run: &Run) {
    for text in 0..2 {
        let what = format!("{} {}text {text}", golden.folder, golden.side);
        let states = golden.array::<Ix3>(&format!("states.{text}"));
        assert_eq!(states.dim().0, pass.layers(), "{what}");
        let attention = golden.array::<Ix4>(&format!("attention.{text}"));
        for layer in 0..pass.layers() {
            let what = format!("{what}, layer {layer}");
            let entering = run.states[layer].text(text);
            states_are(entering, states.slice(s![layer, .., ..]), &what);
            let weights = block_on(pass.read_scores(file, layer, &no_pause)).expect("weights");
            let stored = LayerAttention::new(&weights, entering);
            for head in 0..stored.heads() {
                let golden = attention.slice(s![layer, head, .., ..]);
                let [scores, found] = &run.heads.0[&(layer, text, head)];
                for ((i, j), found) in found.indexed_iter() {
                    let apart = (found - golden[(i, j)]).abs();
                    assert!(
                        apart <= ATTENTION,
                        "{what}, head {head}, {i}, {j}: {apart:e}"
                    );
                }
                // The same from stored states, some rows at a time.
                let n = stored.n();
                for rows in [0..n / 2, n / 2..n] {
                    let part = s![rows.clone(), ..];
                    let apart = |a: Array2<f32>, b: &Array2<f32>| {
                        let size = b.iter().fold(1.0_f32, |most, x| most.max(x.abs()));
                        let apart = (&a - &b.slice(part)).mapv(f32::abs);
                        apart.iter().fold(0.0_f32, |most, x| most.max(*x)) / size
                    };
                    assert!(
                        apart(stored.scores(head, rows.clone()), scores) < 1e-5,
                        "{what}"
                    );
                    assert!(
                        apart(stored.attention(head, rows.clone()), found) < 1e-5,
                        "{what}"
                    );
                }
            }
        }
        let last = block_on(pass.last_states(file, run.last().text(text), &no_pause));
        let last = last.expect("last states");
        states_are(
            last.view(),
            golden.array::<Ix2>(&format!("last.{text}")).view(),
            &what,
        );
    }
}

/// Checks the scores of words, their order, probabilities, and the rank and surprise of the words that are there.
pub(super) fn predictions_are(golden: &Golden, file: &File, pass: &ForwardPass, run: &Run) {
    let words = block_on(pass.vocabulary(file)).expect("words");
    for text in 0..2 {
        let what = format!("{} text {text}", golden.folder);
        let logits = golden.array::<Ix2>(&format!("logits.{text}"));
        let truth: Vec<Option<u32>> = golden.ids(text).into_iter().map(Some).collect();
        let predict = |top| {
            let states = run.last().text(text);
            block_on(pass.predict(file, states, &truth, top, &no_pause)).expect("predictions")
        };
        for (i, prediction) in predict(words).iter().enumerate() {
            let row: Vec<f64> = logits.row(i).iter().copied().map(f64::from).collect();
            assert_eq!((row.len(), prediction.top.len()), (words, words), "{what}");
            let greatest = row.iter().copied().fold(f64::MIN, f64::max);
            let range = greatest - row.iter().copied().fold(f64::MAX, f64::min);
            let total: f64 = row.iter().map(|score| (score - greatest).exp()).sum();
            let probability = |score: f64| (score - greatest).exp() / total;
            let mut order: Vec<usize> = (0..words).collect();
            order.sort_by(|a, b| row[*b].total_cmp(&row[*a]));
            for (rank, word) in prediction.top.iter().enumerate() {
                let score = row[word.word as usize];
                assert!(
                    (word.score - score).abs() <= LOGITS * range,
                    "{what}, {i}: {word:?} {score}"
                );
                assert!(
                    (word.probability - probability(score)).abs() < 1e-5,
                    "{what}, {i}"
                );
                assert!(
                    rank >= 5 || word.word as usize == order[rank],
                    "{what}, {i}: rank {rank}"
                );
            }
            let truth = prediction.truth.expect("the true word");
            let id = golden.ids(text)[i] as usize;
            assert_eq!(order[truth.rank], id, "{what}, {i}");
            assert!(
                (truth.surprise + probability(row[id]).log2()).abs() < 1e-4,
                "{what}, {i}"
            );
        }
        let few = predict(5);
        let all = predict(words);
        assert!(
            few.iter()
                .zip(&all)
                .all(|(few, all)| few.top == all.top[..5]),
            "{what}"
        );
    }
}

/// Runs both texts of a folder in one batch, and checks everything that its golden numbers have.
fn family_is(folder: &str, source: Option<&str>) {
    let golden = Golden::read(folder, "");
    let (file, pass) = open_pass(folder, source);
    let run = Run::of_texts(&file, &pass, &[golden.ids(0), golden.ids(1)]);
    run_is(&golden, &file, &pass, &run);
    let has_logits = golden.optional::<ndarray::IxDyn>("logits.0").is_some();
    assert_eq!(
        pass.predicts_words(),
        has_logits && folder != "electra",
        "{folder}"
    );
    if pass.predicts_words() {
        predictions_are(&golden, &file, &pass, &run);
    }
}

/// One test for each family, so that a failure names it.
macro_rules! families {
    ($($test:ident: $folder:literal $(, $source:literal)?;)*) => {
        $(
            #[test]
            fn $test() {
                let source: &[&str] = &[$($source)?];
                family_is($folder, source.first().copied());
            }
        )*
    };
}

families! {
    bert: "bert";
    roberta: "roberta";
    xlm_roberta: "xlm-roberta";
    distilbert: "distilbert";
    albert: "albert";
    electra_generator: "electra-generator";
    electra_discriminator: "electra";
    mpnet: "mpnet";
    mpnet_opened_at_its_bias: "mpnet", "bias";
    deberta: "deberta";
    deberta_v2_with_a_convolution: "deberta-v2";
    deberta_v3: "deberta-v3";
    gpt: "gpt";
    gpt2: "gpt2";
    gpt_neo: "gpt-neo";
    opt: "opt";
    opt_with_narrow_words: "opt-projected";
    t5: "t5", "encoder";
    t5_with_a_gate: "t5-gated", "encoder";
    gpt_neox: "gpt-neox";
    llama: "llama";
    llama_with_yarn: "llama-yarn";
    llama_with_dynamic_angles: "llama-dynamic";
    smollm3: "smollm3";
    qwen2: "qwen2";
    qwen2_vl: "qwen2-vl";
    qwen3: "qwen3";
    qwen3_vl: "qwen3-vl";
    gemma3: "gemma3";
    gpt_oss: "gpt-oss";
    modernbert: "modernbert";
}

/// A decoder reads the text shifted right, and attends to the last states of its encoder.
#[test]
fn encoder_decoders() {
    for folder in ["bart", "mbart"] {
        let golden = ["encoder.", "decoder."].map(|side| Golden::read(folder, side));
        let texts = [0, 1].map(|text| golden[0].ids(text));
        let (file, pass) = open_pass(folder, Some("encoder"));
        let run = Run::of_texts(&file, &pass, &texts);
        run_is(&golden[0], &file, &pass, &run);
        let last = block_on(pass.last_states(&file, run.last().rows().view(), &no_pause));
        let lengths = texts.each_ref().map(Vec::len);
        let last = Batch::new(last.expect("last states"), &lengths);

        let (file, decoder) = open_pass(folder, Some("decoder"));
        assert_eq!(
            decoder.encoder().map(ForwardPass::layers),
            Some(pass.layers()),
            "{folder}"
        );
        let shifted = texts.each_ref().map(|text| {
            let start = decoder.start_word();
            let shift = start.map_or(TextShift::LastFirst, TextShift::BehindWord);
            shift.apply(&TextTokens::plain(text.clone())).ids
        });
        assert_eq!(shifted, [0, 1].map(|text| golden[1].ids(text)), "{folder}");
        let embedding = block_on(decoder.embed(&file, &shifted, &no_pause)).expect("embedding");
        let run = Run::from_states(&file, &decoder, embedding.states().with_encoder(last));
        let run = run.expect("a run");
        run_is(&golden[1], &file, &decoder, &run);
        predictions_are(&golden[1], &file, &decoder, &run);
        let alone = Run::from_states(&file, &decoder, embedding.states());
        assert_eq!(alone.map(|_| ()), Err(ForwardError::NoEncoder));
    }
}

#[test]
fn discriminators_detect_replaced_words() {
    let golden = Golden::read("electra", "");
    let (file, pass) = open_pass("electra", None);
    assert!(
        pass.detects_replaced_words()
            && !open_pass("electra-generator", None)
                .1
                .detects_replaced_words()
    );
    let run = Run::of_texts(&file, &pass, &[golden.ids(0), golden.ids(1)]);
    for text in 0..2 {
        let logits = golden.array::<Ix1>(&format!("logits.{text}"));
        let states = run.last().text(text);
        let found = block_on(pass.detect_replaced_words(&file, states, &no_pause)).expect("found");
        assert_eq!(found.len(), logits.len());
        for (found, logit) in found.into_iter().zip(logits) {
            let expected = (1.0 + f64::from(-logit).exp()).recip();
            assert!((found - expected).abs() < 1e-5, "{found} {expected}");
        }
    }
}

#[test]
fn images_enter_as_rows() {
    let golden = Golden::read("vit", "");
    let (file, pass) = open_pass("vit", None);
    let rows = [0, 1].map(|image| golden.array::<Ix2>(&format!("rows.{image}")));
    let images = [rows[0].view(), rows[1].view()];
    let embedding = block_on(pass.embed_rows(&file, &images, &no_pause));
    let run = Run::new(&file, &pass, &embedding.expect("an embedding"));
    run_is(&golden, &file, &pass, &run.expect("a run"));
}
