//! The title of the page's tab: `Positions · minilm-l6 · Diagonal`.

use super::{VIEWS, View};

/// The name of the page.
const PAGE: &str = "Diagonal";
/// Names of models are cut to this many characters.
const LONGEST_NAME: usize = 60;

/// Returns the title of the page while it shows a model in a view. Model names come from files and links, so they are
/// cut, and characters that break lines or change the writing direction are removed.
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

/// Returns whether a character only controls formatting: direction marks and overrides, joiners, line separators.
fn is_formatting(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}
