//! One kernel's row: its name and buttons, and a slider and an exact field for each of its numbers.

use crate::{
    app::{controls::ActionButton, focus::focus_next, number::NumberSlider, state::State},
    encoding::{Kernel, MAX_KERNELS},
    link::{KernelNumber, NumberRange, SliderReach},
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
    let range = NumberRange::all(number.limits());
    view! {
        <NumberSlider
            name=number.name()
            label=format!("{}, kernel {}", number.name(), at + 1)
            value
            scale
            allowed=range
            slide=move |value| set(Some(gesture), value)
            set=move |typed| set(None, typed)
            end=move |()| state.undo.update(UndoHistory::end_gesture)
        />
    }
}
