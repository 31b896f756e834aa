//! Queries of the comparison view, and the values that its figures share.

use crate::{
    analysis::{MatrixId, MatrixPart, ModelId, ModelOverview, Similarity},
    app::{
        query_client::{Query, queries_by_model::QueriesByModel},
        state::{
            UrlState,
            comparison::{Comparison, ListedModel},
        },
    },
    figure::{
        ColourScale, Heatmap, ModelMatrix, ValueRange,
        model_comparison::{ComparedModel, greater_first},
    },
};
use leptos::prelude::*;
use std::{collections::HashMap, sync::Arc};

/// A model's matrix in its own colours, once computed.
pub(super) type OwnMatrix = Memo<Option<Arc<Heatmap>>>;

/// The queries of all rows, one model each, and the values derived from them.
#[derive(Clone, Copy)]
pub(super) struct ComparedAnswers {
    /// Overview of each model.
    pub(super) overviews: QueriesByModel<ModelOverview>,
    /// Matrix of each model, in the colours that it would have by itself.
    matrices: RwSignal<HashMap<ModelId, OwnMatrix>>,
    /// The included models, in display order.
    pub(super) rows: Memo<Vec<ListedModel>>,
    /// Those of them whose overview is available, as the figures take them.
    pub(super) models: Memo<Arc<Vec<ComparedModel>>>,
    /// Colour scale shared by the matrices.
    pub(super) colors: Memo<SharedColors>,
}

/// Colour scale shared by the matrices.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SharedColors {
    /// The shared range, or the reason why every matrix has its own.
    pub(super) scale: ColourScale,
    /// Whether computed tables share the scale. They do only if all models are computed: their values are of another
    /// magnitude than learned ones.
    with_computed: bool,
}

impl SharedColors {
    /// Returns the shared colour range for a model's matrix, `None` if the matrix has its own.
    pub(super) fn range_for(&self, is_computed: bool) -> Option<ValueRange> {
        let shared = self.scale.shared_range;
        shared.filter(|_| self.with_computed || !is_computed)
    }
}

impl ComparedAnswers {
    pub(super) fn new() -> Self {
        let url = UrlState::from_context();
        let comparison = Comparison::from_context();
        let overviews = QueriesByModel::<ModelOverview>::new();
        let matrices: RwSignal<HashMap<ModelId, OwnMatrix>> = RwSignal::default();
        let by_r2 = url.select(|link| link.compare.by_r2);
        let rows = Memo::new(move |_| {
            let mut rows = comparison.taking_part(true);
            if by_r2.get() {
                let r2 = |model: &ListedModel| {
                    let brief = overviews.answer(model.version);
                    brief.map(|brief| brief.r2().off_diagonal)
                };
                let mut with_r2: Vec<_> = rows.into_iter().map(|row| (r2(&row), row)).collect();
                with_r2.sort_by(|(a, _), (b, _)| greater_first(*a, *b));
                rows = with_r2.into_iter().map(|(_, row)| row).collect();
            }
            rows
        });
        let models = Memo::new_with_compare(
            move |_| {
                let compared = |row: ListedModel| {
                    Some(ComparedModel {
                        brief: overviews.answer(row.version)?,
                        number: row.number,
                        name: row.name,
                    })
                };
                Arc::new(rows.get().into_iter().filter_map(compared).collect())
            },
            is_other,
        );
        let own_colors = url.select(|link| link.compare.own_colours);
        let colors = Memo::new(move |_| {
            let rows = rows.get();
            let with_computed = rows.iter().all(|row| row.is_computed);
            let measures = rows.iter().filter(|row| with_computed || !row.is_computed);
            let range = |row: &ListedModel| {
                let matrix = matrices.with(|matrices| matrices.get(&row.id()).copied())?;
                let range = matrix.with(|matrix| Some(matrix.as_ref()?.range()))?;
                Some((row.name.clone(), range))
            };
            let models: Vec<(String, ValueRange)> = measures.filter_map(range).collect();
            SharedColors {
                scale: ColourScale::new(
                    &models,
                    own_colors.get(),
                    !with_computed && rows.iter().any(|row| row.is_computed),
                ),
                with_computed,
            }
        });
        Self {
            overviews,
            matrices,
            rows,
            models,
            colors,
        }
    }

    /// Adds the matrix of the calling row; removes it when the row is unmounted.
    pub(super) fn add_matrix(self, id: ModelId, matrix: OwnMatrix) {
        self.matrices.update(|matrices| {
            matrices.insert(id, matrix);
        });
        on_cleanup(move || {
            // The whole set may be disposed of already.
            let _ = self.matrices.try_update(|matrices| matrices.remove(&id));
        });
    }

    /// Returns the matrices of the included models in display order. `None` until all that can be computed are.
    pub(super) fn all_matrices(self, similarity: Similarity) -> Option<Vec<ModelMatrix>> {
        let mut all = Vec::new();
        for row in self.rows.get() {
            let failed = |query: Query<ModelOverview>| query.failure().is_some();
            if self.overviews.query(row.id()).is_some_and(failed) {
                continue;
            }
            let matrix = self
                .matrices
                .with(|matrices| matrices.get(&row.id()).copied())?;
            let matrix = Heatmap::clone(matrix.get()?.as_ref());
            all.push(ModelMatrix {
                r2: self.overviews.answer(row.version)?.r2(),
                matrix,
                source: MatrixId::Positions(row.version, similarity, MatrixPart::Whole),
                is_relative: row.summary.kind.is_relative(),
                is_on_shared_scale: self
                    .colors
                    .with(|colors| colors.range_for(row.is_computed).is_some()),
                name: row.name,
            });
        }
        Some(all)
    }

    /// Returns the largest number of positions of any model, for the cursor.
    pub(super) fn longest(self) -> Memo<usize> {
        Memo::new(move |_| {
            self.models
                .with(|models| models.iter().map(ComparedModel::n).max().unwrap_or(0))
        })
    }
}

/// Whether the models or their overviews differ. Overviews are compared by pointer, not by value.
fn is_other(
    before: Option<&Arc<Vec<ComparedModel>>>,
    now: Option<&Arc<Vec<ComparedModel>>>,
) -> bool {
    let (Some(before), Some(now)) = (before, now) else {
        return true;
    };
    before.len() != now.len()
        || before.iter().zip(now.iter()).any(|(a, b)| {
            !Arc::ptr_eq(&a.brief, &b.brief) || a.number != b.number || a.name != b.name
        })
}
