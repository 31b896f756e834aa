//! Matrix controls shared by several views: linked choices, colours, cells and zoom.

use crate::{
    app::{
        controls::buttons::{ActionButton, OptionValue, SegmentedButtons, Select, options},
        figure::view::{Navigation, Pull},
        lazy::{Lazy, lazy_view},
        state::{CursorState, ModelList, OpenHead, UrlState},
    },
    figure::{COLOR_MAPS, Cursor, Heatmap},
    math::{AttentionMask, Window},
    url_state::Link,
};
use leptos::prelude::*;
use std::{cell::RefCell, rc::Rc};

/// Percentages of values clipped at either end of the colour bar, with their names.
const CLIPS: [(f64, &str); 4] = [
    (0.0, "all values"),
    (1.0, "1st–99th percentile"),
    (2.0, "2nd–98th percentile"),
    (5.0, "5th–95th percentile"),
];

/// A row of toggle buttons whose value is stored in the link.
#[component]
pub(super) fn LinkedSegmentedButtons<T: OptionValue, const N: usize>(
    /// Accessible name of the group.
    label: &'static str,
    /// Values and their displayed names.
    choices: [(T, &'static str); N],
    /// Reads the value from the link.
    get: fn(&Link) -> T,
    /// Writes the value into the link.
    set: fn(&mut Link, T),
) -> impl IntoView {
    let url = UrlState::from_context();
    let value = url.select(get);
    let choose = move |value| url.link.update(|link| set(link, value));
    view! { <SegmentedButtons label options=options(choices) value set=choose/> }
}

/// Control: colour map of all matrices.
#[component]
pub(super) fn MatrixColors() -> impl IntoView {
    let url = UrlState::from_context();
    let value = url.select(|link| link.matrices.map);
    let choose = move |map| url.link.update(|link| link.matrices.map = map);
    let maps = options(COLOR_MAPS.iter().map(|(map, _, name)| (*map, *name)));
    view! { <Select label="Colours" options=maps value set=choose/> }
}

/// Control: percentile range that the colours span.
#[component]
pub(super) fn RangeControl() -> impl IntoView {
    let url = UrlState::from_context();
    let value = url.select(|link| link.matrices.clip);
    let choose = move |clip| url.link.update(|link| link.matrices.clip = clip);
    view! { <Select label="Range" options=options(CLIPS) value set=choose/> }
}

lazy_view! {
    /// The choices of colours, as a lazy part.
    const COLOR_CHOICES = ColorChoices in details;
}

/// Control: colour map and percentile range of all matrices.
#[component]
fn ColorChoices() -> impl IntoView {
    view! {
        <MatrixColors/>
        <RangeControl/>
    }
}

/// A fold with the choices of colours, where they would take the height of a figure. They are loaded once a model is
/// open.
#[component]
pub(super) fn MatrixLook() -> impl IntoView {
    let models = ModelList::from_context();
    view! {
        <details class="options">
            <summary>"Colours"</summary>
            <div class="controls">
                <Show when=move || models.open.with(Option::is_some)>
                    <Lazy part=COLOR_CHOICES inline=true/>
                </Show>
            </div>
        </details>
    }
}

/// Control: which cells of heads and kernels are counted. The link stores the choice only if it differs from the
/// model's own mask.
#[component]
pub(super) fn CellsControl() -> impl IntoView {
    let url = UrlState::from_context();
    let models = ModelList::from_context();
    let open_head = OpenHead::from_context();
    let of_model = Memo::new(move |_| models.summary().map(|summary| summary.cells));
    let choose = move |cells| {
        let chosen = (of_model.get_untracked() != Some(cells)).then_some(cells);
        url.link.update(|link| link.heads.cells = chosen);
    };
    let hint = move || match (of_model.get()?, open_head.cells()) {
        (AttentionMask::Causal, AttentionMask::Causal) => Some("as this model uses them"),
        (AttentionMask::Causal, AttentionMask::Whole) => {
            Some("this model attends to earlier keys only")
        }
        (AttentionMask::Whole, AttentionMask::Causal) => Some("this model attends both ways"),
        (AttentionMask::Whole, AttentionMask::Whole) => None,
    };
    view! {
        <SegmentedButtons
            label="Cells"
            options=options([(AttentionMask::Whole, "full matrix"), (AttentionMask::Causal, "causal, j ≤ i")])
            value=Signal::derive(move || open_head.cells())
            set=choose
        />
        <span class="hint">{hint}</span>
    }
}

/// A window of a matrix, stored in the link.
#[derive(Clone, Copy)]
pub(super) struct LinkedWindow {
    /// Returns the displayed window of n positions.
    window: fn(&Link, usize) -> Window,
    /// Stores a window; `None` restores the initial one.
    choose: fn(&mut Link, Option<Window>),
}

impl LinkedWindow {
    /// Window of position and head matrices, which are displayed whole at first.
    pub(super) const OF_MATRICES: Self = Self {
        window: |link, n| match &link.matrices.window {
            Some(window) => window.within(n, n),
            None => Window::whole(n, n),
        },
        choose: |link, window| link.matrices.window = window,
    };

    /// Window of kernel matrices.
    pub(super) const OF_KERNELS: Self = Self {
        window: |link, n| link.kernels.window_of(n),
        choose: |link, window| link.kernels.window = window,
    };

    /// Returns a memo of the displayed window of n positions.
    pub(super) fn follow(
        self,
        url: UrlState,
        n: impl Fn() -> usize + Send + Sync + 'static,
    ) -> Memo<Window> {
        Memo::new(move |_| url.link.with(|link| (self.window)(link, n())))
    }

    /// Returns the displayed window of n positions without subscribing to it.
    fn now(self, url: UrlState, n: usize) -> Window {
        url.link.with_untracked(|link| (self.window)(link, n))
    }

    /// Returns the displayed window of n positions, `None` if it is the whole matrix.
    pub(super) fn part_now(self, url: UrlState, n: usize) -> Option<Window> {
        Some(self.now(url, n)).filter(|window| *window != Window::whole(n, n))
    }

    /// Displays a window.
    fn set(self, url: UrlState, n: usize, window: Window) {
        url.link.update(|link| {
            (self.choose)(link, None);
            if (self.window)(link, n) != window {
                (self.choose)(link, Some(window));
            }
        });
    }

    /// Zooms by a factor around a cell.
    fn zoom_around(self, url: UrlState, n: usize, factor: f64, at: (usize, usize)) {
        let window = self.now(url, n);
        self.set(url, n, window.zoom(factor, at, n));
    }
}

/// Returns the handlers for zooming (wheel, keys) and panning (drag, keys) of a matrix of `positions`.
pub(super) fn navigation(positions: Signal<usize>, window: LinkedWindow) -> (Navigation, Pull) {
    let url = UrlState::from_context();
    let from: Rc<RefCell<Option<(Window, f64, f64)>>> = Rc::default();
    let started = Rc::clone(&from);
    let pull = Pull {
        start: Box::new(move |_, x, y| {
            let part = window.part_now(url, positions.get_untracked());
            let zoomed = part.is_some();
            *started.borrow_mut() = part.map(|part| (part, x, y));
            zoomed
        }),
        on_move: Box::new(move |width, x, y| {
            let n = positions.get_untracked();
            if let Some((part, x0, y0)) = &*from.borrow() {
                let cell = Heatmap::side(width) / part.cols.len() as f64;
                let cells = |pixels: f64| (pixels / cell).round() as i64;
                let moved = part.within(n, n).shift(cells(y0 - y), cells(x0 - x), n);
                window.set(url, n, moved);
            }
        }),
        end: Box::new(|| {}),
    };
    let navigation = Navigation {
        zoom: Box::new(move |factor, at| {
            window.zoom_around(url, positions.get_untracked(), factor, at);
        }),
        hold: Box::new(move |at| {
            let n = positions.get_untracked();
            if let Some(part) = window.part_now(url, n) {
                window.set(url, n, part.shift_to_contain(at, n));
            }
        }),
    };
    (navigation, pull)
}

/// Zoom buttons, for users without a wheel.
#[component]
pub(super) fn ZoomControls(
    /// Number of positions of the matrix.
    #[prop(into)]
    positions: Signal<usize>,
    window: LinkedWindow,
) -> impl IntoView {
    let url = UrlState::from_context();
    let cursor = CursorState::from_context();
    let by = move |factor: f64| {
        let n = positions.get_untracked();
        let at = match untrack(|| cursor.get()) {
            Some(Cursor::Cell(i, j)) => (i, j),
            _ => window.now(url, n).middle(),
        };
        window.zoom_around(url, n, factor, at);
    };
    let all = move |()| {
        let n = positions.get_untracked();
        window.set(url, n, Window::whole(n, n));
    };
    let current_window = window.follow(url, move || positions.get());
    let whole = Memo::new(move |_| {
        let n = positions.get();
        current_window.get() == Window::whole(n, n)
    });
    view! {
        <div class="segmented" role="group" aria-label="Zoom" title="Click in the matrix, then zoom with the wheel; with Ctrl it zooms at any time. Drag to move, double-click to show all. In the matrix the keys +, − and 0 zoom, arrow keys move.">
            <button type="button" aria-label="Zoom in" on:click=move |_| by(0.5)>"+"</button>
            <ActionButton text="−" label="Zoom out" idle=whole press=move |()| by(2.0)/>
            <ActionButton text="all" label="Show all of the matrix" idle=whole press=all/>
        </div>
    }
}
