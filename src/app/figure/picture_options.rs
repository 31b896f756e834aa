//! The picture options: width, background, heading.

use crate::{
    app::{
        controls::buttons::{SegmentedButtons, options},
        state::PageState,
    },
    export::{Background, Heading, SheetWidth},
};
use leptos::prelude::*;

/// The options of every picture that the page saves.
#[component]
pub(super) fn PictureOptions() -> impl IntoView {
    let choice = PageState::from_context().pictures;
    let width = Signal::derive(move || choice.get().width);
    let background = Signal::derive(move || choice.get().background);
    let heading = Signal::derive(move || choice.get().heading);
    view! {
        <div class="picture-options">
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
