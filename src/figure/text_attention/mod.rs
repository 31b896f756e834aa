//! Figures of a model's attention over a text: its tokens, all heads, one head as a map and by offset, and predictions.

mod head_measure;
mod head_pictures;
mod head_scatter;
mod predictions;
mod profile;
mod score_parts;
mod text_map;
mod text_token;
mod token_labels;
mod token_strip;

pub use head_measure::{HEAD_MEASURES, HeadMeasure, heads_by_measure};
pub use head_pictures::{TextHeadPictures, text_grid_caption};
pub use head_scatter::{HeadScatter, ScatterAxes};
pub use predictions::{TokenNames, prediction_bars};
pub use profile::text_profile;
pub use score_parts::score_parts;
pub use text_map::{MapContent, TextMap};
pub use text_token::TextToken;
pub use token_strip::{StripColors, TokenStrip};
