//! Figure: how much each head uses the pairs of columns that rotary positions rotate.

use crate::{
    analysis::{RotaryFrequencies, RotaryLayers, RotaryMeasure},
    app::{
        controls::buttons::{SegmentedButtons, options},
        figure::{
            card::FigureCard,
            view::{picture, ready},
        },
        query_client::QueryClient,
        state::{CursorState, ModelList, UrlState},
        views::matrix_controls::LinkedSegmentedButtons,
    },
    figure::{FrequencyColours, frequency_map, pair_reading, pairs_in_use},
    figure_spec::{
        formulas,
        heads::{
            CONCENTRATION_CAPTION, QUERY_STATISTICS_CAPTION, ROTARY_BOUNDS_CAPTION,
            ROTARY_FREQUENCIES, STORED_FREQUENCIES_CAPTION,
        },
    },
};
use leptos::prelude::*;

/// Sentence without a pair at the cursor.
const NO_PAIR: &str =
    "Point at the map, or move in it with the arrow keys, to read a pair of columns.";

/// The figure.
#[component]
pub(super) fn FrequencyFigure() -> impl IntoView {
    let url = UrlState::from_context();
    let models = ModelList::from_context();
    // The version of the model whose layers are all read although it is on a server. Not in the link, since opening a
    // link would then read gigabytes.
    let read_whole = RwSignal::new(None);
    let look = url.select(|link| link.heads.frequencies);
    let open_head = url.select(|link| (link.heads.layer, link.heads.head));
    let layers = QueryClient::from_context().ask(move || {
        let of = models.open.get()?;
        Some(RotaryFrequencies {
            of,
            measure: match look.get().colours {
                FrequencyColours::Bound => RotaryMeasure::Bound,
                _ => RotaryMeasure::Energy,
            },
            reads_all: read_whole.get() == Some(of),
        })
    });
    let figure = picture(move || {
        let look = look.get();
        layers.with(|layers| ready(frequency_map(layers?, look)?))
    });
    let has_statistics = Memo::new(move |_| {
        layers.with(|layers| layers.is_some_and(|layers| layers.has_statistics))
    });
    // Any number enables the cursor, whose places are pairs.
    let positions = Signal::derive(move || usize::from(layers.with(|layers| layers.is_some())));
    let cursor = CursorState::from_context();
    let reading = move || {
        let reading = layers.with(|layers| pair_reading(layers?, look.get(), cursor.pair()));
        reading.unwrap_or_else(|| NO_PAIR.to_owned())
    };
    let caption = Signal::derive(move || {
        let caption = match look.get().colours {
            FrequencyColours::Concentration if has_statistics.get() => CONCENTRATION_CAPTION,
            _ if has_statistics.get() => QUERY_STATISTICS_CAPTION,
            FrequencyColours::Share | FrequencyColours::Concentration => ROTARY_FREQUENCIES.caption,
            FrequencyColours::StoredShare => STORED_FREQUENCIES_CAPTION,
            FrequencyColours::Bound => ROTARY_BOUNDS_CAPTION,
        };
        // While the figure is there, a failure of some layers has no other place.
        match layers
            .failure()
            .filter(|_| layers.with(|layers| layers.is_some()))
        {
            Some(failure) => format!("{} {caption}", failure.sentence),
            None => caption.to_owned(),
        }
    });
    let formula = Signal::derive(move || match look.get().colours {
        _ if has_statistics.get() => formulas::NONE,
        FrequencyColours::Bound => formulas::PAIR_BOUND,
        _ => formulas::PAIR_SHARE,
    });
    let partial = Signal::derive(move || layers.is_pending() || layers.failure().is_some());
    let has_bounds = Memo::new(move |_| {
        let has = layers.with(|layers| layers.is_some_and(|layers| layers.has_bounds));
        has || look.get().colours == FrequencyColours::Bound
    });
    let has_order = Memo::new(move |_| look.get().colours != FrequencyColours::Bound);
    let colours = Memo::new(move |_| look.get().colours);
    let choose = move |colours| {
        url.link
            .update(|link| link.heads.frequencies.colours = colours);
    };
    let choices = move || {
        let mut choices = vec![(FrequencyColours::Share, "share")];
        choices.push(match has_statistics.get() {
            true => (FrequencyColours::Concentration, "concentration"),
            false => (FrequencyColours::StoredShare, "share, without norms"),
        });
        if has_bounds.get() {
            choices.push((FrequencyColours::Bound, "bound by norms"));
        }
        view! { <SegmentedButtons label="Colours" options=options(choices) value=colours set=choose/> }
    };
    view! {
        <div class="view rotary">
            <FigureCard spec=&ROTARY_FREQUENCIES figure positions caption formula partial query=layers>
                {choices}
                <Show when=move || has_order.get()>
                    <LinkedSegmentedButtons
                        label="Order"
                        choices=[(false, "by layer"), (true, "by pairs in use")]
                        get=|link| link.heads.frequencies.by_effective_pairs
                        set=|link, by| link.heads.frequencies.by_effective_pairs = by
                    />
                </Show>
                <p class="hint" hidden=move || layers.with(|layers| unread(layers).is_none())>
                    {move || layers.with(unread)}
                    " "
                    <button type="button" on:click=move |_| read_whole.set(models.open.get_untracked())>
                        "Read all layers"
                    </button>
                </p>
                <p class="hint">{move || layers.with(|layers| pairs_in_use(layers?, look.get(), open_head.get()))}</p>
                <p class="hint pair-reading" aria-live="polite">{reading}</p>
            </FigureCard>
        </div>
    }
}

/// States which layers of a model on a server were not read, and their size.
fn unread(layers: Option<&RotaryLayers>) -> Option<String> {
    let layers = layers?;
    let (count, bytes) = layers.unread?;
    Some(format!(
        "The model is on a server: {} of {} layers were read. The others are {:.0} MB.",
        layers.total - count.min(layers.total),
        layers.total,
        bytes as f64 / 1e6
    ))
}
