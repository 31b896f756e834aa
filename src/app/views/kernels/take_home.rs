//! Kernels taken home as files, and brought back from them.

use crate::{
    app::{
        answers::Answers,
        download,
        dynamic::{click, dynamic, list, on, text},
        formulas::{self, Formula},
        state::State,
    },
    encoding::KernelSet,
    exchange::{DEFAULT_PREFIX, KernelFile, MODULE, to_csv, to_json, to_safetensors},
    link::for_sliders,
};
use leptos::prelude::*;
use std::rc::Rc;
use wasm_bindgen::JsCast;

/// The authors' module, and how its offsets go with centres.
const AUTHORS: Formula = Formula(
    "<math><msub><mrow><mo stretchy=\"false\">(</mo><msub><mi>F</mi><mi>P</mi></msub><mo stretchy=\"false\">)</mo></mrow><mrow><mi>i</mi><mi>j</mi></mrow></msub><mo>=</mo><mi>f</mi><mo stretchy=\"false\">(</mo><mi>i</mi><mo>−</mo><mi>j</mi><mo>−</mo><mn>1</mn><mo stretchy=\"false\">)</mo><mo>,</mo><mspace width=\"0.6em\"></mspace><mi>c</mi><mo>↔</mo><mo>−</mo><mo stretchy=\"false\">(</mo><mi>c</mi><mo>+</mo><mn>1</mn><mo stretchy=\"false\">)</mo></math>",
);

/// A file format: what the button says, the end of the file's name, its kind, and what makes it of kernels and
/// the prefix of its tensors.
type Format = (
    &'static str,
    &'static str,
    &'static str,
    fn(&KernelFile, &str) -> Result<Vec<u8>, String>,
);

static FORMATS: [Format; 4] = [
    ("JSON", "kernels.json", "application/json", |file, _| {
        to_json(file).map(String::into_bytes)
    }),
    ("CSV", "kernels.csv", "text/csv", |file, _| {
        to_csv(&file.set).map(String::into_bytes)
    }),
    (
        "safetensors",
        "kernels.safetensors",
        "application/octet-stream",
        |file, prefix| to_safetensors(file, prefix),
    ),
    (
        "PyTorch module",
        "tisa_kernels.py",
        "text/x-python",
        |_, _| Ok(MODULE.as_bytes().to_vec()),
    ),
];

/// The sliders' kernels as files, and the way back.
pub(super) fn take_home() -> AnyView {
    let state = expect_context::<State>();
    let sliders = move || {
        let kernels = state
            .link
            .with_untracked(|link| link.kernels.kernels.clone());
        KernelFile::from(KernelSet::of_one(kernels))
    };
    let muted = text(move || {
        let muted = state.link.with(|link| {
            link.kernels
                .kernels
                .0
                .iter()
                .filter(|kernel| kernel.muted)
                .count()
        });
        match muted {
            0 => "",
            _ => " Muted kernels stay here.",
        }
        .to_owned()
    });
    view! {
        <section class="kernel-controls take-home" aria-label="Take home">
            <h2>"Take home"</h2>
            <p class="caption">"The sliders’ kernels, as a layer of one head. JSON and CSV have them as they are on this page; safetensors has them for the module of TISA’s authors, which counts offsets the other way and one off. Opening a file turns them back."{muted}</p>
            {convention("JSON, CSV", formulas::KERNEL_MATRIX)}
            {convention("safetensors", AUTHORS)}
            {downloads("these kernels", sliders)}
            <h2>"Bring back"</h2>
            <p class="caption">"Such files open like checkpoints, and so does any that holds kernel_offsets, kernel_amplitudes and kernel_sharpness. Their heads are then in every view."</p>
            {bring_back()}
        </section>
    }
    .into_any()
}

/// Buttons that save kernels in each format; `kernels` are asked for when one is pressed. `what` is saved, for
/// those who hear the buttons' names.
pub(super) fn downloads(what: &'static str, kernels: impl Fn() -> KernelFile + 'static) -> AnyView {
    let kernels: Rc<dyn Fn() -> KernelFile> = Rc::new(kernels);
    let state = expect_context::<State>();
    let prefix = RwSignal::new(DEFAULT_PREFIX.to_owned());
    let buttons = FORMATS.iter().map(|&(title, end, kind, make)| {
        let kernels = Rc::clone(&kernels);
        let save = click(move || {
            let file = kernels();
            match make(&file, &prefix.get_untracked()) {
                Ok(bytes) => download::save_bytes(&name(&file.model, end), kind, &bytes),
                Err(reason) => state.say(true, format!("These kernels cannot be saved: {reason}.")),
            }
        });
        let label = format!("Save {what} as {title}");
        view! { <button type="button" aria-label=label on:click=save>{title}</button> }.into_any()
    });
    let typed = on(move |event| prefix.set(event_target_value(&event)));
    let shown = text(move || prefix.get());
    view! {
        <div class="presets" role="group" aria-label=format!("Save {what}")>{list(buttons)}</div>
        <label class="prefix">
            <span>"Names in safetensors begin with"</span>
            <input type="text" autocomplete="off" autocapitalize="off" spellcheck="false" prop:value=shown on:input=typed/>
        </label>
    }
    .into_any()
}

/// A file's name, with the model it is of.
fn name(model: &str, end: &str) -> String {
    if model.is_empty() || end.ends_with(".py") {
        return end.to_owned();
    }
    // Names of models may be paths or addresses.
    let plain = |c: char| {
        if c.is_alphanumeric() || "-_.".contains(c) {
            c
        } else {
            '-'
        }
    };
    format!("{}-{end}", model.chars().map(plain).collect::<String>())
}

/// The open head's kernels for the sliders, where it is made of such, and the way to files that have some.
fn bring_back() -> AnyView {
    let state = expect_context::<State>();
    let answers = expect_context::<Answers>();
    let from_head = dynamic(move || {
        let of_head = answers.head.with(|head| {
            let (id, detail) = head.as_ref()?;
            // A head that was not fitted has none to give.
            let kernels = detail
                .kernels
                .as_ref()
                .filter(|kernels| !kernels.0.is_empty());
            Some((*id, for_sliders(kernels?)))
        });
        let Some((id, kernels)) = of_head else {
            return ().into_any();
        };
        match kernels {
            Ok(kernels) => {
                let said = match kernels.0.len() {
                    1 => format!("Take the kernel of layer {}, head {}", id.layer + 1, id.head + 1),
                    count => format!(
                        "Take the {count} kernels of layer {}, head {}",
                        id.layer + 1,
                        id.head + 1
                    ),
                };
                let take =
                    click(move || state.edit_kernels(None, |edited| *edited = kernels.clone()));
                view! {
                    <button type="button" on:click=take>{said}</button>
                }
                .into_any()
            }
            Err(sentence) => view! { <p class="hint">{format!("Layer {}, head {}. {sentence}", id.layer + 1, id.head + 1)}</p> }.into_any(),
        }
    });
    let open = click(|| {
        let field = document().get_element_by_id("open-file");
        if let Some(field) = field.and_then(|field| field.dyn_into::<web_sys::HtmlElement>().ok()) {
            field.click();
        }
    });
    view! {
        <div class="presets">
            {from_head} <button type="button" on:click=open>"Open kernels"</button>
        </div>
    }
    .into_any()
}

/// In which convention a format has its kernels.
fn convention(format: &'static str, Formula(formula): Formula) -> AnyView {
    view! {
        <div class="field">
            <span>{format}</span>
            <span class="formula" inner_html=formula></span>
        </div>
    }
    .into_any()
}
