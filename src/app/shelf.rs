//! The shelf: models at hand, what is known of them, and the way to open another.

use super::{
    controls::{Options, number_field},
    dynamic::{attribute, click, count, dynamic, flag, list, on, text, value},
    opening,
    state::{Item, State},
};
use crate::{
    analysis::ModelSummary,
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
    items.push(item(
        ModelRef::Sinusoidal(Sinusoidal::default()),
        "sinusoidal",
    ));
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

/// The shelf.
pub(super) fn shelf() -> AnyView {
    let state = expect_context::<State>();
    let length = count(move || state.shelf.with(Vec::len));
    let items = dynamic(move || list((0..length.get()).map(shelf_item)));
    view! {
        <aside class="shelf" aria-label="Models">
            <h2>"Shelf"</h2>
            <ul>{items}</ul>
            {open_file()}
            {meter()}
            <div class="details">{computed_table()} {open_details()}</div>
        </aside>
    }
    .into_any()
}

fn shelf_item(at: usize) -> AnyView {
    let state = expect_context::<State>();
    let with = move |read: fn(&Item) -> String| {
        text(move || {
            state
                .shelf
                .with(|shelf| shelf.get(at).map(read).unwrap_or_default())
        })
    };
    let title = with(|item| item.title.clone());
    let score = with(|item| item.r2.map_or(String::new(), |r2| format!("{r2:.3}")));
    let about = with(about);
    let current = attribute(move || {
        let open = state.open.get();
        let is_open = state.shelf.with(|shelf| {
            shelf.get(at).is_some_and(|item| match open {
                Some(_) => item.id == open,
                // Before the worker answers, the first figure is the link's.
                None => state.link.with(|link| link.model == item.reference),
            })
        });
        is_open.then(|| "true".to_owned())
    });
    let choose = click(move || {
        if let Some(item) = state.shelf.with_untracked(|shelf| shelf.get(at).cloned()) {
            state.link.update(|link| {
                if link.model != item.reference {
                    link.model = item.reference;
                    (link.table, link.heads) = (item.choice.table, item.choice.heads);
                    (link.window, link.pin) = (None, None);
                }
            });
        }
    });
    view! {
        <li>
            <button type="button" class="item" data-model=title aria-current=current on:click=choose>
                <span class="name" title=title>{title}</span>
                <span class="score" title="Toeplitz R² of the inner products">{score}</span>
                <span class="about">{about}</span>
            </button>
        </li>
    }
    .into_any()
}

/// A line about a model.
fn about(item: &Item) -> String {
    let Some(summary) = &item.summary else {
        return match &item.reference {
            ModelRef::Preset(id) => PRESETS
                .iter()
                .find(|preset| preset.id == id)
                .map_or(String::new(), |preset| preset.about.to_owned()),
            ModelRef::Sinusoidal(table) => format!("computed · {} × {}", table.rows, table.width),
            ModelRef::Random(table) => format!("control · {} × {}", table.rows, table.width),
            ModelRef::File { .. } => String::new(),
        };
    };
    let heads = summary.heads.map_or(String::new(), |(heads, _)| {
        format!(" · {} × {heads} heads", summary.layers)
    });
    format!(
        "{} · {} × {}{heads}",
        summary.family, summary.rows, summary.width
    )
}

/// The one way in for files, also for a keyboard.
fn open_file() -> AnyView {
    let opener = opening::Opener::from_context();
    let change = on(move |event: leptos::ev::Event| {
        let field: web_sys::HtmlInputElement = event_target(&event);
        if let Some(files) = field.files() {
            opener.open(opening::files_of(&files));
        }
        // The same file can be chosen again.
        field.set_value("");
    });
    view! {
        <label class="open-file" for="open-file">
            <span><u>"Open a checkpoint"</u> " or drop it anywhere: a safetensors file, its config.json beside it. It stays on this machine."</span>
            <input type="file" multiple id="open-file" on:change=change/>
        </label>
    }
    .into_any()
}

/// How much of the open file has been read.
fn meter() -> AnyView {
    let state = expect_context::<State>();
    let read = move || {
        let open = state.open.get()?;
        state
            .shelf
            .with(|shelf| shelf.iter().find(|item| item.id == Some(open))?.read)
    };
    let said = text(move || {
        read().map_or(String::new(), |(read, size)| {
            format!("read {} of {} MB", megabytes(read), megabytes(size))
        })
    });
    let size = text(move || read().map_or("1".to_owned(), |(_, size)| size.to_string()));
    let done = text(move || read().map_or("0".to_owned(), |(read, _)| read.to_string()));
    let hidden = flag(move || read().is_none());
    view! {
        <div class="meter" hidden=hidden>
            <progress aria-labelledby="meter" max=size value=done></progress>
            <span id="meter">{said}</span>
        </div>
    }
    .into_any()
}

/// What can be set of the open model, and what was done to it.
fn open_details() -> AnyView {
    let state = expect_context::<State>();
    dynamic(move || {
        let Some(summary) = state.summary() else {
            return ().into_any();
        };
        view! { {heads_choice(&summary)} {notes(&summary)} }.into_any()
    })
}

/// The number of heads, where the file does not tell.
fn heads_choice(summary: &ModelSummary) -> AnyView {
    let opener = opening::Opener::from_context();
    let Some((heads, source)) = summary
        .heads
        .filter(|(_, source)| *source != HeadsSource::Config)
    else {
        return ().into_any();
    };
    let said = match source {
        HeadsSource::Assumed => "Assumed from the width, for want of a config.json.",
        _ => "Chosen.",
    };
    let options = summary
        .possible_heads
        .iter()
        .map(|&heads| (heads, heads.to_string()));
    let choice = Options::new(
        options,
        move || heads,
        move |heads| opener.choose_heads(heads),
    );
    view! { <div class="assumed">{choice.select("Heads a layer")}<p>{said}</p></div> }.into_any()
}

/// What was stripped or applied.
fn notes(summary: &ModelSummary) -> AnyView {
    let title = match summary.notes.len() {
        0 => return ().into_any(),
        1 => "1 note".to_owned(),
        count => format!("{count} notes"),
    };
    let entries = summary
        .notes
        .iter()
        .map(|note| view! { <dt>{note.title.clone()}</dt><dd>{note.text.clone()}</dd> }.into_any());
    view! {
        <details class="notes">
            <summary>{title}</summary>
            <dl>{list(entries)}</dl>
        </details>
    }
    .into_any()
}

/// The numbers a computed table is made from.
fn computed_table() -> AnyView {
    let state = expect_context::<State>();
    // Which fields there are depends on the kind alone, so that typing keeps the field.
    let kind = count(move || {
        state.link.with(|link| match link.model {
            ModelRef::Sinusoidal(_) => 1,
            ModelRef::Random(_) => 2,
            _ => 0,
        })
    });
    let field = move |name: &'static str, at: usize, low: f64, high: f64| {
        let shown = value(move || state.link.with(|link| made_from(&link.model)[at]));
        number_field(name, shown, low, high, move |value| {
            state.link.update(|link| {
                let mut numbers = made_from(&link.model);
                numbers[at] = value;
                link.model = made(&link.model, numbers);
            });
        })
    };
    dynamic(move || {
        let last = match kind.get() {
            1 => field("base", 2, *BASES.start(), *BASES.end()),
            2 => field("seed", 2, 0.0, 1e9),
            _ => return ().into_any(),
        };
        view! {
            <fieldset class="computed">
                <legend>"Computed table"</legend>
                {field("rows n", 0, *ROWS.start() as f64, *ROWS.end() as f64)}
                {field("width d", 1, *WIDTHS.start() as f64, *WIDTHS.end() as f64)}
                {last}
            </fieldset>
        }
        .into_any()
    })
}

/// Rows, width, and base or seed of a computed table.
fn made_from(model: &ModelRef) -> [f64; 3] {
    match model {
        ModelRef::Sinusoidal(table) => [table.rows as f64, table.width as f64, table.base],
        ModelRef::Random(table) => [table.rows as f64, table.width as f64, table.seed as f64],
        _ => [0.0; 3],
    }
}

/// A table of the same kind from other numbers.
fn made(model: &ModelRef, [rows, width, last]: [f64; 3]) -> ModelRef {
    let (rows, width) = (rows.round() as usize, width.round() as usize);
    match model {
        ModelRef::Sinusoidal(_) => ModelRef::Sinusoidal(Sinusoidal {
            rows,
            width,
            base: last,
        }),
        ModelRef::Random(_) => ModelRef::Random(Random {
            rows,
            width,
            seed: last.round() as u64,
        }),
        other => other.clone(),
    }
}
