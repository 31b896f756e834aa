//! Tables behind figures are tidy: names of columns do not depend on the model, and every number in a caption is in the
//! table.

use crate::{
    analysis::golden_minilm,
    support::{
        models::data,
        questions::{FIRST, ask, head_of_first, with_computed},
    },
};
use diagonal::{
    analysis::{
        ColumnChoice, HeadGrouping, HeadOverview, HeadRotation, HeadWaves, MemorySession, Origin,
        ScoreInput, ScoreMode, SinusoidTest, TableColumns, TableWaves,
        criteria::{demonstrations, small_head},
    },
    checkpoint::{Checkpoint, MemorySource},
    encoding::{Kernels, Random, Sinusoidal},
    figure::{
        Column, Figure, Judgements, Table, heads,
        waves::{
            ClusterGrid, cluster_traces, column_spectra, head_covariance, rotation, rotation_words,
            sinusoid_test, value_histogram, wave_stack,
        },
    },
    math::{AttentionMask, GroupCount},
    model::{ModelOptions, PositionModel},
};
use pollster::block_on;
use std::collections::BTreeSet;

fn numbers(table: &Table, name: &str) -> Vec<f64> {
    match table.column(name) {
        Some(Column::Number(values)) => values.clone(),
        Some(Column::Whole(values)) => values.iter().map(|value| *value as f64).collect(),
        other => panic!("{name}: {other:?}"),
    }
}

fn names(table: &Table, name: &str) -> Vec<String> {
    match table.column(name) {
        Some(Column::Name(values)) => values.clone(),
        other => panic!("{name}: {other:?}"),
    }
}

/// A number that is the same in all rows.
fn repeated_number(table: &Table, name: &str) -> f64 {
    let values = numbers(table, name);
    let first = values[0];
    let alike = |value: &f64| *value == first || (value.is_nan() && first.is_nan());
    assert!(values.iter().all(alike), "{name}");
    first
}

fn sinusoid_table(session: &MemorySession) -> Table {
    let found = ask(session, SinusoidTest { of: FIRST }).expect("an answer");
    sinusoid_test(&found.expect("numbers")).table()
}

fn groups(session: &MemorySession) -> diagonal::analysis::HeadGroups {
    let grouping = HeadGrouping {
        of: FIRST,
        input: ScoreInput::Positions(ScoreMode::AsComputed),
        count: GroupCount::BySilhouette,
        seed: 1,
    };
    ask(session, grouping).expect("groups")
}

#[test]
fn a_test_of_sinusoids_says_what_they_explain() {
    // The table's own pairs of columns are one sinusoid each.
    let computed = sinusoid_table(&with_computed(Origin::Sinusoidal(Sinusoidal {
        rows: 128,
        width: 16,
        base: 50.0,
    })));
    assert!(repeated_number(&computed, "own_share") > 0.95);
    // There are only eight shared frequencies.
    assert_eq!(repeated_number(&computed, "few_count"), 8.0);
    assert!(repeated_number(&computed, "few_share") > 0.95);
    let random = repeated_number(&computed, "few_random");
    assert!(random > 0.0 && random < 0.5, "{random}");
    // Random numbers are explained as expected by chance.
    let noise = sinusoid_table(&with_computed(Origin::Random(Random {
        rows: 128,
        width: 16,
        seed: 5,
    })));
    for (share, expected) in [("few_share", "few_random"), ("own_share", "own_random")] {
        let (share, expected) = (
            repeated_number(&noise, share),
            repeated_number(&noise, expected),
        );
        assert!((share - expected).abs() < 0.05, "{share} {expected}");
    }
}

#[test]
fn a_head_that_looks_back_is_shifted_by_so_much() {
    let (session, _) = golden_minilm::open();
    let of = head_of_first(ScoreMode::Paper, 0, 2);
    let turn = ask(&session, HeadRotation { of })
        .expect("an answer")
        .expect("a rotation");
    let table = rotation(&turn, false).table();
    let shift = repeated_number(&table, "shift");
    let waves = ask(&session, HeadWaves { of })
        .expect("an answer")
        .expect("waves");
    // Scores peak at the opposite of the keys' shift.
    assert_eq!(-shift.round(), waves.peak() as f64);
    let words = rotation_words(&turn).line;
    let coherence = repeated_number(&table, "coherence");
    assert!(
        words.contains(&format!("coherence {coherence:.2}")),
        "{words}"
    );
    let decided = repeated_number(&table, "decided_dimensions");
    assert!(decided > 0.0 && decided <= 32.0, "{decided}");
    assert_eq!(repeated_number(&table, "idle_dimensions"), turn.idle as f64);

    // If the peaks lie on no line, there is no shift.
    let mut without = turn.clone();
    if let Some(line) = &mut without.line {
        line.coherence = 0.1;
    }
    let table = rotation(&without, false).table();
    assert!(repeated_number(&table, "shift").is_nan());
    assert_eq!(repeated_number(&table, "coherence"), 0.1);
}

/// Row of a cell in the table of criteria.
fn row_of(table: &Table, method: &str, criterion: &str) -> usize {
    let (methods, criteria) = (names(table, "method"), names(table, "criterion"));
    let found = methods
        .iter()
        .zip(&criteria)
        .position(|(m, c)| m == method && c == criterion);
    found.expect("a cell")
}

#[test]
fn the_open_cell_says_what_its_sliders_come_to() {
    let (way, criterion) = (0, 3);
    let around = demonstrations::DemonstrationState {
        kernels: &Kernels::default(),
        table_r2: None,
        head_r2: None,
    };
    let drawn = |seed: f64| {
        let outcome = demonstrations::demonstrate(way, criterion, &[48.0, seed], &around);
        let outcome = outcome.expect("an outcome");
        let cell = (way, criterion);
        let open = Some(demonstrations::CellDemonstration { cell, outcome });
        Judgements { open }.table()
    };
    let (closed, first, seventh) = (Judgements::default().table(), drawn(1.0), drawn(7.0));
    let at = row_of(&closed, "sinusoidal", "translation-invariant");
    let values = |table: &Table| numbers(table, "value_1");
    assert_eq!(values(&first)[at], values(&closed)[at], "as it opens");
    assert!(
        (values(&seventh)[at] - values(&closed)[at]).abs() > 1e-3,
        "moved"
    );
    let same = |(row, (one, other)): (usize, (f64, f64))| {
        row == at || one == other || (one.is_nan() && other.is_nan())
    };
    let pairs = values(&seventh).into_iter().zip(values(&closed));
    assert!(
        pairs.enumerate().all(same),
        "the other cells are as they open"
    );
}

#[test]
fn criteria_say_what_their_cells_come_to_as_they_open() {
    let table = Judgements::default().table();
    assert_eq!(table.rows(), 54);
    let at = |method: &str, criterion: &str| row_of(&table, method, criterion);
    let row = at("sinusoidal", "translation-invariant");
    assert_eq!(names(&table, "measure_1")[row], "Toeplitz R² of the scores");
    assert_eq!(
        names(&table, "measure_2")[row],
        "R² of the table’s inner products"
    );
    // The share of the variance explained by the means of the diagonals, from its definition.
    let scores = small_head::SmallHead {
        way: diagonal::analysis::criteria::EncodingMethod::Sinusoidal,
        positions: 48,
        queries: 48,
        seed: 1,
        contents_differ: false,
        change: None,
        kernels: &Kernels::default(),
    }
    .scores();
    let cells = || (0..48).flat_map(|i| (0..48).map(move |j| (i, j)));
    let mean = |keep: &dyn Fn(usize, usize) -> bool| {
        let values: Vec<f64> = cells()
            .filter(|(i, j)| keep(*i, *j))
            .map(|(i, j)| scores[i][j])
            .collect();
        values.iter().sum::<f64>() / values.len() as f64
    };
    let of_all = mean(&|_, _| true);
    let on_diagonal: Vec<f64> = (0..95).map(|at| mean(&|i, j| j + 47 == i + at)).collect();
    let (mut left, mut total) = (0.0, 0.0);
    for (i, j) in cells() {
        left += (scores[i][j] - on_diagonal[j + 47 - i]).powi(2);
        total += (scores[i][j] - of_all).powi(2);
    }
    let value = |column: &str, row: usize| numbers(&table, column)[row];
    let expected = 1.0 - left / total;
    assert!(
        (value("value_1", row) - expected).abs() < 1e-9,
        "{expected}"
    );
    assert!((value("value_2", row) - 1.0).abs() < 1e-9);
    assert!(value("value_3", row).is_nan() && names(&table, "measure_3")[row].is_empty());

    // Of a learned table of 512 rows and 768 columns.
    let row = at("learned", "parameter-efficient");
    assert_eq!(names(&table, "measure_1")[row], "learned numbers");
    assert_eq!(value("value_1", row), 512.0 * 768.0);
    // Values that depend on the page's kernels are missing here.
    for criterion in ["inductive", "translation-invariant"] {
        assert!(value("value_1", at("tisa", criterion)).is_nan());
    }
    let count = numbers(&table, "value_1")
        .iter()
        .filter(|v| v.is_finite())
        .count();
    assert_eq!(count, 52);
}

#[test]
fn names_of_columns_are_the_same_for_every_model() {
    let computed = |rows| {
        with_computed(Origin::Sinusoidal(Sinusoidal {
            rows,
            width: 12,
            base: 100.0,
        }))
    };
    let spectra = |session: &MemorySession, columns: Vec<usize>| {
        let choice = ColumnChoice::These(columns);
        let found = ask(session, TableColumns { of: FIRST, choice })
            .expect("an answer")
            .expect("columns");
        (column_spectra(&found).table(), found)
    };
    let (one, _) = spectra(&computed(32), vec![1]);
    let (other, found) = spectra(&computed(51), vec![0, 7, 11]);
    let listed = |table: &Table| table.names().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(listed(&one), listed(&other));
    assert_eq!(one.rows(), 17);
    assert_eq!(other.rows(), 3 * 26);
    let (dimension, frequency) = (numbers(&other, "dimension"), numbers(&other, "frequency"));
    let (period, amplitude) = (numbers(&other, "period"), numbers(&other, "amplitude"));
    for at in 0..other.rows() {
        let of = found
            .iter()
            .find(|wave| wave.column as f64 == dimension[at]);
        let of = of.expect("a column that was asked for");
        assert_eq!(
            amplitude[at],
            f64::from(of.amplitudes[frequency[at] as usize])
        );
        match frequency[at] {
            0.0 => assert!(period[at].is_nan()),
            f => assert!((period[at] - 51.0 / f).abs() < 1e-12),
        }
    }
}

#[test]
fn rows_of_a_head_are_one_below_the_other() {
    let (session, _) = golden_minilm::open();
    let of = head_of_first(ScoreMode::Paper, 0, 2);
    let detail = ask(&session, HeadOverview { of }).expect("a head");
    for cells in [AttentionMask::Whole, AttentionMask::Causal] {
        let table = heads::sections(&detail, cells, (-8.5, 8.5)).table();
        let listed: Vec<&str> = table.names().collect();
        assert_eq!(listed, ["section", "query", "offset", "key", "score"]);
        let (section, query) = (numbers(&table, "section"), numbers(&table, "query"));
        let (offset, key) = (numbers(&table, "offset"), numbers(&table, "key"));
        let score = numbers(&table, "score");
        let mut rows = 0;
        for at in 0..table.rows() {
            let cut = &detail.sections[section[at] as usize - 1];
            assert_eq!(cut.query as f64, query[at]);
            assert_eq!(key[at] - query[at], offset[at]);
            assert_eq!(f64::from(cut.scores[key[at] as usize]), score[at]);
            assert!(cells == AttentionMask::Whole || offset[at] <= 0.0);
        }
        for cut in &detail.sections {
            rows += match cells {
                AttentionMask::Whole => cut.scores.len(),
                AttentionMask::Causal => cut.query + 1,
            };
        }
        assert_eq!(table.rows(), rows);
    }
}

#[test]
fn groups_of_heads_are_counted_alike_in_both_of_their_tables() {
    let (session, _) = golden_minilm::open();
    let found = groups(&session);
    let (grid, traces) = (
        ClusterGrid::new(&found, None).table(),
        cluster_traces(&found, None).table(),
    );
    let listed: Vec<&str> = traces.names().collect();
    assert_eq!(listed[..5], ["cluster", "name", "heads", "offset", "share"]);
    assert_eq!(
        Some(repeated_number(&traces, "explained")),
        found.clusters.explained_share
    );
    // Nothing is known by chance yet.
    for column in &listed[5..] {
        let by_chance = column.starts_with("chance_");
        assert!(!by_chance || numbers(&traces, column).iter().all(|value| value.is_nan()));
    }
    assert_eq!(
        Some(repeated_number(&grid, "silhouette")),
        found.clusters.silhouette
    );
    let of_heads = numbers(&grid, "cluster");
    let (cluster, heads) = (numbers(&traces, "cluster"), numbers(&traces, "heads"));
    let (name, offset) = (names(&traces, "name"), numbers(&traces, "offset"));
    let share = numbers(&traces, "share");
    for at in 0..traces.rows() {
        let counted = of_heads.iter().filter(|of| **of == cluster[at]).count();
        assert_eq!(counted as f64, heads[at]);
        // The name of a group matches its heads.
        if name[at] == "previous" {
            let own = (0..traces.rows()).filter(|row| cluster[*row] == cluster[at]);
            let most = own.max_by(|a, b| share[*a].total_cmp(&share[*b]));
            assert_eq!(most.map(|row| offset[row]), Some(-1.0));
        }
    }
    let apart: BTreeSet<i64> = cluster.iter().map(|at| *at as i64).collect();
    assert_eq!(apart.len(), found.clusters.names.len());
}

#[test]
fn what_is_said_of_all_values_stands_beside_their_density() {
    let file = data("../../www/presets/minilm-l6.safetensors");
    let bytes = std::fs::read(file).expect("the preset");
    let checkpoint = block_on(Checkpoint::open(MemorySource::new(bytes), "minilm-l6")).expect("it");
    let model = block_on(PositionModel::open(
        &checkpoint,
        None,
        &ModelOptions::default(),
    ))
    .expect("it");
    let values: Vec<f64> = model
        .table()
        .expect("a table")
        .iter()
        .map(|v| f64::from(*v))
        .collect();
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let moment = |power: i32| values.iter().map(|v| (v - mean).powi(power)).sum::<f64>() / count;
    let deviation = moment(2).sqrt();

    let (session, _) = golden_minilm::open();
    let found = ask(&session, TableWaves { of: FIRST }).expect("an answer");
    let density = found.density.expect("values");
    let table = value_histogram(&density).table();
    let near = |name: &str, expected: f64, room: f64| {
        let value = repeated_number(&table, name);
        assert!(
            (value - expected).abs() < room,
            "{name}: {value} {expected}"
        );
    };
    near("mean", mean, 1e-6);
    near("deviation", deviation, 1e-4 * deviation);
    near("skewness", moment(3) / deviation.powi(3), 1e-2);
    near("excess_kurtosis", moment(4) / deviation.powi(4) - 3.0, 1e-2);
    assert!(repeated_number(&table, "beyond") >= 0.0);
    // Row 0 is far larger than the others and causes nearly all of the kurtosis.
    let others = &values[384..];
    let count = others.len() as f64;
    let mean = others.iter().sum::<f64>() / count;
    let moment = |power: i32| others.iter().map(|v| (v - mean).powi(power)).sum::<f64>() / count;
    let deviation = moment(2).sqrt();
    let excess = moment(4) / deviation.powi(4) - 3.0;
    assert!((excess - 0.54).abs() < 0.005, "{excess}");
    near("excess_kurtosis_without_position_0", excess, 1e-9);
    let skewness = moment(3) / deviation.powi(3);
    near("skewness_without_position_0", skewness, 1e-9);
    let words = value_histogram(&density).summary();
    assert!(
        words.contains("excess kurtosis 172 ") && words.contains("excess kurtosis 0.54"),
        "{words}"
    );
}

#[test]
fn waves_of_a_head_have_their_periods_and_partners() {
    let (session, summary) = golden_minilm::open();
    let of = head_of_first(ScoreMode::Paper, 0, 2);
    let waves = ask(&session, HeadWaves { of })
        .expect("an answer")
        .expect("waves");
    let table = wave_stack(&waves).expect("waves").table();
    let (component, period) = (numbers(&table, "component"), numbers(&table, "period"));
    let partner = numbers(&table, "partner");
    for at in 0..table.rows() {
        let wave = &waves.waves[component[at] as usize - 1];
        let f = wave.frequency.expect("it varies");
        assert!((period[at] - summary.rows as f64 / f as f64).abs() < 1e-9);
        // Partners are mutual.
        if partner[at] > 0.0 {
            let other = waves.waves[partner[at] as usize - 1].partner;
            assert_eq!(other.map(|other| other as f64 + 1.0), Some(component[at]));
        }
    }
    let table = head_covariance(&waves, false).table();
    assert_eq!(
        repeated_number(&table, "identity_error"),
        waves.identity_error
    );
}
