//! One kernel's row: its name and buttons, and a slider and an exact field for each of its numbers.

use crate::{
    app::{
        controls::{ActionButton, NumberInput},
        focus::focus_next,
        state::State,
    },
    encoding::{Kernel, MAX_KERNELS},
    link::{KernelNumber, SliderReach, SliderScale, finite_number},
    undo::UndoHistory,
};
use leptos::{html, prelude::*};

/// The kernel that stands at a place of the list.
#[component]
pub(super) fn KernelRow(
    /// Its place.
    at: usize,
    /// How far sliders run.
    reach: Memo<SliderReach>,
    /// What is focused when this row goes.
    next_focus: NodeRef<html::Button>,
) -> impl IntoView {
    let state = State::from_context();
    let ordinal = at + 1;
    let muted = Memo::new(move |_| {
        state.link.with(|link| {
            let kernel = link.kernels.kernels.0.get(at);
            kernel.is_some_and(|kernel| kernel.muted)
        })
    });
    let full = state.part(|link| link.kernels.kernels.0.len() >= MAX_KERNELS);
    let edit = move |change: fn(&mut Vec<Kernel>, usize)| {
        state.edit_kernels(None, |kernels| {
            if at < kernels.0.len() {
                change(&mut kernels.0, at);
            }
        });
    };
    let mute = move |_| edit(|kernels, at| kernels[at].muted = !kernels[at].muted);
    let copy = move |()| edit(|kernels, at| kernels.insert(at + 1, kernels[at]));
    let remove = move |_| {
        let is_last = state
            .link
            .with_untracked(|link| link.kernels.kernels.0.len() == ordinal);
        edit(|kernels, at| {
            kernels.remove(at);
        });
        if is_last {
            // This row goes with its buttons.
            focus_next(move || next_focus.get_untracked().map(Into::into));
        }
    };
    let numbers = KernelNumber::ALL.map(|number| view! { <NumberRow at number reach/> });
    view! {
        <li class=format!("kernel category-{at}") class:muted=muted>
            <header>
                <span class="swatch" aria-hidden="true"></span>
                <span class="name">{format!("kernel {ordinal}")}</span>
                <span class="spacer"></span>
                <button
                    type="button"
                    aria-pressed=move || muted.get().to_string()
                    aria-label=format!("Mute kernel {ordinal}")
                    on:click=mute
                >
                    "mute"
                </button>
                <ActionButton
                    text="copy"
                    label=format!("Duplicate kernel {ordinal}")
                    idle=full
                    press=copy
                />
                <button type="button" aria-label=format!("Delete kernel {ordinal}") on:click=remove>
                    "delete"
                </button>
            </header>
            {numbers.into_iter().collect_view()}
        </li>
    }
}

/// One of a kernel's numbers.
#[component]
fn NumberRow(at: usize, number: KernelNumber, reach: Memo<SliderReach>) -> impl IntoView {
    let state = State::from_context();
    let value = Memo::new(move |_| {
        state.link.with(|link| {
            let kernel = link.kernels.kernels.0.get(at);
            kernel.map_or(0.0, |kernel| number.of(kernel))
        })
    });
    let scale = Memo::new(move |_| number.slider(reach.get()));
    let gesture = (at * KernelNumber::ALL.len()) as u32 + number as u32;
    let set = move |gesture: Option<u32>, value: f64| {
        state.edit_kernels(gesture, |kernels| {
            if let Some(kernel) = kernels.0.get_mut(at) {
                number.put(kernel, value);
            }
        });
    };
    let slide = move |event: leptos::ev::Event| {
        mark_input();
        if let Some(position) = finite_number(&event_target_value(&event)) {
            set(Some(gesture), scale.get_untracked().at_position(position));
        }
    };
    let label = format!("{}, kernel {}", number.name(), at + 1);
    let exact = format!("{label}, exact");
    let limits = number.limits();
    let slider = NodeRef::<html::Input>::new();
    Effect::new(move |before: Option<Option<SliderScale>>| {
        let (scale, value) = (scale.get(), value.get());
        let slider = slider.get()?;
        // A browser keeps the value within the ends that it knows, so those come first.
        if before.flatten() != Some(scale) {
            slider.set_min(&scale.low.to_string());
            slider.set_max(&scale.high.to_string());
            slider.set_step(&scale.step.to_string());
        }
        slider.set_value(&scale.position_of(value).to_string());
        Some(scale)
    });
    view! {
        <div class="parameter">
            <span aria-hidden="true">{number.name()}</span>
            <input
                type="range"
                node_ref=slider
                aria-label=label
                aria-valuetext=move || value.get().to_string()
                on:input=slide
                on:change=move |_| state.undo.update(UndoHistory::end_gesture)
            />
            <NumberInput
                name=exact
                value
                low=*limits.start()
                high=*limits.end()
                set=move |typed| set(None, typed)
            />
        </div>
    }
}

/// Tells whoever measures that a slider moved.
pub(super) fn mark_input() {
    if let Some(performance) = window().performance() {
        performance.clear_marks_with_mark_name("diagonal:input");
        // A mark without options is never refused.
        let _ = performance.mark("diagonal:input");
    }
}
