//! Heads that are made to attend further: against numpy, in planted tables, and in the weights that are saved.

use crate::{
    analysis::golden_minilm,
    checkpoint::hostile::assert_is_sentence,
    support::{
        models::data,
        questions::{ask, folder, head_of_first, open},
    },
};
use diagonal::{
    analysis::{
        AttentionChange, HeadAttentionStats, HeadId, HeadInput, MemorySession, RETARGET_REACH,
        RETARGET_SHIFTS, RetargetHead, RetargetedAttention, RetargetedHead, RetargetedWeights,
        Retargeting, ScoreMode, TurnedKey,
    },
    checkpoint::MemorySource,
    encoding::{Kernels, Sinusoidal},
    figure::{
        ColorMap, Cursor, Figure,
        waves::{retarget_head, retargeted_maps},
    },
    math::{AttentionMask, Profile, WAVE_VARIANCE, WaveSpan, Window},
    model::ModelOptions,
    safetensors_writer::SafetensorsWriter,
};
use ndarray::{Array2, s};
use safetensors::{Dtype, SafeTensors};
use serde_json::Value;

fn place(layer: usize, head: usize) -> HeadId {
    head_of_first(ScoreMode::AsComputed, layer, head)
}

fn retarget(session: &MemorySession, of: HeadId, cells: AttentionMask) -> Retargeting {
    let answer = ask(session, RetargetHead { of, cells }).expect("an answer");
    answer.expect("a head")
}

fn session(name: &str) -> MemorySession {
    let session = MemorySession::default();
    open(&session, folder(name), ModelOptions::default()).expect(name);
    session
}

#[test]
fn turned_heads_have_the_attention_of_numpy() {
    let text = std::fs::read(data("retarget.json")).expect("golden numbers");
    let cases: Vec<Value> = serde_json::from_slice(&text).expect("json");
    let (session, _) = golden_minilm::open();
    for golden in cases {
        let whole = |name: &str| golden[name].as_i64().expect(name);
        let number = |name: &str| golden[name].as_f64().expect(name);
        let of = place(whole("layer") as usize, whole("head") as usize);
        let found = retarget(&session, of, AttentionMask::Whole);
        assert_eq!(found.shifts.len(), RETARGET_SHIFTS.count());
        assert_eq!(found.directions as i64, whole("directions"));
        assert!((found.variance - number("variance")).abs() < 1e-5);
        assert!(
            (found.score_share - number("moved")).abs() < 1e-4,
            "{golden}"
        );
        let head = found.at(whole("shift")).expect("a shift");
        assert!((head.error - number("error")).abs() < 1e-3, "{golden}");
        assert_eq!(head.peak, whole("peak"));
        let shares = golden["shares"].as_array().expect("shares");
        for (share, golden) in head.shares[(RETARGET_REACH - 12) as usize..]
            .iter()
            .zip(shares)
        {
            let golden = golden.as_f64().expect("a share");
            assert!((share - golden).abs() < 2e-3, "{share} {golden}");
        }
    }
}

/// The claim of the guide, and that heads whose positions are waves follow the slider.
#[test]
fn heads_of_the_preset_follow_the_slider() {
    let (session, _) = golden_minilm::open();
    for (layer, head) in [(0, 2), (0, 5), (1, 4), (1, 8)] {
        let found = retarget(&session, place(layer, head), AttentionMask::Whole);
        let before = found.original().expect("the head").peak;
        for turned in &found.shifts {
            assert_eq!(turned.peak, before + turned.shift, "{layer}.{head}");
        }
    }
    let found = retarget(&session, place(0, 2), AttentionMask::Whole);
    assert_eq!(found.at(3).expect("a shift").peak, 2);
    let unturned = found.original().expect("the head");
    assert_eq!((unturned.peak, unturned.error), (-1, 0.0));
}

/// In a table of sinusoids the turned keys are the shifted keys (Theorem 1), for queries and keys of any kind.
#[test]
fn sinusoids_are_moved_exactly() {
    let table = Sinusoidal {
        rows: 400,
        width: 16,
        base: 20.0,
    }
    .table();
    let span = WaveSpan::compute(table.view()).expect("waves");
    assert!(span.share >= WAVE_VARIANCE && span.rank() <= 16);
    let mut rng = fastrand::Rng::with_seed(3);
    let [query, key] = [(); 2].map(|()| crate::support::oracles::random(&mut rng, 16, 4));
    let head = HeadInput {
        states: table.view(),
        query: query.view(),
        key: key.view(),
    };
    for shift in RETARGET_SHIFTS {
        let turned = TurnedKey::compute(&span, head, shift).expect("a rotation");
        assert!(turned.error < 0.05, "{shift}: {}", turned.error);
        let rotation = span.shift(shift).expect("a rotation").rotation;
        let unit = rotation.transpose() * &rotation;
        for (row, column) in (0..span.rank()).flat_map(|i| (0..span.rank()).map(move |j| (i, j))) {
            let expected = f64::from(row == column);
            assert!((unit[(row, column)] - expected).abs() < 1e-9);
        }
        // T is orthogonal: it keeps the inner products of the columns of any weight.
        let gram = |weight: &Array2<f32>| weight.t().dot(weight);
        let off = gram(&turned.weight) - gram(&key);
        assert!(off.iter().all(|off| off.abs() < 1e-4), "{shift}");
    }
    assert!(span.shift(400).is_err());
}

/// The tensors of a checkpoint in one file, with some of them replaced by those of another file.
fn with_tensors(folder_name: &str, changed: &[u8]) -> Vec<(String, MemorySource)> {
    let changed = SafeTensors::deserialize(changed).expect("a file");
    let path = data(folder_name).join("model.safetensors");
    let bytes = std::fs::read(path).expect("a checkpoint");
    let original = SafeTensors::deserialize(&bytes).expect("a checkpoint");
    let mut writer = SafetensorsWriter::new();
    let mut replaced = 0;
    for name in original.names() {
        let (before, now) = (original.tensor(name).expect(name), changed.tensor(name));
        if let Ok(now) = &now {
            assert_eq!(now.shape(), before.shape(), "{name}");
            replaced += 1;
        }
        let tensor = now.unwrap_or(before);
        if tensor.dtype() != Dtype::F32 {
            continue;
        }
        writer.add_f32(name, tensor.shape(), numbers(tensor.data()));
    }
    assert_eq!(
        replaced,
        changed.len(),
        "every tensor has its name in the file"
    );
    let config = std::fs::read(data(folder_name).join("config.json")).expect("a configuration");
    vec![
        (
            "model.safetensors".to_owned(),
            MemorySource::new(writer.into_bytes()),
        ),
        ("config.json".to_owned(), MemorySource::new(config)),
    ]
}

fn numbers(bytes: &[u8]) -> Vec<f32> {
    let numbers = bytes.chunks_exact(4);
    numbers
        .map(|number| f32::from_le_bytes(number.try_into().expect("four bytes")))
        .collect()
}

/// Share of attention of a head by offset.
fn shares(session: &MemorySession, of: HeadId, n: usize) -> Profile {
    let question = HeadAttentionStats {
        of,
        kernels: Kernels(Vec::new()),
        n,
        cells: AttentionMask::Whole,
    };
    ask(session, question).expect("attention").share
}

/// Weights [out, in], thirds of columns, decoders, images, thirds of rows.
const FOLDERS: [&str; 7] = ["bert", "gpt2", "opt", "vit", "bart", "timm-vit", "clip"];

#[test]
fn saved_weights_give_the_attention_that_is_drawn() {
    for name in FOLDERS {
        let before = session(name);
        for (head, shift) in [(0, 2), (1, -3)] {
            let of = place(0, head);
            let found = retarget(&before, of, AttentionMask::Whole);
            let expected = found.at(shift).expect("a shift");
            let bytes = ask(&before, RetargetedWeights { of, shift }).expect("a file");
            let after = MemorySession::default();
            let files = with_tensors(name, &bytes);
            open(&after, files, ModelOptions::default()).expect(name);
            let share = shares(&after, of, found.n);
            let reach = RETARGET_REACH.min(share.n() as i64 - 1);
            for (offset, drawn) in (-reach..=reach).zip(&expected.shares) {
                let share = share.at(offset).expect("an offset");
                assert!(
                    (share - drawn).abs() < 1e-5,
                    "{name} {offset}: {share} {drawn}"
                );
            }
            // The other head of the layer is as it was.
            let other = place(0, 1 - head);
            let [there, here] = [&after, &before].map(|session| shares(session, other, found.n));
            let off = there.iter().zip(here.iter()).map(|(a, b)| (a - b).abs());
            assert!(off.fold(0.0, f64::max) < 1e-12, "{name}");
        }
        // Without a shift, the file has the tensor of the checkpoint.
        let of = place(0, 0);
        let bytes = ask(&before, RetargetedWeights { of, shift: 0 }).expect("a file");
        let file = SafeTensors::deserialize(&bytes).expect("a file");
        let original = std::fs::read(data(name).join("model.safetensors")).expect("a checkpoint");
        let original = SafeTensors::deserialize(&original).expect("a checkpoint");
        for (tensor, view) in file.tensors() {
            let stored = original.tensor(&tensor).expect("its name");
            assert_eq!(view.data(), stored.data(), "{name}");
        }
    }
}

#[test]
fn models_without_a_table_say_why() {
    for name in ["t5", "llama", "swin", "deberta"] {
        let session = session(name);
        let of = place(0, 0);
        let cells = AttentionMask::Whole;
        let answer = ask(&session, RetargetHead { of, cells }).expect(name);
        assert_is_sentence(&answer.expect_err(name));
        let failure = ask(&session, RetargetedWeights { of, shift: 1 }).expect_err(name);
        assert_is_sentence(&failure.to_string());
    }
}

#[test]
fn states_without_waves_are_refused() {
    let constant = Array2::<f32>::ones((6, 3));
    assert!(WaveSpan::compute(constant.view()).is_err());
    assert!(WaveSpan::compute(constant.slice(s![..1, ..])).is_err());
    let mut broken = constant;
    broken[[2, 1]] = f32::NAN;
    assert!(WaveSpan::compute(broken.view()).is_err());
}

/// The figure, for the `pictures` tests.
pub(crate) fn pictures() -> Vec<(&'static str, Box<dyn Figure>, Option<Cursor>)> {
    let head = |shift: i64| {
        let share = |k: i64| {
            let off = (k + 1 - shift) as f64;
            0.6 / (1.0 + off * off)
        };
        RetargetedHead::new(shift, 0.0625 * shift as f64, &Profile::from_fn(64, share))
    };
    let found = Retargeting {
        n: 64,
        tensor: "encoder.layer.0.attention.self.key.weight".to_owned(),
        directions: 12,
        variance: 0.96,
        score_share: 0.998,
        shifts: vec![head(0), head(3)],
    };
    let figure = retarget_head(&found, 3).expect("a figure");
    assert!(retarget_head(&found, 7).is_none());
    let cells = |centre: i64| {
        let wave = |i: usize, j: usize| {
            let away = (j as i64 - i as i64 - centre).unsigned_abs();
            1.0 / (1.0 + away as f32)
        };
        crate::figure::pictures::tile(Window::whole(24, 24), 1, wave)
    };
    let change = AttentionChange {
        before: cells(-1),
        after: cells(2),
    };
    let maps = retargeted_maps(&change, 3, (ColorMap::Viridis, AttentionMask::Whole));
    vec![
        ("retarget-head", Box::new(figure), Some(Cursor::Offset(2))),
        (
            "retarget-attention",
            Box::new(maps),
            Some(Cursor::Cell(5, 9)),
        ),
    ]
}

/// The maps are those whose means by offset the other figure shows: over all positions of a model with few.
#[test]
fn maps_before_and_after_have_the_shares_of_the_lines() {
    let session = session("torch-bf16");
    for cells in [AttentionMask::Whole, AttentionMask::Causal] {
        let of = place(0, 1);
        let lines = retarget(&session, of, cells);
        let shift = 2;
        let question = RetargetedAttention { of, cells, shift };
        let change = ask(&session, question).expect("an answer").expect("maps");
        let n = lines.n;
        for (tile, head) in [
            (&change.before, lines.original()),
            (&change.after, lines.at(shift)),
        ] {
            assert_eq!(tile.values.len(), n * n, "the model has few positions");
            let head = head.expect("a shift");
            let first = -RETARGET_REACH.min(n as i64 - 1);
            for (k, share) in (first..).zip(&head.shares) {
                let on_diagonal = (0..n as i64).filter(|i| (0..n as i64).contains(&(i + k)));
                let sum: f64 = on_diagonal
                    .map(|i| f64::from(tile.values[(i * n as i64 + i + k) as usize]))
                    .filter(|value| !value.is_nan())
                    .sum();
                assert!((sum / n as f64 - share).abs() < 1e-5, "{cells:?} at {k}");
            }
        }
        let maps = retargeted_maps(&change, shift, (ColorMap::Viridis, cells));
        let rows = match cells {
            AttentionMask::Whole => n * n,
            AttentionMask::Causal => n * (n + 1) / 2,
        };
        assert_eq!(maps.table().rows(), rows);
    }
}

#[test]
fn the_summary_has_both_peaks() {
    let figures = pictures();
    let (_, figure, _) = &figures[0];
    let summary = figure.summary();
    assert!(
        summary.contains("k = −1 (60.0 %) before and at k = 2 (60.0 %) after"),
        "{summary}"
    );
    assert!(
        summary.contains("3 tokens earlier by 18.8 % of their size"),
        "{summary}"
    );
}
