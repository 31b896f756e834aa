//! A figure's numbers as a table, for those who read rather than see, made when it is unfolded. What makes it comes with
//! the part of the page that is fetched after the first figure.

use super::view::AnyFigure;
use crate::{
    app::{
        controls::mounted::while_mounted,
        shell::lazy_views::{self, Lazy},
        state::page::PageState,
    },
    figure::{Table, ordinal},
    url_state::unfold,
};
use leptos::{context::Provider, html, prelude::*};

/// Rows of numbers shown under a figure; a download has them all.
const ROWS_SHOWN: usize = 64;

/// The figure whose numbers are shown.
#[derive(Clone, Copy)]
struct NumbersOf {
    title: &'static str,
    figure: Signal<Option<AnyFigure>>,
}

/// The numbers of a figure, folded away.
#[component]
pub(in crate::app) fn Numbers(
    /// The figure's identifier.
    id: &'static str,
    /// Its title.
    title: &'static str,
    /// The figure.
    figure: Signal<Option<AnyFigure>>,
) -> impl IntoView {
    let details = NodeRef::<html::Details>::new();
    let state = PageState::from_context();
    let open = Memo::new(move |_| state.link.with(|link| link.unfolded.numbers.contains(&id)));
    let toggle = move |_| {
        // Setting the attribute toggles, too, and changes nothing.
        if let Some(details) = details.get_untracked()
            && details.open() != open.get_untracked()
        {
            state
                .link
                .update(|link| unfold(&mut link.unfolded.numbers, id, details.open()));
        }
    };
    view! {
        <details class="numbers" node_ref=details open=open on:toggle=while_mounted(toggle)>
            <summary>"Numbers"</summary>
            <div class="scroll" tabindex="0" role="region" aria-label=format!("Numbers of {title}")>
                <Show when=move || open.get()>
                    <Provider value=NumbersOf { title, figure }>
                        <Lazy part=lazy_views::NUMBERS inline=true/>
                    </Provider>
                </Show>
            </div>
        </details>
    }
}

/// The table.
#[component]
pub(in crate::app) fn NumberTable() -> impl IntoView {
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
