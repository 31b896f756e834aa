//! Programs of the figures of rotary heads print what the page answers.

use super::{
    opened::{Opened, prints},
    runs::{ProgramRuns, rows_are},
};
use crate::support::{
    models::data,
    python::python,
    questions::{FIRST, ask, forward_folder, head_of_first},
};
use diagonal::{
    analysis::{
        AttentionMask, AttentionSinks, BudgetSource, HeadEntropies, HeadId, HeadList, HeadOverview,
        PositionBudgets, RotaryFrequencies, RotaryMeasure, RunTexts, ScoreInput, ScoreMode, TextId,
        TextTokens,
    },
    figure::{
        BarChart, Figure, FrequencyColours, FrequencyLook, Table, budget_bars, entropy_bars,
        frequency_map, sink_bars,
    },
    model::ModelOptions,
    numpy_program::{Choices, Literal},
    url_state::{CenterWords, FigureId},
};
use std::sync::Arc;

/// Folders of rotary models, and whether they norm queries and keys.
const FOLDERS: &[(&str, bool)] = &[
    ("gemma3", true),
    ("gpt-neox", false),
    ("gpt-oss", false),
    ("llama", false),
    ("llama-dynamic", false),
    ("llama-yarn", false),
    ("modernbert", false),
    ("qwen2", false),
    ("qwen2-vl", false),
    ("qwen3", true),
    ("qwen3-vl", true),
    ("smollm3", false),
];

fn open_folder(folder: &str) -> Opened {
    let opened = Opened::new(forward_folder(folder), ModelOptions::default());
    assert_eq!(opened.code.head_failure, None, "{folder}");
    opened
}

#[test]
fn programs_print_budgets_and_frequencies() {
    let Some(python) = python("the NumPy programs of rotary heads") else {
        return;
    };
    let mut runs = ProgramRuns::new("rotary-heads");
    let mut expected = Vec::new();
    for (folder, has_norms) in FOLDERS {
        let opened = open_folder(folder);
        let file = data("forward").join(folder).join("model.safetensors");
        let mut add = |name: String, choices: &Choices, table: Table| {
            runs.add(&name, &opened.program(choices).expect("a program"), &file);
            expected.push((name, table));
        };
        for source in [BudgetSource::Words, BudgetSource::Weights] {
            for cells in [AttentionMask::Whole, AttentionMask::Causal] {
                let of = FIRST;
                let question = PositionBudgets { of, cells, source };
                let heads = ask(&opened.session, question).expect(folder);
                let bars: BarChart = budget_bars(&heads, source, (0, 0)).expect("bars");
                let mut choices = opened.choices(FigureId::PositionBudget);
                choices.link.heads.budget = source;
                choices.cells = cells;
                add(
                    format!("{folder}-{source:?}-{cells:?}"),
                    &choices,
                    bars.table(),
                );
            }
        }
        let colours = [
            FrequencyColours::Share,
            FrequencyColours::StoredShare,
            FrequencyColours::Bound,
        ];
        for colours in colours {
            let measure = match colours {
                FrequencyColours::Bound if !has_norms => continue,
                FrequencyColours::Bound => RotaryMeasure::Bound,
                _ => RotaryMeasure::Energy,
            };
            let question = RotaryFrequencies {
                of: FIRST,
                measure,
                reads_all: true,
            };
            let layers = ask(&opened.session, question).expect(folder);
            let look = FrequencyLook {
                colours,
                by_effective_pairs: false,
            };
            let map = frequency_map(&layers, look).expect("a map");
            let mut choices = opened.choices(FigureId::RotaryFrequencies);
            choices.link.heads.frequencies.colours = colours;
            add(format!("{folder}-{colours:?}"), &choices, map.table());
        }
    }
    let sinks = open_folder("gpt-oss");
    let bars = ask(
        &sinks.session,
        AttentionSinks {
            of: FIRST,
            input: ScoreMode::AsComputed.into(),
        },
    )
    .expect("sinks");
    let program = sinks.program(&sinks.choices(FigureId::AttentionSinks));
    let file = data("forward").join("gpt-oss/model.safetensors");
    runs.add("sinks", &program.expect("a program"), &file);
    let bars: BarChart = sink_bars(&bars, (0, 0)).expect("bars");
    expected.push(("sinks".to_owned(), bars.table()));
    runs.run(&python);
    for (name, table) in expected {
        prints(&runs, &name, &table);
    }
    runs.remove();
}

/// Figures of the heads view that every rotary model has.
const FIGURES: &[FigureId] = &[
    FigureId::HeadGrid,
    FigureId::HeadMatrix,
    FigureId::HeadProfile,
    FigureId::PositionalAttention,
    FigureId::HeadSections,
    FigureId::LayerSections,
    FigureId::HeadEntropy,
    FigureId::PositionDependence,
    FigureId::HeadDifference,
    FigureId::HeadPairProfile,
];

#[test]
fn every_figure_of_rotary_heads_has_a_program() {
    let Some(python) = python("the NumPy programs of rotary heads") else {
        return;
    };
    let mut runs = ProgramRuns::new("rotary-figures");
    for (folder, _) in FOLDERS {
        let opened = open_folder(folder);
        let file = data("forward").join(folder).join("model.safetensors");
        for figure in FIGURES {
            let program = opened.program(&opened.choices(*figure));
            let program = program.unwrap_or_else(|reason| panic!("{folder}, {figure:?}: {reason}"));
            runs.add(&format!("{folder}-{}", figure.id()), &program, &file);
        }
        // Words have no positions added to them, so that scores have no such terms.
        let reason = opened.program(&opened.choices(FigureId::ScoreTerms));
        assert!(
            reason.is_err_and(|reason| reason.ends_with('.')),
            "{folder}"
        );
    }
    runs.run(&python);
    for (folder, _) in FOLDERS {
        let opened = open_folder(folder);
        let overview = HeadOverview {
            of: head_of_first(ScoreMode::AsComputed, 0, 0),
        };
        let fit = ask(&opened.session, overview).expect(folder).fit;
        let rows = runs.rows(&format!("{folder}-head-profile")).1;
        let means: Vec<Vec<String>> = rows.into_iter().map(|row| vec![row[1].clone()]).collect();
        let expected: Vec<Vec<f64>> = fit.f.values().iter().map(|mean| vec![*mean]).collect();
        rows_are(&means, &expected, 1e-5, folder);
        let entropies = HeadEntropies {
            of: FIRST,
            input: ScoreMode::AsComputed.into(),
            cells: AttentionMask::Whole,
            layer: Some(0),
        };
        let entropies = ask(&opened.session, entropies).expect(folder);
        let rows = runs.rows(&format!("{folder}-head-entropy")).1;
        assert_eq!(rows.len(), entropies.len(), "{folder}");
        let heads = HeadList {
            of: FIRST,
            input: ScoreMode::AsComputed.into(),
        };
        let mut heads = ask(&opened.session, heads).expect(folder);
        heads.sort_by_key(|head| (head.layer, head.head));
        let number = |number: usize| number as f64 + 1.0;
        let expected: Vec<Vec<f64>> = heads
            .iter()
            .map(|head| {
                let peaks = [head.peak_offset, head.causal_peak_offset].map(|peak| peak as f64);
                let place = [number(head.layer), number(head.head)];
                [&place[..], &[head.r2, head.causal_r2], &peaks].concat()
            })
            .collect();
        let (header, rows) = runs.rows(&format!("{folder}-head-grid"));
        let columns = "layer,head,r2,causal_r2,peak_offset,causal_peak_offset";
        assert_eq!(header.join(","), columns, "{folder}");
        rows_are(&rows, &expected, 1e-6, folder);
    }
    runs.remove();
}

/// Tokens of a text, of which the first and the seventh are special.
fn text() -> TextTokens {
    TextTokens {
        ids: (0..15).map(|at| 6 + (at * at * 5 + 3 * at) % 34).collect(),
        is_special: (0..15).map(|at| [0, 6].contains(&at)).collect(),
    }
}

/// While heads have their scores from a text, programs run it.
#[test]
fn programs_print_heads_over_a_text() {
    let Some(python) = python("the NumPy programs of rotary heads") else {
        return;
    };
    let mut runs = ProgramRuns::new("rotary-text");
    let (mut expected, mut profiles) = (Vec::new(), Vec::new());
    let constants = |name: &str| match name {
        "MEAN_TEXT" => Some(text().ids.literal()),
        "MEAN_TOKENS" => Some(text().of_means().literal()),
        _ => None,
    };
    for (folder, _) in FOLDERS {
        let opened = open_folder(folder);
        let file = data("forward").join(folder).join("model.safetensors");
        let run = RunTexts {
            of: FIRST,
            run: 1,
            texts: vec![text()],
            stores_bytes: false,
        };
        let layers = ask(&opened.session, run).expect(folder).of;
        let of_text = TextId { run: 1, index: 0 };
        let input = ScoreInput::Text(of_text);
        let choices = |figure, cells, place| {
            let mut choices = opened.choices(figure);
            choices.link.heads.centers = CenterWords::Text;
            (choices.cells, choices.head) = (cells, Some(place));
            choices.of_view = Arc::new(constants);
            choices
        };
        let source = BudgetSource::Text(of_text);
        for cells in [AttentionMask::Whole, AttentionMask::Causal] {
            let question = PositionBudgets {
                of: FIRST,
                cells,
                source,
            };
            let heads = ask(&opened.session, question).expect(folder);
            let bars = budget_bars(&heads, source, (0, 0)).expect("bars");
            let choices = choices(FigureId::PositionBudget, cells, (0, 0));
            let name = format!("{folder}-budget-{cells:?}");
            runs.add(&name, &opened.program(&choices).expect("a program"), &file);
            expected.push((name, bars.table()));
        }
        let whole = AttentionMask::Whole;
        for layer in 0..layers {
            let of = HeadId {
                model: FIRST,
                input,
                layer,
                head: 1,
            };
            let f = ask(&opened.session, HeadOverview { of })
                .expect(folder)
                .fit
                .f;
            let f: Vec<Vec<f64>> = f.values().iter().map(|mean| vec![*mean]).collect();
            let choices = choices(FigureId::HeadProfile, whole, (layer, 1));
            let name = format!("{folder}-profile-{layer}");
            let program = opened.program(&choices).expect("a program");
            runs.add(&name, &program, &file);
            profiles.push((name, f));
        }
        let entropies = HeadEntropies {
            of: FIRST,
            input,
            cells: whole,
            layer: None,
        };
        let entropies = ask(&opened.session, entropies).expect(folder);
        let mut choices = choices(FigureId::HeadEntropy, whole, (0, 0));
        choices.link.heads.all_entropies = true;
        let bars = entropy_bars(&entropies, (0, 0)).expect("bars");
        let name = format!("{folder}-entropy");
        runs.add(&name, &opened.program(&choices).expect("a program"), &file);
        expected.push((name, bars.table()));
    }
    runs.run(&python);
    for (name, table) in expected {
        prints(&runs, &name, &table);
    }
    for (name, f) in profiles {
        let rows = runs.rows(&name).1.into_iter();
        let means: Vec<Vec<String>> = rows.map(|row| vec![row[1].clone()]).collect();
        rows_are(&means, &f, 1e-4, &name);
    }
    runs.remove();
}

/// A program with a text that the page no longer knows is refused.
#[test]
fn programs_need_the_tokens_of_the_text() {
    let opened = open_folder("qwen2");
    for centers in [CenterWords::Text, CenterWords::TypedText] {
        for figure in FIGURES.iter().chain(&[FigureId::PositionBudget]) {
            let mut choices = opened.choices(*figure);
            choices.link.heads.centers = centers;
            let reason = opened.program(&choices).expect_err("no program");
            assert!(
                reason.contains("mean queries and keys"),
                "{figure:?}: {reason}"
            );
        }
        // These do not depend on the words.
        let mut choices = opened.choices(FigureId::PositionBudget);
        (choices.link.heads.centers, choices.link.heads.budget) = (centers, BudgetSource::Weights);
        opened
            .program(&choices)
            .expect("a program of weights alone");
    }
}
