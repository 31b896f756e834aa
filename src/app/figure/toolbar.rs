//! The toolbar of a figure: a menu that saves and shares, and the help.

use super::{
    help::GuideButton, matrix_source::MatrixSource, registry::FigureRegistry, save_menu::SAVE_MENU,
    view::AnyFigure,
};
use crate::{
    app::{lazy::Lazy, state::saving::Saves},
    figure_spec::FigureSpec,
    url_state::FigureId,
};
use leptos::{context::Provider, html, prelude::*};

/// The menu “Save” of a figure, as context of its lazy part.
#[derive(Clone, Copy)]
pub(super) struct SaveMenu {
    /// The specification of the figure.
    pub(super) spec: &'static FigureSpec,
    pub(super) title: Signal<String>,
    pub(super) caption: Signal<String>,
    /// The model that the figure shows, if several figures share a specification.
    pub(super) model: Option<Signal<String>>,
    pub(super) figure: Signal<Option<AnyFigure>>,
    /// Whether the figure still answers an earlier question.
    pub(super) earlier: Signal<bool>,
    /// The matrix behind the figure.
    pub(super) matrix: StoredValue<Option<MatrixSource>>,
    /// The files that are being created.
    pub(super) saves: Saves,
    /// Whether the menu is open.
    pub(super) open: RwSignal<bool>,
    /// The element with the button and the menu.
    pub(super) place: NodeRef<html::Div>,
}

/// The buttons of a figure. If several figures share a specification, `model` tells them apart, and there are no links
/// and no help.
#[component]
pub(in crate::app) fn FigureToolbar(
    /// The figure.
    spec: &'static FigureSpec,
    #[prop(into)] title: Signal<String>,
    /// Caption of the figure.
    #[prop(optional, into)]
    caption: Signal<String>,
    /// The model that the figure shows, if several figures share a specification.
    #[prop(optional, into)]
    model: Option<Signal<String>>,
    figure: Signal<Option<AnyFigure>>,
    /// Whether the figure still answers an earlier question.
    #[prop(optional, into)]
    earlier: Signal<bool>,
    /// The matrix behind the figure.
    #[prop(optional_no_strip)]
    matrix: Option<MatrixSource>,
) -> impl IntoView {
    let menu = SaveMenu {
        spec,
        title,
        caption,
        model,
        figure,
        earlier,
        matrix: StoredValue::new(matrix),
        saves: Saves::new(),
        open: RwSignal::new(false),
        place: NodeRef::new(),
    };
    let SaveMenu { saves, open, .. } = menu;
    view! {
        <div class="toolbar" role="group" aria-label=move || format!("Save or share “{}”", title.get())>
            <span class="saving" role="status">{move || saves.is_under_way().then_some("Saving …")}</span>
            <div class="save" node_ref=menu.place>
                <button
                    type="button"
                    aria-expanded=move || open.get().to_string()
                    on:click=move |_| open.update(|open| *open = !*open)
                >
                    "Save"
                </button>
                <Show when=move || open.get()>
                    // Each figure provides its own context.
                    <Provider value=menu>
                        <Lazy part=SAVE_MENU inline=true/>
                    </Provider>
                </Show>
            </div>
            {model.is_none().then(|| view! { <LargeButton id=spec.id/> <GuideButton id=spec.id/> })}
        </div>
    }
}

/// The button that makes a figure fill the window; [`super::large_figure`] follows once it is loaded. It is no tab
/// stop of its own: the key F does the same from any element of the figure.
#[component]
fn LargeButton(id: FigureId) -> impl IntoView {
    let registry = FigureRegistry::from_context();
    view! {
        <button
            type="button"
            class="enlarge"
            tabindex="-1"
            aria-label="Show large"
            title="Show large (F)"
            aria-keyshortcuts="f"
            on:click=move |_| registry.toggle_large(id)
        ></button>
    }
}
