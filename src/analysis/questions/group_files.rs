//! Grouping of files that are opened together into models.

use super::prelude::*;
use crate::{
    analysis::{ModelId, Session, opening::opens_alone},
    checkpoint::{AnySource, BundleFiles, CheckpointError, ShardFit, group_files_and_configs},
};
use std::rc::Rc;

/// Groups the files that come with the question into models. None of them is kept: opening a model takes its files
/// again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupFiles;

/// Result of grouping files; files are numbered in the order in which they came.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupedFiles {
    /// Models among the files.
    pub models: Vec<FoundModel>,
    /// Shards that belong to none of these models.
    pub shards: Vec<UnplacedShard>,
    /// Files of tokenizers that belong to none of these models.
    pub tokenizer: Vec<usize>,
    /// Messages about the remaining files.
    pub messages: Vec<String>,
}

/// A model among files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundModel {
    /// Name of the model: that of its file or folder.
    pub name: String,
    /// Numbers of its files: weights, index, configuration, tokenizer.
    pub files: Vec<usize>,
}

/// A shard without the rest of its model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnplacedShard {
    /// Name of the file.
    pub name: String,
    /// Number of the file.
    pub file: usize,
    /// The open models that lack a file of this name with such tensors. If there are several, the user has to choose.
    pub fits: Vec<ModelId>,
}

impl SingleAnswer for GroupFiles {
    type Answer = GroupedFiles;
    const URGENCY: Urgency = Urgency::Now;

    fn model(&self) -> Option<ModelVersion> {
        None
    }

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<GroupedFiles, Failure> {
        let files = context.take_files();
        let names: Vec<String> = files.iter().map(|(name, _)| name.clone()).collect();
        let sorted = group_files_and_configs(files, opens_alone).await?;
        let mut groups = GroupedFiles {
            tokenizer: sorted.tokenizer,
            messages: sorted.messages,
            ..GroupedFiles::default()
        };
        for bundle in sorted.bundles {
            let has_index = bundle.has_index();
            let mut model = FoundModel {
                name: bundle.name,
                files: bundle.inputs,
            };
            model.files.extend(bundle.tokenizer);
            // Shards without an index form a model, but they may be the missing shards of an open model.
            if let BundleFiles::Shards { sources, .. } = bundle.files
                && !has_index
                && !sources.is_empty()
            {
                let mut shards = Vec::new();
                for (name, source) in sources {
                    let is_it =
                        |&file: &usize| names.get(file).is_some_and(|path| ends(path, &name));
                    let file = model.files.iter().copied().find(is_it).unwrap_or_default();
                    let fits = models_that_lack(context.session, &name, source).await?;
                    shards.push(UnplacedShard { name, file, fits });
                }
                if shards.iter().all(|shard| !shard.fits.is_empty()) {
                    groups.shards.append(&mut shards);
                    continue;
                }
            }
            groups.models.push(model);
        }
        for shard in sorted.loose {
            groups.shards.push(UnplacedShard {
                fits: models_that_lack(context.session, &shard.name, shard.source).await?,
                name: shard.name,
                file: shard.input,
            });
        }
        Ok(groups)
    }
}

/// Whether a path leads to a file of this name.
fn ends(path: &str, name: &str) -> bool {
    path.rsplit('/').next() == Some(name)
}

/// The models, open or waiting for files, that lack a shard of this name with such tensors. Unlikely ones count only if
/// there is no other.
async fn models_that_lack<H: Host>(
    session: &Session<H>,
    name: &str,
    source: H::Source,
) -> Result<Vec<ModelId>, Failure> {
    let source = AnySource::Local(source);
    let files: Vec<_> = (session.files.borrow().iter())
        .map(|(id, file)| (*id, Rc::clone(file)))
        .collect();
    let (mut possible, mut unlikely) = (Vec::new(), Vec::new());
    for (id, file) in files {
        match file.checkpoint.fits(name, &source).await {
            Ok(ShardFit::Possible) => possible.push(id),
            Ok(ShardFit::Unlikely) => unlikely.push(id),
            Err(error @ CheckpointError::NotFetched(_)) => return Err(error.into()),
            // A file that cannot be opened is reported when it is opened by itself.
            Ok(ShardFit::No) | Err(_) => {}
        }
    }
    let mut fits = if possible.is_empty() {
        unlikely
    } else {
        possible
    };
    fits.sort_unstable();
    Ok(fits)
}
