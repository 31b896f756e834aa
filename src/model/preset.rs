//! Models that ship with the page. `www/presets/manifest.json` holds their sources, licences and hashes; a test checks
//! that the list of presets matches it.

/// File and description of a preset.
#[derive(Debug, Clone, Copy)]
pub struct Preset {
    /// Identifier, stable in links, and the name in the model list.
    pub id: &'static str,
    /// File in the page's folder `presets`.
    pub file: &'static str,
    /// File with the position table alone, at half precision: a tenth of the bytes, and shown first. `None` if the
    /// preset is small.
    pub positions: Option<&'static str>,
    /// Number of positions and their width, known before the file is loaded.
    pub shape: (usize, usize),
    /// Description in one line.
    pub about: &'static str,
}

impl Preset {
    /// The preset with this identifier.
    #[must_use]
    pub fn find(id: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.id == id)
    }
}

/// Every preset. The page opens the first by default; the others are samples.
pub const PRESETS: &[Preset] = &[
    Preset {
        id: "minilm-l6",
        file: "minilm-l6.safetensors",
        positions: Some("minilm-l6-positions.safetensors"),
        shape: (512, 384),
        about: "all-MiniLM-L6-v2, a BERT with learned positions",
    },
    Preset {
        id: "rxnmapper",
        file: "rxnmapper.safetensors",
        positions: None,
        shape: (512, 128),
        about: "ALBERT of chemical reactions",
    },
    Preset {
        id: "sapiens-vh",
        file: "sapiens-vh.safetensors",
        positions: None,
        shape: (144, 128),
        about: "RoBERTa of antibodies, heavy chains",
    },
    Preset {
        id: "rxnfp-pretrained",
        file: "rxnfp-pretrained.safetensors",
        positions: None,
        shape: (512, 256),
        about: "BERT of chemical reactions, before fine-tuning",
    },
    Preset {
        id: "rxnfp-ft-10k",
        file: "rxnfp-ft-10k.safetensors",
        positions: None,
        shape: (512, 256),
        about: "rxnfp-pretrained, fine-tuned on 10,000 reactions",
    },
    Preset {
        id: "rxnfp-ft",
        file: "rxnfp-ft.safetensors",
        positions: None,
        shape: (512, 256),
        about: "rxnfp-pretrained, fine-tuned to classify reactions",
    },
];

/// A whole model of the page's own site. It is read in parts like a model of another host, but without consent.
#[derive(Debug, Clone, Copy)]
pub struct SiteModel {
    /// Identifier, stable in links.
    pub id: &'static str,
    /// File with its weights in the page's folder `presets`. Its configuration and tokenizer are in the same folder.
    pub weights: &'static str,
    /// Size of the weights of its layers, in MB.
    pub layer_megabytes: u32,
    /// Name in sentences.
    pub name: &'static str,
    /// Description in one line.
    pub about: &'static str,
}

/// Every whole model of the page's own site. A site that was built without network access lacks them.
pub const SITE_MODELS: &[SiteModel] = &[SiteModel {
    id: "minilm-l6-whole",
    weights: "minilm-l6/model.safetensors",
    layer_megabytes: 21,
    name: "MiniLM-L6 whole",
    about: "all-MiniLM-L6-v2 with all its weights, for texts",
}];
