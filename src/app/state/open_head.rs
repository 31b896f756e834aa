//! The open head, and what figures of heads take from the model.

use super::{ModelList, UrlState};
use crate::{
    analysis::{HeadId, ModelSummary, ModelVersion, PositionKind, ScoreInput, TextId},
    math::AttentionMask,
    url_state::Link,
};
use leptos::prelude::*;
use std::sync::Arc;

/// A text that has passed all layers of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::app) struct PassedText {
    /// The model.
    pub(in crate::app) of: ModelVersion,
    /// The text.
    pub(in crate::app) text: TextId,
    /// Number of layers.
    pub(in crate::app) layers: usize,
    /// Number of tokens over which mean queries and keys are taken.
    pub(in crate::app) tokens: usize,
}

/// The open head of the open model, and the mask of heads and kernels.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct OpenHead {
    models: ModelList,
    head: Memo<Option<HeadId>>,
    second: Memo<Option<HeadId>>,
    cells: Memo<AttentionMask>,
    /// The text that ran last.
    pub(in crate::app) passed_text: RwSignal<Option<PassedText>>,
    source: Memo<HeadScoreSource>,
}

/// Source of the scores of the open model's heads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HeadScoreSource {
    /// Weights.
    Weights,
    /// The mean query and key of rotary heads over a text; `None` before it has passed the model.
    Text(Option<PassedText>),
}

impl OpenHead {
    pub(super) fn new(url: UrlState, models: ModelList) -> Self {
        let (link, open, summary) = (url.link, models.open, models.summary);
        let passed_text = RwSignal::new(None::<PassedText>);
        let of_text = url.select(Link::has_text_means);
        let source =
            Memo::new(
                move |_| match of_text.get() && models.kind() == PositionKind::Rotary {
                    true => {
                        let text = passed_text.get();
                        HeadScoreSource::Text(text.filter(|text| Some(text.of) == open.get()))
                    }
                    false => HeadScoreSource::Weights,
                },
            );
        let clamped = move |place: fn(&Link) -> Option<(usize, usize)>| {
            let model = open.get()?;
            let summary = summary.get()?;
            let (layers, heads) = size(&summary, source.get())?;
            link.with(|link| {
                let (layer, head) = place(link)?;
                Some(HeadId {
                    model,
                    input: match source.get() {
                        HeadScoreSource::Weights => ScoreInput::Positions(link.heads.mode),
                        HeadScoreSource::Text(text) => ScoreInput::Text(text?.text),
                    },
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
            passed_text,
            source,
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

    /// Returns the numbers of layers with scores and of heads per layer; `None` for models without heads.
    pub(in crate::app) fn size(self) -> Option<(usize, usize)> {
        let summary = self.models.summary()?;
        size(&summary, self.source.get())
    }

    /// Whether heads take their scores from a text that has not passed the model yet.
    pub(in crate::app) fn waits_for_text(self) -> bool {
        self.source.get() == HeadScoreSource::Text(None)
    }

    /// Returns a sentence on the text over which mean queries and keys are taken; empty for scores from weights.
    pub(in crate::app) fn text_note(self) -> String {
        let note = self.text_tokens().map(|tokens| {
            format!(
                " Mean query and key over {tokens} tokens of the text that ran last; its first token and special tokens are left out, because attention sinks there would move the means."
            )
        });
        note.unwrap_or_default()
    }

    /// Returns the number of tokens of that text; `None` for scores from weights, and before a text has passed the model.
    pub(in crate::app) fn text_tokens(self) -> Option<usize> {
        match self.source.get() {
            HeadScoreSource::Text(text) => Some(text?.tokens),
            HeadScoreSource::Weights => None,
        }
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

/// Numbers of layers with scores and of heads per layer.
fn size(summary: &ModelSummary, source: HeadScoreSource) -> Option<(usize, usize)> {
    let layers = match source {
        HeadScoreSource::Text(Some(text)) => text.layers,
        _ => summary.layers,
    };
    Some((layers, summary.heads?.0 as usize))
}
