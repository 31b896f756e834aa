//! Models that ship with the page. `www/presets/manifest.json` holds their sources, licences and hashes;
//! a test holds this list and that file together.

/// A preset's file and what to call it.
#[derive(Debug, Clone, Copy)]
pub struct Preset {
    /// Stable in links.
    pub id: &'static str,
    /// File in the page's folder `presets`.
    pub file: &'static str,
    /// File beside it with the position table alone, at half precision: a tenth of the bytes, and what is shown first.
    pub positions: &'static str,
    /// Rows and columns of that table, which are known before it is there.
    pub shape: (usize, usize),
    /// What it is, in a line.
    pub about: &'static str,
}

/// Every preset; the first is what the page shows where nothing else is asked for.
pub const PRESETS: &[Preset] = &[Preset {
    id: "minilm-l6",
    file: "minilm-l6.safetensors",
    positions: "minilm-l6-positions.safetensors",
    shape: (512, 384),
    about: "all-MiniLM-L6-v2, a BERT with learned positions",
}];
