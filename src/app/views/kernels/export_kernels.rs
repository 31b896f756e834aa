//! Export and import of kernels as files.

use super::fits::KernelFits;
use crate::{
    analysis::HeadOverview,
    app::{
        controls::{download, while_mounted::while_mounted},
        query_client::Query,
        state::{KernelEditor, Messages, UrlState},
    },
    encoding::KernelSet,
    figure_spec::formulas::{self, Formula},
    kernel_io::{DEFAULT_PREFIX, KERNEL_FORMATS, KernelFile, KernelFormat},
    url_state::{LONGEST_PREFIX, for_sliders},
};
use leptos::{
    either::Either,
    ev::{Event, Targeted},
    prelude::*,
};
use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;

/// The kernel matrix in the TISA authors' module, and how its centres map to this page's.
const AUTHORS: Formula = Formula(
    "<math><msub><mrow><mo stretchy=\"false\">(</mo><msub><mi>F</mi><mi>P</mi></msub><mo stretchy=\"false\">)</mo></mrow><mrow><mi>i</mi><mi>j</mi></mrow></msub><mo>=</mo><mi>f</mi><mo stretchy=\"false\">(</mo><mi>i</mi><mo>−</mo><mi>j</mi><mo>−</mo><mn>1</mn><mo stretchy=\"false\">)</mo><mo>,</mo><mspace width=\"0.6em\"></mspace><mi>c</mi><mo>↔</mo><mo>−</mo><mo stretchy=\"false\">(</mo><mi>c</mi><mo>+</mo><mn>1</mn><mo stretchy=\"false\">)</mo></math>",
);

/// Element id of the sections on files.
const FILES: &str = "kernel-files";

/// Buttons that save the sliders' kernels, for the place beside the sliders.
#[component]
pub(super) fn SaveKernels() -> impl IntoView {
    let url = UrlState::from_context();
    let sliders = move || {
        let kernels = url.link.with_untracked(|link| link.kernels.kernels.clone());
        KernelFile::from(KernelSet::single(kernels))
    };
    view! {
        <div class="saved-kernels">
            <Downloads what="these kernels" label="Save" kernels=sliders/>
            <a href=format!("#{FILES}")>"About these files, and opening them"</a>
        </div>
    }
}

/// Sections on the files of kernels: their conventions, export of fits, and import.
#[component]
pub(super) fn ExportKernels(
    /// The open head.
    head: Query<HeadOverview>,
) -> impl IntoView {
    let url = UrlState::from_context();
    let fits = KernelFits::from_context();
    let fitted = Memo::new(move |_| match fits.displayed_fits().len() {
        0 => None,
        1 => Some("The fit, as it was computed:".to_owned()),
        fits => Some(format!("{fits} fits as one file:")),
    });
    let any_muted = url.select(|link| link.kernels.kernels.0.iter().any(|kernel| kernel.is_muted));
    let muted = move || any_muted.get().then_some(" Muted kernels are not saved.");
    view! {
        <div class="take-home" id=FILES>
            <section aria-label="Export">
                <h2>"Export"</h2>
                <p class="caption">
                    "The buttons beside the sliders save their kernels as one layer with one head. JSON and CSV contain them as shown here. Safetensors contains them as the TISA authors’ module expects, with −(c + 1) in place of c; this page converts them back when it opens the file."
                    {muted}
                </p>
                <Convention format="JSON, CSV" formula=formulas::KERNEL_MATRIX/>
                <Convention format="safetensors" formula=AUTHORS/>
                <Show when=move || fitted.with(Option::is_some)>
                    <p class="caption fitted-file">{fitted}</p>
                    <Downloads what="the fitted kernels" label="" kernels=move || fits.file()/>
                </Show>
                <TensorPrefix/>
            </section>
            <section aria-label="Import">
                <h2>"Import"</h2>
                <p class="caption">"You can reopen these files here; any file with kernel_offsets, kernel_amplitudes and kernel_sharpness works too. Their heads then appear in the other views."</p>
                <ImportKernels head/>
            </section>
        </div>
    }
}

/// Download buttons, one per file format.
#[component]
fn Downloads(
    /// Noun in the buttons' accessible names.
    what: &'static str,
    /// Text before the buttons.
    label: &'static str,
    /// Returns the kernels when a button is pressed.
    kernels: impl Fn() -> KernelFile + Copy + 'static,
) -> impl IntoView {
    let url = UrlState::from_context();
    let messages = Messages::from_context();
    let prefix = tensor_prefix(url);
    let save = move |format: &KernelFormat| {
        let file = kernels();
        match prefix.with_untracked(|prefix| format.write(&file, prefix)) {
            Ok(bytes) => {
                let name = format.file_name(&file.model);
                download::save_bytes(&name, format.media_type, &bytes);
            }
            Err(reason) => messages.warn(format!("These kernels cannot be saved: {reason}.")),
        }
    };
    let buttons = KERNEL_FORMATS.iter().map(|format| {
        let label = format!("Save {what} as {}", format.title);
        view! {
            <button type="button" aria-label=label on:click=move |_| save(format)>
                {format.title}
            </button>
        }
    });
    view! {
        <div class="presets" role="group" aria-label=format!("Save {what}")>
            <span class="hint" hidden=label.is_empty()>{label}</span>
            {buttons.collect_view()}
        </div>
    }
}

/// Returns a memo of the prefix of tensor names in exported safetensors.
fn tensor_prefix(url: UrlState) -> Memo<String> {
    Memo::new(move |_| {
        let typed = url.link.with(|link| link.kernel_options.prefix.clone());
        typed.unwrap_or_else(|| DEFAULT_PREFIX.to_owned())
    })
}

/// Field for the prefix of tensor names in exported safetensors.
#[component]
fn TensorPrefix() -> impl IntoView {
    let url = UrlState::from_context();
    let prefix = tensor_prefix(url);
    let rename = move |event: Targeted<Event, HtmlInputElement>| {
        let typed = Some(event.target().value()).filter(|typed| typed != DEFAULT_PREFIX);
        url.link.update(|link| link.kernel_options.prefix = typed);
    };
    view! {
        <label class="prefix">
            <span>"Tensor-name prefix"</span>
            <input
                type="text"
                autocomplete="off"
                autocapitalize="off"
                spellcheck="false"
                maxlength=LONGEST_PREFIX.to_string()
                prop:value=prefix
                on:input:target=while_mounted(rename)
            />
        </label>
    }
}

/// Buttons that import kernels: from the open head, if it is made of kernels, or from a file.
#[component]
fn ImportKernels(head: Query<HeadOverview>) -> impl IntoView {
    let editor = KernelEditor::from_context();
    let of_head = Memo::new(move |_| {
        let (question, detail) = head.get_with_question()?;
        // A head with no stored kernels has none to import.
        let kernels = detail.kernels.as_ref();
        let kernels = kernels.filter(|kernels| !kernels.0.is_empty())?;
        Some((question.of, for_sliders(kernels)))
    });
    let from_head = move || {
        let (head, kernels) = of_head.get()?;
        let (layer, head) = (head.layer + 1, head.head + 1);
        Some(match kernels {
            Ok(kernels) => {
                let what = match kernels.0.len() {
                    1 => "kernel".to_owned(),
                    count => format!("{count} kernels"),
                };
                let name = format!("Take the {what} of layer {layer}, head {head}");
                let take = move |_| editor.edit(None, |edited| edited.clone_from(&kernels));
                Either::Left(view! { <button type="button" on:click=take>{name}</button> })
            }
            Err(sentence) => {
                let message = format!("Layer {layer}, head {head}. {sentence}");
                Either::Right(view! { <p class="hint">{message}</p> })
            }
        })
    };
    let open = |_| {
        let field = document().get_element_by_id("open-file");
        if let Some(field) = field.and_then(|field| field.dyn_into::<web_sys::HtmlElement>().ok()) {
            field.click();
        }
    };
    view! {
        <div class="presets">
            {from_head}
            <button type="button" on:click=open>"Open kernels"</button>
        </div>
    }
}

/// The convention in which a format stores kernels.
#[component]
fn Convention(format: &'static str, formula: Formula) -> impl IntoView {
    view! {
        <div class="field">
            <span>{format}</span>
            <span class="formula" inner_html=formula.0></span>
        </div>
    }
}
