//! Description of one position source of a model: names of tensors and the steps applied to them, without numbers.
//! Families create the descriptions; other modules read the tensors.

use super::{
    Config, Correction, LayerTensors, Leading, Model, ModelDescription, ModelOptions, Note,
    PatchRotation, PositionTensors, RotaryDescription, head_count,
};
use crate::math::AttentionMask;

/// Title of the note on a source without heads.
pub(super) const NO_HEADS: &str = "No heads";

/// Description of one position source of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceDescription {
    /// Identifier, stable in links: `positions`, `encoder`, `decoder`, `text`, `vision`, `stage-1` …
    pub id: String,
    /// Title in menus.
    pub title: String,
    /// Storage of the positions.
    pub positions: PositionTensors,
    /// Content to which the positions are added.
    pub content: ContentInput,
    /// Steps between the sum and the first layer, in order.
    pub steps: Vec<PreprocessStep>,
    /// Tensors of the layers. Layers that share weights are listed once.
    pub layers: Vec<LayerTensors>,
    /// Heads per layer, if configured.
    pub heads: Option<u32>,
    /// Usual numbers of heads by width, if not configured; at other widths heads are 64 wide.
    pub usual_heads: &'static [(usize, u32)],
    /// Whether scores are divided by the root of a head's width; T5 does not.
    pub is_scaled: bool,
    /// Mask of the heads' matrices: a decoder's queries see no later keys.
    pub cells: AttentionMask,
    /// Epsilon that `LayerNorm` adds to the variance, if configured.
    pub epsilon: Option<f64>,
    /// Default epsilon.
    pub usual_epsilon: f64,
    /// Whether the user chose the tensors. The file may then have words, norms and layers that were not chosen.
    pub is_by_hand: bool,
    /// Width of the hidden states, if configured.
    pub configured_width: Option<u32>,
    /// Rows and columns of an image's window or patches, if configured.
    pub configured_sides: Option<(u32, u32)>,
    /// Other notes on the source.
    pub remarks: Vec<Note>,
    /// The whole model, if the family describes it.
    pub description: Option<ModelDescription>,
    /// Layers and angles of a rotary model.
    pub rotary: Option<RotaryDescription>,
    /// Rotation of queries and keys by rows and columns of patches, beside positions of another kind.
    pub patch_rotation: Option<PatchRotation>,
}

/// Content to which positions are added; its mean represents it.
#[derive(Clone, Debug, PartialEq)]
pub enum ContentInput {
    /// Mean over the rows of a word table.
    Words {
        /// Name of the table.
        tensor: String,
        /// Whether it is multiplied by the root of its width.
        is_scaled: bool,
        /// Stem of a map that words pass through before positions are added.
        map: Option<String>,
    },
    /// A tensor with one row or one number per column.
    Vector {
        /// Name of the tensor.
        tensor: String,
        /// Its name in formulas, such as “the mean word”.
        name: &'static str,
        /// Explanation of the vector.
        about: Note,
    },
    /// Unknown and taken as zero, for the reason in the note.
    Unknown(Note),
}

/// A step that the sum of content and position passes through.
#[derive(Clone, Debug, PartialEq)]
pub enum PreprocessStep {
    /// Adds the first row of a table.
    Add {
        /// Name of the table.
        tensor: String,
        /// Description of the row.
        title: String,
    },
    /// A `LayerNorm`, by its stem.
    Norm(String),
    /// A linear map, by its stem.
    Map(String),
}

impl SourceDescription {
    /// A source with default settings and the numbers of heads and `LayerNorm` epsilon of the configuration.
    #[must_use]
    pub fn new(config: &Config, id: &str, title: &str, positions: PositionTensors) -> Self {
        Self {
            id: id.to_owned(),
            title: title.to_owned(),
            positions,
            content: ContentInput::Unknown(Note::new(
                "No word embeddings",
                "The file has none, so x̄ is taken as zero: scores are those of positions alone.",
            )),
            steps: Vec::new(),
            layers: Vec::new(),
            heads: config.heads,
            usual_heads: head_count::USUAL,
            is_scaled: true,
            cells: if config.flag("is_decoder") == Some(true) {
                AttentionMask::Causal
            } else {
                AttentionMask::Whole
            },
            epsilon: config.layer_norm_epsilon,
            usual_epsilon: 1e-12,
            is_by_hand: false,
            configured_width: config.hidden_width,
            configured_sides: config.window_or_patches(),
            remarks: Vec::new(),
            description: None,
            rotary: None,
            patch_rotation: None,
        }
    }

    /// A source with a table, named `positions`.
    #[must_use]
    pub fn table(model: &Model<'_>, tensor: &str, leading: Leading) -> Self {
        let place = PositionTensors::Table {
            tensor: model.name(tensor),
            leading_rows: leading,
        };
        Self::new(model.config(), "positions", "positions", place)
    }

    /// A source with scores by offset, named `positions`.
    #[must_use]
    pub fn bias(model: &Model<'_>, place: PositionTensors) -> Self {
        Self::new(model.config(), "positions", "relative positions", place)
    }

    /// Sets id and title.
    #[must_use]
    pub fn with_name(mut self, id: &str, title: &str) -> Self {
        (self.id, self.title) = (id.to_owned(), title.to_owned());
        self
    }

    /// Adds positions to words. Presets hold the mean of the words in place of the words, in the tensor `.mean` of the
    /// stem.
    #[must_use]
    pub fn words(mut self, model: &Model<'_>, stem: &str) -> Self {
        if let Some(tensor) = model.optional(&format!("{stem}.mean")) {
            let about = Note::new(
                "Mean word embedding",
                "The file carries the mean of the word embeddings instead of the embeddings.",
            );
            self.content = ContentInput::Vector {
                tensor,
                name: "the mean word",
                about,
            };
        } else if let Some(tensor) = model.optional(&format!("{stem}.weight")) {
            self.content = ContentInput::Words {
                tensor,
                is_scaled: false,
                map: None,
            };
        }
        self
    }

    /// Multiplies words by the root of their width before positions are added.
    #[must_use]
    pub fn times_root_of_width(mut self) -> Self {
        if let ContentInput::Words {
            is_scaled: scaled, ..
        } = &mut self.content
        {
            *scaled = true;
        }
        self
    }

    /// Applies a map to words before positions are added, if the model has it.
    #[must_use]
    pub fn with_map(mut self, model: &Model<'_>, stem: &str) -> Self {
        if let ContentInput::Words { map, .. } = &mut self.content {
            *map = model.map(stem);
        }
        self
    }

    /// Adds positions to patches of an image. A black patch is the bias of the patch map, or zero if there is none.
    #[must_use]
    pub fn patches(mut self, model: &Model<'_>, map: &str) -> Self {
        self.content = match model.optional(&format!("{map}.bias")) {
            Some(tensor) => ContentInput::Vector {
                tensor,
                name: "a black patch",
                about: Note::new(
                    "Patches",
                    "Positions are added to the bias of the patch projection, which is what a black image gives.",
                ),
            },
            None => ContentInput::Unknown(Note::new(
                "Patches",
                "Patches are projected without a bias, so a black image adds nothing to positions: x̄ is zero.",
            )),
        };
        self
    }

    /// Marks the content as unknown.
    #[must_use]
    pub fn unknown(mut self, title: &str, reason: &str) -> Self {
        self.content = ContentInput::Unknown(Note::new(title, reason));
        self
    }

    /// Adds the first row of a table, if the model has it.
    #[must_use]
    pub fn adds(mut self, model: &Model<'_>, tensor: &str, title: &str) -> Self {
        if let Some(tensor) = model.optional(tensor) {
            let title = title.to_owned();
            self.steps.push(PreprocessStep::Add { tensor, title });
        }
        self
    }

    /// Applies the first of these `LayerNorm`s that the model has.
    #[must_use]
    pub fn norm(mut self, model: &Model<'_>, stems: &[&str]) -> Self {
        let norm = stems.iter().find_map(|stem| model.norm(stem));
        self.steps.extend(norm.map(PreprocessStep::Norm));
        self
    }

    /// Applies a linear map, if the model has it.
    #[must_use]
    pub fn map(mut self, model: &Model<'_>, stem: &str) -> Self {
        self.steps.extend(model.map(stem).map(PreprocessStep::Map));
        self
    }

    /// Sets the layers.
    #[must_use]
    pub fn layers(mut self, layers: Vec<LayerTensors>) -> Self {
        self.layers = layers;
        self
    }

    /// Begins every layer with a `LayerNorm`, if the model has it. `{}` in the stem is replaced by the number.
    #[must_use]
    pub fn layer_norm(mut self, model: &Model<'_>, stem: &str) -> Self {
        for (at, layer) in self.layers.iter_mut().enumerate() {
            layer.norm = model.norm(&stem.replace("{}", &at.to_string()));
        }
        self
    }

    /// Sets the number of heads if given, in place of the one from the configuration's usual entry.
    #[must_use]
    pub fn heads(mut self, heads: Option<u32>) -> Self {
        self.heads = heads.or(self.heads);
        self
    }

    /// Sets the usual numbers of heads by width, for models without a configured number; at other widths heads are 64
    /// wide.
    #[must_use]
    pub fn usual_heads(mut self, heads: &'static [(usize, u32)]) -> Self {
        self.usual_heads = heads;
        self
    }

    /// Does not divide scores by the root of a head's width.
    #[must_use]
    pub fn without_scaling(mut self) -> Self {
        self.is_scaled = false;
        self
    }

    /// Masks later keys, as in every decoder.
    #[must_use]
    pub fn causal(mut self) -> Self {
        self.cells = AttentionMask::Causal;
        self
    }

    /// The states X that enter the attention of every layer in as-computed scores, as a formula of the table E and of
    /// x̄, with a description of x̄: “X = LayerNorm(x̄ + E + token type 0), where x̄ is the mean word”. Corrections
    /// that are off are left out. For sources whose positions are rows of a table.
    #[must_use]
    pub fn entering_states(&self, choice: &ModelOptions) -> String {
        let about = match &self.content {
            ContentInput::Words {
                is_scaled: scaled,
                map,
                ..
            } => {
                let map = if map.is_some() { ", projected" } else { "" };
                let scaled = if *scaled {
                    ", times the root of its width"
                } else {
                    ""
                };
                Some(format!("the mean word{map}{scaled}"))
            }
            ContentInput::Vector { name, .. } => Some((*name).to_owned()),
            ContentInput::Unknown(_) => None,
        };
        let norms = choice.does(Correction::LayerNorm);
        let mut states = if about.is_some() { "x̄ + E" } else { "E" }.to_owned();
        // Whether the formula is a sum, which needs brackets in a product.
        let mut is_sum = about.is_some();
        for step in &self.steps {
            match step {
                PreprocessStep::Add { title, .. } if choice.does(Correction::AddedRow) => {
                    states = format!("{states} + {title}");
                    is_sum = true;
                }
                PreprocessStep::Norm(_) if norms => {
                    states = format!("LayerNorm({states})");
                    is_sum = false;
                }
                PreprocessStep::Map(_) => {
                    let factor = if is_sum {
                        format!("({states})")
                    } else {
                        states
                    };
                    is_sum = choice.does(Correction::Biases);
                    states = format!("{factor}·W{}", if is_sum { " + b" } else { "" });
                }
                PreprocessStep::Add { .. } | PreprocessStep::Norm(_) => {}
            }
        }
        if norms && self.layers.iter().any(|layer| layer.norm.is_some()) {
            states = format!("LayerNorm({states})");
        }
        match about {
            Some(about) => format!("X = {states}, where x̄ is {about}"),
            None => format!("X = {states}"),
        }
    }

    /// Epsilon of the `LayerNorm`s: the configured or the default one.
    #[must_use]
    pub fn norm_epsilon(&self) -> f64 {
        self.epsilon.unwrap_or(self.usual_epsilon)
    }

    /// Sets the default epsilon for models without a configured one; without it, BERT's 1e-12 applies.
    #[must_use]
    pub fn epsilon(mut self, epsilon: f64) -> Self {
        self.usual_epsilon = epsilon;
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn remark(mut self, title: &str, text: impl Into<String>) -> Self {
        self.remarks.push(Note::new(title, text));
        self
    }
}
