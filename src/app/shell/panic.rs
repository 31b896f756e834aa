//! Error page after a panic or an uncaught exception in the page's program. The document itself survives.

use js_sys::{Error, Function, Reflect};
use leptos::{ev, leptos_dom::helpers::window_event_listener, prelude::document};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

/// Installs handlers that reveal the error section of `index.html` after a panic, or after a JavaScript exception that
/// was thrown through WebAssembly code.
pub fn show_panics() {
    // Such an exception does not unwind the Rust stack: borrowed cells stay borrowed, so the program cannot continue.
    std::mem::forget(window_event_listener(ev::error, |event| {
        if let Some(reason) = thrown_through_the_program(&event) {
            let _ = uncover(&reason);
        }
    }));
    std::panic::set_hook(Box::new(|info| {
        console_error_panic_hook::hook(info);
        // Ignored: if revealing the section fails, the console still has the message.
        let _ = uncover(&info.to_string());
    }));
}

/// Returns the message of an error event if the exception passed through WebAssembly. Browsers also report failed
/// images and `ResizeObserver` loops as error events.
fn thrown_through_the_program(event: &web_sys::ErrorEvent) -> Option<String> {
    let error: Error = event.error().dyn_into().ok()?;
    let stack = Reflect::get(&error, &"stack".into()).ok()?.as_string()?;
    stack
        .contains("wasm")
        .then(|| String::from(error.to_string()))
}

/// Reveals the error section with a reason. Uses only the document, since the state of the program may be corrupt.
fn uncover(reason: &str) -> Option<()> {
    let document = document();
    let section: HtmlElement = element("stopped")?;
    let place = document.get_element_by_id("stopped-reason")?;
    place.set_text_content(Some(reason));
    let button: HtmlElement = element("reload")?;
    // The browser's own function, so that the button works without the program.
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
