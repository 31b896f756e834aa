//! Heads side by side times the output matrix, and the rank of their matrices.

use super::demonstration::ImageDemonstration;
use crate::{
    analysis::{ConcatenateHeads, HeadConcatenation},
    app::{
        figure::{
            card::FigureCard,
            view::{picture, ready},
        },
        query_client::QueryClient,
        views::figure_fold::FigureFold,
    },
    figure::images::{ConcatenatedHeads, head_ranks},
    figure_spec::images::{CONCATENATED_HEADS, HEAD_RANKS},
    url_state::FigureGroup,
};
use leptos::prelude::*;

/// Figures behind a fold: the concatenated heads and their ranks.
#[component]
pub(super) fn HeadChannels() -> impl IntoView {
    view! {
        <FigureFold group=FigureGroup::HeadChannels summary="Heads side by side, and their ranks">
            <ConcatenationCards/>
        </FigureFold>
    }
}

#[component]
fn ConcatenationCards() -> impl IntoView {
    let demonstration = ImageDemonstration::from_context();
    let answer = QueryClient::from_context().ask(move || {
        Some(ConcatenateHeads {
            of: demonstration.filter_setting(),
            query: demonstration.query(),
        })
    });
    let figure = picture(move || {
        let concatenation: HeadConcatenation = answer.with(|answer| answer.cloned())?;
        ready(ConcatenatedHeads::new(concatenation))
    });
    let ranks = picture(move || answer.with(|answer| ready(head_ranks(answer?)?)));
    view! {
        <FigureCard spec=&CONCATENATED_HEADS figure query=answer/>
        <FigureCard spec=&HEAD_RANKS figure=ranks query=answer/>
    }
}
