//! Figures of attention on images: the centres of heads, the attention of one pixel, and the results of heads and
//! convolution.

mod concatenated_heads;
mod error_curve;
mod head_ranks;
mod layer_gaussians;
mod panels;
mod pictures;
mod pixel_heads;
mod query_attention;

pub use concatenated_heads::ConcatenatedHeads;
pub use error_curve::error_curve;
pub use head_ranks::head_ranks;
pub use layer_gaussians::LayerGaussians;
pub use pictures::{FilterPictures, filtered_signal};
pub use pixel_heads::{HeadHandle, PixelHeads, ring_words};
pub use query_attention::{QueryAttention, attention_on_line};
