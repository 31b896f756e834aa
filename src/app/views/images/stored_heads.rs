//! Heads that the open checkpoint stores as Gaussians, offered as a starting point.

use super::demonstration::ImageDemonstration;
use crate::{
    analysis::StoredGaussians,
    app::{query_client::QueryClient, state::ModelList},
};
use leptos::{either::Either, prelude::*};

/// The model family whose checkpoints store Gaussians.
const FAMILY: &str = "attention-cnn";

/// A button for each layer whose heads are stored as Gaussians, or the reason why a checkpoint of that family has none.
/// Empty for other families.
#[component]
pub(super) fn StoredHeads() -> impl IntoView {
    let models = ModelList::from_context();
    let demonstration = ImageDemonstration::from_context();
    let layers = QueryClient::from_context().ask(move || {
        let of = models.open.get()?;
        let is_of_family = models.summary()?.family == FAMILY;
        is_of_family.then_some(StoredGaussians { of })
    });
    let group = move || {
        let answer = layers.get()?;
        let layers = match answer.as_ref() {
            Ok(layers) => layers,
            Err(why) => {
                let why = why.clone();
                return Some(Either::Left(view! { <p class="hint">{why}</p> }));
            }
        };
        let buttons = layers.iter().cloned().enumerate().map(|(layer, heads)| {
            let take = move |_| {
                demonstration.choose(|chosen| {
                    chosen.heads = Some(heads.clone());
                    chosen.head = 0;
                });
            };
            let name = format!("Heads of layer {} of the open model", layer + 1);
            view! { <button type="button" aria-label=name on:click=take>{layer + 1}</button> }
        });
        let buttons = buttons.collect_view();
        Some(Either::Right(view! {
            <div class="presets" role="group" aria-label="Layers of the open model">
                <span class="hint">"Layer of the open model"</span>
                {buttons}
            </div>
        }))
    };
    view! { {group} }
}
