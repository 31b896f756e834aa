//! The waves view in three parts: the position table, the queries and keys of one head, and all heads. Each part shows
//! its most telling figures and folds the others.

mod head_choice;
mod heads;
mod layers;
mod no_table_message;
mod readings;
mod retarget;
mod tables;

use super::{figure_fold::FigureFold, no_heads::NoHeads};
use crate::{
    analysis::{Question, TableWaves},
    app::{
        query_client::{Query, QueryClient, QueryStatus},
        state::{ModelList, UrlState},
    },
    url_state::{FigureGroup, WavesSection},
};
use head_choice::HeadChoice;
use heads::{HeadCorrelations, HeadWaveFigures};
use layers::{HeadGroupFigures, LayerSpectrumCard};
use leptos::prelude::*;
use no_table_message::NoTableMessage;
use retarget::RetargetCard;
use tables::{FurtherTableFigures, TableWaveFigures};

/// Sentence at the top of the view: its figures show positions without the content of tokens.
const OF_POSITIONS_ALONE: &str = "All figures here use position embeddings alone; with real text, token content is added to them.";

/// The waves view.
#[component]
pub(in crate::app) fn WavesView() -> impl IntoView {
    let models = ModelList::from_context();
    // Until the model's summary is known, assume that it has a table.
    let has_table = Memo::new(move |_| {
        let summary = models.summary();
        summary.is_none_or(|summary| !summary.kind.is_relative())
    });
    view! {
        <Show when=move || has_table.get() fallback=NoTableMessage>
            <WaveParts/>
        </Show>
    }
}

/// The three parts of the view: the table, one head, all heads.
#[component]
fn WaveParts() -> impl IntoView {
    let models = ModelList::from_context();
    let table = QueryClient::from_context().ask(move || {
        Some(TableWaves {
            of: models.open.get()?,
        })
    });
    // Until the model's summary is known, assume that it has heads. Those that rotate make no waves of the table.
    let has_heads = Memo::new(move |_| {
        let summary = models.summary();
        summary.is_none_or(|summary| summary.layers > 0 && !summary.kind.has_heads_by_offset())
    });
    view! {
        <div class="view waves">
            <p class="caption">{OF_POSITIONS_ALONE}</p>
            <WavePart
                title="1. The table"
                sentence="Are the columns of the position table waves along position?"
            >
                <TableWaveFigures table/>
                <FigureFold group=FigureGroup::TableWaves summary="More about the table">
                    <FurtherTableFigures table/>
                </FigureFold>
            </WavePart>
            <Show when=move || has_heads.get() fallback=NoHeads>
                <WavePart
                    title="2. One head"
                    sentence="A head turns the table into waves of queries and of keys; where the two match, it attends."
                >
                    <HeadChoice/>
                    <HeadWaveFigures/>
                    <FigureFold group=FigureGroup::HeadWaves summary="More about this head">
                        <HeadCorrelations/>
                        <RetargetCard/>
                    </FigureFold>
                </WavePart>
                <WavePart
                    title="3. All heads"
                    sentence="Heads fall into a few groups by the offsets that they attend to."
                >
                    <HeadGroupFigures/>
                    <FigureFold group=FigureGroup::LayerWaves summary="More about the layers">
                        <LayerSpectrumCard/>
                    </FigureFold>
                </WavePart>
            </Show>
        </div>
    }
}

/// A part of the view, with its heading and one sentence.
#[component]
fn WavePart(title: &'static str, sentence: &'static str, children: Children) -> impl IntoView {
    view! {
        <section class="part" aria-label=title>
            <header>
                <h2>{title}</h2>
                <p class="caption">{sentence}</p>
            </header>
            {children()}
        </section>
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
