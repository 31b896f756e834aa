//! A figure on screen: a canvas for the picture and a canvas above it for the cursor. Both are as wide as their
//! container.
//!
//! Figures are laid out in units that scale with the text size: with larger text, a unit is more CSS pixels, and the
//! width has fewer units.

use super::{
    figure_terms::{FigureTerms, TermOutline},
    painter::{Painting, paint_when_stale},
    resolution::MatrixResolution,
    width::follow_width,
};
use crate::{
    app::{
        controls::while_mounted::while_mounted,
        display::{repaint::RepaintTrigger, text_size::TextSize, theme::Dark},
        state::{PageState, UrlState},
    },
    figure::{Cursor, Figure, FormulaTerm, Scene},
};
use leptos::{html, prelude::*};
use std::{cell::Cell, rc::Rc, sync::Arc};
use web_sys::{FocusEvent, KeyboardEvent, MouseEvent, PointerEvent};

/// A figure that can be stored in a signal.
pub(in crate::app) type AnyFigure = Arc<dyn Figure + Send + Sync>;

/// Wraps a computed figure.
pub(in crate::app) fn ready(figure: impl Figure + Send + Sync + 'static) -> Option<AnyFigure> {
    Some(Arc::new(figure))
}

/// Memoizes a figure: `make` runs when a signal it reads changes. Figures are not compared; every new one counts as
/// changed.
pub(in crate::app) fn picture(
    make: impl Fn() -> Option<AnyFigure> + Send + Sync + 'static,
) -> Signal<Option<AnyFigure>> {
    let make = Signal::derive(make);
    Memo::new_with_compare(move |_| make.get(), |_, _| true).into()
}

/// Callbacks of a drag inside a figure. Arguments are the width of the figure and a point, in figure units.
pub(in crate::app) struct Pull {
    /// Called when the pointer goes down; returns whether it starts a drag.
    pub(in crate::app) start: Box<dyn Fn(f64, f64, f64) -> bool>,
    /// Called when the pointer moves during a drag.
    pub(in crate::app) on_move: Box<dyn Fn(f64, f64, f64)>,
    /// Called when the drag ends.
    pub(in crate::app) end: Box<dyn Fn()>,
}

/// Zoom and pan callbacks of a windowed matrix.
pub(in crate::app) struct Navigation {
    /// Scales the window by a factor around a cell. Factors below 1 zoom in.
    pub(in crate::app) zoom: Box<dyn Fn(f64, (usize, usize))>,
    /// Moves the window so that it contains a cell.
    pub(in crate::app) hold: Box<dyn Fn((usize, usize))>,
}

/// Identifier of placeholder pictures. [`super::painter`] does not report the page as ready for them.
pub(in crate::app) const STAND_IN: &str = "stand-in";

/// Start of a drag, and whether the pointer has moved at least [`CLICK`] away from it.
type Pulling = ((f64, f64), bool);

/// A pointer that moves less than this distance clicks. In figure units.
const CLICK: f64 = 4.0;

/// Values of `data-wheel`: what a plain wheel does over a matrix that can be zoomed.
const SCROLLS: &str = "scrolls";
const ZOOMS: &str = "zooms";

/// The two canvases of a figure, with pointer and keyboard control of the cursor.
#[component]
pub(in crate::app) fn FigureView(
    /// Identifier, for performance marks.
    id: &'static str,
    /// The figure, once computed.
    figure: Signal<Option<AnyFigure>>,
    /// Accessible name.
    #[prop(into)]
    label: Signal<String>,
    /// Number of positions of the matrix, for moving the cursor by keys. 0 disables the cursor.
    #[prop(optional, into)]
    positions: Signal<usize>,
    /// Callbacks of a drag inside the figure.
    #[prop(optional_no_strip)]
    pull: Option<Pull>,
    /// Zoom and pan callbacks of a windowed matrix.
    #[prop(optional_no_strip)]
    navigation: Option<Navigation>,
    /// Receives the width of the figure.
    #[prop(optional_no_strip)]
    resolution: Option<MatrixResolution>,
    /// Height in CSS pixels in place of its own, if its height is free.
    #[prop(optional, into)]
    height: Signal<Option<f64>>,
    /// The term of formulas that the whole figure stands for.
    #[prop(optional_no_strip)]
    term: Option<FormulaTerm>,
) -> impl IntoView {
    let state = PageState::from_context();
    let place = NodeRef::<html::Div>::new();
    let picture = NodeRef::<html::Canvas>::new();
    let overlay = NodeRef::<html::Canvas>::new();
    let text = TextSize::from_context();
    let pixels = resolution.map_or_else(|| RwSignal::new(0), MatrixResolution::pixels);
    follow_width(place, pixels);
    let width = Signal::derive(move || pixels.get() as f64 / text.scale());
    let figure = self::picture(move || {
        let figure = figure.get()?;
        let (height, width) = (
            height.get().map(|height| height / text.scale()),
            width.get(),
        );
        let other = height.and_then(|height| figure.with_height(width, height));
        other.or(Some(figure))
    });
    let terms = FigureTerms::new(figure, width, term);
    let has_terms = Memo::new(move |_| terms.are_there());
    paint_picture(id, figure, picture, width);
    paint_overlay(figure, overlay, width, positions);

    let point = move |event: &MouseEvent| {
        let rect = place
            .get_untracked()
            .map(|place| place.get_bounding_client_rect());
        let (x, y) = rect.map_or((0.0, 0.0), |rect| (rect.x(), rect.y()));
        let scale = untrack(|| text.scale());
        (
            width.get_untracked(),
            (f64::from(event.client_x()) - x) / scale,
            (f64::from(event.client_y()) - y) / scale,
        )
    };
    let under = move |event: &MouseEvent| {
        let (width, x, y) = point(event);
        let figure = figure.get_untracked()?;
        (positions.get_untracked() > 0)
            .then(|| figure.cursor_at(width, x, y))
            .flatten()
    };
    // Local storage: event listeners run on the main thread, and the values live as long as the figure.
    let pull = StoredValue::new_local(pull);
    let is_zoomable = navigation.is_some();
    let navigation = StoredValue::new_local(navigation);
    let zoom = move |factor: f64, cell: (usize, usize)| {
        navigation.with_value(|navigation| {
            if let Some(navigation) = navigation {
                (navigation.zoom)(factor, cell);
            }
        });
    };
    // A plain wheel zooms from a click until the pointer leaves. Before that it scrolls the page. The style sheet says
    // so where a matrix can be zoomed.
    let wheel_zooms = RwSignal::new(false);
    let wheel = move || {
        let word = if wheel_zooms.get() { ZOOMS } else { SCROLLS };
        is_zoomable.then_some(word)
    };
    let pulling: StoredValue<Option<Pulling>> = StoredValue::new(None);
    let on_down = move |event: PointerEvent| {
        let (width, x, y) = point(&event);
        let takes = |pull: &Option<Pull>| pull.as_ref().is_some_and(|p| (p.start)(width, x, y));
        if event.is_primary() && pull.with_value(takes) {
            pulling.set_value(Some(((x, y), false)));
            if let Some(target) = place.get_untracked() {
                // Ignored: the pointer exists, since it just went down.
                let _ = target.set_pointer_capture(event.pointer_id());
            }
        }
    };
    let on_move = move |event: PointerEvent| {
        if let Some((from, moved)) = pulling.get_value() {
            let (width, x, y) = point(&event);
            if moved || (x - from.0).hypot(y - from.1) >= CLICK {
                pulling.set_value(Some((from, true)));
                pull.with_value(|pull| {
                    if let Some(pull) = pull {
                        (pull.on_move)(width, x, y);
                    }
                });
            }
            return;
        }
        let (_, x, y) = point(&event);
        terms.point_at(x, y);
        let cursor = under(&event);
        if state.cursor.hover.get_untracked() != cursor {
            state.cursor.hover.set(cursor);
        }
    };
    let on_up = move |_: PointerEvent| {
        let Some((_, moved)) = pulling.try_update_value(Option::take).flatten() else {
            return;
        };
        pull.with_value(|pull| {
            if let Some(pull) = pull {
                (pull.end)();
            }
        });
        if moved {
            just_pulled();
        }
    };
    let on_wheel = move |event: web_sys::WheelEvent| {
        // Browsers report a pinch as a wheel with Control.
        if is_zoomable
            && (event.ctrl_key() || wheel_zooms.get_untracked())
            && let Some(Cursor::Cell(i, j)) = under(&event)
        {
            event.prevent_default();
            zoom((event.delta_y() / 200.0).exp(), (i, j));
        }
    };
    let on_double_click = move |event: MouseEvent| {
        if let Some(Cursor::Cell(i, j)) = under(&event) {
            zoom(f64::INFINITY, (i, j));
        }
    };
    let on_click = move |event: MouseEvent| {
        if take_just_pulled() {
            return;
        }
        let n = positions.get_untracked();
        if let Some(cell) = under(&event).and_then(|cursor| cursor.as_cell(n)) {
            wheel_zooms.set(true);
            state.url.link.update(|link| {
                let pinned = link.cursor.pin == Some(cell);
                link.cursor.pin = (!pinned).then_some(cell);
            });
        }
    };
    let on_leave = move |_: PointerEvent| {
        state.cursor.hover.set(None);
        wheel_zooms.set(false);
        terms.leave();
    };
    let on_key = move |event: KeyboardEvent| {
        if event.key() == "Escape" {
            wheel_zooms.set(false);
        }
        let n = positions.get_untracked();
        let is_of_terms = terms.press(&event);
        let own = figure.with_untracked(|figure| step_in(figure.as_ref()?, state, &event));
        if let Some(cursor) = own.filter(|_| n > 0) {
            state.cursor.hover.set(Some(cursor));
            event.prevent_default();
            return;
        }
        let is_known = navigation
            .with_value(|navigation| n > 0 && press_key(state, &event, n, navigation.as_ref()));
        if is_known || is_of_terms {
            event.prevent_default();
        }
    };
    let has_keys = Memo::new(move |_| positions.get() > 0 || has_terms.get());
    let focusable = move || if has_keys.get() { "0" } else { "-1" };
    let role = move || {
        if has_keys.get() { "application" } else { "img" }
    };
    view! {
        <div
            class="figure-view"
            data-wheel=wheel
            node_ref=place
            tabindex=focusable
            // Screen readers pass arrow keys to an application, but not to an image.
            role=role
            aria-label=label
            aria-keyshortcuts=move || has_terms.get().then_some("t")
            on:pointerdown=while_mounted(on_down)
            on:pointermove=while_mounted(on_move)
            on:pointerup=while_mounted(on_up)
            on:pointercancel=while_mounted(on_up)
            on:pointerleave=while_mounted(on_leave)
            on:click=on_click
            on:dblclick=while_mounted(on_double_click)
            on:wheel=while_mounted(on_wheel)
            on:keydown=while_mounted(on_key)
            on:focus=while_mounted(move |_: FocusEvent| terms.enter_by_keyboard())
            on:blur=while_mounted(move |_: FocusEvent| {
                terms.leave();
                if untrack(|| state.cursor.pair()).is_some() {
                    state.cursor.hover.set(None);
                }
            })
        >
            <canvas class="picture" node_ref=picture></canvas>
            <canvas class="overlay" node_ref=overlay></canvas>
            <TermOutline terms has_terms/>
        </div>
    }
}

/// Paints the figure when the figure, its width, the theme or the text size changes.
fn paint_picture(
    id: &'static str,
    figure: Signal<Option<AnyFigure>>,
    picture: NodeRef<html::Canvas>,
    width: Signal<f64>,
) {
    let (dark, repaint) = (expect_context::<Dark>(), RepaintTrigger::from_context());
    let text = TextSize::from_context();
    paint_when_stale(Box::new(move || {
        repaint.follow();
        let (figure, width, theme) = (figure.get(), width.get(), dark.theme());
        let figure = figure.filter(|_| width > 0.0);
        // Without a figure the canvas is emptied, so that no picture remains under the name of another model.
        let scene =
            move || figure.map_or_else(|| Scene::new(width, 0.0), |figure| figure.scene(width));
        Some(Painting {
            scale: text.scale(),
            canvas: picture.get()?,
            scene: Box::new(|| Some(scene())),
            theme,
            name: Some(id),
        })
    }));
}

/// Paints the marks of the cursor when the figure or the cursor changes.
fn paint_overlay(
    figure: Signal<Option<AnyFigure>>,
    overlay: NodeRef<html::Canvas>,
    width: Signal<f64>,
    positions: Signal<usize>,
) {
    let state = PageState::from_context();
    let (dark, repaint) = (expect_context::<Dark>(), RepaintTrigger::from_context());
    let text = TextSize::from_context();
    // Whether the canvas is blank. Set when the scene is painted, since several changes may share one painting.
    let blank = Rc::new(Cell::new(true));
    paint_when_stale(Box::new(move || {
        repaint.follow();
        let (figure, width, theme) = (figure.get(), width.get(), dark.theme());
        let cursor = if positions.get() > 0 {
            state.cursor.get()
        } else {
            None
        };
        let blank = Rc::clone(&blank);
        let scene = move || {
            let scene = match (figure, cursor) {
                (Some(figure), Some(cursor)) if width > 0.0 => figure.overlay(width, Some(cursor)),
                _ => Scene::new(width, 0.0),
            };
            // Skips a blank canvas that stays blank: pictures change more often than the cursor appears.
            let stays_blank = blank.replace(scene.marks.is_empty()) && scene.marks.is_empty();
            (!stays_blank).then_some(scene)
        };
        Some(Painting {
            scale: text.scale(),
            canvas: overlay.get()?,
            scene: Box::new(scene),
            theme,
            name: None,
        })
    }));
}

thread_local! {
    /// Whether the next click event belongs to the drag that just ended.
    static JUST_PULLED: Cell<bool> = const { Cell::new(false) };
}

fn just_pulled() {
    JUST_PULLED.set(true);
    set_timeout(|| JUST_PULLED.set(false), std::time::Duration::ZERO);
}

fn take_just_pulled() -> bool {
    JUST_PULLED.replace(false)
}

/// Handles a key and returns whether it was used. Arrow keys move the pinned cursor, with Shift by eight cells; Enter
/// and Space pin it, Escape releases it; `+`, `-` and `0` zoom. The window of the matrix follows the cursor.
fn press_key(
    state: PageState,
    event: &KeyboardEvent,
    n: usize,
    navigation: Option<&Navigation>,
) -> bool {
    let url = state.url;
    if event.ctrl_key() || event.meta_key() || event.alt_key() {
        return false;
    }
    let middle = n / 2;
    let cell = untrack(|| state.cursor.get())
        .and_then(|cursor| cursor.as_cell(n))
        .unwrap_or((middle, middle));
    let key = event.key();
    let factor = match key.as_str() {
        "+" | "=" => 0.5,
        "-" => 2.0,
        "0" => f64::INFINITY,
        "Escape" => {
            let is_pinned = url.link.with_untracked(|link| link.cursor.pin.is_some());
            if is_pinned {
                url.link.update(|link| link.cursor.pin = None);
            }
            state.cursor.hover.set(None);
            // An unused Escape ends a presentation.
            return is_pinned;
        }
        key => return move_cursor(url, key, event.shift_key(), (cell, n), navigation),
    };
    if let Some(navigation) = navigation {
        (navigation.zoom)(factor, cell);
    }
    navigation.is_some()
}

/// Returns the place of the figure to which a key moves the cursor, where its places are not cells of a matrix.
fn step_in(figure: &AnyFigure, state: PageState, event: &KeyboardEvent) -> Option<Cursor> {
    if event.ctrl_key() || event.meta_key() || event.alt_key() {
        return None;
    }
    let step = step_of(&event.key(), event.shift_key())?;
    figure.step_cursor(state.cursor.hover.get_untracked(), step)
}

/// Returns the steps down and to the right of a key, with Shift eight at once; none of Enter and Space.
fn step_of(key: &str, far: bool) -> Option<(i64, i64)> {
    let step = if far { 8 } else { 1 };
    Some(match key {
        "ArrowLeft" => (0, -step),
        "ArrowRight" => (0, step),
        "ArrowUp" => (-step, 0),
        "ArrowDown" => (step, 0),
        "Enter" | " " => (0, 0),
        _ => return None,
    })
}

fn move_cursor(
    url: UrlState,
    key: &str,
    far: bool,
    ((i, j), n): ((usize, usize), usize),
    navigation: Option<&Navigation>,
) -> bool {
    let Some((di, dj)) = step_of(key, far) else {
        return false;
    };
    let shift = |at: usize, by: i64| (at as i64 + by).clamp(0, n as i64 - 1) as usize;
    let cell = (shift(i, di), shift(j, dj));
    url.link.update(|link| link.cursor.pin = Some(cell));
    if let Some(navigation) = navigation {
        (navigation.hold)(cell);
    }
    true
}
