//! Similarity of each patch of an image to every other: small maps at the places of their patches, as one picture.

use super::{
    ColorMap, Cursor, Figure, Heatmap, Mark, Raster, Rect, Scene, Table, ValueRange,
    color_bar::{self, BAR, BAR_LABELS},
    number,
};
use crate::{
    analysis::{PatchMaps, PatchSimilarities},
    math::{NoR2, Similarity, Tile, Window},
};
use std::sync::Arc;

const BAR_GAP: f64 = 10.0;
/// Greatest width of the picture.
const WIDEST: f64 = 620.0;

/// Similarity maps of patches.
#[derive(Debug, Clone)]
pub struct PatchPicture {
    maps: PatchSimilarities,
    map: ColorMap,
    range: ValueRange,
    raster: Arc<Raster>,
}

impl PatchPicture {
    /// Colours the maps. `clip` percent of the values at either end are beyond the colour bar.
    #[must_use]
    pub fn new(maps: &PatchSimilarities, map: ColorMap, clip: f64) -> Self {
        let (patch_grid, n) = (maps.patch_grid(), maps.grid.cells());
        let tile = Tile {
            window: Window::whole(patch_grid.cells(), n),
            row_step: 1,
            col_step: 1,
            values: maps.values.clone(),
            cells: None,
        };
        // Each row of this matrix is a map; its pixels are copied to the map's place.
        let matrix = Heatmap::matrix(Arc::new(tile), map, clip);
        let (rows, columns) = (maps.grid.height + 1, maps.grid.width + 1);
        let width = patch_grid.width * columns - 1;
        let height = patch_grid.height * rows - 1;
        let raster = map.raster((width, height), |palette| {
            // Gaps between maps are transparent.
            let mut pixels = vec![[0; 4]; width * height];
            for (at, pixel) in matrix.colours(palette).into_iter().enumerate() {
                let ((map_y, map_x), (y, x)) = (patch_grid.place(at / n), maps.grid.place(at % n));
                pixels[(map_y * rows + y) * width + map_x * columns + x] = pixel;
            }
            pixels
        });
        Self {
            range: matrix.range(),
            maps: maps.clone(),
            map,
            raster: Arc::new(raster),
        }
    }

    fn frame(&self, width: f64) -> Rect {
        let side = width.min(WIDEST);
        Rect {
            x: 0.0,
            y: 0.0,
            width: side,
            height: side * self.raster.height as f64 / self.raster.width as f64,
        }
    }

    /// Returns the cell of a patch in the map of another.
    fn cell(&self, width: f64, (patch, other): (usize, usize)) -> Option<Rect> {
        self.maps.at(patch, other)?;
        let (frame, grid, step) = (self.frame(width), self.maps.grid, self.maps.step);
        let cell = frame.width / self.raster.width as f64;
        let ((y, x), (to_y, to_x)) = (grid.place(patch), grid.place(other));
        let pixel = |map: usize, side: usize, at: usize| (map / step * (side + 1) + at) as f64;
        Some(Rect {
            x: frame.x + cell * pixel(x, grid.width, to_x),
            y: frame.y + cell * pixel(y, grid.height, to_y),
            width: cell,
            height: cell,
        })
    }

    /// Returns whether the maps are those of the model's own positions, so that other figures share the cursor.
    fn is_own(&self) -> bool {
        self.maps.own.is_none()
    }
}

impl Figure for PatchPicture {
    fn height(&self, width: f64) -> f64 {
        let frame = self.frame(width);
        let words = color_bar::words_height(self.range, frame.width);
        frame.bottom() + BAR_GAP + BAR + BAR_LABELS + words + 2.0
    }

    fn scene(&self, width: f64) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let frame = self.frame(width);
        scene
            .marks
            .push(Mark::Raster(frame, Arc::clone(&self.raster)));
        let bar = Rect {
            y: frame.bottom() + BAR_GAP,
            height: BAR,
            ..frame
        };
        color_bar::draw(&mut scene, bar, self.map, self.range);
        scene
    }

    fn overlay(&self, width: f64, cursor: Option<Cursor>) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let cell = cursor
            .and_then(Cursor::cell)
            .filter(|_| self.is_own())
            .and_then(|cell| self.cell(width, cell));
        if let Some(cell) = cell {
            let (x, y) = (cell.x - 1.0, cell.y - 1.0);
            let (right, bottom) = (cell.right() + 1.0, cell.bottom() + 1.0);
            let corners = [(x, y), (right, y), (right, bottom), (x, bottom), (x, y)];
            scene.lit_line(corners.to_vec());
        }
        scene
    }

    fn cursor_at(&self, width: f64, px: f64, py: f64) -> Option<Cursor> {
        let frame = self.frame(width);
        if !self.is_own() || !frame.contains(px, py) {
            return None;
        }
        let (grid, step) = (self.maps.grid, self.maps.step);
        let cell = frame.width / self.raster.width as f64;
        let place = |at: f64, side: usize| {
            let pixel = (at / cell) as usize;
            let (map, within) = (pixel / (side + 1), pixel % (side + 1));
            (within < side).then_some((map * step, within))
        };
        let (y, to_y) = place(py - frame.y, grid.height)?;
        let (x, to_x) = place(px - frame.x, grid.width)?;
        let position = |y: usize, x: usize| y * grid.width + x;
        let (patch, other) = (position(y, x), position(to_y, to_x));
        self.maps.at(patch, other)?;
        Some(Cursor::Cell(patch, other))
    }

    fn plot_frame(&self, width: f64) -> Option<Rect> {
        Some(self.frame(width))
    }

    fn summary(&self) -> String {
        let grid = self.maps.grid;
        let what = match self.maps.similarity {
            Similarity::Cosine => "Cosine",
            Similarity::InnerProduct => "Inner product",
        };
        let some = match self.maps.step {
            1 => String::new(),
            step => format!(" One patch row and column in {step} has maps."),
        };
        let before = self.maps.own.map_or_else(String::new, |(own, r2)| {
            format!(
                " On the table’s own grid of {} by {}, the share is {}.",
                own.height,
                own.width,
                number(r2)
            )
        });
        format!(
            "{what} of the position embeddings of {} by {} patches, from {} to {}. {}{before}{some}",
            grid.height,
            grid.width,
            number(self.range.values.0),
            number(self.range.values.1),
            describe_r2(self.maps.r2, "of their variance")
        )
    }

    /// `y,x,patch_y,patch_x,similarity`, rows and columns counted from 0: the patch of the map, then the other patch.
    /// Then `r2,own_r2`, equal in all rows: the share of variance that (Δy, Δx) explains here, and on the table's own
    /// grid if that is another (NaN otherwise).
    fn table(&self) -> Table {
        let grid = self.maps.grid;
        let pairs = || {
            let maps = self.maps.patches();
            maps.flat_map(move |patch| (0..grid.cells()).map(move |other| (patch, other)))
        };
        let whole = |of: &dyn Fn(usize, usize) -> usize| pairs().map(|(a, b)| of(a, b)).collect();
        let values = self.maps.values.iter().map(|v| f64::from(*v));
        Table::new()
            .with("y", whole(&|patch, _| grid.place(patch).0))
            .with("x", whole(&|patch, _| grid.place(patch).1))
            .with("patch_y", whole(&|_, other| grid.place(other).0))
            .with("patch_x", whole(&|_, other| grid.place(other).1))
            .with("similarity", values.collect())
            .with_constant("r2", self.maps.r2)
            .with_constant("own_r2", self.maps.own.map_or(f64::NAN, |(_, r2)| r2))
    }
}

/// States the share that (Δy, Δx) explains, or why there is none.
fn describe_r2(r2: f64, of: &str) -> String {
    if r2.is_finite() {
        format!("(Δy, Δx) explains {} {of}.", number(r2))
    } else {
        format!("There is no R², because {}.", NoR2::NothingVaries)
    }
}

/// Returns the caption of the maps of patches or, without embeddings, of heads; and the effect of another grid.
#[must_use]
pub fn patch_caption(maps: &PatchMaps) -> String {
    let maps = match maps {
        PatchMaps::ByPatch(maps) => maps,
        PatchMaps::ByHead(maps) => {
            return format!(
                "This model has no position embeddings: each map is the score by (Δy, Δx) of one head of layer {}, with the query in the middle. The score depends on (Δy, Δx) alone, so another window needs another model.",
                maps.layer + 1
            );
        }
    };
    let some = match maps.step {
        1 => "One map per patch, arranged like the image".to_owned(),
        step => {
            format!("One map per patch in one row and column of {step}, arranged like the image")
        }
    };
    let effect = maps.own.map_or_else(
        || describe_r2(maps.r2, "of the variance"),
        |(own, before)| {
            format!(
                "Resampled from {} × {} to {} × {} patches, as for images of another size: (Δy, Δx) explains {} of the \
                 variance, {} before.",
                own.height,
                own.width,
                maps.grid.height,
                maps.grid.width,
                number(maps.r2),
                number(before)
            )
        },
    );
    format!("{some}: similarity of its embedding to all others. {effect}")
}
