//! Attention statistics of the open head with and without kernels: peak offset, share near the query, entropy.

use super::{KernelViewOptions, attention_preview::MOST_AT_ONCE};
use crate::{
    analysis::{AttentionStats, HeadAttentionStats, Looks},
    app::{
        controls::{
            buttons::{SegmentedButtons, options},
            drag::DragState,
        },
        figure::{
            card::FigureCard,
            view::{picture, ready},
        },
        query_client::{Query, QueryClient},
        state::PageState,
        views::attention_sinks::with_sinks,
    },
    encoding::Kernels,
    figure::attention_stats::{LookWords, attention_looks, look_words},
    figure_spec::kernels::ATTENTION_LOOKS,
    math::AttentionMask,
    url_state::NEAR,
};
use leptos::prelude::*;

/// The counted cells, and the statistics of the three maps.
type MaskedLooks = (AttentionMask, Looks);

/// Queries the statistics of the head by itself, which no slider changes, and with the kernels added.
fn ask(
    state: PageState,
    positions: Signal<usize>,
) -> (Query<HeadAttentionStats>, Query<HeadAttentionStats>) {
    let open_head = state.open_head;
    let client = QueryClient::from_context();
    let kernels = state.url.select(|link| link.kernels.kernels.clone());
    let look = move |kernels: Kernels| {
        Some(HeadAttentionStats {
            of: open_head.on_line()?,
            kernels,
            n: positions.get(),
            cells: open_head.cells(),
        })
    };
    let before = client.ask(move || look(Kernels::default()));
    // The answer arrives a frame after the maps and takes a frame to compute, which would delay the next drag event. So
    // it is updated when the drag pauses, and for long sequences only when the drag ends.
    let drag = DragState::from_context();
    let settled = drag.hold(move || kernels.get());
    let rested = drag.rest(move || kernels.get());
    let after = client.ask(move || {
        let is_long = positions.get() > MOST_AT_ONCE;
        look(if is_long { settled.get() } else { rested.get() })
    });
    (before, after)
}

/// Figure: share of attention by offset, with a table of the statistics.
#[component]
pub(super) fn AttentionStatsCard() -> impl IntoView {
    let state = PageState::from_context();
    let url = state.url;
    let positions: Signal<usize> = KernelViewOptions::from_context().positions.into();
    let (before, after) = ask(state, positions);
    // While the two answers are for different positions, keep the previous statistics.
    let looks = Memo::new(move |previous: Option<&Option<MaskedLooks>>| {
        let (of_head, head) = before.get_with_question()?;
        let (question, together) = after.get_with_question()?;
        let alike = HeadAttentionStats {
            kernels: Kernels::default(),
            ..question.clone()
        } == of_head;
        if !alike {
            return previous.cloned().flatten();
        }
        let kernels =
            AttentionStats::from_toeplitz(&question.kernels.scores(question.n), question.cells);
        let (head, together) = (head.as_ref().clone(), together.as_ref().clone());
        Some((
            question.cells,
            Looks {
                head,
                kernels,
                together,
            },
        ))
    });
    let figure = picture(move || {
        looks.with(|stats| {
            let (cells, looks) = stats.as_ref()?;
            ready(attention_looks(looks, *cells))
        })
    });
    let near = url.select(|link| link.kernel_options.near);
    let choose = move |near| {
        url.link.update(|link| link.kernel_options.near = near);
    };
    let words =
        Memo::new(move |_| looks.with(|stats| Some(look_words(&stats.as_ref()?.1, near.get()))));
    let rows = move || {
        let words = words.get().unwrap_or_default().into_iter();
        words.map(|words| view! { <LookRow words/> }).collect_view()
    };
    view! {
        <FigureCard
            spec=&ATTENTION_LOOKS
            figure
            caption=with_sinks(|| ATTENTION_LOOKS.caption.to_owned())
            positions
            query=Signal::derive(move || before.status().or_else(|| after.status()))
        >
            <SegmentedButtons
                label="Positions that count as near"
                options=options(NEAR.map(|(near, name)| (near, format!("±{name}"))))
                value=near
                set=choose
            />
        </FigureCard>
        <div class="looks scroll" tabindex="0" role="region" aria-label="Attention by offset, in numbers">
            <table>
                <thead>
                    <tr>
                        <td></td>
                        <th scope="col">"Peak offset"</th>
                        <th scope="col">{move || format!("Within ±{}", near.get())}</th>
                        <th scope="col">"Entropy, bits"</th>
                        <th scope="col" title="2^entropy">"Effective number of keys"</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}

/// A map's row of the table.
#[component]
fn LookRow(
    /// The formatted numbers of the map.
    words: LookWords,
) -> impl IntoView {
    view! {
        <tr>
            <th scope="row">{words.name}</th>
            <td>{words.peak}</td>
            <td>{words.near}</td>
            <td>{words.entropy}</td>
            <td>{words.keys}</td>
        </tr>
    }
}
