//! A kernel's row: its colour, a slider and field for each of its numbers, and its buttons.

use crate::{
    app::{
        controls::{buttons::ActionButton, focus::focus_next, number::NumberSlider},
        state::{KernelEditor, UrlState},
    },
    encoding::{Kernel, MAX_KERNELS},
    undo::UndoHistory,
    url_state::{KernelNumber, NumberRange, SliderReach},
};
use leptos::{html, prelude::*};

/// The row of the kernel at an index of the list.
#[component]
pub(super) fn KernelRow(
    /// Index of the kernel.
    at: usize,
    /// Ranges of the sliders.
    reach: Memo<SliderReach>,
    /// Focused when the last row is removed.
    next_focus: NodeRef<html::Button>,
) -> impl IntoView {
    let url = UrlState::from_context();
    let editor = KernelEditor::from_context();
    let ordinal = at + 1;
    let muted = Memo::new(move |_| {
        url.link.with(|link| {
            let kernel = link.kernels.kernels.0.get(at);
            kernel.is_some_and(|kernel| kernel.is_muted)
        })
    });
    let full = url.select(|link| link.kernels.kernels.0.len() >= MAX_KERNELS);
    let edit = move |change: fn(&mut Vec<Kernel>, usize)| {
        editor.edit(None, |kernels| {
            if at < kernels.0.len() {
                change(&mut kernels.0, at);
            }
        });
    };
    let mute = move |_| edit(|kernels, at| kernels[at].is_muted = !kernels[at].is_muted);
    let copy = move |()| edit(|kernels, at| kernels.insert(at + 1, kernels[at]));
    let remove = move |_| {
        let is_last = url
            .link
            .with_untracked(|link| link.kernels.kernels.0.len() == ordinal);
        edit(|kernels, at| {
            kernels.remove(at);
        });
        if is_last {
            // The row is removed with its buttons.
            // The view may be unmounted by the next frame.
            focus_next(move || next_focus.try_get_untracked()?.map(Into::into));
        }
    };
    let numbers = KernelNumber::ALL.map(|number| view! { <NumberCell at number reach/> });
    view! {
        <li class=format!("kernel category-{at}") class:muted=muted>
            <span class="name">
                <span class="swatch" aria-hidden="true"></span>
                {ordinal}
            </span>
            {numbers.into_iter().collect_view()}
            <span class="kernel-actions">
                <button
                    type="button"
                    title="Mute"
                    aria-pressed=move || muted.get().to_string()
                    aria-label=format!("Mute kernel {ordinal}")
                    on:click=mute
                >
                    <Icon paths=EYE/>
                </button>
                <ActionButton
                    text=view! { <Icon paths=SHEETS/> }
                    title="Duplicate"
                    label=format!("Duplicate kernel {ordinal}")
                    idle=full
                    press=copy
                />
                <button
                    type="button"
                    title="Delete"
                    aria-label=format!("Delete kernel {ordinal}")
                    on:click=remove
                >
                    <Icon paths=CROSS/>
                </button>
            </span>
        </li>
    }
}

/// An eye, with a line through it while the kernel is muted.
const EYE: &[(&str, &str)] = &[
    (
        "eye",
        "M1.5 8s2.4-4.3 6.5-4.3S14.5 8 14.5 8s-2.4 4.3-6.5 4.3S1.5 8 1.5 8zM6.2 8a1.8 1.8 0 1 0 3.6 0a1.8 1.8 0 1 0-3.6 0",
    ),
    ("shut", "M3 13L13 3"),
];
/// Two overlapping sheets.
const SHEETS: &[(&str, &str)] = &[("", "M6 6h7.5v7.5H6zM10 3.5V2.5H2.5V10h1")];
/// ×.
const CROSS: &[(&str, &str)] = &[("", "M4 4l8 8M12 4l-8 8")];

/// An icon of stroked paths, given by class and path data.
#[component]
fn Icon(paths: &'static [(&'static str, &'static str)]) -> impl IntoView {
    let lines = paths
        .iter()
        .map(|(class, d)| view! { <path class=*class d=*d></path> });
    view! { <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">{lines.collect_view()}</svg> }
}

/// Slider and field for one number of a kernel.
#[component]
fn NumberCell(at: usize, number: KernelNumber, reach: Memo<SliderReach>) -> impl IntoView {
    let url = UrlState::from_context();
    let editor = KernelEditor::from_context();
    let value = Memo::new(move |_| {
        url.link.with(|link| {
            let kernel = link.kernels.kernels.0.get(at);
            kernel.map_or(0.0, |kernel| number.value(kernel))
        })
    });
    let scale = Memo::new(move |_| number.slider(reach.get()));
    let gesture = (at * KernelNumber::ALL.len()) as u32 + number as u32;
    let set = move |gesture: Option<u32>, value: f64| {
        editor.edit(gesture, |kernels| {
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
            end=move |()| editor.undo.update(UndoHistory::end_gesture)
        />
    }
}
