//! Origin of a saved picture.

/// Content of a saved picture's metadata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provenance {
    /// The title.
    pub title: String,
    /// A description in sentences with numbers.
    pub description: String,
    /// The link that reproduces the figure.
    pub source: String,
    /// Hash of the model's positions, as in links to files. `None` if the picture shows no model.
    pub hash: Option<u64>,
}

impl Provenance {
    /// The program that made it, with its version.
    pub const SOFTWARE: &'static str = concat!("Diagonal ", env!("CARGO_PKG_VERSION"));

    /// The hash as 16 hexadecimal digits, as in links.
    #[must_use]
    pub fn hash_text(&self) -> Option<String> {
        self.hash.map(|hash| format!("{hash:016x}"))
    }
}
