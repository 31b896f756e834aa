//! Opening models: files handed over, named ones, computed tables; and the same file looked at otherwise.

use super::{
    Compute, Failure, FailureKind, ModelSummary, Opened, Opening, Session, Watch,
    opened::{Open, OpenFile},
    session::AnyCheckpoint,
};
use crate::{
    checkpoint::{
        Address, AnySource, Bundle, Bundled, ByteSource, Checkpoint, Fetch, Formats, HubError,
        HubWeights, RemoteError, RemoteSource, gather,
    },
    late::Fetched,
    model::{Choice, Config, ModelError, PositionModel, PositionSource, tables},
};
use ndarray::Array2;
use std::rc::Rc;

/// Why something named could not be opened.
pub(super) enum Unopened {
    /// A person must be asked whether it may be read whole; its size, where that is known.
    AskWhole(Option<u64>),
    /// For that reason.
    Failed(Failure),
}

impl From<RemoteError> for Unopened {
    fn from(error: RemoteError) -> Self {
        match error {
            RemoteError::RangeIgnored { size } => Self::AskWhole(size),
            error => Self::Failed(error.into()),
        }
    }
}

impl From<HubError> for Unopened {
    fn from(error: HubError) -> Self {
        match error {
            HubError::Remote(error) => error.into(),
            error => Self::Failed(error.into()),
        }
    }
}

impl<E: Into<Failure>> From<Refused<E>> for Unopened {
    fn from(Refused(error): Refused<E>) -> Self {
        Self::Failed(error.into())
    }
}

/// An error that no answer of a person can mend.
struct Refused<E>(E);

/// Puts a computed table in place of whatever was open under its number.
pub(super) async fn computed<L: ByteSource, F: Fetch, C: Compute>(
    session: &Session<L, F, C>,
    opened: Opened,
    table: Array2<f32>,
    (name, about): (&str, String),
    watch: &impl Watch,
) -> Result<ModelSummary, Failure> {
    let open = Rc::new(Open::computed(PositionSource::computed(table)));
    let summary = open.summary(Some((name, about)), watch).await?;
    let mut models = session.models.borrow_mut();
    models.insert(opened.id, (opened, open));
    // A file that was open under the number is not looked at otherwise any more.
    session.files.borrow_mut().remove(&opened.id);
    Ok(summary)
}

/// The checkpoint that files make together.
pub(super) async fn of_files<L: ByteSource, F: Fetch>(
    files: Vec<(String, L)>,
    formats: Fetched<Formats>,
) -> Result<OpenFile<AnyCheckpoint<L, F>>, Failure> {
    let sorted = gather(files, formats).await?;
    if let Some(bundle) = sorted.bundles.into_iter().next() {
        return bundled(bundle, formats).await;
    }
    if let Some(shard) = sorted.loose.into_iter().next() {
        let source = AnySource::Local(shard.source);
        let checkpoint = Checkpoint::open_with(formats, source, &shard.name).await?;
        let config = None;
        return Ok(OpenFile { checkpoint, config });
    }
    let sentence = sorted.said.into_iter().next();
    Err(Failure::new(
        FailureKind::RefusedFile,
        sentence.unwrap_or_else(|| "There is no model in these files. Open them again.".into()),
    ))
}

/// Files that belong together, as a checkpoint.
async fn bundled<L: ByteSource, F: Fetch>(
    bundle: Bundle<L>,
    formats: Fetched<Formats>,
) -> Result<OpenFile<AnyCheckpoint<L, F>>, Failure> {
    let config = bundle.config.as_deref().map(Config::parse).transpose()?;
    let checkpoint = match bundle.files {
        Bundled::One(source) => {
            Checkpoint::open_with(formats, AnySource::Local(source), &bundle.name).await?
        }
        Bundled::Shards { index, sources } => {
            let sources = sources.into_iter();
            let sources = sources.map(|(name, source)| (name, AnySource::Local(source)));
            Checkpoint::of_shards_with(formats, index, &bundle.name, sources)
        }
    };
    Ok(OpenFile { checkpoint, config })
}

impl<L: ByteSource, F: Fetch, C: Compute> Session<L, F, C> {
    /// A model of the Hub, or a file at an address.
    pub(super) async fn named(
        &self,
        named: &str,
        whole: bool,
    ) -> Result<OpenFile<AnyCheckpoint<L, F>>, Unopened> {
        let place = Address::parse(named, &self.hub).map_err(|error| {
            Unopened::Failed(Failure::new(FailureKind::RefusedFile, error.to_string()))
        })?;
        let formats = self.late.formats;
        match place {
            Address::File(address) => {
                let source = RemoteSource::open(&self.network, &address, whole).await?;
                let end = address.split(['?', '#']).next().unwrap_or_default();
                let name = end.rsplit('/').next().unwrap_or_default();
                let source = AnySource::Remote(source);
                let checkpoint = Checkpoint::open_with(formats, source, name).await;
                let checkpoint = checkpoint.map_err(Refused)?;
                let config = None;
                Ok(OpenFile { checkpoint, config })
            }
            Address::Hub(name) => {
                let model = name.open(&self.network, &self.hub, whole).await?;
                let name = name.to_string();
                let checkpoint = match model.weights {
                    HubWeights::File { source, .. } => {
                        let source = AnySource::Remote(source);
                        let checkpoint = Checkpoint::open_with(formats, source, &name).await;
                        checkpoint.map_err(Refused)?
                    }
                    HubWeights::Shards { index, sources } => {
                        let sources = sources.into_iter();
                        let sources =
                            sources.map(|(name, source)| (name, AnySource::Remote(source)));
                        Checkpoint::of_shards_with(formats, index, &name, sources)
                    }
                };
                let config = model.config.as_deref().map(Config::parse).transpose();
                let config = config.map_err(Refused)?;
                Ok(OpenFile { checkpoint, config })
            }
        }
    }

    /// Looks at a file with some choice; what was open under the number stays until that succeeds.
    pub(super) async fn open_file(
        &self,
        opened: Opened,
        file: Rc<OpenFile<AnyCheckpoint<L, F>>>,
        choice: &Choice,
        watch: &impl Watch,
    ) -> Result<Opening, Failure> {
        let checkpoint = &file.checkpoint;
        // It is kept from here on, so that a missing shard can be matched with it and its choice be made.
        let known = self.files.borrow().contains_key(&opened.id);
        if !known && !checkpoint.missing().is_empty() {
            let mut files = self.files.borrow_mut();
            files.insert(opened.id, Rc::clone(&file));
        }
        match PositionModel::open(checkpoint, file.config.as_ref(), choice).await {
            Ok(model) => {
                let progress = || watch.progress(checkpoint.bytes_read(), checkpoint.size());
                progress();
                let open = Rc::new(Open::of_model(Rc::clone(&file), model));
                let summary = open.summary(None, watch).await?;
                progress();
                let mut files = self.files.borrow_mut();
                files.insert(opened.id, Rc::clone(&file));
                let mut models = self.models.borrow_mut();
                models.insert(opened.id, (opened, open));
                Ok(Opening::Opened(Box::new(summary)))
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
                            "{} holds no matrix of floating-point numbers, so there is no position table in it. Open a checkpoint that holds the weights.",
                            checkpoint.name()
                        ),
                    ));
                }
                watch.progress(checkpoint.bytes_read(), checkpoint.size());
                self.files.borrow_mut().insert(opened.id, file);
                Ok(Opening::Choose(candidates, error.to_string()))
            }
            Err(error) => Err(error.into()),
        }
    }
}
