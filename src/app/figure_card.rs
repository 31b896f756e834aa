//! A figure with everything that belongs to it: heading, what to see, formula, toolbar, summary, numbers.

use super::{
    canvas,
    controls::CopyLink,
    download,
    engine::{Channel, Engine},
    figure_view::{AnyFigure, FigureView, Pull, Zoom},
    formulas::Formula,
    state::State,
    theme::Dark,
};
use crate::{
    analysis::{Answer, MatrixFormat, MatrixId, Request},
    figure::svg::svg,
    math::Window,
};
use js_sys::{Array, Uint8Array};
use leptos::prelude::*;
use std::{cell::RefCell, rc::Rc};

/// Device pixels to a CSS pixel in a downloaded PNG.
const PNG_SCALE: f64 = 2.0;
/// Width of downloaded figures in CSS pixels.
const DOWNLOAD_WIDTH: f64 = 640.0;
/// Rows of numbers shown under a figure; a download has them all.
const ROWS_SHOWN: usize = 64;

/// What is downloaded as numbers when it is more than the figure's own table.
pub(super) type WholeMatrix = Option<(MatrixId, Option<Window>)>;

/// A figure card. `children` are the controls beside it.
#[component]
pub(super) fn FigureCard(
    /// The figure's identifier, as in links, file names and tests.
    id: &'static str,
    title: &'static str,
    /// One sentence on what to see.
    #[prop(into)]
    caption: ViewFn,
    #[prop(into)] formula: Signal<Formula>,
    #[prop(into)] figure: Signal<Option<AnyFigure>>,
    /// Positions under the shared cursor; 0 for figures without one.
    #[prop(into, default = Signal::stored(0))]
    positions: Signal<usize>,
    /// The matrix behind the figure, fetched in full for CSV and NPY.
    #[prop(into, default = Signal::stored(None))]
    matrix: Signal<WholeMatrix>,
    #[prop(optional)] pull: Option<Pull>,
    #[prop(optional)] zoom: Option<Zoom>,
    /// Laid over the picture, in its coordinates.
    #[prop(optional, into)]
    above: Option<ViewFn>,
    /// Said while there is no figure.
    #[prop(default = "Computing …")]
    empty: &'static str,
    #[prop(optional)] children: Option<Children>,
) -> impl IntoView {
    let present = Memo::new(move |_| figure.with(Option::is_some));
    let figure_state = move || if present.get() { "ready" } else { "waiting" };
    let summary = move || figure.with(|figure| figure.as_ref().map(|f| f.summary()).unwrap_or_default());
    let label = Signal::derive(move || format!("{title}. {}", summary()));
    let heading = format!("{id}-title");
    let labelled_by = heading.clone();
    let summary_id = format!("{id}-summary");
    let described_by = summary_id.clone();
    view! {
        <figure id=id data-figure=id data-state=figure_state aria-labelledby=labelled_by aria-describedby=described_by>
            <header>
                <h2 id=heading>{title}</h2>
                <Toolbar id=id title=title figure=figure matrix=matrix/>
            </header>
            <p class="caption">{caption.run()} " " <span class="formula" inner_html=move || formula.get().0></span></p>
            {children.map(|children| view! { <div class="controls">{children()}</div> })}
            <div class="stage">
                <FigureView id=id figure=figure label=label positions=positions pull=pull zoom=zoom/>
                {above.map(|above| above.run())}
                <p class="waiting" hidden=move || present.get()>{empty}</p>
            </div>
            <figcaption class="summary" id=summary_id>{summary}</figcaption>
            <Numbers title=title figure=figure/>
        </figure>
    }
}

#[component]
fn Toolbar(
    id: &'static str,
    title: &'static str,
    figure: Signal<Option<AnyFigure>>,
    matrix: Signal<WholeMatrix>,
) -> impl IntoView {
    let state = expect_context::<State>();
    let engine = expect_context::<Engine>();
    let dark = expect_context::<Dark>();
    let missing = move || figure.with(Option::is_none);
    let name = move |ending: &str| format!("diagonal-{id}.{ending}");
    let png = move |_| {
        if let Some(figure) = figure.get_untracked() {
            let name = name("png");
            let scene = figure.scene(DOWNLOAD_WIDTH);
            canvas::png(&scene, dark.theme_now(), PNG_SCALE, move |blob| download::save(&name, &blob));
        }
    };
    let save_svg = move |_| {
        if let Some(figure) = figure.get_untracked() {
            let scene = figure.scene(DOWNLOAD_WIDTH);
            let text = svg(&scene, dark.theme_now(), title, canvas::data_address);
            download::save_text(&name("svg"), "image/svg+xml", &text);
        }
    };
    let numbers = move |format: MatrixFormat| {
        let (ending, kind) = match format {
            MatrixFormat::Csv => ("csv", "text/csv"),
            MatrixFormat::Npy => ("npy", "application/octet-stream"),
        };
        let name = name(ending);
        match (matrix.get_untracked(), figure.get_untracked()) {
            (Some((matrix, window)), _) => fetch_matrix(state, engine, matrix, format, window, name, kind),
            (None, Some(figure)) => match format {
                MatrixFormat::Csv => download::save_text(&name, kind, &figure.table().csv()),
                MatrixFormat::Npy => download::save_bytes(&name, kind, &figure.table().npy()),
            },
            (None, None) => {}
        }
    };
    let csv = move |_| numbers(MatrixFormat::Csv);
    let npy = move |_| numbers(MatrixFormat::Npy);
    view! {
        <div class="toolbar" role="group" aria-label=format!("Take {title} home")>
            <button type="button" aria-label="Download PNG" title="Download PNG" disabled=missing on:click=png>"PNG"</button>
            <button type="button" aria-label="Download SVG" title="Download SVG" disabled=missing on:click=save_svg>"SVG"</button>
            <button type="button" aria-label="Download CSV" title="Download CSV" disabled=missing on:click=csv>"CSV"</button>
            <button type="button" aria-label="Download NPY" title="Download NPY" disabled=missing on:click=npy>"NPY"</button>
            <CopyLink figure=id/>
        </div>
    }
}

/// Has the worker write a matrix in full, piece by piece, into a file.
fn fetch_matrix(
    state: State,
    engine: Engine,
    matrix: MatrixId,
    format: MatrixFormat,
    window: Option<Window>,
    name: String,
    kind: &'static str,
) {
    let parts = Rc::new(RefCell::new(Array::new()));
    let window = window.unwrap_or_else(|| Window::whole(usize::MAX, usize::MAX));
    engine.ask(Channel::Export, Request::Matrix(matrix, format, window), move |answer| match answer {
        Answer::File(bytes) => {
            parts.borrow().push(&Uint8Array::from(bytes.as_slice()));
        }
        Answer::Done => download::save_parts(&name, kind, &parts.borrow()),
        Answer::Failed(sentence) => state.say(true, sentence),
        _ => {}
    });
}

/// The figure's numbers as a table, made when it is opened.
#[component]
fn Numbers(title: &'static str, figure: Signal<Option<AnyFigure>>) -> impl IntoView {
    let open = RwSignal::new(false);
    let toggle = move |event: leptos::ev::Event| {
        let details: web_sys::Element = event_target(&event);
        open.set(details.has_attribute("open"));
    };
    let table = move || {
        let table = open.get().then(|| figure.get()).flatten()?.table();
        let rows = table.rows();
        let step = rows.div_ceil(ROWS_SHOWN).max(1);
        let note = (step > 1).then(|| format!("Every {step}th of {rows} rows; downloads have them all."));
        Some(view! {
            <table>
                <caption>{title} {note.map(|note| format!(". {note}"))}</caption>
                <thead>
                    <tr>{table.names().map(|name| view! { <th scope="col">{name.to_owned()}</th> }).collect_view()}</tr>
                </thead>
                <tbody>
                    {(0..rows)
                        .step_by(step)
                        .map(|row| {
                            let cells = table.row(row).into_iter().map(|cell| view! { <td>{cell}</td> });
                            view! { <tr>{cells.collect_view()}</tr> }
                        })
                        .collect_view()}
                </tbody>
            </table>
        })
    };
    view! {
        <details class="numbers" on:toggle=toggle>
            <summary>"Numbers"</summary>
            <div class="scroll">{table}</div>
        </details>
    }
}
