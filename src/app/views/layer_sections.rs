//! Figure: sections through the scores of every head of the open head's layer.

use super::{
    figure_fold::FigureFold,
    grid_buttons::{GridButtons, HeadPlace},
    matrix_controls::LinkedSegmentedButtons,
};
use crate::{
    analysis::{FitOptions, HeadFits, LayerSections, SECTION_REACH, Weighting},
    app::{
        figure::{
            card::FigureCard,
            program_constants::ProgramConstants,
            view::{AnyFigure, picture, ready},
        },
        query_client::{Query, QueryClient},
        state::PageState,
    },
    figure::{SectionLook, layer_sections, sections_caption},
    figure_spec::heads::LAYER_SECTIONS,
    numpy_program::Literal,
    url_state::FigureGroup,
};
use leptos::prelude::*;
use std::collections::HashMap;

/// The fold with the sections.
#[component]
pub(super) fn LayerSectionsFold() -> impl IntoView {
    view! {
        <FigureFold group=FigureGroup::LayerSections summary="Sections of every head of the layer">
            <LayerSectionsFigure/>
        </FigureFold>
    }
}

#[component]
fn LayerSectionsFigure() -> impl IntoView {
    let PageState {
        url,
        models,
        open_head,
        ..
    } = PageState::from_context();
    let client = QueryClient::from_context();
    // The heads of a layer have the same sections whichever of them is open.
    let layer = Memo::new(move |_| {
        let head = open_head.get()?;
        Some((head.model, head.input, head.layer))
    });
    let sections = client.ask(move || {
        let (of, input, layer) = layer.get()?;
        Some(LayerSections { of, input, layer })
    });
    let choice = url.select(|link| (!link.heads.common_section_scale, link.heads.section_fits));
    let options = Signal::derive(move || FitOptions {
        weighting: Weighting::Window(SECTION_REACH as u32),
        cells: open_head.cells(),
        ..FitOptions::default()
    });
    let fits = client.ask(move || {
        let (of, input, layer) = layer.get().filter(|_| choice.get().1)?;
        Some(HeadFits {
            of,
            input,
            layer: Some(layer),
            options: options.get(),
        })
    });
    ProgramConstants::provide(move |name| {
        let fits = fits.get().filter(|_| name == "FITS")?;
        choice.get().1.then(|| fits.fits.literal())
    });
    let figure = picture(move || {
        let (question, heads) = sections.get_with_question()?;
        let (own_scales, with_fits) = choice.get();
        let cells = open_head.cells();
        let fits = fits.get_with_question().filter(|(fitted, _)| {
            let of_layer = fitted.layer == Some(question.layer) && fitted.options.cells == cells;
            with_fits && of_layer && (fitted.of, fitted.input) == (question.of, question.input)
        });
        let fits = fits.as_ref().map_or(&[][..], |(_, fits)| &fits.fits);
        let look = SectionLook { cells, own_scales };
        ready(layer_sections(question.layer, &heads, fits, look)?)
    });
    let caption = Signal::derive(move || {
        let Some((question, _)) = sections.get_with_question() else {
            return String::new();
        };
        let (own_scales, with_fits) = choice.get();
        let kernels = with_fits.then(|| options.get().kernels);
        let on_grid = (models.summary()).is_some_and(|summary| summary.grid.is_some());
        let positions = (models.kind(), on_grid);
        sections_caption(question.layer, own_scales, kernels, positions)
    });
    let partial = Signal::derive(move || {
        let is_partial = sections.is_pending() || sections.failure().is_some();
        is_partial || fits.is_pending()
    });
    view! {
        <FigureCard
            spec=&LAYER_SECTIONS
            figure
            caption
            partial
            above=view! { <SectionButtons figure sections/> }.into_any()
            query=Signal::derive(move || sections.status().or_else(|| fits.status()))
        >
            <LinkedSegmentedButtons
                label="Scales"
                choices=[(false, "a scale for each head"), (true, "one scale")]
                get=|link| link.heads.common_section_scale
                set=|link, common| link.heads.common_section_scale = common
            />
            <LinkedSegmentedButtons
                label="Beside the sections"
                choices=[(false, "sections alone"), (true, "with fitted kernels")]
                get=|link| link.heads.section_fits
                set=|link, fits| link.heads.section_fits = fits
            />
        </FigureCard>
    }
}

/// Buttons over the panels, which open their heads.
#[component]
fn SectionButtons(
    figure: Signal<Option<AnyFigure>>,
    sections: Query<LayerSections>,
) -> impl IntoView {
    let heads = Memo::new(move |_| -> Vec<HeadPlace> {
        let Some((question, heads)) = sections.get_with_question() else {
            return Vec::new();
        };
        let mut heads: Vec<HeadPlace> = (heads.iter())
            .map(|sections| (question.layer, sections.head))
            .collect();
        heads.sort_unstable();
        heads
    });
    let labels = Memo::new(move |_| -> HashMap<HeadPlace, String> {
        let label = |&(layer, head): &HeadPlace| {
            let label = format!("sections of layer {}, head {}", layer + 1, head + 1);
            ((layer, head), label)
        };
        heads.with(|heads| heads.iter().map(label).collect())
    });
    let places = move |width| {
        figure.with(|figure| {
            let figure = figure.as_ref();
            figure.map_or_else(Vec::new, |figure| figure.places(width))
        })
    };
    view! { <GridButtons heads places labels attribute="section"/> }
}
