//! Figure: the open head with turned keys, and the file of its weights.

use super::{choose, section_memo, waiting_unless};
use crate::{
    analysis::{
        HeadId, RETARGET_SHIFTS, RetargetHead, RetargetedAttention, RetargetedWeights, ScoreInput,
        ScoreMode,
    },
    app::{
        controls::{download, number::NumberSlider},
        figure::{
            card::FigureCard,
            view::{picture, ready},
        },
        query_client::{MutationEvent, QueryClient},
        state::{Messages, OpenHead, UrlState},
    },
    figure::waves,
    figure_spec::waves::{RETARGET_ATTENTION, RETARGET_HEAD},
    url_state::{NumberRange, SliderScale},
};
use leptos::prelude::*;

/// The head as the model computes it: attention needs `LayerNorm` and biases.
fn as_computed(head: HeadId) -> HeadId {
    HeadId {
        input: ScoreInput::Positions(ScoreMode::AsComputed),
        ..head
    }
}

/// Figure: attention by offset of the open head, as it is and with turned keys.
#[component]
pub(super) fn RetargetCard() -> impl IntoView {
    let open_head = OpenHead::from_context();
    let client = QueryClient::from_context();
    let messages = Messages::from_context();
    let answer = client.ask(move || {
        Some(RetargetHead {
            of: as_computed(open_head.get()?),
            cells: open_head.cells(),
        })
    });
    let shift = section_memo(|waves| waves.shift);
    let found = move || answer.get()?.as_ref().clone().ok();
    let figure = picture(move || ready(waves::retarget_head(&found()?, shift.get())?));
    let positions = Signal::derive(move || found().map_or(0, |found| found.n));
    let status = waiting_unless(answer, |found| found.as_ref().err().cloned());
    let caption = Signal::derive(move || {
        found().map_or(String::new(), |found| {
            format!(
                "The keys are turned so that a key becomes that of a position some tokens before it. Saved is the tensor \
                 {} with this head changed.",
                found.tensor
            )
        })
    });
    let set = move |value: f64| choose(|waves| waves.shift = value.round() as i64);
    let is_absent = move || found().is_none();
    let save = move |_| {
        let Some(of) = untrack(|| open_head.get()).map(as_computed) else {
            return;
        };
        let shift = shift.get_untracked();
        let name = format!(
            "layer-{}-head-{}-shift-{shift}.safetensors",
            of.layer + 1,
            of.head + 1
        );
        client.run(
            RetargetedWeights { of, shift },
            Vec::new(),
            move |event| match event {
                MutationEvent::Chunk(bytes) => {
                    download::save_bytes(&name, "application/octet-stream", &bytes);
                }
                MutationEvent::Failed(failure) => messages.warn(failure.to_string()),
                MutationEvent::Bytes(_) | MutationEvent::Done => {}
            },
        );
    };
    let (low, high) = (
        *RETARGET_SHIFTS.start() as f64,
        *RETARGET_SHIFTS.end() as f64,
    );
    view! {
        <FigureCard spec=&RETARGET_HEAD figure caption positions query=status>
            <NumberSlider
                name="Tokens further"
                label="Number of tokens by which the head attends further"
                value=Signal::derive(move || shift.get() as f64)
                scale=Signal::stored(SliderScale::linear(low, high, 1.0))
                allowed=NumberRange::whole(low, high)
                slide=set
                set
            />
            <button type="button" disabled=is_absent on:click=save>"Save W_K as safetensors"</button>
        </FigureCard>
        <AttentionChangeCard/>
    }
}

/// Figure: attention maps of the open head, as it is and with turned keys.
#[component]
fn AttentionChangeCard() -> impl IntoView {
    let open_head = OpenHead::from_context();
    let shift = section_memo(|waves| waves.shift);
    let map = UrlState::from_context().select(|link| link.matrices.map);
    let answer = QueryClient::from_context().ask(move || {
        Some(RetargetedAttention {
            of: as_computed(open_head.get()?),
            cells: open_head.cells(),
            shift: shift.get(),
        })
    });
    let figure = picture(move || {
        let look = (map.get(), open_head.cells());
        let (question, change) = answer.get_with_question()?;
        let change = change.as_ref().as_ref().ok()?;
        ready(waves::retargeted_maps(change, question.shift, look))
    });
    let status = waiting_unless(answer, |change| change.as_ref().err().cloned());
    view! { <FigureCard spec=&RETARGET_ATTENTION figure query=status/> }
}
