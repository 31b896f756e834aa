//! Choice of the displayed head, and of the input of its queries and keys.

use crate::{
    analysis::ScoreMode,
    app::{
        controls::buttons::{Select, options},
        state::{ModelList, OpenHead, UrlState},
        views::matrix_controls::LinkedSegmentedButtons,
    },
};
use leptos::prelude::*;

/// Controls: layer, head, and whether queries and keys are computed from weights only or with LayerNorm and biases.
#[component]
pub(super) fn HeadChoice() -> impl IntoView {
    let url = UrlState::from_context();
    let models = ModelList::from_context();
    let open_head = OpenHead::from_context();
    let size = Memo::new(move |_| {
        let summary = models.summary()?;
        Some((summary.layers, summary.heads?.0 as usize))
    });
    let place = move |of: fn(&crate::analysis::HeadId) -> usize| {
        Signal::derive(move || open_head.get().map_or(0, |head| of(&head)))
    };
    let numbered = |count: usize| options((0..count).map(|at| (at, (at + 1).to_string())));
    let selects = move || {
        let (layers, heads) = size.get()?;
        Some(view! {
            <Select
                label="Layer"
                options=numbered(layers)
                value=place(|head| head.layer)
                set=move |layer| url.link.update(|link| link.heads.layer = layer)
            />
            <Select
                label="Head"
                options=numbered(heads)
                value=place(|head| head.head)
                set=move |head| url.link.update(|link| link.heads.head = head)
            />
        })
    };
    view! {
        <div class="controls">
            {selects}
            <LinkedSegmentedButtons
                label="Queries and keys"
                choices=[(ScoreMode::Paper, "weights only"), (ScoreMode::AsComputed, "with LayerNorm and biases")]
                get=|link| link.heads.mode
                set=|link, mode| link.heads.mode = mode
            />
        </div>
    }
}
