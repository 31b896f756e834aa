//! One place where a model keeps positions, as a description: names of tensors and what is done with them,
//! no numbers. A family makes one for each of its places; reading is done elsewhere.

use super::{Config, Model, Note, heads};

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
    pub content: Content,
    /// What the sum passes before the first layer, in this order.
    pub steps: Vec<Step>,
    /// Queries and keys, layer by layer. Layers that share weights are listed once.
    pub layers: Vec<LayerTensors>,
    /// Heads a layer, where the configuration says.
    pub heads: Option<u32>,
    /// Heads that are usual at a width, for when it does not; elsewhere heads are 64 wide.
    pub usual_heads: &'static [(usize, u32)],
    /// Whether scores are divided by the root of a head's width; T5 leaves that out.
    pub scaled: bool,
    /// What `LayerNorm` adds to the variance, where the configuration says.
    pub epsilon: Option<f64>,
    /// What it adds otherwise.
    pub usual_epsilon: f64,
    /// What else should be known.
    pub remarks: Vec<Note>,
}

/// Where positions are.
#[derive(Clone, Debug, PartialEq)]
pub enum PositionTensors {
    /// A table with one row a position.
    Table {
        /// The tensor.
        tensor: String,
        /// Leading rows that stand for no position.
        leading: Leading,
    },
    /// Numbers added to the scores, by how far a key lies from its query: a row a bucket, a column a head.
    Buckets {
        /// One tensor for all layers, or one a layer.
        tensors: Vec<String>,
        /// Number of the largest distance that has a bucket of its own kind.
        max_distance: u32,
        /// Whether keys after the query have buckets.
        bidirectional: bool,
    },
    /// Numbers added to the scores, by how far a key lies from its query in an image.
    Window {
        /// One tensor for all layers, or one a layer.
        tensors: Vec<String>,
        /// Whether three rows for the class token follow (`BEiT`).
        has_class: bool,
    },
    /// Embeddings of how far a key lies from its query, which meet queries and keys.
    Distances(Distances),
    /// Gaussian kernels of how far a key lies from its query, added to the scores.
    Kernels {
        /// Three tensors a layer.
        layers: Vec<KernelTensors>,
    },
    /// Queries and keys are turned by angles that grow with the position; nothing is learned.
    Rotary {
        /// Columns of a head that are turned.
        width: u32,
        /// Base of the angles.
        base: f64,
    },
}

/// Which leading rows of a table stand for no position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leading {
    /// None do.
    None,
    /// So many, because of that.
    Offset {
        /// How many.
        rows: u64,
        /// Why, as a sentence.
        reason: String,
    },
    /// Those of class, distillation and register tokens, whatever is more than a grid of patches: the
    /// number is that which leaves `patches`, or else a square.
    Tokens {
        /// Rows and columns of the patches, where the configuration says.
        patches: Option<(u32, u32)>,
        /// The fewest tokens there are.
        least: u64,
        /// The most tokens there may be.
        most: u64,
    },
}

/// Kernels of a layer (TISA), each tensor [S, H]: a row a kernel, a column a head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelTensors {
    /// Where kernels stand, by query minus key minus one.
    pub offsets: String,
    /// How high they are.
    pub amplitudes: String,
    /// How narrow they are.
    pub sharpness: String,
}

/// Embeddings of distances (`DeBERTa`).
#[derive(Clone, Debug, PartialEq)]
pub struct Distances {
    /// The table: a row a distance or bucket.
    pub tensor: String,
    /// Stem of a `LayerNorm` that the table passes.
    pub norm: Option<String>,
    /// The largest distance that has a bucket, where far distances share one; `None` where every distance has
    /// its own row.
    pub max_distance: Option<u32>,
    /// What the table becomes for content to position: keys, a layer each.
    pub keys: Vec<LinearTensors>,
    /// What the table becomes for position to content: queries, a layer each.
    pub queries: Vec<LinearTensors>,
}

/// What positions are added to: with nothing else known, the mean of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
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
        /// What it is.
        about: Note,
    },
    /// Nothing is known of it, for that reason: zero.
    Unknown(Note),
}

/// What the sum of content and position passes.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
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

/// The tensors of a layer. Positional scores need queries and keys alone; the rest is named where a family
/// says so.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerTensors {
    /// The map to queries.
    pub query: LinearTensors,
    /// The map to keys.
    pub key: LinearTensors,
    /// The map to values.
    pub value: Option<LinearTensors>,
    /// The map that what the heads gather passes together.
    pub output: Option<LinearTensors>,
    /// Stem of the `LayerNorm` at the beginning of the layer.
    pub norm: Option<String>,
    /// Stem of the `LayerNorm` that the sum of input and output passes.
    pub output_norm: Option<String>,
    /// What follows the attention.
    pub feed_forward: Option<FeedForwardTensors>,
}

/// The tensors of a layer's feed-forward part.
#[derive(Clone, Debug, PartialEq)]
pub struct FeedForwardTensors {
    /// Stem of the `LayerNorm` at its beginning.
    pub norm: Option<String>,
    /// The map to its inner width.
    pub inner: LinearTensors,
    /// The map back.
    pub output: LinearTensors,
    /// Stem of the `LayerNorm` that the sum of input and output passes.
    pub output_norm: Option<String>,
}

/// A linear map: all of a tensor or a part of it.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearTensors {
    /// The weight.
    pub weight: String,
    /// The bias, cut like the weight.
    pub bias: Option<String>,
    /// Which part.
    pub cut: Cut,
}

/// Which part of a weight is meant, and which way it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Of a weight stored [out, in], the rows of part `part` of `of` equal parts.
    Rows {
        /// From 0.
        part: u64,
        /// How many there are.
        of: u64,
    },
    /// Of a weight stored [in, out], the columns of part `part` of `of` equal parts.
    Columns {
        /// From 0.
        part: u64,
        /// How many there are.
        of: u64,
    },
    /// Of a weight stored [out, in], part `part` of `of` of every head's rows.
    HeadRows {
        /// From 0.
        part: u64,
        /// How many there are.
        of: u64,
    },
}

impl LinearTensors {
    /// A part of the weight and bias under a stem, if the model has them.
    #[must_use]
    pub fn optional(model: &Model<'_>, stem: &str, cut: Cut) -> Option<Self> {
        let there = model.has(&format!("{stem}.weight"));
        there.then(|| Self::part(model, stem, cut))
    }

    /// The whole weight and bias under a stem, stored [out, in] as PyTorch's `Linear` does.
    #[must_use]
    pub fn of(model: &Model<'_>, stem: &str) -> Self {
        Self::part(model, stem, Cut::Rows { part: 0, of: 1 })
    }

    /// A part of the weight and bias under a stem.
    #[must_use]
    pub fn part(model: &Model<'_>, stem: &str, cut: Cut) -> Self {
        let [weight, bias] = ["weight", "bias"].map(|end| format!("{stem}.{end}"));
        Self::named(model, &weight, Some(&bias), cut)
    }

    /// A part of a weight, and of a bias if the model has it, of any names.
    #[must_use]
    pub fn named(model: &Model<'_>, weight: &str, bias: Option<&str>, cut: Cut) -> Self {
        Self {
            weight: model.name(weight),
            bias: bias.and_then(|bias| model.optional(bias)),
            cut,
        }
    }
}

impl LayerTensors {
    /// Queries and keys; nothing else is known.
    #[must_use]
    pub fn new(query: LinearTensors, key: LinearTensors) -> Self {
        Self {
            query,
            key,
            value: None,
            output: None,
            norm: None,
            output_norm: None,
            feed_forward: None,
        }
    }

    /// Queries and keys under two stems.
    #[must_use]
    pub fn of(model: &Model<'_>, query: &str, key: &str) -> Self {
        Self::new(
            LinearTensors::of(model, query),
            LinearTensors::of(model, key),
        )
    }

    /// Queries and keys as the first two of three parts of one weight.
    #[must_use]
    pub fn fused(model: &Model<'_>, weight: &str, bias: &str, cut: fn(u64) -> Cut) -> Self {
        let part = |number| LinearTensors::named(model, weight, Some(bias), cut(number));
        Self {
            value: Some(part(2)),
            ..Self::new(part(0), part(1))
        }
    }
}

impl Cut {
    /// All of a weight stored [out, in].
    pub const ROWS: Self = Self::Rows { part: 0, of: 1 };
    /// All of a weight stored [in, out].
    pub const COLUMNS: Self = Self::Columns { part: 0, of: 1 };

    /// A third of the rows.
    #[must_use]
    pub fn third_of_rows(part: u64) -> Self {
        Self::Rows { part, of: 3 }
    }

    /// A third of the columns.
    #[must_use]
    pub fn third_of_columns(part: u64) -> Self {
        Self::Columns { part, of: 3 }
    }

    /// A third of every head's rows.
    #[must_use]
    pub fn third_of_heads(part: u64) -> Self {
        Self::HeadRows { part, of: 3 }
    }
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
            content: Content::Unknown(Note::new(
                "No word embeddings",
                "The file has none, so x̄ is taken as zero: scores are those of positions alone.",
            )),
            steps: Vec::new(),
            layers: Vec::new(),
            heads: config.heads,
            usual_heads: heads::USUAL,
            scaled: true,
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
            self.content = Content::Vector { tensor, about };
        } else if let Some(tensor) = model.optional(&format!("{stem}.weight")) {
            self.content = Content::Words {
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
        if let Content::Words { scaled, .. } = &mut self.content {
            *scaled = true;
        }
        self
    }

    /// Words pass a map before positions are added, if the model has it.
    #[must_use]
    pub fn mapped(mut self, model: &Model<'_>, stem: &str) -> Self {
        if let Content::Words { map, .. } = &mut self.content {
            *map = model.map(stem);
        }
        self
    }

    /// Positions are added to patches of an image, of which a black one is what their map adds to everything:
    /// its bias, or nothing where it has none.
    #[must_use]
    pub fn patches(mut self, model: &Model<'_>, map: &str) -> Self {
        self.content = match model.optional(&format!("{map}.bias")) {
            Some(tensor) => Content::Vector {
                tensor,
                about: Note::new(
                    "Patches",
                    "Positions are added to the bias of the patch projection, which is what a black image gives.",
                ),
            },
            None => Content::Unknown(Note::new(
                "Patches",
                "Patches are projected without a bias, so a black image adds nothing to positions: x̄ is zero.",
            )),
        };
        self
    }

    /// Positions are added to something of which nothing is known.
    #[must_use]
    pub fn unknown(mut self, title: &str, reason: &str) -> Self {
        self.content = Content::Unknown(Note::new(title, reason));
        self
    }

    /// The first row of a table is added, if the model has it.
    #[must_use]
    pub fn adds(mut self, model: &Model<'_>, tensor: &str, title: &str) -> Self {
        if let Some(tensor) = model.optional(tensor) {
            let title = title.to_owned();
            self.steps.push(Step::Add { tensor, title });
        }
        self
    }

    /// The sum passes the first of these `LayerNorm`s that the model has.
    #[must_use]
    pub fn norm(mut self, model: &Model<'_>, stems: &[&str]) -> Self {
        let norm = stems.iter().find_map(|stem| model.norm(stem));
        self.steps.extend(norm.map(Step::Norm));
        self
    }

    /// The sum passes a linear map, if the model has it.
    #[must_use]
    pub fn map(mut self, model: &Model<'_>, stem: &str) -> Self {
        self.steps.extend(model.map(stem).map(Step::Map));
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
