//! The picture options: width, background, heading.

use crate::app::lazy::lazy_view;
use crate::{
    app::{
        controls::{
            buttons::{SegmentedButtons, options},
            while_mounted::while_mounted,
        },
        figure::toolbar::OptionsFold,
        state::PageState,
    },
    export::{Background, Heading, SheetWidth},
};
use leptos::{ev, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::Node;

lazy_view! {
    /// The picture options, as a lazy part.
    pub(in crate::app) const PICTURE_OPTIONS = PictureChooser in saving;
}

/// The picture options, unfolded below their button. Escape or a press outside folds them.
#[component]
fn PictureChooser() -> impl IntoView {
    let choice = PageState::from_context().pictures;
    let OptionsFold { open, place } = expect_context();
    let elsewhere = window_event_listener(ev::pointerdown, move |event| {
        let target = event.target();
        let target = target.and_then(|target| target.dyn_into::<Node>().ok());
        let inside = place
            .get_untracked()
            .is_some_and(|place| place.contains(target.as_ref()));
        if !inside {
            open.set(false);
        }
    });
    on_cleanup(move || elsewhere.remove());
    let fold = move |event: ev::KeyboardEvent| {
        if event.key() == "Escape" {
            open.set(false);
            let button = place.get_untracked();
            let button = button.and_then(|place| place.query_selector("button").ok().flatten());
            if let Some(button) = button.and_then(|b| b.dyn_into::<web_sys::HtmlElement>().ok()) {
                // Ignored: a visible button can be focused.
                let _ = button.focus();
            }
        }
    };
    let width = Signal::derive(move || choice.get().width);
    let background = Signal::derive(move || choice.get().background);
    let heading = Signal::derive(move || choice.get().heading);
    view! {
        <div class="picture-chooser" role="group" aria-label="How pictures are saved" on:keydown=while_mounted(fold)>
            <SegmentedButtons
                label="Width"
                options=options([(SheetWidth::Column, "column"), (SheetWidth::Page, "page")])
                value=width
                set=move |width| choice.update(|choice| choice.width = width)
            />
            <SegmentedButtons
                label="Background"
                options=options([
                    (Background::White, "white"),
                    (Background::Transparent, "transparent"),
                ])
                value=background
                set=move |background| choice.update(|choice| choice.background = background)
            />
            <SegmentedButtons
                label="Heading"
                options=options([
                    (Heading::Title, "with heading"),
                    (Heading::Nothing, "without"),
                ])
                value=heading
                set=move |heading| choice.update(|choice| choice.heading = heading)
            />
            <p>{move || words(width.get())}</p>
        </div>
    }
}

/// Describes a width.
fn words(width: SheetWidth) -> &'static str {
    match width {
        SheetWidth::Column => "84 mm, as a column of a paper. PNG at 300 dpi; light colours.",
        SheetWidth::Page => "175 mm, as a page of a paper. PNG at 300 dpi; light colours.",
    }
}
