//! The shelf: models at hand, what is known of them, and the way to open another.

use super::{
    controls::{Choice, NumberField},
    opening,
    state::{Item, State},
};
use crate::{
    encoding::{Random, Sinusoidal},
    link::{BASES, Link, ModelRef, ROWS, WIDTHS},
    model::{self, HeadsSource, PRESETS},
};
use leptos::prelude::*;

/// Presets and computed tables, and the file a link speaks of.
pub(super) fn initial(link: &Link) -> Vec<Item> {
    let item = |reference: ModelRef, title: &str| Item {
        id: None,
        reference,
        title: title.to_owned(),
        summary: None,
        choice: model::Choice::default(),
        r2: None,
        read: None,
    };
    let mut items: Vec<Item> = PRESETS
        .iter()
        .map(|preset| item(ModelRef::Preset(preset.id.to_owned()), preset.id))
        .collect();
    items.push(item(ModelRef::Sinusoidal(Sinusoidal::default()), "sinusoidal"));
    items.push(item(ModelRef::Random(Random::default()), "random"));
    for item in &mut items {
        // A computed table takes the numbers of the link.
        if std::mem::discriminant(&item.reference) == std::mem::discriminant(&link.model)
            && !matches!(link.model, ModelRef::Preset(_))
        {
            item.reference = link.model.clone();
        }
    }
    items
}

/// Megabytes as people count them.
fn megabytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / 1e6)
}

#[component]
pub(super) fn Shelf() -> impl IntoView {
    let state = expect_context::<State>();
    let keys = move || {
        let count = state.shelf.with(Vec::len);
        (0..count).collect::<Vec<_>>()
    };
    view! {
        <aside class="shelf" aria-label="Models">
            <h2>"Shelf"</h2>
            <ul>
                <For each=keys key=|at| *at let:at>
                    <ShelfItem at=at/>
                </For>
            </ul>
            <OpenFile/>
            <Meter/>
            <OpenDetails/>
        </aside>
    }
}

#[component]
fn ShelfItem(at: usize) -> impl IntoView {
    let state = expect_context::<State>();
    let item = Memo::new(move |_| state.shelf.with(|shelf| shelf.get(at).cloned()));
    let title = move || item.get().map(|item| item.title);
    let current = move || {
        let open = state.open.get();
        let is_open = item.get().is_some_and(|item| match open {
            Some(_) => item.id == open,
            // Before the worker answers, the first figure is the link's.
            None => state.link.with(|link| link.model == item.reference),
        });
        is_open.then_some("true")
    };
    let score = move || item.get().and_then(|item| item.r2).map(|r2| format!("{r2:.3}"));
    let about = move || {
        let item = item.get()?;
        let Some(summary) = item.summary else {
            return Some(match item.reference {
                ModelRef::Preset(id) => PRESETS.iter().find(|preset| preset.id == id)?.about.to_owned(),
                ModelRef::Sinusoidal(table) => format!("computed · {} × {}", table.rows, table.width),
                ModelRef::Random(table) => format!("control · {} × {}", table.rows, table.width),
                ModelRef::File { .. } => String::new(),
            });
        };
        let heads = summary
            .heads
            .map_or(String::new(), |(heads, _)| format!(" · {} × {heads} heads", summary.layers));
        Some(format!("{} · {} × {}{heads}", summary.family, summary.rows, summary.width))
    };
    let choose = move |_| {
        if let Some(item) = item.get_untracked() {
            state.link.update(|link| {
                if link.model != item.reference {
                    link.model = item.reference;
                    (link.table, link.heads) = (item.choice.table, item.choice.heads);
                    (link.window, link.pin) = (None, None);
                }
            });
        }
    };
    view! {
        <li>
            <button type="button" class="item" data-model=title aria-current=current on:click=choose>
                <span class="name" title=title>{title}</span>
                <span class="score" title="Toeplitz R² of the inner products">{score}</span>
                <span class="about">{about}</span>
            </button>
        </li>
    }
}

/// The one way in for files, also for a keyboard.
#[component]
fn OpenFile() -> impl IntoView {
    let opener = opening::Opener::from_context();
    let change = move |event: leptos::ev::Event| {
        let field: web_sys::HtmlInputElement = event_target(&event);
        if let Some(files) = field.files() {
            opener.open(opening::list(&files));
        }
        // The same file can be chosen again.
        field.set_value("");
    };
    view! {
        <label class="open-file" for="open-file">
            <span><u>"Open a checkpoint"</u> " or drop it anywhere: a safetensors file, its config.json beside it. It stays on this machine."</span>
            <input type="file" multiple id="open-file" on:change=change/>
        </label>
    }
}

/// How much of the open file has been read.
#[component]
fn Meter() -> impl IntoView {
    let state = expect_context::<State>();
    let read = Memo::new(move |_| {
        let open = state.open.get()?;
        state.shelf.with(|shelf| shelf.iter().find(|item| item.id == Some(open))?.read)
    });
    let text = move || read.get().map(|(read, size)| format!("read {} of {} MB", megabytes(read), megabytes(size)));
    view! {
        <div class="meter" hidden=move || read.get().is_none()>
            <progress
                aria-labelledby="meter"
                max=move || read.get().map_or(1.0, |(_, size)| size as f64)
                prop:value=move || read.get().map_or(0.0, |(read, _)| read as f64)
            ></progress>
            <span id="meter">{text}</span>
        </div>
    }
}

/// What can be set of the open model, and what was done to it.
#[component]
fn OpenDetails() -> impl IntoView {
    let state = expect_context::<State>();
    let opener = opening::Opener::from_context();
    let summary = Memo::new(move |_| state.summary());
    let heads = move || {
        let summary = summary.get()?;
        let (count, source) = summary.heads?;
        if source == HeadsSource::Config {
            return None;
        }
        let options = summary.possible_heads.iter().map(|&heads| (heads, heads.to_string())).collect();
        let said = match source {
            HeadsSource::Assumed => "Assumed from the width, for want of a config.json.",
            _ => "Chosen.",
        };
        Some(view! {
            <div class="assumed">
                <Choice
                    label="Heads a layer"
                    options=options
                    value=Signal::stored(count)
                    set=move |heads| opener.choose_heads(heads)
                />
                <p>{said}</p>
            </div>
        })
    };
    let notes = move || {
        let summary = summary.get()?;
        let title = match summary.notes.len() {
            1 => "1 note".to_owned(),
            count => format!("{count} notes"),
        };
        (!summary.notes.is_empty()).then(|| {
            view! {
                <details class="notes">
                    <summary>{title}</summary>
                    <dl>
                        {summary
                            .notes
                            .iter()
                            .map(|note| view! { <dt>{note.title.clone()}</dt><dd>{note.text.clone()}</dd> })
                            .collect_view()}
                    </dl>
                </details>
            }
        })
    };
    view! {
        <div class="details">
            <ComputedTable/>
            {heads}
            {notes}
        </div>
    }
}

/// The numbers a computed table is made from.
#[component]
fn ComputedTable() -> impl IntoView {
    let state = expect_context::<State>();
    let model = state.part(|link| link.model.clone());
    // Which fields there are depends on the kind alone, so that typing keeps the field.
    let kind = Memo::new(move |_| match model.get() {
        ModelRef::Sinusoidal(_) => 1,
        ModelRef::Random(_) => 2,
        _ => 0,
    });
    let change = move |change: &dyn Fn(&mut usize, &mut usize, &mut f64)| {
        state.link.update(|link| match &mut link.model {
            ModelRef::Sinusoidal(table) => change(&mut table.rows, &mut table.width, &mut table.base),
            ModelRef::Random(table) => {
                let mut seed = table.seed as f64;
                change(&mut table.rows, &mut table.width, &mut seed);
                table.seed = seed as u64;
            }
            _ => {}
        });
    };
    let numbers = move || match model.get() {
        ModelRef::Sinusoidal(table) => (table.rows, table.width, table.base),
        ModelRef::Random(table) => (table.rows, table.width, table.seed as f64),
        _ => (0, 0, 0.0),
    };
    let (most_rows, most_width) = (*ROWS.end() as f64, *WIDTHS.end() as f64);
    move || {
        let (label, low, high) = match kind.get() {
            1 => ("base", *BASES.start(), *BASES.end()),
            2 => ("seed", 0.0, 1e9),
            _ => return None,
        };
        Some(view! {
            <fieldset class="computed">
                <legend>"Computed table"</legend>
                <NumberField
                    label="rows n"
                    value=Signal::derive(move || numbers().0 as f64)
                    low=*ROWS.start() as f64
                    high=most_rows
                    set=move |rows| change(&|r, _, _| *r = rows as usize)
                />
                <NumberField
                    label="width d"
                    value=Signal::derive(move || numbers().1 as f64)
                    low=*WIDTHS.start() as f64
                    high=most_width
                    set=move |width| change(&|_, w, _| *w = width as usize)
                />
                <NumberField
                    label=label
                    value=Signal::derive(move || numbers().2)
                    low=low
                    high=high
                    set=move |value| change(&|_, _, v| *v = value)
                />
            </fieldset>
        })
    }
}
