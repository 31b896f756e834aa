//! Shuffle tokens: without positions their outputs are shuffled with them, with positions they are not.

use super::super::ready;
use crate::{
    analysis::permutation::{Added, Shuffled, order, tokens},
    app::{
        controls::Options,
        dynamic::{click, flag, memo, on, picture, text},
        figure_card::FigureCard,
        formulas,
        state::State,
    },
    figure::{Shuffle, number},
};
use leptos::prelude::*;
use std::sync::Arc;

const TEXT: &str = "the dog bit the old man";

/// The figure.
pub(super) fn permutation() -> AnyView {
    let state = expect_context::<State>();
    let typed = RwSignal::new(TEXT.to_owned());
    let seed = RwSignal::new(1_u64);
    let added = RwSignal::new(Added::Nothing);
    let kernels = state.part(|link| link.kernels.kernels.clone());
    let shuffled: Memo<Arc<Shuffled>> = memo(Box::new(move |_| {
        let tokens = typed.with(|typed| tokens(typed));
        let order = order(tokens.len(), seed.get());
        let shuffled = Shuffled::new(tokens, order, added.get(), &kernels.get());
        (Arc::new(shuffled), true)
    }));
    let figure = picture(move || {
        let shuffled = (*shuffled.get()).clone();
        (!shuffled.tokens.is_empty())
            .then(|| ready(Shuffle { shuffled }))
            .flatten()
    });
    let caption = text(move || {
        let shuffled = shuffled.get();
        let greatest = number(shuffled.greatest());
        let moved = !shuffled.order.is_sorted();
        match (added.get(), moved) {
            (_, false) => "The tokens stand in their first order.".to_owned(),
            (Added::Nothing, _) => format!(
                "Without positions every token keeps its output wherever it stands: the greatest change is {greatest}, which is rounding."
            ),
            (Added::Sinusoids, _) => format!(
                "With sines and cosines added to the tokens, outputs depend on where tokens stand: the greatest change is {greatest}."
            ),
            (Added::Kernels, _) => format!(
                "With the page’s kernels added to the scores, outputs depend on how far apart tokens stand: the greatest change is {greatest}."
            ),
        }
    });
    let positions = Options::new(
        [
            (Added::Nothing, "no positions"),
            (Added::Sinusoids, "sinusoidal"),
            (Added::Kernels, "TISA kernels"),
        ],
        move || added.get(),
        move |value| added.set(value),
    );
    let edit = on(move |event: leptos::ev::Event| typed.set(event_target_value(&event)));
    let shown = text(move || typed.get());
    let shuffle = click(move || seed.update(|seed| *seed += 1));
    let reset = click(move || {
        seed.set(0);
        typed.set(TEXT.to_owned());
    });
    let field = view! {
        <label class="choice tokens">
            <span>"Tokens"</span>
            <input type="text" maxlength="200" prop:value=shown on:input=edit/>
        </label>
    };
    let too_few = flag(move || shuffled.with(|shuffled| shuffled.tokens.len() < 2));
    let buttons = view! {
        <button type="button" disabled=too_few on:click=shuffle>"Shuffle"</button>
        <button type="button" on:click=reset>"Reset"</button>
    };
    FigureCard::new("permutation", figure)
        .caption(caption)
        .formula(formulas::SELF_ATTENTION)
        .controls(vec![
            field.into_any(),
            buttons.into_any(),
            positions.segmented("Positions"),
        ])
        .empty("Type a few words.")
        .view()
}
