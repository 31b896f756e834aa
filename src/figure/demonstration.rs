//! Results of a demonstration of the criteria table, as a picture and as numbers.

use super::{
    Axis, Bar, BarChart, BarRow, ColorMap, Figure, Heatmap, Ink, Plot, Series, group_thousands,
    number,
};
use crate::{
    analysis::criteria::{
        WAYS,
        demonstrations::{Curve, CurveAxis, DemonstrationPicture, Quantity},
    },
    math::{Tile, Window},
};
use std::sync::Arc;

/// A picture, and the range of its value axis or colours, if it has one.
pub type DemonstrationFigure = (Arc<dyn Figure + Send + Sync>, Option<(f64, f64)>);

/// Draws the result. If it has a row for each method, that of `way` is darker. It has the given range, otherwise
/// that of the values.
#[must_use]
pub fn draw(
    picture: &DemonstrationPicture,
    way: usize,
    range: Option<(f64, f64)>,
) -> DemonstrationFigure {
    match picture {
        DemonstrationPicture::Matrix(rows) => {
            let n = rows.len();
            let tile = Tile {
                window: Window::whole(n, n),
                row_step: 1,
                col_step: 1,
                values: rows.iter().flatten().map(|&v| v as f32).collect(),
                cells: None,
            };
            let mut matrix = Heatmap::matrix(Arc::new(tile), ColorMap::Diverging, 0.0);
            if let Some(range) = range {
                matrix = matrix.with_range(range);
            }
            let range = matrix.range().ends;
            (Arc::new(matrix), Some(range))
        }
        DemonstrationPicture::Curves {
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
            if let Some(range) = range {
                lines = lines.values(range);
            }
            let range = lines.y_range();
            (Arc::new(lines), Some(range))
        }
        DemonstrationPicture::Counts(counts) => {
            let rows = WAYS.iter().zip(counts).enumerate();
            let rows = rows.map(|(at, ((_, name, _), count))| {
                BarRow::new(*name, [Bar::count(*count)]).strong(at == way)
            });
            (Arc::new(BarChart::log(rows)), None)
        }
    }
}

fn line(curve: &Curve, first: i64) -> Series {
    let line = Series::new(curve.name, first, curve.values.clone()).in_legend();
    if curve.is_reference {
        line.ink(Ink::Category(0)).with_dashes(true)
    } else {
        line.width(2.0)
    }
}

/// Formats a number next to the picture.
#[must_use]
pub fn in_digits(quantity: Quantity) -> String {
    match quantity {
        Quantity::Count(count) => group_thousands(count),
        Quantity::Share(share) => format!("{share:.4}"),
        Quantity::Number(value) => number(value),
    }
}
