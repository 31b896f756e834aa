//! Where a picture comes from.

/// What the metadata of a saved picture say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provenance {
    /// What it is of.
    pub title: String,
    /// What it shows, in sentences with numbers.
    pub description: String,
    /// The link that shows the same figure again.
    pub source: String,
    /// The hash of the model's positions that links to files carry; `None` where the picture is of no model.
    pub hash: Option<u64>,
}

impl Provenance {
    /// The page that made it, and its version.
    pub const SOFTWARE: &'static str = concat!("Diagonal ", env!("CARGO_PKG_VERSION"));

    /// The hash as links write it.
    #[must_use]
    pub fn hash_text(&self) -> Option<String> {
        self.hash.map(|hash| format!("{hash:016x}"))
    }
}
