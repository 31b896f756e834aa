//! Opens models: the user's files, files on servers, computed tables, and the same file with other options.

use super::{
    Failure, FailureKind, Host, ModelSummary, ModelVersion, OpenResult, Progress, Session,
    loaded_model::{LoadedModel, OpenFile},
    session::AnyCheckpoint,
};
use crate::{
    checkpoint::{
        AnySource, BundleFiles, ByteSource, Checkpoint, RemoteModel, group_files_and_configs,
    },
    model::{
        Config, ModelError, ModelOptions, PatchRotation, PositionModel, PositionSource,
        RotaryDescription, norms, tables,
    },
};
use ndarray::Array2;
use std::rc::Rc;

/// Message above the tensors of a file whose family is known.
const OTHER_TENSORS: &str =
    "The family of this file is known. Tensors that you choose are read as they are stored.";

/// Opens a computed table, in place of any model with the same number.
pub(super) async fn open_computed_table<H: Host>(
    session: &Session<H>,
    version: ModelVersion,
    table: Array2<f32>,
    (name, about): (&str, String),
    watch: &impl Progress,
) -> Result<ModelSummary, Failure> {
    let open = Rc::new(LoadedModel::from_positions(
        PositionSource::from_computed_rows(table),
    ));
    let summary = open.summary(Some((name, about)), watch).await?;
    session.still_opens(version.id)?;
    session.insert(version, open);
    // A file that was open under this number can no longer be reopened with other options.
    session.files.borrow_mut().remove(&version.id);
    Ok(summary)
}

/// Whether a configuration without weights has something to show: the angles of a rotary model.
pub(super) fn opens_alone(config: &str) -> bool {
    let config = Config::read_leniently(config);
    RotaryDescription::from_config(&config).is_some()
        || PatchRotation::from_config(&config).is_some()
}

/// Opens the checkpoint that the user's files form together.
pub(super) async fn open_files<L: ByteSource>(
    files: Vec<(String, L)>,
) -> Result<OpenFile<AnyCheckpoint<L>>, Failure> {
    let sorted = group_files_and_configs(files, opens_alone).await?;
    let (name, config, files) = if let Some(bundle) = sorted.bundles.into_iter().next() {
        (bundle.name, bundle.config, bundle.files)
    } else if let Some(shard) = sorted.loose.into_iter().next() {
        (shard.name, None, BundleFiles::One(shard.source))
    } else {
        let sentence = sorted.messages.into_iter().next();
        return Err(Failure::new(
            FailureKind::RefusedFile,
            sentence.unwrap_or_else(|| "There is no model in these files. Open them again.".into()),
        ));
    };
    let files = files.map(AnySource::Local);
    together(&name, config.as_deref(), files).await
}

/// Opens a checkpoint on servers.
pub(super) async fn open_remote_files<L: ByteSource>(
    model: RemoteModel,
) -> Result<OpenFile<AnyCheckpoint<L>>, Failure> {
    let files = model.files.map(AnySource::Remote);
    together(&model.name, model.config.as_deref(), files).await
}

/// Opens files that belong together as a checkpoint; `config` is the text of their configuration.
async fn together<L: ByteSource>(
    name: &str,
    config: Option<&str>,
    files: BundleFiles<AnySource<L>>,
) -> Result<OpenFile<AnyCheckpoint<L>>, Failure> {
    let config = config.map(Config::read_leniently);
    let checkpoint = match files {
        BundleFiles::One(source) => Checkpoint::open(source, name).await?,
        BundleFiles::Shards { index, sources } => {
            let checkpoint = Checkpoint::from_shards(index, name, sources);
            if config.is_none() {
                // Its metadata may have the configuration. If it cannot be opened, reading its tensors says why.
                let _ = checkpoint.open_first().await;
            }
            checkpoint
        }
    };
    let checkpoint = match &config {
        Some(config) => checkpoint.with_quantisation(config.quantisation()),
        None => checkpoint,
    };
    Ok(OpenFile { checkpoint, config })
}

impl<H: Host> Session<H> {
    /// Opens a file with the given options. The model that is open under the number stays until that succeeds.
    pub(super) async fn open_file(
        &self,
        version: ModelVersion,
        file: Rc<OpenFile<AnyCheckpoint<H::Source>>>,
        choice: &ModelOptions,
        watch: &impl Progress,
    ) -> Result<OpenResult, Failure> {
        let checkpoint = &file.checkpoint;
        self.still_opens(version.id)?;
        // Stored from here on, so that missing shards can be matched with it and its options chosen.
        let is_stored = self.files.borrow().contains_key(&version.id);
        if !is_stored && !checkpoint.missing_files().is_empty() {
            let mut files = self.files.borrow_mut();
            files.insert(version.id, Rc::clone(&file));
        }
        if choice.asks_for_tensors {
            let offer = TensorOffer {
                sentence: OTHER_TENSORS.to_owned(),
                is_required: true,
            };
            return self.offer_tensors(version, file, offer, watch).await;
        }
        match PositionModel::open(checkpoint, file.config.as_ref(), choice).await {
            Ok(model) => {
                let progress = || watch.progress(checkpoint.bytes_read(), checkpoint.size());
                progress();
                let open = Rc::new(LoadedModel::from_model(Rc::clone(&file), model));
                let summary = open.summary(None, watch).await?;
                progress();
                self.still_opens(version.id)?;
                let mut files = self.files.borrow_mut();
                files.insert(version.id, Rc::clone(&file));
                self.insert(version, open);
                Ok(OpenResult::Opened(Box::new(summary)))
            }
            Err(error) if choice.table.is_none() && error.is_answered_by_choice() => {
                let is_unknown = matches!(error, ModelError::UnknownFamily { .. });
                let offer = TensorOffer {
                    sentence: error.to_string(),
                    is_required: is_unknown,
                };
                self.offer_tensors(version, file, offer, watch).await
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Offers the tensors of a file from which the user may choose. The file is stored, so that it can be opened with the
    /// choice.
    async fn offer_tensors(
        &self,
        version: ModelVersion,
        file: Rc<OpenFile<AnyCheckpoint<H::Source>>>,
        offer: TensorOffer,
        watch: &impl Progress,
    ) -> Result<OpenResult, Failure> {
        let checkpoint = &file.checkpoint;
        checkpoint.open_all().await?;
        let all = checkpoint.tensors();
        let tables = tables(all.iter().copied());
        if tables.is_empty() && offer.is_required {
            let text = format!(
                "{} has no matrix of floating-point numbers with at least two rows and two columns, so it has no position table. Open a checkpoint with the weights.",
                checkpoint.name()
            );
            return Err(Failure::new(FailureKind::RefusedFile, text));
        }
        let norms = if tables.is_empty() {
            Vec::new()
        } else {
            norms(all)
        };
        let tensors = tables.into_iter().chain(norms).cloned().collect();
        watch.progress(checkpoint.bytes_read(), checkpoint.size());
        self.still_opens(version.id)?;
        self.files.borrow_mut().insert(version.id, file);
        Ok(OpenResult::Choose(tensors, offer.sentence))
    }
}

/// An offer to choose tensors.
struct TensorOffer {
    /// Reason for the offer.
    sentence: String,
    /// Whether a file without a possible table is refused.
    is_required: bool,
}
