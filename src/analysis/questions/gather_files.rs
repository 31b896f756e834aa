//! Files handed over at once, sorted into models.

use crate::{
    analysis::{Compute, Desk, Failure, ModelId, Opened, Question, Reply, Urgency},
    checkpoint::{ByteSource, AnySource, Fetch, ShardFit, gather},
};
use serde::{Deserialize, Serialize};

/// Sorts the files that come with it into models. Nothing of them is kept: who opens a model hands over its files
/// again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GatherFiles;

/// What became of files that were handed over; files are numbered in the order in which they were.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gathering {
    /// Models found.
    pub found: Vec<FoundModel>,
    /// Shards that belong to no model found.
    pub shards: Vec<UnplacedShard>,
    /// What should be said of the rest.
    pub said: Vec<String>,
}

/// A model among files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundModel {
    /// Its name: that of its file or its folder.
    pub name: String,
    /// Its files: weights, index, configuration.
    pub files: Vec<usize>,
}

/// A shard without the rest of its model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnplacedShard {
    /// Its name.
    pub name: String,
    /// Which of the files it is.
    pub file: usize,
    /// The open models that lack a file of that name and of such tensors. Where there are several, only a person
    /// knows which is meant.
    pub fits: Vec<ModelId>,
}

impl Question for GatherFiles {
    type Piece = Gathering;
    type Answer = Gathering;
    const URGENCY: Urgency = Urgency::Now;

    fn about(&self) -> Option<Opened> {
        None
    }

    fn collect(so_far: Option<Self::Answer>, piece: Self::Piece) -> Self::Answer {
        super::only(so_far, piece)
    }

    async fn answer<L: ByteSource, F: Fetch, C: Compute, R: Reply>(
        self,
        desk: &Desk<'_, Self, L, F, C, R>,
    ) -> Result<(), Failure> {
        let sorted = gather(desk.take_files()).await;
        let mut gathering = Gathering {
            said: sorted.said,
            ..Gathering::default()
        };
        gathering.found = (sorted.bundles.into_iter())
            .map(|bundle| FoundModel {
                name: bundle.name,
                files: bundle.inputs,
            })
            .collect();
        for shard in sorted.loose {
            let source = AnySource::Local(shard.source);
            let files: Vec<_> = (desk.session.files.borrow().iter())
                .map(|(id, file)| (*id, std::rc::Rc::clone(file)))
                .collect();
            let (mut possible, mut unlikely) = (Vec::new(), Vec::new());
            for (id, file) in files {
                match file.checkpoint.fits(&shard.name, &source).await {
                    Ok(ShardFit::Possible) => possible.push(id),
                    Ok(ShardFit::Unlikely) => unlikely.push(id),
                    // What cannot be opened says so when it is opened by itself.
                    Ok(ShardFit::No) | Err(_) => {}
                }
            }
            let mut fits = if possible.is_empty() {
                unlikely
            } else {
                possible
            };
            fits.sort_unstable();
            gathering.shards.push(UnplacedShard {
                name: shard.name,
                file: shard.input,
                fits,
            });
        }
        desk.send(&gathering);
        Ok(())
    }
}
