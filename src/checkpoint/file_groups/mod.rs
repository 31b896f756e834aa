//! Groups files that were opened together, such as a folder, a selection or one file, into models.
//!
//! Files are classified by content where possible: an index and a configuration are JSON with characteristic fields,
//! and a checkpoint begins with the signature of its format. Names decide the rest: which folder a file is in, and
//! which shard it is.
//!
//! Shards belong to the index in their folder. A shard that the index names and that was not provided is requested when
//! it is needed. Without an index, a complete set of shards (1 to n of n) becomes one checkpoint. The shards of an
//! incomplete set stay loose: a single shard is usually the one that an open checkpoint requested.
//!
//! A configuration without weights becomes a model without tensors if the caller can show something of it.
//!
//! Adapters and the layers that sentence-transformers puts behind a model are no models and are left out.
//!
//! Files of a tokenizer, which are known by their names, belong to the models in their folder, or to those in folders
//! below it.
//!
//! Grouping keeps no state between calls. Grouping the files of one [`Bundle`] alone returns the same bundle.

mod bundle;
mod companions;
mod module_folders;
mod report;
mod seen_file;

use super::{
    adapter::Adapter,
    byte_source::ByteSource,
    error::{CheckpointError, Name},
    file_kind::FileKind,
    shards::ShardIndex,
    tensor_file::TensorFile,
};
use crate::lazy::LoadError;
use companions::{config_for, tokenizer_for};
use module_folders::is_layer_name;
use seen_file::{FileContent, SeenFile, look};
use std::{
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

pub use bundle::{Bundle, BundleFiles};

/// Maximum number of files that are examined.
const MOST_FILES: usize = 10_000;

/// Maximum number of configurations without weights that become models.
const MOST_CONFIGS: usize = 8;

/// Maximum number of messages about files.
const MOST_MESSAGES: usize = 12;

/// Files grouped into checkpoints.
#[derive(Debug)]
pub struct FileGroups<S> {
    /// Checkpoints, each with its configuration.
    pub bundles: Vec<Bundle<S>>,
    /// Shards of checkpoints whose index is not among the files.
    pub loose: Vec<LooseShard<S>>,
    /// Positions, among the files that were passed in, of files of tokenizers that belong to none of these checkpoints.
    pub tokenizer: Vec<usize>,
    /// Messages to the user: files that were left out, and files to add.
    pub messages: Vec<String>,
}

impl<S: ByteSource> FileGroups<S> {
    fn say(&mut self, path: &str, sentence: &str) {
        self.add(format!(
            "The file {} was not opened. {sentence}",
            Name(path)
        ));
    }

    fn add(&mut self, message: String) {
        if self.messages.len() < MOST_MESSAGES {
            self.messages.push(message);
        }
    }

    /// Leaves out files that a trainer writes beside a checkpoint. They hold tensors, but no model.
    fn leave_out_side_files(&self, candidates: &mut Vec<SeenFile<S>>) {
        let is_side = |file: &SeenFile<S>| {
            let names = [
                "optimizer",
                "scheduler",
                "scaler",
                "training_args",
                "rng_state",
            ];
            names.iter().any(|name| file.file().starts_with(name))
        };
        let folders = folders_with(candidates, |file| file.is_weights() && !is_side(file));
        candidates.retain(|file| !is_side(file) || !folders.contains_key(file.folder()));
    }

    /// Leaves out the weights of adapters, and says so.
    fn leave_out_adapters(&mut self, candidates: &mut Vec<SeenFile<S>>) {
        let is_adapter = |file: &SeenFile<S>| {
            file.is_weights()
                && file
                    .file()
                    .to_ascii_lowercase()
                    .starts_with("adapter_model")
        };
        let models = folders_with(candidates, |file| file.is_weights() && !is_adapter(file));
        let mut configs: BTreeMap<String, Adapter> = BTreeMap::new();
        for file in candidates.iter() {
            if let FileContent::Adapter(adapter) = &file.content {
                configs.insert(file.folder().to_owned(), adapter.clone());
            }
        }
        candidates.retain(|file| {
            let folder = file.folder();
            let config = configs.get(folder);
            let is_left_out = is_adapter(file) && (config.is_some() || models.contains_key(folder));
            if is_left_out {
                let adapter = config.cloned().unwrap_or_default();
                self.say(&file.path, &adapter.to_string());
            }
            !is_left_out
        });
    }

    /// Leaves out pickled weights in folders that have the same weights as safetensors.
    fn leave_out_twins(&mut self, candidates: &mut Vec<SeenFile<S>>) {
        let is_model = |file: &SeenFile<S>| {
            file.content == FileContent::Weights(FileKind::Safetensors)
                && file.file().starts_with("model")
        };
        let folders = folders_with(candidates, is_model);
        let mut twins = BTreeMap::new();
        candidates.retain(|file| {
            let Some(path) = folders.get(file.folder()) else {
                return true;
            };
            let twin = file.file().starts_with("pytorch_model");
            if twin && file.is_weights() {
                twins.insert(path.clone(), file.path.clone());
            }
            !twin
        });
        for (path, twin) in twins {
            self.add(format!(
                "The files {} and {} hold the same weights; the first was opened.",
                Name(&path),
                Name(&twin)
            ));
        }
    }

    /// Bundles an index with the shards in its folder.
    fn take_indexed(&mut self, candidates: &mut [SeenFile<S>], at: usize) {
        let FileContent::Index(text) = &candidates[at].content else {
            return;
        };
        let path = candidates[at].path.clone();
        let index = match ShardIndex::parse(text) {
            Ok(index) => index,
            Err(error) => return self.say(&path, &error.to_string()),
        };
        let folder = candidates[at].folder().to_owned();
        let mut sources = Vec::new();
        let mut inputs = vec![candidates[at].input];
        for file in candidates.iter_mut() {
            let place = index
                .files
                .binary_search_by(|name| name.as_str().cmp(file.file()));
            if file.is_weights()
                && file.folder() == folder
                && place.is_ok()
                && let Some(source) = file.source.take()
            {
                inputs.push(file.input);
                sources.push((file.file().to_owned(), source));
            }
        }
        // An index without any of its shards is a checkpoint, too: the shard that is needed first is requested.
        self.bundle(
            candidates,
            &path,
            inputs,
            BundleFiles::Shards { index, sources },
        );
    }

    /// Bundles complete sets of shards that have no index. Shards of other sets become loose.
    async fn take_complete(&mut self, candidates: &mut [SeenFile<S>]) -> Result<(), LoadError> {
        let mut sets: BTreeMap<(String, u32), Vec<(u32, usize)>> = BTreeMap::new();
        for (at, file) in candidates.iter().enumerate() {
            if file.is_weights()
                && file.source.is_some()
                && let Some((before, number, of)) = shard(&file.path)
            {
                let set = sets.entry((before.to_owned(), of)).or_default();
                set.push((number, at));
            }
        }
        for ((_, of), mut set) in sets {
            set.sort_by_key(|(number, _)| *number);
            let path = candidates[set[0].1].path.clone();
            let mut sources: Vec<(String, Rc<S>)> = Vec::new();
            let mut inputs = Vec::new();
            for (_, at) in &set {
                let file = &mut candidates[*at];
                if let Some(source) = file.source.take() {
                    inputs.push(file.input);
                    sources.push((file.file().to_owned(), Rc::new(source)));
                }
            }
            let complete = set.iter().map(|(number, _)| *number).eq(1..=of);
            let index = if complete {
                index_from_shards(&sources).await.map(Some)
            } else {
                Ok(None)
            };
            let sources = sources
                .into_iter()
                .filter_map(|(name, source)| Some((name, Rc::into_inner(source)?)));
            match index {
                Ok(Some(index)) => {
                    let sources = sources.collect();
                    self.bundle(
                        candidates,
                        &path,
                        inputs,
                        BundleFiles::Shards { index, sources },
                    );
                }
                Ok(None) => {
                    let loose = sources.zip(inputs);
                    self.loose
                        .extend(loose.map(|((name, source), input)| LooseShard {
                            name,
                            source,
                            input,
                        }));
                }
                Err((_, CheckpointError::NotFetched(error))) => return Err(error),
                Err((name, error)) => self.say(&name, &error.to_string()),
            }
        }
        Ok(())
    }

    /// Bundles checkpoints that consist of one file.
    fn take_single(&mut self, candidates: &mut [SeenFile<S>]) {
        for at in 0..candidates.len() {
            if candidates[at].is_weights()
                && let Some(source) = candidates[at].source.take()
            {
                let path = candidates[at].path.clone();
                let inputs = vec![candidates[at].input];
                self.bundle(candidates, &path, inputs, BundleFiles::One(source));
            }
        }
    }

    /// Bundles configurations for which `opens_alone` holds, without weights: one for each folder.
    fn take_configs(&mut self, candidates: &[SeenFile<S>], opens_alone: &impl Fn(&str) -> bool) {
        for file in candidates {
            let FileContent::Config(text) = &file.content else {
                continue;
            };
            let is_chosen =
                config_for(candidates, file.folder()).is_some_and(|(input, _)| input == file.input);
            if is_chosen && self.bundles.len() < MOST_CONFIGS && opens_alone(text) {
                let files = BundleFiles::Shards {
                    index: ShardIndex::default(),
                    sources: Vec::new(),
                };
                self.bundle(candidates, &file.path, Vec::new(), files);
            }
        }
    }

    /// Adds a checkpoint whose weights or index are at `path`.
    fn bundle(
        &mut self,
        candidates: &[SeenFile<S>],
        path: &str,
        mut inputs: Vec<usize>,
        files: BundleFiles<S>,
    ) {
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
        let is_usual = matches!(files, BundleFiles::Shards { .. })
            || file.starts_with("model.")
            || file.starts_with("pytorch_model.");
        let name = match folder.rsplit('/').next() {
            Some(folder) if is_usual && !folder.is_empty() => folder,
            _ => file,
        };
        let config = config_for(candidates, folder);
        inputs.extend(config.map(|(input, _)| input));
        inputs.sort_unstable();
        self.bundles.push(Bundle {
            name: name.to_owned(),
            config: config.map(|(_, text)| text.to_owned()),
            files,
            inputs,
            tokenizer: tokenizer_for(candidates, folder),
        });
    }
}

/// A shard without its index. It may be a missing shard of an open checkpoint: see [`super::Checkpoint::fits`].
#[derive(Debug)]
pub struct LooseShard<S> {
    /// File name without folders.
    pub name: String,
    /// The file.
    pub source: S,
    /// Its position among the files that were passed in.
    pub input: usize,
}

/// Groups files that were opened together. A name may begin with folders, as in `my-model/config.json`. Reads the first
/// 64 KiB of each file, configurations and indices whole, and the tensor lists of shards without an index.
///
/// # Errors
/// If the parser for such shards could not be loaded. Problems with the files are reported in [`FileGroups::messages`].
pub async fn group_files<S: ByteSource>(
    files: Vec<(String, S)>,
) -> Result<FileGroups<S>, LoadError> {
    group_files_and_configs(files, |_| false).await
}

/// Groups files as [`group_files`] does. If there are no weights among them, configurations for which `opens_alone`
/// holds become models without tensors. It receives the text of a configuration.
///
/// # Errors
/// As in [`group_files`].
pub async fn group_files_and_configs<S: ByteSource>(
    mut files: Vec<(String, S)>,
    opens_alone: impl Fn(&str) -> bool,
) -> Result<FileGroups<S>, LoadError> {
    let mut groups = FileGroups {
        bundles: Vec::new(),
        loose: Vec::new(),
        tokenizer: Vec::new(),
        messages: Vec::new(),
    };
    if files.len() > MOST_FILES {
        groups.messages.push(format!(
            "These are {} files, and only the first {MOST_FILES} were read. Choose the folder of the model.",
            files.len()
        ));
        files.truncate(MOST_FILES);
    }
    let mut candidates = Vec::new();
    for (input, (path, source)) in files.into_iter().enumerate() {
        match look(&path, &source).await {
            Ok(content) => candidates.push(SeenFile {
                input,
                path,
                source: Some(source),
                content,
            }),
            Err(sentence) => groups.say(&path, &sentence),
        }
    }
    name_openvino_weights(&mut candidates);
    groups.leave_out_side_files(&mut candidates);
    groups.leave_out_adapters(&mut candidates);
    let layers: Vec<_> = candidates
        .iter()
        .filter_map(|file| match &file.content {
            FileContent::Layers(layers) => Some((file.folder().to_owned(), layers.clone())),
            _ => None,
        })
        .collect();
    leave_out_layers(&mut candidates, &layers);
    groups.leave_out_twins(&mut candidates);
    let indices: Vec<usize> = (0..candidates.len())
        .filter(|at| matches!(candidates[*at].content, FileContent::Index(_)))
        .collect();
    for at in indices {
        groups.take_indexed(&mut candidates, at);
    }
    groups.take_complete(&mut candidates).await?;
    groups.take_single(&mut candidates);
    groups.report(&candidates, &opens_alone);
    groups.tokenizer = candidates
        .iter()
        .filter(|file| file.content == FileContent::Tokenizer)
        .map(|file| file.input)
        .filter(|input| (groups.bundles.iter()).all(|bundle| !bundle.tokenizer.contains(input)))
        .collect();
    Ok(groups)
}

/// Leaves out the weights in folders of layers: those that a `modules.json` lists, and those with such a name below a
/// folder with weights. `listed` are the folders with a `modules.json`, each with the layers that it lists.
fn leave_out_layers<S>(candidates: &mut Vec<SeenFile<S>>, listed: &[(String, Vec<String>)]) {
    let path = |folder: &str, layer: &str| match folder {
        "" => layer.to_owned(),
        folder => format!("{folder}/{layer}"),
    };
    let layers: BTreeSet<String> = listed
        .iter()
        .flat_map(|(folder, layers)| layers.iter().map(move |layer| path(folder, layer)))
        .collect();
    let models: BTreeSet<String> = candidates
        .iter()
        .filter(|file| file.is_weights() && !is_layer_name(file.folder()))
        .map(|file| file.folder().to_owned())
        .collect();
    candidates.retain(|file| {
        let folder = file.folder();
        let parent = folder.rsplit_once('/').map_or("", |(parent, _)| parent);
        let is_below_model = is_layer_name(folder) && models.contains(parent);
        !file.is_weights() || !(layers.contains(folder) || is_below_model)
    });
}

/// Marks the file of numbers beside OpenVINO's description of a model: it has the same name and no format.
fn name_openvino_weights<S>(candidates: &mut [SeenFile<S>]) {
    let stems: BTreeSet<String> = candidates
        .iter()
        .filter(|file| file.content == FileContent::Other(FileKind::OpenVino))
        .filter_map(|file| Some(file.path.strip_suffix(".xml")?.to_owned()))
        .collect();
    for file in candidates.iter_mut() {
        let stem = file.path.strip_suffix(".bin");
        if file.content == FileContent::Other(FileKind::Unknown)
            && stem.is_some_and(|stem| stems.contains(stem))
        {
            file.content = FileContent::Other(FileKind::OpenVino);
        }
    }
}

/// Folders that contain a file for which `is` holds, each with the first such file.
fn folders_with<S>(
    candidates: &[SeenFile<S>],
    is: impl Fn(&SeenFile<S>) -> bool,
) -> BTreeMap<String, String> {
    let files = candidates.iter().rev().filter(|file| is(file));
    files
        .map(|file| (file.folder().to_owned(), file.path.clone()))
        .collect()
}

/// Splits a name such as `model-00002-of-00007.safetensors` into its prefix, 2, and 7.
fn shard(path: &str) -> Option<(&str, u32, u32)> {
    let (front, end) = path.rsplit_once("-of-")?;
    let (before, number) = front.rsplit_once('-')?;
    let of = end.split('.').next()?;
    let number_of = |text: &str| {
        let digits =
            (4..=6).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| text.parse().ok()).flatten()
    };
    Some((before, number_of(number)?, number_of(of)?))
}

/// Builds an index from the shards' own tensor lists. The error holds the name of a shard that cannot be used, and why.
async fn index_from_shards<S: ByteSource>(
    sources: &[(String, Rc<S>)],
) -> Result<ShardIndex, (String, CheckpointError)> {
    let mut weight_map = BTreeMap::new();
    for (name, source) in sources {
        let file = TensorFile::open(Rc::clone(source)).await;
        let file = file.map_err(|error| (name.clone(), error))?;
        for tensor in file.tensors() {
            // If two shards hold a tensor of the same name, the first one counts.
            let entry = weight_map.entry(tensor.name.clone());
            entry.or_insert_with(|| name.clone());
        }
    }
    Ok(ShardIndex::new(&weight_map))
}
