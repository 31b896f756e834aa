//! Models that ship with the page. `www/presets/manifest.json` holds their sources, licences and hashes; a test checks
//! that this list matches it.

/// File and description of a preset.
#[derive(Debug, Clone, Copy)]
pub struct Preset {
    /// Identifier, stable in links.
    pub id: &'static str,
    /// File in the page's folder `presets`.
    pub file: &'static str,
    /// File with the position table alone, at half precision: a tenth of the bytes, and shown first.
    pub positions: &'static str,
    /// Rows and columns of that table, known before it is loaded.
    pub shape: (usize, usize),
    /// Description in one line.
    pub about: &'static str,
}

/// Every preset. The page opens the first by default.
pub const PRESETS: &[Preset] = &[Preset {
    id: "minilm-l6",
    file: "minilm-l6.safetensors",
    positions: "minilm-l6-positions.safetensors",
    shape: (512, 384),
    about: "all-MiniLM-L6-v2, a BERT with learned positions",
}];
