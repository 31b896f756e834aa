//! What is shown when the page's own program has ended, by a panic or by an exception that nothing caught: the
//! document is still there.

use js_sys::{Error, Function, Reflect};
use leptos::{ev, leptos_dom::helpers::window_event_listener, prelude::document};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

/// From now on a panic, or an exception that went through the program, uncovers the part of the document that says so.
pub fn show_panics() {
    // An exception that leaves the program unwinds nothing in it: what it had borrowed stays borrowed.
    std::mem::forget(window_event_listener(ev::error, |event| {
        if let Some(reason) = thrown_through_the_program(&event) {
            let _ = uncover(&reason);
        }
    }));
    std::panic::set_hook(Box::new(|info| {
        console_error_panic_hook::hook(info);
        // Nothing more can be done where this fails: the console has the message.
        let _ = uncover(&info.to_string());
    }));
}

/// What an error event says, where the error came out of WebAssembly. Browsers report more in this way: failed
/// pictures, observers that were called too often.
fn thrown_through_the_program(event: &web_sys::ErrorEvent) -> Option<String> {
    let error: Error = event.error().dyn_into().ok()?;
    let stack = Reflect::get(&error, &"stack".into()).ok()?.as_string()?;
    stack
        .contains("wasm")
        .then(|| String::from(error.to_string()))
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
