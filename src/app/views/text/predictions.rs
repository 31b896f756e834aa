//! Figure: predicted tokens, where the model has a prediction head.

use super::text_state::TextState;
use crate::{
    analysis::{PredictTokens, PredictionKind},
    app::{
        figure::{
            card::FigureCard,
            program_constants::ProgramConstants,
            view::{picture, ready},
        },
        query_client::QueryClient,
        state::PageState,
        views::figure_fold::FigureFold,
    },
    figure::text_attention::{StripColors, TokenNames, prediction_bars},
    figure_spec::text::TEXT_PREDICTIONS,
    numpy_program::{Literal, dict_literal},
    url_state::FigureGroup,
};
use leptos::prelude::*;

/// The fold with the predictions.
#[component]
pub(super) fn Predictions() -> impl IntoView {
    let text = TextState::from_context();
    let has_head = Memo::new(move |_| text.sizes().is_none_or(|sizes| sizes.predictions.is_some()));
    view! {
        <FigureFold group=FigureGroup::Predictions summary="Predicted tokens">
            <Show when=move || has_head.get() fallback=NoPredictionHead>
                <PredictionFigure/>
            </Show>
        </FigureFold>
    }
}

/// Explanation in place of the figure for a model without a prediction head.
#[component]
fn NoPredictionHead() -> impl IntoView {
    view! {
        <p class="caption">
            "This file has no prediction head, so the model predicts no tokens. Models with one: RoBERTa base, ALBERT base v2, GPT-2 and Pythia."
        </p>
    }
}

/// Figure: the most probable tokens at the selected token, or at the end of the text.
#[component]
fn PredictionFigure() -> impl IntoView {
    let PageState { url, .. } = PageState::from_context();
    let text = TextState::from_context();
    let kind = Memo::new(move |_| text.sizes().and_then(|sizes| sizes.predictions));
    let position = Memo::new(move |_| {
        let count = text.tokens.with(|tokens| tokens.len());
        let selected = url.link.with(|link| match link.text.colors {
            Some(StripColors::AttentionFrom(token) | StripColors::AttentionTo(token)) => {
                Some(token)
            }
            _ => None,
        });
        let mask = text.tokens.with(|tokens| {
            tokens
                .iter()
                .position(|token| token.piece.to_lowercase().contains("mask") && token.is_special)
        });
        let last = count.checked_sub(1)?;
        let usual = match kind.get()? {
            PredictionKind::Masked => mask,
            PredictionKind::Next => Some(last),
            PredictionKind::Replaced => Some(0),
        };
        selected.or(usual).map(|token| token.min(last))
    });
    let predictions = QueryClient::from_context().ask(move || {
        kind.get()?;
        let (of, id, passed) = text.progress()?;
        let is_whole = text.sizes().is_some_and(|sizes| sizes.layers == passed);
        let position = position.get().filter(|_| is_whole)?;
        Some(PredictTokens {
            of,
            text: id,
            positions: vec![position],
        })
    });
    text.repeat_when_gone(predictions);
    let names = RwSignal::new(TokenNames::default());
    Effect::new(move || {
        let ids: Vec<u32> = predictions.with(|predictions| {
            let predictions = predictions.into_iter().flatten();
            let ids = predictions.flat_map(|prediction| {
                let own = prediction.rank.map(|(id, _)| id);
                prediction.top.iter().map(|(id, _)| *id).chain(own)
            });
            ids.collect()
        });
        if !ids.is_empty() {
            text.tokenizer.look_up(ids, move |pieces| {
                let _ = names.try_set(TokenNames::new(pieces));
            });
        }
    });
    ProgramConstants::provide(move |name| {
        Some(match name {
            "POSITION" => position.get()?.literal(),
            "replaced" => (kind.get() == Some(PredictionKind::Replaced)).literal(),
            "PIECE_NAMES" => names.with(|names| dict_literal(names.pieces())),
            _ => return None,
        })
    });
    let figure = picture(move || {
        let (predictions, tokens) = (predictions.get()?, text.tokens.get());
        ready(names.with(|names| prediction_bars(&predictions, &tokens, names))?)
    });
    let caption = Signal::derive(move || {
        match kind.get() {
        None => String::new(),
        Some(PredictionKind::Masked) => "Choose a token, or type the mask token in the text: the most probable tokens in its place.".to_owned(),
        Some(PredictionKind::Next) => "The most probable tokens after the chosen one, or after the text.".to_owned(),
        Some(PredictionKind::Replaced) => "The probability that the chosen token is not the original one.".to_owned(),
    }
    });
    view! { <FigureCard spec=&TEXT_PREDICTIONS figure caption query=predictions/> }
}
