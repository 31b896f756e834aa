//! Every case damaged in turn: cut off, with other bytes, with numbers that are none, and beside the configuration of
//! another model. Nothing panics, and every error is a sentence.

use diagonal::{
    checkpoint::{BundleFiles, ByteSource, Checkpoint, MemorySource, group_files},
    model::{Config, ModelOptions, PositionModel},
};
use pollster::block_on;

use super::{case, of_source};
use crate::{checkpoint::hostile::assert_is_sentence, support::models::data};

/// The bytes of a file, by its name.
type File = (String, Vec<u8>);

/// Names of the cases that open, with their files.
fn cases() -> Vec<(String, Vec<File>)> {
    let entries = std::fs::read_dir(data("cases")).expect("cases");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = names
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    names.sort();
    let files = |name: &String| {
        let read = |(file, source): (String, MemorySource)| {
            let bytes = block_on(source.read(0..source.size())).expect("bytes");
            (file, bytes.to_vec())
        };
        case(name).0.into_iter().map(read).collect()
    };
    names
        .iter()
        .map(|name| (name.clone(), files(name)))
        .collect()
}

fn check<T, E: ToString>(result: Result<T, E>) -> Option<T> {
    if let Err(error) = &result {
        assert_is_sentence(&error.to_string());
    }
    result.ok()
}

/// Opens files and reads what the page reads first of each part: its table, words and norms, and its first layer. Returns
/// whether a model opens.
fn open_and_read(files: &[File]) -> bool {
    let mut opens = false;
    let sources = files
        .iter()
        .map(|(name, bytes)| (name.clone(), MemorySource::from(bytes.clone())));
    let groups = block_on(group_files(sources.collect::<Vec<_>>())).expect("formats are at hand");
    for message in &groups.messages {
        assert_is_sentence(message);
    }
    for bundle in groups.bundles {
        let config = bundle.config.as_deref().map(Config::read_leniently);
        let checkpoint = match bundle.files {
            BundleFiles::One(source) => check(block_on(Checkpoint::open(source, &bundle.name))),
            BundleFiles::Shards { index, sources } => {
                Some(Checkpoint::from_shards(index, &bundle.name, sources))
            }
        };
        let Some(checkpoint) = checkpoint else {
            continue;
        };
        let open = |choice: &ModelOptions| {
            block_on(PositionModel::open(&checkpoint, config.as_ref(), choice))
        };
        let Some(first) = check(open(&ModelOptions::default())) else {
            continue;
        };
        opens = true;
        for (id, _) in &first.sources {
            let Some(model) = check(open(&of_source(id))) else {
                continue;
            };
            check(block_on(model.read_inputs(&checkpoint, |_, _| ())));
            if model.layers > 0 && model.table().is_some() {
                check(block_on(model.read_layer(&checkpoint, 0)));
            } else if model.layers > 0 {
                check(block_on(model.read_offset_scores(&checkpoint, 0, None)));
            }
        }
    }
    opens
}

/// Files of which one has been changed.
fn with_change(files: &[File], at: usize, change: impl FnOnce(&mut Vec<u8>)) -> Vec<File> {
    let mut files = files.to_vec();
    change(&mut files[at].1);
    files
}

#[test]
fn files_that_are_cut_off_get_a_sentence() {
    let (mut count, mut opened) = (0, 0);
    for (_, files) in cases() {
        for at in 0..files.len() {
            let length = files[at].1.len();
            for end in [
                0,
                length / 4,
                length / 2,
                length * 3 / 4,
                length.saturating_sub(1),
            ] {
                let opens = open_and_read(&with_change(&files, at, |bytes| bytes.truncate(end)));
                count += 1;
                opened += usize::from(opens);
            }
        }
    }
    // Cutting a configuration or the end of the last tensor leaves most of a model.
    assert!((1..count / 2).contains(&opened), "{opened} of {count}");
}

#[test]
fn files_with_other_bytes_open_or_get_a_sentence() {
    const ENDS: usize = 4096;
    let mut random = fastrand::Rng::with_seed(36);
    let (mut count, mut opened) = (0, 0);
    for (_, files) in cases() {
        for at in 0..files.len() {
            let length = files[at].1.len();
            // Headers are at the beginning, directories of archives at the end.
            for place in [0..length.min(ENDS), length.saturating_sub(ENDS)..length] {
                for _ in 0..8 {
                    let (place, byte) = (random.usize(place.clone()), random.u8(..));
                    let opens =
                        open_and_read(&with_change(&files, at, |bytes| bytes[place] = byte));
                    count += 1;
                    opened += usize::from(opens);
                }
            }
        }
    }
    // Most bytes are numbers.
    assert!((count / 3..count).contains(&opened), "{opened} of {count}");
}

#[test]
fn numbers_that_are_none_get_a_sentence() {
    for (_, files) in cases() {
        for at in (0..files.len()).filter(|at| !files[*at].0.ends_with(".json")) {
            // Bytes of 0xff are NaN in every type of floats. Headers and directories stay.
            let numbers = files[at].1.len() / 3..files[at].1.len() * 9 / 10;
            let _ = open_and_read(&with_change(&files, at, |bytes| bytes[numbers].fill(0xff)));
        }
    }
}

#[test]
fn a_configuration_of_another_model_opens_or_gets_a_sentence() {
    let cases = cases();
    let configurations = cases.iter().flat_map(|(_, files)| files);
    let configurations: Vec<&File> = configurations
        .filter(|(name, _)| name.ends_with("/config.json"))
        .collect();
    assert!(configurations.len() > 10);
    for (name, files) in &cases {
        let own = format!("{name}/config.json");
        for (_, other) in &configurations {
            let mut files: Vec<File> = files.clone();
            files.retain(|(file, _)| *file != own);
            files.push((own.clone(), other.clone()));
            let _ = open_and_read(&files);
        }
    }
}
