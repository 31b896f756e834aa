//! The samples of the model list: trained models that ship with the page. Nothing of them is fetched before a visitor
//! chooses one.

use super::Opener;
use crate::{
    model::{MODEL_SAMPLES, ModelSample, Preset},
    url_state::ModelRef,
};
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

/// The list of samples, folded.
#[component]
pub(super) fn Samples() -> impl IntoView {
    let opener = Opener::from_context();
    let entries = MODEL_SAMPLES.iter().map(|sample| {
        view! {
            <li>
                <button type="button" class="item" data-sample=sample.presets[0] on:click=move |_| opener.open_sample(sample)>
                    <span class="name">{sample.title}</span>
                    <span class="about">{sample.look_for}</span>
                </button>
            </li>
        }
    });
    view! {
        <details class="samples">
            <summary>"Samples: trained models"</summary>
            <ul>{entries.collect_view()}</ul>
        </details>
    }
}

impl Opener {
    /// Opens the presets of a sample one after the other, and shows the first.
    fn open_sample(self, sample: &ModelSample) {
        let presets = sample.presets.iter().filter_map(|id| Preset::find(id));
        let presets: Vec<_> = presets
            .map(|preset| (preset, ModelRef::Preset(preset.id.to_owned())))
            .collect();
        let idle = presets.iter();
        let idle: Vec<_> = idle
            .filter(|(_, reference)| self.is_idle(reference))
            .cloned()
            .collect();
        for (_, reference) in &idle {
            self.announce_fetch(reference);
        }
        if let Some((_, first)) = presets.first() {
            self.state.models.show(first);
        }
        spawn_local(async move {
            // One after the other, so that they are listed in this order.
            for (preset, reference) in idle {
                self.load_preset(preset, reference).await;
            }
        });
    }
}
