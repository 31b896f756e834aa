//! Details of the open model: its options, its corrections, and their effect.

use super::{computed_table::ComputedTable, opening::Opener};
use crate::app::lazy::lazy_view;
use crate::{
    analysis::{CorrectionEffects, Effect, MAX_LENGTH, MIN_LENGTH, Measure, ModelSummary},
    app::{
        controls::{
            buttons::{Select, options},
            meter::Meter,
            number::NumberField,
            while_mounted::while_mounted,
        },
        query_client::{Query, QueryClient},
        state::{ModelList, UrlState},
    },
    math::Grid,
    model::{CORRECTIONS, Correction, HeadsSource, ModelOptions, Note},
    short_text::short_name,
    url_state::{NotesSection, NumberRange},
};
use leptos::{
    ev::{Event, Targeted},
    html,
    prelude::*,
};
use std::sync::Arc;
use web_sys::HtmlInputElement;

/// Summary of the open model, once it is open.
type Summary = Signal<Option<Arc<ModelSummary>>>;

lazy_view! {
    /// The details of the open model, as a lazy part.
    pub(in crate::app) const MODEL_DETAILS = Details in details;
}

/// Options and notes of the open model.
#[component]
fn Details() -> impl IntoView {
    let models = ModelList::from_context();
    let summary: Summary = Signal::derive(move || models.summary());
    view! {
        <Meter/>
        <ComputedTable/>
        <ModelNameField/>
        <MissingFiles summary/>
        <SourceChoice summary/>
        <LengthChoice summary/>
        <HeadsChoice summary/>
        <ShapeChoice summary/>
        <OtherTensors/>
        <Notes summary/>
    }
}

/// Returns a part of the summary that notifies only when it changes.
fn part<T: PartialEq + Send + Sync + 'static>(
    summary: Summary,
    get: fn(&ModelSummary) -> Option<T>,
) -> Memo<Option<T>> {
    Memo::new(move |_| summary.with(|summary| get(summary.as_ref()?)))
}

/// Field to rename a model from a file or from the web.
#[component]
fn ModelNameField() -> impl IntoView {
    let models = ModelList::from_context();
    let name = Memo::new(move |_| {
        let open = models.open.get()?.id;
        models.entries.with(|entries| {
            let item = entries.iter().find(|item| item.id() == Some(open))?;
            item.is_file().then(|| item.title.clone())
        })
    });
    let rename = move |event: Targeted<Event, HtmlInputElement>| {
        if let Some(open) = models.open.get_untracked() {
            models.rename(open.id, &event.target().value());
        }
        // Displays the resulting name: the typed one may be empty or taken.
        event
            .target()
            .set_value(&name.get_untracked().unwrap_or_default());
    };
    view! {
        <Show when=move || name.with(Option::is_some)>
            <label class="field">
                <span>"Name"</span>
                <input type="text" prop:value=move || name.get().unwrap_or_default() on:change:target=while_mounted(rename)/>
            </label>
        </Show>
    }
}

/// Files of the checkpoint that are missing.
#[component]
fn MissingFiles(summary: Summary) -> impl IntoView {
    let missing = part(summary, |summary| {
        let names = summary.missing_files.iter().map(|name| short_name(name));
        (!summary.missing_files.is_empty()).then(|| names.collect::<Vec<_>>())
    });
    let list = move |names: Vec<String>| {
        let names = names.into_iter().map(|name| view! { <li>{name}</li> });
        view! {
            <div class="missing">
                <p>"Some files of this checkpoint are missing. Drop them here when a figure needs them:"</p>
                <ul>{names.collect_view()}</ul>
            </div>
        }
    };
    move || missing.get().map(list)
}

/// Choice among the kinds of positions of a model that has several.
#[component]
fn SourceChoice(summary: Summary) -> impl IntoView {
    let opener = Opener::from_context();
    let sources = part(summary, |summary| {
        (summary.sources.len() > 1).then(|| summary.sources.clone())
    });
    let open = Memo::new(move |_| {
        summary.with(|summary| {
            let summary = summary.as_ref()?;
            let ids = summary.sources.iter().map(|(id, _)| id);
            ids.into_iter().position(|id| *id == summary.source)
        })
    });
    let choose = move |at: Option<usize>| {
        let source = sources.with_untracked(|sources| {
            let (id, _) = sources.as_ref()?.get(at?)?;
            Some(id.clone())
        });
        // Heads, length and patch grid belong to a kind of positions; corrections belong to the model.
        opener.revise(|choice| ModelOptions {
            source,
            heads: None,
            patches: None,
            length: None,
            ..choice
        });
    };
    let select = move |sources: Vec<(String, String)>| {
        let titles = sources.into_iter().enumerate();
        let titles = options(titles.map(|(at, (_, title))| (Some(at), title)));
        view! { <Select label="Positions" options=titles value=open set=choose/> }
    };
    move || sources.get().map(select)
}

/// Field for the number of positions, if the model does not limit it.
#[component]
fn LengthChoice(summary: Summary) -> impl IntoView {
    let opener = Opener::from_context();
    let has_any_length = part(summary, |summary| {
        summary.kind.has_any_length().then_some(())
    });
    let rows = Signal::derive(move || {
        summary.with(|summary| summary.as_ref().map_or(0.0, |summary| summary.rows as f64))
    });
    let set = move |typed: f64| {
        let length = Some(typed as u32);
        opener.revise(|choice| ModelOptions { length, ..choice });
    };
    let lengths = NumberRange::whole(MIN_LENGTH as f64, MAX_LENGTH as f64);
    view! {
        <Show when=move || has_any_length.get().is_some()>
            <NumberField name="positions n" value=rows allowed=lengths follows=true set/>
        </Show>
    }
}

/// Choice of the number of heads, if no configuration file gives it.
#[component]
fn HeadsChoice(summary: Summary) -> impl IntoView {
    let opener = Opener::from_context();
    let possible = part(summary, |summary| {
        let (_, source) = summary.heads?;
        (source != HeadsSource::Config).then(|| summary.possible_heads.clone())
    });
    let heads = Memo::new(move |_| summary.with(|summary| summary.as_ref()?.heads));
    let source = move || match heads.get() {
        Some((_, HeadsSource::Assumed)) => "Inferred from the width; a note says why.",
        _ => "Chosen.",
    };
    let choose = move |heads: u32| {
        let heads = Some(heads);
        opener.revise(|choice| ModelOptions { heads, ..choice });
    };
    let value = Signal::derive(move || heads.get().map_or(0, |(heads, _)| heads));
    let select = move |possible: Vec<u32>| {
        let counts = options(possible.into_iter().map(|heads| (heads, heads.to_string())));
        view! {
            <div class="assumed">
                <Select label="Heads per layer" options=counts value set=choose/>
                <p>{source}</p>
            </div>
        }
    };
    move || possible.get().map(select)
}

/// Choice of the rows and columns of patches, if no configuration file gives them.
#[component]
fn ShapeChoice(summary: Summary) -> impl IntoView {
    let opener = Opener::from_context();
    let possible = part(summary, |summary| {
        (summary.possible_grids.len() > 1).then(|| summary.possible_grids.clone())
    });
    let sides = |grid: Grid| (grid.height as u32, grid.width as u32);
    let current = Memo::new(move |_| {
        summary.with(|summary| summary.as_ref().and_then(|summary| summary.grid))
    });
    let value = Signal::derive(move || current.get().map(sides));
    let choose = move |patches: Option<(u32, u32)>| {
        opener.revise(|choice| ModelOptions { patches, ..choice });
    };
    let select = move |possible: Vec<Grid>| {
        let title = |grid: &Grid| format!("{} × {}", grid.height, grid.width);
        let shapes = possible
            .iter()
            .map(|grid| (Some(sides(*grid)), title(grid)));
        // Without a known grid, the positions are shown as a line.
        let line = current
            .get_untracked()
            .is_none()
            .then(|| (None, "in one line".to_owned()));
        let shapes = options(line.into_iter().chain(shapes));
        view! { <Select label="Patches" options=shapes value set=choose/> }
    };
    move || possible.get().map(select)
}

/// Button that opens the tensor chooser for a file.
#[component]
fn OtherTensors() -> impl IntoView {
    let models = ModelList::from_context();
    let opener = Opener::from_context();
    let is_file = Memo::new(move |_| {
        let open = models.open.get();
        models.entries.with(|entries| {
            let mut items = entries.iter().filter(|item| item.version == open);
            open.is_some() && items.any(|item| !item.reference.is_computed())
        })
    });
    let ask = move |_| {
        opener.revise(|choice| ModelOptions {
            asks_for_tensors: true,
            ..choice
        });
    };
    view! {
        <Show when=move || is_file.get()>
            <button type="button" on:click=ask>"Choose other tensors"</button>
        </Show>
    }
}

/// Notes on what was removed from or applied to the table.
#[component]
fn Notes(summary: Summary) -> impl IntoView {
    let url = UrlState::from_context();
    let models = ModelList::from_context();
    let notes = Memo::new(move |_| {
        summary.with(|summary| {
            summary
                .as_ref()
                .map_or_else(Vec::new, |summary| summary.notes.clone())
        })
    });
    let unfolded = url.select(|link| link.notes.is_unfolded);
    // Once the user requests effects, they are computed for every model and option.
    let with_effects = url.select(|link| link.notes.effects);
    let change = move |change: fn(&mut NotesSection, bool), to: bool| {
        url.link.update(|link| change(&mut link.notes, to));
    };
    let details = NodeRef::<html::Details>::new();
    let toggle = move |_| {
        // Setting the `open` attribute also fires `toggle`; the link is then up to date.
        if let Some(details) = details.get_untracked()
            && details.open() != unfolded.get_untracked()
        {
            change(|notes, to| notes.is_unfolded = to, details.open());
        }
    };
    let effects = QueryClient::from_context().ask(move || {
        let of = models.open.get().filter(|_| with_effects.get())?;
        notes
            .with(|notes| notes.iter().any(has_effect))
            .then_some(CorrectionEffects { of })
    });
    let title = move || match notes.with(Vec::len) {
        1 => "1 note".to_owned(),
        count => format!("{count} notes"),
    };
    let computing = move || effects.is_pending();
    let has_effects = Memo::new(move |_| notes.with(|notes| notes.iter().any(has_effect)));
    // The button stays focusable after a click. Further clicks do nothing.
    let idle = move || computing() || effects.with(|effects| effects.is_some());
    let ask = move |_| {
        if !idle() {
            change(|notes, to| notes.effects = to, true);
        }
    };
    let name = move || {
        if computing() {
            "Computing …"
        } else {
            "Effect of each on R²"
        }
    };
    view! {
        <Show when=move || !notes.with(Vec::is_empty)>
            <details class="notes" node_ref=details open=unfolded on:toggle=while_mounted(toggle)>
                <summary id="notes">{title}</summary>
                <dl>
                    <For each=move || notes.get() key=|note| note.title.clone() let:note>
                        <NoteEntry title=note.title notes effects/>
                    </For>
                </dl>
                <Show when=move || has_effects.get()>
                    <button
                        type="button"
                        id="effects"
                        aria-disabled=move || idle().then_some("true")
                        on:click=ask
                    >
                        {name}
                    </button>
                </Show>
            </details>
        </Show>
    }
}

/// Whether the effect of a note's correction can be shown. `ExactWords` only controls how much is read and has none.
fn has_effect(note: &Note) -> bool {
    note.switch
        .is_some_and(|(correction, _)| correction != Correction::ExactWords)
}

/// A note with the switch of its correction and the effect of that. Notes are identified by their titles; texts and
/// switches change in place, so that a switch keeps the focus.
#[component]
fn NoteEntry(
    title: String,
    notes: Memo<Vec<Note>>,
    effects: Query<CorrectionEffects>,
) -> impl IntoView {
    let key = title.clone();
    let note = Memo::new(move |_| {
        notes.with(|notes| notes.iter().find(|note| note.title == key).cloned())
    });
    let text = move || note.with(|note| note.as_ref().map(|note| note.text.clone()));
    let correction = Memo::new(move |_| note.with(|note| Some(note.as_ref()?.switch?.0)));
    let is_on = move || {
        note.with(|note| {
            note.as_ref()
                .is_some_and(|note| note.switch.is_some_and(|(_, on)| on))
        })
    };
    let switch = move |correction: Correction| {
        let listed = CORRECTIONS
            .iter()
            .find(|(listed, ..)| *listed == correction);
        let (_, id, label) = *listed?;
        Some(view! { <CorrectionSwitch correction id label is_on=Signal::derive(is_on) effects/> })
    };
    view! {
        <dt>{title}</dt>
        <dd>{text} " " {move || correction.get().and_then(switch)}</dd>
    }
}

/// Switch of a correction, with its effect.
#[component]
fn CorrectionSwitch(
    correction: Correction,
    id: &'static str,
    label: &'static str,
    is_on: Signal<bool>,
    effects: Query<CorrectionEffects>,
) -> impl IntoView {
    let opener = Opener::from_context();
    let effect = move || {
        effects.with(|effects| {
            let mut effects = effects?.iter();
            effects
                .find(|effect| effect.correction == correction)
                .map(sentence)
        })
    };
    let change = move |_| opener.revise(|choice| choice.switch(correction));
    view! {
        <label class="switch">
            <input type="checkbox" id=format!("switch-{id}") prop:checked=is_on on:change=while_mounted(change)/>
            <span>{label}</span>
        </label>
        <p class="effect">{effect}</p>
    }
}

/// Formats the effect of a correction.
fn sentence(effect: &Effect) -> String {
    let of = match effect.measure {
        Measure::Positions => "R² of the positions",
        Measure::FirstLayer => "Mean R² of layer 1, with LayerNorm and biases",
    };
    let words = |r2: f64| match r2.is_nan() {
        true => "none".to_owned(),
        false => format!("{r2:.4}"),
    };
    format!(
        "{of}: {} with, {} without.",
        words(effect.with),
        words(effect.without)
    )
}
