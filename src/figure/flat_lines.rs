//! Inner products of all pairs of rows at one distance, over the position of the first: one line per distance.
//!
//! A line is flat if the distance alone decides the product. The cursor is an offset; the line of |k| is highlighted.

use super::{Axis, Cursor, Figure, Ink, Plot, Rect, RowMark, Scene, Series, Table, number};
use crate::analysis::{DiagonalCells, DiagonalsOf, largest_deviation};
use std::sync::Arc;

/// Measured lines by distance, each with its expected level.
#[derive(Debug, Clone, PartialEq)]
pub struct FlatLines {
    distances: Vec<usize>,
    /// The expected value of each line: the closed form, or the mean of the diagonal.
    levels: Vec<f64>,
    /// Whether the levels are a closed form.
    is_closed_form: bool,
    /// Whether the values are scores by offset instead of inner products of rows.
    relative: bool,
    plot: Plot,
}

/// The line of a distance.
fn line(at: usize, distance: usize, level: f64, values: &[f64]) -> Series {
    let name = format!("d = {distance}: {}", number(level));
    Series::new(name, 0, values.to_vec())
        .ink(Ink::Category(at))
        .width(2.0)
        .in_legend()
}

impl FlatLines {
    /// Creates the figure from a query and its answer.
    #[must_use]
    pub fn from_answer(question: &DiagonalCells, products: &[Vec<f64>]) -> Self {
        let distances = &question.distances;
        match question.of {
            DiagonalsOf::Sinusoidal(table) => {
                let closed = |distance: &usize| table.inner_product(*distance as i64);
                let closed: Vec<f64> = distances.iter().map(closed).collect();
                Self::sinusoidal(distances, products, &closed)
            }
            DiagonalsOf::Model(_) => Self::for_learned_table(distances, products),
        }
    }

    /// For a sinusoidal table. `closed` contains Σ_m cos(d·ω_m) by distance.
    #[must_use]
    pub fn sinusoidal(distances: &[usize], products: &[Vec<f64>], closed: &[f64]) -> Self {
        Self::new(distances, products, closed.to_vec(), true)
    }

    /// For any other table. The levels are the means of the lines.
    #[must_use]
    pub fn for_learned_table(distances: &[usize], products: &[Vec<f64>]) -> Self {
        let mean = |values: &Vec<f64>| values.iter().sum::<f64>() / values.len().max(1) as f64;
        let means = products.iter().map(mean).collect();
        Self::new(distances, products, means, false)
    }

    fn new(
        distances: &[usize],
        products: &[Vec<f64>],
        levels: Vec<f64>,
        is_closed_form: bool,
    ) -> Self {
        let each = || distances.iter().zip(products).zip(&levels).enumerate();
        let level = |values: &[f64], level: f64| {
            Series::new("", 0, vec![level; values.len()])
                .width(1.0)
                .with_dashes(true)
        };
        // The first lines are on top, so the levels go first.
        let levels_drawn = each().map(|(_, ((_, values), at))| level(values, *at));
        let measured = each().map(|(at, ((d, values), level))| line(at, *d, *level, values));
        let plot = Plot::over(Axis::Start)
            .vertical("inner product")
            .series(levels_drawn.chain(measured))
            .aspect(0.9);
        Self {
            distances: distances.to_vec(),
            levels,
            is_closed_form,
            relative: false,
            plot,
        }
    }

    /// Marks the values as scores by offset, unless the levels are a closed form.
    #[must_use]
    pub fn by_offset(mut self, relative: bool) -> Self {
        self.relative = relative && !self.is_closed_form;
        if self.relative {
            self.plot.y.name = "score";
        }
        self
    }

    /// Marks the breaks of the table on the axis of rows.
    #[must_use]
    pub fn with_row_marks(self, marks: impl IntoIterator<Item = RowMark>) -> Self {
        let plot = self.plot.row_marks(marks);
        Self { plot, ..self }
    }

    /// Describes the values of the lines.
    fn products(&self) -> &'static str {
        match self.relative {
            true => "Scores of query i and key i + d",
            false => "Inner products of rows i and i + d",
        }
    }

    /// Fixes the range of the value axis.
    #[must_use]
    pub fn over_values(mut self, values: (f64, f64)) -> Self {
        self.plot = self.plot.values(values);
        self
    }

    /// Returns the range of the value axis.
    #[must_use]
    pub fn values(&self) -> (f64, f64) {
        self.plot.y_range()
    }

    /// The measured lines.
    fn measured_lines(&self) -> impl Iterator<Item = &Series> {
        self.plot.lines().skip(self.distances.len())
    }

    /// Returns the largest distance of any product from its level, over all lines.
    #[must_use]
    pub fn deviation(&self) -> f64 {
        let each = self.measured_lines().zip(&self.levels);
        let deviations = each.map(|(line, level)| largest_deviation(&line.values, *level));
        deviations.fold(0.0, f64::max)
    }

    /// Returns the caption. `model` is the name of the open model.
    #[must_use]
    pub fn caption(&self, of: DiagonalsOf, model: &str) -> String {
        let (products, off) = (self.products(), number(self.deviation()));
        match of {
            DiagonalsOf::Model(_) => format!(
                "{products} of {model}, over i. Where a line leaves its mean (dashed), the distance alone does not decide; the largest difference is {off}."
            ),
            DiagonalsOf::Sinusoidal(table) => format!(
                "{products}: constant in i (to within {off}), and {} at d = 0. The dashed lines are the closed form:",
                number(table.inner_product(0))
            ),
        }
    }

    /// Returns the distance of the line that passes nearest to a point.
    fn nearest(&self, width: f64, px: f64, py: f64) -> Option<usize> {
        let area = self.plot.area(width);
        if !area.frame.contains(px, py) {
            return None;
        }
        let start = area.x.value(px).round() as i64;
        let away = |line: &Series| Some((area.y.pixel(line.at(start)?) - py).abs());
        let each = self.measured_lines().zip(&self.distances);
        each.filter_map(|(line, distance)| Some((*distance, away(line)?)))
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .map(|(distance, _)| distance)
    }
}

impl Figure for FlatLines {
    fn height(&self, width: f64) -> f64 {
        self.plot.height(width)
    }

    fn with_height(&self, width: f64, height: f64) -> Option<Arc<dyn Figure + Send + Sync>> {
        let plot = self.plot.in_height(width, height);
        Some(Arc::new(Self {
            plot,
            ..self.clone()
        }))
    }

    fn scene(&self, width: f64) -> Scene {
        self.plot.scene(width)
    }

    fn overlay(&self, width: f64, cursor: Option<Cursor>) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let Some(distance) = cursor
            .and_then(Cursor::offset)
            .map(|k| k.unsigned_abs() as usize)
        else {
            return scene;
        };
        let lit = self.distances.iter().position(|d| *d == distance);
        if let Some(line) = lit.and_then(|at| self.measured_lines().nth(at)) {
            let area = self.plot.area(width);
            area.draw(&mut scene, (0, &line.values), Ink::Accent, 2.4, None);
        }
        scene
    }

    fn cursor_at(&self, width: f64, px: f64, py: f64) -> Option<Cursor> {
        let distance = self.nearest(width, px, py)?;
        Some(Cursor::Offset(distance as i64))
    }

    fn plot_frame(&self, width: f64) -> Option<Rect> {
        self.plot.plot_frame(width)
    }

    fn vertical_name(&self) -> &'static str {
        self.plot.vertical_name()
    }

    fn summary(&self) -> String {
        let each = self
            .distances
            .iter()
            .zip(self.measured_lines())
            .zip(&self.levels);
        let one = |((distance, line), level): ((&usize, &Series), &f64)| {
            let off = largest_deviation(&line.values, *level);
            format!(
                "distance {distance}: {} to within {}",
                number(*level),
                number(off)
            )
        };
        let all: Vec<String> = each.map(one).collect();
        let breaks = self.plot.breaks_in_words();
        format!("{}, over i. {}.{breaks}", self.products(), all.join("; "))
    }

    /// `distance,start,inner_product,mean,closed_form,largest_deviation`. The last three are those of the whole line,
    /// equal in all of its rows: its mean, the closed form (NaN if there is none), and the largest deviation from the
    /// dashed line.
    fn table(&self) -> Table {
        let each = || {
            self.distances
                .iter()
                .zip(self.measured_lines())
                .zip(&self.levels)
        };
        let rows = || {
            each().flat_map(|((distance, line), level)| {
                let mean = line.values.iter().sum::<f64>() / line.values.len() as f64;
                let deviation = largest_deviation(&line.values, *level);
                let values = line.values.iter().enumerate();
                values.map(move |(start, value)| {
                    ([*distance, start], [*value, mean, *level, deviation])
                })
            })
        };
        let whole = |of: usize| rows().map(|row| row.0[of]).collect();
        let number = |of: usize| rows().map(|row| row.1[of]).collect();
        let closed_form = match self.is_closed_form {
            true => number(2),
            false => rows().map(|_| f64::NAN).collect(),
        };
        Table::new()
            .with("distance", whole(0))
            .with("start", whole(1))
            .with("inner_product", number(0))
            .with("mean", number(1))
            .with("closed_form", closed_form)
            .with("largest_deviation", number(3))
    }
}
