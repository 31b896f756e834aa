//! Results of a demonstration of the criteria table, as a picture and as numbers.

use super::{
    Axis, Bar, BarChart, BarRow, ColorMap, Figure, Heatmap, Ink, Plot, Series, grouped, number,
};
use crate::{
    analysis::criteria::{
        WAYS,
        demonstrations::{Curve, CurveAxis, Quantity, Seen},
    },
    math::{Tile, Window},
};
use std::sync::Arc;

/// A picture, and the range of its value axis or colours, if it has one.
pub type DemonstrationFigure = (Arc<dyn Figure + Send + Sync>, Option<(f64, f64)>);

/// Draws the result. If it has a row for each method, that of `way` is darker. The range is `held`, if given, otherwise
/// that of the values.
#[must_use]
pub fn demonstration(seen: &Seen, way: usize, held: Option<(f64, f64)>) -> DemonstrationFigure {
    match seen {
        Seen::Matrix(rows) => {
            let n = rows.len();
            let tile = Tile {
                window: Window::whole(n, n),
                row_step: 1,
                col_step: 1,
                values: rows.iter().flatten().map(|&v| v as f32).collect(),
                cells: None,
            };
            let mut matrix = Heatmap::matrix(Arc::new(tile), ColorMap::Diverging, 0.0);
            if let Some(held) = held {
                matrix = matrix.spanning(held);
            }
            let range = matrix.range().shown;
            (Arc::new(matrix), Some(range))
        }
        Seen::Curves {
            axis,
            first,
            curves,
        } => {
            let axis = match axis {
                CurveAxis::Offset => Axis::Offset,
                CurveAxis::Key => Axis::Key,
            };
            let series = curves.iter().map(|curve| line(curve, *first));
            let lines = Plot::over(axis).vertical("score");
            let mut lines = lines.series(series).aspect(0.5);
            if let Some(held) = held {
                lines = lines.values(held);
            }
            let range = lines.y_range();
            (Arc::new(lines), Some(range))
        }
        Seen::Counts(counts) => {
            let rows = WAYS.iter().zip(counts).enumerate();
            let rows = rows.map(|(at, ((_, name, _), count))| {
                BarRow::new(*name, [Bar::count(*count)]).strong(at == way)
            });
            (Arc::new(BarChart::log(rows)), None)
        }
    }
}

fn line(curve: &Curve, first: i64) -> Series {
    let line = Series::new(curve.name, first, curve.values.clone()).labelled();
    if curve.compared {
        line.ink(Ink::Category(0)).dashed(true)
    } else {
        line.width(2.0)
    }
}

/// Formats a number next to the picture.
#[must_use]
pub fn in_digits(quantity: Quantity) -> String {
    match quantity {
        Quantity::Count(count) => grouped(count),
        Quantity::Share(share) => format!("{share:.4}"),
        Quantity::Number(value) => number(value),
    }
}
