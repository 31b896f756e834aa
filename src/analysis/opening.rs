//! Opening models: files handed over, named ones, computed tables; and the same file looked at otherwise.

use super::{
    Answer, Gathering, ModelId, Origin, Reply, Session,
    opened::{Open, OpenFile, closed},
    session::Failure,
};
use crate::{
    checkpoint::{
        Bundle, Bundled, ByteSource, Checkpoint, CheckpointError, Fetch, HubError, HubWeights,
        Place, RemoteError, RemoteSource, Source, gather,
    },
    model::{Choice, Config, ModelError, PositionModel, PositionSource, tables},
};
use ndarray::Array2;
use std::rc::Rc;

/// Why something named could not be opened.
enum Unopened {
    /// A person must be asked whether it may be read whole; its size, where that is known.
    AskWhole(Option<u64>),
    /// For that reason.
    Failed(Failure),
}

impl From<RemoteError> for Unopened {
    fn from(error: RemoteError) -> Self {
        match error {
            RemoteError::RangeIgnored { size } => Self::AskWhole(size),
            error => Self::Failed(Failure(error.to_string())),
        }
    }
}

impl From<HubError> for Unopened {
    fn from(error: HubError) -> Self {
        match error {
            HubError::Remote(error) => error.into(),
            error => Self::Failed(Failure(error.to_string())),
        }
    }
}

impl From<CheckpointError> for Failure {
    fn from(error: CheckpointError) -> Self {
        Self(error.to_string())
    }
}

impl From<CheckpointError> for Unopened {
    fn from(error: CheckpointError) -> Self {
        Self::Failed(error.into())
    }
}

impl<L: ByteSource, F: Fetch> Session<L, F> {
    /// Sorts files into models. Files that an open checkpoint lacks go to it.
    pub(super) async fn gather(&self, files: Vec<(String, L)>) -> Gathering {
        let mut gathering = Gathering::default();
        let mut rest = Vec::new();
        // Shards that come with their own index are another model's, whatever they are called.
        let indexed: Vec<String> = files
            .iter()
            .filter(|(path, _)| path.ends_with(".index.json"))
            .map(|(path, _)| folder(path).to_owned())
            .collect();
        for (path, source) in files {
            if indexed.iter().any(|index| index == folder(&path)) {
                rest.push((path, source));
                continue;
            }
            match self.offer(&path, source, &mut gathering.joined) {
                Ok(()) => {}
                Err(source) => rest.push((path, source)),
            }
        }
        let sorted = gather(rest).await;
        gathering.said = sorted.said;
        let loose = sorted.loose.into_iter().map(|(name, source)| Bundle {
            name,
            config: None,
            files: Bundled::One(source),
        });
        let mut kept = self.gathered.borrow_mut();
        for bundle in sorted.bundles.into_iter().chain(loose) {
            gathering
                .found
                .push((kept.len() as u32, bundle.name.clone()));
            kept.push(Some(bundle));
        }
        gathering
    }

    /// Hands a file to the open checkpoint that lacks one of that name, if there is one.
    fn offer(&self, path: &str, source: L, joined: &mut Vec<ModelId>) -> Result<(), L> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let mut source = Source::Local(source);
        for (id, file) in self.files.borrow().iter() {
            if !file
                .checkpoint
                .missing()
                .iter()
                .any(|missing| missing == name)
            {
                continue;
            }
            match file.checkpoint.offer(name, source) {
                Ok(()) => {
                    if !joined.contains(id) {
                        joined.push(*id);
                    }
                    return Ok(());
                }
                Err(back) => source = back,
            }
        }
        match source {
            Source::Local(source) => Err(source),
            // It was handed over as a local file just now.
            Source::Remote(_) => Ok(()),
        }
    }

    pub(super) async fn open(
        &self,
        id: ModelId,
        origin: Origin,
        choice: Choice,
        files: Vec<(String, L)>,
        reply: &impl Reply,
    ) -> Result<(), Failure> {
        let computed = async |table: Array2<f32>, name: &str, about: String| {
            let open = Rc::new(Open::computed(PositionSource::computed(table)));
            let summary = open.summary(Some((name, about)), reply).await?;
            self.models.borrow_mut().insert(id, open);
            reply.send(Answer::Opened(summary));
            Ok(())
        };
        let file = match origin {
            Origin::Sinusoidal(table) => {
                let about = format!("sines and cosines, base {}", table.base);
                return computed(table.table(), "sinusoidal", about).await;
            }
            Origin::Random(table) => {
                let about = format!("control, seed {}", table.seed);
                return computed(table.table(), "random", about).await;
            }
            Origin::File { name, config } => {
                let (_, source) = files.into_iter().next().ok_or_else(closed)?;
                let config = config.as_deref().map(Config::parse).transpose()?;
                let checkpoint = Checkpoint::open(Source::Local(source), &name).await?;
                OpenFile { checkpoint, config }
            }
            Origin::Found(number) => {
                let found = self
                    .gathered
                    .borrow_mut()
                    .get_mut(number as usize)
                    .and_then(Option::take);
                bundled(found.ok_or_else(closed)?).await?
            }
            Origin::Web { named, whole } => match self.named(&named, whole).await {
                Ok(file) => file,
                Err(Unopened::Failed(failure)) => return Err(failure),
                Err(Unopened::AskWhole(size)) => {
                    reply.send(Answer::AskWhole(size));
                    return Ok(());
                }
            },
        };
        self.open_file(id, Rc::new(file), &choice, reply).await
    }

    /// A model of the Hub, or a file at an address.
    async fn named(
        &self,
        named: &str,
        whole: bool,
    ) -> Result<OpenFile<Checkpoint<Source<L, F>>>, Unopened> {
        let place = Place::parse(named, &self.hub);
        let place = place.map_err(|error| Unopened::Failed(Failure(error.to_string())))?;
        match place {
            Place::File(address) => {
                let source = RemoteSource::open(&self.network, &address, whole).await?;
                let end = address.split(['?', '#']).next().unwrap_or_default();
                let name = end.rsplit('/').next().unwrap_or_default();
                let checkpoint = Checkpoint::open(Source::Remote(source), name).await?;
                let config = None;
                Ok(OpenFile { checkpoint, config })
            }
            Place::Hub(name) => {
                let model = name.open(&self.network, &self.hub, whole).await?;
                let name = name.to_string();
                let checkpoint = match model.weights {
                    HubWeights::File { source, .. } => {
                        Checkpoint::open(Source::Remote(source), &name).await?
                    }
                    HubWeights::Shards { index, sources } => {
                        let sources = sources.into_iter();
                        let sources = sources.map(|(name, source)| (name, Source::Remote(source)));
                        Checkpoint::of_shards(index, &name, sources)
                    }
                };
                let config = model.config.as_deref().map(Config::parse).transpose();
                let config = config.map_err(|error| Unopened::Failed(error.into()))?;
                Ok(OpenFile { checkpoint, config })
            }
        }
    }

    /// Looks at a file with some choice; what was open under the number stays until that succeeds.
    pub(super) async fn open_file(
        &self,
        id: ModelId,
        file: Rc<OpenFile<Checkpoint<Source<L, F>>>>,
        choice: &Choice,
        reply: &impl Reply,
    ) -> Result<(), Failure> {
        let checkpoint = &file.checkpoint;
        // Kept from here on, so that a shard that is missing can be handed over and asked for again.
        let known = self.files.borrow().contains_key(&id);
        if !known && !checkpoint.missing().is_empty() {
            self.files.borrow_mut().insert(id, Rc::clone(&file));
        }
        match PositionModel::open(checkpoint, file.config.as_ref(), choice).await {
            Ok(model) => {
                reply.send(read(checkpoint));
                let open = Open::of_model(Rc::clone(&file), model);
                let summary = open.summary(None, reply).await?;
                reply.send(read(checkpoint));
                self.files.borrow_mut().insert(id, file);
                self.models.borrow_mut().insert(id, Rc::new(open));
                reply.send(Answer::Opened(summary));
                Ok(())
            }
            Err(error @ (ModelError::UnknownFamily { .. } | ModelError::NothingLearned { .. })) => {
                checkpoint.open_all().await?;
                let candidates: Vec<_> =
                    tables(checkpoint.tensors()).into_iter().cloned().collect();
                let unknown = matches!(error, ModelError::UnknownFamily { .. });
                if candidates.is_empty() && unknown {
                    return Err(Failure(format!(
                        "{} holds no matrix of floating-point numbers, so there is no position table in it. Open a checkpoint that holds the weights.",
                        checkpoint.name()
                    )));
                }
                reply.send(read(checkpoint));
                self.files.borrow_mut().insert(id, file);
                reply.send(Answer::Choose(candidates, error.to_string()));
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// How much of a checkpoint has been read.
fn read<S: ByteSource>(checkpoint: &Checkpoint<S>) -> Answer {
    Answer::Read {
        read: checkpoint.bytes_read(),
        size: checkpoint.size(),
    }
}

/// What stands before a file's name in its path.
fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Files that belong together, as a checkpoint.
async fn bundled<L: ByteSource, F: Fetch>(
    bundle: Bundle<L>,
) -> Result<OpenFile<Checkpoint<Source<L, F>>>, Failure> {
    let config = bundle.config.as_deref().map(Config::parse).transpose()?;
    let checkpoint = match bundle.files {
        Bundled::One(source) => Checkpoint::open(Source::Local(source), &bundle.name).await?,
        Bundled::Shards { index, sources } => {
            let sources = sources.into_iter();
            let sources = sources.map(|(name, source)| (name, Source::Local(source)));
            Checkpoint::of_shards(index, &bundle.name, sources)
        }
    };
    Ok(OpenFile { checkpoint, config })
}
