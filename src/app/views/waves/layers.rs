//! Wave figures over all heads.

use super::{choose, section_memo};
use crate::{
    analysis::{
        HeadGrouping, HeadPart, LayerSpectra, RandomGroups, ScoreInput, ScoreMode, TableWaves,
    },
    app::{
        controls::buttons::{ActionButton, SegmentedButtons, Select, options},
        figure::{
            card::FigureCard,
            view::{picture, ready},
        },
        query_client::QueryClient,
        state::{ModelList, OpenHead},
    },
    figure::waves,
    figure_spec::waves::{CLUSTER_TRACES, HEAD_CLUSTERS, LAYER_SPECTRUM},
    math::{GROUPS_OF_PAPER, GroupCount, TRACE_REACH},
    url_state::SEEDS,
};
use leptos::prelude::*;

/// Figure: spectra by layer.
#[component]
pub(super) fn LayerSpectrumCard() -> impl IntoView {
    let models = ModelList::from_context();
    let open_head = OpenHead::from_context();
    let layers = QueryClient::from_context().ask(move || {
        let head = open_head.get()?;
        Some(LayerSpectra {
            of: head.model,
            input: head.input,
        })
    });
    let table = QueryClient::from_context().ask(move || {
        let of = open_head.get()?.model;
        Some(TableWaves { of })
    });
    let part = section_memo(|waves| waves.part);
    let all = section_memo(|waves| waves.all_frequencies);
    let figure = picture(move || {
        let (question, layers) = layers.get_with_question()?;
        let table = table.get_with_question();
        let table = table.filter(|(of_table, _)| of_table.of == question.of);
        let spectrum = table
            .as_ref()
            .and_then(|(_, table)| table.spectrum.as_ref().ok());
        let of_table = spectrum.map_or(&[][..], |spectrum| &spectrum.maximum);
        let (part, all) = (part.get(), all.get());
        ready(waves::layer_spectrum(&layers, of_table, part, all)?)
    });
    let positions = Signal::derive(move || models.summary().map_or(0, |summary| summary.rows));
    let partial = Signal::derive(move || layers.is_pending() || layers.failure().is_some());
    let caption = Signal::derive(move || {
        let layer_count = layers.with(|layers| layers.map_or(0, Vec::len));
        let all = models.summary().map_or(0, |summary| summary.layers);
        let so_far = if layer_count < all {
            format!("{layer_count} of {all} layers so far. ")
        } else {
            String::new()
        };
        format!(
            "{so_far}The highest amplitude in any column c of any head h, with the table as the input of every layer. Above: the highest in any column of the table itself, in units that make its peak as bright as theirs."
        )
    });
    view! {
        <FigureCard
            spec=&LAYER_SPECTRUM
            figure
            caption
            positions
            partial
            query=layers
        >
            <SegmentedButtons
                label="Of"
                options=options([(HeadPart::Query, "queries"), (HeadPart::Key, "keys")])
                value=part
                set=|part| choose(|waves| waves.part = part)
            />
        </FigureCard>
    }
}

/// Figures: groups of heads, and the attention of each.
#[component]
pub(super) fn HeadGroupFigures() -> impl IntoView {
    let models = ModelList::from_context();
    let open_head = OpenHead::from_context();
    let count = section_memo(|waves| waves.groups);
    let seed = section_memo(|waves| waves.seed);
    let grouping = move || {
        Some(HeadGrouping {
            of: open_head.get()?.model,
            input: ScoreInput::Positions(ScoreMode::AsComputed),
            count: count.get(),
            seed: seed.get(),
        })
    };
    let groups = QueryClient::from_context().ask(grouping);
    let chance = QueryClient::from_context().ask(move || {
        // After the groups, which are what the view is about.
        groups.with(|groups| groups.is_some()).then_some(())?;
        let grouping = grouping()?;
        Some(RandomGroups { grouping })
    });
    // The groups, and what is known of them by chance: an answer about other groups does not count.
    let groups_and_chance = move || {
        let (grouping, groups) = groups.get_with_question()?;
        let chance = chance.get_with_question();
        let chance = chance.filter(|(random, _)| random.grouping == grouping);
        Some((groups, chance.and_then(|(_, chance)| (*chance).clone())))
    };
    let cluster_grid = move || {
        let (groups, chance) = groups_and_chance()?;
        Some(waves::ClusterGrid::new(&groups, chance.as_ref()))
    };
    let grid = picture(move || ready(cluster_grid()?));
    let traces = picture(move || {
        let (groups, chance) = groups_and_chance()?;
        ready(waves::cluster_traces(&groups, chance.as_ref()))
    });
    let trace_caption = Signal::derive(move || {
        let words = groups_and_chance().map_or(String::new(), |(groups, chance)| {
            waves::trace_words(&groups, chance.as_ref())
        });
        format!(
            "The share of attention at each offset, averaged over the heads of a group. {words} For one head, with A its attention:"
        )
    });
    let positions = Signal::derive(move || models.summary().map_or(0, |summary| summary.rows));
    let caption = Signal::derive(move || {
        let seed = seed.get();
        let chance = cluster_grid().map_or(String::new(), |grid| grid.chance_words());
        format!(
            "Heads are grouped by their attention at offsets −{TRACE_REACH} to {TRACE_REACH} (k-means, seed {seed}). A group is flat if these offsets get less than twice the attention of a uniform head, broad if they get less than half of all attention, and local if they get half or more and neither side is preferred. {chance}"
        )
    });
    let counts = [(GroupCount::BySilhouette, "best".to_owned())]
        .into_iter()
        .chain((2..=8).map(|k| (GroupCount::Chosen(k), k.to_string())));
    let again = move |()| choose(|waves| waves.seed = waves.seed % SEEDS.end() + 1);
    view! {
        <div class="pair">
        <FigureCard spec=&HEAD_CLUSTERS figure=grid caption query=groups>
            <Select
                label="Groups"
                options=options(counts)
                value=count
                set=|count| choose(|waves| waves.groups = count)
            />
            <ActionButton
                text="6, as in the paper"
                idle=Signal::derive(move || count.get() == GroupCount::Chosen(GROUPS_OF_PAPER))
                press=move |()| choose(|waves| waves.groups = GroupCount::Chosen(GROUPS_OF_PAPER))
            />
            <ActionButton text="Another seed" idle=Signal::stored(false) press=again/>
        </FigureCard>
        <FigureCard
            spec=&CLUSTER_TRACES
            figure=traces
            caption=trace_caption
            positions
            query=groups
        />
        </div>
    }
}
