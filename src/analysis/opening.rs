//! Opens models: the user's files, files on servers, computed tables, and the same file with other options.

use super::{
    Failure, FailureKind, Host, ModelSummary, ModelVersion, OpenResult, Progress, Session,
    loaded_model::{LoadedModel, OpenFile},
    session::AnyCheckpoint,
};
use crate::{
    checkpoint::{AnySource, BundleFiles, ByteSource, Checkpoint, RemoteModel, group_files},
    model::{Config, ModelError, ModelOptions, PositionModel, PositionSource, tables},
};
use ndarray::Array2;
use std::rc::Rc;

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

/// Opens the checkpoint that the user's files form together.
pub(super) async fn open_files<L: ByteSource>(
    files: Vec<(String, L)>,
) -> Result<OpenFile<AnyCheckpoint<L>>, Failure> {
    let sorted = group_files(files).await?;
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
        BundleFiles::Shards { index, sources } => Checkpoint::from_shards(index, name, sources),
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
            Err(error @ (ModelError::UnknownFamily { .. } | ModelError::NothingLearned { .. })) => {
                checkpoint.open_all().await?;
                let candidates: Vec<_> =
                    tables(checkpoint.tensors()).into_iter().cloned().collect();
                let unknown = matches!(error, ModelError::UnknownFamily { .. });
                if candidates.is_empty() && unknown {
                    return Err(Failure::new(
                        FailureKind::RefusedFile,
                        format!(
                            "{} has no matrix of floating-point numbers with at least two rows and two columns, so it has no position table. Open a checkpoint with the weights.",
                            checkpoint.name()
                        ),
                    ));
                }
                watch.progress(checkpoint.bytes_read(), checkpoint.size());
                self.still_opens(version.id)?;
                self.files.borrow_mut().insert(version.id, file);
                Ok(OpenResult::Choose(candidates, error.to_string()))
            }
            Err(error) => Err(error.into()),
        }
    }
}
