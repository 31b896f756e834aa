//! A figure on screen: two canvases, the picture and the cursor above it, sized by their place.
//!
//! A change marks the figure as stale; one animation frame paints it, however many changes came before.

use super::{canvas, state::State, theme::Dark};
use crate::figure::{Cursor, Figure};
use leptos::{html, prelude::*};
use leptos_use_element_size::use_element_size;
use std::sync::Arc;
use web_sys::{KeyboardEvent, MouseEvent, PointerEvent};

/// A figure that can live in a signal.
pub(super) type AnyFigure = Arc<dyn Figure + Send + Sync>;

/// What a pointer does in a figure that can be pulled at.
#[derive(Clone, Copy)]
pub(super) struct Pull {
    /// At this width and point: true takes the pointer until it is let go.
    pub(super) start: Callback<(f64, f64, f64), bool>,
    /// The pointer moved while taken.
    pub(super) moved: Callback<(f64, f64, f64)>,
    /// It was let go.
    pub(super) end: Callback<()>,
}

/// Zooms by a factor around a cell.
pub(super) type Zoom = Callback<(f64, (usize, usize))>;

/// A pointer that moves less than this many pixels clicks.
const CLICK: f64 = 4.0;

/// The figure's canvases. `id` names it in performance marks.
#[component]
pub(super) fn FigureView(
    id: &'static str,
    #[prop(into)] figure: Signal<Option<AnyFigure>>,
    #[prop(into)] label: Signal<String>,
    /// Positions of the matrix, for moving the cursor by keys; 0 where there is no cursor.
    #[prop(into, default = Signal::stored(0))]
    positions: Signal<usize>,
    #[prop(default = None)] pull: Option<Pull>,
    #[prop(default = None)] zoom: Option<Zoom>,
) -> impl IntoView {
    let state = expect_context::<State>();
    let dark = expect_context::<Dark>();
    let place = NodeRef::<html::Div>::new();
    let picture = NodeRef::<html::Canvas>::new();
    let overlay = NodeRef::<html::Canvas>::new();
    let size = use_element_size(place);
    let width = Memo::new(move |_| size.width.get().floor());

    let cursor = Memo::new(move |_| (positions.get() > 0).then(|| state.cursor()).flatten());
    paint_when_stale(
        move || {
            let (figure, width, theme) = (figure.get(), width.get(), dark.theme());
            let (Some(figure), Some(canvas), true) = (figure, picture.get(), width > 0.0) else {
                return None;
            };
            Some(move || {
                let scene = figure.scene(width);
                size_to(&canvas, scene.height);
                canvas::paint(&canvas, &scene, theme, pixel_ratio(), false);
                mark_painted(id);
            })
        },
    );
    paint_when_stale(
        move || {
            let (figure, width, theme, cursor) = (figure.get(), width.get(), dark.theme(), cursor.get());
            let (Some(figure), Some(canvas), true) = (figure, overlay.get(), width > 0.0) else {
                return None;
            };
            Some(move || {
                let scene = figure.overlay(width, cursor);
                size_to(&canvas, scene.height);
                canvas::paint(&canvas, &scene, theme, pixel_ratio(), false);
            })
        },
    );

    let point = move |event: &MouseEvent| {
        let rect = place.get_untracked().map(|place| place.get_bounding_client_rect());
        let (x, y) = rect.map_or((0.0, 0.0), |rect| (rect.x(), rect.y()));
        (
            width.get_untracked(),
            f64::from(event.client_x()) - x,
            f64::from(event.client_y()) - y,
        )
    };
    let under = move |event: &MouseEvent| {
        let (width, x, y) = point(event);
        let figure = figure.get_untracked()?;
        (positions.get_untracked() > 0).then(|| figure.cursor_at(width, x, y)).flatten()
    };
    // Where the pointer went down, and whether it has moved away from there.
    let pulling: StoredValue<Option<((f64, f64), bool)>> = StoredValue::new(None);
    let on_down = move |event: PointerEvent| {
        let (width, x, y) = point(&event);
        if let Some(pull) = pull
            && event.is_primary()
            && pull.start.run((width, x, y))
        {
            pulling.set_value(Some(((x, y), false)));
            if let Some(target) = place.get_untracked() {
                // The pointer exists: it just went down.
                let _ = target.set_pointer_capture(event.pointer_id());
            }
        }
    };
    let on_move = move |event: PointerEvent| {
        if let (Some(pull), Some((from, moved))) = (pull, pulling.get_value()) {
            let (width, x, y) = point(&event);
            if moved || (x - from.0).hypot(y - from.1) >= CLICK {
                pulling.set_value(Some((from, true)));
                pull.moved.run((width, x, y));
            }
            return;
        }
        let cursor = under(&event);
        if state.hover.get_untracked() != cursor {
            state.hover.set(cursor);
        }
    };
    let on_up = move |_: PointerEvent| {
        if let (Some(pull), Some((_, moved))) = (pull, pulling.get_value()) {
            pulling.set_value(None);
            if moved {
                pull.end.run(());
                just_pulled();
            }
        }
    };
    let on_wheel = move |event: web_sys::WheelEvent| {
        // A plain wheel scrolls the page; with Control, and for a pinch, it zooms.
        if let (Some(zoom), true, Some(Cursor::Cell(i, j))) = (zoom, event.ctrl_key(), under(&event)) {
            event.prevent_default();
            zoom.run(((event.delta_y() / 200.0).exp(), (i, j)));
        }
    };
    let on_click = move |event: MouseEvent| {
        if take_just_pulled() {
            return;
        }
        if let Some(cursor) = under(&event) {
            let cell = as_cell(cursor, positions.get_untracked());
            let pinned = state.link.with_untracked(|link| link.pin);
            state.link.update(|link| link.pin = if pinned == Some(cell) { None } else { Some(cell) });
        }
    };
    let on_key = move |event: KeyboardEvent| {
        let n = positions.get_untracked();
        if n > 0 && move_cursor(state, &event, n) {
            event.prevent_default();
        }
    };
    let stop = move |_: PointerEvent| state.hover.set(None);
    let focusable = move || if positions.get() > 0 { "0" } else { "-1" };
    view! {
        <div
            class="figure-view"
            node_ref=place
            tabindex=focusable
            role="img"
            aria-label=label
            on:pointerdown=on_down
            on:pointermove=on_move
            on:pointerup=on_up
            on:pointercancel=on_up
            on:pointerleave=stop
            on:click=on_click
            on:wheel=on_wheel
            on:keydown=on_key
        >
            <canvas class="picture" node_ref=picture></canvas>
            <canvas class="overlay" node_ref=overlay></canvas>
        </div>
    }
}

/// Runs `prepare` whenever what it reads changes, and the painting it returns in the next frame. Several
/// changes before that frame are painted once.
fn paint_when_stale<P: FnOnce() + 'static>(prepare: impl Fn() -> Option<P> + 'static) {
    let waiting: StoredValue<Option<P>, LocalStorage> = StoredValue::new_local(None);
    Effect::new(move || {
        let next = prepare();
        let asked = waiting.try_update_value(|slot| std::mem::replace(slot, next).is_some());
        if asked == Some(false) {
            request_animation_frame(move || {
                // Gone when the figure left the page in the meantime.
                if let Some(Some(paint)) = waiting.try_update_value(Option::take) {
                    paint();
                }
            });
        }
    });
}

fn size_to(canvas: &web_sys::HtmlCanvasElement, height: f64) {
    let style = web_sys::HtmlElement::style(canvas);
    // A length is always accepted.
    let _ = style.set_property("height", &format!("{height}px"));
}

fn pixel_ratio() -> f64 {
    window().device_pixel_ratio().clamp(1.0, 3.0)
}

/// Tells whoever measures that a figure is on screen.
fn mark_painted(id: &str) {
    if let Some(performance) = window().performance() {
        let name = format!("diagonal:painted:{id}");
        // One mark each, so that hours of sliding do not pile up.
        performance.clear_marks_with_mark_name(&name);
        let _ = performance.mark(&name);
    }
    if let Some(root) = document().document_element() {
        let _ = root.set_attribute("data-ready", "true");
    }
}

thread_local! {
    /// Whether the click that follows a pull is that pull's end.
    static JUST_PULLED: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

fn just_pulled() {
    JUST_PULLED.set(true);
    set_timeout(|| JUST_PULLED.set(false), std::time::Duration::ZERO);
}

fn take_just_pulled() -> bool {
    JUST_PULLED.replace(false)
}

/// The cell a cursor stands for: an offset alone is met in the middle of its diagonal.
fn as_cell(cursor: Cursor, n: usize) -> (usize, usize) {
    match cursor {
        Cursor::Cell(i, j) => (i, j),
        Cursor::Offset(k) => {
            let last = n.saturating_sub(1) as i64;
            let i = ((last - k) / 2).clamp((-k).max(0), (last - k).clamp(0, last));
            (i as usize, (i + k).clamp(0, last) as usize)
        }
    }
}

/// Arrow keys move the cursor, with Shift by eight; Enter or Space pins, Escape lets go.
fn move_cursor(state: State, event: &KeyboardEvent, n: usize) -> bool {
    let step = if event.shift_key() { 8 } else { 1 };
    let (di, dj) = match event.key().as_str() {
        "ArrowLeft" => (0, -step),
        "ArrowRight" => (0, step),
        "ArrowUp" => (-step, 0),
        "ArrowDown" => (step, 0),
        "Enter" | " " => (0, 0),
        "Escape" => {
            state.link.update(|link| link.pin = None);
            state.hover.set(None);
            return true;
        }
        _ => return false,
    };
    let middle = n / 2;
    let (i, j) = state.cursor_now().map_or((middle, middle), |cursor| as_cell(cursor, n));
    let moved = |at: usize, by: i64| (at as i64 + by).clamp(0, n as i64 - 1) as usize;
    state.link.update(|link| link.pin = Some((moved(i, di), moved(j, dj))));
    true
}
