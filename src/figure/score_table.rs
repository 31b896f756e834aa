//! A table of shares, each as a number above a bar.

use super::{
    Anchor, Figure, Ink, Rect, Scene, Share, Table,
    scene::BADGE,
    text::TEXT,
    text::{fit_name, width as text_width},
};

const HEAD: f64 = 26.0;
const ROW: f64 = 30.0;
/// Least width of a column. Columns that do not fit are only in the download.
const NARROWEST: f64 = 58.0;
const WIDEST: f64 = 110.0;
const GAP: f64 = 14.0;

/// Shares of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoreRow {
    /// Its number, from 1.
    pub number: usize,
    /// Its name.
    pub name: String,
    /// One share per column, if the model has one.
    pub shares: Vec<Option<Share>>,
}

/// Shares of models by scope.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoreTable {
    /// Names of the columns, the most important first.
    pub columns: Vec<String>,
    /// Rows of the table, one per model.
    pub rows: Vec<ScoreRow>,
    /// Numbers behind the figure, for download.
    pub table: Table,
    /// A text summary.
    pub summary: String,
}

impl ScoreTable {
    /// Width of names, number of shown columns, and width of a column.
    fn layout(&self, width: f64) -> (f64, usize, f64) {
        let names = (width * 0.38).clamp(110.0, 260.0).min(width / 2.0);
        let room = width - names;
        let widest = self.columns.iter().map(|name| text_width(name, TEXT));
        let narrowest = widest.fold(NARROWEST - GAP, f64::max) + GAP;
        let columns = ((room / narrowest) as usize).clamp(1, self.columns.len().max(1));
        (names, columns, (room / columns as f64).min(WIDEST))
    }
}

impl Figure for ScoreTable {
    fn height(&self, _: f64) -> f64 {
        HEAD + ROW * self.rows.len() as f64 + 2.0
    }

    fn scene(&self, width: f64) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let (names, columns, column) = self.layout(width);
        let right = |at: usize| names + column * (at + 1) as f64;
        for (at, name) in self.columns.iter().enumerate().take(columns) {
            scene.text(
                name.clone(),
                (right(at), HEAD / 2.0),
                Anchor::End,
                Ink::Muted,
            );
        }
        let rule = |scene: &mut Scene, y| {
            scene.line(vec![(0.0, y), (right(columns - 1), y)], Ink::Hairline, 1.0);
        };
        rule(&mut scene, HEAD);
        for (at, row) in self.rows.iter().enumerate() {
            let top = HEAD + ROW * at as f64;
            scene.badge((BADGE + 1.0, top + ROW / 2.0), row.number);
            scene.text(
                fit_name(&row.name, names - 2.0 * BADGE - 16.0),
                (2.0 * BADGE + 8.0, top + ROW / 2.0),
                Anchor::Start,
                Ink::Ink,
            );
            for (at, share) in row.shares.iter().enumerate().take(columns) {
                let Some(share) = share.filter(|share| share.value.is_finite()) else {
                    scene.text("–", (right(at), top + 13.0), Anchor::End, Ink::Muted);
                    continue;
                };
                let text = format!("{:.3}", share.value);
                scene.text(text, (right(at), top + 12.0), Anchor::End, Ink::Ink);
                let room = column - GAP;
                let bar = Rect {
                    x: right(at) - room,
                    y: top + 21.0,
                    width: room,
                    height: 3.0,
                };
                share.draw(&mut scene, bar, Ink::Muted);
            }
            rule(&mut scene, top + ROW);
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
