//! A figure on screen: two canvases, the picture and the cursor above it, sized by their place.
//!
//! Figures are laid out in units of their text: where text is larger, a unit is more CSS pixels, and there are fewer of
//! them.

use super::{
    painter::{Painting, paint_when_stale},
    repaint::RepaintTrigger,
    resolution::MatrixResolution,
    width::follow_width,
};
use crate::{
    app::{
        controls::mounted::while_mounted,
        shell::{text_size::TextSize, theme::Dark},
        state::page::PageState,
    },
    figure::{Cursor, Figure, Scene},
};
use leptos::{html, prelude::*};
use std::{cell::Cell, rc::Rc, sync::Arc};
use web_sys::{KeyboardEvent, MouseEvent, PointerEvent};

/// A figure that can live in a signal.
pub(in crate::app) type AnyFigure = Arc<dyn Figure + Send + Sync>;

/// A figure that is there.
pub(in crate::app) fn ready(figure: impl Figure + Send + Sync + 'static) -> Option<AnyFigure> {
    Some(Arc::new(figure))
}

/// A figure that is made when what it reads changes, and kept until then. Figures are not compared: a new one
/// is another one.
pub(in crate::app) fn picture(
    make: impl Fn() -> Option<AnyFigure> + Send + Sync + 'static,
) -> Signal<Option<AnyFigure>> {
    let make = Signal::derive(make);
    Memo::new_with_compare(move |_| make.get(), |_, _| true).into()
}

/// What a pointer does in a figure that can be pulled at.
pub(in crate::app) struct Pull {
    /// At this width and point: true takes the pointer until it is let go.
    pub(in crate::app) start: Box<dyn Fn(f64, f64, f64) -> bool>,
    /// The pointer moved while taken.
    pub(in crate::app) moved: Box<dyn Fn(f64, f64, f64)>,
    /// It was let go.
    pub(in crate::app) end: Box<dyn Fn()>,
}

/// What moves about in a matrix of which a window is shown.
pub(in crate::app) struct Navigation {
    /// Shows a window so many times as large, around a cell.
    pub(in crate::app) zoom: Box<dyn Fn(f64, (usize, usize))>,
    /// Moves the window until a cell is in it.
    pub(in crate::app) hold: Box<dyn Fn((usize, usize))>,
}

/// What performance marks call the picture of something else, which keeps a figure's place until it is there.
pub(in crate::app) const STAND_IN: &str = "stand-in";

/// Where a pointer that pulls went down, and whether it has moved away from there.
type Pulling = ((f64, f64), bool);

/// A pointer that moves less than this many pixels clicks.
const CLICK: f64 = 4.0;

/// The figure's canvases.
#[component]
pub(in crate::app) fn FigureView(
    /// What performance marks call it.
    id: &'static str,
    /// The figure, once it is there.
    figure: Signal<Option<AnyFigure>>,
    /// What it shows, for those who cannot see it.
    #[prop(into)]
    label: Signal<String>,
    /// The size of the matrix, for moving the cursor by keys; 0 where there is no cursor.
    #[prop(optional, into)]
    positions: Signal<usize>,
    /// What pulling at it does.
    #[prop(optional_no_strip)]
    pull: Option<Pull>,
    /// What a wheel over it does, and what keys do that move the cursor.
    #[prop(optional_no_strip)]
    navigation: Option<Navigation>,
    /// What asks how finely the figure can be drawn.
    #[prop(optional_no_strip)]
    room: Option<MatrixResolution>,
) -> impl IntoView {
    let state = PageState::from_context();
    let place = NodeRef::<html::Div>::new();
    let picture = NodeRef::<html::Canvas>::new();
    let overlay = NodeRef::<html::Canvas>::new();
    let text = TextSize::from_context();
    let pixels = room.map_or_else(|| RwSignal::new(0), MatrixResolution::pixels);
    follow_width(place, pixels);
    let width = Signal::derive(move || pixels.get() as f64 / text.scale());
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
    // Listeners run on the page's one thread; what they share lives as long as the figure.
    let pull = StoredValue::new_local(pull);
    let navigation = StoredValue::new_local(navigation);
    let pulling: StoredValue<Option<Pulling>> = StoredValue::new(None);
    let on_down = move |event: PointerEvent| {
        let (width, x, y) = point(&event);
        let takes = |pull: &Option<Pull>| pull.as_ref().is_some_and(|p| (p.start)(width, x, y));
        if event.is_primary() && pull.with_value(takes) {
            pulling.set_value(Some(((x, y), false)));
            if let Some(target) = place.get_untracked() {
                // The pointer exists: it just went down.
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
                        (pull.moved)(width, x, y);
                    }
                });
            }
            return;
        }
        let cursor = under(&event);
        if state.hover.get_untracked() != cursor {
            state.hover.set(cursor);
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
        // A plain wheel scrolls the page; with Control, and for a pinch, it zooms.
        if event.ctrl_key()
            && let Some(Cursor::Cell(i, j)) = under(&event)
        {
            navigation.with_value(|navigation| {
                if let Some(navigation) = navigation {
                    event.prevent_default();
                    (navigation.zoom)((event.delta_y() / 200.0).exp(), (i, j));
                }
            });
        }
    };
    let on_click = move |event: MouseEvent| {
        if take_just_pulled() {
            return;
        }
        let n = positions.get_untracked();
        if let Some(cell) = under(&event).and_then(|cursor| cursor.as_cell(n)) {
            state.link.update(|link| {
                let pinned = link.cursor.pin == Some(cell);
                link.cursor.pin = (!pinned).then_some(cell);
            });
        }
    };
    let on_key = move |event: KeyboardEvent| {
        let n = positions.get_untracked();
        let is_known = navigation
            .with_value(|navigation| n > 0 && press_key(state, &event, n, navigation.as_ref()));
        if is_known {
            event.prevent_default();
        }
    };
    let focusable = move || if positions.get() > 0 { "0" } else { "-1" };
    let role = move || {
        if positions.get() > 0 {
            "application"
        } else {
            "img"
        }
    };
    view! {
        <div
            class="figure-view"
            node_ref=place
            tabindex=focusable
            // What takes keys is no picture to those who cannot see it: their arrows would not reach it.
            role=role
            aria-label=label
            on:pointerdown=while_mounted(on_down)
            on:pointermove=while_mounted(on_move)
            on:pointerup=while_mounted(on_up)
            on:pointercancel=while_mounted(on_up)
            on:pointerleave=while_mounted(move |_| state.hover.set(None))
            on:click=on_click
            on:wheel=while_mounted(on_wheel)
            on:keydown=while_mounted(on_key)
        >
            <canvas class="picture" node_ref=picture></canvas>
            <canvas class="overlay" node_ref=overlay></canvas>
        </div>
    }
}

/// Paints the figure when it, its width or the theme changes.
fn paint_picture(
    id: &'static str,
    figure: Signal<Option<AnyFigure>>,
    picture: NodeRef<html::Canvas>,
    width: Signal<f64>,
) {
    let (dark, edition) = (expect_context::<Dark>(), RepaintTrigger::from_context());
    let text = TextSize::from_context();
    paint_when_stale(Box::new(move || {
        edition.follow();
        let (figure, width, theme) = (figure.get(), width.get(), dark.theme());
        let shown = figure.filter(|_| width > 0.0);
        // A figure that has gone leaves no picture behind under another model's name.
        let scene =
            move || shown.map_or_else(|| Scene::new(width, 0.0), |figure| figure.scene(width));
        Some(Painting {
            scale: text.scale(),
            canvas: picture.get()?,
            scene: Box::new(|| Some(scene())),
            theme,
            name: Some(id),
        })
    }));
}

/// Paints what the cursor adds, or nothing, whichever changes.
fn paint_overlay(
    figure: Signal<Option<AnyFigure>>,
    overlay: NodeRef<html::Canvas>,
    width: Signal<f64>,
    positions: Signal<usize>,
) {
    let state = PageState::from_context();
    let (dark, edition) = (expect_context::<Dark>(), RepaintTrigger::from_context());
    let text = TextSize::from_context();
    // What is on the canvas, which only its painter knows: several changes may share one painting.
    let blank = Rc::new(Cell::new(true));
    paint_when_stale(Box::new(move || {
        edition.follow();
        let (figure, width, theme) = (figure.get(), width.get(), dark.theme());
        let cursor = if positions.get() > 0 {
            state.cursor()
        } else {
            None
        };
        let blank = Rc::clone(&blank);
        let scene = move || {
            let scene = match (figure, cursor) {
                (Some(figure), Some(cursor)) if width > 0.0 => figure.overlay(width, Some(cursor)),
                _ => Scene::new(width, 0.0),
            };
            // A blank canvas is left alone: pictures change more often than the cursor comes.
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
    /// Whether the click that follows a pull is that pull's end.
    static JUST_PULLED: Cell<bool> = const { Cell::new(false) };
}

fn just_pulled() {
    JUST_PULLED.set(true);
    set_timeout(|| JUST_PULLED.set(false), std::time::Duration::ZERO);
}

fn take_just_pulled() -> bool {
    JUST_PULLED.replace(false)
}

/// Arrow keys move the cursor, with Shift by eight; Enter or Space pins, Escape lets go; +, − and 0 zoom where one can.
/// The part of a matrix that is shown follows the cursor. Gives whether the key was one of these.
fn press_key(
    state: PageState,
    event: &KeyboardEvent,
    n: usize,
    navigation: Option<&Navigation>,
) -> bool {
    if event.ctrl_key() || event.meta_key() || event.alt_key() {
        return false;
    }
    let middle = n / 2;
    let cell = untrack(|| state.cursor())
        .and_then(|cursor| cursor.as_cell(n))
        .unwrap_or((middle, middle));
    let key = event.key();
    let factor = match key.as_str() {
        "+" | "=" => 0.5,
        "-" => 2.0,
        "0" => f64::INFINITY,
        "Escape" => {
            let is_pinned = state.link.with_untracked(|link| link.cursor.pin.is_some());
            if is_pinned {
                state.link.update(|link| link.cursor.pin = None);
            }
            state.hover.set(None);
            // Without a pin, Escape ends a lecture.
            return is_pinned;
        }
        key => return move_cursor(state, key, event.shift_key(), (cell, n), navigation),
    };
    if let Some(navigation) = navigation {
        (navigation.zoom)(factor, cell);
    }
    navigation.is_some()
}

fn move_cursor(
    state: PageState,
    key: &str,
    far: bool,
    ((i, j), n): ((usize, usize), usize),
    navigation: Option<&Navigation>,
) -> bool {
    let step = if far { 8 } else { 1 };
    let (di, dj) = match key {
        "ArrowLeft" => (0, -step),
        "ArrowRight" => (0, step),
        "ArrowUp" => (-step, 0),
        "ArrowDown" => (step, 0),
        "Enter" | " " => (0, 0),
        _ => return false,
    };
    let moved = |at: usize, by: i64| (at as i64 + by).clamp(0, n as i64 - 1) as usize;
    let cell = (moved(i, di), moved(j, dj));
    state.link.update(|link| link.cursor.pin = Some(cell));
    if let Some(navigation) = navigation {
        (navigation.hold)(cell);
    }
    true
}
