//! Every open model side by side: matrices under one cursor, profiles on one axis, scores, heads, and R²
//! against what models achieve elsewhere.

use super::{color_control, linked, range_control, ready};
use crate::{
    analysis::{MatrixId, ModelId, Part, Similarity},
    app::{
        compared::{Comparison, Entry},
        controls::Options,
        dynamic::{click, count, dynamic, flag, list, on, picture, text},
        figure_card::{FigureCard, WholeMatrix, toolbar},
        figure_view::figure_view,
        formulas,
        state::State,
    },
    figure::{
        self,
        compared::{self, ComparedModel, WithHeads},
    },
    link::finite_number,
};
use leptos::prelude::*;
use std::sync::Arc;

/// The view.
pub(in crate::app) fn compare() -> AnyView {
    let state = expect_context::<State>();
    let comparison = Comparison::get();
    let similarity = state.part(|link| link.positions.similarity);
    let order = state.part(|link| (link.positions.similarity, link.compare.by_r2));
    let look = state.part(|link| {
        (
            link.matrices.map,
            link.matrices.clip,
            !link.compare.own_colours,
        )
    });
    comparison.follow(state);
    comparison.ask_briefs(state, move || similarity.get());
    comparison.show(move || order.get());
    comparison.paint(move || look.get());
    view! {
        <div class="view compare">
            {side_by_side()}
            <div class="column">{profiles()} {performance()}</div>
            <div class="column">{scores()} {heads()}</div>
        </div>
    }
    .into_any()
}

/// What is shown of the model at a place.
fn of_model(at: usize, read: fn(&ComparedModel) -> String) -> Signal<String> {
    let shown = Comparison::get().shown;
    text(move || shown.with(|models| models.get(at).map(read).unwrap_or_default()))
}

/// The model at a place.
fn entry_at(at: usize) -> Option<Entry> {
    let comparison = Comparison::get();
    let number = comparison
        .shown
        .with(|models| models.get(at).map(|m| m.number))?;
    comparison
        .entries
        .with(|entries| entries.iter().find(|e| e.number == number).cloned())
}

fn side_by_side() -> AnyView {
    let comparison = Comparison::get();
    let similarity = linked(
        [
            (Similarity::InnerProduct, "inner product"),
            (Similarity::Cosine, "cosine"),
        ],
        |link| &mut link.positions.similarity,
    );
    let order = linked([(false, "as opened"), (true, "by R²")], |link| {
        &mut link.compare.by_r2
    });
    let colours = linked([(false, "one range"), (true, "each its own")], |link| {
        &mut link.compare.own_colours
    });
    let length = count(move || comparison.shown.with(|models| models.len()));
    let matrices = dynamic(move || list((0..length.get()).map(small_matrix)));
    let bar = figure_view(
        "compare-colours",
        picture(move || comparison.bar.get()),
        Signal::stored("Colours that the matrices share".to_owned()),
        Signal::stored(0),
        None,
        None,
    );
    let no_bar = flag(move || comparison.bar.with(Option::is_none));
    let alone = flag(move || length.get() > 1);
    view! {
        <section class="side-by-side" aria-labelledby="side-by-side-title">
            <h2 id="side-by-side-title">"Every open model, side by side"</h2>
            <p class="caption">"Point at one: the same offset is lit in all."</p>
            <div class="controls">
                {similarity.segmented("Similarity")}
                {order.segmented("Order")}
                {colours.segmented("Range of colours")}
                {color_control(|link| &mut link.matrices.map)}
                {range_control()}
            </div>
            <p class="hint" hidden=alone>"Open another model: choose one on the shelf, or drop files here. It joins the others."</p>
            {left_out()}
            <div class="multiples">{matrices}</div>
            <div class="shared-colours" hidden=no_bar>{bar}</div>
        </section>
    }
    .into_any()
}

/// Models that were left out, to be taken back.
fn left_out() -> AnyView {
    let comparison = Comparison::get();
    let names = move || -> Vec<(ModelId, String)> {
        comparison.entries.with(|entries| {
            entries
                .iter()
                .filter(|entry| entry.left_out)
                .map(|entry| (entry.id, entry.name.clone()))
                .collect()
        })
    };
    dynamic(move || {
        let names = names();
        if names.is_empty() {
            return ().into_any();
        }
        let boxes = names
            .into_iter()
            .map(|(id, name)| included(id, &name, false, compared::label(&name).to_owned()));
        view! { <p class="left-out"><span>"Left out:"</span> {list(boxes)}</p> }.into_any()
    })
}

/// Whether a model takes part.
fn included(id: ModelId, name: &str, takes_part: bool, shown: String) -> AnyView {
    let comparison = Comparison::get();
    let change = click(move || comparison.leave_out(id, takes_part));
    let label = format!("Compare {name}");
    view! {
        <label class="included">
            <input type="checkbox" checked=takes_part aria-label=label on:click=change/>
            {shown}
        </label>
    }
    .into_any()
}

/// One matrix of many, with its name, its numbers and what can be taken home.
fn small_matrix(at: usize) -> AnyView {
    let state = expect_context::<State>();
    let comparison = Comparison::get();
    let figure = picture(move || comparison.matrices.with(|all| all.get(at).cloned()));
    let name = of_model(at, |model| model.name.clone());
    let positions = count(move || {
        comparison
            .shown
            .with(|models| models.get(at).map_or(0, ComparedModel::n))
    });
    let about = text(move || {
        entry_at(at).map_or_else(String::new, |entry| {
            let (rows, width) = (entry.summary.rows, entry.summary.width);
            if width == 0 {
                format!("n {rows}")
            } else {
                format!("{rows} × {width}")
            }
        })
    });
    let r2 = of_model(at, |model| format!("{:.3}", model.brief.fit.r2));
    let under = text(move || {
        let Some(cursor) = state.cursor() else {
            return String::new();
        };
        let f = comparison
            .shown
            .with(|models| models.get(at)?.brief.fit.f.at(cursor.offset()?));
        f.map_or_else(String::new, |f| format!("f(k) {}", figure::number(f)))
    });
    let summary = text(move || {
        figure.with(|figure| figure.as_ref().map(|f| f.summary()).unwrap_or_default())
    });
    let label = text(move || format!("{}, R² {}. {}", name.get(), r2.get(), summary.get()));
    let figure_state = text(move || {
        if figure.with(Option::is_some) {
            "ready"
        } else {
            "waiting"
        }
        .to_owned()
    });
    let heading = dynamic(move || {
        let Some(entry) = entry_at(at) else {
            return ().into_any();
        };
        let badge = format!("badge category-{}", (entry.number - 1) % 8);
        let full = entry.name.clone();
        view! {
            {included(entry.id, &entry.name, true, String::new())}
            <span class=badge>{entry.number.to_string()}</span>
            <h3 title=full>{compared::label(&entry.name).to_owned()}</h3>
        }
        .into_any()
    });
    let whole: WholeMatrix = Arc::new(move || {
        let entry = entry_at(at)?;
        let similarity = state.link.with(|link| link.positions.similarity);
        Some((MatrixId::Positions(entry.id, similarity, Part::Whole), None))
    });
    let tools = toolbar("position-matrix", name, Some(name), figure, Some(whole));
    view! {
        <figure class="multiple" data-figure="position-matrix" data-model=name data-state=figure_state>
            <header>{heading}</header>
            <p class="about"><span>{about}</span> <span>"R² " <b>{r2}</b></span> <span class="accent">{under}</span></p>
            {figure_view("position-matrix", figure, label, positions, None, None)}
            <figcaption class="summary">{summary}</figcaption>
            {tools}
        </figure>
    }
    .into_any()
}

/// The most positions of any model, for the cursor.
fn longest() -> Signal<usize> {
    let shown = Comparison::get().shown;
    count(move || shown.with(|models| models.iter().map(ComparedModel::n).max().unwrap_or(0)))
}

fn profiles() -> AnyView {
    let shown = Comparison::get().shown;
    let (raw, all) = (RwSignal::new(false), RwSignal::new(false));
    let figure = picture(move || {
        let models = shown.get();
        ready(compared::profiles(&models, !raw.get(), all.get())?)
    });
    let scale = Options::new(
        [(false, "scaled"), (true, "as they are")],
        move || raw.get(),
        move |value| raw.set(value),
    );
    let offsets = Options::new(
        [(false, "shared by all"), (true, "all offsets")],
        move || all.get(),
        move |value| all.set(value),
    );
    let caption = text(move || {
        if raw.get() {
            "The mean of every diagonal, as it is:"
        } else {
            "The mean of every diagonal, minus the mean of the matrix, in units of its own range over |k| ≤ n/2:"
        }
        .to_owned()
    });
    FigureCard::new("compare-profiles", figure)
        .caption(caption)
        .formula(formulas::DIAGONAL_MEAN)
        .cursor(longest())
        .controls(vec![
            scale.segmented("Values"),
            offsets.segmented("Offsets"),
        ])
        .view()
}

fn scores() -> AnyView {
    let shown = Comparison::get().shown;
    let figure = picture(move || ready(compared::scores(&shown.get())?));
    FigureCard::new("model-scores", figure)
        .caption("R² of the whole matrix, of its parts and of leading blocks. The download has every window too.".to_owned())
        .view()
}

/// What was typed or is known, among what is shown.
fn known(shown: &[ComparedModel], entries: &[Entry]) -> Vec<(usize, f64)> {
    let performance = |model: &ComparedModel| {
        entries
            .iter()
            .find(|entry| entry.number == model.number)?
            .performance()
    };
    shown
        .iter()
        .enumerate()
        .filter_map(|(at, model)| Some((at, performance(model)?)))
        .collect()
}

fn performance() -> AnyView {
    let comparison = Comparison::get();
    let both = move || {
        let models = comparison.shown.get();
        let known = comparison.entries.with(|entries| known(&models, entries));
        let points: Vec<_> = known
            .iter()
            .map(|(at, performance)| (&models[*at], *performance))
            .collect();
        compared::performance(&points)
    };
    let figure = picture(move || ready(both()?.0));
    let caption = text(move || {
        let count = comparison.shown.with(|models| {
            comparison
                .entries
                .with(|entries| known(models, entries).len())
        });
        let said = match both().and_then(|(_, fit)| fit) {
            Some(fit) => format!(
                "Pearson’s r = {} over n = {count} models.",
                figure::number(fit.correlation)
            ),
            None => "Three models that differ are needed for a correlation.".to_owned(),
        };
        format!(
            "Do models that look more at offsets do better elsewhere (TISA paper, fig. 2)? {said} ALBERT’s averages are those its authors published (Lan et al.)."
        )
    });
    let length = count(move || comparison.shown.with(|models| models.len()));
    let fields = dynamic(move || list((0..length.get()).map(performance_field)));
    FigureCard::new("r2-performance", figure)
        .caption(caption)
        .empty("Type how well a model does, in any unit that all share.")
        .controls(vec![
            view! { <div class="performances">{fields}</div> }.into_any(),
        ])
        .view()
}

/// A number beside a model; none when emptied.
fn performance_field(at: usize) -> AnyView {
    let comparison = Comparison::get();
    let name = of_model(at, |model| model.name.clone());
    let label = text(move || format!("Performance of {}", name.get()));
    let badge = text(move || {
        let number = entry_at(at).map_or(1, |entry| entry.number);
        format!("badge category-{}", (number - 1) % 8)
    });
    let number_shown = of_model(at, |model| model.number.to_string());
    let short = of_model(at, |model| compared::label(&model.name).to_owned());
    let shown = text(move || {
        let performance = entry_at(at).and_then(|entry| entry.performance());
        performance.map_or_else(String::new, |value| value.to_string())
    });
    let change = on(move |event: leptos::ev::Event| {
        let typed = event_target_value(&event);
        if let Some(entry) = untrack(|| entry_at(at)) {
            comparison.set_performance(entry.id, finite_number(&typed));
        }
    });
    view! {
        <label class="performance">
            <span class=badge>{number_shown}</span>
            <span class="name" title=name>{short}</span>
            <input type="number" step="any" aria-label=label data-performance=name prop:value=shown on:change=change/>
        </label>
    }
    .into_any()
}

fn heads() -> AnyView {
    let state = expect_context::<State>();
    let comparison = Comparison::get();
    let figure = picture(move || {
        let with_heads = |entry: &&Entry| entry.reads_heads && !entry.left_out;
        comparison.entries.with(|entries| {
            let models: Vec<WithHeads<'_>> = entries
                .iter()
                .filter(with_heads)
                .map(|entry| WithHeads {
                    number: entry.number,
                    name: &entry.name,
                    size: size(entry),
                    heads: &entry.heads,
                })
                .collect();
            ready(compared::heads(&models)?)
        })
    });
    let waiting = move || -> Vec<(ModelId, usize, String)> {
        comparison.entries.with(|entries| {
            entries
                .iter()
                .filter(|e| !e.reads_heads && !e.left_out && e.summary.layers > 0)
                .map(|e| (e.id, e.number, e.name.clone()))
                .collect()
        })
    };
    let buttons = dynamic(move || {
        let waiting = waiting();
        let all: Vec<ModelId> = waiting.iter().map(|(id, ..)| *id).collect();
        let read_all = click(move || {
            for id in &all {
                comparison.read_heads(state, *id);
            }
        });
        let several = waiting.len() > 1;
        let each = waiting.into_iter().map(|(id, number, name)| {
            let read = click(move || comparison.read_heads(state, id));
            let label = format!("Read all heads of {name}");
            let (title, short) = (label.clone(), compared::label(&name).to_owned());
            let badge = format!("badge category-{}", (number - 1) % 8);
            view! {
                <button type="button" data-read=name aria-label=label title=title on:click=read>
                    <span class=badge>{number.to_string()}</span>
                    <span class="name">{short}</span>
                </button>
            }
            .into_any()
        });
        let each = list(each);
        let read_all = several.then(|| {
            view! { <button type="button" class="primary" on:click=read_all>"Read all heads"</button> }
                .into_any()
        });
        view! { {read_all} {each} }.into_any()
    });
    let partial = flag(move || {
        comparison.entries.with(|entries| {
            entries.iter().any(|entry| {
                let (layers, heads) = size(entry);
                entry.reads_heads && !entry.left_out && entry.heads.len() < layers * heads
            })
        })
    });
    FigureCard::new("compare-heads", figure)
        .caption("A row is a layer, the first on top; a column is a head.".to_owned())
        .partial(partial)
        .empty("Reading heads reads every layer’s query and key weights. Choose whose.")
        .controls(vec![
            view! { <div class="readers">{buttons}</div> }.into_any(),
        ])
        .view()
}

/// Layers, and heads a layer.
fn size(entry: &Entry) -> (usize, usize) {
    let heads = entry.summary.heads.map_or(0, |(heads, _)| heads as usize);
    (entry.summary.layers, heads)
}
