//! Questions of the positions view, and what is shown before their answers arrive.

use super::tiled_matrix::TiledMatrix;
use crate::{
    analysis::{
        DiagonalDeviations, MatrixPart, ModelVersion, PositionOverview, PositionSummary,
        PositionTile, Similarity, leading_scope, sinusoidal_summary,
    },
    app::{
        query_client::{Query, QueryClient},
        state::PageState,
    },
    encoding::Sinusoidal,
    math::{Profile, Window},
    model::Preset,
    url_state::ModelRef,
};
use leptos::prelude::*;
use std::sync::Arc;

/// Queries and closed-form answers of the view.
#[derive(Clone, Copy)]
pub(super) struct PositionAnswers {
    pub(super) overview: Query<PositionOverview>,
    /// The overview in closed form, before the worker has answered; only for sinusoidal tables.
    pub(super) at_first: Memo<Option<Arc<PositionSummary>>>,
    /// Placeholder until a preset's matrix arrives: the sinusoidal table of its size.
    pub(super) stand_in: Memo<Option<Arc<PositionSummary>>>,
    pub(super) deviations: Query<DiagonalDeviations>,
    pub(super) matrix: TiledMatrix<PositionTile>,
}

impl PositionAnswers {
    pub(super) fn ask(state: PageState) -> Self {
        let PageState { url, models, .. } = state;
        let client = QueryClient::from_context();
        let similarity = url.select(|link| link.positions.similarity);
        let part = url.select(|link| link.positions.part);
        let window = url.select(|link| link.matrices.window.clone());
        let overview = client.ask(move || {
            Some(PositionOverview {
                of: models.open.get()?,
                similarity: similarity.get(),
            })
        });
        Effect::new(move || {
            if let Some((question, summary)) = overview.get_with_question()
                && question.similarity == Similarity::InnerProduct
            {
                models.update_entry(question.of.id, |item| {
                    item.r2 = leading_scope(&summary.scopes).map(|scope| scope.r2);
                });
            }
        });
        let model = url.select(|link| link.model.clone());
        let is_shown = Memo::new(move |_| {
            let open = models.open.get();
            open.is_none()
                || models.entries.with(|entries| {
                    let mut open = entries.iter().filter(|item| item.version == open);
                    open.any(|item| model.with(|model| item.reference == *model))
                })
        });
        let at_first = Memo::new(move |_| {
            // The diagonals determine a sinusoidal table's matrix, so it is available before the worker.
            match model.get() {
                ModelRef::Sinusoidal(table) if is_shown.get() => {
                    sinusoidal_summary(&table, similarity.get()).map(Arc::new)
                }
                _ => None,
            }
        });
        let stand_in = Memo::new(move |_| {
            let is_awaited = models.open.get().is_none() && models.is_opening();
            if !is_awaited || part.get() != MatrixPart::Whole || window.with(Option::is_some) {
                return None;
            }
            let (rows, width) = model.with(|model| match model {
                ModelRef::Preset(id) => Preset::find(id).map(|preset| preset.shape),
                _ => None,
            })?;
            let table = Sinusoidal {
                rows,
                width,
                ..Sinusoidal::default()
            };
            sinusoidal_summary(&table, similarity.get()).map(Arc::new)
        });
        let coarse = Memo::new(move |_| {
            let summary = overview.get().or_else(|| at_first.get())?;
            Some(Arc::new(summary.tile.clone()))
        });
        let is_of_whole = |tile: &PositionTile, n: usize| {
            tile.part == MatrixPart::Whole && tile.window == Some(Window::whole(n, n))
        };
        let status = Signal::derive(move || overview.status());
        let matrix = TiledMatrix::ask(coarse, status, is_of_whole, move |window, limit| {
            Some(PositionTile {
                of: models.open.get()?,
                similarity: similarity.get(),
                part: part.get(),
                window: Some(window),
                limit,
            })
        });
        Self {
            overview,
            at_first,
            stand_in,
            matrix,
            deviations: client.ask(move || {
                // Needs every cell, so it is queried after the cheaper overview.
                overview.get()?;
                Some(DiagonalDeviations {
                    of: models.open.get()?,
                    similarity: similarity.get(),
                })
            }),
        }
    }

    /// Returns the matrix that is displayed, if its model has answered, and the part of it.
    pub(super) fn displayed_part(self) -> (Option<(ModelVersion, Similarity)>, MatrixPart) {
        match self.matrix.displayed_question() {
            Some(tile) => (Some((tile.of, tile.similarity)), tile.part),
            None => {
                let overview = self.overview.get_with_question();
                let matrix = overview.map(|(question, _)| (question.of, question.similarity));
                (matrix, MatrixPart::Whole)
            }
        }
    }

    pub(super) fn summary(self) -> Option<Arc<PositionSummary>> {
        self.overview.get().or_else(|| self.at_first.get())
    }

    pub(super) fn deviations(self) -> Option<Arc<Profile>> {
        let from_closed_form = || {
            let summary = self.at_first.get()?;
            // The entries of a Toeplitz matrix do not deviate along diagonals.
            Some(Arc::new(summary.fit.f.map(|_, _| 0.0)))
        };
        self.deviations.get().or_else(from_closed_form)
    }
}
