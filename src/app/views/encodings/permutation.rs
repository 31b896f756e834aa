//! Attention under permutation: without positions, shuffled tokens have the same outputs in shuffled order; with
//! positions they do not.

use crate::{
    analysis::permutation::{AddedPositions, ShuffledOutputs, order, tokens},
    app::{
        controls::{
            buttons::{SegmentedButtons, options},
            while_mounted::while_mounted,
        },
        figure::{
            card::FigureCard,
            view::{picture, ready},
        },
        query_client::QueryStatus,
        state::UrlState,
    },
    figure::Shuffle,
    figure_spec::{encodings::PERMUTATION, formulas},
    url_state::{LONGEST_TEXT, SHUFFLES, TokensSection},
};
use leptos::{
    ev::{Event, Targeted},
    prelude::*,
};
use web_sys::HtmlInputElement;

/// Figure: tokens, a permutation of them, and the attention outputs of both. Small enough to compute on the page.
#[component]
pub(super) fn Permutation() -> impl IntoView {
    let url = UrlState::from_context();
    let text = url.select(|link| link.tokens.text.clone());
    let seed = url.select(|link| link.tokens.shuffle);
    let added = url.select(|link| link.tokens.added_positions);
    let kernels = url.select(|link| link.kernels.kernels.clone());
    let change = move |change: &dyn Fn(&mut TokensSection)| {
        url.link.update(|link| change(&mut link.tokens));
    };
    let tokens = Memo::new(move |_| text.with(|text| tokens(text)));
    let shuffle = Memo::new(move |_| {
        let tokens = tokens.get();
        let order = order(tokens.len(), seed.get());
        kernels
            .with(|kernels| Shuffle::new(ShuffledOutputs::new(tokens, order, added.get(), kernels)))
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
        AddedPositions::Nothing => formulas::SELF_ATTENTION,
        AddedPositions::Sinusoids => formulas::SELF_ATTENTION_OF_SUMS,
        AddedPositions::Kernels => formulas::SELF_ATTENTION_ADDED,
    });
    let shuffle_again = move |_| {
        // Wraps to 1: number 0 is the original order.
        change(&|tokens| tokens.shuffle = tokens.shuffle % SHUFFLES.end() + 1);
    };
    let take = move |event: Targeted<Event, HtmlInputElement>| {
        let typed = event.target().value();
        change(&|tokens| tokens.text.clone_from(&typed));
    };
    let reset = move |_| {
        change(&|tokens| {
            tokens.shuffle = 0;
            tokens.text = TokensSection::default().text;
        });
    };
    view! {
        <FigureCard
            spec=&PERMUTATION
            figure
            caption
            formula
            query=Signal::stored(QueryStatus::Nothing)
        >
            <label class="choice tokens">
                <span>"Tokens"</span>
                <input
                    type="text"
                    maxlength=LONGEST_TEXT.to_string()
                    prop:value=text
                    on:input:target=while_mounted(take)
                />
            </label>
            <button type="button" disabled=too_few on:click=shuffle_again>
                "Shuffle"
            </button>
            <button type="button" on:click=reset>"Reset"</button>
            <SegmentedButtons
                label="Positions"
                options=options([
                    (AddedPositions::Nothing, "no positions"),
                    (AddedPositions::Sinusoids, "sinusoidal"),
                    (AddedPositions::Kernels, "TISA kernels"),
                ])
                value=added
                set=move |value| change(&|tokens| tokens.added_positions = value)
            />
        </FigureCard>
    }
}
