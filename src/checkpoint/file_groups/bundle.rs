//! A checkpoint among files that were opened together.

use crate::checkpoint::shards::ShardIndex;

/// One checkpoint.
#[derive(Debug)]
pub struct Bundle<S> {
    /// Name shown to the user: that of its file, or of its folder if the file's name is a generic one.
    pub name: String,
    /// Text of its `config.json`.
    pub config: Option<String>,
    /// Its weights.
    pub files: BundleFiles<S>,
    /// Positions, among the files that were passed in, of its weights, its index and its configuration, in ascending
    /// order. A configuration may belong to several bundles.
    pub inputs: Vec<usize>,
    /// Positions, among the files that were passed in, of the files of its tokenizer. They are not read.
    pub tokenizer: Vec<usize>,
}

impl<S> Bundle<S> {
    /// Whether shards come with an index. If so, they are a model on their own.
    pub fn has_index(&self) -> bool {
        match &self.files {
            BundleFiles::One(_) => false,
            BundleFiles::Shards { sources, .. } => {
                self.inputs.len() > sources.len() + usize::from(self.config.is_some())
            }
        }
    }
}

/// The files of one checkpoint.
#[derive(Debug)]
pub enum BundleFiles<S> {
    /// The whole checkpoint in one file.
    One(S),
    /// A checkpoint in shards; with an empty index and without sources if only its configuration is here.
    Shards {
        /// Which tensor is in which shard.
        index: ShardIndex,
        /// The shards that were provided, by name.
        sources: Vec<(String, S)>,
    },
}

impl<S> BundleFiles<S> {
    /// Converts the sources to another type.
    pub fn map<T>(self, change: impl Fn(S) -> T) -> BundleFiles<T> {
        match self {
            Self::One(source) => BundleFiles::One(change(source)),
            Self::Shards { index, sources } => {
                let sources = sources.into_iter();
                let sources = sources.map(|(name, source)| (name, change(source)));
                BundleFiles::Shards {
                    index,
                    sources: sources.collect(),
                }
            }
        }
    }
}
