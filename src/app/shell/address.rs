//! Keeps the address bar and the browser's history in sync with the link. [`AddressHistory`] decides when a change
//! becomes a history entry and what it contains; this module writes it.

use crate::{
    app::state::{PageState, go_to},
    url_state::{AddressHistory, HistoryStep, Link, ParseWarnings},
};
use leptos::{ev, prelude::*};
use std::{cell::RefCell, rc::Rc, time::Duration};
use wasm_bindgen::JsValue;

/// Small changes are written to the address after this long without a further change.
const ADDRESS_DELAY: Duration = Duration::from_millis(250);

fn query() -> String {
    window().location().search().unwrap_or_default()
}

/// Parses the link in the address. Returns it with the parts that were not understood.
pub(in crate::app) fn open_address() -> (Link, ParseWarnings) {
    Link::parse(&query())
}

/// Writes changes of the link to the address, and restores links when the user goes back or forward.
pub(in crate::app) fn follow_address(state: PageState) {
    let url = state.url;
    let link = url.link.get_untracked();
    let history = Rc::new(RefCell::new(AddressHistory::new(&query(), link)));

    let paused = Rc::clone(&history);
    let mut pause = debounce(ADDRESS_DELAY, move |()| {
        let step = paused.borrow_mut().pause();
        step.iter().for_each(write);
    });
    let changed = Rc::clone(&history);
    Effect::new(move |_| {
        let steps = url.link.with(|link| changed.borrow_mut().change(link));
        steps.iter().for_each(write);
        pause(());
    });

    let listener = window_event_listener(ev::popstate, move |_| {
        let entry = history.borrow_mut().go_to(&query());
        if let Some((link, warnings)) = entry {
            go_to(state, link, &warnings);
        }
    });
    on_cleanup(move || listener.remove());
}

/// Writes a step to the browser's history. Keeps the anchor, which names a figure.
fn write(step: &HistoryStep) {
    let Ok(history) = window().history() else {
        return;
    };
    let anchor = window().location().hash().unwrap_or_default();
    let state = JsValue::NULL;
    // Ignored: fails only in sandboxed frames, which display no address.
    let _ = match step {
        HistoryStep::Replace(query) => {
            history.replace_state_with_url(&state, "", Some(&format!("?{query}{anchor}")))
        }
        HistoryStep::Push(query) => {
            history.push_state_with_url(&state, "", Some(&format!("?{query}{anchor}")))
        }
    };
}
