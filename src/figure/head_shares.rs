//! R² of every head of several models: one matrix of layers and heads per model, all with cells of one size.

use super::{
    Anchor, ColorMap, Figure, Ink, Mark, Raster, Rect, Scene, Table, ValueRange,
    color_bar::{self, BAR, BAR_LABELS},
    scene::{BADGE, fit_name},
};
use std::sync::Arc;

const GAP: f64 = 24.0;
const NAME: f64 = 26.0;
/// Greatest side of a head's cell.
const CELL: f64 = 16.0;
/// Least width of a model, so that its name fits.
const COLUMN: f64 = 150.0;
/// Greatest length of the bar.
const LONGEST: f64 = 240.0;

/// Range of the shares of variance.
const SHARES: ValueRange = ValueRange {
    ends: (0.0, 1.0),
    values: (0.0, 1.0),
};

/// R² of a model's heads.
#[derive(Debug, Clone)]
pub struct ModelShares {
    number: usize,
    name: String,
    heads: usize,
    layers: usize,
    raster: Arc<Raster>,
}

/// R² of the heads of several models.
#[derive(Debug, Clone)]
pub struct HeadShares {
    /// The models, in reading order.
    pub models: Vec<ModelShares>,
    /// Colour map of 0 … 1.
    pub map: ColorMap,
    /// Numbers behind the figure, for download.
    pub table: Table,
    /// A text summary.
    pub summary: String,
}

impl ModelShares {
    /// Creates the matrix from the model's number (from 1), its name, its heads per layer, and R² layer by layer. NaN
    /// marks a head without R² or not computed yet, which stays blank.
    #[must_use]
    pub fn new(number: usize, name: String, heads: usize, r2: &[f64], map: ColorMap) -> Self {
        let heads = heads.max(1);
        let layers = r2.len().div_ceil(heads);
        let mut shares = vec![f32::NAN; heads * layers];
        for (share, &r2) in shares.iter_mut().zip(r2) {
            *share = r2 as f32;
        }
        let raster = map.raster((heads, layers), |palette| {
            row_kernels::colours(&shares, (0.0, 1.0), palette)
        });
        Self {
            number,
            name,
            heads,
            layers,
            raster: Arc::new(raster),
        }
    }
}

impl HeadShares {
    /// Returns the width of a model's column and the frame of each model's matrix.
    fn layout(&self, width: f64) -> (f64, Vec<Rect>) {
        let most = self.models.iter().map(|m| m.heads).max().unwrap_or(1);
        let cell = (width / most as f64).min(CELL);
        let column = (cell * most as f64).max(COLUMN.min(width));
        let columns = (((width + GAP) / (column + GAP)) as usize).max(1);
        let mut top = 0.0;
        let mut places = Vec::with_capacity(self.models.len());
        for row in self.models.chunks(columns) {
            let tallest = row.iter().map(|m| m.layers).max().unwrap_or(0);
            places.extend(row.iter().enumerate().map(|(at, model)| Rect {
                x: at as f64 * (column + GAP),
                y: top + NAME,
                width: cell * model.heads as f64,
                height: cell * model.layers as f64,
            }));
            top += NAME + cell * tallest as f64 + GAP;
        }
        (column, places)
    }

    fn bar(&self, places: &[Rect], width: f64) -> Rect {
        Rect {
            x: 0.0,
            y: places.iter().map(Rect::bottom).fold(0.0, f64::max) + GAP,
            width: width.min(LONGEST),
            height: BAR,
        }
    }
}

impl Figure for HeadShares {
    fn height(&self, width: f64) -> f64 {
        let (_, places) = self.layout(width);
        let bar = self.bar(&places, width);
        bar.bottom() + BAR_LABELS + color_bar::words_height(SHARES, bar.width) + 2.0
    }

    fn scene(&self, width: f64) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let (column, places) = self.layout(width);
        for (model, place) in self.models.iter().zip(&places) {
            let middle = place.y - NAME / 2.0;
            scene.badge((place.x + BADGE + 1.0, middle), model.number);
            scene.text(
                fit_name(&model.name, column - 2.0 * BADGE - 8.0),
                (place.x + 2.0 * BADGE + 8.0, middle),
                Anchor::Start,
                Ink::Ink,
            );
            scene
                .marks
                .push(Mark::Raster(*place, Arc::clone(&model.raster)));
        }
        color_bar::draw(&mut scene, self.bar(&places, width), self.map, SHARES);
        scene
    }

    fn summary(&self) -> String {
        self.summary.clone()
    }

    fn table(&self) -> Table {
        self.table.clone()
    }
}
