//! The kernels' numbers: a slider and an exact field each; add, copy, mute, remove; undo and redo.

use crate::{
    analysis::{Cells, MAX_LENGTH, MIN_LENGTH},
    app::{
        controls::{NumberField, Segmented},
        state::State,
    },
    encoding::{KERNEL_PRESETS, Kernel, Kernels, MAX_KERNELS},
    link::{AMPLITUDES, CENTRES, SHARPNESSES, default_kernels},
};
use leptos::prelude::*;
use std::ops::RangeInclusive;

/// One of a kernel's three numbers, and how its slider runs. Exact fields take more than the slider.
#[derive(Clone)]
struct Parameter {
    name: &'static str,
    get: fn(&Kernel) -> f64,
    set: fn(&mut Kernel, f64),
    slider: (f64, f64, f64),
    exact: RangeInclusive<f64>,
    /// The slider runs over powers of ten.
    logarithmic: bool,
}

const PARAMETERS: [Parameter; 3] = [
    Parameter {
        name: "amplitude a",
        get: |kernel| kernel.a,
        set: |kernel, value| kernel.a = value,
        slider: (-10.0, 10.0, 0.01),
        exact: AMPLITUDES,
        logarithmic: false,
    },
    Parameter {
        name: "sharpness b",
        get: |kernel| kernel.b.abs(),
        set: |kernel, value| kernel.b = value,
        slider: (-5.0, 1.0, 0.01),
        exact: SHARPNESSES,
        logarithmic: true,
    },
    Parameter {
        name: "centre c",
        get: |kernel| kernel.c,
        set: |kernel, value| kernel.c = value,
        slider: (-40.0, 40.0, 0.1),
        exact: CENTRES,
        logarithmic: false,
    },
];

impl Parameter {
    fn to_slider(&self, value: f64) -> f64 {
        if self.logarithmic {
            value.max(10_f64.powf(self.slider.0)).log10()
        } else {
            value
        }
    }

    /// The slider's value, rounded to what its step can tell apart.
    fn from_slider(&self, position: f64) -> f64 {
        if self.logarithmic {
            let value = 10_f64.powf(position);
            let digits = 10_f64.powf(2.0 - value.log10().floor());
            (value * digits).round() / digits
        } else {
            position
        }
    }
}

#[component]
pub(super) fn KernelControls() -> impl IntoView {
    let state = expect_context::<State>();
    let count = state.part(|link| link.kernels.0.len());
    let full = move || count.get() >= MAX_KERNELS;
    let add = move |_| {
        state.edit_kernels(None, |kernels| kernels.0.push(Kernel::new(1.0, 0.1, 0.0)));
    };
    let reset = move |_| state.edit_kernels(None, |kernels| *kernels = default_kernels());
    let travel = move |step: fn(&mut crate::history::History<Kernels>, Kernels) -> Option<Kernels>| {
        let present = state.link.with_untracked(|link| link.kernels.clone());
        let other = state.history.try_update(|history| step(history, present)).flatten();
        if let Some(other) = other {
            state.link.update(|link| link.kernels = other);
        }
    };
    let on_key = move |event: web_sys::KeyboardEvent| {
        let command = event.ctrl_key() || event.meta_key();
        match (command, event.key().to_lowercase().as_str(), event.shift_key()) {
            (true, "z", false) => travel(crate::history::History::undo),
            (true, "z", true) | (true, "y", _) => travel(crate::history::History::redo),
            _ => return,
        }
        event.prevent_default();
    };
    let keys = window_event_listener(leptos::ev::keydown, on_key);
    on_cleanup(move || keys.remove());
    view! {
        <section class="kernel-controls" aria-label="Kernels">
            <h2>"Kernels"</h2>
            <p class="caption">"Pull a slider, type a number, or pull a peak in the plot."</p>
            <div class="presets" role="group" aria-label="Start from">
                {KERNEL_PRESETS
                    .iter()
                    .map(|preset| {
                        let take = move |_| {
                            state.edit_kernels(None, |kernels| *kernels = Kernels(preset.kernels.to_vec()));
                        };
                        view! { <button type="button" data-preset=preset.id on:click=take>{preset.title}</button> }
                    })
                    .collect_view()}
            </div>
            <ul class="kernels">
                <For each=move || 0..count.get() key=|at| *at let:at>
                    <KernelRow at=at/>
                </For>
            </ul>
            <div class="actions">
                <button type="button" disabled=full on:click=add>"Add kernel"</button>
                <span class="spacer"></span>
                <button type="button" disabled=move || !state.history.with(|h| h.can_undo()) on:click=move |_| travel(crate::history::History::undo)>"Undo"</button>
                <button type="button" disabled=move || !state.history.with(|h| h.can_redo()) on:click=move |_| travel(crate::history::History::redo)>"Redo"</button>
                <button type="button" on:click=reset>"Reset"</button>
            </div>
            <LengthControls/>
        </section>
    }
}

/// Length, what the kernels are added to, and which cells count.
#[component]
fn LengthControls() -> impl IntoView {
    let state = expect_context::<State>();
    let length = state.part(|link| link.length);
    let set = move |n: f64| state.link.update(|link| link.length = n.round() as usize);
    // Lengths double along the slider.
    let (shortest, longest) = ((MIN_LENGTH as f64).log2(), (MAX_LENGTH as f64).log2());
    let slide = move |event: leptos::ev::Event| {
        if let Ok(position) = event_target_value(&event).parse::<f64>() {
            set(position.exp2().clamp(MIN_LENGTH as f64, MAX_LENGTH as f64));
        }
    };
    let no_heads = move || state.head().is_none();
    view! {
        <div class="lengths">
            <label class="parameter">
                <span>"length n"</span>
                <input
                    type="range"
                    aria-label="length n"
                    min=shortest
                    max=longest
                    step="0.0625"
                    prop:value=move || (length.get() as f64).log2().to_string()
                    on:input=slide
                />
            </label>
            <NumberField
                label="n, exact"
                value=Signal::derive(move || length.get() as f64)
                low=MIN_LENGTH as f64
                high=MAX_LENGTH as f64
                set=set
            />
        </div>
        <div class="controls">
            <Segmented
                label="Scores"
                options=vec![(false, "alone (4b)"), (true, "added to head (4a)")]
                value=state.part(|link| link.added)
                set=move |added| state.link.update(|link| link.added = added)
            />
            <Segmented
                label="Cells"
                options=vec![(Cells::Whole, "whole"), (Cells::Causal, "causal j ≤ i")]
                value=state.part(|link| link.cells)
                set=move |cells| state.link.update(|link| link.cells = cells)
            />
        </div>
        <p class="hint" hidden=move || !(no_heads() && state.link.with(|link| link.added))>
            "The open table has no heads to add to: open a checkpoint."
        </p>
    }
}

#[component]
fn KernelRow(at: usize) -> impl IntoView {
    let state = expect_context::<State>();
    let muted = state.part(move |link| link.kernels.0.get(at).is_some_and(|kernel| kernel.muted));
    let number = at + 1;
    let full = state.part(|link| link.kernels.0.len() >= MAX_KERNELS);
    let edit = move |change: fn(&mut Vec<Kernel>, usize)| {
        state.edit_kernels(None, |kernels| {
            if at < kernels.0.len() {
                change(&mut kernels.0, at);
            }
        });
    };
    let mute = move |_| edit(|kernels, at| kernels[at].muted = !kernels[at].muted);
    let copy = move |_| edit(|kernels, at| kernels.insert(at + 1, kernels[at]));
    let remove = move |_| {
        edit(|kernels, at| {
            kernels.remove(at);
        });
    };
    view! {
        <li class=format!("kernel category-{at}") class:muted=muted>
            <header>
                <span class="swatch" aria-hidden="true"></span>
                <span class="name">{format!("kernel {number}")}</span>
                <span class="spacer"></span>
                <button
                    type="button"
                    aria-pressed=move || if muted.get() { "true" } else { "false" }
                    aria-label=format!("Mute kernel {number}")
                    on:click=mute
                >
                    "mute"
                </button>
                <button type="button" aria-label=format!("Duplicate kernel {number}") disabled=full on:click=copy>"copy"</button>
                <button type="button" aria-label=format!("Delete kernel {number}") on:click=remove>"delete"</button>
            </header>
            {PARAMETERS
                .iter()
                .enumerate()
                .map(|(which, parameter)| {
                    view! { <ParameterRow at=at which=which parameter=parameter.clone()/> }
                })
                .collect_view()}
        </li>
    }
}

#[component]
fn ParameterRow(at: usize, which: usize, parameter: Parameter) -> impl IntoView {
    let state = expect_context::<State>();
    let (get, set) = (parameter.get, parameter.set);
    let value = state.part(move |link| link.kernels.0.get(at).map_or(0.0, get));
    let label = format!("{}, kernel {}", parameter.name, at + 1);
    let gesture = (at * PARAMETERS.len() + which) as u32;
    let slider = parameter.clone();
    let (low, high, step) = parameter.slider;
    let slide = move |event: leptos::ev::Event| {
        if let Some(performance) = window().performance() {
            performance.clear_marks_with_mark_name("diagonal:input");
            let _ = performance.mark("diagonal:input");
        }
        if let Ok(position) = event_target_value(&event).parse::<f64>() {
            let value = slider.from_slider(position);
            state.edit_kernels(Some(gesture), |kernels| {
                if let Some(kernel) = kernels.0.get_mut(at) {
                    set(kernel, value);
                }
            });
        }
    };
    let exact = parameter.exact.clone();
    let type_in = move |event: leptos::ev::Event| {
        let field: web_sys::HtmlInputElement = event_target(&event);
        if let Ok(typed) = field.value().trim().parse::<f64>()
            && typed.is_finite()
        {
            let typed = typed.clamp(*exact.start(), *exact.end());
            state.edit_kernels(None, |kernels| {
                if let Some(kernel) = kernels.0.get_mut(at) {
                    set(kernel, typed);
                }
            });
        }
        // What is shown is what counts, also when the typed number was brought inside or is none.
        field.set_value(&value.get_untracked().to_string());
    };
    let shown = parameter.clone();
    view! {
        <div class="parameter">
            <span aria-hidden="true">{parameter.name}</span>
            <input
                type="range"
                aria-label=label.clone()
                aria-valuetext=move || value.get().to_string()
                min=low
                max=high
                step=step
                prop:value=move || shown.to_slider(value.get()).to_string()
                on:input=slide
                on:change=move |_| state.history.update(crate::history::History::end_gesture)
            />
            <input
                type="number"
                aria-label=format!("{label}, exact")
                step="any"
                prop:value=move || value.get().to_string()
                on:change=type_in
            />
        </div>
    }
}
