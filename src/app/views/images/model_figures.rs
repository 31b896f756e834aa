//! Figures of the open model: which heads attend like a convolution, and how similar patch positions are.

use super::stored_heads::LayerGaussiansCard;
use crate::{
    analysis::{
        HeadConvolutions, LayerConvolution, NO_PATCHES, OtherGrid, PatchMaps, PatchSimilarity,
        RESAMPLED_SIDES, RandomProfiles, ScoreMode, Similarity,
    },
    app::{
        controls::{
            buttons::{SegmentedButtons, options},
            number::NumberInput,
        },
        figure::{
            card::FigureCard,
            readout::Readout,
            view::{picture, ready},
        },
        query_client::{QueryClient, QueryStatus},
        state::{ModelList, OpenHead, UrlState},
        views::{
            figure_fold::FigureFold, grid_buttons::HeadPlace, head_grid::HeadButtons,
            matrix_controls::LinkedSegmentedButtons,
        },
    },
    figure::{
        Cursor, PatchPicture, Thumbnails, head_patterns, layer_taps, offset_maps, patch_caption,
        pattern_labels, patterns_caption, shared_profile_words,
    },
    figure_spec::images::{GRID_SIMILARITY, HEAD_CONVOLUTION, LAYER_CONVOLUTION},
    math::{Grid, Resampling},
    url_state::{FigureGroup, ImageModelsSection, NumberRange},
};
use leptos::prelude::*;
use std::collections::HashMap;

/// Message for models without heads: a computed table, or a table opened by itself.
const NO_HEADS: &str = "The open model has no heads to show: it is a table alone, or one that the page computes. Open a checkpoint with queries and keys.";

/// The figures of the open model. They are folded unless it is a model of images, where they have two dimensions.
#[component]
pub(super) fn ModelFigures() -> impl IntoView {
    let models = ModelList::from_context();
    let has_patches = Memo::new(move |_| {
        models
            .summary()
            .is_some_and(|summary| summary.grid.is_some())
    });
    view! {
        <Show
            when=move || has_patches.get()
            fallback=|| {
                view! {
                    <section class="of-text">
                        <p class="caption">"The open model has no patches. Open an image model, such as ViT, to see where its heads attend beside a patch."</p>
                        <FigureFold
                            group=FigureGroup::TextConvolutions
                            summary="The open model’s heads as convolutions along a text"
                        >
                            <div class="pair">
                                <HeadConvolutionCard/>
                                <LayerConvolutionCard/>
                            </div>
                            <GridSimilarity/>
                        </FigureFold>
                    </section>
                }
            }
        >
            <div class="column">
                <LayerGaussiansCard/>
                <HeadConvolutionCard/>
            </div>
            <div class="column">
                <GridSimilarity/>
            </div>
        </Show>
    }
}

/// Returns a memo of a part of the view's link section.
fn section_memo<T: PartialEq + Send + Sync + 'static>(
    get: fn(&ImageModelsSection) -> T,
) -> Memo<T> {
    let url = UrlState::from_context();
    Memo::new(move |_| url.link.with(|link| get(&link.image_models)))
}

/// Changes the view's link section.
fn choose(change: impl FnOnce(&mut ImageModelsSection)) {
    let url = UrlState::from_context();
    url.link.update(|link| change(&mut link.image_models));
}

/// Figure: the attention of each head by offset, and which heads attend like a convolution.
#[component]
fn HeadConvolutionCard() -> impl IntoView {
    let url = UrlState::from_context();
    let models = ModelList::from_context();
    let open_head = OpenHead::from_context();
    let mode = url.select(|link| link.heads.mode);
    let has_heads = Memo::new(move |_| models.summary().is_none_or(|summary| summary.layers > 0));
    let layers = QueryClient::from_context().ask(move || {
        // Heads are read only once the whole model is open.
        let of = models.open.get().filter(|open| !open.is_table_alone())?;
        let input = mode.get().into();
        has_heads.get().then_some(HeadConvolutions { of, input })
    });
    let chance = QueryClient::from_context().ask(move || {
        // The letters come first.
        layers.with(|layers| layers.map(|_| ()))?;
        let head = open_head.get().filter(|_| !layers.is_pending())?;
        Some(RandomProfiles {
            of: head.model,
            input: mode.get().into(),
            layer: head.layer,
        })
    });
    let map = url.select(|link| link.matrices.map);
    let grid: Memo<Option<Thumbnails>> = Memo::new_with_compare(
        move |_| {
            let map = map.get();
            layers.with(|layers| head_patterns(layers?, map))
        },
        |_, _| true,
    );
    let figure = picture(move || {
        let mut grid = grid.get()?;
        grid.open = open_head.get().map(|head| (head.layer, head.head));
        ready(grid)
    });
    let labels: Memo<HashMap<HeadPlace, String>> = Memo::new(move |_| {
        let labels = |layers: &Vec<_>| pattern_labels(layers).collect();
        layers.with(|layers| layers.map(labels).unwrap_or_default())
    });
    let relative = Memo::new(move |_| models.kind().is_relative());
    let caption = Signal::derive(move || {
        let all = models.summary().map_or(0, |summary| summary.layers);
        let relative = relative.get();
        layers.with(|layers| {
            let layers = layers.map_or(&[][..], Vec::as_slice);
            let shared = chance
                .with(|shared| shared.and_then(|shared| shared.as_ref().map(shared_profile_words)));
            patterns_caption(layers, all, relative) + &shared.unwrap_or_default()
        })
    });
    let partial = Signal::derive(move || layers.is_pending() || layers.failure().is_some());
    let status = Signal::derive(move || match has_heads.get() {
        true => layers.status(),
        false => QueryStatus::Failed(NO_HEADS.to_owned()),
    });
    let buttons = view! { <HeadButtons grid labels/> };
    view! {
        <FigureCard spec=&HEAD_CONVOLUTION figure caption partial query=status above=buttons.into_any()>
            <Show when=move || !relative.get()>
                <LinkedSegmentedButtons
                    label="Scores"
                    choices=[
                        (ScoreMode::Paper, "weights only"),
                        (ScoreMode::AsComputed, "with LayerNorm and biases"),
                    ]
                    get=|link| link.heads.mode
                    set=|link, mode| link.heads.mode = mode
                />
            </Show>
        </FigureCard>
    }
}

/// Figure: the open layer as a convolution along the positions.
#[component]
fn LayerConvolutionCard() -> impl IntoView {
    let models = ModelList::from_context();
    let open_head = OpenHead::from_context();
    let taps = QueryClient::from_context().ask(move || {
        let head = open_head.get()?;
        Some(LayerConvolution {
            of: head.model,
            layer: head.layer,
            cells: open_head.cells(),
        })
    });
    let figure = picture(move || taps.with(|taps| ready(layer_taps(taps?.as_ref().ok()?)?)));
    let status = Signal::derive(move || {
        let refusal = taps.with(|taps| taps?.as_ref().err().cloned());
        refusal.map_or_else(|| taps.status(), QueryStatus::Failed)
    });
    let caption = Signal::derive(move || {
        let layer = open_head.get().map_or(0, |head| head.layer) + 1;
        let omissions = match models.has_sinks() {
            true => "Norms before the values and the sinks of heads",
            false => "Norms before the values",
        };
        format!(
            "If the heads of layer {layer} attended by offset alone, the layer would apply one matrix K_k to the state at each offset k. Drawn is the size of each, with the mean attention a_h(k) of positions alone, as computed. {omissions} are left out:"
        )
    });
    view! { <FigureCard spec=&LAYER_CONVOLUTION figure caption query=status/> }
}

/// Figure: similarity between the position embeddings of patches.
#[component]
fn GridSimilarity() -> impl IntoView {
    let url = UrlState::from_context();
    let models = ModelList::from_context();
    let open_head = OpenHead::from_context();
    let similarity = section_memo(|section| section.similarity);
    let other = section_memo(|section| {
        let how = section.resampling;
        section.grid.map(|grid| OtherGrid { grid, how })
    });
    let by_head = Memo::new(move |_| models.kind().has_heads_by_offset());
    let layer = Memo::new(move |_| match by_head.get() {
        true => url.link.with(|link| link.heads.layer),
        false => 0,
    });
    let has_patches = Memo::new(move |_| {
        models
            .summary()
            .is_none_or(|summary| summary.grid.is_some())
    });
    let maps = QueryClient::from_context().ask(move || {
        let of = models.open.get().filter(|_| has_patches.get())?;
        Some(match by_head.get() {
            true => PatchSimilarity {
                of,
                similarity: Similarity::Cosine,
                other: None,
                layer: layer.get(),
            },
            false => PatchSimilarity {
                of,
                similarity: similarity.get(),
                other: other.get(),
                layer: 0,
            },
        })
    });
    let look = url.select(|link| (link.matrices.map, link.matrices.clip));
    let figure = picture(move || {
        let (map, clip) = look.get();
        maps.with(|maps| match maps? {
            PatchMaps::ByPatch(maps) => ready(PatchPicture::new(maps, map, clip)),
            PatchMaps::ByHead(heads) => {
                let mut grid = offset_maps(heads, map);
                grid.open = open_head.get().map(|head| (head.layer, head.head));
                ready(grid)
            }
        })
    });
    let caption =
        Signal::derive(move || maps.with(|maps| maps.map_or_else(String::new, patch_caption)));
    let status = Signal::derive(move || match has_patches.get() {
        true => maps.status(),
        false => QueryStatus::Failed(NO_PATCHES.to_owned()),
    });
    let on_grid = Memo::new(move |_| {
        let grid = models.summary().and_then(|summary| summary.grid);
        grid.filter(|_| !by_head.get())
    });
    // The cursor counts the model's own patches, so it is off on another grid.
    let positions = Signal::derive(move || match other.get() {
        None => on_grid.get().map_or(0, |grid| grid.cells()),
        Some(_) => 0,
    });
    let read = move |cursor: Option<Cursor>| {
        let of_pair = |maps: &PatchMaps| maps.pair(cursor?.cell()?);
        let value = maps.with(|maps| maps.and_then(of_pair));
        vec![("similarity", value.map(f64::from))]
    };
    let is_pointed_at = Memo::new(move |_| positions.get() > 0);
    view! {
        <FigureCard spec=&GRID_SIMILARITY figure caption positions query=status>
            <Show when=move || on_grid.get().is_some()>
                <SegmentedButtons
                    label="Similarity"
                    options=options([
                        (Similarity::Cosine, "cosine"),
                        (Similarity::InnerProduct, "inner product"),
                    ])
                    value=similarity
                    set=|similarity| choose(|section| section.similarity = similarity)
                />
                <ResampleControls own=on_grid/>
            </Show>
        </FigureCard>
        <Show when=move || is_pointed_at.get()>
            <Readout read/>
        </Show>
    }
}

/// Controls that resample the table to another grid.
#[component]
fn ResampleControls(own: Memo<Option<Grid>>) -> impl IntoView {
    let grid = section_memo(|section| section.grid);
    let how = section_memo(|section| section.resampling);
    let current = Memo::new(move |_| {
        let own = own.get().unwrap_or(Grid {
            height: 1,
            width: 1,
        });
        grid.get().unwrap_or(own)
    });
    let sides = NumberRange::from_counts(&RESAMPLED_SIDES);
    let change = move |change: fn(&mut Grid, usize), to: f64| {
        let mut grid = current.get_untracked();
        change(&mut grid, to as usize);
        let other = Some(grid).filter(|grid| own.get_untracked() != Some(*grid));
        choose(|section| section.grid = other);
    };
    let is_other = Memo::new(move |_| grid.get().is_some());
    let own_again = move |_| choose(|section| section.grid = None);
    view! {
        <label class="field">
            <span>"Patch rows"</span>
            <NumberInput
                name="Patch rows"
                value=Signal::derive(move || Some(current.get().height as f64))
                allowed=sides
                set=move |to| change(|grid, to| grid.height = to, to)
            />
        </label>
        <label class="field">
            <span>"Patch columns"</span>
            <NumberInput
                name="Patch columns"
                value=Signal::derive(move || Some(current.get().width as f64))
                allowed=sides
                set=move |to| change(|grid, to| grid.width = to, to)
            />
        </label>
        <Show when=move || is_other.get()>
            <SegmentedButtons
                label="Between patches"
                options=options([
                    (Resampling::Bicubic, "bicubic"),
                    (Resampling::Bilinear, "bilinear"),
                ])
                value=how
                set=|how| choose(|section| section.resampling = how)
            />
            <button type="button" on:click=own_again>"Own grid"</button>
        </Show>
    }
}
