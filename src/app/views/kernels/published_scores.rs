//! The paper's scores on tasks with and without kernels, as printed.

use crate::model::{GLUE_KERNELS, GLUE_SCORES, GlueScores};
use leptos::prelude::*;

/// The TISA paper's Table 3, in its two parts.
#[component]
pub(super) fn PublishedScores() -> impl IntoView {
    let parts = GLUE_SCORES
        .iter()
        .map(|part| view! { <PublishedPart part/> });
    view! {
        <section class="published" aria-label="Table 3 of the TISA paper">
            <h3>"Published scores with kernels"</h3>
            <p class="caption">
                "The TISA paper measured what kernels bring to ALBERT base v2 (Wennberg & Henter 2021, Table 3): scores on the development sets of GLUE, medians over 5 runs, with S kernels per head and without (baseline). Δ is the greatest increase of a row, and Δ% the share of the errors that it removes. The page computes none of these numbers."
            </p>
            <div class="pair">{parts.collect_view()}</div>
        </section>
    }
}

/// A part of the table.
#[component]
fn PublishedPart(part: &'static GlueScores) -> impl IntoView {
    let kernels = GLUE_KERNELS.map(|count| view! { <th scope="col">{format!("S = {count}")}</th> });
    let rows = part.rows.iter().map(|row| {
        let scores = row.with_kernels.map(|score| view! { <td>{score}</td> });
        view! {
            <tr>
                <th scope="row">{row.task}</th>
                <td>{row.baseline}</td>
                {scores.into_iter().collect_view()}
                <td>{row.increase}</td>
                <td>{row.error_reduction}</td>
            </tr>
        }
    });
    view! {
        <table>
            <caption>{format!("Published, Table {}: {}.", part.letter, part.models)}</caption>
            <thead>
                <tr>
                    <td></td>
                    <th scope="col">"Baseline"</th>
                    {kernels.into_iter().collect_view()}
                    <th scope="col">"Δ"</th>
                    <th scope="col">"Δ%"</th>
                </tr>
            </thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    }
}
