//! The waves view: spectra, components and phases of position tables on the left, of queries and keys on the right.

mod head_choice;
mod heads;
mod layers;
mod readings;
mod tables;

use super::no_heads::NoHeads;
use crate::{
    analysis::{Question, TableWaves},
    app::{
        query_client::{Query, QueryClient, QueryStatus},
        state::{ModelList, UrlState},
    },
    url_state::WavesSection,
};
use head_choice::HeadChoice;
use heads::HeadWaveFigures;
use layers::LayerFigures;
use leptos::prelude::*;
use tables::TableWaveFigures;

/// Sentence at the top of the view: its figures show positions without the content of tokens.
const OF_POSITIONS_ALONE: &str = "All figures here use position embeddings alone; with real text, token content is added to them.";

/// The waves view.
#[component]
pub(in crate::app) fn WavesView() -> impl IntoView {
    let models = ModelList::from_context();
    let table = QueryClient::from_context().ask(move || {
        Some(TableWaves {
            of: models.open.get()?,
        })
    });
    // Until the model's summary is known, assume that it has heads.
    let has_heads = Memo::new(move |_| models.summary().is_none_or(|summary| summary.layers > 0));
    view! {
        <div class="view waves" class:alone=move || !has_heads.get()>
            <p class="caption">{OF_POSITIONS_ALONE}</p>
            <div class="column">
                <TableWaveFigures table/>
            </div>
            <Show when=move || has_heads.get() fallback=NoHeads>
                <div class="column">
                    <HeadChoice/>
                    <HeadWaveFigures/>
                    <LayerFigures/>
                    <readings::FrequencyReadout table/>
                </div>
            </Show>
        </div>
    }
}

/// Returns a memo of a part of the view's link section.
fn section_memo<T: PartialEq + Send + Sync + 'static>(get: fn(&WavesSection) -> T) -> Memo<T> {
    let url = UrlState::from_context();
    Memo::new(move |_| url.link.with(|link| get(&link.waves)))
}

/// Changes the view's link section.
fn choose(change: impl FnOnce(&mut WavesSection)) {
    let url = UrlState::from_context();
    url.link.update(|link| change(&mut link.waves));
}

/// Returns the status of a figure whose answer may be a reason why it has nothing to show.
fn waiting_unless<Q: Question>(
    query: Query<Q>,
    why: impl Fn(&Q::Answer) -> Option<String> + Send + Sync + 'static,
) -> Signal<QueryStatus> {
    Signal::derive(move || match query.status() {
        QueryStatus::Nothing => match query.with(|answer| answer.and_then(&why)) {
            Some(why) => QueryStatus::Failed(why),
            None => QueryStatus::Nothing,
        },
        status => status,
    })
}
