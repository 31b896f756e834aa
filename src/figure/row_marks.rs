//! Marks of a position table's breaks, on figures with an axis of rows.

use super::{Anchor, Ink, Mark, Rect, Scene, text::TEXT, text::line_box};
use crate::math::TableBreaks;

/// A break of a table on the axis of its rows: a thin dashed line with a label.
#[derive(Debug, Clone, PartialEq)]
pub struct RowMark {
    /// Place on the axis in rows. Row r reaches from r to r + 1.
    pub at: f64,
    /// The kind of break and its rows, such as “seam 126–128”.
    pub label: String,
}

/// Length of dashes and gaps in pixels.
const DASH: f64 = 4.0;
/// Distance of a label from its line and from the edge of the figure in pixels.
const DISTANCE: f64 = 9.0;
/// Space around a label in pixels.
const MARGIN: f64 = 2.0;

/// Returns the marks of a table's breaks, in the order of the rows.
#[must_use]
pub fn row_marks(breaks: &TableBreaks) -> Vec<RowMark> {
    let seams = breaks.seams.iter().map(|seam| RowMark {
        at: (seam.last_before + 1 + seam.first_behind) as f64 / 2.0,
        label: format!("seam {}–{}", seam.last_before, seam.first_behind),
    });
    let tail = breaks.tail.map(|tail| RowMark {
        at: tail.first as f64,
        label: format!("untrained from {}", tail.first),
    });
    seams.chain(tail).collect()
}

/// Names marks for the summary of a figure, with a space before the sentence; empty without marks.
pub(super) fn marks_in_words(marks: &[RowMark]) -> String {
    let labels: Vec<&str> = marks.iter().map(|mark| mark.label.as_str()).collect();
    match labels.is_empty() {
        true => String::new(),
        false => format!(" Marked rows: {}.", labels.join(", ")),
    }
}

/// Draws a mark from left to right over a raster at height `y`, with its label at the right end.
pub(super) fn draw_across(scene: &mut Scene, frame: &Rect, y: f64, label: &str) {
    let ends = vec![(frame.x, y), (frame.right(), y)];
    // White between the dashes, so that the line is visible on every colour.
    for (stroke, dash) in [(Ink::White, None), (Ink::Black, Some(DASH))] {
        scene.marks.push(Mark::Line {
            points: ends.clone(),
            stroke,
            width: 1.0,
            dash,
        });
    }
    let is_below = y - frame.y < 2.0 * DISTANCE;
    let at = (
        frame.right() - DISTANCE,
        if is_below { y + DISTANCE } else { y - DISTANCE },
    );
    let text = line_box(label, at, Anchor::End, TEXT);
    if text.x < frame.x + MARGIN || at.1 + DISTANCE > frame.bottom() {
        return;
    }
    scene.marks.push(Mark::Box {
        rect: Rect {
            x: text.x - MARGIN,
            y: text.y - MARGIN,
            width: text.width + 2.0 * MARGIN,
            height: text.height + 2.0 * MARGIN,
        },
        fill: Some(Ink::Paper),
        stroke: None,
    });
    if !scene.text(label, at, Anchor::End, Ink::Ink) {
        scene.marks.pop();
    }
}

/// Draws a mark from top to bottom of a plot at `x`, with its label beside the upper end.
pub(super) fn draw_down(scene: &mut Scene, frame: &Rect, x: f64, label: &str) {
    scene.marks.push(Mark::Line {
        points: vec![(x, frame.y), (x, frame.bottom())],
        stroke: Ink::Muted,
        width: 1.0,
        dash: Some(DASH),
    });
    let y = frame.y + DISTANCE;
    let text = line_box(label, (x + DASH, y), Anchor::Start, TEXT);
    let (x, anchor) = match text.right() > frame.right() {
        true => (x - DASH, Anchor::End),
        false => (x + DASH, Anchor::Start),
    };
    scene.text(label, (x, y), anchor, Ink::Muted);
}
