//! The model list: open models, the default preset, computed tables, samples, and buttons to open other models.

use super::details::MODEL_DETAILS;
use super::opening::FROM_WEB;
use super::opening::{self, Opener};
use crate::{
    app::{
        controls::while_mounted::while_mounted,
        lazy::Lazy,
        state::{Messages, ModelList, UrlState, has_begun, model_entry::ModelEntry},
    },
    figure::{both_r2, short_r2},
    model::{Preset, SITE_MODELS},
    url_state::ModelRef,
};
use leptos::{html, prelude::*};

/// The model list.
#[component]
pub(in crate::app) fn ModelPanel() -> impl IntoView {
    let models = ModelList::from_context();
    let messages = Messages::from_context();
    // Entries are keyed by their index, so that a change of an entry updates it in place.
    let places = Memo::new(move |_| models.entries.with(Vec::len));
    // The details stay mounted: their fields may open another model.
    let has_details = Memo::new(move |before: Option<&bool>| {
        before == Some(&true) || models.open.get().is_some_and(|open| !open.is_table_alone())
    });
    // On narrow screens the list is folded to one line, by the style sheet.
    let has_started = has_begun(models, messages);
    let unfolded = RwSignal::new(false);
    let fold = NodeRef::<html::Button>::new();
    let chosen = move || {
        unfolded.set(false);
        if let Some(fold) = fold.get_untracked() {
            // The chosen entry, which has the focus, is about to be hidden. Ignored: on wide screens the button is
            // hidden and cannot be focused.
            let _ = fold.focus();
        }
    };
    view! {
        <aside
            class="shelf"
            aria-label="Models"
            data-unfolded=move || unfolded.get().then_some("true")
        >
            <Fold unfolded button=fold/>
            <div class="shelf-content" id="shelf-content">
                <h2>"Models"</h2>
                <ul>
                    <For each=move || 0..places.get() key=|at| *at let:at>
                        <Entry at chosen/>
                    </For>
                </ul>
                <OpenFiles/>
                // Loading the part earlier would delay the first figure.
                <Show when=move || has_started.get()>
                    <Lazy part=FROM_WEB inline=true/>
                </Show>
                <div class="details">
                    <Show when=move || has_details.get()>
                        <Lazy part=MODEL_DETAILS inline=true/>
                    </Show>
                </div>
            </div>
        </aside>
    }
}

/// The line to which the list folds: the open model, its R², and a hint.
#[component]
fn Fold(
    /// Whether the list is unfolded.
    unfolded: RwSignal<bool>,
    button: NodeRef<html::Button>,
) -> impl IntoView {
    let url = UrlState::from_context();
    let models = ModelList::from_context();
    let read = move |read: fn(&ModelEntry) -> String| {
        url.link.with(|link| {
            models.entries.with(|entries| {
                let open = entries.iter().find(|item| item.is_called(&link.model));
                open.map(read).unwrap_or_default()
            })
        })
    };
    let name = Memo::new(move |_| read(|item| item.title.clone()));
    let score = Memo::new(move |_| {
        read(|item| {
            item.r2.map_or(String::new(), |r2| {
                format!("R² {}", short_r2(r2.off_diagonal))
            })
        })
    });
    view! {
        <button
            type="button"
            class="fold"
            aria-expanded=move || unfolded.get().to_string()
            aria-controls="shelf-content"
            node_ref=button
            on:click=move |_| unfolded.update(|unfolded| *unfolded = !*unfolded)
        >
            <span class="name">{name}</span>
            <span class="hint">{score}</span>
            <span class="hint">"Models and files"</span>
        </button>
    }
}

/// An entry of the model list.
#[component]
fn Entry(
    /// Index of the entry.
    at: usize,
    /// Called when the entry is chosen.
    chosen: impl Fn() + 'static,
) -> impl IntoView {
    let opener = Opener::from_context();
    let url = UrlState::from_context();
    let models = ModelList::from_context();
    let item = Memo::new(move |_| models.entries.with(|entries| entries.get(at).cloned()));
    let read = move |read: fn(&ModelEntry) -> String| {
        item.with(|item| item.as_ref().map(read).unwrap_or_default())
    };
    let title = move || read(|item| item.title.clone());
    let about = move || read(about);
    let busy = move || {
        let is_coming =
            |item: &Option<ModelEntry>| item.as_ref().is_some_and(ModelEntry::is_coming);
        item.with(is_coming).then_some("true")
    };
    let current = move || {
        let open = models.open.get();
        let is_open = item.with(|item| {
            let item = item.as_ref()?;
            Some(match open {
                Some(open) => item.id() == Some(open.id),
                // Before the worker answers, the link determines the current model.
                None => url.link.with(|link| link.model == item.reference),
            })
        });
        is_open.unwrap_or(false).then_some("true")
    };
    let choose = move |_| {
        chosen();
        match item.get_untracked() {
            // Choosing a model of another host is the consent to fetch it, also if it only comes from a link or failed
            // before.
            Some(item) if item.version.is_none() && item.reference.is_read_in_parts() => {
                opener.fetch_chosen(item.reference);
            }
            Some(item) => models.show(&item.reference),
            None => {}
        }
    };
    let close = move |_| {
        if let Some(item) = item.get_untracked() {
            opener.close(&item.reference);
        }
    };
    // Computed tables cost nothing and cannot be closed. A preset that is not open has nothing to close.
    let stays = move || {
        item.with(|item| {
            item.as_ref().is_none_or(|item| {
                item.reference.is_computed() || item.stays_listed() && item.version.is_none()
            })
        })
    };
    let score = move || {
        read(|item| {
            item.r2
                .map_or(String::new(), |r2| short_r2(r2.off_diagonal))
        })
    };
    let score_in_words = move || read(|item| item.r2.map_or(String::new(), both_r2));
    view! {
        <li>
            <button type="button" class="item" data-model=title aria-current=current aria-busy=busy on:click=choose>
                <span class="name" title=title>{title}</span>
                <span class="score" title=score_in_words>{score}</span>
                <span class="about" title=about>{about}</span>
            </button>
            <button
                type="button"
                class="close"
                aria-label=move || format!("Close {}", title())
                hidden=stays
                on:click=close
            >
                "×"
            </button>
        </li>
    }
}

/// Returns the line below the name of a model.
fn about(item: &ModelEntry) -> String {
    let Some(summary) = &item.summary else {
        return match &item.reference {
            ModelRef::Preset(id) if item.status.is_empty() || item.is_coming() => {
                Preset::find(id).map_or(String::new(), |preset| preset.about.to_owned())
            }
            ModelRef::Site(id) if item.status.is_empty() || item.is_coming() => SITE_MODELS
                .iter()
                .find(|model| model.id == id)
                .map_or(String::new(), |model| model.about.to_owned()),
            ModelRef::Sinusoidal(table) => format!("computed · {} × {}", table.rows, table.width),
            ModelRef::Random(table) => format!("noise baseline · {} × {}", table.rows, table.width),
            ModelRef::Hub(_) if item.status.is_empty() => format!("on {}", opening::hub()),
            _ => item.status.clone(),
        };
    };
    let heads = match summary.heads {
        Some((heads, _)) => format!(" · {} × {heads} heads", summary.layers),
        None if item.is_part() => " · heads to come".to_owned(),
        None => String::new(),
    };
    let size = match (summary.grid, summary.width) {
        (Some(grid), _) => format!("{} × {} patches", grid.height, grid.width),
        (None, 0) => format!("{} positions", summary.rows),
        (None, width) => format!("{} × {width}", summary.rows),
    };
    format!("{} · {size}{heads}", summary.family)
}

/// The file field and the button for folders, both usable by keyboard.
#[component]
fn OpenFiles() -> impl IntoView {
    let opener = Opener::from_context();
    let input = NodeRef::<html::Input>::new();
    let change = move |_| {
        let Some(field) = input.get_untracked() else {
            return;
        };
        if let Some(files) = field.files() {
            opener.open_files(opening::files_of(&files));
        }
        // Allows choosing the same file again.
        field.set_value("");
    };
    let folder = move |_| {
        if let Some(field) = input.get_untracked() {
            // Makes the field ask for a folder this time. Ignored: setting an attribute cannot fail.
            let _ = field.set_attribute("webkitdirectory", "");
            field.click();
            let _ = field.remove_attribute("webkitdirectory");
        }
    };
    view! {
        <label class="open-file" for="open-file">
            <span><u>"Open checkpoints"</u> " or drop them anywhere, whole folders too: safetensors, PyTorch, NumPy or GGUF, with config.json. They stay on this machine."</span>
            <input type="file" multiple id="open-file" node_ref=input on:change=while_mounted(change)/>
        </label>
        <button type="button" class="quiet folder" on:click=folder>"Choose a folder"</button>
    }
}
