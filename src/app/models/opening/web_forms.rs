//! Opening a model or a lesson by address or name: the form for a Hub model or an address, and the list of the TISA
//! paper's models, grouped by figure, with their download sizes.

use super::{Opener, hub};
use crate::{
    app::{
        controls::{
            buttons::ActionButton,
            focus::{focus_next, focusable},
            while_mounted::while_mounted,
        },
        lazy::lazy_view,
        state::{
            PageState,
            framing::{OPEN_ALONE, WHY_ALONE, clicks_may_be_stolen},
            message::Action,
            own_files::fetch_address,
        },
    },
    model::{PAPER_MODELS, PaperModel},
    url_state::ModelRef,
};
use leptos::{
    ev::{Event, Targeted},
    prelude::*,
};
use std::collections::BTreeMap;
use web_sys::HtmlInputElement;

lazy_view! {
    /// The form that opens a model by its name or address, as a lazy part.
    pub(in crate::app) const FROM_WEB = FromWeb in details;
}

/// The form for a name or an address, and the button that displays the paper's models.
#[component]
fn FromWeb() -> impl IntoView {
    let state = PageState::from_context();
    let opener = Opener::from_context();
    let typed = RwSignal::new(String::new());
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let name = typed.get_untracked().trim().to_owned();
        if name.contains("://") && name.ends_with(".md") {
            fetch_address(state, opener.client, name);
            typed.set(String::new());
        } else if !name.is_empty() {
            let model = if name.contains("://") {
                ModelRef::Url(name)
            } else {
                ModelRef::Hub(name)
            };
            opener.fetch(vec![model], false, true);
            typed.set(String::new());
        }
    };
    view! {
        <form class="from-web" on:submit=while_mounted(submit)>
            <label for="from-web">"Open from the web"</label>
            <div>
                <input
                    type="text"
                    id="from-web"
                    placeholder="org/model or https://…"
                    autocomplete="off"
                    autocapitalize="off"
                    spellcheck="false"
                    bind:value=typed
                />
                <button type="submit">"Open"</button>
            </div>
        </form>
        <button
            type="button"
            class="quiet folder"
            aria-expanded=move || state.models.lists_paper.get().to_string()
            on:click=move |_| state.models.lists_paper.update(|is_open| *is_open = !*is_open)
        >
            "TISA paper’s models …"
        </button>
    }
}

/// Selected models by name, with the size of their position tables in bytes. A model of two figures is fetched once.
type Selection = BTreeMap<&'static str, usize>;

lazy_view! {
    /// The list of the models of the TISA paper, as a lazy part.
    pub(in crate::app) const PAPER_LIST = PaperList in details;
}

/// The list, with a checkbox per model and a button that fetches the selection.
#[component]
fn PaperList() -> impl IntoView {
    let state = PageState::from_context();
    let url = state.url;
    let opener = Opener::from_context();
    let selection: RwSignal<Selection> = RwSignal::new(all_of(PAPER_MODELS[0].1));
    let close = move || {
        state.models.lists_paper.set(false);
        // Returns the focus to the button that opened the list.
        focus_next(|| focusable(".from-web + button"));
    };
    focus_next(|| focusable("#paper-models-title"));
    let fetch = move |()| {
        let models = selection.with_untracked(|selection| {
            let reference = |name: &&str| ModelRef::Hub((*name).to_owned());
            selection.keys().map(reference).collect()
        });
        close();
        if clicks_may_be_stolen(url) {
            let action = Action::OpenAlone(url.address());
            return state.messages.offer(WHY_ALONE, OPEN_ALONE, action);
        }
        opener.fetch(models, false, true);
    };
    let nothing = Memo::new(move |_| selection.with(BTreeMap::is_empty));
    let button = Signal::derive(move || {
        selection.with(|selection| match selection.len() {
            0 => "Fetch".to_owned(),
            1 => format!("Fetch 1 model, {}", megabytes(selection.values().sum())),
            count => format!(
                "Fetch {count} models, {}",
                megabytes(selection.values().sum())
            ),
        })
    });
    let groups = PAPER_MODELS
        .iter()
        .map(|&(title, models)| view! { <ModelGroup title models selection/> })
        .collect_view();
    view! {
        <section class="chooser paper-models" aria-labelledby="paper-models-title">
            <header>
                <h2 id="paper-models-title" tabindex="-1">"The TISA paper’s models"</h2>
                <button type="button" class="quiet" on:click=move |_| close()>"Cancel"</button>
            </header>
            <p class="caption">
                {format!("Only the file header and the position table of each model are downloaded from {}.", hub())}
            </p>
            <div class="groups">{groups}</div>
            <ActionButton text=button idle=nothing press=fetch/>
        </section>
    }
}

fn all_of(models: &[PaperModel]) -> Selection {
    models
        .iter()
        .map(|model| (model.name, model.bytes()))
        .collect()
}

fn megabytes(bytes: usize) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

/// The models of one figure, with a checkbox for all of them.
#[component]
fn ModelGroup(
    title: &'static str,
    models: &'static [PaperModel],
    selection: RwSignal<Selection>,
) -> impl IntoView {
    let is_whole = move || {
        selection.with(|selection| {
            models
                .iter()
                .all(|model| selection.contains_key(model.name))
        })
    };
    let mark_all = move |checked: bool| {
        selection.update(|selection| {
            if checked {
                selection.extend(all_of(models));
            } else {
                selection.retain(|name, _| models.iter().all(|model| model.name != *name));
            }
        });
    };
    let change_all =
        move |event: Targeted<Event, HtmlInputElement>| mark_all(event.target().checked());
    let each = models.iter().map(|model| {
        let is_marked = move || selection.with(|selection| selection.contains_key(model.name));
        let mark = move |checked: bool| {
            selection.update(|selection| {
                if checked {
                    selection.insert(model.name, model.bytes());
                } else {
                    selection.remove(model.name);
                }
            });
        };
        let change = move |event: Targeted<Event, HtmlInputElement>| mark(event.target().checked());
        let (rows, width) = model.shape;
        view! {
            <li>
                <label class="switch">
                    <input
                        type="checkbox"
                        prop:checked=is_marked
                        on:change:target=while_mounted(change)
                    />
                    <span>{model.short_name()}</span>
                    <span class="hint">{format!("{rows} × {width} · {}", megabytes(model.bytes()))}</span>
                </label>
            </li>
        }
    });
    view! {
        <fieldset>
            <legend>
                <label class="switch">
                    <input
                        type="checkbox"
                        prop:checked=is_whole
                        on:change:target=while_mounted(change_all)
                    />
                    <span>{title}</span>
                </label>
            </legend>
            <ul>{each.collect_view()}</ul>
        </fieldset>
    }
}
