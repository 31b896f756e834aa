//! The list of views.
//!
//! The build makes the header of `index.html` of it, too (`xtask/src/still_header.rs`), so this file uses nothing of the
//! library.

/// A view of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum View {
    /// The position table.
    #[default]
    Positions,
    /// All heads of a model.
    Heads,
    /// Attention of all heads over a text.
    Text,
    /// TISA kernels.
    Kernels,
    /// Position encodings side by side.
    Encodings,
    /// Spectra, components and phases of positions, queries and keys.
    Waves,
    /// Attention on images: when it is a convolution.
    Images,
    /// All open models side by side.
    Compare,
    /// Checkpoints of one model as a timeline.
    Training,
    /// The list of lessons.
    Lessons,
}

/// All views: value, identifier, name. The menu and tests iterate over it.
pub const VIEWS: &[(View, &str, &str)] = &[
    (View::Positions, "positions", "Positions"),
    (View::Heads, "heads", "Heads"),
    (View::Text, "text", "Text"),
    (View::Kernels, "kernels", "Kernels"),
    (View::Encodings, "encodings", "Encodings"),
    (View::Waves, "waves", "Waves"),
    (View::Images, "images", "Images"),
    (View::Compare, "compare", "Compare"),
    (View::Training, "training", "Training"),
    (View::Lessons, "lessons", "Lessons"),
];
