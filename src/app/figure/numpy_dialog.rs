//! “Show in NumPy”: a dialog with the Python program that computes the numbers of a figure. Its code is a lazy part,
//! because it contains the programs of all figures.

use super::view::AnyFigure;
use crate::{
    analysis::{HeadId, ModelId, ModelVersion, NumpyCode},
    app::{
        controls::{buttons::ClipboardButton, download, while_mounted::while_mounted},
        query_client::{MutationEvent, QueryClient},
        state::{PageState, comparison::Comparison, model_entry::ModelEntry},
    },
    numpy_model::NumpyModel,
    numpy_program::{Choices, ModelScope, ProgramModel, ViewConstants, model_scope, write},
    same_origin_files,
    training::run_archive_name,
    url_state::{FigureId, ModelRef},
};
use futures_channel::oneshot;
use leptos::{
    html,
    mount::mount_to,
    prelude::*,
    wasm_split::{SplitLoaderError, wasm_split},
};
use std::cell::{OnceCell, RefCell};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Element, KeyboardEvent, MouseEvent};

/// A figure whose program is to be shown, in its state at the time of the press.
pub(super) struct ProgramRequest {
    /// The figure.
    pub(super) id: FigureId,
    /// Title of the figure on the page.
    pub(super) title: String,
    /// Name of the model that the figure shows, if several figures share a specification.
    pub(super) model: Option<String>,
    /// The figure. Numbers that a search has found are constants of its program.
    pub(super) figure: AnyFigure,
    /// The compared models, if a view compares models.
    pub(super) comparison: Option<Comparison>,
    /// Constants that only the view knows.
    pub(super) constants: ViewConstants,
    /// The checkpoints of a sequence in order, each with its step.
    pub(super) snapshots: Vec<(ModelId, u64)>,
}

/// The function of the lazy part that shows programs.
type Show = fn(PageState, QueryClient, ProgramRequest);

// Returns the function instead of calling it: the arguments of a split function must be plain types.
#[wasm_split(programs, wasm_split_path = leptos::wasm_split, fallible)]
fn programs_part() -> Result<Show, SplitLoaderError> {
    Ok(show_now)
}

/// Shows the program of a figure. Failures become messages.
pub(super) fn show(state: PageState, client: QueryClient, request: ProgramRequest) {
    spawn_local(async move {
        match programs_part().await {
            Ok(show) => show(state, client, request),
            Err(_) => state.messages.warn(format!(
                "The program of “{}” was not shown: the part of the page that writes it could not be fetched. {}",
                request.title,
                same_origin_files::last_failure()
            )),
        }
    });
}

/// A program in the dialog.
#[derive(Debug, Clone, PartialEq)]
struct ShownProgram {
    title: String,
    /// Name of the file without its ending.
    name: &'static str,
    /// The sentence above the program.
    about: String,
    text: String,
}

thread_local! {
    /// The program in the dialog, once one was shown.
    static DIALOG: OnceCell<RwSignal<Option<ShownProgram>>> = const { OnceCell::new() };
}

fn show_now(state: PageState, client: QueryClient, request: ProgramRequest) {
    let named = request.model.as_ref().and_then(|name| {
        let entries = state.models.entries.get_untracked();
        entries.into_iter().find(|entry| entry.title == *name)
    });
    let place = |head: HeadId| (head.layer, head.head);
    let choices = Choices {
        figure: request.id,
        link: state.url.link.get_untracked(),
        summary: match &named {
            Some(named) => named.summary.clone(),
            None => untrack(|| state.models.summary()),
        },
        head: untrack(|| state.open_head.get()).map(place),
        second: untrack(|| state.open_head.second()).map(place),
        cells: untrack(|| state.open_head.cells()),
        lengths: untrack(|| (state.kernels.positions(), state.kernels.length())),
        table: request.figure.table(),
        of_view: request.constants.clone(),
    };
    let entries = models_of(state, &request, named, &choices);
    spawn_local(async move {
        let mut models = Vec::new();
        for (entry, step) in &entries {
            match program_model(client, entry).await {
                Ok(model) => models.push(ProgramModel {
                    step: *step,
                    ..model
                }),
                Err(sentence) => return state.messages.warn(sentence),
            }
        }
        match write(&models, &choices) {
            Ok(text) => open(ShownProgram {
                about: about(&entries, &models, &text),
                title: request.title,
                name: request.id.id(),
                text,
            }),
            Err(sentence) => state.messages.notify(sentence),
        }
    });
}

/// The models that the program of a figure reads. Checkpoints of a sequence have a step.
fn models_of(
    state: PageState,
    request: &ProgramRequest,
    named: Option<ModelEntry>,
    choices: &Choices,
) -> Vec<(ModelEntry, Option<u64>)> {
    let entries = state.models.entries.get_untracked();
    let entry = |id| entries.iter().find(|entry| entry.id() == Some(id)).cloned();
    let without_step = |entry: ModelEntry| (entry, None);
    match (model_scope(choices), named, request.comparison) {
        (ModelScope::None, ..) => Vec::new(),
        (ModelScope::Snapshots, ..) => {
            let snapshots = request.snapshots.iter();
            snapshots
                .filter_map(|(id, step)| Some((entry(*id)?, Some(*step))))
                .collect()
        }
        (ModelScope::Compared, None, Some(comparison)) => {
            let compared = untrack(|| comparison.taking_part(true));
            let mut compared = compared;
            // In the order of the figure.
            compared.sort_by_key(|model| choices.row_of_model(&model.name));
            compared
                .iter()
                .filter_map(|model| entry(model.id()))
                .map(without_step)
                .collect()
        }
        (_, Some(named), _) => vec![(named, None)],
        (_, None, _) => {
            let open = untrack(|| state.models.open_entry());
            open.into_iter().map(without_step).collect()
        }
    }
}

/// The code of a model, from the worker or, of a computed table, from its formula.
async fn program_model(client: QueryClient, entry: &ModelEntry) -> Result<ProgramModel, String> {
    let name = entry.title.clone();
    let Some(version) = entry.version else {
        return Err(format!("{name} is not open yet."));
    };
    let code = match &entry.reference {
        ModelRef::Sinusoidal(table) => NumpyModel::sinusoidal(*table),
        ModelRef::Random(table) => NumpyModel::random(*table),
        reference => {
            let mut code = code_of(client, version).await?;
            if let ModelRef::Preset(id) | ModelRef::Site(id) = reference {
                code.files = vec![format!("{id}.safetensors")];
            }
            code
        }
    };
    Ok(ProgramModel {
        name,
        step: None,
        code,
    })
}

/// Asks the worker for the code of an open model.
async fn code_of(client: QueryClient, of: ModelVersion) -> Result<NumpyModel, String> {
    let (sender, receiver) = oneshot::channel();
    let sender = RefCell::new(Some(sender));
    client.run(NumpyCode { of }, Vec::new(), move |event| {
        let answer = match event {
            MutationEvent::Chunk(answer) => answer,
            MutationEvent::Failed(failure) => Err(failure.sentence),
            MutationEvent::Bytes(_) | MutationEvent::Done => return,
        };
        if let Some(sender) = sender.take() {
            // Ignored: the task that waits lives until it is answered.
            let _ = sender.send(answer);
        }
    });
    let lost =
        || Err("The program could not be written: the computation was interrupted.".to_owned());
    receiver.await.unwrap_or_else(|_| lost())
}

/// The sentence above a program: the files that it reads, and how to run it.
fn about(entries: &[(ModelEntry, Option<u64>)], models: &[ProgramModel], text: &str) -> String {
    let files = models.iter().flat_map(|model| &model.code.files);
    let files: Vec<&str> = files.map(String::as_str).collect();
    let is_preset =
        |(entry, _): &(ModelEntry, Option<u64>)| matches!(entry.reference, ModelRef::Preset(_));
    let place = match entries.iter().all(is_preset) {
        true => " Files of presets are in the folder presets/ of this site.",
        false => "",
    };
    match files.as_slice() {
        [] if text.contains("RUN_FOLDERS") => about_runs(text),
        [] => {
            "This program needs no file. It prints the same numbers as the figure’s CSV.".to_owned()
        }
        [file] => format!(
            "This program reads {file} and prints the same numbers as the figure’s CSV.{place}"
        ),
        files => format!(
            "This program reads {} and prints the same numbers as the figure’s CSV.{place}",
            files.join(", ")
        ),
    }
}

/// The sentence above a program that reads runs: those that ship with the page, or archives that the page saves.
fn about_runs(text: &str) -> String {
    let line = text.lines().find(|line| line.starts_with("RUN_FOLDERS"));
    let folders = line.unwrap_or_default().split('"').skip(1).step_by(2);
    let (page_folders, own_folders): (Vec<&str>, Vec<&str>) =
        folders.partition(|folder| folder.starts_with("presets/runs/"));
    if own_folders.is_empty() {
        return "This program reads the files of runs, in the folder presets/runs/ of this site, and prints the same numbers as the figure’s CSV.".to_owned();
    }
    let archives: Vec<String> = own_folders.into_iter().map(run_archive_name).collect();
    let others = match page_folders.is_empty() {
        true => "",
        false => " Other runs are in the folder presets/runs/ of this site.",
    };
    format!(
        "Save each run by the button “Save run” beside its name, and unpack {} beside the program. It reads their folders, and prints the numbers of the figure’s CSV at the saved snapshots.{others}",
        archives.join(", ")
    )
}

/// Opens the dialog with a program. The first one mounts it.
fn open(program: ShownProgram) {
    let shown = DIALOG.with(|dialog| {
        *dialog.get_or_init(|| {
            let owner = Owner::new();
            let shown = owner.with(|| {
                let shown = RwSignal::new(None);
                if let Some(body) = document().body() {
                    mount_to(body, move || view! { <ProgramDialog shown/> }).forget();
                }
                shown
            });
            // The dialog lives as long as the page.
            std::mem::forget(owner);
            shown
        })
    });
    shown.set(Some(program));
}

/// The dialog. It opens whenever a program is set.
#[component]
fn ProgramDialog(shown: RwSignal<Option<ShownProgram>>) -> impl IntoView {
    let dialog = NodeRef::<html::Dialog>::new();
    Effect::new(move |_| {
        if shown.with(Option::is_some)
            && let Some(dialog) = dialog.get().filter(|dialog| !dialog.open())
        {
            // Ignored: fails only if the dialog is open, or not mounted.
            let _ = dialog.show_modal();
        }
    });
    let close = move || {
        if let Some(dialog) = dialog.get_untracked() {
            dialog.close();
        }
    };
    // Only the area around the dialog has the dialog itself as target.
    let close_outside = move |event: MouseEvent| {
        let clicked = event
            .target()
            .and_then(|target| target.dyn_into::<Element>().ok());
        if clicked.is_some_and(|element| element.tag_name() == "DIALOG") {
            close();
        }
    };
    let read = move |part: fn(&ShownProgram) -> String| {
        move || shown.with(|program| program.as_ref().map(part).unwrap_or_default())
    };
    let text = read(|program| program.text.clone());
    // A message of the page would be behind the dialog.
    let is_refused = RwSignal::new(false);
    let refusal = move || {
        is_refused.get().then_some("This browser does not let the page use the clipboard. Select the program and copy it, or save it.")
    };
    let copy = move |on_copied: Callback<()>| {
        download::copy(&untrack(text), move |is_copied| {
            // Ignored: the dialog may have been closed meanwhile.
            let _ = is_refused.try_set(!is_copied);
            if is_copied {
                let _ = on_copied.try_run(());
            }
        });
    };
    let save = move |_| {
        let name = shown.with_untracked(|program| program.as_ref().map(|program| program.name));
        download::save_text(
            &format!("{}.py", name.unwrap_or_default()),
            "text/x-python",
            &untrack(text),
        );
    };
    view! {
        <dialog
            class="reference program"
            aria-labelledby="program-title"
            node_ref=dialog
            on:keydown=while_mounted(|event: KeyboardEvent| event.stop_propagation())
            on:click=close_outside
        >
            <header>
                <h2 id="program-title">{read(|program| format!("“{}” in NumPy", program.title))}</h2>
                <button type="button" class="quiet" aria-label="Close" on:click=move |_| close()>"×"</button>
            </header>
            <div class="actions">
                <p>{read(|program| program.about.clone())} <span role="status">{refusal}</span></p>
                <ClipboardButton name="Copy" label="Copy the program" class="" copy/>
                <button type="button" aria-label="Download the program" on:click=save>"Download"</button>
            </div>
            <pre class="text" role="region" aria-label="Python program" tabindex="0">{text}</pre>
        </dialog>
    }
}
