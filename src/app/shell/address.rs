//! The address bar and the browser's history. What belongs into an entry, and when, `link::AddressHistory`
//! decides; this file does it.

use crate::{
    app::state::page::PageState,
    url_state::{AddressHistory, HistoryStep, Link, ParseWarnings},
};
use leptos::{ev, prelude::*};
use std::{cell::RefCell, rc::Rc, time::Duration};
use wasm_bindgen::JsValue;

/// Small changes reach the address after this long without another.
const ADDRESS_DELAY: Duration = Duration::from_millis(250);

fn query() -> String {
    window().location().search().unwrap_or_default()
}

/// The link that the page was opened with, and what of it was not understood.
pub(in crate::app) fn open_address() -> (Link, ParseWarnings) {
    Link::parse(&query())
}

/// Keeps the address up to date, and shows what the person goes back or forward to.
pub(in crate::app) fn follow_address(state: PageState) {
    let shown = state.link.get_untracked();
    let history = Rc::new(RefCell::new(AddressHistory::new(&query(), shown)));

    let paused = Rc::clone(&history);
    let mut pause = debounce(ADDRESS_DELAY, move |()| {
        let step = paused.borrow_mut().pause();
        step.iter().for_each(write);
    });
    let changed = Rc::clone(&history);
    Effect::new(move |_| {
        let steps = state.link.with(|link| changed.borrow_mut().change(link));
        steps.iter().for_each(write);
        pause(());
    });

    let travelled = window_event_listener(ev::popstate, move |_| {
        let entry = history.borrow_mut().go_to(&query());
        if let Some((link, misread)) = entry {
            state.go_to(link, &misread);
        }
    });
    on_cleanup(move || travelled.remove());
}

/// Writes the address. An anchor stays: it names the figure that the page was opened for.
fn write(step: &HistoryStep) {
    let Ok(history) = window().history() else {
        return;
    };
    let anchor = window().location().hash().unwrap_or_default();
    let state = JsValue::NULL;
    // Refused only in sandboxed frames, where there is no address to keep.
    let _ = match step {
        HistoryStep::Replace(query) => {
            history.replace_state_with_url(&state, "", Some(&format!("?{query}{anchor}")))
        }
        HistoryStep::Push(query) => {
            history.push_state_with_url(&state, "", Some(&format!("?{query}{anchor}")))
        }
    };
}
