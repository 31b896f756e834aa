//! The numbers of a figure as a table, for screen readers and for reference. The table is built when it is unfolded;
//! its code is a lazy part.

use super::view::AnyFigure;
use crate::{
    app::{
        controls::while_mounted::while_mounted,
        lazy::{Lazy, lazy_view},
        state::UrlState,
    },
    figure::{Table, ordinal},
    url_state::{FigureId, unfold},
};
use leptos::{context::Provider, html, prelude::*};

/// Most rows displayed under a figure. Downloads contain all rows.
const ROWS_SHOWN: usize = 64;

/// The figure whose numbers are displayed, as context of the lazy part.
#[derive(Clone, Copy)]
struct NumbersOf {
    title: &'static str,
    figure: Signal<Option<AnyFigure>>,
}

/// A collapsed section with the numbers of a figure.
#[component]
pub(in crate::app) fn Numbers(
    /// The figure.
    id: FigureId,
    title: &'static str,
    figure: Signal<Option<AnyFigure>>,
) -> impl IntoView {
    let details = NodeRef::<html::Details>::new();
    let url = UrlState::from_context();
    let open = Memo::new(move |_| {
        url.link
            .with(|link| link.unfolded_figures.numbers.contains(&id))
    });
    let toggle = move |_| {
        // Setting the `open` attribute also fires `toggle`; the link is then up to date.
        if let Some(details) = details.get_untracked()
            && details.open() != open.get_untracked()
        {
            url.link
                .update(|link| unfold(&mut link.unfolded_figures.numbers, id, details.open()));
        }
    };
    view! {
        <details class="numbers" node_ref=details open=open on:toggle=while_mounted(toggle)>
            <summary>"Numbers"</summary>
            <div class="scroll" tabindex="0" role="region" aria-label=format!("Numbers of {title}")>
                <Show when=move || open.get()>
                    <Provider value=NumbersOf { title, figure }>
                        <Lazy part=NUMBER_TABLE inline=true/>
                    </Provider>
                </Show>
            </div>
        </details>
    }
}

lazy_view! {
    /// The table of a figure's numbers, as a lazy part.
    const NUMBER_TABLE = NumberTable in details;
}

/// The table of the figure in context.
#[component]
fn NumberTable() -> impl IntoView {
    let NumbersOf { title, figure } = expect_context();
    move || Some(number_table(title, &figure.get()?.table()))
}

fn number_table(title: &str, table: &Table) -> impl IntoView + use<> {
    let rows = table.rows();
    let step = rows.div_ceil(ROWS_SHOWN).max(1);
    let note = match step {
        1 => String::new(),
        _ => format!(
            ". Every {} row is listed; downloads have all {rows}.",
            ordinal(step)
        ),
    };
    let head = table
        .names()
        .map(|name| view! { <th scope="col">{name.to_owned()}</th> })
        .collect_view();
    let body = (0..rows).step_by(step).map(|row| {
        let cells = table.row(row).into_iter();
        let cells = cells.map(|cell| view! { <td>{cell}</td> }).collect_view();
        view! { <tr>{cells}</tr> }
    });
    let body = body.collect_view();
    view! {
        <table>
            <caption>{format!("{title}{note}")}</caption>
            <thead><tr>{head}</tr></thead>
            <tbody>{body}</tbody>
        </table>
    }
}
