//! Controls of matrices that several views have: choices that are part of the link, colours, cells, zoom.

use crate::{
    app::{
        controls::buttons::{ActionButton, OptionValue, Segmented, Select, options},
        figure::view::{Navigation, Pull},
        state::page::PageState,
    },
    figure::{COLOR_MAPS, Cursor, Heatmap},
    math::{AttentionMask, Window},
    url_state::Link,
};
use leptos::prelude::*;
use std::{cell::RefCell, rc::Rc};

/// Percentages of values that a colour bar may leave out at either end, and what is shown then.
const CLIPS: [(f64, &str); 4] = [
    (0.0, "all values"),
    (1.0, "1st–99th percentile"),
    (2.0, "2nd–98th percentile"),
    (5.0, "5th–95th percentile"),
];

/// A choice among a few that is part of the link.
#[component]
pub(super) fn LinkedSegmented<T: OptionValue, const N: usize>(
    /// What is chosen, for those who cannot see it.
    label: &'static str,
    /// Values and their names.
    choices: [(T, &'static str); N],
    /// Reads it from the link.
    get: fn(&Link) -> T,
    /// Writes it into the link.
    set: fn(&mut Link, T),
) -> impl IntoView {
    let state = PageState::from_context();
    let value = state.part(get);
    let choose = move |value| state.link.update(|link| set(link, value));
    view! { <Segmented label options=options(choices) value set=choose/> }
}

/// Colours of matrices, in every view that draws some.
#[component]
pub(super) fn MatrixColors() -> impl IntoView {
    let state = PageState::from_context();
    let value = state.part(|link| link.matrices.map);
    let choose = move |map| state.link.update(|link| link.matrices.map = map);
    let maps = options(COLOR_MAPS.iter().map(|(map, _, name)| (*map, *name)));
    view! { <Select label="Colours" options=maps value set=choose/> }
}

/// How much of the values' range the colours span.
#[component]
pub(super) fn RangeControl() -> impl IntoView {
    let state = PageState::from_context();
    let value = state.part(|link| link.matrices.clip);
    let choose = move |clip| state.link.update(|link| link.matrices.clip = clip);
    view! { <Select label="Range" options=options(CLIPS) value set=choose/> }
}

/// Which cells of heads and kernels count. What the model itself uses is no choice of the link's.
#[component]
pub(super) fn CellsControl() -> impl IntoView {
    let state = PageState::from_context();
    let of_model = Memo::new(move |_| state.summary().map(|summary| summary.cells));
    let choose = move |cells| {
        let chosen = (of_model.get_untracked() != Some(cells)).then_some(cells);
        state.link.update(|link| link.heads.cells = chosen);
    };
    let said = move || match (of_model.get()?, state.cells()) {
        (AttentionMask::Causal, AttentionMask::Causal) => Some("as this model uses them"),
        (AttentionMask::Causal, AttentionMask::Whole) => Some("this model itself looks back only"),
        (AttentionMask::Whole, AttentionMask::Causal) => Some("this model itself looks both ways"),
        (AttentionMask::Whole, AttentionMask::Whole) => None,
    };
    view! {
        <Segmented
            label="Cells"
            options=options([(AttentionMask::Whole, "full matrix"), (AttentionMask::Causal, "causal, j ≤ i")])
            value=Signal::derive(move || state.cells())
            set=choose
        />
        <span class="hint">{said}</span>
    }
}

/// A window of matrices that is part of the link.
#[derive(Clone, Copy)]
pub(super) struct LinkedWindow {
    /// What is shown of n positions.
    shown: fn(&Link, usize) -> Window,
    /// Chooses a window; none for what is shown at first.
    choose: fn(&mut Link, Option<Window>),
}

impl LinkedWindow {
    /// Of position matrices and heads, which are shown whole at first.
    pub(super) const OF_MATRICES: Self = Self {
        shown: |link, n| match &link.matrices.window {
            Some(window) => window.within(n, n),
            None => Window::whole(n, n),
        },
        choose: |link, window| link.matrices.window = window,
    };

    /// Of the matrices that kernels make.
    pub(super) const OF_KERNELS: Self = Self {
        shown: |link, n| link.kernels.window_of(n),
        choose: |link, window| link.kernels.window = window,
    };

    /// What is shown of n positions, heard of only when it changes.
    pub(super) fn follow(
        self,
        state: PageState,
        n: impl Fn() -> usize + Send + Sync + 'static,
    ) -> Memo<Window> {
        Memo::new(move |_| state.link.with(|link| (self.shown)(link, n())))
    }

    /// What is shown of n positions now.
    fn now(self, state: PageState, n: usize) -> Window {
        state.link.with_untracked(|link| (self.shown)(link, n))
    }

    /// The window to name beside a matrix of n positions: none where all of it is shown.
    pub(super) fn part_now(self, state: PageState, n: usize) -> Option<Window> {
        Some(self.now(state, n)).filter(|window| *window != Window::whole(n, n))
    }

    /// Shows a window.
    fn set(self, state: PageState, n: usize, window: Window) {
        state.link.update(|link| {
            (self.choose)(link, None);
            if (self.shown)(link, n) != window {
                (self.choose)(link, Some(window));
            }
        });
    }

    /// Zooms around a cell.
    fn zoom_around(self, state: PageState, n: usize, factor: f64, at: (usize, usize)) {
        let window = self.now(state, n);
        self.set(state, n, window.zoomed(factor, at, n));
    }
}

/// Zooming by wheel and keys, and panning by pulling and by keys, for a matrix of `positions`.
pub(super) fn navigation(positions: Signal<usize>, window: LinkedWindow) -> (Navigation, Pull) {
    let state = PageState::from_context();
    let from: Rc<RefCell<Option<(Window, f64, f64)>>> = Rc::default();
    let started = Rc::clone(&from);
    let pull = Pull {
        start: Box::new(move |_, x, y| {
            let part = window.part_now(state, positions.get_untracked());
            let zoomed = part.is_some();
            *started.borrow_mut() = part.map(|part| (part, x, y));
            zoomed
        }),
        moved: Box::new(move |width, x, y| {
            let n = positions.get_untracked();
            if let Some((part, x0, y0)) = &*from.borrow() {
                let cell = Heatmap::side(width) / part.cols.len() as f64;
                let cells = |pixels: f64| (pixels / cell).round() as i64;
                let moved = part.within(n, n).moved(cells(y0 - y), cells(x0 - x), n);
                window.set(state, n, moved);
            }
        }),
        end: Box::new(|| {}),
    };
    let navigation = Navigation {
        zoom: Box::new(move |factor, at| {
            window.zoom_around(state, positions.get_untracked(), factor, at);
        }),
        hold: Box::new(move |at| {
            let n = positions.get_untracked();
            if let Some(part) = window.part_now(state, n) {
                window.set(state, n, part.holding(at, n));
            }
        }),
    };
    (navigation, pull)
}

/// Zoom by buttons, for those without a wheel.
#[component]
pub(super) fn ZoomControls(
    /// How many positions the matrix has.
    #[prop(into)]
    positions: Signal<usize>,
    /// Its window.
    window: LinkedWindow,
) -> impl IntoView {
    let state = PageState::from_context();
    let by = move |factor: f64| {
        let n = positions.get_untracked();
        let at = match untrack(|| state.cursor()) {
            Some(Cursor::Cell(i, j)) => (i, j),
            _ => window.now(state, n).middle(),
        };
        window.zoom_around(state, n, factor, at);
    };
    let all = move |()| {
        let n = positions.get_untracked();
        window.set(state, n, Window::whole(n, n));
    };
    let shown = window.follow(state, move || positions.get());
    let whole = Memo::new(move |_| {
        let n = positions.get();
        shown.get() == Window::whole(n, n)
    });
    view! {
        <div class="segmented" role="group" aria-label="Zoom" title="Zoom with Ctrl and the wheel, drag to move; in the matrix the keys +, − and 0 zoom, arrow keys move">
            <button type="button" aria-label="Zoom in" on:click=move |_| by(0.5)>"+"</button>
            <ActionButton text="−" label="Zoom out" idle=whole press=move |()| by(2.0)/>
            <ActionButton text="all" label="Show all of the matrix" idle=whole press=all/>
        </div>
    }
}
