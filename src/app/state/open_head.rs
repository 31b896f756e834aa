//! The open head, and what figures of heads take from the model.

use super::{ModelList, UrlState};
use crate::{
    analysis::{HeadId, ModelSummary, ScoreInput},
    math::AttentionMask,
    url_state::Link,
};
use leptos::prelude::*;
use std::sync::Arc;

/// The open head of the open model, and the mask of heads and kernels.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct OpenHead {
    models: ModelList,
    head: Memo<Option<HeadId>>,
    second: Memo<Option<HeadId>>,
    cells: Memo<AttentionMask>,
}

impl OpenHead {
    pub(super) fn new(url: UrlState, models: ModelList) -> Self {
        let (link, open, summary) = (url.link, models.open, models.summary);
        let clamped = move |place: fn(&Link) -> Option<(usize, usize)>| {
            let model = open.get()?;
            let (layers, heads) = summary.with(|summary| {
                let summary = summary.as_ref()?;
                Some((summary.layers, summary.heads?.0 as usize))
            })?;
            link.with(|link| {
                let (layer, head) = place(link)?;
                Some(HeadId {
                    model,
                    input: ScoreInput::Positions(link.heads.mode),
                    layer: layer.min(layers.checked_sub(1)?),
                    head: head.min(heads.checked_sub(1)?),
                })
            })
        };
        let head = Memo::new(move |_| clamped(|link| Some((link.heads.layer, link.heads.head))));
        let second = Memo::new(move |_| {
            let second = clamped(|link| link.heads.second)?;
            (head.get() != Some(second)).then_some(second)
        });
        let cells = Memo::new(move |_| {
            let of_model = summary.with(|summary| summary.as_ref().map(|summary| summary.cells));
            let mask_of_link = link.with(|link| link.heads.cells);
            mask_of_link.or(of_model).unwrap_or_default()
        });
        Self {
            models,
            head,
            second,
            cells,
        }
    }

    pub(in crate::app) fn from_context() -> Self {
        expect_context()
    }

    /// Returns the open head, clamped to the heads of the model.
    pub(in crate::app) fn get(self) -> Option<HeadId> {
        self.head.get()
    }

    /// Returns the second head of the link, clamped to the heads of the model. `None` if it is the open head.
    pub(in crate::app) fn second(self) -> Option<HeadId> {
        self.second.get()
    }

    /// Returns the open head if its positions form a line. Kernels are functions of k = j − i, which is not meaningful
    /// for image patches.
    pub(in crate::app) fn on_line(self) -> Option<HeadId> {
        let on_grid = |summary: &Option<Arc<ModelSummary>>| {
            summary
                .as_ref()
                .is_some_and(|summary| summary.grid.is_some())
        };
        self.get().filter(|_| !self.models.summary.with(on_grid))
    }

    /// Returns the number of positions of the open head, if kernels can be compared with it.
    pub(in crate::app) fn rows_on_line(self) -> Option<usize> {
        self.on_line()?;
        Some(self.models.summary()?.rows)
    }

    /// Returns which cells of heads and kernels count: the chosen mask, otherwise that of the open model.
    pub(in crate::app) fn cells(self) -> AttentionMask {
        self.cells.get()
    }
}
