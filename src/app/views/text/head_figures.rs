//! Figures of the open head over the text: its map and its profile, with their switches.

use super::{displayed_head::DisplayedHead, text_state::TextState, tokenizer::TokenizerStatus};
use crate::{
    analysis::{
        ListedQuestion, MatrixPart, SpecialTokenMode, TextHeadMatrix, TextHeadProfile, TextProfile,
        TextValues,
    },
    app::{
        figure::{
            card::FigureCard,
            readout::Readout,
            view::{picture, ready},
        },
        query_client::{Query, QueryClient},
        state::{PageState, UrlState, text_runs::tokens_of_run},
        views::matrix_controls::{LinkedSegmentedButtons, MatrixLook},
    },
    figure::{
        Cursor, short_r2,
        text_attention::{MapContent, TextMap, text_profile},
    },
    figure_spec::text::{TEXT_MATRIX, TEXT_PROFILE},
    url_state::{HeadContent, TextScope},
};
use leptos::prelude::*;

/// Asks about the displayed head, with the values that the link shows of it.
fn ask_head<Q: ListedQuestion>(
    question: impl Fn(DisplayedHead, HeadContent) -> Q + Send + Sync + 'static,
) -> Query<Q> {
    let show = UrlState::from_context().select(|link| link.text.show);
    let text = TextState::from_context();
    let head = text.displayed_head;
    let client = QueryClient::from_context();
    text.repeat_when_gone(client.ask(move || Some(question(head.get()?, show.get()))))
}

/// Asks for the map of the displayed head.
fn ask_matrix() -> Query<TextHeadMatrix> {
    ask_head(|displayed, show| TextHeadMatrix {
        of: displayed.of,
        text: displayed.text,
        layer: displayed.head.0,
        head: displayed.head.1,
        values: show.values,
        part: show.part,
        special: show.special,
    })
}

/// Asks for the profile of the displayed head.
fn ask_profile() -> Query<TextHeadProfile> {
    ask_head(|displayed, show| TextHeadProfile {
        of: displayed.of,
        run: displayed.text.run,
        layer: displayed.head.0,
        head: displayed.head.1,
        values: show.values,
        special: show.special,
    })
}

/// Switches of the figures below: the values of the open head, and special tokens.
#[component]
pub(super) fn HeadSwitches() -> impl IntoView {
    let PageState { url, .. } = PageState::from_context();
    let special = url.select(|link| link.text.show.special);
    let hint = move || match special.get() {
        SpecialTokenMode::Shown => "Every R² below counts all tokens.",
        SpecialTokenMode::Hidden => "Every R² and mean by offset below leaves out special tokens.",
        SpecialTokenMode::Renormalised => {
            "Every R² and mean by offset below leaves out special tokens and divides each row of attention by the sum of the rest."
        }
    };
    view! {
        <div class="controls head-switches">
            <LinkedSegmentedButtons
                label="Values"
                choices=[
                    (TextValues::Attention, "attention"),
                    (TextValues::Scores, "scores before softmax"),
                ]
                get=|link| link.text.show.values
                set=|link, values| link.text.show.values = values
            />
            <LinkedSegmentedButtons
                label="Special tokens"
                choices=[
                    (SpecialTokenMode::Shown, "special tokens shown"),
                    (SpecialTokenMode::Hidden, "hidden"),
                    (SpecialTokenMode::Renormalised, "hidden, rows renormalised"),
                ]
                get=|link| link.text.show.special
                set=|link, special| link.text.show.special = special
            />
            <span class="hint" role="status">{hint}</span>
        </div>
    }
}

/// Figure: the open head as a map over the tokens.
#[component]
pub(super) fn HeadMapFigure() -> impl IntoView {
    let PageState { url, .. } = PageState::from_context();
    let text = TextState::from_context();
    let matrix = ask_matrix();
    let look = url.select(|link| (link.matrices.map, link.matrices.clip));
    let figure = picture(move || {
        let (question, matrix) = matrix.get_with_question()?;
        let content = MapContent {
            values: question.values,
            part: question.part,
            mask: text.sizes()?.mask,
        };
        let tokens = tokens_of_run(question.text.run)?;
        ready(TextMap::new(&matrix, &tokens, content, look.get()))
    });
    let caption = Signal::derive(move || {
        let Some((question, matrix)) = matrix.get_with_question() else {
            return String::new();
        };
        let content = MapContent {
            values: question.values,
            part: question.part,
            mask: text.sizes().map(|sizes| sizes.mask).unwrap_or_default(),
        };
        let r2 = match matrix.r2.is_finite() {
            true => format!("The offset alone explains R² = {}", short_r2(matrix.r2)),
            false => "The offset has no R²: nothing varies".to_owned(),
        };
        format!(
            "Head {} of layer {}. {r2} of its {}. Colour: {}.",
            question.head + 1,
            question.layer + 1,
            match question.values {
                TextValues::Attention => "attention",
                TextValues::Scores => "scores",
            },
            content.words()
        )
    });
    let positions = Signal::derive(move || text.tokens.with(|tokens| tokens.len()));
    let status = Signal::derive(move || text.head_status(matrix.status()));
    view! {
        <FigureCard spec=&TEXT_MATRIX figure caption positions query=status>
            <LinkedSegmentedButtons
                label="Part of the map"
                choices=[
                    (MatrixPart::Whole, "whole"),
                    (MatrixPart::Toeplitz, "Toeplitz part"),
                    (MatrixPart::Residual, "residual"),
                ]
                get=|link| link.text.show.part
                set=|link, part| link.text.show.part = part
            />
            <MatrixLook/>
        </FigureCard>
    }
}

/// Figure: the means of the diagonals, in the text and from weights.
#[component]
pub(super) fn HeadProfileFigure() -> impl IntoView {
    let text = TextState::from_context();
    let profile = ask_profile();
    let figure = picture(move || {
        let (question, profile) = profile.get_with_question()?;
        ready(text_profile(&profile, question.values))
    });
    let caption = Signal::derive(move || {
        let (texts, from_weights) = profile.with(|profile| {
            profile.map_or((1, true), |profile| {
                (profile.texts, profile.weights.is_some())
            })
        });
        let mean = match texts {
            1 => "The mean of every diagonal in the text".to_owned(),
            _ => format!(
                "The mean of every diagonal over {texts} texts, with the lowest and the highest of them"
            ),
        };
        match from_weights {
            true => {
                format!("{mean}, and dashed the one that the weights promise without any text.")
            }
            false => format!(
                "{mean}. The positional scores of this layer cannot be computed from weights alone."
            ),
        }
    });
    let positions = Signal::derive(move || text.tokens.with(|tokens| tokens.len()));
    let status = Signal::derive(move || text.head_status(profile.status()));
    let has_tokenizer =
        Memo::new(move |_| matches!(text.tokenizer.status.get(), TokenizerStatus::Loaded(_)));
    view! {
        <FigureCard spec=&TEXT_PROFILE figure caption positions query=status>
            <Show when=move || has_tokenizer.get()>
                <LinkedSegmentedButtons
                    label="Texts"
                    choices=[
                        (TextScope::Open, "this text"),
                        (TextScope::Samples, "with all samples"),
                    ]
                    get=|link| link.text.scope
                    set=|link, scope| link.text.scope = scope
                />
            </Show>
        </FigureCard>
    }
}

/// The cursor in numbers.
#[component]
pub(super) fn HeadReadout() -> impl IntoView {
    let (matrix, profile) = (ask_matrix(), ask_profile());
    let read = move |cursor: Option<Cursor>| {
        let cell = cursor.and_then(Cursor::cell);
        let value = matrix.with(|matrix| {
            let (matrix, (query, key)) = (matrix?, cell?);
            let row = matrix.tokens.binary_search(&query).ok()?;
            let column = matrix.tokens.binary_search(&key).ok()?;
            matrix
                .cells
                .get((row, column))
                .map(|value| f64::from(*value))
        });
        let offset = cursor.and_then(Cursor::offset);
        let at_offset = |values: &dyn Fn(&TextProfile) -> Option<Vec<f64>>| {
            profile.with(|profile| {
                let (profile, offset) = (profile?, offset?);
                let at = profile.offsets.binary_search(&offset).ok()?;
                values(profile)?.get(at).copied()
            })
        };
        vec![
            ("value", value),
            (
                "mean at k",
                at_offset(&|profile| Some(profile.mean.clone())),
            ),
            (
                "from weights",
                at_offset(&|profile| profile.weights.clone()),
            ),
        ]
    };
    view! { <Readout read/> }
}
