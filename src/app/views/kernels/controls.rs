//! Controls of the kernels: a row of sliders per kernel, undo and redo, the length, and presets.

use super::{KernelViewOptions, kernel_row::KernelRow};
use crate::{
    analysis::{HeadOverview, MAX_LENGTH, MIN_LENGTH},
    app::{
        controls::{buttons::ActionButton, drag::DragState, number::NumberSlider},
        query_client::Query,
        state::{PageState, UrlState},
    },
    encoding::{KERNEL_PRESETS, Kernel, Kernels, MAX_KERNELS},
    undo::UndoHistory,
    url_state::{KernelNumber, NumberRange, SliderReach, SliderScale, starting_kernels},
};
use leptos::{html, prelude::*};
use wasm_bindgen::JsCast;

/// The kernels' sliders and buttons.
#[component]
pub(super) fn KernelControls(
    /// The open head, whose scores determine the range of amplitudes.
    head: Query<HeadOverview>,
) -> impl IntoView {
    let state = PageState::from_context();
    let url = state.url;
    let count = url.select(|link| link.kernels.kernels.0.len());
    let kernels = url.select(|link| link.kernels.kernels.clone());
    // The last reach and the span of the head that it was computed for.
    let last: StoredValue<Option<(Option<f64>, SliderReach)>> = StoredValue::new(None);
    let reach = DragState::from_context().hold(move || {
        let span = head.with(|detail| Some(detail?.fit.f.span(state.open_head.cells())));
        kernels.with(|kernels| {
            let is_kept =
                |(of, reach): &(Option<f64>, SliderReach)| *of == span && reach.suits(kernels);
            let reach = match last.get_value().filter(is_kept) {
                Some((_, reach)) => reach,
                None => SliderReach::compute(kernels, span),
            };
            last.set_value(Some((span, reach)));
            reach
        })
    });
    let presets = KERNEL_PRESETS.iter().map(|preset| {
        let take = move |_| {
            state
                .kernels
                .edit(None, |kernels| *kernels = Kernels(preset.kernels.to_vec()));
        };
        view! { <button type="button" data-preset=preset.id on:click=take>{preset.title}</button> }
    });
    let add = NodeRef::<html::Button>::new();
    undo_by_keys(state);
    let letters = KernelNumber::ALL.map(|number| view! { <span>{number.letter()}</span> });
    view! {
        <section class="kernel-controls" id="sliders" tabindex="-1" aria-label="Kernels">
            <header class="kernel-letters" aria-hidden="true">
                <span></span>
                {letters.into_iter().collect_view()}
                <span></span>
            </header>
            <ul class="kernels">
                // Rows are keyed by index, not by kernel, so that sliders stay mounted while kernels are added and
                // removed.
                <For each=move || 0..count.get() key=|at| *at let:at>
                    <KernelRow at reach next_focus=add/>
                </For>
            </ul>
            <Actions add head/>
            <LengthControl/>
            <div class="presets" role="group" aria-label="Start from">
                <span class="hint">"Start from"</span>
                {presets.collect_view()}
            </div>
        </section>
    }
}

/// Undo or redo.
type Step = fn(&mut UndoHistory<Kernels>, Kernels) -> Option<Kernels>;

fn travel(state: PageState, step: Step) {
    let url = state.url;
    let present = url.link.with_untracked(|link| link.kernels.kernels.clone());
    let other = state
        .kernels
        .undo
        .try_update(|history| step(history, present));
    if let Some(other) = other.flatten() {
        url.link.update(|link| link.kernels.kernels = other);
    }
}

fn undo_by_keys(state: PageState) {
    let keys = window_event_listener(leptos::ev::keydown, move |event| {
        let typing = event
            .target()
            .and_then(|target| target.dyn_into::<web_sys::HtmlInputElement>().ok())
            .is_some_and(|field| field.type_() != "range");
        // Text fields have their own undo.
        if typing || !(event.ctrl_key() || event.meta_key()) {
            return;
        }
        match (event.key().to_ascii_lowercase().as_str(), event.shift_key()) {
            ("z", false) => travel(state, UndoHistory::undo),
            ("z", true) | ("y", _) => travel(state, UndoHistory::redo),
            _ => return,
        }
        event.prevent_default();
    });
    on_cleanup(move || keys.remove());
}

#[component]
fn Actions(
    /// The button that adds a kernel.
    add: NodeRef<html::Button>,
    /// The open head; kernels are reset to amplitudes of its size.
    head: Query<HeadOverview>,
) -> impl IntoView {
    let setting = KernelViewOptions::from_context();
    let state = PageState::from_context();
    let full = state
        .url
        .select(|link| link.kernels.kernels.0.len() >= MAX_KERNELS);
    let no_undo = Memo::new(move |_| !state.kernels.undo.with(UndoHistory::can_undo));
    let no_redo = Memo::new(move |_| !state.kernels.undo.with(UndoHistory::can_redo));
    let add_kernel = move |()| {
        state
            .kernels
            .edit(None, |kernels| kernels.0.push(Kernel::new(1.0, 0.1, 0.0)));
    };
    let reset = move |_| {
        let span = untrack(|| setting.span(state.open_head, head));
        state.kernels.reset(&starting_kernels(span));
    };
    view! {
        <div class="actions">
            <ActionButton text="Add kernel" idle=full press=add_kernel button=add/>
            <span class="spacer"></span>
            <ActionButton text="Undo" idle=no_undo press=move |()| travel(state, UndoHistory::undo)/>
            <ActionButton text="Redo" idle=no_redo press=move |()| travel(state, UndoHistory::redo)/>
            <button type="button" on:click=reset>"Reset"</button>
        </div>
    }
}

/// Slider for the number of positions.
#[component]
fn LengthControl() -> impl IntoView {
    let url = UrlState::from_context();
    let length = KernelViewOptions::from_context().length;
    let set = move |n: f64| {
        url.link
            .update(|link| link.kernels.length = Some(n.round() as usize));
    };
    let (shortest, longest) = (MIN_LENGTH as f64, MAX_LENGTH as f64);
    // Logarithmic: one unit of the slider doubles the length.
    let doubling = SliderScale::powers_of(2.0, shortest.log2(), longest.log2(), 0.0625);
    view! {
        <NumberSlider
            name="length n"
            label="length n"
            value=Signal::derive(move || length.get() as f64)
            scale=Signal::stored(doubling)
            allowed=NumberRange::whole(shortest, longest)
            slide=set
            set
        />
    }
}
