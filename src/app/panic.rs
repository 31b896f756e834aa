//! What is shown when the page itself has panicked: its program has ended, but its document is still there.

use js_sys::{Function, Reflect};
use leptos::prelude::document;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

/// From now on a panic uncovers the part of the document that says so.
pub fn show_panics() {
    std::panic::set_hook(Box::new(|info| {
        console_error_panic_hook::hook(info);
        // Nothing more can be done where this fails: the console has the message.
        let _ = uncover(&info.to_string());
    }));
}

/// Uses the document alone: nothing of the page's own program may run any more.
fn uncover(reason: &str) -> Option<()> {
    let document = document();
    let section: HtmlElement = element("stopped")?;
    let place = document.get_element_by_id("stopped-reason")?;
    place.set_text_content(Some(reason));
    let button: HtmlElement = element("reload")?;
    // The browser's own function, so that the button works without this program.
    let location = leptos::prelude::window().location();
    let reload: Function = Reflect::get(&location, &"reload".into())
        .ok()?
        .dyn_into()
        .ok()?;
    button.set_onclick(Some(&reload.bind0(&location)));
    section.set_hidden(false);
    section.scroll_into_view();
    Some(())
}

fn element(id: &str) -> Option<HtmlElement> {
    document().get_element_by_id(id)?.dyn_into().ok()
}
