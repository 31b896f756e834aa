//! The kernels' numbers: a slider and an exact field each; add, copy, mute, remove; undo and redo.

use super::super::{cells_control, linked};
use crate::{
    analysis::{MAX_LENGTH, MIN_LENGTH},
    app::{
        answers::Answers,
        controls::number_input,
        dynamic::{attribute, click, count, dynamic, flag, list, memo, on, text, value, yes_no},
        state::State,
    },
    encoding::{KERNEL_PRESETS, Kernel, Kernels, MAX_KERNELS},
    link::{AMPLITUDES, CENTRES, SHARPNESSES, default_kernels, finite_number},
    undo::UndoHistory,
};
use leptos::prelude::*;
use std::ops::RangeInclusive;
use wasm_bindgen::JsCast;

/// One of a kernel's three numbers, and how its slider runs. Exact fields take more than the slider.
struct Parameter {
    name: &'static str,
    get: fn(&Kernel) -> f64,
    set: fn(&mut Kernel, f64),
    slider: (f64, f64, f64),
    exact: RangeInclusive<f64>,
    /// The slider runs over powers of ten.
    logarithmic: bool,
}

static PARAMETERS: [Parameter; 3] = [
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
        slider: (-7.0, 1.0, 0.01),
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
    fn position_of(&self, value: f64) -> f64 {
        if self.logarithmic {
            value.max(10_f64.powf(self.slider.0)).log10()
        } else {
            value
        }
    }

    /// The slider's value, rounded to what its step can tell apart.
    fn at_position(&self, position: f64) -> f64 {
        if self.logarithmic {
            let value = 10_f64.powf(position);
            let digits = 10_f64.powf(2.0 - value.log10().floor());
            (value * digits).round() / digits
        } else {
            position
        }
    }
}

/// How far the sliders of amplitudes and centres run to either side. A fit may need much less or more than
/// what one starts with; they change when kernels come from a fit or do not fit, not while one is pulled.
type Reach = Memo<(f64, f64)>;

const USUAL_REACH: (f64, f64) = (10.0, 40.0);

fn reach() -> Reach {
    let state = expect_context::<State>();
    let answers = expect_context::<Answers>();
    let kernels = state.part(|link| link.kernels.kernels.clone());
    memo(Box::new(move |before: Option<(f64, f64)>| {
        let kernels = kernels.get();
        let most = |get: fn(&Kernel) -> f64| {
            let values = kernels.0.iter().map(|kernel| get(kernel).abs());
            values.fold(0.0, f64::max)
        };
        let (a, c) = (most(|kernel| kernel.a), most(|kernel| kernel.c));
        let now = before.unwrap_or(USUAL_REACH);
        let fitted = answers.taken.with(|taken| taken.as_ref() == Some(&kernels));
        let next = if fitted && a > 0.0 {
            (round_up(1.5 * a), round_up(c).max(USUAL_REACH.1))
        } else {
            let grown = |now: f64, needed: f64, usual: f64| {
                if needed > now {
                    round_up(needed).max(usual)
                } else {
                    now
                }
            };
            (
                grown(now.0, a, USUAL_REACH.0),
                grown(now.1, c, USUAL_REACH.1),
            )
        };
        (next, before != Some(next))
    }))
}

/// The next of 1, 2, 5, 10, 20 …
fn round_up(value: f64) -> f64 {
    let power = 10_f64.powf(value.max(1e-12).log10().floor());
    let steps = [1.0, 2.0, 4.0, 5.0, 10.0];
    let step = steps
        .into_iter()
        .find(|step| step * power >= value * (1.0 - 1e-12));
    step.unwrap_or(10.0) * power
}

/// The kernels and everything that changes them.
pub(super) fn kernel_controls() -> AnyView {
    let state = expect_context::<State>();
    let length = count(move || state.link.with(|link| link.kernels.kernels.0.len()));
    let reach = reach();
    let rows = dynamic(move || list((0..length.get()).map(|at| kernel_row(at, reach))));
    let presets = KERNEL_PRESETS.iter().map(|preset| {
        let take = click(move || {
            state.edit_kernels(None, |kernels| *kernels = Kernels(preset.kernels.to_vec()));
        });
        view! { <button type="button" data-preset=preset.id on:click=take>{preset.title}</button> }
            .into_any()
    });
    undo_by_keys(state);
    view! {
        <section class="kernel-controls" aria-label="Kernels">
            <h2>"Kernels"</h2>
            <p class="caption">"Pull a slider, type a number, or pull a peak in the plot. Or start from one of these:"</p>
            <div class="presets" role="group" aria-label="Start from">{list(presets)}</div>
            <ul class="kernels">{rows}</ul>
            {actions()}
            {length_controls()}
        </section>
    }
    .into_any()
}

/// A step through the kernels of before and after.
type Step = fn(&mut UndoHistory<Kernels>, Kernels) -> Option<Kernels>;

fn travel(state: State, step: Step) {
    let present = state
        .link
        .with_untracked(|link| link.kernels.kernels.clone());
    if let Some(other) = state.undo.update(|history| step(history, present)) {
        state.link.update(|link| link.kernels.kernels = other);
    }
}

fn undo_by_keys(state: State) {
    let keys = window_event_listener(leptos::ev::keydown, move |event| {
        let typing = event
            .target()
            .and_then(|target| target.dyn_into::<web_sys::HtmlInputElement>().ok())
            .is_some_and(|field| field.type_() != "range");
        // A field that is typed in undoes its own typing.
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

fn actions() -> AnyView {
    let state = expect_context::<State>();
    let full = flag(move || {
        state
            .link
            .with(|link| link.kernels.kernels.0.len() >= MAX_KERNELS)
    });
    let no_undo = flag(move || !state.undo.with(UndoHistory::can_undo));
    let no_redo = flag(move || !state.undo.with(UndoHistory::can_redo));
    let add = click(move || {
        state.edit_kernels(None, |kernels| kernels.0.push(Kernel::new(1.0, 0.1, 0.0)));
    });
    let reset = click(move || state.edit_kernels(None, |kernels| *kernels = default_kernels()));
    let undo = click(move || travel(state, UndoHistory::undo));
    let redo = click(move || travel(state, UndoHistory::redo));
    view! {
        <div class="actions">
            <button type="button" disabled=full on:click=add>"Add kernel"</button>
            <span class="spacer"></span>
            <button type="button" disabled=no_undo on:click=undo>"Undo"</button>
            <button type="button" disabled=no_redo on:click=redo>"Redo"</button>
            <button type="button" on:click=reset>"Reset"</button>
        </div>
    }
    .into_any()
}

/// Length, what the kernels are added to, and which cells count.
fn length_controls() -> AnyView {
    let state = expect_context::<State>();
    let length = value(move || state.link.with(|link| link.kernels.length as f64));
    let set = move |n: f64| {
        state
            .link
            .update(|link| link.kernels.length = n.round() as usize)
    };
    // Lengths double along the slider.
    let (shortest, longest) = (MIN_LENGTH as f64, MAX_LENGTH as f64);
    let slide = on(move |event: leptos::ev::Event| {
        mark_input();
        if let Some(position) = finite_number(&event_target_value(&event)) {
            set(position.exp2().clamp(shortest, longest));
        }
    });
    let position = text(move || length.get().log2().to_string());
    let said = attribute(move || Some(length.get().to_string()));
    let scores = linked(
        [(false, "alone (4b)"), (true, "added to head (4a)")],
        |link| &mut link.kernels.added,
    );
    let nothing_to_add_to =
        flag(move || !(state.link.with(|link| link.kernels.added) && state.head().is_none()));
    view! {
        <div class="parameter">
            <span aria-hidden="true">"length n"</span>
            <input
                type="range"
                aria-label="length n"
                aria-valuetext=said
                min=shortest.log2()
                max=longest.log2()
                step="0.0625"
                prop:value=position
                on:input=slide
            />
            {number_input("length n, exact".to_owned(), length, shortest, longest, set)}
        </div>
        <div class="controls">{scores.segmented("Scores")} {cells_control()}</div>
        <p class="hint" hidden=nothing_to_add_to>"The open table has no heads to add to: open a checkpoint."</p>
    }
    .into_any()
}

fn kernel_row(at: usize, reach: Reach) -> AnyView {
    let state = expect_context::<State>();
    let ordinal = at + 1;
    let muted = move || {
        state.link.with(|link| {
            link.kernels
                .kernels
                .0
                .get(at)
                .is_some_and(|kernel| kernel.muted)
        })
    };
    let full = flag(move || {
        state
            .link
            .with(|link| link.kernels.kernels.0.len() >= MAX_KERNELS)
    });
    let edit = move |change: fn(&mut Vec<Kernel>, usize)| {
        state.edit_kernels(None, |kernels| {
            if at < kernels.0.len() {
                change(&mut kernels.0, at);
            }
        });
    };
    let mute = click(move || edit(|kernels, at| kernels[at].muted = !kernels[at].muted));
    let copy = click(move || edit(|kernels, at| kernels.insert(at + 1, kernels[at])));
    let remove = click(move || {
        edit(|kernels, at| {
            kernels.remove(at);
        });
    });
    let class = text(move || {
        format!(
            "kernel category-{at}{}",
            if muted() { " muted" } else { "" }
        )
    });
    let parameters = PARAMETERS
        .iter()
        .enumerate()
        .map(|(which, parameter)| parameter_row(at, which, parameter, reach));
    view! {
        <li class=class>
            <header>
                <span class="swatch" aria-hidden="true"></span>
                <span class="name">{format!("kernel {ordinal}")}</span>
                <span class="spacer"></span>
                <button type="button" aria-pressed=yes_no(muted) aria-label=format!("Mute kernel {ordinal}") on:click=mute>"mute"</button>
                <button type="button" aria-label=format!("Duplicate kernel {ordinal}") disabled=full on:click=copy>"copy"</button>
                <button type="button" aria-label=format!("Delete kernel {ordinal}") on:click=remove>"delete"</button>
            </header>
            {list(parameters)}
        </li>
    }
    .into_any()
}

fn parameter_row(at: usize, which: usize, parameter: &'static Parameter, reach: Reach) -> AnyView {
    let state = expect_context::<State>();
    let shown = value(move || {
        state
            .link
            .with(|link| link.kernels.kernels.0.get(at).map_or(0.0, parameter.get))
    });
    let label = format!("{}, kernel {}", parameter.name, at + 1);
    let gesture = (at * PARAMETERS.len() + which) as u32;
    // Its low end, high end and step; amplitudes and centres keep as many steps however far they reach.
    let end = move |which_end: usize| {
        text(move || {
            let (a, c) = reach.get();
            let (low, high, step) = match which {
                0 => (-a, a, a / 1000.0),
                2 => (-c, c, c / 400.0),
                _ => parameter.slider,
            };
            [low, high, step][which_end].to_string()
        })
    };
    let (low, high, step) = (end(0), end(1), end(2));
    let set = move |gesture: Option<u32>, value: f64| {
        state.edit_kernels(gesture, |kernels| {
            if let Some(kernel) = kernels.0.get_mut(at) {
                (parameter.set)(kernel, value);
            }
        });
    };
    let slide = on(move |event: leptos::ev::Event| {
        mark_input();
        if let Some(position) = finite_number(&event_target_value(&event)) {
            set(Some(gesture), parameter.at_position(position));
        }
    });
    let done = on(move |_: leptos::ev::Event| state.undo.update(UndoHistory::end_gesture));
    let position = text(move || parameter.position_of(shown.get()).to_string());
    let said = attribute(move || Some(shown.get().to_string()));
    let exact = number_input(
        format!("{label}, exact"),
        shown,
        *parameter.exact.start(),
        *parameter.exact.end(),
        move |value| set(None, value),
    );
    view! {
        <div class="parameter">
            <span aria-hidden="true">{parameter.name}</span>
            <input
                type="range"
                aria-label=label
                aria-valuetext=said
                min=low
                max=high
                step=step
                prop:value=position
                on:input=slide
                on:change=done
            />
            {exact}
        </div>
    }
    .into_any()
}

/// Tells whoever measures that a slider moved.
fn mark_input() {
    if let Some(performance) = window().performance() {
        performance.clear_marks_with_mark_name("diagonal:input");
        // A mark without options is never refused.
        let _ = performance.mark("diagonal:input");
    }
}
