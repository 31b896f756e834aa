//! The shipped MiniLM preset in a session, against the golden numbers of the whole model, and its matrices as files.

use crate::support::{
    models::data,
    questions::{self, FIRST, ask, csv, head_of_first, npy, save},
};
use diagonal::{
    analysis::{
        AttentionMask, HeadDetail, HeadId, HeadList, HeadOverview, HeadSummary, HeadTile,
        MatrixFormat, MatrixId, MatrixPart, MemorySession, ModelSummary, PositionOverview,
        PositionSummary, ScoreMode, Similarity,
    },
    checkpoint::MemorySource,
    figure::heads::headline,
    math::{Window, reference},
    model::{HeadsSource, ModelOptions},
};
use ndarray::Array2;
use serde_json::Value;

pub(crate) fn golden() -> Value {
    let text = std::fs::read(data("minilm-l6.golden.json")).expect("golden numbers");
    serde_json::from_slice(&text).expect("json")
}

fn numbers(list: &Value) -> Vec<f64> {
    let list = list.as_array().expect("a list");
    list.iter().map(|v| v.as_f64().expect("a number")).collect()
}

pub(crate) fn open() -> (MemorySession, ModelSummary) {
    open_file("minilm-l6.safetensors")
}

fn open_file(name: &str) -> (MemorySession, ModelSummary) {
    let file = data("../../www/presets").join(name);
    let bytes = std::fs::read(file).expect("the preset");
    let session = MemorySession::default();
    let files = vec![("minilm-l6.safetensors".to_owned(), MemorySource::new(bytes))];
    let summary = questions::open(&session, files, ModelOptions::default()).expect("opened");
    (session, summary)
}

fn positions(session: &MemorySession, similarity: Similarity) -> PositionSummary {
    let of = FIRST;
    ask(session, PositionOverview { of, similarity }).expect("positions")
}

fn heads(session: &MemorySession, mode: ScoreMode) -> Vec<HeadSummary> {
    let of = FIRST;
    ask(
        session,
        HeadList {
            of,
            input: mode.into(),
        },
    )
    .expect("heads")
}

fn detail(session: &MemorySession, id: HeadId) -> HeadDetail {
    ask(session, HeadOverview { of: id }).expect("a head")
}

fn file(
    session: &MemorySession,
    matrix: &MatrixId,
    format: MatrixFormat,
    window: &Window,
) -> Vec<u8> {
    save(session, matrix, format, Some(window.clone()))
}

#[test]
fn the_table_holds_its_golden_numbers() {
    let (session, summary) = open();
    assert_eq!((summary.rows, summary.width), (512, 384));
    assert_eq!(summary.layers, 6);
    assert_eq!(summary.heads, Some((12, HeadsSource::Config)));
    let golden = golden();
    let golden = &golden["table"];

    let inner = positions(&session, Similarity::InnerProduct);
    let cosine = positions(&session, Similarity::Cosine);
    for (found, golden, printed) in [
        (inner.fit.r2, &golden["inner_product_r2"], 0.4742),
        (cosine.fit.r2, &golden["cosine_r2"], 0.5019),
    ] {
        assert!(
            (found - golden.as_f64().expect("R²")).abs() < 1e-5,
            "{found}"
        );
        assert!((found - printed).abs() < 1e-4, "{found}, printed {printed}");
    }
    let scope = |name: &str| {
        let scope = inner.scopes.iter().find(|scope| scope.name == name);
        scope.expect(name).r2.all
    };
    assert_eq!(scope("whole"), inner.fit.r2);
    let whole = &inner.scopes[0];
    assert!((whole.r2.off_diagonal - 0.477).abs() < 5e-4);
    let random = whole.random.expect("a table");
    assert!((random.all - 0.430).abs() < 5e-4 && (random.off_diagonal - 0.004).abs() < 5e-4);
    assert!((scope("leading-128") - 0.3242).abs() < 1e-4);
    let leading = golden["inner_product_r2_leading"]
        .as_object()
        .expect("leading");
    assert_eq!(leading.len(), 5);
    for (rows, golden) in leading {
        let (found, golden) = (scope(&format!("leading-{rows}")), golden.as_f64());
        assert!(
            (found - golden.expect("R²")).abs() < 1e-5,
            "{rows}: {found}"
        );
    }

    let mean = numbers(&golden["inner_product_diagonal_mean"]);
    assert_eq!(mean.len(), 64);
    let range = profile_range(&inner.fit.f);
    for (k, (found, golden)) in inner.fit.f[511..].iter().zip(mean).enumerate() {
        assert!((found - golden).abs() < 1e-4 * range, "offset {k}: {found}");
    }
    // P is symmetric, and so is its profile.
    let back = inner.fit.f.iter().rev();
    assert!(
        inner
            .fit
            .f
            .iter()
            .zip(back)
            .all(|(a, b)| (a - b).abs() < 1e-5 * range)
    );
}

/// The first table at half precision equals the preset's, except for differences that no figure shows.
#[test]
fn the_table_at_half_precision_reads_the_same() {
    let (whole, summary) = open();
    let (half, brief) = open_file("minilm-l6-positions.safetensors");
    assert_eq!(
        (&brief.family, brief.rows, brief.width, brief.kind),
        (&summary.family, summary.rows, summary.width, summary.kind)
    );
    assert_eq!((brief.layers, brief.heads), (0, None));
    let mut worst = 0.0_f64;
    for similarity in [Similarity::InnerProduct, Similarity::Cosine] {
        let (whole, half) = (positions(&whole, similarity), positions(&half, similarity));
        assert_eq!(whole.scopes.len(), half.scopes.len());
        for (a, b) in whole.scopes.iter().zip(&half.scopes) {
            assert_eq!((&a.name, a.rows, a.random), (&b.name, b.rows, b.random));
            worst = worst.max((a.r2.all - b.r2.all).abs());
            worst = worst.max((a.r2.off_diagonal - b.r2.off_diagonal).abs());
            let four = |r2: f64| format!("{r2:.4}");
            println!(
                "{similarity:?} {}: {} {} | {} {}",
                a.name,
                four(a.r2.all),
                four(a.r2.off_diagonal),
                four(b.r2.all),
                four(b.r2.off_diagonal)
            );
        }
        let range = profile_range(&whole.fit.f);
        let profiles = whole.fit.f.iter().zip(&half.fit.f);
        for (a, b) in profiles {
            assert!((a - b).abs() < 1e-4 * range, "{a} {b}");
        }
    }
    println!("R² differs by up to {worst:.1e}");
    assert!(worst < 2e-5, "{worst}");
}

fn profile_range(f: &[f64]) -> f64 {
    let of = |pick: fn(f64, f64) -> f64| f.iter().copied().reduce(pick).expect("offsets");
    of(f64::max) - of(f64::min)
}

#[test]
fn heads_hold_their_golden_numbers() {
    let (session, _) = open();
    let golden = golden();
    for (mode, name) in [
        (ScoreMode::Paper, "paper"),
        (ScoreMode::AsComputed, "as_computed"),
    ] {
        let heads = heads(&session, mode);
        assert_eq!(heads.len(), 72);
        for (at, head) in heads.iter().enumerate() {
            assert_eq!((head.layer, head.head), (at / 12, at % 12));
            assert!((0.0..=1.0).contains(&head.causal_r2), "{at}");
            assert!(head.peak_offset.abs() <= 256, "{at}");
        }
        for layer in 0..2 {
            for head in 0..12 {
                let id = HeadId {
                    model: FIRST,
                    input: mode.into(),
                    layer,
                    head,
                };
                let detail = detail(&session, id);
                let summary = &heads[layer * 12 + head];
                assert_eq!(
                    (detail.fit.r2, detail.causal_r2),
                    (summary.r2, summary.causal_r2)
                );
                let golden = &golden["layers"][layer][head];
                let r2 = golden[format!("{name}_r2")].as_f64().expect("R²");
                let off = (summary.r2 - r2).abs();
                assert!(off < 1e-3, "{id:?}: {}, golden {r2}", summary.r2);
                let golden = numbers(&golden[format!("{name}_diagonal_mean")]);
                assert_eq!(golden.len(), 33);
                let range = profile_range(&detail.fit.f);
                for (found, golden) in detail.fit.f[511 - 16..].iter().zip(golden) {
                    let off = (found - detail.fit.mean - golden).abs();
                    assert!(off < 1e-3 * range, "{id:?}: off by {off} of {range}");
                }
            }
        }
    }
}

#[test]
fn files_hold_what_is_drawn() {
    let (session, _) = open();
    let id = head_of_first(ScoreMode::Paper, 2, 6);
    let window = Window {
        rows: 120..300,
        cols: 100..290,
    };
    let question = HeadTile {
        of: id,
        window: window.clone(),
        limit: 512,
    };
    let tile = ask(&session, question).expect("a tile");
    for cells in [AttentionMask::Whole, AttentionMask::Causal] {
        let matrix = MatrixId::Head(id, cells);
        let (keys, rows) = csv(file(&session, &matrix, MatrixFormat::Csv, &window));
        assert_eq!(keys, window.cols.clone().collect::<Vec<_>>());
        assert_eq!(rows.len(), window.rows.len());
        let (shape, values) = npy(&file(&session, &matrix, MatrixFormat::Npy, &window));
        assert_eq!(shape, (180, 190));
        for (i, row) in window.rows.clone().zip(&rows) {
            assert_eq!(row.len(), keys.len());
            for (&j, &value) in keys.iter().zip(row) {
                let in_npy = values[(i - 120) * 190 + j - 100];
                assert_eq!(value.to_bits(), in_npy.to_bits(), "cell {i}, {j}");
                if cells == AttentionMask::Causal && j > i {
                    assert!(value.is_nan(), "cell {i}, {j} looks ahead");
                } else {
                    let drawn = tile.at(i, j).expect("inside");
                    assert!(
                        (value - drawn).abs() < 1e-4,
                        "cell {i}, {j}: {value} {drawn}"
                    );
                }
            }
        }
    }
}

#[test]
fn the_table_as_a_file_makes_the_same_matrix() {
    let (session, _) = open();
    let all = Window::whole(512, 384);
    let table = file(&session, &MatrixId::Table(FIRST), MatrixFormat::Npy, &all);
    let (shape, e) = npy(&table);
    assert_eq!(shape, (512, 384));
    let row = |i: usize| &e[i * 384..(i + 1) * 384];
    let matrix = MatrixId::Positions(FIRST, Similarity::InnerProduct, MatrixPart::Whole);
    let window = Window {
        rows: 40..44,
        cols: 0..512,
    };
    let (_, rows) = csv(file(&session, &matrix, MatrixFormat::Csv, &window));
    for (i, values) in (40..44).zip(rows) {
        assert_eq!(values.len(), 512);
        for (j, value) in values.into_iter().enumerate() {
            let dot = row(i).iter().zip(row(j));
            let dot: f64 = dot.map(|(&x, &y)| f64::from(x) * f64::from(y)).sum();
            assert!((f64::from(value) - dot).abs() < 1e-5, "{value} {dot}");
        }
    }
}

/// R² of a head counts E·M·x̄ᵀ, which is constant along each row and has no effect on softmax. The numbers are of the
/// whole model's weights, computed independently; the preset's weights have half precision.
#[test]
fn softmax_sees_more_of_some_heads() {
    let (session, _) = open();
    let list = heads(&session, ScoreMode::Paper);
    for (head, r2, of_softmax) in [(10, 0.302, 0.634), (8, 0.724, 0.792), (2, 0.670, 0.746)] {
        let id = head_of_first(ScoreMode::Paper, 0, head - 1);
        let detail = detail(&session, id);
        let found = detail.softmax_r2.expect("of a product");
        assert!(
            (detail.fit.r2 - r2).abs() < 1.5e-3,
            "{head}: {}",
            detail.fit.r2
        );
        assert!(
            (found.all - of_softmax).abs() < 1.5e-3,
            "{head}: {}",
            found.all
        );
        assert_eq!(list[head - 1].softmax_r2, Some(found));
        let words = headline((0, head - 1), &detail, AttentionMask::Whole);
        assert!(
            words.contains(&format!(
                "With the mean of each row subtracted, R² is {:.4}",
                found.all
            )),
            "{words}"
        );
        // The same from the cells.
        let whole = Window::whole(512, 512);
        let bytes = file(
            &session,
            &MatrixId::Head(id, AttentionMask::Whole),
            MatrixFormat::Npy,
            &whole,
        );
        let (size, cells) = npy(&bytes);
        let cells = cells.into_iter().map(f64::from).collect();
        let cells = Array2::from_shape_vec(size, cells).expect("a matrix");
        let slow = reference::toeplitz_r2(&reference::without_row_means(&cells, false));
        assert!(
            (found.all - slow).abs() < 1e-5,
            "{head}: {} {slow}",
            found.all
        );
        let causal = reference::without_row_means(&cells, true);
        let slow = reference::causal_toeplitz_r2(&causal);
        assert!(
            (found.causal - slow).abs() < 1e-5,
            "{head}: {} {slow}",
            found.causal
        );
    }
}
