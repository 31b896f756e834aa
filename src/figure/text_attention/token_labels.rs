//! Names of tokens along the two axes of a map.

use crate::figure::{
    Anchor, Rect,
    scene::fit_name,
    text::TEXT,
    text::{line_box, overlap, width as text_width},
};

/// Least height of a row with a name.
const ROW: f64 = 12.5;
/// Greatest width of the names of rows, and their share of the figure's width.
const WIDEST: f64 = 96.0;
const WIDEST_SHARE: f64 = 0.3;
/// Distance of the names of rows from the frame.
const GAP: f64 = 7.0;
/// Names of columns are on this many lines at most.
const LINES: usize = 4;
/// Height of a line of names, and distance of the first from the frame.
const LINE: f64 = 15.0;
const FIRST_LINE: f64 = 12.0;
/// Least space between two names, and between a name and the line from its column to another name.
const APART: f64 = 5.0;

/// A name at its place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PlacedName {
    /// The name, cut to fit.
    pub text: String,
    /// Middle of the text for columns, its right end for rows.
    pub at: (f64, f64),
}

/// Width of the names of rows in a figure of this width; `None` if rows of this height are too low for names.
pub(super) fn row_names_width(names: &[String], row: f64, width: f64) -> Option<f64> {
    let widest = names
        .iter()
        .map(|name| text_width(name, TEXT))
        .fold(0.0, f64::max);
    let most = WIDEST.min(WIDEST_SHARE * width);
    (row >= ROW).then(|| widest.min(most) + GAP + 1.0)
}

/// Places the names of rows left of a frame.
pub(super) fn row_names(names: &[String], frame: &Rect) -> Vec<PlacedName> {
    let row = frame.height / names.len().max(1) as f64;
    let place = |(index, name): (usize, &String)| PlacedName {
        text: fit_name(name, frame.x - GAP),
        at: (frame.x - GAP, frame.y + (index as f64 + 0.5) * row),
    };
    names.iter().enumerate().map(place).collect()
}

/// Places the names of columns below a frame, each below the middle of its column, on as few lines as possible. `None`
/// if a name would cover another, or the line from a column to its name.
pub(super) fn column_names(names: &[String], frame: &Rect, width: f64) -> Option<Vec<PlacedName>> {
    let column = frame.width / names.len().max(1) as f64;
    let mut placed: Vec<(PlacedName, Rect)> = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let x = frame.x + (index as f64 + 0.5) * column;
        let text = fit_name(name, WIDEST);
        let half = text_width(&text, TEXT) / 2.0;
        let middle = x.min(width - half).max(half);
        let on_line = |line: usize| {
            let y = frame.bottom() + FIRST_LINE + line as f64 * LINE;
            let at = (middle, y);
            let mut covered = line_box(&text, at, Anchor::Middle, TEXT);
            covered.x -= APART / 2.0;
            covered.width += APART;
            // The line from the column down to the name.
            let leader = Rect {
                x: x - APART / 2.0,
                y: frame.bottom(),
                width: APART,
                height: covered.y - frame.bottom(),
            };
            let is_free = placed
                .iter()
                .all(|(_, other)| !overlap(other, &covered) && !overlap(other, &leader));
            is_free.then(|| {
                (
                    PlacedName {
                        text: text.clone(),
                        at,
                    },
                    covered,
                )
            })
        };
        placed.push((0..LINES).find_map(on_line)?);
    }
    Some(placed.into_iter().map(|(name, _)| name).collect())
}

/// Space below a frame that the names of its columns take.
pub(super) fn column_names_height(names: &[PlacedName], frame: &Rect) -> f64 {
    let lowest = names
        .iter()
        .map(|name| name.at.1)
        .fold(frame.bottom(), f64::max);
    lowest + TEXT / 2.0 + 4.0 - frame.bottom()
}
