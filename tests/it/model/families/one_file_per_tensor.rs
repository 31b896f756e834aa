//! A checkpoint with one file per tensor: which files are read.

use std::rc::Rc;

use diagonal::{
    checkpoint::{ByteSource, Checkpoint, CheckpointError, MemorySource, ShardIndex, SourceError},
    model::{ModelError, PositionModel},
};
use pollster::block_on;

use super::{FOLDERS, chosen, describe_positions};
use crate::support::models::{Tensors, config, tensors, write};

/// Records whether it was read.
#[derive(Clone)]
struct Watched(MemorySource, Rc<std::cell::Cell<bool>>);

impl ByteSource for Watched {
    fn size(&self) -> u64 {
        self.0.size()
    }
    async fn read(&self, range: std::ops::Range<u64>) -> Result<Vec<u8>, SourceError> {
        self.1.set(true);
        self.0.read(range).await
    }
}

/// A checkpoint with one file per tensor, and its files.
fn scatter(folder: &str) -> (Checkpoint<Watched>, Vec<(String, Watched)>) {
    let (mut map, mut files) = (serde_json::Map::new(), Vec::new());
    for (name, tensor) in tensors(folder) {
        map.insert(name.clone(), format!("{name}.safetensors").into());
        let alone = Tensors::from([(name.clone(), tensor)]);
        files.push((
            name,
            Watched(MemorySource::new(write(&alone)), Rc::default()),
        ));
    }
    let index = serde_json::json!({"weight_map": map}).to_string();
    let index = ShardIndex::parse(&index).expect("an index");
    (Checkpoint::from_shards(index, folder, []), files)
}

#[test]
fn only_the_files_that_hold_wanted_tensors_are_opened() {
    for (folder, _, sources) in FOLDERS.iter().filter(|(_, _, sources)| !sources.is_empty()) {
        for (id, holds, ..) in *sources {
            let (checkpoint, files) = scatter(folder);
            for (name, file) in &files {
                assert!(
                    checkpoint
                        .offer(&format!("{name}.safetensors"), file.clone())
                        .is_ok()
                );
            }
            let config = config(folder);
            let open = || block_on(PositionModel::open(&checkpoint, Some(&config), &chosen(id)));
            let model = open().expect(folder);
            assert_eq!(describe_positions(&model.positions), *holds);
            let read: Vec<_> = files
                .iter()
                .filter(|(_, file)| file.1.get())
                .map(|(name, _)| name)
                .collect();
            // The table, a query, and the map between them, if any.
            assert!(read.len() <= 3, "{folder}, {id}: {read:?}");

            // With the table alone the model opens; reading heads reports the missing file.
            let Some(tensor) = model.tensor() else {
                continue;
            };
            let (checkpoint, files) = scatter(folder);
            let table = files
                .iter()
                .find(|(name, _)| name == tensor)
                .expect("the table");
            assert!(
                checkpoint
                    .offer(&format!("{tensor}.safetensors"), table.1.clone())
                    .is_ok()
            );
            let model = block_on(PositionModel::open(&checkpoint, Some(&config), &chosen(id)))
                .expect(folder);
            assert_eq!(describe_positions(&model.positions), *holds);
            let error = block_on(model.read_layer(&checkpoint, 0)).expect_err("no weights");
            assert!(
                matches!(
                    error,
                    ModelError::Checkpoint(CheckpointError::MissingShard { .. })
                ),
                "{folder}, {id}: {error}"
            );
        }
    }
}
