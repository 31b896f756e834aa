//! Heads that the open checkpoint stores as Gaussians: offered as a starting point, and as a figure of all layers.

use super::demonstration::ImageDemonstration;
use crate::{
    analysis::StoredGaussians,
    app::{
        figure::{
            card::FigureCard,
            view::{picture, ready},
        },
        query_client::{Query, QueryClient},
        state::ModelList,
    },
    figure::images::LayerGaussians,
    figure_spec::images::LAYER_GAUSSIANS,
};
use leptos::{either::Either, prelude::*};

/// The model family whose checkpoints store Gaussians.
const FAMILY: &str = "attention-cnn";

/// Queries the Gaussians of the open model if it is of that family.
fn ask_gaussians() -> Query<StoredGaussians> {
    let models = ModelList::from_context();
    QueryClient::from_context().ask(move || {
        let of = models.open.get()?;
        let is_of_family = models.summary()?.family == FAMILY;
        is_of_family.then_some(StoredGaussians { of })
    })
}

/// Figure: the Gaussian heads of every layer, if the open model stores them.
#[component]
pub(super) fn LayerGaussiansCard() -> impl IntoView {
    let layers = ask_gaussians();
    let has_gaussians = Memo::new(move |_| layers.with(|layers| matches!(layers, Some(Ok(_)))));
    let figure =
        picture(move || layers.with(|layers| ready(LayerGaussians::new(layers?.as_ref().ok()?)?)));
    view! {
        <Show when=move || has_gaussians.get()>
            <FigureCard spec=&LAYER_GAUSSIANS figure query=layers/>
        </Show>
    }
}

/// A button for each layer whose heads are stored as Gaussians, or the reason why a checkpoint of that family has none.
/// Empty for other families.
#[component]
pub(super) fn StoredHeads() -> impl IntoView {
    let demonstration = ImageDemonstration::from_context();
    let layers = ask_gaussians();
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
