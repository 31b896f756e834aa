//! Wave figures of the open head.

use super::{choose, section_memo, waiting_unless};
use crate::{
    analysis::{HeadRotation, HeadWaves},
    app::{
        controls::buttons::{SegmentedButtons, options},
        figure::{
            card::FigureCard,
            view::{picture, ready},
        },
        query_client::{Query, QueryClient},
        state::OpenHead,
    },
    figure::waves,
    figure_spec::waves::{
        HEAD_CROSS_CORRELATION, HEAD_CROSS_COVARIANCE, HEAD_ROTATION, HEAD_WAVES,
    },
};
use leptos::prelude::*;

/// Queries the waves of the open head.
fn ask_waves() -> Query<HeadWaves> {
    let open_head = OpenHead::from_context();
    QueryClient::from_context().ask(move || {
        Some(HeadWaves {
            of: open_head.get()?,
        })
    })
}

/// Figures: waves and rotation of the open head.
#[component]
pub(super) fn HeadWaveFigures() -> impl IntoView {
    let open_head = OpenHead::from_context();
    let head = ask_waves();
    let turn = QueryClient::from_context().ask(move || {
        Some(HeadRotation {
            of: open_head.get()?,
        })
    });
    let found = move || head.get()?.as_ref().clone().ok();
    let turned = move || turn.get()?.as_ref().clone().ok();
    let positions = Signal::derive(move || found().map_or(0, |found| found.weighted_sum.n()));
    let all_frequencies = section_memo(|waves| waves.all_frequencies);
    let stack = picture(move || ready(waves::wave_stack(&found()?)?));
    let rotation = picture(move || ready(waves::rotation(&turned()?, all_frequencies.get())));
    let status = waiting_unless(head, |found| found.as_ref().err().cloned());
    let waiting_for_turn = waiting_unless(turn, |found| found.as_ref().err().cloned());
    let of_turn = Signal::derive(move || match turned() {
        Some(turned) => {
            let words = waves::rotation_words(&turned);
            let sentence = if turned.shift().is_some() {
                "The colour is g; the white line is this shift:"
            } else {
                "The colour is g; a single shift Δ would be a line:"
            };
            format!("{} {sentence}", words.text())
        }
        None => "".to_owned(),
    });
    view! {
        <div class="pair">
            <FigureCard
                spec=&HEAD_WAVES
                figure=stack
                positions
                query=status
            />
            <FigureCard
                spec=&HEAD_ROTATION
                figure=rotation
                caption=of_turn
                positions
                query=waiting_for_turn
            />
        </div>
    }
}

/// Figures: cross-correlations and cross-covariances of the open head.
#[component]
pub(super) fn HeadCorrelations() -> impl IntoView {
    let head = ask_waves();
    let found = move || head.get()?.as_ref().clone().ok();
    let positions = Signal::derive(move || found().map_or(0, |found| found.weighted_sum.n()));
    let all_offsets = section_memo(|waves| waves.all_offsets);
    let correlations = picture(move || ready(waves::head_correlations(&found()?)));
    let covariance = picture(move || ready(waves::head_covariance(&found()?, all_offsets.get())));
    let status = waiting_unless(head, |found| found.as_ref().err().cloned());
    let of_identity = Signal::derive(move || {
        let off = found().map_or(String::new(), |found| {
            format!(
                " Both sides agree to {:.0e} of the largest sum.",
                found.identity_error.max(1e-16)
            )
        });
        format!(
            "The sum of the scores along each diagonal is the weighted sum of the cross-covariances of all columns.{off} \
             At offset k:"
        )
    });
    view! {
        <div class="pair">
            <FigureCard
                spec=&HEAD_CROSS_CORRELATION
                figure=correlations
                positions
                query=status
            />
            <FigureCard spec=&HEAD_CROSS_COVARIANCE figure=covariance caption=of_identity positions query=status>
                <SegmentedButtons
                    label="Offsets"
                    options=options([(false, "near"), (true, "all")])
                    value=all_offsets
                    set=|all| choose(|waves| waves.all_offsets = all)
                />
            </FigureCard>
        </div>
    }
}
