//! Shares as bars: a label, two bars from 0 to 1, and their numbers.

use super::{
    Anchor, Figure, Ink, Rect, Scene, Table,
    share::{Share, mark},
    text::fitted,
};

const HEAD: f64 = 24.0;
const ROW: f64 = 30.0;
/// Width of a number.
const NUMBER: f64 = 58.0;
/// Least width of the labels, enough for “first 1024 positions”.
const LABEL: f64 = 126.0;
/// Greatest width of the labels.
const WIDEST_LABEL: f64 = 168.0;
/// Below this width each label is on a line of its own above its bars.
const WIDE: f64 = LABEL + 2.0 * NUMBER + 60.0;
/// Height of that line.
const LABEL_LINE: f64 = 16.0;

/// A row of bars.
#[derive(Debug, Clone, PartialEq)]
pub struct BarRow {
    /// Subject of the shares.
    pub label: String,
    /// The main share, and the one beside it.
    pub shares: [Share; 2],
}

/// Named pairs of shares between 0 and 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Bars {
    /// Column heads of the two shares.
    pub heads: [&'static str; 2],
    /// Name of the mark for chance. `None` if there is no such mark.
    pub chance: Option<&'static str>,
    /// The rows. The first is the whole and is drawn darker.
    pub rows: Vec<BarRow>,
    /// Numbers behind the figure, for download.
    pub table: Table,
    /// A text summary.
    pub summary: String,
}

impl Bars {
    /// Height of a row, and the part of it for the label's own line.
    fn row(width: f64) -> (f64, f64) {
        let label = if width < WIDE { LABEL_LINE } else { 0.0 };
        (ROW + label, label)
    }
}

impl Figure for Bars {
    fn height(&self, width: f64) -> f64 {
        HEAD + Self::row(width).0 * self.rows.len() as f64 + 2.0
    }

    fn scene(&self, width: f64) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let numbers = [width - NUMBER, width];
        let end = numbers[0] - NUMBER - 12.0;
        let (height, label_line) = Self::row(width);
        let labels = match label_line > 0.0 {
            true => 0.0,
            false => (width * 0.36).clamp(LABEL, WIDEST_LABEL),
        };
        let room = (end - labels).max(1.0);
        for (head, right) in self.heads.into_iter().zip(numbers) {
            scene.text(head, (right, HEAD / 2.0), Anchor::End, Ink::Muted);
        }
        if let Some(chance) = self.chance {
            mark(&mut scene, 1.0, HEAD / 2.0 - 3.0, 6.0);
            let at = (8.0, HEAD / 2.0);
            scene.text(chance, at, Anchor::Start, Ink::Muted);
        }
        let rule = |scene: &mut Scene, y| {
            scene.line(vec![(0.0, y), (width, y)], Ink::Hairline, 1.0);
        };
        rule(&mut scene, HEAD);
        for (at, row) in self.rows.iter().enumerate() {
            let top = HEAD + height * at as f64;
            let middle = top + label_line + ROW / 2.0;
            let ink = if at == 0 { Ink::Ink } else { Ink::Muted };
            let (label, room_for_label) = match label_line > 0.0 {
                true => (top + LABEL_LINE / 2.0 + 3.0, width),
                false => (middle, labels - 4.0),
            };
            let name = fitted(&row.label, room_for_label);
            scene.text(name, (0.0, label), Anchor::Start, Ink::Ink);
            // The main share is the thicker bar.
            for (share, (y, height)) in row.shares.iter().zip([(-7.0, 6.0), (5.0, 3.0)]) {
                let room = Rect {
                    x: labels,
                    y: middle + y,
                    width: room,
                    height,
                };
                share.draw(&mut scene, room, ink);
            }
            let inks = [Ink::Ink, Ink::Muted];
            for ((share, right), ink) in row.shares.iter().zip(numbers).zip(inks) {
                let text = if share.value.is_finite() {
                    format!("{:.4}", share.value)
                } else {
                    "–".to_owned()
                };
                scene.text(text, (right, middle), Anchor::End, ink);
            }
            rule(&mut scene, top + height);
        }
        scene
    }

    fn summary(&self) -> String {
        self.summary.clone()
    }

    fn table(&self) -> Table {
        self.table.clone()
    }
}
