//! Scatter plot of points on two axes, also for curves over the steps of a training run.

use super::{
    Anchor, Axis, Figure, Ink, LinearScale, Mark, Rect, Scene, Table,
    frame::{
        BELOW, base_line, bottom_tick, bottom_ticks, horizontal_name, left_margin, legend_rows,
        plot_height, value_axis, value_ticks,
    },
    number,
    scale::extent,
    scene::{BADGE, TEXT},
    text::{fitted, overlap, width as text_width},
};

const LEFT: f64 = 44.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 12.0;
const LEGEND: f64 = 20.0;
/// Length of a sample in the legend, the start of its name, and the space to the next entry.
const SAMPLE: f64 = 18.0;
const NAME: f64 = 23.0;
const ENTRIES_APART: f64 = 17.0;
/// Names next to points are cut to this width.
const LABEL: f64 = 150.0;

/// A point.
#[derive(Debug, Clone, PartialEq)]
pub struct ScatterPoint {
    /// Its coordinates.
    pub at: (f64, f64),
    /// Number and name of its model, which are written at the point.
    pub model: Option<(usize, String)>,
}

/// Points of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Dots {
    /// Name in the legend. Empty for no entry.
    pub name: String,
    /// The points, in the order in which they are joined.
    pub points: Vec<ScatterPoint>,
    /// Colour of dots and line.
    pub ink: Ink,
    /// Whether they are joined by a line.
    pub joined: bool,
    /// Whether that line is dashed.
    pub dashed: bool,
    /// Whether only the line is drawn, for many points.
    pub is_line: bool,
}

/// Points on two axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Scatter {
    /// The points, by kind.
    pub dots: Vec<Dots>,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis. `None` if the kinds of points have different quantities.
    pub y: Option<Axis>,
    /// Slope and intercept of a straight line through the points.
    pub trend: Option<(f64, f64)>,
    /// A selected place on the horizontal axis.
    pub marked: Option<f64>,
    /// Height of the plot over its width.
    pub aspect: f64,
    /// Numbers behind the figure, for download.
    pub table: Table,
    /// A text summary.
    pub summary: String,
}

impl ScatterPoint {
    /// Creates a point without a model.
    #[must_use]
    pub fn new(at: (f64, f64)) -> Self {
        Self { at, model: None }
    }

    /// Adds the number and the name of a model.
    #[must_use]
    pub fn of_model(mut self, number: usize, name: String) -> Self {
        self.model = Some((number, name));
        self
    }
}

impl Dots {
    /// Creates unjoined points, in ink.
    #[must_use]
    pub fn new(name: impl Into<String>, points: impl IntoIterator<Item = ScatterPoint>) -> Self {
        Self {
            name: name.into(),
            points: points.into_iter().collect(),
            ink: Ink::Ink,
            joined: false,
            dashed: false,
            is_line: false,
        }
    }

    /// Sets the colour.
    #[must_use]
    pub fn ink(mut self, ink: Ink) -> Self {
        self.ink = ink;
        self
    }

    /// Joins the points by a line.
    #[must_use]
    pub fn joined(mut self) -> Self {
        self.joined = true;
        self
    }

    /// Draws only a line through the points.
    #[must_use]
    pub fn line(mut self) -> Self {
        (self.joined, self.is_line) = (true, true);
        self
    }

    /// Joins the points by a dashed line.
    #[must_use]
    pub fn dashed(mut self) -> Self {
        (self.joined, self.dashed) = (true, true);
        self
    }
}

impl Scatter {
    /// Creates an empty plot on two axes.
    #[must_use]
    pub fn over(x: Axis, y: Option<Axis>) -> Self {
        Self {
            dots: Vec::new(),
            x,
            y,
            trend: None,
            marked: None,
            aspect: 0.5,
            table: Table::new(),
            summary: String::new(),
        }
    }

    /// Sets the points.
    #[must_use]
    pub fn dots(mut self, dots: impl IntoIterator<Item = Dots>) -> Self {
        self.dots = dots.into_iter().collect();
        self
    }

    /// Sets the slope and intercept of a straight line.
    #[must_use]
    pub fn trend(mut self, trend: Option<(f64, f64)>) -> Self {
        self.trend = trend;
        self
    }

    /// Marks a selected place on the horizontal axis.
    #[must_use]
    pub fn marked(mut self, marked: Option<f64>) -> Self {
        self.marked = marked;
        self
    }

    /// Sets height over width of the plot.
    #[must_use]
    pub fn aspect(mut self, aspect: f64) -> Self {
        self.aspect = aspect;
        self
    }

    /// Sets the numbers behind the figure.
    #[must_use]
    pub fn with_table(mut self, table: Table) -> Self {
        self.table = table;
        self
    }

    /// Sets the text summary.
    #[must_use]
    pub fn with_summary(mut self, summary: impl Into<String>) -> Self {
        self.summary = summary.into();
        self
    }

    fn y_title(&self) -> &'static str {
        self.y.map_or("", Axis::title)
    }

    fn points(&self) -> impl Iterator<Item = &ScatterPoint> {
        self.dots.iter().flat_map(|dots| &dots.points)
    }

    fn labelled(&self) -> impl Iterator<Item = &Dots> {
        self.dots.iter().filter(|dots| !dots.name.is_empty())
    }

    /// Returns the place and row of each legend entry, and the number of rows.
    fn legend(&self, width: f64) -> (Vec<(f64, usize)>, usize) {
        let entry = |dots: &Dots| NAME + text_width(&dots.name, TEXT) + ENTRIES_APART;
        // The space after the last entry of a row may be outside.
        legend_rows(self.labelled().map(entry), 0.0, width + ENTRIES_APART)
    }

    fn frame(&self, width: f64) -> Rect {
        let height = plot_height((width - LEFT - RIGHT).max(1.0), self.aspect);
        let y = LinearScale::new(self.extents().1, (height, 0.0));
        let ticks = value_ticks(&y, height);
        let labels = ticks.iter().map(|(_, label)| label.as_str());
        let left = left_margin(labels, LEFT, width);
        let inner = (width - left - RIGHT).max(1.0);
        Rect {
            x: left,
            y: TOP + LEGEND * (self.legend(width).1 as f64 + 1.0),
            width: inner,
            height: plot_height(inner, self.aspect),
        }
    }

    /// The ranges of both axes.
    fn extents(&self) -> ((f64, f64), (f64, f64)) {
        let over = |of: fn(&ScatterPoint) -> f64, margin| {
            extent(self.points().map(of), margin).map_or((0.0, 1.0), |r| (*r.start(), *r.end()))
        };
        (over(|p| p.at.0, 0.05), over(|p| p.at.1, 0.12))
    }

    fn scales(&self, frame: &Rect) -> (LinearScale, LinearScale) {
        let (across, down) = self.extents();
        (
            LinearScale::new(across, (frame.x, frame.right())),
            LinearScale::new(down, (frame.bottom(), frame.y)),
        )
    }

    fn axes(&self, scene: &mut Scene, frame: &Rect) {
        let (x, y) = self.scales(frame);
        value_axis(scene, &y, frame, self.y_title());
        base_line(scene, frame);
        for (tick, label) in bottom_ticks(&x, frame.width, false) {
            bottom_tick(scene, frame, x.pixel(tick), label);
        }
        horizontal_name(scene, frame, self.x.title());
    }

    fn draw_legend(&self, scene: &mut Scene) {
        let (places, _) = self.legend(scene.width);
        for (dots, (left, row)) in self.labelled().zip(places) {
            let y = 9.0 + LEGEND * row as f64;
            scene.marks.push(Mark::Line {
                points: vec![(left, y), (left + SAMPLE, y)],
                stroke: dots.ink,
                width: 1.5,
                dash: dots.dashed.then_some(3.0),
            });
            let name = fitted(&dots.name, scene.width - left - NAME);
            scene.text(name, (left + NAME, y), Anchor::Start, Ink::Muted);
        }
    }

    /// Writes names next to their points, each on the first of four sides where it covers nothing. A name without such
    /// a side is omitted; its number is in the point.
    fn draw_names(&self, scene: &mut Scene, frame: &Rect) {
        let (x, y) = self.scales(frame);
        let place = |point: &ScatterPoint| (x.pixel(point.at.0), y.pixel(point.at.1));
        let around = |(x, y): (f64, f64)| Rect {
            x: x - BADGE,
            y: y - BADGE,
            width: 2.0 * BADGE,
            height: 2.0 * BADGE,
        };
        let mut taken: Vec<Rect> = self.points().map(|point| around(place(point))).collect();
        for point in self.points() {
            let Some((_, name)) = &point.model else {
                continue;
            };
            let (px, py) = place(point);
            let name = fitted(name, LABEL.min(frame.width / 2.0));
            let width = text_width(&name, TEXT);
            let beside = BADGE + 5.0;
            let sides = [
                (px + beside, py, Anchor::Start, px + beside),
                (px - beside, py, Anchor::End, px - beside - width),
                (px, py - beside - 4.0, Anchor::Middle, px - width / 2.0),
                (px, py + beside + 4.0, Anchor::Middle, px - width / 2.0),
            ];
            for (at, height, anchor, left) in sides {
                let covered = Rect {
                    x: left,
                    y: height - 7.0,
                    width,
                    height: 14.0,
                };
                let inside = covered.x >= 0.0 && covered.right() <= frame.right() + RIGHT;
                if inside && !taken.iter().any(|other| overlap(other, &covered)) {
                    scene.text(name, (at, height), anchor, Ink::Ink);
                    taken.push(covered);
                    break;
                }
            }
        }
    }
}

impl Figure for Scatter {
    fn height(&self, width: f64) -> f64 {
        self.frame(width).bottom() + BELOW
    }

    fn scene(&self, width: f64) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let frame = self.frame(width);
        self.axes(&mut scene, &frame);
        let (x, y) = self.scales(&frame);
        if let Some((slope, intercept)) = self.trend {
            // Cut at the edges of the frame.
            let ends = (0..=64).map(|at| frame.x + frame.width * f64::from(at) / 64.0);
            let points = ends.map(|px| (px, y.pixel(slope * x.value(px) + intercept)));
            scene.marks.push(Mark::Line {
                points: points
                    .filter(|(_, py)| (frame.y..=frame.bottom()).contains(py))
                    .collect(),
                stroke: Ink::Muted,
                width: 1.0,
                dash: Some(3.0),
            });
        }
        if let Some(marked) = self.marked {
            let at = x.pixel(marked);
            scene.line(vec![(at, frame.y), (at, frame.bottom())], Ink::Chosen, 1.0);
        }
        for dots in &self.dots {
            let place = |point: &ScatterPoint| (x.pixel(point.at.0), y.pixel(point.at.1));
            if dots.joined {
                scene.marks.push(Mark::Line {
                    points: dots.points.iter().map(place).collect(),
                    stroke: dots.ink,
                    width: 1.5,
                    dash: dots.dashed.then_some(3.0),
                });
            }
            for point in &dots.points {
                let at = place(point);
                if dots.is_line || !(at.0.is_finite() && at.1.is_finite()) {
                    continue;
                }
                if let Some((number, _)) = &point.model {
                    scene.badge(at, *number);
                    continue;
                }
                let is_marked = self.marked == Some(point.at.0);
                scene.marks.push(Mark::Dot {
                    at,
                    radius: if is_marked { 5.5 } else { 3.5 },
                    fill: dots.ink,
                    stroke: Ink::Paper,
                });
            }
        }
        self.draw_names(&mut scene, &frame);
        self.draw_legend(&mut scene);
        scene
    }

    fn summary(&self) -> String {
        let over = |of: fn(&ScatterPoint) -> f64| {
            extent(self.points().map(of), 0.0).map_or_else(String::new, |range| {
                format!(
                    "from {} to {}",
                    number(*range.start()),
                    number(*range.end())
                )
            })
        };
        format!(
            "{} {} {}, {} {}.",
            self.summary,
            self.x.title(),
            over(|p| p.at.0),
            self.y_title(),
            over(|p| p.at.1)
        )
    }

    fn table(&self) -> Table {
        self.table.clone()
    }
}
