//! Wave figures of the open head.

use super::{choose, chosen, waiting_unless};
use crate::{
    analysis::{HeadRotation, HeadWaves},
    app::{
        controls::buttons::{Segmented, options},
        figure::{
            card::FigureCard,
            formulas,
            view::{picture, ready},
        },
        query_client::QueryClient,
        state::OpenHead,
    },
    figure::waves,
};
use leptos::prelude::*;

/// Figures: waves, cross-correlations, cross-covariances and rotation of the open head.
#[component]
pub(super) fn HeadWaveFigures() -> impl IntoView {
    let open_head = OpenHead::from_context();
    let client = QueryClient::from_context();
    let head = client.ask(move || {
        Some(HeadWaves {
            of: open_head.get()?,
        })
    });
    let turn = client.ask(move || {
        Some(HeadRotation {
            of: open_head.get()?,
        })
    });
    let found = move || head.get()?.as_ref().clone().ok();
    let turned = move || turn.get()?.as_ref().clone().ok();
    let positions = Signal::derive(move || found().map_or(0, |found| found.weighted.n()));
    let all_offsets = chosen(|waves| waves.all_offsets);
    let all_frequencies = chosen(|waves| waves.all_frequencies);
    let stack = picture(move || ready(waves::WaveStack::new(&found()?)?));
    let correlations = picture(move || ready(waves::head_correlations(&found()?)));
    let covariance = picture(move || ready(waves::head_covariance(&found()?, all_offsets.get())));
    let rotation = picture(move || ready(waves::rotation(&turned()?, all_frequencies.get())));
    let waiting = waiting_unless(head, |found| found.as_ref().err().cloned());
    let waiting_for_turn = waiting_unless(turn, |found| found.as_ref().err().cloned());
    let of_identity = Signal::derive(move || {
        let off = found().map_or(String::new(), |found| {
            format!(
                " Here both sides agree to {:.0e} of the largest sum.",
                found.identity_error.max(1e-16)
            )
        });
        format!(
            "The scores, summed along each diagonal, are the weighted sum of the cross-covariances of all columns.{off} \
             At offset k:"
        )
    });
    let of_turn = Signal::derive(move || match turned() {
        Some(turned) => {
            let words = waves::rotation_words(&turned);
            let drawn = if turned.shift().is_some() {
                "The colour is g, and the white line is the one shift:"
            } else {
                "The colour is g; one shift Δ would be a line:"
            };
            format!("{} {drawn}", words.text())
        }
        None => "".to_owned(),
    });
    view! {
        <FigureCard
            id="head-waves"
            figure=stack
            caption="Queries and keys along the singular vectors of their product, the strongest first. The head looks as far to the side as a key’s wave is shifted from its query’s. With X the rows of the table as they enter the head:"
            formula=formulas::REDEFINED
            positions
            waiting
        />
        <div class="pair">
            <FigureCard
                id="head-cross-correlation"
                figure=correlations
                caption="One line for each column c. The head looks where the peaks of many meet. The mean over the offsets drawn is subtracted:"
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
