//! What one pixel looks at: a map of every head, and their mean.

use super::panels::{Panel, Panels};
use crate::{
    figure::{
        Anchor, Axis, ColorMap, Column, Figure, Heatmap, Ink, Lines, Mark, Raster, Rect, Scene,
        Series, Table, number,
    },
    math::{Cells, Grid, Tile, Window},
};
use std::sync::Arc;

/// Maps of attention from one pixel.
#[derive(Debug, Clone)]
pub struct QueryAttention {
    grid: Grid,
    query: (usize, usize),
    /// One map a head, then their mean.
    maps: Vec<Vec<f64>>,
    rasters: Vec<Arc<Raster>>,
}

impl QueryAttention {
    /// The maps of all heads for a pixel (y, x).
    #[must_use]
    pub fn new(grid: Grid, query: (usize, usize), heads: Vec<Vec<f64>>, map: ColorMap) -> Self {
        let maps = with_mean(heads);
        let rasters = maps.iter().map(|values| {
            let tile = Tile {
                window: Window::whole(grid.height, grid.width),
                row_step: 1,
                col_step: 1,
                values: values.iter().map(|&value| value as f32).collect(),
                cells: None,
            };
            Heatmap::attention(Arc::new(tile), map, grid.cells(), Cells::Whole).raster()
        });
        Self {
            rasters: rasters.collect(),
            grid,
            query,
            maps,
        }
    }

    fn panels(&self) -> Panels {
        Panels {
            count: self.maps.len(),
            aspect: self.grid.height as f64 / self.grid.width as f64,
            narrowest: if self.maps.len() > 12 { 78.0 } else { 100.0 },
            widest: 190.0,
            below: 20.0,
        }
    }

    /// The pixel (y, x) at a point of the figure, whichever map it lies on.
    #[must_use]
    pub fn pixel_at(&self, width: f64, px: f64, py: f64) -> Option<(usize, usize)> {
        let places = self.panels().places(width);
        let place = places.into_iter().find(|place| place.contains(px, py))?;
        let cell = |from: f64, room: f64, cells: usize| {
            ((from / room * cells as f64) as usize).min(cells.saturating_sub(1))
        };
        Some((
            cell(py - place.y, place.height, self.grid.height),
            cell(px - place.x, place.width, self.grid.width),
        ))
    }

    /// The greatest value of a map, and where it is.
    fn greatest(&self, at: usize) -> (f64, (usize, usize)) {
        let cells = self.maps[at].iter().copied().enumerate();
        let best = cells.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 0.0));
        (best.1, self.grid.place(best.0))
    }
}

/// Maps, and the mean of them behind the last.
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
            let (across, down) = (
                place.width / self.grid.width as f64,
                place.height / self.grid.height as f64,
            );
            let (y, x) = self.query;
            // Small pixels are marked by a frame around them.
            let room = (7.0 - across.min(down)).max(0.0) / 2.0;
            for (ink, out, stroke) in [(Ink::Black, room + 1.0, 1.5), (Ink::White, room, 1.5)] {
                scene.marks.push(Mark::Box {
                    rect: Rect {
                        x: place.x + x as f64 * across - out,
                        y: place.y + y as f64 * down - out,
                        width: across + 2.0 * out,
                        height: down + 2.0 * out,
                    },
                    fill: None,
                    stroke: Some((ink, stroke)),
                });
            }
        }
        scene
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

/// `head,y,x,attention`; the mean of all heads is head 0.
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
        .with(
            "head",
            Column::Whole(cells().map(|(map, _)| number_of(map)).collect()),
        )
        .with(
            "y",
            Column::Whole(cells().map(|(_, cell)| grid.place(cell).0 as i64).collect()),
        )
        .with(
            "x",
            Column::Whole(cells().map(|(_, cell)| grid.place(cell).1 as i64).collect()),
        )
        .with(
            "attention",
            Column::Number(cells().map(|(map, cell)| maps[map][cell]).collect()),
        )
}

/// The same along one row, as lines over the offset.
#[must_use]
pub fn attention_on_line(n: usize, query: usize, heads: Vec<Vec<f64>>) -> Lines {
    let maps = with_mean(heads);
    let count = maps.len();
    let series = maps.iter().enumerate().map(|(at, values)| {
        let line = Series::new(name(at, count), -(query as i64), values.clone());
        if at + 1 == count {
            line.dashed(true).labelled()
        } else {
            line.ink(Ink::Category(at)).width(1.8)
        }
    });
    let greatest = |values: &Vec<f64>| values.iter().copied().fold(0.0, f64::max);
    let peaks: Vec<String> = (maps.iter().enumerate())
        .map(|(at, values)| format!("{} up to {}", name(at, count), number(greatest(values))))
        .collect();
    Lines::over(Axis::Offset)
        .series(series)
        .with_table(table(Grid::line(n), &maps))
        .with_summary(&format!(
            "Attention of position {query} of {n} by offset: {}.",
            peaks.join("; ")
        ))
}
