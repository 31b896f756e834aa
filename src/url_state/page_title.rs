//! What the page's tab is called: `Positions · minilm-l6 · Diagonal`.

use super::{VIEWS, View};

/// The page's own name.
const PAGE: &str = "Diagonal";
/// Names of models are cut to this many characters.
const LONGEST_NAME: usize = 60;

/// The title of the page while it shows a model in a view. Names come from files and links, so they are cut, and what
/// breaks lines or turns the direction of writing is left away.
#[must_use]
pub fn page_title(view: View, model: &str) -> String {
    let name = VIEWS.iter().find(|(listed, ..)| *listed == view);
    let plain = |c: &char| !c.is_control() && !is_formatting(*c);
    let mut letters = model.chars().filter(plain);
    let mut short: String = letters.by_ref().take(LONGEST_NAME).collect();
    if letters.next().is_some() {
        short.pop();
        short.push('…');
    }
    let parts = [name.map_or("", |(.., name)| name), short.trim(), PAGE];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(" · ")
}

/// Whether a character only says how others are written: marks and overrides of direction, joiners, line separators.
fn is_formatting(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}
