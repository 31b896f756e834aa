//! A second head beside the open one: both matrices, their difference, and both profiles.

use super::{
    matrix_controls::{LinkedWindow, navigation},
    profiles::offsets_under,
};
use crate::{
    analysis::{HeadCorrelation, HeadDetail, HeadId, HeadOverview, MatrixId, MatrixTile},
    app::{
        controls::buttons::{ActionButton, Select, options},
        figure::{
            card::FigureCard,
            matrix_source::{MatrixSource, ShownMatrix},
            resolution::MatrixResolution,
            view::{picture, ready},
        },
        query_client::{Query, QueryClient, QueryStatus},
        state::{OpenHead, UrlState},
    },
    figure::head_pair::{PairTile, PairedHead, head_difference, pair_caption, pair_profiles},
    figure_spec::heads::{HEAD_DIFFERENCE, HEAD_PAIR_PROFILE},
    math::Window,
};
use leptos::prelude::*;
use std::sync::Arc;

/// Number of maps side by side, which share the width of their figure.
const MAPS: usize = 3;

/// Controls: layer and head of the second head.
#[component]
pub(super) fn SecondHeadChoice() -> impl IntoView {
    let url = UrlState::from_context();
    let open_head = OpenHead::from_context();
    let size = Memo::new(move |_| open_head.size());
    let chosen = url.select(|link| link.heads.second);
    let layer = Signal::derive(move || chosen.get().map(|(layer, _)| layer));
    let head = Signal::derive(move || chosen.get().map(|(_, head)| head));
    let set_layer = move |layer: Option<usize>| {
        url.link.update(|link| {
            let head = link.heads.second.map_or(link.heads.head, |(_, head)| head);
            link.heads.second = layer.map(|layer| (layer, head));
        });
    };
    let set_head = move |head: Option<usize>| {
        url.link.update(|link| {
            let layer = link
                .heads
                .second
                .map_or(link.heads.layer, |(layer, _)| layer);
            link.heads.second = head.map(|head| (layer, head));
        });
    };
    let numbered = |count: usize| {
        let none = (None, "–".to_owned());
        let numbers = (0..count).map(|at| (Some(at), (at + 1).to_string()));
        options(std::iter::once(none).chain(numbers))
    };
    let is_none = Memo::new(move |_| chosen.get().is_none());
    move || {
        let (layers, heads) = size.get()?;
        Some(view! {
            <span class="second-head" role="group" aria-label="Compare with a second head">
                <Select label="Compare with layer" options=numbered(layers) value=layer set=set_layer/>
                <Select label="head" options=numbered(heads) value=head set=set_head/>
                <ActionButton
                    text="×"
                    label="Show no second head"
                    idle=is_none
                    press=move |()| url.link.update(|link| link.heads.second = None)
                />
            </span>
        })
    }
}

/// Queries about the open head and the second one.
#[derive(Clone, Copy)]
struct PairAnswers {
    overviews: [Query<HeadOverview>; 2],
    correlation: Query<HeadCorrelation>,
    /// Tiles of the first head, of the second, and of their difference.
    tiles: [Query<MatrixTile>; MAPS],
    resolution: MatrixResolution,
}

impl PairAnswers {
    fn ask() -> Self {
        let url = UrlState::from_context();
        let open_head = OpenHead::from_context();
        let client = QueryClient::from_context();
        let pair = move || Some([open_head.get()?, open_head.second()?]);
        let overview = |at: usize| client.ask(move || Some(HeadOverview { of: pair()?[at] }));
        let overviews = [overview(0), overview(1)];
        let n = Memo::new(move |_| {
            let n = |query: Query<HeadOverview>| query.with(|detail| Some(detail?.fit.f.n()));
            let n = (n(overviews[0])?, n(overviews[1])?);
            (n.0 == n.1).then_some(n.0)
        });
        let correlation = client.ask(move || {
            n.get()?;
            let [of, with] = pair()?;
            let cells = open_head.cells();
            Some(HeadCorrelation { of, with, cells })
        });
        let resolution = MatrixResolution::new();
        let window = url.select(|link| link.matrices.window.clone());
        let tile = |at: usize| {
            client.ask(move || {
                let n = n.get()?;
                let window = window.get();
                let part =
                    (window.as_ref()).map_or_else(|| Window::whole(n, n), |w| w.within(n, n));
                let limit = resolution.blocks_of_panels(&part, MAPS)?;
                let of = source(pair()?, at, open_head);
                Some(MatrixTile { of, window, limit })
            })
        };
        Self {
            overviews,
            correlation,
            tiles: [tile(0), tile(1), tile(2)],
            resolution,
        }
    }

    /// Returns both heads, once their numbers have arrived.
    fn heads(self) -> Option<[PairedHead; 2]> {
        let head = |query: Query<HeadOverview>| {
            let (question, detail): (HeadOverview, Arc<HeadDetail>) = query.get_with_question()?;
            let place = (question.of.layer, question.of.head);
            Some(PairedHead { place, detail })
        };
        Some([head(self.overviews[0])?, head(self.overviews[1])?])
    }

    fn correlation(self) -> Option<f64> {
        *self.correlation.get()?
    }
}

/// The matrix of a panel: of the first head, of the second, or their difference.
fn source([first, second]: [HeadId; 2], panel: usize, open_head: OpenHead) -> MatrixId {
    let cells = open_head.cells();
    match panel {
        0 => MatrixId::Head(first, cells),
        1 => MatrixId::Head(second, cells),
        _ => MatrixId::HeadDifference(first, second, cells),
    }
}

/// Figures of the open head beside the second one. Without a second head there are none.
#[component]
pub(super) fn HeadPairFigures() -> impl IntoView {
    let open_head = OpenHead::from_context();
    let is_chosen = Memo::new(move |_| open_head.second().is_some());
    view! {
        <Show when=move || is_chosen.get()>
            <PairFigures/>
        </Show>
    }
}

#[component]
fn PairFigures() -> impl IntoView {
    let answers = PairAnswers::ask();
    let open_head = OpenHead::from_context();
    let url = UrlState::from_context();
    let heads = Memo::new_with_compare(move |_| answers.heads().map(Arc::new), |_, _| true);
    let n = Memo::new(move |_| heads.with(|heads| heads.as_ref().map_or(0, |heads| heads[0].n())));
    let positions: Signal<usize> = n.into();
    let look = url.select(|link| (link.matrices.map, link.matrices.clip));
    let window = url.select(|link| link.matrices.window.clone());
    let matrices = picture(move || {
        let heads = heads.get()?;
        let tile = |query: Query<MatrixTile>| {
            let (question, tile) = query.get_with_question()?;
            let source = question.of;
            Some(PairTile { tile, source })
        };
        let [first, second, difference] = answers.tiles;
        let matrices = [tile(first)?, tile(second)?, tile(difference)?];
        ready(head_difference(
            &heads,
            matrices,
            window.get().as_ref(),
            answers.correlation(),
            look.get(),
            open_head.cells(),
        ))
    });
    let words = Memo::new(move |_| {
        let heads = heads.get()?;
        Some(pair_caption(
            &heads,
            answers.correlation(),
            open_head.cells(),
        ))
    });
    let caption = Signal::derive(move || words.get().and_then(Result::ok).unwrap_or_default());
    let matrix = MatrixSource::new(move || {
        let n = n.get();
        let pair = [open_head.get()?, open_head.second()?];
        Some(ShownMatrix {
            of: source(pair, 2, open_head),
            size: (n, n),
            window: url.link.with(|link| link.matrices.window.clone()),
        })
    });
    let profiles = picture(move || {
        let range = offsets_under(window.get(), n.get());
        let heads = heads.get()?;
        ready(pair_profiles(
            &heads,
            answers.correlation(),
            open_head.cells(),
            range,
        ))
    });
    let of_overviews = move || {
        let [first, second] = answers.overviews;
        first.status().or_else(|| second.status())
    };
    let status = Signal::derive(move || {
        if let Some(Err(sentence)) = words.get() {
            return QueryStatus::Failed(sentence);
        }
        let of_tiles = answers.tiles.into_iter();
        of_tiles.fold(of_overviews(), |status, tile| {
            status.or_else(|| tile.status())
        })
    });
    let partial = Signal::derive(move || answers.correlation.is_pending());
    // The maps are too small to drag.
    let (navigation, _) = navigation(positions, LinkedWindow::OF_MATRICES);
    view! {
        <div class="pair-figures">
            <FigureCard
                spec=&HEAD_DIFFERENCE
                figure=matrices
                caption
                positions
                matrix
                navigation
                resolution=answers.resolution
                partial
                query=status
            />
            <FigureCard
                spec=&HEAD_PAIR_PROFILE
                figure=profiles
                positions
                partial
                query=Signal::derive(of_overviews)
            />
        </div>
    }
}
