//! The criteria table of the TISA paper (table 1). Each mark opens its argument and an interactive demonstration.

use super::demonstration::{Demonstration, open_cell_demonstration};
use crate::{
    analysis::criteria::{CRITERIA, Verdict, WAYS, demonstrations::CellDemonstration, verdict},
    app::{
        figure::{
            card::FigureCard,
            painter::mark_ready,
            view::{picture, ready},
        },
        state::UrlState,
    },
    figure::Judgements,
    figure_spec::encodings,
    url_state::{OpenCell, cell_text},
};
use leptos::{either::Either, html, prelude::*};

/// Element id of the panel beside the table.
const PANEL: &str = "criteria-panel";

const TICK: &str =
    "<svg viewBox=\"0 0 16 16\" aria-hidden=\"true\"><path d=\"M3 8.5 6.5 12 13 3.5\"/></svg>";
const CROSS: &str =
    "<svg viewBox=\"0 0 16 16\" aria-hidden=\"true\"><path d=\"M4 4 12 12M12 4 4 12\"/></svg>";

/// Figure: the criteria table and its panel.
#[component]
pub(super) fn CriteriaTable() -> impl IntoView {
    let open = UrlState::from_context().select(|link| {
        let cell = link.encodings.cell.as_ref();
        cell.map(|cell| cell.at)
    });
    let panel = NodeRef::<html::Section>::new();
    let demonstration = open_cell_demonstration();
    // A presented lesson may show only this table. It has no canvas, so it reports ready by itself.
    mark_ready();
    let stage = view! {
        <div class="criteria">
            <Verdicts open panel/>
            <CriterionPanel open demonstration node=panel/>
        </div>
    };
    view! {
        <FigureCard
            spec=&encodings::CRITERIA
            figure=picture(move || ready(Judgements { open: demonstration.get() }))
            stage=stage.into_any()
        />
    }
}

/// The table of marks, as buttons.
#[component]
fn Verdicts(
    /// Row and column of the open cell.
    open: Memo<Option<(usize, usize)>>,
    panel: NodeRef<html::Section>,
) -> impl IntoView {
    let head = CRITERIA.iter().map(|(_, name, question)| {
        view! { <th scope="col" title=*question><span>{*name}</span></th> }
    });
    let row = |way: usize| {
        let (_, name, source) = WAYS[way];
        let cells = (0..CRITERIA.len()).filter_map(|criterion| {
            let (verdict, _) = verdict(way, criterion)?;
            Some(view! { <td><VerdictButton cell=(way, criterion) verdict open panel/></td> })
        });
        view! {
            <tr>
                <th scope="row">{name}<span class="about">{source}</span></th>
                {cells.collect_view()}
            </tr>
        }
    };
    view! {
        <table class="marks">
            <thead><tr><td></td>{head.collect_view()}</tr></thead>
            <tbody>{(0..WAYS.len()).map(row).collect_view()}</tbody>
        </table>
    }
}

/// A mark: a button that opens the argument of its cell, or closes it.
#[component]
fn VerdictButton(
    cell: (usize, usize),
    verdict: Verdict,
    open: Memo<Option<(usize, usize)>>,
    panel: NodeRef<html::Section>,
) -> impl IntoView {
    let url = UrlState::from_context();
    let toggle = move |_| {
        let opens = open.get_untracked() != Some(cell);
        url.link
            .update(|link| link.encodings.cell = opens.then(|| OpenCell::new(cell)));
        if opens
            && let Some(panel) = panel.get_untracked()
            && stands_below_table(&panel)
        {
            panel.scroll_into_view();
        }
    };
    let (yes_or_no, icon) = if verdict.is_yes() {
        ("yes", TICK)
    } else {
        ("no", CROSS)
    };
    view! {
        <button
            type="button"
            class="verdict"
            class:arguable=verdict.is_arguable()
            data-cell=cell_text(cell)
            aria-label=format!("{}: {yes_or_no}", name_of(cell))
            aria-expanded=move || (open.get() == Some(cell)).to_string()
            aria-controls=PANEL
            on:click=toggle
            inner_html=icon
        ></button>
    }
}

/// Whether the panel is below the table, not beside it, so that it has to be scrolled into view.
fn stands_below_table(panel: &web_sys::HtmlElement) -> bool {
    let before = panel.previous_element_sibling();
    before.is_some_and(|table| {
        panel.get_bounding_client_rect().top() >= table.get_bounding_client_rect().bottom()
    })
}

/// Returns the accessible name of a cell: the method and the criterion.
fn name_of((way, criterion): (usize, usize)) -> String {
    format!("{}: {}", WAYS[way].1, CRITERIA[criterion].1)
}

/// Panel with the argument of the open cell, or with the criteria's questions.
#[component]
fn CriterionPanel(
    open: Memo<Option<(usize, usize)>>,
    demonstration: Memo<Option<CellDemonstration>>,
    node: NodeRef<html::Section>,
) -> impl IntoView {
    let label = move || {
        open.get()
            .map_or_else(|| "What the criteria ask".to_owned(), name_of)
    };
    // Rebuilt for each cell, since arguments and sliders differ.
    let content = move || match open.get() {
        Some(cell) => Either::Left(view! { <Argument cell demonstration/> }),
        None => Either::Right(view! { <Questions/> }),
    };
    view! { <section class="panel" id=PANEL aria-label=label node_ref=node>{content}</section> }
}

/// List of the criteria's questions.
#[component]
fn Questions() -> impl IntoView {
    let all = CRITERIA
        .iter()
        .map(|(_, name, question)| view! { <div><dt>{*name}</dt><dd>{*question}</dd></div> });
    view! {
        <dl class="questions">{all.collect_view()}</dl>
        <p class="hint">"Click a mark for its justification."</p>
    }
}

/// The argument for a mark, and its demonstration.
#[component]
fn Argument(cell: (usize, usize), demonstration: Memo<Option<CellDemonstration>>) -> impl IntoView {
    let (way, criterion) = cell;
    verdict(way, criterion).map(|(verdict, argument)| {
        let (_, name, source) = WAYS[way];
        let (_, question, _) = CRITERIA[criterion];
        view! {
            <h3>{name} ", " {question} ": " {verdict.in_words()}</h3>
            <p class="about">{source}</p>
            <p class="caption">{argument}</p>
            <Demonstration way criterion demonstration/>
        }
    })
}
