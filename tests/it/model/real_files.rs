//! Realistic files: small ones with published layouts and the expected numbers (`tests/data/cases`), and further files
//! of the same kinds that are built here.

mod angles;
mod by_hand;
mod configurations;
mod damage;
mod layouts;
mod names;
mod parts;
mod pictures;
pub(crate) mod position_types;
mod tables;

use std::path::Path;

use diagonal::{
    analysis::Similarity,
    checkpoint::{BundleFiles, Checkpoint, MemorySource, group_files},
    encoding::RotaryAngles,
    math::{Plans, Scores, reference::toeplitz_r2},
    model::{Config, ModelError, ModelOptions, PositionModel, PositionSource, ScoreMode},
};
use pollster::block_on;
use serde_json::Value;

use super::model_golden::scores;
use crate::{
    checkpoint::hostile::assert_is_sentence,
    support::models::{data, note},
};

/// The files of a case with those in its folders, and the expected values.
fn case(name: &str) -> (Vec<(String, MemorySource)>, Value) {
    fn walk(folder: &Path, name: &str, files: &mut Vec<(String, MemorySource)>) {
        for entry in std::fs::read_dir(folder).expect(name) {
            let path = entry.expect("an entry").path();
            let file = path.file_name().expect("a name").to_string_lossy();
            let name = format!("{name}/{file}");
            if path.is_dir() {
                walk(&path, &name, files);
            } else {
                let bytes = std::fs::read(&path).expect("a file");
                files.push((name, MemorySource::from(bytes)));
            }
        }
    }
    let folder = data("cases").join(name);
    let expected = std::fs::read(folder.join("expected.json")).expect(name);
    let mut files = Vec::new();
    walk(&folder, name, &mut files);
    files.retain(|(file, _)| !file.ends_with("/expected.json"));
    files.sort_by(|(a, _), (b, _)| a.cmp(b));
    let expected = serde_json::from_slice(&expected).expect("JSON");
    (files, expected)
}

/// The sentences about files that do not open.
fn refusal(files: Vec<(String, MemorySource)>) -> String {
    let gathered = block_on(group_files(files)).expect("formats are at hand");
    let Some(bundle) = gathered.bundles.into_iter().next() else {
        let messages = &gathered.messages;
        messages.iter().for_each(|text| assert_is_sentence(text));
        return messages.join(" ");
    };
    let BundleFiles::One(source) = bundle.files else {
        panic!("{}: one file", bundle.name);
    };
    let sentence = match block_on(Checkpoint::open(source, &bundle.name)) {
        Err(error) => error.to_string(),
        Ok(checkpoint) => {
            let config = bundle.config.as_deref().map(Config::read_leniently);
            let choice = ModelOptions::default();
            let model = block_on(PositionModel::open(&checkpoint, config.as_ref(), &choice));
            model.expect_err(&bundle.name).to_string()
        }
    };
    assert_is_sentence(&sentence);
    sentence
}

type ModelVersion = Result<(Checkpoint<MemorySource>, PositionModel), ModelError>;

/// Opens files as if they were dropped together.
pub(crate) fn open_dropped(
    files: Vec<(String, MemorySource)>,
    choice: &ModelOptions,
) -> ModelVersion {
    let gathered = block_on(group_files(files)).expect("formats are at hand");
    let bundle = gathered.bundles.into_iter().next().expect("a model");
    let config = bundle.config.as_deref().map(Config::read_leniently);
    let checkpoint = match bundle.files {
        BundleFiles::One(source) => block_on(Checkpoint::open(source, "one")).expect("it opens"),
        BundleFiles::Shards { index, sources } => Checkpoint::from_shards(index, "shards", sources),
    };
    let model = block_on(PositionModel::open(&checkpoint, config.as_ref(), choice));
    if let Err(error) = &model {
        assert_is_sentence(&error.to_string());
    }
    Ok((checkpoint, model?))
}

fn opened(name: &str, choice: &ModelOptions) -> ModelVersion {
    open_dropped(case(name).0, choice)
}

fn of_source(source: &str) -> ModelOptions {
    ModelOptions {
        source: Some(source.to_owned()),
        ..ModelOptions::default()
    }
}

/// Compares rows, width, grid and R² of a table with numpy's.
fn is_table(model: &PositionModel, expected: &Value, what: &str) {
    let count = |key: &str| expected[key].as_u64().map(|count| count as usize);
    let table = model.table().expect(what);
    assert_eq!(count("rows"), Some(table.nrows()), "{what}");
    assert_eq!(count("width"), Some(table.ncols()), "{what}");
    let scores = model
        .positions
        .scores(Similarity::InnerProduct)
        .expect(what);
    let fits = scores.fits(&Plans::new(scores.n(), scores.grid()));
    let near = |found: f64, key: &str| {
        let expected = expected[key].as_f64().expect(key);
        assert!((found - expected).abs() < 1e-6, "{what}, {key}: {found}");
    };
    near(fits.fit.r2, "r2_whole");
    near(fits.off_diagonal_r2, "r2_off_diagonal");
    if let [height, width] = &expected["grid"].as_array().map_or(&[][..], Vec::as_slice) {
        let grid = model.positions.grid().expect(what);
        assert_eq!(
            (height.as_u64(), width.as_u64()),
            (Some(grid.height as u64), Some(grid.width as u64))
        );
        near(fits.grid_fit.expect("a grid").r2, "r2_2d");
    }
    if let Some(heads) = count("heads") {
        assert_eq!(heads, model.heads.count as usize, "{what}");
    }
}

/// Compares R² of every head of the first layer with numpy's, where the case has it.
fn has_heads(
    checkpoint: &Checkpoint<MemorySource>,
    model: &PositionModel,
    expected: &Value,
    what: &str,
) {
    let modes = [
        (ScoreMode::Paper, "layer1_paper"),
        (ScoreMode::AsComputed, "layer1_as_computed"),
    ];
    for (mode, key) in modes {
        let Some(golden) = expected[key].as_array() else {
            continue;
        };
        // Weights do not show the number of heads.
        let choice = ModelOptions {
            source: Some(model.source.clone()),
            heads: Some(golden.len() as u32),
            ..ModelOptions::default()
        };
        let model = match model.heads.count as usize == golden.len() {
            true => model.clone(),
            false => block_on(PositionModel::open(checkpoint, None, &choice)).expect(what),
        };
        let inputs = block_on(model.read_inputs(checkpoint, |_, _| ())).expect(what);
        let weights = block_on(model.read_layer(checkpoint, 0)).expect(what);
        let table = model.table().expect(what);
        let states = inputs.hidden_states(table, mode);
        for (head, golden) in golden.iter().enumerate() {
            let r2 = toeplitz_r2(&scores(&model, &states, &weights, head));
            let golden = golden.as_f64().expect(what);
            assert!(
                (r2 - golden).abs() < 1e-6,
                "{what}, {key}, head {head}: {r2}, {golden}"
            );
        }
    }
}

#[test]
fn every_case_shows_what_is_right_for_it() {
    let mut names: Vec<_> = std::fs::read_dir(data("cases"))
        .expect("cases")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    assert!(names.len() >= 28);
    for name in names {
        let (files, expected) = case(&name);
        if expected["kind"] == "refusal" {
            let sentence = refusal(files);
            let words = |key: &str| expected[key].as_str();
            let must_say = words("must_say").expect("words");
            assert!(sentence.contains(must_say), "{name}: {sentence}");
            let must_not = words("must_not").is_some_and(|words| sentence.contains(words));
            assert!(!must_not, "{name}: {sentence}");
            continue;
        }
        if let Some(models) = expected["models"].as_u64() {
            let gathered = block_on(group_files(files)).expect("formats are at hand");
            assert_eq!(gathered.bundles.len() as u64, models, "{name}");
        }
        let found = opened(&name, &ModelOptions::default());
        match expected["kind"].as_str().expect("a kind") {
            "table" => {
                let parts = expected["parts"].as_object();
                for (part, expected) in parts.into_iter().flatten() {
                    let (checkpoint, model) = opened(&name, &of_source(part)).expect(&name);
                    let what = format!("{name}, {part}");
                    is_table(&model, expected, &what);
                    has_heads(&checkpoint, &model, expected, &what);
                }
                let (checkpoint, model) = found.expect(&name);
                if let Some(parts) = parts {
                    let ids = model.sources.iter().map(|(id, _)| id);
                    let ids: Vec<_> = ids.filter(|id| parts.contains_key(*id)).collect();
                    assert_eq!(ids.len(), parts.len(), "{name}: {:?}", model.sources);
                } else {
                    is_table(&model, &expected, &name);
                    has_heads(&checkpoint, &model, &expected, &name);
                }
                if let Some(words) = expected["must_say"].as_str() {
                    let says = |text: &&str| text.contains(words);
                    let mut texts = model.notes.iter().map(|note| note.text.as_str());
                    assert!(texts.any(|text| says(&text)), "{name}: {:?}", model.notes);
                }
            }
            "window" => {
                let (checkpoint, model) = found.expect(&name);
                let layer = block_on(model.read_offset_scores(&checkpoint, 0, None)).expect(&name);
                let side = expected["window"].as_u64().expect(&name) as usize;
                let heads = expected["bias_query_minus_key_rowmajor"].as_array();
                for (head, expected) in heads.expect(&name).iter().enumerate() {
                    let numbers = expected.as_array().expect(&name);
                    let Scores::Grid(bias) = layer.head(head) else {
                        panic!("{name}: no window");
                    };
                    let span = 2 * side - 1;
                    let offset = |at: usize| (at as i64) - (side as i64 - 1);
                    for (at, number) in numbers.iter().enumerate() {
                        // The file holds query minus key.
                        let (dy, dx) = (-offset(at / span), -offset(at % span));
                        let (found, golden) = (bias.at(dy, dx), number.as_f64());
                        let off = found.expect(&name) - golden.expect(&name);
                        // The reader of JSON rounds the last digit.
                        assert!(off.abs() < 1e-15, "{name}, {dy}, {dx}: {off}");
                    }
                }
            }
            "rotary" => {
                let (_, model) = found.expect(&name);
                let PositionSource::Rotary(rotary) = &model.positions else {
                    panic!("{name}: {:?}", model.positions.kind());
                };
                let width = expected["width"].as_u64().expect("a width") as usize;
                let base = expected["base"].as_f64().expect("a base");
                // The files with stretched angles state those of training.
                let trained = RotaryAngles::new(width, base).frequencies(1);
                let is_scaled = note(&model, "Stretched angles").is_some();
                assert_eq!(rotary.frequencies.len(), trained.len(), "{name}");
                assert_eq!(rotary.frequencies != trained, is_scaled, "{name}");
            }
            "bias" => {
                let (checkpoint, model) = found.expect(&name);
                let layer = block_on(model.read_offset_scores(&checkpoint, 0, None)).expect(&name);
                for (head, scores) in expected["encoder_bias"]
                    .as_array()
                    .expect("heads")
                    .iter()
                    .enumerate()
                {
                    let shown = layer.head(head);
                    let at = |k: i64| match &shown {
                        Scores::Toeplitz(f) => f.at(k),
                        _ => None,
                    };
                    for (k, score) in (-39..).zip(scores.as_array().expect("scores")) {
                        let off = at(k).expect(&name) - score.as_f64().expect(&name);
                        // The reader of JSON rounds the last digit.
                        assert!(off.abs() < 1e-14, "{name}, head {head}, k = {k}: {off}");
                    }
                }
            }
            other => panic!("{name}: {other}"),
        }
    }
}
