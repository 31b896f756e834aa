//! Figure: shares of the attention that the sinks of heads take.

use crate::{
    analysis::AttentionSinks,
    app::{
        figure::{
            card::FigureCard,
            view::{picture, ready},
        },
        query_client::QueryClient,
        state::{ModelList, OpenHead},
    },
    figure::sink_bars,
    figure_spec::heads::ATTENTION_SINKS,
};
use leptos::prelude::*;

/// Sentence of figures of attention from weights, for models with sinks.
const SINKS_LEFT_OUT: &str = " This model’s heads have sinks, which are left out here: each query gives its sink a part of this attention.";

/// The caption of a figure of attention from weights, with a sentence on sinks for models that have them.
pub(super) fn with_sinks(caption: impl Fn() -> String + Send + Sync + 'static) -> Signal<String> {
    let models = ModelList::from_context();
    Signal::derive(move || match models.has_sinks() {
        true => (caption() + SINKS_LEFT_OUT).trim_start().to_owned(),
        false => caption(),
    })
}

/// The sinks of the open model's heads; nothing for models without sinks.
#[component]
pub(super) fn AttentionSinksFigure() -> impl IntoView {
    let models = ModelList::from_context();
    let has_sinks = Memo::new(move |_| models.has_sinks());
    view! {
        <Show when=move || has_sinks.get()>
            <SinkBars/>
        </Show>
    }
}

#[component]
fn SinkBars() -> impl IntoView {
    let open_head = OpenHead::from_context();
    // The sinks of all heads do not depend on the open one.
    let source = Memo::new(move |_| open_head.get().map(|head| (head.model, head.input)));
    let sinks = QueryClient::from_context().ask(move || {
        let (of, input) = source.get()?;
        Some(AttentionSinks { of, input })
    });
    let figure = picture(move || {
        let open = open_head
            .get()
            .map_or((0, 0), |head| (head.layer, head.head));
        sinks.with(|heads| ready(sink_bars(heads?, open)?))
    });
    let partial = Signal::derive(move || sinks.is_pending() || sinks.failure().is_some());
    view! { <FigureCard spec=&ATTENTION_SINKS figure partial query=sinks/> }
}
