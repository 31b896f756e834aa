//! One place where a model keeps positions, as a description: names of tensors and what is done with them,
//! no numbers. A family makes one for each of its places; reading is done elsewhere.

use super::{
    Config, Correction, LayerTensors, Leading, Model, ModelOptions, Note, PositionTensors,
    head_count,
};
use crate::math::AttentionMask;

/// One place where a model keeps positions.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceDescription {
    /// Stable in links: `positions`, `encoder`, `decoder`, `text`, `vision`, `stage-1` …
    pub id: String,
    /// What a menu calls it.
    pub title: String,
    /// Where the positions are.
    pub positions: PositionTensors,
    /// What the positions are added to.
    pub content: ContentInput,
    /// What the sum passes before the first layer, in this order.
    pub steps: Vec<PreprocessStep>,
    /// Queries and keys, layer by layer. Layers that share weights are listed once.
    pub layers: Vec<LayerTensors>,
    /// Heads a layer, where the configuration says.
    pub heads: Option<u32>,
    /// Heads that are usual at a width, for when it does not; elsewhere heads are 64 wide.
    pub usual_heads: &'static [(usize, u32)],
    /// Whether scores are divided by the root of a head's width; T5 leaves that out.
    pub scaled: bool,
    /// Which cells of a head's matrix the model uses: a decoder's queries see no later keys.
    pub cells: AttentionMask,
    /// What `LayerNorm` adds to the variance, where the configuration says.
    pub epsilon: Option<f64>,
    /// What it adds otherwise.
    pub usual_epsilon: f64,
    /// What else should be known.
    pub remarks: Vec<Note>,
}

/// What positions are added to: with nothing else known, the mean of it.
#[derive(Clone, Debug, PartialEq)]
pub enum ContentInput {
    /// The mean over the rows of a table of words.
    Words {
        /// The table.
        tensor: String,
        /// Whether it is multiplied by the root of its width.
        scaled: bool,
        /// Stem of a map that words pass before positions are added.
        map: Option<String>,
    },
    /// A tensor of one row, or of one number a column.
    Vector {
        /// The tensor.
        tensor: String,
        /// Its name in a formula's words: “the mean word”.
        name: &'static str,
        /// What it is.
        about: Note,
    },
    /// Nothing is known of it, for that reason: zero.
    Unknown(Note),
}

/// What the sum of content and position passes.
#[derive(Clone, Debug, PartialEq)]
pub enum PreprocessStep {
    /// The first row of a table is added.
    Add {
        /// The table.
        tensor: String,
        /// What the row is.
        title: String,
    },
    /// A `LayerNorm`, by its stem.
    Norm(String),
    /// A linear map, by its stem.
    Map(String),
}

impl SourceDescription {
    /// A source of that kind, with nothing around it yet but what the configuration says of heads and of
    /// `LayerNorm`.
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
            scaled: true,
            cells: if config.flag("is_decoder") == Some(true) {
                AttentionMask::Causal
            } else {
                AttentionMask::Whole
            },
            epsilon: config.layer_norm_epsilon,
            usual_epsilon: 1e-12,
            remarks: Vec::new(),
        }
    }

    /// The only table of a model.
    #[must_use]
    pub fn table(model: &Model<'_>, tensor: &str, leading: Leading) -> Self {
        let place = PositionTensors::Table {
            tensor: model.name(tensor),
            leading,
        };
        Self::new(model.config(), "positions", "positions", place)
    }

    /// The only source of scores by offset of a model.
    #[must_use]
    pub fn bias(model: &Model<'_>, place: PositionTensors) -> Self {
        Self::new(model.config(), "positions", "relative positions", place)
    }

    /// Under another name.
    #[must_use]
    pub fn named(mut self, id: &str, title: &str) -> Self {
        (self.id, self.title) = (id.to_owned(), title.to_owned());
        self
    }

    /// Positions are added to words. A preset carries their mean instead of them, under the stem's `.mean`.
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
                scaled: false,
                map: None,
            };
        }
        self
    }

    /// Words are multiplied by the root of their width before positions are added.
    #[must_use]
    pub fn times_root_of_width(mut self) -> Self {
        if let ContentInput::Words { scaled, .. } = &mut self.content {
            *scaled = true;
        }
        self
    }

    /// Words pass a map before positions are added, if the model has it.
    #[must_use]
    pub fn mapped(mut self, model: &Model<'_>, stem: &str) -> Self {
        if let ContentInput::Words { map, .. } = &mut self.content {
            *map = model.map(stem);
        }
        self
    }

    /// Positions are added to patches of an image, of which a black one is what their map adds to everything:
    /// its bias, or nothing where it has none.
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

    /// Positions are added to something of which nothing is known.
    #[must_use]
    pub fn unknown(mut self, title: &str, reason: &str) -> Self {
        self.content = ContentInput::Unknown(Note::new(title, reason));
        self
    }

    /// The first row of a table is added, if the model has it.
    #[must_use]
    pub fn adds(mut self, model: &Model<'_>, tensor: &str, title: &str) -> Self {
        if let Some(tensor) = model.optional(tensor) {
            let title = title.to_owned();
            self.steps.push(PreprocessStep::Add { tensor, title });
        }
        self
    }

    /// The sum passes the first of these `LayerNorm`s that the model has.
    #[must_use]
    pub fn norm(mut self, model: &Model<'_>, stems: &[&str]) -> Self {
        let norm = stems.iter().find_map(|stem| model.norm(stem));
        self.steps.extend(norm.map(PreprocessStep::Norm));
        self
    }

    /// The sum passes a linear map, if the model has it.
    #[must_use]
    pub fn map(mut self, model: &Model<'_>, stem: &str) -> Self {
        self.steps.extend(model.map(stem).map(PreprocessStep::Map));
        self
    }

    /// Its layers.
    #[must_use]
    pub fn layers(mut self, layers: Vec<LayerTensors>) -> Self {
        self.layers = layers;
        self
    }

    /// Every layer begins with a `LayerNorm`, if the model has it. `{}` in the stem stands for the number.
    #[must_use]
    pub fn layer_norm(mut self, model: &Model<'_>, stem: &str) -> Self {
        for (at, layer) in self.layers.iter_mut().enumerate() {
            layer.norm = model.norm(&stem.replace("{}", &at.to_string()));
        }
        self
    }

    /// What `describe` adds to each of its layers, by their number.
    #[must_use]
    pub fn with_layers(mut self, describe: impl Fn(usize, &mut LayerTensors)) -> Self {
        for (at, layer) in self.layers.iter_mut().enumerate() {
            describe(at, layer);
        }
        self
    }

    /// Its number of heads, where that is not said in the usual place.
    #[must_use]
    pub fn heads(mut self, heads: Option<u32>) -> Self {
        self.heads = heads.or(self.heads);
        self
    }

    /// Heads that are usual at a width, where no configuration says; all 64 wide but for these.
    #[must_use]
    pub fn usual_heads(mut self, heads: &'static [(usize, u32)]) -> Self {
        self.usual_heads = heads;
        self
    }

    /// Scores are not divided by the root of a head's width.
    #[must_use]
    pub fn unscaled(mut self) -> Self {
        self.scaled = false;
        self
    }

    /// Its queries see no later keys, as in every decoder.
    #[must_use]
    pub fn causal(mut self) -> Self {
        self.cells = AttentionMask::Causal;
        self
    }

    /// The states X that enter the attention of every layer when a model computes its scores from positions, as a
    /// formula of the table E and of x̄, and what x̄ is: “X = LayerNorm(x̄ + E + token type 0), where x̄ is the mean word”.
    /// Corrections that are switched off are left out. Meant for sources whose positions are rows of a table.
    #[must_use]
    pub fn entering_states(&self, choice: &ModelOptions) -> String {
        let about = match &self.content {
            ContentInput::Words { scaled, map, .. } => {
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
        // Whether what stands there is a sum, which a product needs in brackets.
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

    /// What its `LayerNorm`s add to the variance: as configured, or what is usual.
    pub(super) fn norm_epsilon(&self) -> f64 {
        self.epsilon.unwrap_or(self.usual_epsilon)
    }

    /// What its `LayerNorm`s add to the variance where no configuration says; BERT's 1e-12 otherwise.
    #[must_use]
    pub fn epsilon(mut self, epsilon: f64) -> Self {
        self.usual_epsilon = epsilon;
        self
    }

    /// Something that should be known of it.
    #[must_use]
    pub fn remark(mut self, title: &str, text: impl Into<String>) -> Self {
        self.remarks.push(Note::new(title, text));
        self
    }
}
