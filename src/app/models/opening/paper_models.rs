//! The models of the TISA paper, grouped by its figures, with the sizes of their position tables. Several are fetched
//! at once.

use super::{Opener, gallery::close_gallery};
use crate::{
    app::{
        controls::{buttons::ActionButton, while_mounted::while_mounted},
        state::{
            PageState,
            framing::{OPEN_ALONE, WHY_ALONE, clicks_may_be_stolen},
            message::Action,
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

/// Selected models by name, with the size of their position tables in bytes. A model of two figures is fetched once.
type Selection = BTreeMap<&'static str, usize>;

/// The list, with a checkbox per model and a button that fetches the selection.
#[component]
pub(super) fn PaperModelList() -> impl IntoView {
    let state = PageState::from_context();
    let url = state.url;
    let opener = Opener::from_context();
    let selection: RwSignal<Selection> = RwSignal::new(all_of(PAPER_MODELS[0].1));
    let fetch = move |()| {
        let models = selection.with_untracked(|selection| {
            let reference = |name: &&str| ModelRef::Hub((*name).to_owned());
            selection.keys().map(reference).collect()
        });
        close_gallery(state);
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
        <section class="paper-models" aria-labelledby="paper-models-title">
            <h3 id="paper-models-title">"Models of the TISA paper"</h3>
            <p class="hint">"Only the file header and the position table of each chosen model are fetched."</p>
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
