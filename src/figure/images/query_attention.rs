//! Attention of one pixel: a map per head, and their mean.

use super::panels::{Panel, Panels, mark_pixel, pixel_at};
use crate::{
    figure::{
        Anchor, Axis, ColorMap, Figure, FormulaTerm, Heatmap, Ink, Plot, Raster, Rect, Scene,
        Series, Table, number,
    },
    math::{AttentionMask, Grid, Tile, Window},
};
use std::sync::Arc;

/// With more lines than these, no names are written next to the plot.
const MOST_NAMED: usize = 8;
/// Number of pixels shown on either side of the query pixel.
const AROUND: usize = 7;

/// Attention maps of one query pixel.
#[derive(Debug, Clone)]
pub struct QueryAttention {
    grid: Grid,
    query: (usize, usize),
    /// Whether only the neighbourhood of the pixel is shown.
    near: bool,
    window: Window,
    /// One map per head, then their mean.
    maps: Vec<Vec<f64>>,
    rasters: Vec<Arc<Raster>>,
}

impl QueryAttention {
    /// Creates the maps of all heads for a pixel (y, x), of the whole image or, with `near`, of its neighbourhood.
    #[must_use]
    pub fn new(
        grid: Grid,
        query: (usize, usize),
        heads: Vec<Vec<f64>>,
        map: ColorMap,
        near: bool,
    ) -> Self {
        let window = if near {
            around(grid, query)
        } else {
            Window::whole(grid.height, grid.width)
        };
        let maps = with_mean(heads);
        let rasters = maps.iter().map(|values| {
            let rows = window.rows.clone().flat_map(|y| {
                let row = y * grid.width;
                &values[row + window.cols.start..row + window.cols.end]
            });
            let tile = Tile {
                row_step: 1,
                col_step: 1,
                values: rows.map(|&value| value as f32).collect(),
                window: window.clone(),
                cells: None,
            };
            Heatmap::attention(Arc::new(tile), map, grid.cells(), AttentionMask::Whole).raster()
        });
        Self {
            rasters: rasters.collect(),
            window,
            grid,
            query,
            near,
            maps,
        }
    }

    fn panels(&self) -> Panels {
        Panels {
            count: self.maps.len(),
            aspect: self.window.rows.len() as f64 / self.window.cols.len() as f64,
            narrowest: if self.maps.len() > 12 { 78.0 } else { 100.0 },
            widest: 190.0,
            below: 20.0,
        }
    }

    /// Returns the pixel (y, x) at a point of the figure, in whichever map. `None` unless whole maps are shown.
    #[must_use]
    pub fn pixel_at(&self, width: f64, px: f64, py: f64) -> Option<(usize, usize)> {
        // A neighbourhood that follows its pixel would move under the pointer.
        (!self.near)
            .then(|| pixel_at(&self.panels().places(width), self.grid, px, py))
            .flatten()
    }

    /// Returns the greatest value of a map, and its place.
    fn greatest(&self, at: usize) -> (f64, (usize, usize)) {
        let cells = self.maps[at].iter().copied().enumerate();
        let best = cells.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 0.0));
        (best.1, self.grid.place(best.0))
    }
}

/// The neighbourhood of a pixel, moved inward at the edges so that its size is constant.
fn around(grid: Grid, (y, x): (usize, usize)) -> Window {
    let range = |at: usize, cells: usize| {
        let first = at
            .saturating_sub(AROUND)
            .min(cells.saturating_sub(2 * AROUND + 1));
        first..(first + 2 * AROUND + 1).min(cells)
    };
    Window {
        rows: range(y, grid.height),
        cols: range(x, grid.width),
    }
}

/// Appends the mean map.
fn with_mean(mut heads: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let count = heads.len().max(1) as f64;
    let cells = heads.first().map_or(0, Vec::len);
    let mean = (0..cells).map(|cell| heads.iter().map(|head| head[cell]).sum::<f64>() / count);
    let mean: Vec<f64> = mean.collect();
    heads.push(mean);
    heads
}

fn name(at: usize, maps: usize) -> String {
    if at + 1 == maps {
        "mean".to_owned()
    } else {
        format!("head {}", at + 1)
    }
}

impl Figure for QueryAttention {
    fn height(&self, width: f64) -> f64 {
        self.panels().height(width)
    }

    fn scene(&self, width: f64) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let (top, left) = (self.window.rows.start, self.window.cols.start);
        let window_grid = Grid {
            height: self.window.rows.len(),
            width: self.window.cols.len(),
        };
        for (at, place) in self.panels().places(width).into_iter().enumerate() {
            let name = name(at, self.maps.len());
            let panel = Panel {
                raster: Arc::clone(&self.rasters[at]),
                name: &name,
                ink: Ink::Ink,
            };
            Panels::draw(&mut scene, place, panel);
            let most = format!("to {}", number(self.greatest(at).0));
            let below = (place.x, place.bottom() + 9.0);
            scene.text(most, below, Anchor::Start, Ink::Muted);
            let query = (self.query.0 - top, self.query.1 - left);
            mark_pixel(&mut scene, place, window_grid, query);
        }
        scene
    }

    /// The maps of the heads, without their mean.
    fn terms(&self, width: f64) -> Vec<(FormulaTerm, Rect)> {
        let maps = self.panels().places(width).into_iter().enumerate();
        let of_heads = maps.take(self.maps.len() - 1);
        of_heads
            .map(|(at, place)| (FormulaTerm::ImageHead(at), place))
            .collect()
    }

    fn summary(&self) -> String {
        let (y, x) = self.query;
        let one = |at: usize| {
            let (value, (y, x)) = self.greatest(at);
            format!(
                "{} most at ({y}, {x}), {}",
                name(at, self.maps.len()),
                number(value)
            )
        };
        let heads: Vec<String> = (0..self.maps.len()).map(one).collect();
        format!(
            "Attention of the pixel in row {y}, column {x} of {} by {}: {}.",
            self.grid.height,
            self.grid.width,
            heads.join("; ")
        )
    }

    fn table(&self) -> Table {
        table(self.grid, &self.maps)
    }
}

/// `head,y,x,attention`. The mean of all heads is head 0.
fn table(grid: Grid, maps: &[Vec<f64>]) -> Table {
    let cells = || (0..maps.len()).flat_map(|map| (0..grid.cells()).map(move |cell| (map, cell)));
    let number_of = |map: usize| {
        if map + 1 == maps.len() {
            0
        } else {
            map as i64 + 1
        }
    };
    Table::new()
        .with("head", cells().map(|(map, _)| number_of(map)).collect())
        .with("y", cells().map(|(_, cell)| grid.place(cell).0).collect())
        .with("x", cells().map(|(_, cell)| grid.place(cell).1).collect())
        .with(
            "attention",
            cells().map(|(map, cell)| maps[map][cell]).collect(),
        )
}

/// The same for an image of one row, as lines over the offset.
#[must_use]
pub fn attention_on_line(n: usize, query: usize, heads: Vec<Vec<f64>>) -> Plot {
    let maps = with_mean(heads);
    let count = maps.len();
    let series = maps.iter().enumerate().map(|(at, values)| {
        let line = Series::new(name(at, count), -(query as i64), values.clone());
        if at + 1 == count {
            line.with_dashes(true).in_legend()
        } else {
            let line = line.ink(Ink::Category(at)).width(1.8);
            if count <= MOST_NAMED {
                line.in_legend()
            } else {
                line
            }
        }
    });
    let peaks_at = maps.iter().map(|values| {
        let best = values.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
        best.map_or(0.0, |(at, _)| (at as f64 - query as f64).abs())
    });
    let reach = peaks_at.fold(0.0, f64::max) + 16.5;
    let (first, last) = (-(query as f64) - 0.5, (n - query) as f64 - 0.5);
    let greatest = |values: &Vec<f64>| values.iter().copied().fold(0.0, f64::max);
    let peaks: Vec<String> = (maps.iter().enumerate())
        .map(|(at, values)| format!("{} up to {}", name(at, count), number(greatest(values))))
        .collect();
    Plot::over(Axis::Offset)
        .vertical("attention")
        .series(series)
        .horizontal_range((first.max(-reach), last.min(reach)))
        .with_table(table(Grid::line(n), &maps))
        .with_summary(format!(
            "Attention of position {query} of {n} by offset: {}.",
            peaks.join("; ")
        ))
}
