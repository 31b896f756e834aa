//! Lines over the offset, each marked with the number of its model.

use super::{
    Cursor, Figure, Lines, Mark, Rect, Scene, Series, Table,
    scene::{BADGE, fitted},
};

/// Lines with numbers, one per line.
#[derive(Debug, Clone)]
pub struct Numbered {
    /// The lines, one per model.
    pub lines: Lines,
    /// Numbers of the models, from 1.
    pub numbers: Vec<usize>,
    /// Names of the models.
    pub names: Vec<String>,
}

/// Width of a column of the legend.
const ENTRY: f64 = 176.0;
/// Height of a row of the legend.
const ROW: f64 = 22.0;

impl Numbered {
    fn legend(&self, width: f64) -> (usize, f64) {
        let columns = ((width / ENTRY) as usize).max(1);
        let rows = self.names.len().div_ceil(columns);
        (columns, rows as f64 * ROW)
    }

    /// Returns the offset at which a line's number is drawn. Lines over the same offsets have their numbers side by
    /// side, so that none covers another.
    fn place(&self, at: usize, series: &Series) -> Option<i64> {
        let (low, high) = self.lines.offsets;
        let is_drawn = |value: &f64| value.is_finite();
        let drawn = series.values.iter().position(is_drawn)?;
        let end = series.values.iter().rposition(is_drawn)?;
        let first = ((series.first + drawn as i64) as f64).max(low);
        let last = ((series.first + end as i64) as f64).min(high);
        let share = (at as f64 + 0.75) / (self.numbers.len() as f64 + 0.5);
        (first <= last).then(|| (first + share * (last - first)).round() as i64)
    }
}

impl Figure for Numbered {
    fn height(&self, width: f64) -> f64 {
        self.lines.height(width) + self.legend(width).1 + 6.0
    }

    fn scene(&self, width: f64) -> Scene {
        let mut scene = self.lines.scene(width);
        let frame = self.lines.frame(width);
        let (x, y) = (self.lines.x(&frame), self.lines.y(&frame));
        for (at, series) in self.lines.series.iter().enumerate() {
            let place = self
                .place(at, series)
                .and_then(|k| Some((k, series.at(k)?)))
                .filter(|(_, value)| value.is_finite());
            if let (Some((k, value)), Some(&number)) = (place, self.numbers.get(at)) {
                let inside = (frame.y + BADGE, frame.bottom() - BADGE);
                let point = (x.pixel(k as f64), y.pixel(value).clamp(inside.0, inside.1));
                scene.badge(point, number);
            }
        }
        scene.height = self.height(width);
        let (columns, _) = self.legend(width);
        let top = self.lines.height(width) + 6.0 + ROW / 2.0;
        let column = width / columns as f64;
        for (at, (&number, name)) in self.numbers.iter().zip(&self.names).enumerate() {
            let left = (at % columns) as f64 * column;
            let middle = top + (at / columns) as f64 * ROW;
            scene.badge((left + BADGE + 1.0, middle), number);
            let room = column - 2.0 * BADGE - 16.0;
            scene.text(
                fitted(name, room),
                (left + 2.0 * BADGE + 8.0, middle),
                super::Anchor::Start,
                super::Ink::Ink,
            );
        }
        scene
    }

    fn overlay(&self, width: f64, cursor: Option<Cursor>) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let Some(k) = cursor.and_then(Cursor::offset) else {
            return scene;
        };
        let frame = self.lines.frame(width);
        let at = self.lines.x(&frame).pixel(k as f64);
        if !(frame.x..=frame.right()).contains(&at) {
            return scene;
        }
        scene.line(
            vec![(at, frame.y), (at, frame.bottom())],
            super::Ink::Accent,
            1.0,
        );
        let y = self.lines.y(&frame);
        for series in &self.lines.series {
            let value = series.at(k).map(|value| y.pixel(value));
            if let Some(value) =
                value.filter(|v| (frame.y - 1.0..=frame.bottom() + 1.0).contains(v))
            {
                scene.marks.push(Mark::Dot {
                    at: (at, value),
                    radius: 3.5,
                    fill: super::Ink::Accent,
                    stroke: super::Ink::Paper,
                });
            }
        }
        scene
    }

    fn cursor_at(&self, width: f64, px: f64, py: f64) -> Option<Cursor> {
        self.lines.cursor_at(width, px, py)
    }

    fn plot_frame(&self, width: f64) -> Option<Rect> {
        self.lines.plot_frame(width)
    }

    fn vertical_name(&self) -> &'static str {
        self.lines.vertical
    }

    fn summary(&self) -> String {
        format!("{} {}", self.lines.summary, self.lines.values_said())
    }

    fn table(&self) -> Table {
        self.lines.table.clone()
    }
}
