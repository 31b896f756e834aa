//! A figure with everything that belongs to it: heading, what to see, formula, toolbar, summary, numbers.

use super::{
    canvas,
    controls::copy_link,
    download,
    dynamic::{click, dynamic, flag, list, on, text},
    engine::{Channel, Engine},
    figure_view::{AnyFigure, Pull, Zoom, figure_view},
    formulas::Formula,
    state::State,
    theme::Dark,
};
use crate::{
    analysis::{Answer, MatrixFormat, MatrixId, Request},
    figure::{Table, svg::svg},
    link::{ModelRef, figure_named},
    math::Window,
};
use js_sys::{Array, Uint8Array};
use leptos::prelude::*;
use std::{cell::RefCell, rc::Rc, sync::Arc};

/// Device pixels to a CSS pixel in a downloaded PNG.
const PNG_SCALE: f64 = 2.0;
/// Width of downloaded figures in CSS pixels, where the one on screen is narrower.
const DOWNLOAD_WIDTH: f64 = 640.0;
/// Rows of numbers shown under a figure; a download has them all.
const ROWS_SHOWN: usize = 64;

/// The matrix behind a figure, fetched in full for CSV and NPY.
pub(super) type WholeMatrix = Arc<dyn Fn() -> Option<(MatrixId, Option<Window>)> + Send + Sync>;

/// A figure with everything that belongs to it.
pub(super) struct FigureCard {
    id: &'static str,
    title: &'static str,
    caption: Signal<String>,
    formula: Signal<String>,
    figure: Signal<Option<AnyFigure>>,
    positions: Signal<usize>,
    matrix: Option<WholeMatrix>,
    pull: Option<Pull>,
    zoom: Option<Zoom>,
    above: Option<AnyView>,
    stage: Option<AnyView>,
    controls: Vec<AnyView>,
    partial: Signal<bool>,
    empty: &'static str,
}

impl FigureCard {
    /// A figure under its identifier, as in links, file names and tests, with its title in [`FIGURES`].
    ///
    /// [`FIGURES`]: crate::link::FIGURES
    pub(super) fn new(id: &'static str, figure: Signal<Option<AnyFigure>>) -> Self {
        Self {
            id,
            title: figure_named(id).map_or("", |entry| entry.title),
            caption: Signal::stored(String::new()),
            formula: Signal::stored(String::new()),
            figure,
            positions: Signal::stored(0),
            matrix: None,
            pull: None,
            zoom: None,
            above: None,
            stage: None,
            controls: Vec::new(),
            partial: Signal::stored(false),
            empty: "Computing …",
        }
    }

    /// Under another title than the list's, where the model asks for one.
    pub(super) fn titled(mut self, title: Option<&'static str>) -> Self {
        self.title = title.unwrap_or(self.title);
        self
    }

    /// One sentence on what to see.
    pub(super) fn caption(mut self, caption: impl Into<Signal<String>>) -> Self {
        self.caption = caption.into();
        self
    }

    /// The formula after it.
    pub(super) fn formula(mut self, formula: Formula) -> Self {
        self.formula = Signal::stored(formula.0.to_owned());
        self
    }

    /// A formula that changes.
    pub(super) fn formulas(
        mut self,
        formula: impl Fn() -> Formula + Send + Sync + 'static,
    ) -> Self {
        self.formula = text(move || formula().0.to_owned());
        self
    }

    /// Puts it under the shared cursor; `positions` is the size of its matrix.
    pub(super) fn cursor(mut self, positions: Signal<usize>) -> Self {
        self.positions = positions;
        self
    }

    /// The matrix behind it, or the window of it that is shown.
    pub(super) fn matrix(
        mut self,
        matrix: impl Fn() -> Option<(MatrixId, Option<Window>)> + Send + Sync + 'static,
    ) -> Self {
        self.matrix = Some(Arc::new(matrix));
        self
    }

    /// What pulling at it does.
    pub(super) fn pull(mut self, pull: Pull) -> Self {
        self.pull = Some(pull);
        self
    }

    /// What a wheel over it does.
    pub(super) fn zoom(mut self, zoom: Zoom) -> Self {
        self.zoom = Some(zoom);
        self
    }

    /// Laid over the picture, in its coordinates.
    pub(super) fn above(mut self, above: AnyView) -> Self {
        self.above = Some(above);
        self
    }

    /// Shown in the place of the picture, which is then for downloads alone.
    pub(super) fn stage(mut self, stage: AnyView) -> Self {
        self.stage = Some(stage);
        self
    }

    /// The controls beside it.
    pub(super) fn controls(mut self, controls: Vec<AnyView>) -> Self {
        self.controls = controls;
        self
    }

    /// Whether more of it is still to come.
    pub(super) fn partial(mut self, partial: Signal<bool>) -> Self {
        self.partial = partial;
        self
    }

    /// Said while there is no figure.
    pub(super) fn empty(mut self, empty: &'static str) -> Self {
        self.empty = empty;
        self
    }

    /// On the page.
    pub(super) fn view(self) -> AnyView {
        let Self {
            id,
            title,
            caption,
            formula,
            figure,
            ..
        } = self;
        let present = flag(move || figure.with(Option::is_some));
        let partial = self.partial;
        let figure_state = text(move || {
            match (present.get(), partial.get()) {
                (false, _) => "waiting",
                (true, true) => "partial",
                (true, false) => "ready",
            }
            .to_owned()
        });
        let summary = text(move || {
            figure.with(|figure| figure.as_ref().map(|f| f.summary()).unwrap_or_default())
        });
        let label = text(move || format!("{title}. {}", summary.get()));
        let (state, empty) = (expect_context::<State>(), self.empty);
        let waiting = text(move || {
            let link_waits = state
                .link
                .with(|link| link.model.is_remote() || matches!(link.model, ModelRef::File { .. }));
            match state.open.get() {
                None if link_waits => "Nothing is open yet.",
                _ => empty,
            }
            .to_owned()
        });
        let (heading, summary_id) = (format!("{id}-title"), format!("{id}-summary"));
        let (labelled_by, described_by) = (heading.clone(), summary_id.clone());
        let controls = (!self.controls.is_empty())
            .then(|| view! { <div class="controls">{self.controls}</div> }.into_any());
        let stage = self.stage.unwrap_or_else(|| {
            view! {
                <div class="stage">
                    {figure_view(id, figure, label, self.positions, self.pull, self.zoom)}
                    {self.above}
                    <p class="waiting" hidden=present>{waiting}</p>
                </div>
            }
            .into_any()
        });
        view! {
            <figure id=id data-figure=id data-state=figure_state aria-labelledby=labelled_by aria-describedby=described_by>
                <header>
                    <h2 id=heading>{title}</h2>
                    {toolbar(id, Signal::stored(title.to_owned()), None, figure, self.matrix)}
                </header>
                <p class="caption">{caption} " " <span class="formula" inner_html=formula></span></p>
                {controls}
                {stage}
                <figcaption class="summary" id=summary_id>{summary}</figcaption>
                {numbers(title, figure)}
            </figure>
        }
        .into_any()
    }
}

/// As wide as on screen, but no narrower than a column of a paper.
fn download_width(id: &str) -> f64 {
    let on_screen = document()
        .query_selector(&format!("#{id} .figure-view"))
        .ok()
        .flatten()
        .map_or(0, |view| view.client_width());
    f64::from(on_screen).max(DOWNLOAD_WIDTH)
}

/// What can be taken home of a figure. One of several under the same identifier is told apart by its
/// `model`, and has no link of its own.
pub(super) fn toolbar(
    id: &'static str,
    title: Signal<String>,
    model: Option<Signal<String>>,
    figure: Signal<Option<AnyFigure>>,
    matrix: Option<WholeMatrix>,
) -> AnyView {
    let state = expect_context::<State>();
    let dark = expect_context::<Dark>();
    let name = move |ending: &str| {
        let model = model.map_or(String::new(), |model| {
            format!("-{}", model.get_untracked().replace(['/', '\\', ':'], "-"))
        });
        format!("diagonal-{id}{model}.{ending}")
    };
    let png = click(move || {
        if let Some(figure) = figure.get_untracked() {
            let name = name("png");
            let scene = figure.scene(download_width(id));
            canvas::png(&scene, dark.theme_now(), PNG_SCALE, move |blob| {
                download::save(&name, &blob);
            });
        }
    });
    let save_svg = click(move || {
        if let Some(figure) = figure.get_untracked() {
            let scene = figure.scene(download_width(id));
            let title = title.get_untracked();
            let text = svg(&scene, dark.theme_now(), &title, canvas::data_address);
            download::save_text(&name("svg"), "image/svg+xml", &text);
        }
    });
    let numbers = Arc::new(move |format: MatrixFormat| {
        let (ending, kind) = match format {
            MatrixFormat::Csv => ("csv", "text/csv"),
            MatrixFormat::Npy => ("npy", "application/octet-stream"),
        };
        let name = name(ending);
        let whole = matrix.as_ref().and_then(|matrix| untrack(|| matrix()));
        match (whole, figure.get_untracked()) {
            (Some((matrix, window)), _) => fetch_matrix(state, matrix, format, window, name, kind),
            (None, Some(figure)) => match format {
                MatrixFormat::Csv => download::save_text(&name, kind, &figure.table().csv()),
                MatrixFormat::Npy => download::save_bytes(&name, kind, &figure.table().npy()),
            },
            (None, None) => {}
        }
    });
    let as_npy = Arc::clone(&numbers);
    let csv = click(move || numbers(MatrixFormat::Csv));
    let npy = click(move || as_npy(MatrixFormat::Npy));
    let missing = flag(move || figure.with(Option::is_none));
    let buttons = [("PNG", png), ("SVG", save_svg), ("CSV", csv), ("NPY", npy)].into_iter().map(|(name, save)| {
        let label = format!("Download {name}");
        let shown = label.clone();
        view! { <button type="button" aria-label=label title=shown disabled=missing on:click=save>{name}</button> }
            .into_any()
    });
    let label = text(move || format!("Take “{}” home", title.get()));
    let link = model.is_none().then(|| copy_link(Some(id)));
    view! {
        <div class="toolbar" role="group" aria-label=label>
            {list(buttons)}
            {link}
        </div>
    }
    .into_any()
}

/// Has the worker write a matrix in full, piece by piece, into a file.
fn fetch_matrix(
    state: State,
    matrix: MatrixId,
    format: MatrixFormat,
    window: Option<Window>,
    name: String,
    kind: &'static str,
) {
    let parts = Rc::new(RefCell::new(Array::new()));
    let window = window.unwrap_or_else(|| Window::whole(usize::MAX, usize::MAX));
    Engine.ask(
        Channel::Export,
        Request::Matrix(matrix, format, window),
        move |answer| match answer {
            Answer::File(bytes) => {
                parts.borrow().push(&Uint8Array::from(bytes.as_slice()));
            }
            Answer::Done => download::save_parts(&name, kind, &parts.borrow()),
            Answer::Failed(sentence) => state.say(true, sentence),
            _ => {}
        },
    );
}

/// The figure's numbers as a table, made when it is opened.
fn numbers(title: &'static str, figure: Signal<Option<AnyFigure>>) -> AnyView {
    let open = RwSignal::new(false);
    let toggle = on(move |event: leptos::ev::Event| {
        let details: web_sys::Element = event_target(&event);
        open.set(details.has_attribute("open"));
    });
    let table = dynamic(move || match open.get().then(|| figure.get()).flatten() {
        Some(figure) => number_table(title, &figure.table()),
        None => ().into_any(),
    });
    view! {
        <details class="numbers" on:toggle=toggle>
            <summary>"Numbers"</summary>
            <div class="scroll" tabindex="0" role="region" aria-label=format!("Numbers of {title}")>{table}</div>
        </details>
    }
    .into_any()
}

fn number_table(title: &'static str, table: &Table) -> AnyView {
    let rows = table.rows();
    let step = rows.div_ceil(ROWS_SHOWN).max(1);
    let note = match step {
        1 => String::new(),
        _ => format!(". One row of {step}; downloads have all {rows}."),
    };
    let head = table
        .names()
        .map(|name| view! { <th scope="col">{name.to_owned()}</th> }.into_any());
    let body = (0..rows).step_by(step).map(|row| {
        let cells = table
            .row(row)
            .into_iter()
            .map(|cell| view! { <td>{cell}</td> }.into_any());
        view! { <tr>{list(cells)}</tr> }.into_any()
    });
    view! {
        <table>
            <caption>{format!("{title}{note}")}</caption>
            <thead><tr>{list(head)}</tr></thead>
            <tbody>{list(body)}</tbody>
        </table>
    }
    .into_any()
}
