//! Figures of one head.

use super::{choose, chosen, waiting_unless};
use crate::{
    analysis::{HeadRotation, HeadWaves},
    app::{
        controls::{Segmented, options},
        engine::Engine,
        figure_card::FigureCard,
        figure_view::{picture, ready},
        formulas,
        state::State,
    },
    figure::waves,
};
use leptos::prelude::*;

/// The open head.
#[component]
pub(super) fn HeadWaveFigures() -> impl IntoView {
    let state = State::from_context();
    let engine = Engine::from_context();
    let head = engine.ask(move || Some(HeadWaves { of: state.head()? }));
    let turn = engine.ask(move || Some(HeadRotation { of: state.head()? }));
    let found = move || head.get()?.as_ref().clone().ok();
    let turned = move || turn.get()?.as_ref().clone().ok();
    let positions = Signal::derive(move || found().map_or(0, |found| found.weighted.n()));
    let all_offsets = chosen(|waves| waves.all_offsets);
    let all_frequencies = chosen(|waves| waves.all_frequencies);
    let stack = picture(move || ready(waves::WaveStack::new(&found()?)?));
    let correlations = picture(move || ready(waves::head_correlations(&found()?)));
    let covariance = picture(move || ready(waves::head_covariance(&found()?, all_offsets.get())));
    let peak = move || found().map(|found| found.peak());
    let rotation =
        picture(move || ready(waves::rotation(&turned()?, peak(), all_frequencies.get())));
    let waiting = waiting_unless(head, |found| found.as_ref().err().cloned());
    let waiting_for_turn = waiting_unless(turn, |found| found.as_ref().err().cloned());
    let of_identity = Signal::derive(move || {
        let off = found().map_or(String::new(), |found| {
            format!(
                " Here both sides agree to {:.0e} of the largest sum.",
                found.identity_error.max(1e-16)
            )
        });
        format!("The sum of the scores along each diagonal.{off} In a text, words add theirs:")
    });
    let of_turn = Signal::derive(move || match turned() {
        Some(turned) => {
            let words = waves::rotation_words(&turned, peak());
            format!(
                "{} {} Hidden states of a text have words in them, too:",
                words.line, words.completion
            )
        }
        None => "".to_owned(),
    });
    view! {
        <FigureCard
            id="head-waves"
            figure=stack
            caption="Queries and keys along the singular vectors of their product, the strongest first. The head looks as far to the side as a key’s wave is shifted from its query’s. In a text, words lie over these waves:"
            formula=formulas::REDEFINED
            positions
            waiting
        />
        <div class="pair">
            <FigureCard
                id="head-cross-correlation"
                figure=correlations
                caption="One line a column. The head looks where the peaks of many meet; words can add narrow ones:"
                formula=formulas::CROSS_CORRELATION
                positions
                waiting
            />
            <FigureCard id="head-cross-covariance" figure=covariance caption=of_identity formula=formulas::CROSS_COVARIANCE positions waiting>
                <Segmented
                    label="Offsets"
                    options=options([(false, "near"), (true, "all")])
                    value=all_offsets
                    set=|all| choose(|waves| waves.all_offsets = all)
                />
            </FigureCard>
        </div>
        <FigureCard
            id="head-rotation"
            figure=rotation
            caption=of_turn
            formula=formulas::ROTATION
            positions
            waiting=waiting_for_turn
        />
    }
}
