//! The parts of a SentencePiece file (`sentencepiece_model.proto`) that tokenizing needs.

use prost::{Enumeration, Message};

/// A SentencePiece file.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct SentencePieceFile {
    /// The vocabulary, in the order of ids.
    #[prost(message, repeated, tag = "1")]
    pub(crate) pieces: Vec<SentencePiece>,
    #[prost(message, optional, tag = "2")]
    pub(crate) trainer: Option<TrainerSettings>,
    #[prost(message, optional, tag = "3")]
    pub(crate) normalizer: Option<NormalizerSettings>,
}

/// A piece of the vocabulary.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct SentencePiece {
    #[prost(string, optional, tag = "1")]
    pub(crate) piece: Option<String>,
    /// Logarithm of its probability.
    #[prost(float, optional, tag = "2")]
    pub(crate) score: Option<f32>,
    #[prost(enumeration = "PieceKind", optional, tag = "3", default = "Normal")]
    pub(crate) kind: Option<i32>,
}

/// A kind of piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Enumeration)]
#[repr(i32)]
pub(crate) enum PieceKind {
    Normal = 1,
    Unknown = 2,
    /// A token that no text contains, such as `</s>`.
    Control = 3,
    /// A piece that is never split.
    UserDefined = 4,
    Unused = 5,
    Byte = 6,
}

/// `model_type` of a model that chooses the most probable pieces.
pub(crate) const UNIGRAM: i32 = 1;

/// Settings of the training.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct TrainerSettings {
    #[prost(int32, optional, tag = "3", default = "1")]
    pub(crate) model_type: Option<i32>,
}

/// Settings of what happens to a text before it is split.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct NormalizerSettings {
    /// A search tree of characters and their replacements.
    #[prost(bytes = "vec", optional, tag = "2")]
    pub(crate) character_map: Option<Vec<u8>>,
}
