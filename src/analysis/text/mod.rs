//! Attention of a model's heads over a text: summaries, maps and profiles, as plain data.
//!
//! The states that enter each layer come from the model's forward pass (`crate::forward`).

mod head_summary;
mod matrix;
mod parts;
mod predictions;
mod profile;
mod support;
mod tokens;

pub use head_summary::{SpecialTokenMode, TextHeadSummary, TextR2};
pub use matrix::{TextMatrix, TextValues};
pub use parts::PartShare;
pub use predictions::{PredictionKind, TokenPrediction};
pub use profile::TextProfile;
pub use support::{TextShift, TextSupport};
pub use tokens::TextTokens;

pub(super) use head_summary::summarise_text_head;
pub(super) use matrix::{KeyWindow, TextHead, visible_fit};
pub(super) use parts::{part_shares, shares_of_parts};
