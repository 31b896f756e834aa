//! The mean score by (Δy, Δx): the two-dimensional profile of positions on a grid, such as the patches of an image.

use super::{
    ColorMap, Column, Cursor, Figure, Heatmap, Ink, Mark, Rect, Scene, Table, format_signed,
    number, percent,
};
use crate::math::{Grid, GridFit};
use std::sync::Arc;

/// f(Δy, Δx) as a picture with (0, 0) in the middle, seen from the query: up is up, left is left.
#[derive(Debug, Clone)]
pub struct GridProfile {
    fit: GridFit,
    picture: Heatmap,
}

impl GridProfile {
    /// Colours a fit. `clip` percent of the values at either end are beyond the colour bar.
    #[must_use]
    pub fn new(fit: &GridFit, map: ColorMap, clip: f64) -> Self {
        Self {
            picture: Heatmap::offsets(Arc::new(fit.picture()), map, clip),
            fit: fit.clone(),
        }
    }

    fn grid(&self) -> Grid {
        self.fit.grid
    }

    /// Returns every (Δy, Δx) of a cursor. A cell has one; an offset k may have several.
    fn highlighted_offsets(&self, cursor: Cursor) -> Vec<(i64, i64)> {
        let grid = self.grid();
        match cursor {
            Cursor::Offset(k) => {
                let width = grid.width as i64;
                grid.offsets()
                    .filter(|(dy, dx)| dy * width + dx == k)
                    .collect()
            }
            _ => cursor.grid_offset(grid).into_iter().collect(),
        }
    }
}

/// Sentences for the caption of a head that rotates patches: whether its pairs follow rows or columns, or mix them, and
/// for which query and key the scores are. Empty sentences for scores that do not vary.
#[must_use]
pub fn patch_rotation_caption(fit: &GridFit) -> String {
    let axes = match fit.axis_r2() {
        share if share > 1.0 - ADDITIVE => {
            " Each pair of columns turns with the row or with the column of the patch (axial), so the map is a score by Δy plus a score by Δx.".to_owned()
        }
        share if share.is_finite() => format!(
            " Pairs of columns turn with row and column together (mixed), so the map prefers slanted steps as well: a score by Δy plus a score by Δx explains {} of its variance.",
            percent(share)
        ),
        _ => String::new(),
    };
    format!(
        "The score of a key Δy rows below and Δx columns to the right of its query, for the part of queries and keys that all patches share. The middle cell is a patch with itself.{axes}"
    )
}

/// Share of the variance by which a sum of a score by row and a score by column may miss 1, as rounding makes it.
const ADDITIVE: f64 = 1e-9;

impl Figure for GridProfile {
    fn height(&self, width: f64) -> f64 {
        self.picture.height(width)
    }

    fn scene(&self, width: f64) -> Scene {
        self.picture.scene(width)
    }

    fn overlay(&self, width: f64, cursor: Option<Cursor>) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let frame = self.picture.frame(width);
        let (rows, columns) = self.grid().reach();
        let (across, down) = (frame.width / columns as f64, frame.height / rows as f64);
        for (dy, dx) in cursor.map_or_else(Vec::new, |cursor| self.highlighted_offsets(cursor)) {
            let column = (dx + self.grid().width as i64) as f64 - 0.5;
            let row = (dy + self.grid().height as i64) as f64 - 0.5;
            scene.marks.push(Mark::Dot {
                at: (frame.x + across * column, frame.y + down * row),
                radius: 5.0,
                fill: Ink::Accent,
                stroke: Ink::White,
            });
        }
        scene
    }

    fn cursor_at(&self, width: f64, px: f64, py: f64) -> Option<Cursor> {
        let frame = self.picture.frame(width);
        if !frame.contains(px, py) {
            return None;
        }
        let grid = self.grid();
        let (rows, columns) = grid.reach();
        let step = |share: f64, cells: usize| ((share * cells as f64) as i64).min(cells as i64 - 1);
        let dy = step((py - frame.y) / frame.height, rows) - (grid.height as i64 - 1);
        let dx = step((px - frame.x) / frame.width, columns) - (grid.width as i64 - 1);
        Some(Cursor::GridOffset { grid, dy, dx })
    }

    fn plot_frame(&self, width: f64) -> Option<Rect> {
        self.picture.plot_frame(width)
    }

    fn summary(&self) -> String {
        let grid = self.grid();
        let highest = grid
            .offsets()
            .filter_map(|(dy, dx)| Some((dy, dx, self.fit.at(dy, dx)?)))
            .max_by(|a, b| a.2.total_cmp(&b.2));
        let highest = highest.map_or_else(String::new, |(dy, dx, value)| {
            format!(
                " Highest, {}, at Δy {}, Δx {}.",
                number(value),
                format_signed(dy),
                format_signed(dx)
            )
        });
        let explained = match self.fit.r2 {
            r2 if r2.is_finite() => format!(", which explains {} of the variance", number(r2)),
            _ => String::new(),
        };
        format!(
            "Mean score by (Δy, Δx) on {} by {} patches{explained}.{highest}",
            grid.height, grid.width
        )
    }

    fn table(&self) -> Table {
        let grid = self.grid();
        let whole =
            |of: &dyn Fn(i64, i64) -> i64| grid.offsets().map(|(dy, dx)| of(dy, dx)).collect();
        Table::new()
            .with("dy", whole(&|dy, _| dy))
            .with("dx", whole(&|_, dx| dx))
            .with("mean", Column::Number(self.fit.f.clone()))
            .with("cells", whole(&|dy, dx| self.fit.cells(dy, dx) as i64))
    }
}
