//! Models that ship with the page. `www/presets/manifest.json` holds their sources, licences and hashes;
//! a test holds this list and that file together.

/// A preset's file and what to call it.
#[derive(Debug, Clone, Copy)]
pub struct Preset {
    /// Stable in links.
    pub id: &'static str,
    /// File in the page's folder `presets`.
    pub file: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
}

/// Every preset.
pub const PRESETS: &[Preset] = &[Preset {
    id: "minilm-l6",
    file: "minilm-l6.safetensors",
    about: "all-MiniLM-L6-v2, a BERT with learned positions",
}];
