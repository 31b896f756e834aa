//! Shuffle tokens: without positions their outputs are shuffled with them, with positions they are not.

use crate::{
    analysis::permutation::{Added, Shuffled, order, tokens},
    app::{
        controls::{Segmented, options},
        engine::Waiting,
        figure_card::FigureCard,
        figure_view::{picture, ready},
        formulas,
        state::State,
    },
    figure::Shuffle,
};
use leptos::prelude::*;

/// The tokens at first.
const TEXT: &str = "the dog bit the old man";

/// The figure. It is small enough for the page to compute.
#[component]
pub(super) fn Permutation() -> impl IntoView {
    let text = RwSignal::new(TEXT.to_owned());
    let seed = RwSignal::new(1_u64);
    let added = RwSignal::new(Added::Nothing);
    let kernels = State::from_context().part(|link| link.kernels.kernels.clone());
    let tokens = Memo::new(move |_| text.with(|text| tokens(text)));
    let shuffle = Memo::new(move |_| {
        let tokens = tokens.get();
        let order = order(tokens.len(), seed.get());
        kernels.with(|kernels| Shuffle {
            shuffled: Shuffled::new(tokens, order, added.get(), kernels),
        })
    });
    let is_empty = Memo::new(move |_| tokens.with(Vec::is_empty));
    let too_few = Memo::new(move |_| tokens.with(|tokens| tokens.len() < 2));
    let figure = picture(move || {
        if is_empty.get() {
            return None;
        }
        ready(shuffle.get())
    });
    let caption = Signal::derive(move || shuffle.with(|shuffle| shuffle.caption(added.get())));
    let formula = Signal::derive(move || match added.get() {
        Added::Nothing => formulas::SELF_ATTENTION,
        Added::Sinusoids => formulas::SELF_ATTENTION_OF_SUMS,
        Added::Kernels => formulas::SELF_ATTENTION_ADDED,
    });
    let reset = move |_| {
        seed.set(0);
        text.set(TEXT.to_owned());
    };
    view! {
        <FigureCard
            id="permutation"
            figure
            caption
            formula
            waiting=Signal::stored(Waiting::Nothing)
            empty="Type a few words."
        >
            <label class="choice tokens">
                <span>"Tokens"</span>
                <input
                    type="text"
                    maxlength="200"
                    prop:value=text
                    on:input:target=move |event| text.set(event.target().value())
                />
            </label>
            <button type="button" disabled=too_few on:click=move |_| seed.update(|seed| *seed += 1)>
                "Shuffle"
            </button>
            <button type="button" on:click=reset>"Reset"</button>
            <Segmented
                label="Positions"
                options=options([
                    (Added::Nothing, "no positions"),
                    (Added::Sinusoids, "sinusoidal"),
                    (Added::Kernels, "TISA kernels"),
                ])
                value=added
                set=move |value| added.set(value)
            />
        </FigureCard>
    }
}
