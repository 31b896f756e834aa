//! About the page: its purpose, privacy, citation, sources, licence.

use crate::{
    app::controls::buttons::CopyButton,
    page_reference::{CitedWork, DIAGONAL, SOURCES},
};
use leptos::prelude::*;

/// Address of the source code, as `Cargo.toml` states it. Empty if it states none.
const REPOSITORY: Option<&str> = option_env!("CARGO_PKG_REPOSITORY");

/// The text about the page.
#[component]
pub(super) fn AboutText() -> impl IntoView {
    let repository = REPOSITORY
        .filter(|address| !address.is_empty())
        .map(|address| {
            view! { <p><a href=address target="_blank" rel="noreferrer">"Source code"</a></p> }
        });
    let sources = SOURCES.iter().map(|work| view! { <SourceEntry work/> });
    view! {
        <p>
            "Diagonal shows how transformers encode position: the position embeddings of a checkpoint, the scores that they cause in every attention head, and how far both depend on the offset alone. It fits the kernels of translation-invariant self-attention (TISA) to heads, finds the waves in learned position tables, and shows when attention on an image is a convolution."
        </p>
        <h3>"Privacy"</h3>
        <p>
            "Files stay on this machine. The browser reads them and computes every figure. Only a model that you name on the Hugging Face Hub, or an address that you give, is fetched, and of it only the parts that a figure needs."
        </p>
        <h3>"Sources"</h3>
        <ul class="sources">{sources.collect_view()}</ul>
        <h3>"How to cite"</h3>
        <p>"Please cite Diagonal as below, and the paper whose figure you use."</p>
        <div class="bibtex">
            <pre tabindex="0">{DIAGONAL.bibtex()}</pre>
            <CopyBibtex work=&DIAGONAL label="Copy the BibTeX entry of Diagonal"/>
        </div>
        <h3>"Licence and version"</h3>
        <p>
            {concat!("Diagonal ", env!("CARGO_PKG_VERSION"), " is under the ")}
            <a href="https://www.apache.org/licenses/LICENSE-2.0" target="_blank" rel="noreferrer">"Apache License 2.0"</a>
            ", as is the preset, an extract of "
            <a href="https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2" target="_blank" rel="noreferrer">"all-MiniLM-L6-v2"</a>
            ". The samples are extracts of "
            {sample_licences()}
            " (MIT). Its fonts, Inter, Source Serif and STIX Two Math, are under the SIL Open Font License."
        </p>
        {repository}
    }
}

/// The packages of the samples, each with a link to its licence.
fn sample_licences() -> impl IntoView {
    let licence = |(name, file)| {
        view! { <a href=format!("presets/{file}-LICENSE.txt") target="_blank">{name}</a> }
    };
    let [first, second, third] = [
        ("RXNMapper", "rxnmapper"),
        ("Sapiens", "sapiens"),
        ("RXNFP", "rxnfp"),
    ]
    .map(licence);
    view! { {first} ", " {second} " and " {third} }
}

/// A source, with a link to it and a button that copies its BibTeX entry.
#[component]
fn SourceEntry(work: &'static CitedWork) -> impl IntoView {
    let title = match work.url {
        Some(url) => {
            view! { <a href=url target="_blank" rel="noreferrer">{work.title}</a> }.into_any()
        }
        None => work.title.into_any(),
    };
    view! {
        <li>
            <span>{title} <span class="hint">{format!(" {}, {}", work.author_names(), work.year)}</span></span>
            <CopyBibtex work label="Copy the BibTeX entry of this source"/>
        </li>
    }
}

#[component]
fn CopyBibtex(
    work: &'static CitedWork,
    /// Accessible name and tooltip.
    label: &'static str,
) -> impl IntoView {
    view! { <CopyButton name="BibTeX" label class="quiet" text=Callback::new(move |()| work.bibtex())/> }
}
