//! Handlers of events that browsers send after a part of the page is gone.

use super::layers::{Source, sources};

/// Events that browsers send after an element's part of the page is gone, or while it goes, and those whose handlers
/// are beside the one that moved it.
const LATE_EVENTS: &[&str] = &[
    "blur",
    "cancel",
    "change",
    "close",
    "focusout",
    "input",
    "keydown",
    "keyup",
    "lostpointercapture",
    "pointercancel",
    "pointerdown",
    "pointerleave",
    "pointermove",
    "pointerout",
    "pointerup",
    "scroll",
    "submit",
    "toggle",
    "wheel",
];

#[test]
fn handlers_that_are_called_late_ask_whether_their_part_of_the_page_is_there() {
    let mut found = 0;
    for Source { path, code, .. } in sources() {
        for (at, _) in code.match_indices(" on:") {
            let handler = &code[at + " on:".len()..];
            let (event, handler) = handler.split_once('=').expect("a handler");
            let event = event.split(':').next().unwrap_or_default();
            if LATE_EVENTS.contains(&event) {
                found += 1;
                assert!(
                    handler.starts_with("while_mounted("),
                    "src/{path} hears of “{event}” without while_mounted"
                );
            }
        }
    }
    assert!(found > 20, "{found} handlers are not all there are");
}
