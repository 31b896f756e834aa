//! Thumbnails of all heads in rows, with one or two lines below each.

use super::{
    Anchor, ColorMap, Figure, Heatmap, Ink, Mark, Raster, Rect, Scene, Table, text, text::TEXT,
};
use crate::math::{Tile, Window};
use row_kernels::finite_range;
use std::sync::Arc;

const GAP: f64 = 8.0;
/// Height of a number below a thumbnail, and the distance of its middle, which leaves space for the frame.
const LABEL: f64 = 17.0;
const NUMBER_BELOW: f64 = 10.0;
/// Height of the second line below a thumbnail.
const NOTE: f64 = 13.0;
/// Least width of the row names, and their distance from the row.
const LEFT: f64 = 22.0;
const NAME_GAP: f64 = 8.0;
/// Space between two labels.
const LABEL_GAP: f64 = 4.0;
/// Space for the frame of the open head.
const FRAME: f64 = 4.0;
/// Least width of a thumbnail.
const NARROWEST: f64 = 30.0;
/// Greatest width of a thumbnail.
const WIDEST: f64 = 88.0;
const SMALL: f64 = 11.0;
/// Percent of the values at either end that are beyond the colours. The same as the default of large matrices.
const BEYOND_COLORS: f64 = 1.0;

/// Content of a thumbnail.
#[derive(Debug, Clone)]
enum Picture {
    /// A small matrix.
    Raster(Arc<Raster>),
    /// Lines on one scale: colour, width, and evenly spaced values.
    Curves(Vec<(Ink, f64, Vec<f32>)>),
    /// A map around a query: one pixel per offset, with the query in the middle.
    Around(Arc<Raster>),
    /// The same for positions in one row, as a line above zero.
    Along(Vec<f32>),
}

/// A thumbnail.
#[derive(Debug, Clone)]
pub struct Thumbnail {
    picture: Picture,
    /// The text below it.
    pub label: String,
    /// The line below that; empty for none.
    pub note: String,
    /// Layer and head, from 0.
    pub head: (usize, usize),
}

impl Thumbnail {
    /// A small matrix, in the same colours as the large one.
    #[must_use]
    pub fn new(tile: Tile, map: ColorMap, head: (usize, usize), label: String) -> Self {
        let raster = Heatmap::matrix(Arc::new(tile), map, BEYOND_COLORS).raster();
        Self {
            picture: Picture::Raster(raster),
            label,
            note: String::new(),
            head,
        }
    }

    /// A small profile and its fit, on their own scale.
    #[must_use]
    pub fn curves(profile: Vec<f32>, fit: Vec<f32>, head: (usize, usize), label: String) -> Self {
        Self {
            picture: Picture::Curves(vec![
                (Ink::Muted, 2.4, profile),
                (Ink::Category(0), 1.2, fit),
            ]),
            label,
            note: String::new(),
            head,
        }
    }

    /// A map around a query by (Δy, Δx), with odd numbers of rows and columns. `least` is the lower end of the colours;
    /// by default the least value.
    #[must_use]
    pub fn around_query(
        values: Vec<f32>,
        (rows, columns): (usize, usize),
        map: ColorMap,
        least: Option<f32>,
        head: (usize, usize),
        label: String,
    ) -> Self {
        let window = Window::whole(rows, columns);
        let tile = Tile {
            window,
            row_step: 1,
            col_step: 1,
            values,
            cells: None,
        };
        let all = finite_range(&tile.values).unwrap_or((0.0, 1.0));
        let low = least.unwrap_or(all.0);
        let picture = Heatmap::offsets(Arc::new(tile), map, 0.0);
        let raster = picture.with_range((low.into(), all.1.into())).raster();
        Self {
            picture: Picture::Around(raster),
            label,
            note: String::new(),
            head,
        }
    }

    /// A line around a query, which is at the middle of an odd number of values.
    #[must_use]
    pub fn along_query(values: Vec<f32>, head: (usize, usize), label: String) -> Self {
        Self {
            picture: Picture::Along(values),
            label,
            note: String::new(),
            head,
        }
    }

    /// Adds a line below the label.
    #[must_use]
    pub fn with_note(self, note: String) -> Self {
        Self { note, ..self }
    }

    fn draw(&self, scene: &mut Scene, place: Rect) {
        match &self.picture {
            Picture::Raster(raster) => {
                scene.marks.push(Mark::Raster(place, Arc::clone(raster)));
            }
            Picture::Curves(curves) => Self::draw_curves(curves, f32::MAX, scene, place),
            Picture::Around(raster) => Self::draw_around(raster, scene, place),
            Picture::Along(values) => {
                let middle = place.x + place.width / 2.0;
                let query = vec![(middle, place.y), (middle, place.bottom())];
                scene.line(query, Ink::Hairline, 1.0);
                let curve = (Ink::Category(0), 1.4, values.clone());
                Self::draw_curves(&[curve], 0.0, scene, place);
            }
        }
    }

    /// Draws a map with square pixels, and the query as a square in the middle.
    fn draw_around(raster: &Arc<Raster>, scene: &mut Scene, place: Rect) {
        let (columns, rows) = (raster.width as f64, raster.height as f64);
        let cell = (place.width / columns).min(place.height / rows);
        let rect = Rect {
            x: place.x + (place.width - cell * columns) / 2.0,
            y: place.y + (place.height - cell * rows) / 2.0,
            width: cell * columns,
            height: cell * rows,
        };
        scene.marks.push(Mark::Raster(rect, Arc::clone(raster)));
        let side = cell.max(4.0);
        let query = Rect {
            x: rect.x + (rect.width - side) / 2.0,
            y: rect.y + (rect.height - side) / 2.0,
            width: side,
            height: side,
        };
        // Black between white is visible on every colour.
        for (ink, width) in [(Ink::White, 2.6), (Ink::Black, 1.2)] {
            scene.marks.push(Mark::Box {
                rect: query,
                fill: None,
                stroke: Some((ink, width)),
            });
        }
    }

    fn draw_curves(curves: &[(Ink, f64, Vec<f32>)], least: f32, scene: &mut Scene, place: Rect) {
        let bottom = place.bottom();
        scene.line(
            vec![(place.x, bottom), (place.right(), bottom)],
            Ink::Hairline,
            1.0,
        );
        let values = || curves.iter().flat_map(|(.., values)| values).copied();
        let (low, high) = values().fold((least, f32::MIN), |(low, high), v| {
            (low.min(v), high.max(v))
        });
        let scale = |v: f32| f64::from((v - low) / (high - low).max(f32::MIN_POSITIVE));
        for (ink, width, values) in curves {
            let step = place.width / (values.len().max(2) - 1) as f64;
            let point = |(at, v): (usize, &f32)| {
                let y = bottom - 2.0 - (place.height - 4.0) * scale(*v);
                (place.x + at as f64 * step, y)
            };
            scene.line(values.iter().enumerate().map(point).collect(), *ink, *width);
        }
    }
}

/// Thumbnails in reading order.
#[derive(Debug, Clone)]
pub struct Thumbnails {
    /// The thumbnails.
    pub cells: Vec<Thumbnail>,
    /// Cells per row, if these fit. `None` fills rows as far as possible.
    pub per_row: Option<usize>,
    /// The open head. Exported pictures omit its frame; see [`crate::export`].
    pub open: Option<(usize, usize)>,
    /// Numbers behind the figure, for download.
    pub table: Table,
    /// A text summary.
    pub summary: String,
}

impl Thumbnails {
    /// Width of the row names.
    fn left(&self) -> f64 {
        let last = self.cells.iter().map(|cell| cell.head.0 + 1).max();
        let widest = text::width(&last.unwrap_or(0).to_string(), TEXT);
        (widest + NAME_GAP + 1.0).max(LEFT)
    }

    /// Height of the lines below a thumbnail.
    fn text_height(&self) -> f64 {
        match self.cells.iter().all(|cell| cell.note.is_empty()) {
            true => LABEL,
            false => LABEL + NOTE,
        }
    }

    /// Number of cells per line, and the side of a thumbnail.
    fn layout(&self, width: f64) -> (usize, f64) {
        let room = (width - self.left() - FRAME).max(1.0);
        let labels = self
            .cells
            .iter()
            .flat_map(|cell| [&cell.label, &cell.note])
            .map(|label| text::width(label, SMALL));
        let narrowest = labels.fold(NARROWEST, |most, label| most.max(label + LABEL_GAP - GAP));
        let most = (((room + GAP) / (narrowest + GAP)) as usize).max(1);
        let preferred = self
            .per_row
            .unwrap_or(((room + GAP) / (48.0 + GAP)) as usize)
            .max(1);
        // A row that does not fit is broken into equal parts.
        let columns = preferred.div_ceil(preferred.div_ceil(most));
        let side = ((room + GAP) / columns as f64 - GAP).min(WIDEST);
        (columns, side)
    }
}

impl Figure for Thumbnails {
    fn places(&self, width: f64) -> Vec<Rect> {
        let (columns, side) = self.layout(width);
        let per_row = self.per_row.unwrap_or(columns).max(1);
        let lines = per_row.div_ceil(columns);
        (0..self.cells.len())
            .map(|at| {
                let (row, within) = (at / per_row, at % per_row);
                let line = row * lines + within / columns;
                Rect {
                    x: self.left() + (within % columns) as f64 * (side + GAP),
                    y: FRAME + line as f64 * (side + self.text_height() + GAP),
                    width: side,
                    height: side,
                }
            })
            .collect()
    }

    fn height(&self, width: f64) -> f64 {
        self.places(width)
            .last()
            .map_or(40.0, |last| last.bottom() + self.text_height() + 4.0)
    }

    fn scene(&self, width: f64) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let mut row_named = None;
        for (cell, place) in self.cells.iter().zip(self.places(width)) {
            cell.draw(&mut scene, place);
            let open = self.open == Some(cell.head);
            let ink = if open { Ink::Chosen } else { Ink::Muted };
            let below = (place.x + place.width / 2.0, place.bottom() + NUMBER_BELOW);
            scene.text_of_size(cell.label.clone(), below, Anchor::Middle, (SMALL, ink));
            if !cell.note.is_empty() {
                let below = (below.0, below.1 + NOTE);
                scene.text_of_size(cell.note.clone(), below, Anchor::Middle, (SMALL, ink));
            }
            if open {
                scene.marks.push(Mark::Box {
                    rect: Rect {
                        x: place.x - 2.5,
                        y: place.y - 2.5,
                        width: place.width + 5.0,
                        height: place.height + 5.0,
                    },
                    fill: None,
                    stroke: Some((Ink::Chosen, 2.0)),
                });
            }
            if self.per_row.is_some() && row_named != Some(cell.head.0) {
                row_named = Some(cell.head.0);
                let name = (cell.head.0 + 1).to_string();
                scene.text(
                    name,
                    (self.left() - NAME_GAP, place.y + place.height / 2.0),
                    Anchor::End,
                    Ink::Muted,
                );
            }
        }
        scene
    }

    fn plot_frame(&self, width: f64) -> Option<Rect> {
        // In other orders, rows have no meaning and there are no axes.
        self.per_row?;
        let places = self.places(width);
        let (first, last) = (places.first()?, places.last()?);
        let right = places.iter().map(Rect::right).fold(0.0, f64::max);
        Some(Rect {
            x: first.x,
            y: first.y,
            width: right - first.x,
            height: last.bottom() - first.y,
        })
    }

    fn summary(&self) -> String {
        self.summary.clone()
    }

    fn table(&self) -> Table {
        self.table.clone()
    }
}
