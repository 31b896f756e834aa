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
    words: (&str, &str),
) {
    let letter = panel_letter(panel);
    let place = (x, y + LINE / 2.0);
    scene.text_of_size(letter, place, Anchor::Start, (LETTER, Ink::Ink));
    draw_plain_heading(scene, ((x + INDENT, y), width - INDENT), words);
}

/// Writes a heading without a letter, in the same place.
pub(super) fn draw_plain_heading(
    scene: &mut Scene,
    ((x, y), width): ((f64, f64), f64),
    (title, note): (&str, &str),
) {
    let middle = y + LINE / 2.0;
    let title = fit_name(title, width - APART);
    scene.text(title, (x, middle), Anchor::Start, Ink::Ink);
    let note = fit_name(note, width);
    scene.text(note, (x, middle + LINE), Anchor::Start, Ink::Muted);
}
