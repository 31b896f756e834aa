//! Control: the words whose mean query and key give the heads of rotary models their scores.

use super::TEXT_MEANS;
use crate::{
    analysis::{ScoreInput, TextTokens},
    app::{
        controls::buttons::{SegmentedButtons, options},
        figure::program_constants::ProgramConstants,
        lazy::Lazy,
        state::{ModelList, OpenHead, UrlState, text_runs::tokens_of_run},
    },
    model::PositionKind,
    numpy_program::Literal,
    url_state::{CenterWords, Link},
};
use leptos::prelude::*;

/// Whether the open model is a rotary one.
fn is_rotary() -> Memo<bool> {
    let models = ModelList::from_context();
    Memo::new(move |_| models.kind() == PositionKind::Rotary)
}

/// States from what the scores of the open head come, after “come” or “scores,”.
pub(super) fn score_origin(models: ModelList, open_head: OpenHead) -> &'static str {
    let head = open_head.get();
    let is_of_text = head.is_some_and(|head| matches!(head.input, ScoreInput::Text(_)));
    match models.kind() {
        PositionKind::Rotary if is_of_text => {
            "from their offset, for the mean query and the mean key of a text"
        }
        PositionKind::Rotary => {
            "from their offset, for the mean query and the mean key of all tokens"
        }
        PositionKind::Patches => {
            "from their offset in rows and columns, for the part of queries and keys that all patches share"
        }
        kind if kind.is_relative() => "from their offset alone",
        _ => "from their positions alone",
    }
}

/// Provides the constants of NumPy programs about the text.
pub(super) fn provide_text_constants() {
    let open_head = OpenHead::from_context();
    ProgramConstants::provide(move |name| {
        let run = open_head.passed_text.get()?.text.run;
        let tokens = || {
            let tokens = tokens_of_run(run)?;
            Some(TextTokens {
                ids: tokens.iter().map(|token| token.id).collect(),
                is_special: tokens.iter().map(|token| token.is_special).collect(),
            })
        };
        match name {
            "MEAN_TEXT" => Some(tokens()?.ids.literal()),
            "MEAN_TOKENS" => Some(tokens()?.of_means().literal()),
            _ => None,
        }
    });
}

/// The choice between weights and a text. Hidden for models that do not rotate.
#[component]
pub(super) fn CenterChoice() -> impl IntoView {
    let url = UrlState::from_context();
    let is_rotary = is_rotary();
    let of_text = url.select(|link| link.heads.centers.is_text());
    let set = move |of_text: bool| {
        url.link.update(|link| {
            link.heads.centers = match of_text {
                true => CenterWords::Text,
                false => CenterWords::Weights,
            };
        });
    };
    view! {
        <Show when=move || is_rotary.get()>
            <SegmentedButtons
                label="Mean query and key"
                options=options([(false, "from weights"), (true, "over the last text")])
                value=of_text
                set
            />
        </Show>
    }
}

/// The run over the text, if heads take their mean queries and keys from one.
#[component]
pub(super) fn CenterText() -> impl IntoView {
    let is_rotary = is_rotary();
    let of_text = UrlState::from_context().select(Link::has_text_means);
    view! {
        <Show when=move || is_rotary.get() && of_text.get()>
            <Lazy part=TEXT_MEANS inline=true/>
        </Show>
    }
}
