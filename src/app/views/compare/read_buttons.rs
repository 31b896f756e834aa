//! Buttons that request the heads of models, whose weights are read only then.

use super::Badge;
use crate::{
    app::{
        controls::focus::{focus_next, focusable, is_by_keyboard},
        query_client::QueryClient,
        state::comparison::{Comparison, ListedModel},
    },
    url_state::FigureId,
};
use leptos::prelude::*;

/// A button for each model whose heads can be requested, and one for all if there are several. A model that was
/// requested before is asked for again.
#[component]
pub(super) fn ReadButtons(
    /// The figure that shows the buttons.
    figure: FigureId,
    /// The models.
    #[prop(into)]
    offered: Signal<Vec<ListedModel>>,
) -> impl IntoView {
    let comparison = Comparison::from_context();
    let client = QueryClient::from_context();
    let read = move |models: &[ListedModel]| {
        hand_over_focus(figure);
        if models.iter().any(|model| comparison.wants_heads(model)) {
            client.retry();
        }
        for model in models {
            comparison.want_heads(model.id());
        }
    };
    let read_all = move |_| offered.with_untracked(|models| read(models));
    let button = move |model: ListedModel| {
        let id = model.id();
        let read_one = move |_| {
            let model = comparison.model(id).get_untracked();
            read(model.as_slice());
        };
        let label = format!("Read all heads of {}", model.name);
        view! {
            <button
                type="button"
                data-read=model.name.clone()
                title=label
                on:click=read_one
            >
                <span class="summary">"Read all heads of"</span>
                <Badge number=model.number/>
                <span class="name">{model.name.clone()}</span>
            </button>
        }
    };
    view! {
        <div class="readers">
            <Show when=move || { offered.with(Vec::len) > 1 }>
                <button type="button" class="primary" on:click=read_all>"Read all heads"</button>
            </Show>
            <For each=move || offered.get() key=ListedModel::row_key children=button/>
        </div>
    }
}

/// Moves keyboard focus after the pressed button was removed: to the next button, else to the figure.
fn hand_over_focus(figure: FigureId) {
    if is_by_keyboard() {
        focus_next(move || {
            let button = focusable(&format!("#{} .readers button", figure.id()));
            button.or_else(|| focusable(&format!("#{} .figure-view", figure.id())))
        });
    }
}
