//! Figure: the tokens of the text, tinted by the open head's attention from or to a token, or by surprise.

use super::{text_state::TextState, token_buttons::TokenButtons};
use crate::{
    analysis::{
        MatrixPart, PredictTokens, PredictionKind, SpecialTokenMode, TextHeadMatrix, TextValues,
    },
    app::{
        controls::buttons::{SegmentedButtons, options},
        figure::{
            card::FigureCard,
            view::{AnyFigure, picture, ready},
        },
        query_client::{QueryClient, QueryStatus},
        state::{PageState, text_runs::tokens_of_run},
    },
    figure::{
        Cursor, Figure,
        text_attention::{StripColors, TextToken, TokenStrip},
    },
    figure_spec::text::TEXT_TOKENS,
};
use leptos::prelude::*;
use std::sync::Arc;

/// Meaning of the tints, without the token that they refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TintKind {
    From,
    To,
    Surprise,
}

/// Figure: the tokens of the text.
#[component]
pub(super) fn TokenStripFigure() -> impl IntoView {
    let PageState { url, cursor, .. } = PageState::from_context();
    let text = TextState::from_context();
    let client = QueryClient::from_context();
    let colors = url.select(|link| link.text.colors);
    let attention = client.ask(move || {
        let of_token = matches!(
            colors.get()?,
            StripColors::AttentionFrom(_) | StripColors::AttentionTo(_)
        );
        let displayed = text.displayed_head.get().filter(|_| of_token)?;
        Some(TextHeadMatrix {
            of: displayed.of,
            text: displayed.text,
            layer: displayed.head.0,
            head: displayed.head.1,
            values: TextValues::Attention,
            part: MatrixPart::Whole,
            special: SpecialTokenMode::Shown,
        })
    });
    let has_surprise = Memo::new(move |_| {
        let sizes = text.sizes();
        sizes.is_some_and(|sizes| sizes.predictions == Some(PredictionKind::Next))
    });
    let surprise = client.ask(move || {
        let is_chosen = colors.get() == Some(StripColors::Surprise) && has_surprise.get();
        let (of, id, passed) = text.progress().filter(|_| is_chosen)?;
        let is_whole = text.sizes().is_some_and(|sizes| sizes.layers == passed);
        let count = text.tokens.with(|tokens| tokens.len());
        is_whole.then(|| PredictTokens {
            of,
            text: id,
            positions: (0..count.saturating_sub(1)).collect(),
        })
    });
    text.repeat_when_gone(attention);
    text.repeat_when_gone(surprise);
    let strip = Memo::new_with_compare(
        move |_| {
            let tokens = text.tokens.get();
            let strip = TokenStrip::new(tokens.to_vec());
            let count = tokens.len();
            // The tints of an earlier text say nothing about this one.
            let matrix = attention
                .get_with_question()
                .and_then(|(question, matrix)| {
                    let is_of_text =
                        tokens_of_run(question.text.run).is_some_and(|of| of == tokens);
                    is_of_text.then_some(matrix)
                });
            let values = match colors.get() {
                Some(StripColors::AttentionFrom(query)) => matrix.and_then(|matrix| {
                    let row = matrix.cells.rows().into_iter().nth(query)?.to_vec();
                    Some(row.into_iter().map(f64::from).collect::<Vec<f64>>())
                }),
                Some(StripColors::AttentionTo(key)) => matrix.and_then(|matrix| {
                    let column = matrix.cells.columns().into_iter().nth(key)?.to_vec();
                    Some(column.into_iter().map(f64::from).collect())
                }),
                // The prediction at a position is about the next token.
                Some(StripColors::Surprise) => surprise.with(|predictions| {
                    let mut values = vec![f64::NAN; count];
                    for prediction in predictions? {
                        if let Some(value) = values.get_mut(prediction.position + 1) {
                            *value = prediction.surprise;
                        }
                    }
                    Some(values)
                }),
                None => None,
            };
            match colors
                .get()
                .zip(values.filter(|values| values.len() == count))
            {
                Some((colors, values)) => strip.with_tints(colors, values),
                None => strip,
            }
        },
        |_, _| true,
    );
    let figure = picture(move || -> Option<AnyFigure> { ready(strip.get()) });
    let labels = Memo::new(move |_| -> Arc<[String]> {
        text.tokens.with(|tokens| {
            let tokens = tokens.iter().enumerate();
            tokens
                .map(|(at, token): (usize, &TextToken)| token.spoken_name(at))
                .collect()
        })
    });
    let selected = Signal::derive(move || match colors.get()? {
        StripColors::AttentionFrom(token) | StripColors::AttentionTo(token) => Some(token),
        StripColors::Surprise => None,
    });
    let select = move |token: usize| {
        url.link.update(|link| {
            link.text.colors = match link.text.colors {
                Some(StripColors::AttentionFrom(before) | StripColors::AttentionTo(before))
                    if before == token =>
                {
                    None
                }
                Some(StripColors::AttentionTo(_)) => Some(StripColors::AttentionTo(token)),
                _ => Some(StripColors::AttentionFrom(token)),
            };
        });
    };
    let point = move |token: Option<usize>| {
        let cell = token.and_then(|token| match colors.get_untracked()? {
            StripColors::AttentionFrom(query) => Some((query, token)),
            StripColors::AttentionTo(key) => Some((token, key)),
            StripColors::Surprise => None,
        });
        cursor
            .hover
            .set(cell.map(|(query, key)| Cursor::Cell(query, key)));
    };
    let places = move |width: f64| strip.with(|strip| strip.places(width));
    let buttons = view! { <TokenButtons labels places selected select point/> };
    let kind = Signal::derive(move || {
        colors.get().map(|colors| match colors {
            StripColors::AttentionFrom(_) => TintKind::From,
            StripColors::AttentionTo(_) => TintKind::To,
            StripColors::Surprise => TintKind::Surprise,
        })
    });
    let set_kind = move |kind: Option<TintKind>| {
        let token = selected.get_untracked().unwrap_or(0);
        url.link.update(|link| {
            link.text.colors = kind.map(|kind| match kind {
                TintKind::From => StripColors::AttentionFrom(token),
                TintKind::To => StripColors::AttentionTo(token),
                TintKind::Surprise => StripColors::Surprise,
            });
        });
    };
    let choices = move || {
        let attention = [
            (None, "no tint"),
            (Some(TintKind::From), "attention from the token"),
            (Some(TintKind::To), "attention to the token"),
        ];
        let surprise = has_surprise
            .get()
            .then_some((Some(TintKind::Surprise), "surprise"));
        view! { <SegmentedButtons label="Tint" options=options(attention.into_iter().chain(surprise)) value=kind set=set_kind/> }
    };
    let caption = Signal::derive(move || {
        let head = text.open_head();
        let head = head.map_or_else(String::new, |(layer, head)| {
            format!(" of head {} in layer {}", head + 1, layer + 1)
        });
        match selected.get() {
            None => format!("Choose a token to see the attention{head} from it or to it."),
            Some(_) => format!(
                "The attention{head}. Choose another token, or the same one again to remove the tint."
            ),
        }
    });
    let positions = Signal::derive(move || text.tokens.with(|tokens| tokens.len()));
    let status = Signal::derive(move || match kind.get() {
        Some(TintKind::Surprise) => surprise.status(),
        Some(_) => attention.status(),
        None => QueryStatus::Nothing,
    });
    view! {
        <FigureCard spec=&TEXT_TOKENS figure caption positions query=status above=buttons.into_any()>
            {choices}
        </FigureCard>
    }
}
