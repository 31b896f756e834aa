//! Shares as bars: a label, a bar from 0 to 1, the number.

use super::{Anchor, Figure, Ink, Mark, Rect, Scene, Table};

const ROW: f64 = 26.0;
const NUMBER: f64 = 56.0;

/// Named shares between 0 and 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Bars {
    /// Label and share; the first is the whole and drawn darker. A share that is not a number has no bar.
    pub rows: Vec<(String, f64)>,
    /// Numbers behind the figure, as they are downloaded.
    pub table: Table,
    /// What it shows.
    pub summary: String,
}

impl Figure for Bars {
    fn height(&self, _: f64) -> f64 {
        ROW * self.rows.len() as f64 + 2.0
    }

    fn scene(&self, width: f64) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let labels = (width * 0.42).min(168.0);
        let room = (width - labels - NUMBER - 12.0).max(1.0);
        for (at, (label, share)) in self.rows.iter().enumerate() {
            let middle = ROW * (at as f64 + 0.5);
            let ink = if at == 0 { Ink::Ink } else { Ink::Muted };
            scene.text(label.clone(), (0.0, middle), Anchor::Start, Ink::Ink);
            let bar = |length: f64, fill| Mark::Box {
                rect: Rect {
                    x: labels,
                    y: middle - 3.0,
                    width: length,
                    height: 6.0,
                },
                fill: Some(fill),
                stroke: None,
            };
            scene.marks.push(bar(room, Ink::Hairline));
            let text = if share.is_finite() {
                scene.marks.push(bar((room * share).max(1.0), ink));
                format!("{share:.4}")
            } else {
                "–".to_owned()
            };
            scene.text(text, (width, middle), Anchor::End, Ink::Ink);
            let rule = ROW * (at as f64 + 1.0);
            scene.line(vec![(0.0, rule), (width, rule)], Ink::Hairline, 1.0);
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
