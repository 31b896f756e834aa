//! Sections of all heads of a layer, against numpy, the slow twin, and their laws.

use crate::{
    analysis::golden_minilm,
    checkpoint::hostile::assert_is_sentence,
    support::{
        models::data,
        questions::{FIRST, ask, folder, forward_folder, head_of_first, open, with_computed},
    },
};
use diagonal::{
    analysis::{
        FitOptions, HeadFits, HeadTile, KernelFit, LayerSections, MemorySession, Origin,
        PositionKind, Reading, SECTION_REACH, ScoreMode, ShortRow, ShortSections, Weighting,
    },
    encoding::{Kernel, Kernels, Sinusoidal},
    figure::{Column, Cursor, Figure, PlotPanels, SectionLook, layer_sections, sections_caption},
    math::{AttentionMask, SoftmaxR2, Window, reference},
    model::ModelOptions,
};
use ndarray::Array2;
use serde_json::Value;

fn session(name: &str) -> MemorySession {
    if name == "minilm-l6" {
        return golden_minilm::open().0;
    }
    let session = MemorySession::default();
    open(&session, folder(name), ModelOptions::default()).expect(name);
    session
}

fn sections(session: &MemorySession, mode: ScoreMode, layer: usize) -> Vec<ShortSections> {
    let question = LayerSections {
        of: FIRST,
        input: mode.into(),
        layer,
    };
    ask(session, question).expect("sections")
}

const COMMON: SectionLook = SectionLook {
    cells: AttentionMask::Whole,
    own_scales: false,
};
const CAUSAL: SectionLook = SectionLook {
    cells: AttentionMask::Causal,
    own_scales: false,
};
const OWN: SectionLook = SectionLook {
    cells: AttentionMask::Whole,
    own_scales: true,
};

/// Numbers of a column of the figure's table, in the rows of a head and a query.
fn column(figure: &PlotPanels, name: &str, head: usize, query: u64) -> Vec<f64> {
    let table = figure.table();
    let whole = |name: &str| match table.column(name) {
        Some(Column::Whole(numbers)) => numbers.clone(),
        other => panic!("{name}: {other:?}"),
    };
    let numbers = match table.column(name) {
        Some(Column::Number(numbers)) => numbers.clone(),
        _ => whole(name)
            .into_iter()
            .map(|number| number as f64)
            .collect(),
    };
    let places = whole("head").into_iter().zip(whole("query"));
    let here = places.map(|place| place == (head as i64 + 1, query as i64));
    let rows = numbers.into_iter().zip(here);
    rows.filter(|(_, here)| *here)
        .map(|(number, _)| number)
        .collect()
}

fn assert_near(number: f64, expected: &Value, scale: f64, about: &str) {
    let expected = expected.as_f64().expect("a number");
    assert!(
        (number - expected).abs() < 2e-4 * scale,
        "{about}: {number} {expected}"
    );
}

#[test]
fn sections_have_the_numbers_of_numpy() {
    let text = std::fs::read(data("layer-sections.json")).expect("golden numbers");
    let golden: Vec<Value> = serde_json::from_slice(&text).expect("json");
    for head in golden {
        let name = head["folder"].as_str().expect("a folder");
        let mode = match head["mode"].as_str() {
            Some("paper") => ScoreMode::Paper,
            _ => ScoreMode::AsComputed,
        };
        let look = match head["causal"].as_bool() {
            Some(true) => CAUSAL,
            _ => COMMON,
        };
        let layer = head["layer"].as_u64().expect("a layer") as usize;
        let at = head["head"].as_u64().expect("a head") as usize;
        let about = format!("{name} {mode:?} {layer} {at} {look:?}");
        let answer = sections(&session(name), mode, layer);
        let of_head = answer.iter().find(|one| one.head == at).expect("the head");
        let figure = layer_sections(layer, &answer, &[], look).expect("a figure");

        assert_eq!(
            of_head.reach(),
            head["reach"].as_i64().expect("a reach"),
            "{about}"
        );
        assert_near(of_head.r2_over(look.cells), &head["r2"], 0.1, &about);
        let means = head["means"].as_array().expect("means");
        let size = means.iter().map(|f| f.as_f64().expect("a mean").abs());
        let size = size.fold(0.0, f64::max);
        for (f, expected) in of_head.means.iter().zip(means) {
            assert_near(*f, expected, size, &about);
        }
        let level = head["level"].as_f64().expect("a level");
        let queries = head["queries"].as_array().expect("queries");
        for (row, query) in queries.iter().enumerate() {
            let query = query.as_u64().expect("a query");
            let constant = head["constants"][row].as_f64().expect("a constant");
            let of_row = |name: &str| column(&figure, name, at, query);
            let offsets = of_row("offset");
            assert!(offsets.len() > 3, "{about}");
            let numbers = of_row("score").into_iter().zip(of_row("centred"));
            for ((score, centred), k) in numbers.zip(&offsets) {
                assert_near(centred, &Value::from(score - constant), size, &about);
                if k.abs() <= 2.0 {
                    let expected = &head["near"][row][(k + 2.0) as usize];
                    assert_near(score, expected, size, &about);
                }
            }
            let means = of_row("mean_score").into_iter().zip(of_row("centred_mean"));
            for ((f, centred), k) in means.zip(&offsets) {
                let expected = &head["means"][(k + of_head.reach() as f64) as usize];
                assert_near(f, expected, size, &about);
                assert_near(centred, &Value::from(f - level), size, &about);
            }
        }
    }
}

/// Tables, biases by offset, windows of an image, kernels, a table on a grid, rotation: the cells are those of the
/// matrix, and means those of its whole diagonals.
#[test]
fn sections_are_rows_and_diagonals_of_the_matrix() {
    let folders = ["bert", "t5", "swin", "tisa", "vit", "deberta", "beit"];
    let folders = folders.map(|name| (name, folder(name)));
    let rotary = ["llama", "gpt-neox", "qwen2"].map(|name| (name, forward_folder(name)));
    for (name, files) in folders.into_iter().chain(rotary) {
        let session = MemorySession::default();
        let summary = open(&session, files, ModelOptions::default()).expect(name);
        let mode = ScoreMode::AsComputed;
        let answer = sections(&session, mode, 0);
        assert_eq!(
            answer.len(),
            summary.heads.expect("heads").0 as usize,
            "{name}"
        );
        for one in answer {
            let n = summary.rows;
            let tile = HeadTile {
                of: head_of_first(mode, 0, one.head),
                window: Window::whole(n, n),
                limit: 2048,
            };
            let tile = ask(&session, tile).expect("cells");
            assert_eq!((tile.row_step, tile.window.rows.end), (1, n), "{name}");
            let cells = Array2::from_shape_vec((n, n), tile.values).expect("a matrix");
            let cells = cells.mapv(f64::from);
            let size = cells
                .iter()
                .fold(1e-9_f64, |most, cell| most.max(cell.abs()));
            let means = reference::diagonal_mean(&cells);
            for (f, k) in one.means.iter().zip(-one.reach()..) {
                let expected = means[(k + n as i64 - 1) as usize];
                assert!(
                    (f - expected).abs() < 1e-5 * size,
                    "{name} {k}: {f} {expected}"
                );
            }
            let mut offsets = std::collections::BTreeSet::new();
            for row in &one.rows {
                for (k, score) in (row.first..).zip(&row.scores) {
                    let key = row.query as i64 + k;
                    let expected = cells[[row.query, key as usize]];
                    let difference = (f64::from(*score) - expected).abs();
                    assert!(difference < 1e-5 * size, "{name} {k}: {score} {expected}");
                    offsets.insert(k);
                    if matches!(summary.kind, PositionKind::Line | PositionKind::Rotary)
                        && summary.grid.is_none()
                    {
                        let f = one.mean_at(k).expect("a mean");
                        assert!((f64::from(*score) - f).abs() < 1e-5 * size, "{name} {k}");
                    }
                }
            }
            // No mean is drawn without a row, and no row without a mean.
            let drawn: Vec<i64> = offsets.into_iter().collect();
            assert_eq!(
                drawn,
                (-one.reach()..=one.reach()).collect::<Vec<_>>(),
                "{name}"
            );
        }
    }
}

#[test]
fn what_is_not_there_is_said_in_a_sentence() {
    let question = LayerSections {
        of: FIRST,
        input: ScoreMode::Paper.into(),
        layer: 40,
    };
    let beyond = ask(&session("bert"), question.clone()).expect_err("no layer");
    assert_is_sentence(&beyond.to_string());
    let computed = with_computed(Origin::Sinusoidal(Sinusoidal::default()));
    let without = ask(&computed, question).expect_err("no heads");
    assert!(without.to_string().contains("no heads"), "{without}");
    assert!(layer_sections(0, &[], &[], COMMON).is_none());
}

#[test]
fn kernels_are_fitted_to_the_offsets_that_are_drawn() {
    let session = golden_minilm::open().0;
    let heads = sections(&session, ScoreMode::Paper, 0);
    let question = HeadFits {
        of: FIRST,
        input: ScoreMode::Paper.into(),
        layer: Some(0),
        options: FitOptions {
            weighting: Weighting::Window(SECTION_REACH as u32),
            ..FitOptions::default()
        },
    };
    let fits = ask(&session, question).expect("fits").fits;
    let figure = layer_sections(0, &heads, &fits, COMMON).expect("a figure");
    for (head, fit) in fits.iter().enumerate() {
        let query = heads[head].rows[2].query as u64;
        let of = |name: &str| column(&figure, name, head, query);
        let (means, fitted) = (of("mean_score"), of("fit"));
        assert_eq!(means.len(), 2 * SECTION_REACH + 1);
        let mean = means.iter().sum::<f64>() / means.len() as f64;
        let rest: f64 = means
            .iter()
            .zip(&fitted)
            .map(|(f, fit)| (f - fit).powi(2))
            .sum();
        let all: f64 = means.iter().map(|f| (f - mean).powi(2)).sum();
        // R² of the fit is that of the drawn lines.
        assert!(
            (1.0 - rest / all - fit.r2).abs() < 1e-3,
            "{head}: {}",
            fit.r2
        );
        assert!(fit.r2 > 0.8, "{head}: {}", fit.r2);
    }
}

/// Two heads, one without R², whose rows are their means plus constants; the first row is cut at the edge.
fn heads() -> Vec<ShortSections> {
    let f =
        |head: usize, k: i64| (head as f64 + 1.0) * (2.0 - ((k + 1).abs() as f64).min(4.0) / 2.0);
    let head = |head: usize, r2: f64| {
        let rows = [
            (2, -2_i64, 0.5),
            (10, -6, 1.0),
            (15, -6, -2.0),
            (20, -6, 0.0),
            (27, -6, 0.25),
        ];
        let rows = rows.map(|(query, first, constant)| ShortRow {
            query,
            first,
            scores: (first..=6)
                .map(|k| (f(head, k) + constant) as f32)
                .collect(),
        });
        ShortSections {
            head,
            r2,
            causal_r2: 0.25,
            softmax_r2: Some(SoftmaxR2 {
                all: 0.75,
                causal: 0.5,
                on_grid: None,
            }),
            means: (-6..=6).map(|k| f(head, k)).collect(),
            rows: rows.into(),
        }
    };
    vec![head(1, f64::NAN), head(0, 0.5)]
}

/// A fit to the first of them.
fn fit() -> KernelFit {
    KernelFit {
        layer: 2,
        head: 0,
        kernels: Kernels(vec![Kernel::new(0.0, 1.0, 0.0)]),
        intercept: 1.0,
        r2: 0.875,
        matrix_r2: 0.5,
        given_up: 0.0,
        penalty: 0.0,
        reading: Reading {
            tallest: 1.0,
            cancels: false,
        },
        from_uniform: 0.0,
        sketch: [Vec::new(), Vec::new()],
    }
}

/// The figure, for the `pictures` tests.
pub(crate) fn pictures() -> Vec<(&'static str, Box<dyn Figure>, Option<Cursor>)> {
    let figure = |fits: &[KernelFit], look| -> Box<dyn Figure> {
        Box::new(layer_sections(2, &heads(), fits, look).expect("a figure"))
    };
    let cursor = Some(Cursor::Offset(-1));
    vec![
        ("layer-sections", figure(&[], COMMON), cursor),
        ("layer-sections-own", figure(&[fit()], OWN), None),
    ]
}

#[test]
fn rows_are_moved_to_the_mean_and_axes_are_common_or_own() {
    let figure = layer_sections(2, &heads(), &[], COMMON).expect("a figure");
    let panels = figure.panels();
    let titles: Vec<&str> = panels.iter().map(|panel| panel.title.as_str()).collect();
    assert_eq!(titles, ["Head 1", "Head 2"]);
    assert_eq!(panels[0].note, "R² 0.50, centred 0.75");
    assert_eq!(panels[1].note, "R² –");
    let ranges = |figure: &PlotPanels| -> Vec<(f64, f64)> {
        let panels = figure.panels().iter();
        panels.map(|panel| panel.plot.y_range()).collect()
    };
    let common = ranges(&figure);
    assert_eq!(common[0], common[1]);
    for panel in panels {
        let mut lines = panel.plot.lines();
        let mean = lines.next().expect("the mean");
        assert!(mean.values.iter().sum::<f64>().abs() < 1e-9);
        // These rows differ from the mean by constants alone.
        for row in lines {
            for (k, value) in (row.first..).zip(&row.values) {
                let f = mean.at(k).expect("a mean");
                assert!((value - f).abs() < 1e-6, "{} {k}: {value} {f}", row.name);
            }
        }
    }
    let own = layer_sections(2, &heads(), &[fit()], OWN).expect("a figure");
    assert_ne!(ranges(&own)[0], ranges(&own)[1]);
    let names = |figure: &PlotPanels| -> Vec<String> {
        let lines = figure.panels()[0].plot.lines();
        lines.map(|line| line.name.clone()).collect()
    };
    let queries = ["query 2", "query 10", "query 15", "query 20", "query 27"];
    assert_eq!(names(&own)[..2], ["mean f(k)", "1 kernel"]);
    assert_eq!(names(&own)[2..], queries);
    let first = own.panels()[0].plot.lines().nth(2).expect("a row").clone();
    assert_eq!((first.first, first.values[1]), (-2, 2.5));
    // Without the keys ahead, R² is causal and lines end at the query.
    let causal = layer_sections(2, &heads(), &[], CAUSAL).expect("a figure");
    assert_eq!(causal.panels()[0].note, "R² 0.25, centred 0.50");
    let ends = causal.panels()[0].plot.lines();
    assert!(
        ends.into_iter()
            .all(|line| line.at(0).is_some() && line.at(1).is_none())
    );
}

#[test]
fn tables_summaries_and_captions_state_every_number() {
    let names = |fits: &[KernelFit], heads: &[ShortSections]| -> Vec<String> {
        let figure = layer_sections(2, heads, fits, COMMON).expect("a figure");
        figure.table().names().map(str::to_owned).collect()
    };
    let always = [
        "layer",
        "head",
        "r2",
        "query",
        "offset",
        "score",
        "centred",
        "mean_score",
        "centred_mean",
    ];
    let both = heads();
    assert_eq!(names(&[], &both)[..9], always);
    assert_eq!(names(&[], &both)[9..], ["r2_softmax"]);
    // Only one of two heads has a fit.
    assert_eq!(names(&[fit()], &both)[9..], ["r2_softmax"]);
    assert_eq!(
        names(&[fit()], &both[1..])[9..],
        ["r2_softmax", "fit", "fit_r2"]
    );
    let figure = layer_sections(2, &both, &[], COMMON).expect("a figure");
    assert_eq!(figure.table().rows(), 2 * (9 + 4 * 13));
    assert_eq!(
        figure.summary(),
        "2 heads of layer 3, offsets −6 to 6: means, and the rows of queries 2, 10, 15, 20, 27. Means are highest at −1 in 2 heads. They vary most in head 2, by 4.00, and least in head 1, by 2.00."
    );
    let caption = |own, kernels, place| sections_caption(2, own, kernels, place);
    let line = caption(true, None, (PositionKind::Line, false));
    assert!(
        line.contains("Layer 3") && line.contains("The rows coincide"),
        "{line}"
    );
    let grid = caption(false, Some(5), (PositionKind::Table, true));
    assert!(
        grid.contains("one scale") && grid.contains("row by row"),
        "{grid}"
    );
    assert!(grid.contains("5 kernels"), "{grid}");
}
