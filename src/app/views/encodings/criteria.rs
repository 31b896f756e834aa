//! The paper's table of criteria, live: every mark opens its argument and something to move.

use super::{super::ready, demonstration::demonstration};
use crate::{
    analysis::criteria::{CRITERIA, Mark, WAYS, judged},
    app::{
        dynamic::{click, dynamic, list, picture, text, yes_no},
        figure_card::FigureCard,
        state::State,
    },
    figure::Judgements,
    link::cell_text,
};
use leptos::prelude::*;

const PANEL: &str = "criteria-panel";

/// Below this width the panel stands under the table and has to be brought into view.
const ONE_COLUMN: f64 = 1150.0;

const TICK: &str =
    "<svg viewBox=\"0 0 16 16\" aria-hidden=\"true\"><path d=\"M3 8.5 6.5 12 13 3.5\"/></svg>";
const CROSS: &str =
    "<svg viewBox=\"0 0 16 16\" aria-hidden=\"true\"><path d=\"M4 4 12 12M12 4 4 12\"/></svg>";

/// The figure.
pub(super) fn criteria() -> AnyView {
    FigureCard::new("criteria", picture(|| ready(Judgements)))
        .caption("Table 1 of the TISA paper. Every mark opens the reason for it, and something to move; a ring says that the other mark could be argued for.".to_owned())
        .stage(view! { <div class="criteria">{table()} {panel()}</div> }.into_any())
        .view()
}

fn table() -> AnyView {
    let head = CRITERIA.iter().map(|(_, name, question)| {
        view! { <th scope="col" title=*question><span>{*name}</span></th> }.into_any()
    });
    let rows = WAYS.iter().enumerate().map(|(way, (_, name, source))| {
        let cells = (0..CRITERIA.len()).map(|criterion| cell(way, criterion));
        view! {
            <tr>
                <th scope="row">{*name}<span class="about">{*source}</span></th>
                {list(cells)}
            </tr>
        }
        .into_any()
    });
    view! {
        <table class="marks">
            <thead><tr><td></td>{list(head)}</tr></thead>
            <tbody>{list(rows)}</tbody>
        </table>
    }
    .into_any()
}

fn cell(way: usize, criterion: usize) -> AnyView {
    let state = expect_context::<State>();
    let Some((mark, _)) = judged(way, criterion) else {
        return ().into_any();
    };
    let id = cell_text((way, criterion));
    let this = Some((way, criterion));
    let open = move || state.link.with(|link| link.encodings.get().cell == this);
    let toggle = click(move || {
        let close = state
            .link
            .with_untracked(|link| link.encodings.get().cell == this);
        state.link.update(|link| {
            let cell = if close { None } else { this };
            link.encodings.change(|section| section.cell = cell);
        });
        let width = window().inner_width().ok().and_then(|width| width.as_f64());
        if !close
            && width.is_some_and(|width| width < ONE_COLUMN)
            && let Some(panel) = document().get_element_by_id(PANEL)
        {
            panel.scroll_into_view();
        }
    });
    let name = format!(
        "{}: {}: {}",
        WAYS[way].1,
        CRITERIA[criterion].1,
        yes_or_no(mark)
    );
    let class = if mark.is_arguable() {
        "verdict arguable"
    } else {
        "verdict"
    };
    let drawn = if mark.is_yes() { TICK } else { CROSS };
    view! {
        <td>
            <button
                type="button"
                class=class
                data-cell=id
                aria-label=name
                aria-expanded=yes_no(open)
                aria-controls=PANEL
                on:click=toggle
                inner_html=drawn
            ></button>
        </td>
    }
    .into_any()
}

fn yes_or_no(mark: Mark) -> &'static str {
    if mark.is_yes() { "yes" } else { "no" }
}

/// What the open cell has to say, or what the criteria ask.
fn panel() -> AnyView {
    let state = expect_context::<State>();
    let cell = state.part(|link| link.encodings.get().cell);
    let content = dynamic(move || match cell.get() {
        Some((way, criterion)) => argument(way, criterion),
        None => questions(),
    });
    let label = text(move || match cell.get() {
        Some((way, criterion)) => format!("{}: {}", WAYS[way].1, CRITERIA[criterion].1),
        None => "What the criteria ask".to_owned(),
    });
    view! { <section class="panel" id=PANEL aria-label=label>{content}</section> }.into_any()
}

fn questions() -> AnyView {
    let all = CRITERIA.iter().map(|(_, name, question)| {
        view! { <div><dt>{*name}</dt><dd>{*question}</dd></div> }.into_any()
    });
    view! {
        <dl class="questions">{list(all)}</dl>
        <p class="hint">"Choose a mark to see why it stands there."</p>
    }
    .into_any()
}

fn argument(way: usize, criterion: usize) -> AnyView {
    let Some((mark, argument)) = judged(way, criterion) else {
        return ().into_any();
    };
    let (_, name, source) = WAYS[way];
    let (_, asked, _) = CRITERIA[criterion];
    let paper = match (mark.is_yes(), mark.is_arguable()) {
        (true, false) => "yes",
        (true, true) => "yes, arguably",
        (false, false) => "no",
        (false, true) => "no, arguably",
    };
    view! {
        <h3>{name} ", " {asked} ": " {paper}</h3>
        <p class="about">{source}</p>
        <p class="caption">{argument}</p>
        {demonstration(way, criterion)}
    }
    .into_any()
}
