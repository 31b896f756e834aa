//! The matrices of several models as one figure.

use super::{
    Column, Heatmap, MatrixPanel, MatrixPanels, Table, ValueRange, group_thousands, number,
    scene::panel_letter, short_r2,
};
use crate::{
    analysis::{MatrixId, Similarity},
    math::OffsetR2,
};

/// The matrix of a model among others.
#[derive(Debug, Clone)]
pub struct ModelMatrix {
    /// Name of the model in the model list.
    pub name: String,
    /// R² of its positions.
    pub r2: OffsetR2,
    /// The whole matrix.
    pub matrix: Heatmap,
    /// Where its blocks come from.
    pub source: MatrixId,
    /// Whether its values are scores by offset instead of similarities of vectors.
    pub is_relative: bool,
    /// Whether it shares the colour scale, if there is a shared one.
    pub is_on_shared_scale: bool,
}

impl ModelMatrix {
    /// Number of positions.
    fn n(&self) -> usize {
        self.matrix.tile().window.rows.len()
    }
}

/// Arranges the matrices of models, on a shared colour scale if there is one. `None` if there are no models. The table
/// has a row for each model: `panel,model,n,r2,r2_off_diagonal,least,greatest,scale_least,scale_greatest,block`.
/// Least and greatest are those of the drawn blocks, each the mean of `block` × `block` cells.
#[must_use]
pub fn model_matrices(models: &[ModelMatrix], shared: Option<ValueRange>) -> Option<MatrixPanels> {
    models.first()?;
    let panels = models.iter().map(|model| MatrixPanel {
        title: model.name.clone(),
        note: format!(
            "R² {}, n = {}",
            short_r2(model.r2.off_diagonal),
            group_thousands(model.n() as u64)
        ),
        matrix: model.matrix.clone(),
        source: Some((model.source.clone(), None)),
        term: None,
    });
    let panels = MatrixPanels::new(panels.collect());
    let panels = match shared {
        Some(range) => panels.with_shared_range(range.ends, |at| models[at].is_on_shared_scale),
        None => panels,
    };
    let range_of = |model: &ModelMatrix| {
        let own = model.matrix.range();
        let shared = shared.filter(|_| model.is_on_shared_scale);
        (own.values, shared.map_or(own.ends, |shared| shared.ends))
    };
    let column = |of: &dyn Fn(&ModelMatrix) -> f64| -> Column { models.iter().map(of).collect() };
    let table = Table::new()
        .with("panel", (0..models.len()).map(panel_letter).collect())
        .with(
            "model",
            models.iter().map(|model| model.name.clone()).collect(),
        )
        .with("n", models.iter().map(ModelMatrix::n).collect())
        .with("r2", column(&|model| model.r2.all))
        .with("r2_off_diagonal", column(&|model| model.r2.off_diagonal))
        .with("least", column(&|model| range_of(model).0.0))
        .with("greatest", column(&|model| range_of(model).0.1))
        .with("scale_least", column(&|model| range_of(model).1.0))
        .with("scale_greatest", column(&|model| range_of(model).1.1))
        .with(
            "block",
            models
                .iter()
                .map(|model| model.matrix.tile().row_step)
                .collect(),
        );
    let words = models.iter().map(|model| {
        let (low, high) = model.matrix.range().values;
        format!(
            "{}: n = {}, R² {} without k = 0, values from {} to {}",
            model.name,
            model.n(),
            short_r2(model.r2.off_diagonal),
            number(low),
            number(high)
        )
    });
    let words: Vec<String> = words.collect();
    let scale = match shared {
        Some(_) => "on one colour scale",
        None => "each on its own colour scale",
    };
    let summary = format!(
        "Position matrices of {} models, {scale}. {}.",
        models.len(),
        words.join("; ")
    );
    Some(panels.with_table(table).with_summary(summary))
}

/// Returns the caption: the meaning of the colours of each model, and of R².
#[must_use]
pub fn matrices_caption(models: &[ModelMatrix], similarity: Similarity) -> String {
    let of_vectors = match similarity {
        Similarity::InnerProduct => "inner product of two positions",
        Similarity::Cosine => "cosine of two positions",
    };
    let of_offsets = "score by offset, mean over the heads of the first layer";
    let relative: Vec<&str> = (models.iter())
        .filter(|model| model.is_relative)
        .map(|model| model.name.as_str())
        .collect();
    let colour = match relative.len() {
        0 => of_vectors.to_owned(),
        count if count == models.len() => of_offsets.to_owned(),
        _ => format!("{of_vectors}; of {}, {of_offsets}", relative.join(" and ")),
    };
    format!("Colour: {colour}. R² is without k = 0.")
}
