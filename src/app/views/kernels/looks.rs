//! What adding kernels does to where the open head looks: peak, share near the query, entropy, before and after.

use super::Setting;
use crate::{
    analysis::AttentionLooks,
    app::{
        controls::{Segmented, options},
        engine::Engine,
        figure_card::FigureCard,
        figure_view::{picture, ready},
        state::State,
    },
    figure::attention_looks::{LOOKING, LookWords, attention_looks, look_words},
    link::NEAR,
};
use leptos::prelude::*;

/// The plot, and its numbers.
#[component]
pub(super) fn WhereItLooks() -> impl IntoView {
    let state = State::from_context();
    let positions: Signal<usize> = Setting::from_context().positions.into();
    let kernels = state.part(|link| link.kernels.kernels.clone());
    let looks = Engine::from_context().ask(move || {
        Some(AttentionLooks {
            of: state.head_on_line()?,
            kernels: kernels.get(),
            n: positions.get(),
            cells: state.cells(),
        })
    });
    let figure = picture(move || {
        let (question, looks) = looks.get_with_question()?;
        ready(attention_looks(&looks, question.cells))
    });
    let near = state.part(|link| link.kernel_questions.get().near);
    let choose = move |near| {
        state
            .link
            .update(|link| link.kernel_questions.change(|asked| asked.near = near));
    };
    let words = Memo::new(move |_| Some(look_words(&*looks.get()?, near.get())));
    let rows = (0..LOOKING.len()).map(|at| view! { <LookRow at words/> });
    view! {
        <FigureCard
            id="attention-looks"
            figure
            caption="The share of all attention that goes to each offset, in the mean over the queries: of the head, of the kernels, and of both added."
            positions
            waiting=Signal::derive(move || looks.waiting())
        >
            <Segmented
                label="Positions that count as near"
                options=options(NEAR.map(|(near, name)| (near, format!("±{name}"))))
                value=near
                set=choose
            />
        </FigureCard>
        <div class="looks scroll" tabindex="0" role="region" aria-label="Where the head looks, before and after">
            <table>
                <thead>
                    <tr>
                        <td></td>
                        <th scope="col">"Looks most at k ="</th>
                        <th scope="col">{move || format!("Within ±{}", near.get())}</th>
                        <th scope="col">"Entropy, bits"</th>
                        <th scope="col">"As if at so many keys"</th>
                    </tr>
                </thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        </div>
    }
}

/// One map's numbers.
#[component]
fn LookRow(
    /// Its place among the maps.
    at: usize,
    /// What is said of each map, once it is known.
    words: Memo<Option<[LookWords; 3]>>,
) -> impl IntoView {
    let cell = move |of: fn(&LookWords) -> &String| {
        move || words.with(|words| Some(of(words.as_ref()?.get(at)?).clone()))
    };
    view! {
        <tr>
            <th scope="row">{LOOKING[at]}</th>
            <td>{cell(|words| &words.peak)}</td>
            <td>{cell(|words| &words.near)}</td>
            <td>{cell(|words| &words.entropy)}</td>
            <td>{cell(|words| &words.keys)}</td>
        </tr>
    }
}
