//! attention-cnn: the code of “On the Relationship between Self-Attention and Convolutional Layers”, a BERT whose
//! positions are the pixels of a small image.
//!
//! ```text
//! Gaussian:  score(q, k) = −½·(δ − μ)ᵀ·S·Sᵀ·(δ − μ) + const      δ = k − q = (Δy, Δx)
//! learned:   score(q, k) = w_x·row_embeddings[Δx + m − 1] + w_y·col_embeddings[Δy + m − 1]
//! ```
//!
//! `attention_centers` holds μ and `attention_spreads` holds S of every head, a number or a 2 × 2 matrix. The learned
//! encoding swaps rows and columns: the code spreads `row_embeddings` over the second axis of an image, the columns,
//! and `col_embeddings` over the first. Cordonnier, Loukas and Jaggi, ICLR 2020; `models/bert.py` of
//! epfml/attention-cnn. No tensor holds the side lengths of the image. Without a configuration it is taken to be 16 ×
//! 16, CIFAR-10 after the paper's 2 × 2 downsampling.

use super::{
    AxisTensors, Detection, DetectionInput, Family, GaussianTensors, Model, PositionTensors,
    SourceDescription,
};

#[derive(Clone, Copy, Debug)]
pub(super) struct AttentionCnn;

/// Prefix of the names of a layer's tensors.
const SELF: &str = "encoder.layer.{}.attention.self.";

/// Name of a tensor of the first layer.
fn first(name: &str) -> String {
    format!("{SELF}{name}").replace("{}", "0")
}

/// Name of a layer's tensor, if it exists.
fn tensor(model: &Model<'_>, layer: usize, name: &str) -> Option<String> {
    model.optional(&format!("{SELF}{name}").replace("{}", &layer.to_string()))
}

impl Family for AttentionCnn {
    fn name(&self) -> &'static str {
        "attention-cnn"
    }

    fn about(&self) -> &'static str {
        "Heads that attend by the offset in an image: Gaussians, or learned for rows and columns."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Detection> {
        if let Some(model) = clues.model(&first("attention_centers")) {
            let layers = model.layers(|at| {
                Some(GaussianTensors {
                    centres: tensor(&model, at, "attention_centers")?,
                    // A missing tensor is reported by name when it is read.
                    spreads: model
                        .name(&format!("{SELF}attention_spreads").replace("{}", &at.to_string())),
                })
            });
            return Detection::by_names("attention-cnn", vec![gaussian(&model, layers)]);
        }
        let model = clues.model(&first("row_embeddings.weight"))?;
        if !model.has(&first("head_keys_row.weight")) {
            return Some(Detection::nothing(
                "This is attention-cnn’s learned encoding, multiplied by queries: the score of an offset depends on the content of the query, so positions alone have no scores. Checkpoints with head_keys_row and \
                 head_keys_col, which attend by position alone, can be shown.",
            ));
        }
        let layers = model.layers(|at| {
            Some(AxisTensors {
                across: tensor(&model, at, "row_embeddings.weight")?,
                across_keys: tensor(&model, at, "head_keys_row.weight")?,
                down: tensor(&model, at, "col_embeddings.weight")?,
                down_keys: tensor(&model, at, "head_keys_col.weight")?,
            })
        });
        let place = PositionTensors::Axes { layers };
        let mut source = note_assumed_size(SourceDescription::bias(&model, place), &model).remark(
            "Rows and columns",
            "The authors’ code spreads row_embeddings over the columns of the image and col_embeddings over its rows, \
             and this page reads them in the same way.",
        );
        if model.has(&first("query.weight")) {
            source = source.remark(
                "Content",
                "This model adds the scores of content, queries with keys, to those of positions. An image is needed \
                 for them, so scores here are those of positions alone.",
            );
        }
        Detection::by_names("attention-cnn", vec![source])
    }
}

fn gaussian(model: &Model<'_>, layers: Vec<GaussianTensors>) -> SourceDescription {
    let place = PositionTensors::Gaussians { layers };
    let source = note_assumed_size(SourceDescription::bias(model, place), model).remark(
        "Convention",
        "Centres are read as (Δy, Δx), key minus query, and the squared spread is the inverse covariance: α of the \
         paper is half of it.",
    );
    if model.config().flag("attention_gaussian_blur_trick") == Some(true) {
        return source.remark(
            "Blur trick",
            "The configuration asks for attention_gaussian_blur_trick. The authors’ code then reads centres as (x, y) \
             and cuts each Gaussian to 7 × 7 pixels; here they are read and drawn as without it.",
        );
    }
    source
}

/// Adds a remark on the assumed size of the image, if it is not configured.
fn note_assumed_size(source: SourceDescription, model: &Model<'_>) -> SourceDescription {
    if model.config().patches().is_some() {
        return source;
    }
    source.remark(
        "Size of the image",
        "No tensor says how large the images are. Heads are shown on 16 × 16 pixels, CIFAR-10 after the paper’s 2 × 2 \
         downsampling, or on as many as have an embedding. A config.json with model_type, image_size and patch_size, \
         opened together with the file, says otherwise.",
    )
}
