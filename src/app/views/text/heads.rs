//! Figure: the attention of all heads over the text, as thumbnails or as points.

use super::text_state::TextState;
use crate::{
    analysis::{ModelVersion, TextHeadSummary},
    app::{
        controls::buttons::{SegmentedButtons, Select, options},
        figure::{
            card::FigureCard,
            view::{AnyFigure, picture},
        },
        state::PageState,
        views::grid_buttons::{GridButtons, HeadPlace},
    },
    figure::{
        ColorMap, Rect,
        heads::button_label,
        text_attention::{
            HEAD_MEASURES, HeadMeasure, HeadScatter, ScatterAxes, TextHeadPictures,
            heads_by_measure, text_grid_caption,
        },
    },
    figure_spec::text::TEXT_HEAD_GRID,
    url_state::TextHeads,
};
use leptos::prelude::*;
use std::{collections::HashMap, sync::Arc};

/// Height of the clickable number below a thumbnail, in CSS pixels.
const LABEL: f64 = 14.0;

/// The axes that points have at first.
const FIRST_AXES: ScatterAxes = ScatterAxes {
    x: HeadMeasure::Previous,
    y: HeadMeasure::AttentionR2,
    color: HeadMeasure::Entropy,
};

/// Layout of the heads, without its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LayoutKind {
    Layers,
    Sorted,
    Points,
}

impl LayoutKind {
    fn of_heads(heads: TextHeads) -> Self {
        match heads {
            TextHeads::Layers(_) => Self::Layers,
            TextHeads::Sorted(_) => Self::Sorted,
            TextHeads::Scatter(_) => Self::Points,
        }
    }
}

/// The picture of the heads, and the places of its buttons.
#[derive(Clone)]
struct HeadsPicture {
    figure: AnyFigure,
    heads: Vec<HeadPlace>,
}

/// The heads of a run as they arrive. Until its last layer, the heads of the run before stay where the run has not
/// come yet.
#[derive(Clone, Default)]
struct ArrivingHeads {
    of: Option<ModelVersion>,
    map: ColorMap,
    /// Heads in the order of the model.
    summaries: Vec<TextHeadSummary>,
    pictures: TextHeadPictures,
}

impl ArrivingHeads {
    /// Returns these heads with those that have arrived since.
    fn next(self, text: TextState, map: ColorMap) -> Self {
        let run = text.run.get_with_question();
        let of = match &run {
            Some((question, _)) => Some(question.of),
            None if text.run.is_pending() => text.run.question().map(|question| question.of),
            None => None,
        };
        let mut heads = match of.is_some() && self.of == of {
            true if self.map == map => self,
            true => Self {
                map,
                pictures: TextHeadPictures::default(),
                ..self
            },
            false => Self {
                of,
                map,
                ..Self::default()
            },
        };
        if let Some((question, layers)) = run {
            let arrived = layers.heads.len();
            let later = heads.summaries.drain(..).skip(arrived);
            let later: Vec<_> = later.filter(|_| text.run.is_pending()).collect();
            heads.pictures.add(question.run, &layers.heads, map);
            heads.summaries.extend(layers.heads.iter().cloned());
            heads.summaries.extend(later);
        }
        heads
    }
}

/// Figure: all heads over the text.
#[component]
pub(super) fn TextHeadsFigure() -> impl IntoView {
    let PageState { url, .. } = PageState::from_context();
    let text = TextState::from_context();
    let layout = url.select(|link| link.text.heads);
    let special = url.select(|link| link.text.show.special);
    let map = url.select(|link| link.matrices.map);
    let arriving = Memo::new_owning(move |before: Option<ArrivingHeads>| {
        let arriving = before.unwrap_or_default();
        (arriving.next(text, map.get()), true)
    });
    let open = Signal::derive(move || text.open_head());
    let per_row = Memo::new(move |_| Some(text.sizes()?.heads));
    let picture_of = move |heads: &[TextHeadSummary]| -> Option<HeadsPicture> {
        let (special, open) = (special.get(), open.get());
        let places =
            |heads: &[&TextHeadSummary]| heads.iter().map(|head| (head.layer, head.head)).collect();
        let (order, label, per_row) = match layout.get() {
            TextHeads::Layers(label) => (heads.iter().collect(), label, per_row.get()),
            TextHeads::Sorted(label) => (heads_by_measure(heads, label, special), label, None),
            TextHeads::Scatter(axes) => {
                let mut scatter = HeadScatter::new(heads, axes, special, map.get())?;
                scatter.open = open;
                let heads = scatter.heads().collect();
                let figure: AnyFigure = Arc::new(scatter);
                return Some(HeadsPicture { figure, heads });
            }
        };
        let heads = places(&order);
        let mut grid =
            arriving.with(|heads| heads.pictures.grid(&order, label, special, per_row))?;
        grid.open = open;
        let figure: AnyFigure = Arc::new(grid);
        Some(HeadsPicture { figure, heads })
    };
    let heads_picture = Memo::new_with_compare(
        move |_| picture_of(&arriving.with(|heads| heads.summaries.clone())),
        |_, _| true,
    );
    let figure =
        picture(move || heads_picture.with(|picture| Some(Arc::clone(&picture.as_ref()?.figure))));
    let heads = Memo::new(move |_| {
        heads_picture.with(|picture| {
            picture
                .as_ref()
                .map_or_else(Vec::new, |picture| picture.heads.clone())
        })
    });
    let places = move |width: f64| -> Vec<Rect> {
        heads_picture.with(|picture| {
            picture
                .as_ref()
                .map_or_else(Vec::new, |picture| picture.figure.places(width))
        })
    };
    let labels = Memo::new(move |_| {
        let special = special.get();
        arriving.with(|heads| {
            let heads = heads.summaries.iter();
            let label = |head: &TextHeadSummary| {
                let place = (head.layer, head.head);
                (place, button_label(place, head.r2(special).attention))
            };
            heads.map(label).collect::<HashMap<_, _>>()
        })
    });
    let below = Memo::new(move |_| match layout.get() {
        TextHeads::Scatter(_) => 0.0,
        _ => LABEL,
    });
    let buttons = move || {
        view! { <GridButtons heads places=Callback::new(places) labels below=below.get() attribute="text-head" open/> }
    };
    let arrived = Memo::new(move |_| {
        text.run
            .with(|layers| layers.map_or(0, |layers| layers.heads.len()))
    });
    let all = Memo::new(move |_| text.sizes().map_or(0, |sizes| sizes.layers * sizes.heads));
    let caption = Signal::derive(move || {
        let counts = (arrived.get(), all.get());
        match layout.get() {
            TextHeads::Layers(label) => text_grid_caption(counts, true, label, special.get()),
            TextHeads::Sorted(label) => text_grid_caption(counts, false, label, special.get()),
            TextHeads::Scatter(axes) => format!(
                "Each point is a head: {} against {}. Open a head with a click or the arrow keys.",
                axes.y.title(),
                axes.x.title()
            ),
        }
    });
    let partial = Signal::derive(move || text.run.is_pending() || text.run.failure().is_some());
    view! {
        <FigureCard spec=&TEXT_HEAD_GRID figure caption partial query=text.run above=buttons.into_any()>
            <LayoutChoice/>
        </FigureCard>
    }
}

/// Controls: layout of the heads, and the numbers that it uses.
#[component]
fn LayoutChoice() -> impl IntoView {
    let PageState { url, .. } = PageState::from_context();
    let layout = url.select(|link| link.text.heads);
    let kind = Signal::derive(move || LayoutKind::of_heads(layout.get()));
    let set = move |change: &dyn Fn(TextHeads) -> TextHeads| {
        url.link
            .update(|link| link.text.heads = change(link.text.heads));
    };
    let label = Signal::derive(move || match layout.get() {
        TextHeads::Layers(label) | TextHeads::Sorted(label) => label,
        TextHeads::Scatter(axes) => axes.y,
    });
    let set_kind = move |kind| {
        let label = label.get_untracked();
        set(&|_| match kind {
            LayoutKind::Layers => TextHeads::Layers(label),
            LayoutKind::Sorted => TextHeads::Sorted(label),
            LayoutKind::Points => TextHeads::Scatter(FIRST_AXES),
        });
    };
    let set_label = move |label| {
        set(&|heads| match heads {
            TextHeads::Layers(_) => TextHeads::Layers(label),
            _ => TextHeads::Sorted(label),
        });
    };
    let axes = Signal::derive(move || match layout.get() {
        TextHeads::Scatter(axes) => axes,
        _ => FIRST_AXES,
    });
    let set_axes = move |axes: ScatterAxes| set(&|_| TextHeads::Scatter(axes));
    let numbers = || {
        options(
            HEAD_MEASURES
                .iter()
                .map(|(number, _, name)| (*number, *name)),
        )
    };
    let is_scatter = Memo::new(move |_| kind.get() == LayoutKind::Points);
    view! {
        <SegmentedButtons
            label="Layout"
            options=options([
                (LayoutKind::Layers, "by layer"),
                (LayoutKind::Sorted, "sorted"),
                (LayoutKind::Points, "points"),
            ])
            value=kind
            set=set_kind
        />
        <Show
            when=move || is_scatter.get()
            fallback=move || view! { <Select label="Number" options=numbers() value=label set=set_label/> }
        >
            <Select
                label="Across"
                options=numbers()
                value=Signal::derive(move || axes.get().x)
                set=move |x| set_axes(ScatterAxes { x, ..axes.get_untracked() })
            />
            <Select
                label="Up"
                options=numbers()
                value=Signal::derive(move || axes.get().y)
                set=move |y| set_axes(ScatterAxes { y, ..axes.get_untracked() })
            />
            <Select
                label="Colour"
                options=numbers()
                value=Signal::derive(move || axes.get().color)
                set=move |color| set_axes(ScatterAxes { color, ..axes.get_untracked() })
            />
        </Show>
    }
}
