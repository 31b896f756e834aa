//! Findings about the configuration of a rotary model, as a list.

use crate::{
    analysis::RotaryFindings,
    app::{controls::buttons::CopyButton, query_client::QueryClient, state::ModelList},
    model::rotary_findings::{Finding, Severity, findings_as_text},
};
use leptos::prelude::*;

/// Section: which angles the layers use, whether they cover the claimed length, and how other programs misread them.
#[component]
pub(super) fn FindingList() -> impl IntoView {
    let models = ModelList::from_context();
    let findings = QueryClient::from_context().ask(move || {
        Some(RotaryFindings {
            of: models.open.get()?,
        })
    });
    let list = Memo::new(move |_| findings.with(|list| list.cloned().unwrap_or_default()));
    let text = move |()| list.with_untracked(|list| findings_as_text(list));
    let is_any = move || list.with(|list| !list.is_empty());
    view! {
        <Show when=is_any>
            <section class="findings" aria-labelledby="findings-title">
                <h2 id="findings-title">"What this configuration means"</h2>
                <ul>
                    {move || list.get().into_iter().map(|finding| view! { <FindingItem finding/> }).collect_view()}
                </ul>
                <CopyButton
                    name="Copy"
                    label="Copy these findings as text"
                    class=""
                    text
                />
            </section>
        </Show>
    }
}

/// A finding with its severity as a word and a sign.
#[component]
fn FindingItem(finding: Finding) -> impl IntoView {
    let (class, sign) = match finding.severity {
        Severity::Fault => ("finding fault", "×"),
        Severity::Caution => ("finding caution", "!"),
        Severity::Fact => ("finding fact", "i"),
    };
    view! {
        <li class=class>
            <span class="finding-sign" aria-hidden="true">{sign}</span>
            <b>{finding.severity.word()}</b>
            " "
            {finding.sentence}
        </li>
    }
}
