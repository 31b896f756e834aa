//! The heading of a panel: its letter, its title, and a muted line below.

use super::{
    Anchor, Ink, Scene,
    scene::{LETTER, fit_name, panel_letter},
};

/// Height of a line of the heading.
const LINE: f64 = 16.0;
/// Distance from the letter of a panel to its title.
const INDENT: f64 = 15.0;
/// Least space between a title and the next panel.
const APART: f64 = 4.0;

/// Height of a heading.
pub(super) const HEADING: f64 = 2.0 * LINE;

/// Writes the heading of the panel of this index, at the left upper corner of the panel and within its width.
pub(super) fn draw_heading(
    scene: &mut Scene,
    panel: usize,
    ((x, y), width): ((f64, f64), f64),
    (title, note): (&str, &str),
) {
    let middle = y + LINE / 2.0;
    let letter = panel_letter(panel);
    scene.text_of_size(letter, (x, middle), Anchor::Start, (LETTER, Ink::Ink));
    let title = fit_name(title, width - INDENT - APART);
    scene.text(title, (x + INDENT, middle), Anchor::Start, Ink::Ink);
    let note = fit_name(note, width - INDENT);
    let below = (x + INDENT, middle + LINE);
    scene.text(note, below, Anchor::Start, Ink::Muted);
}
