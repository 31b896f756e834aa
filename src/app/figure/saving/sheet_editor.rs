//! The editor of a sheet: figures that are saved together as its panels. It is at the bottom of the page from the first
//! figure on that is added, and keeps its panels when the view changes.
//!
//! A panel is a figure as it was when it was added. Only the blocks of its matrices are computed again, in the
//! resolution of the sheet, if their model is still open.

use super::{
    figure::{can_be_saved, png},
    finer_blocks::{with_finer_blocks, with_finer_panels},
    font::font,
    request::ExportRequest,
    source::ExportSource,
};
use crate::{
    app::{
        controls::{
            buttons::{ActionButton, SegmentedButtons, options},
            download,
            focus::{focus_next, focusable},
        },
        figure::{canvas, matrix_source::ShownMatrix, view::AnyFigure},
        query_client::QueryClient,
        state::{PageState, saving::Saves},
    },
    export::{
        Heading, MOST_COLUMNS, MOST_PANELS, PanelSheet, SheetPanel, SheetWidth, TextOutlines,
        document, panel_letter,
    },
};
use leptos::{mount::mount_to, prelude::*};
use std::{cell::OnceCell, sync::Arc};
use wasm_bindgen_futures::spawn_local;

thread_local! {
    /// The editor, once a figure was added.
    static EDITOR: OnceCell<SheetEditor> = const { OnceCell::new() };
}

/// A figure that was added to the sheet.
struct AddedFigure {
    /// Number that identifies the panel, whatever its place.
    key: usize,
    figure: AnyFigure,
    caption: String,
    /// The matrix behind the figure.
    matrix: Option<ShownMatrix>,
    source: ExportSource,
}

impl AddedFigure {
    /// The title and the subject.
    fn name(&self) -> String {
        match self.source.line.as_str() {
            "" => self.source.title().to_owned(),
            line => format!("{}, {line}", self.source.title()),
        }
    }
}

/// The panels of the sheet, and how they are laid out.
#[derive(Clone, Copy)]
struct SheetEditor {
    state: PageState,
    client: QueryClient,
    panels: RwSignal<Vec<Arc<AddedFigure>>>,
    columns: RwSignal<usize>,
    width: RwSignal<SheetWidth>,
    heading: RwSignal<Heading>,
    /// Number of panels that were ever added.
    count: StoredValue<usize>,
    /// The files that are being created.
    saves: Saves,
}

/// Adds a figure to the sheet. The first one mounts the editor.
pub(super) fn add(state: PageState, client: QueryClient, figure: ExportRequest) {
    let source = ExportSource::new(state, &figure);
    if !can_be_saved(state, &figure, &source) {
        return;
    }
    let editor = EDITOR.with(|editor| *editor.get_or_init(|| SheetEditor::mount(state, client)));
    if editor.panels.with_untracked(Vec::len) >= MOST_PANELS {
        return state.messages.notify(format!(
            "“{}” was not added: a sheet has at most {MOST_PANELS} panels. Remove one first.",
            figure.title
        ));
    }
    let key = editor.count.get_value() + 1;
    editor.count.set_value(key);
    let panel = Arc::new(AddedFigure {
        key,
        figure: figure.figure,
        caption: figure.caption,
        matrix: figure.matrix,
        source,
    });
    editor.panels.update(|panels| panels.push(panel));
}

impl SheetEditor {
    /// Mounts an editor without panels at the end of the page. Its owner lives as long as the page.
    fn mount(state: PageState, client: QueryClient) -> Self {
        let owner = Owner::new();
        let editor = owner.with(|| {
            state.provide();
            provide_context(client);
            let editor = Self {
                state,
                client,
                panels: RwSignal::new(Vec::new()),
                columns: RwSignal::new(2),
                width: RwSignal::new(SheetWidth::Page),
                heading: RwSignal::new(Heading::Title),
                count: StoredValue::new(0),
                saves: Saves::new(),
            };
            if let Some(body) = leptos::prelude::document().body() {
                mount_to(body, move || view! { <SheetEditorView editor/> }).forget();
            }
            editor
        });
        std::mem::forget(owner);
        editor
    }

    /// Moves a panel by one place.
    fn shift(self, key: usize, is_back: bool) {
        self.panels.update(|panels| {
            let Some(at) = panels.iter().position(|panel| panel.key == key) else {
                return;
            };
            let to = match is_back {
                true => at.checked_sub(1),
                false => Some(at + 1).filter(|to| *to < panels.len()),
            };
            if let Some(to) = to {
                panels.swap(at, to);
            }
        });
        // The browser drops the focus of an element that is moved.
        let button = if is_back { "first" } else { "last" };
        focus_next(move || focusable(&format!("#panel-{key} .moves button:{button}-child")));
    }

    fn remove(self, key: usize) {
        let at = self
            .panels
            .with_untracked(|panels| panels.iter().position(|panel| panel.key == key));
        self.panels
            .update(|panels| panels.retain(|panel| panel.key != key));
        let next = self.panels.with_untracked(|panels| {
            let at = at?.min(panels.len().checked_sub(1)?);
            Some(panels.get(at)?.key)
        });
        if let Some(next) = next {
            focus_next(move || focusable(&format!("#panel-{next} [data-remove]")));
        }
    }

    /// Lays panels out as chosen.
    fn layout(self, panels: &[SheetPanel]) -> PanelSheet<'_> {
        PanelSheet {
            panels,
            columns: self.columns.get_untracked(),
            width: self.width.get_untracked(),
            heading: self.heading.get_untracked(),
        }
    }

    /// Saves the sheet. Failures become messages.
    fn save(self, is_png: bool) {
        let guard = self.saves.begin();
        spawn_local(async move {
            if let Err(why) = self.write(is_png).await {
                self.state.messages.warn(why);
            }
            drop(guard);
        });
    }

    /// Lays the panels out and saves them as PNG or SVG.
    ///
    /// # Errors
    /// If the font or memory for the picture are not available. The error is a sentence for the user.
    async fn write(self, is_png: bool) -> Result<(), String> {
        let font = font().await;
        let letters = font.as_deref().and_then(TextOutlines::read).ok_or(
            "The sheet was not saved: the font of pictures could not be fetched. Try again when the connection is back.",
        )?;
        let members = self.panels.get_untracked();
        let mut panels: Vec<SheetPanel> = members.iter().map(|one| one.as_panel()).collect();
        let sheet = self.layout(&panels);
        let sizes: Vec<(f64, Option<usize>)> = (sheet.figure_widths().into_iter())
            .enumerate()
            .map(|(at, width)| (width, sheet.plot_dots(at)))
            .collect();
        for ((panel, member), (width, dots)) in panels.iter_mut().zip(&members).zip(sizes) {
            let finer =
                match with_finer_blocks(self.client, &member.figure, member.matrix.as_ref(), dots)
                    .await
                {
                    Ok(None) => with_finer_panels(self.client, &panel.figure, width).await,
                    finer => finer,
                };
            // If the model was closed meanwhile, the panel keeps the blocks it had on the page.
            if let Ok(Some(figure)) = finer {
                panel.provenance = member.source.provenance(&member.caption, &*figure);
                panel.figure = figure;
            }
        }
        let sheet = self.layout(&panels);
        let (scene, provenance) = (sheet.scene(&letters), sheet.provenance());
        let background = self.state.pictures.get_untracked().background;
        let name = sheet.file_name();
        if !is_png {
            let text = document(&scene, background, &provenance, canvas::data_address);
            download::save_text(&format!("{name}.svg"), "image/svg+xml", &text);
            return Ok(());
        }
        let bytes = png(&scene, background, &provenance).await.ok_or(
            "The sheet was not saved: this browser cannot make a picture of this size. Save it as SVG, or with fewer panels.",
        )?;
        download::save_bytes(&format!("{name}.png"), "image/png", &bytes);
        Ok(())
    }
}

impl AddedFigure {
    fn as_panel(&self) -> SheetPanel {
        SheetPanel {
            figure: Arc::clone(&self.figure),
            title: self.source.title().to_owned(),
            subject: self.source.line.clone(),
            labels: self.source.words.clone(),
            provenance: (self.source).provenance(&self.caption, self.figure.as_ref()),
        }
    }
}

/// The panels in order, the layout, and the buttons that save. Hidden while there are no panels.
#[component]
fn SheetEditorView(editor: SheetEditor) -> impl IntoView {
    let count = Memo::new(move |_| editor.panels.with(Vec::len));
    let columns = options((1..=MOST_COLUMNS).map(|count| (count, count.to_string())));
    let is_too_narrow =
        move || editor.width.get() == SheetWidth::Column && editor.columns.get() == MOST_COLUMNS;
    let number = move || match count.get() {
        1 => "1 panel".to_owned(),
        count => format!("{count} panels"),
    };
    view! {
        <aside class="sheet-editor" aria-label="Sheet of figures" hidden=move || count.get() == 0>
            <details open>
                <summary>
                    "Sheet of figures: " <span role="status">{number}</span>
                </summary>
                <ol>
                    <For each=move || editor.panels.get() key=|panel| panel.key let:panel>
                        <PanelEntry editor panel/>
                    </For>
                </ol>
                <p class="hint">
                    "A panel stays as it was when it was added."
                    {move || is_too_narrow().then_some(" A sheet of 84 mm has at most two columns.")}
                </p>
                <div class="controls">
                    <SegmentedButtons
                        label="Columns"
                        options=columns
                        value=editor.columns
                        set=move |columns| editor.columns.set(columns)
                    />
                    <SegmentedButtons
                        label="Width of the sheet"
                        options=options([(SheetWidth::Column, "84 mm"), (SheetWidth::Page, "175 mm")])
                        value=editor.width
                        set=move |width| editor.width.set(width)
                    />
                    <SegmentedButtons
                        label="Headings of panels"
                        options=options([(Heading::Title, "with headings"), (Heading::Nothing, "without")])
                        value=editor.heading
                        set=move |heading| editor.heading.set(heading)
                    />
                    <button type="button" class="primary" on:click=move |_| editor.save(true)>"Save PNG"</button>
                    <button type="button" class="primary" on:click=move |_| editor.save(false)>"Save SVG"</button>
                    <button type="button" on:click=move |_| editor.panels.update(Vec::clear)>"Remove all"</button>
                    <span class="saving" role="status">
                        {move || editor.saves.is_under_way().then_some("Saving …")}
                    </span>
                </div>
            </details>
        </aside>
    }
}

/// A panel: its letter, its name, and buttons to move and remove it.
#[component]
fn PanelEntry(editor: SheetEditor, panel: Arc<AddedFigure>) -> impl IntoView {
    let (key, name) = (panel.key, panel.name());
    let place = Memo::new(move |_| {
        let place = |panels: &Vec<Arc<AddedFigure>>| panels.iter().position(|one| one.key == key);
        editor.panels.with(place).unwrap_or(0)
    });
    let is_first = Memo::new(move |_| place.get() == 0);
    let is_last = Memo::new(move |_| place.get() + 1 >= editor.panels.with(Vec::len));
    let label = |what: &str| format!("{what}: {name}");
    let (earlier, later, remove) = (
        label("Move to an earlier place"),
        label("Move to a later place"),
        label("Remove from the sheet"),
    );
    view! {
        <li id=format!("panel-{key}")>
            <b>{move || panel_letter(place.get())}</b>
            <span class="name" title=name.clone()>{name.clone()}</span>
            <span class="moves">
                <ActionButton text="←" label=earlier idle=is_first press=move |()| editor.shift(key, true)/>
                <ActionButton text="→" label=later idle=is_last press=move |()| editor.shift(key, false)/>
            </span>
            <button type="button" data-remove aria-label=remove on:click=move |_| editor.remove(key)>"×"</button>
        </li>
    }
}
