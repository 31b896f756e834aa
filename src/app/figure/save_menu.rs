//! The menu “Save” of a figure: its picture, its numbers, and links to it. The menu is a lazy part.
//!
//! It is a disclosure with groups of buttons rather than an ARIA menu, because it holds choices beside actions. The
//! focus moves into it when it opens. Escape, a press outside and leaving it by Tab close it.

use super::{
    matrix_source::MatrixSource,
    numpy_dialog::{self, ProgramRequest},
    picture_options::PictureOptions,
    program_constants::ProgramConstants,
    program_snapshots::ProgramSnapshots,
    saving::{
        self,
        request::{ExportRequest, FigureFormat, SaveRequest},
    },
    toolbar::SaveMenu,
};
use crate::{
    analysis::MatrixFormat,
    app::{
        controls::{
            buttons::{ClipboardButton, CopyEmbed, CopyLink},
            download::{self, PictureCopy},
            while_mounted::while_mounted,
        },
        lazy::lazy_view,
        query_client::QueryClient,
        state::{Messages, PageState, comparison::Comparison},
    },
};
use futures_channel::oneshot;
use leptos::{
    ev::{self, FocusEvent},
    html,
    prelude::*,
};
use wasm_bindgen::JsCast;
use web_sys::{EventTarget, HtmlElement, Node, ScrollIntoViewOptions, ScrollLogicalPosition};

lazy_view! {
    /// The open menu of the figure in context, as a lazy part.
    pub(super) const SAVE_MENU = SaveMenuPanel in details;
}

/// File formats of pictures, with their names in the menu.
const PICTURES: [(FigureFormat, &str); 2] =
    [(FigureFormat::Png, "PNG"), (FigureFormat::Svg, "SVG")];

/// File formats of numbers, with their names in the menu.
const NUMBERS: [(FigureFormat, &str); 2] = [
    (FigureFormat::Numbers(MatrixFormat::Csv), "CSV"),
    (FigureFormat::Numbers(MatrixFormat::Npy), "NPY"),
];

/// Least distance of the menu from the left edge of the window, in CSS pixels.
const MARGIN: f64 = 8.0;

impl SaveMenu {
    /// Describes the figure as it is now, as a file of this format.
    fn request(&self, format: FigureFormat) -> Option<ExportRequest> {
        let matrix = |matrix: &Option<MatrixSource>| matrix.as_ref().and_then(MatrixSource::now);
        Some(ExportRequest {
            spec: self.spec,
            model: self.model.map(|model| model.get_untracked()),
            format,
            clipboard: None,
            title: self.title.get_untracked(),
            caption: self.caption.get_untracked(),
            figure: self.figure.get_untracked()?,
            is_earlier: self.earlier.get_untracked(),
            matrix: self.matrix.with_value(matrix),
            saves: self.saves,
        })
    }

    /// Whether an event happened in the menu or on its button.
    fn contains(&self, target: Option<EventTarget>) -> bool {
        let target = target.and_then(|target| target.dyn_into::<Node>().ok());
        let place = self.place.get_untracked();
        place.is_some_and(|place| place.contains(target.as_ref()))
    }

    /// Closes the menu and returns the focus to its button.
    fn close(&self) {
        self.open.set(false);
        let button = self.place.get_untracked();
        focus(button.and_then(|place| place.query_selector("button").ok().flatten()));
    }
}

/// The open menu. New entries belong into one of its groups.
#[component]
fn SaveMenuPanel() -> impl IntoView {
    let (state, client) = (PageState::from_context(), QueryClient::from_context());
    let menu: SaveMenu = expect_context();
    let panel = NodeRef::<html::Div>::new();
    // In a frame of its own, once the menu is laid out.
    request_animation_frame(move || {
        if let Some(panel) = panel.try_get_untracked().flatten() {
            bring_into_window(&panel);
            focus(panel.query_selector("button:enabled").ok().flatten());
        }
    });
    let presses = window_event_listener(ev::pointerdown, move |event| {
        if !menu.contains(event.target()) {
            menu.open.set(false);
        }
    });
    let keys = window_event_listener(ev::keydown, move |event| {
        if event.key() == "Escape" && menu.contains(event.target()) {
            event.prevent_default();
            menu.close();
        }
    });
    on_cleanup(move || {
        presses.remove();
        keys.remove();
    });
    let leave = move |event: FocusEvent| {
        // Without a next element, the window lost the focus.
        let next = event.related_target();
        if next.is_some() && !menu.contains(next) {
            menu.open.set(false);
        }
    };
    let without_picture = Memo::new(move |_| menu.figure.with(Option::is_none));
    // The picture may be there before the matrix. Its numbers may be block means, so they are not exported instead.
    let without_numbers = Memo::new(move |_| {
        let behind = |matrix: &Option<MatrixSource>| matrix.as_ref().map(MatrixSource::current);
        let behind = menu.matrix.with_value(behind);
        without_picture.get() || behind.is_some_and(|matrix| matrix.is_none())
    });
    let files = move |formats: [(FigureFormat, &'static str); 2], missing: Memo<bool>| {
        formats.map(|(format, name)| {
            let save = move |_| {
                if let Some(request) = menu.request(format) {
                    menu.close();
                    saving::save(state, client, SaveRequest::Figure(request));
                }
            };
            let label = format!("Download {name}");
            view! {
                <button type="button" aria-label=label.clone() title=label disabled=missing on:click=save>
                    {name}
                </button>
            }
        })
    };
    let add_to_sheet = move |_| {
        if let Some(request) = menu.request(FigureFormat::Svg) {
            menu.close();
            saving::save(state, client, SaveRequest::Panel(request));
        }
    };
    let comparison = use_context::<Comparison>();
    let constants = ProgramConstants::of_view();
    let snapshots = ProgramSnapshots::of_view();
    let show_program = move |_| {
        if let Some(figure) = menu.figure.get_untracked() {
            menu.close();
            let request = ProgramRequest {
                id: menu.spec.id,
                title: menu.title.get_untracked(),
                model: menu.model.map(|model| model.get_untracked()),
                figure,
                comparison,
                constants: constants.clone(),
                snapshots: snapshots(),
            };
            numpy_dialog::show(state, client, request);
        }
    };
    let links = menu.model.is_none().then(|| {
        view! {
            <MenuGroup name="Link">
                <CopyLink figure=menu.spec.id/>
                <CopyEmbed figure=menu.spec.id title=menu.title/>
            </MenuGroup>
        }
    });
    view! {
        <div class="save-menu" node_ref=panel on:focusout=while_mounted(leave)>
            <MenuGroup name="Picture">
                {files(PICTURES, without_picture)}
                <CopyPicture menu missing=without_picture/>
                <button
                    type="button"
                    title="Add to a sheet of several figures"
                    disabled=without_picture
                    on:click=add_to_sheet
                >
                    "Add to sheet"
                </button>
            </MenuGroup>
            <PictureOptions/>
            <MenuGroup name="Numbers">
                {files(NUMBERS, without_numbers)}
                <button
                    type="button"
                    title="A Python program that computes the numbers of this figure"
                    disabled=without_picture
                    on:click=show_program
                >
                    "Show in NumPy"
                </button>
            </MenuGroup>
            {links}
        </div>
    }
}

/// Entries of the menu under a name.
#[component]
fn MenuGroup(name: &'static str, children: Children) -> impl IntoView {
    view! {
        <div class="group" role="group" aria-label=name>
            <span aria-hidden="true">{name}</span>
            <div class="entries">{children()}</div>
        </div>
    }
}

/// Copies the picture of a figure to the clipboard.
#[component]
fn CopyPicture(
    menu: SaveMenu,
    /// Whether there is no picture.
    missing: Memo<bool>,
) -> impl IntoView {
    let (state, client) = (PageState::from_context(), QueryClient::from_context());
    let messages = Messages::from_context();
    let copy = move |on_copied: Callback<()>| {
        let Some(request) = menu.request(FigureFormat::Png) else {
            return;
        };
        let (sender, picture) = oneshot::channel();
        let request = ExportRequest {
            clipboard: Some(sender),
            ..request
        };
        let picture = async move {
            saving::save(state, client, SaveRequest::Figure(request));
            picture.await.ok()
        };
        download::copy_picture(picture, move |copy| match copy {
            PictureCopy::Done => {
                // Ignored: the menu may have been closed meanwhile.
                let _ = on_copied.try_run(());
            }
            // The export has told why.
            PictureCopy::NoPicture => {}
            PictureCopy::Refused => {
                messages.warn("This browser cannot copy pictures. Save the PNG instead.");
            }
        });
    };
    view! { <ClipboardButton name="Copy" label="Copy picture" class="" missing copy/> }
}

/// Moves the menu to the right if it begins left of the window, and scrolls the page if it ends below the window.
fn bring_into_window(panel: &HtmlElement) {
    let beyond = MARGIN - panel.get_bounding_client_rect().left();
    if beyond > 0.0 {
        // Ignored: a length is always accepted.
        let _ = panel
            .style()
            .set_property("right", &format!("{}px", -beyond));
    }
    let nearest = ScrollIntoViewOptions::new();
    nearest.set_block(ScrollLogicalPosition::Nearest);
    nearest.set_inline(ScrollLogicalPosition::Nearest);
    panel.scroll_into_view_with_scroll_into_view_options(&nearest);
}

/// Focuses an element without scrolling to it.
fn focus(element: Option<web_sys::Element>) {
    if let Some(element) = element.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        // Ignored: focusing a mounted element does not fail.
        let _ = element.focus();
    }
}
