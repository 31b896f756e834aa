//! The image, the results of heads and of the convolution, and their difference.

use super::panels::{Panel, Panels, mark_pixel, pixel_at};
use crate::{
    analysis::{FilteredImage, Pixels},
    figure::{
        Anchor, Axis, ColorMap, Figure, Ink, Plot, Raster, Rect, Scene, Series, Table, ValueRange,
        color_bar, number, text::break_lines,
    },
    math::Grid,
};
use std::sync::Arc;

/// Space below a picture for a colour bar or two lines of text.
const BELOW: f64 = 38.0;
/// Distance between two lines.
const LEADING: f64 = 15.0;
/// The colours of differences span at least this share of the convolution's range, so that invisible differences stay
/// pale.
const LEAST_SHOWN: f64 = 1e-3;
/// Share of the values at either end that may be clipped to black or white.
const BEYOND: f64 = 0.01;

/// The four pictures.
#[derive(Debug, Clone)]
pub struct FilterPictures {
    image: Arc<Pixels>,
    answer: FilteredImage,
    rasters: [Arc<Raster>; 4],
    /// Values of black and white in the two results.
    range: (f64, f64),
    /// Least and greatest value of the results.
    values: (f64, f64),
    /// The query pixel, row and column.
    query: (usize, usize),
    /// End of the colour range of differences.
    span: f64,
}

impl FilterPictures {
    /// Creates the pictures of an image and its results, with the query pixel marked.
    #[must_use]
    pub fn new(image: Arc<Pixels>, answer: &FilteredImage, query: (usize, usize)) -> Self {
        let (range, values) = brightness(answer);
        let greatest = answer
            .difference
            .iter()
            .fold(0.0_f32, |most, d| most.max(d.abs()));
        let span = f64::from(greatest).max(LEAST_SHOWN * answer.error.range);
        let photograph_of = |values: &[f32]| {
            let values: Vec<f64> = values.iter().map(|&value| f64::from(value)).collect();
            photograph(answer.grid, answer.channels, &values, range)
        };
        let rasters = [
            photograph(image.grid, image.channels, &image.values, (0.0, 1.0)),
            photograph_of(&answer.attention),
            photograph_of(&answer.convolution),
            difference(answer, span),
        ];
        Self {
            image,
            answer: answer.clone(),
            rasters,
            range,
            values,
            query,
            span,
        }
    }

    /// Returns the pixel (y, x) of the image at a point of the figure, in whichever picture.
    #[must_use]
    pub fn pixel_at(&self, width: f64, px: f64, py: f64) -> Option<(usize, usize)> {
        pixel_at(&self.panels(width).places(width), self.image.grid, px, py)
    }

    fn panels(&self, width: f64) -> Panels {
        let panels = Panels {
            count: 4,
            aspect: self.image.grid.height as f64 / self.image.grid.width as f64,
            narrowest: 150.0,
            widest: 240.0,
            below: BELOW,
        };
        let across = panels
            .places(width)
            .first()
            .map_or(width, |place| place.width);
        let lines = self.brightness_words(across).len() as f64;
        let words = color_bar::words_height(self.differences(), across);
        Panels {
            below: (LEADING * lines + 8.0).max(BELOW + words),
            ..panels
        }
    }

    /// The colour range of differences.
    fn differences(&self) -> ValueRange {
        let ends = (-self.span, self.span);
        ValueRange { ends, values: ends }
    }

    /// Returns the text on the values of black and white in the results, broken to a width. Empty if they are 0 and 1
    /// and no value is beyond.
    fn brightness_words(&self, width: f64) -> Vec<String> {
        let (low, high) = self.range;
        let is_beyond = self.values.0 < low || self.values.1 > high;
        if !is_beyond && (low, high) == (0.0, 1.0) {
            return Vec::new();
        }
        let words = format!("black {} to white {}", number(low), number(high));
        let mut lines = break_lines(&words, width);
        if is_beyond {
            let (least, most) = self.values;
            let words = format!("values {} to {}", number(least), number(most));
            lines.extend(break_lines(&words, width));
        }
        lines
    }
}

/// Returns the values of black and white, and the least and greatest value. Black and white are 0 and 1, or further out
/// if more than 1 % of the values at an end are beyond.
fn brightness(answer: &FilteredImage) -> ((f64, f64), (f64, f64)) {
    let all = || answer.convolution.iter().chain(&answer.attention).copied();
    let mut values: Vec<f32> = all().collect();
    let (least, greatest) = all().fold((f32::MAX, f32::MIN), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    let last = values.len().saturating_sub(1);
    let mut at = |share: f64| {
        let place = (share * last as f64).round() as usize;
        let (_, value, _) = values.select_nth_unstable_by(place, f32::total_cmp);
        f64::from(*value)
    };
    let most = (at(BEYOND), at(1.0 - BEYOND));
    let values = (f64::from(least), f64::from(greatest));
    // If nearly all pixels are equal, the few others matter, so nothing is clipped.
    let most = if most.1 - most.0 < 0.05 * (values.1 - values.0) {
        values
    } else {
        most
    };
    ((most.0.min(0.0), most.1.max(1.0)), values)
}

/// Draws one channel in grey, three in colour.
fn photograph(grid: Grid, channels: usize, values: &[f64], range: (f64, f64)) -> Arc<Raster> {
    let byte = |value: f64| {
        let share = (value - range.0) / (range.1 - range.0);
        // The cast saturates.
        (share * 255.0 + 0.5) as u8
    };
    let pixel = |values: &[f64]| match values {
        [grey] => [byte(*grey), byte(*grey), byte(*grey), u8::MAX],
        [red, green, blue, ..] => [byte(*red), byte(*green), byte(*blue), u8::MAX],
        _ => [0; 4],
    };
    let pixels: Vec<[u8; 4]> = values.chunks_exact(channels.max(1)).map(pixel).collect();
    Arc::new(Raster::new(
        grid.width,
        grid.height,
        pixels.into_flattened(),
    ))
}

/// The difference of largest magnitude among a pixel's channels, in diverging colours.
fn difference(answer: &FilteredImage, span: f64) -> Arc<Raster> {
    let greatest = |channels: &[f32]| {
        let greater = |most: f32, d: f32| if d.abs() > most.abs() { d } else { most };
        channels.iter().copied().fold(0.0, greater)
    };
    let pixels = answer.difference.chunks_exact(answer.channels.max(1));
    let differences: Vec<f32> = pixels.map(greatest).collect();
    // Without any difference all pixels have the colour of zero.
    let span = if span > 0.0 { span } else { 1.0 };
    let size = (answer.grid.width, answer.grid.height);
    Arc::new(ColorMap::Diverging.raster(size, |palette| {
        row_kernels::colours(&differences, (-span, span), palette)
    }))
}

const NAMES: [&str; 4] = ["image", "heads", "convolution", "heads − convolution"];

impl Figure for FilterPictures {
    fn height(&self, width: f64) -> f64 {
        self.panels(width).height(width)
    }

    fn scene(&self, width: f64) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let places = self.panels(width).places(width);
        for (at, &place) in places.iter().enumerate() {
            let panel = Panel {
                raster: Arc::clone(&self.rasters[at]),
                name: NAMES[at],
                ink: Ink::Ink,
            };
            Panels::draw(&mut scene, place, panel);
            if at == 3 {
                let bar = Rect {
                    y: place.bottom() + 5.0,
                    height: 8.0,
                    ..place
                };
                let range = self.differences();
                color_bar::draw(&mut scene, bar, ColorMap::Diverging, range);
            } else if at > 0 {
                let lines = self.brightness_words(place.width);
                for (line, words) in lines.into_iter().enumerate() {
                    let y = place.bottom() + 10.0 + LEADING * line as f64;
                    scene.text(words, (place.x, y), Anchor::Start, Ink::Muted);
                }
            }
            mark_pixel(&mut scene, place, self.image.grid, self.query);
        }
        scene
    }

    fn places(&self, width: f64) -> Vec<Rect> {
        self.panels(width).places(width)
    }

    fn summary(&self) -> String {
        summary(&self.answer)
    }

    /// `y,x,channel,image,attention,convolution,difference`, one row per value of the result. Then
    /// `max_difference_inside`, equal in all rows: the greatest difference at pixels whose kernel does not reach the
    /// edge.
    fn table(&self) -> Table {
        table(&self.image, &self.answer)
    }
}

fn summary(answer: &FilteredImage) -> String {
    let error = answer.error;
    let inside = error.inside.map_or(String::new(), |inside| {
        format!(", {} away from the edge", number(inside))
    });
    format!(
        "The output has {} by {} pixels and {} channels. Heads and convolution differ by at most {}{inside}; the \
         convolution’s values span {}.",
        answer.grid.height,
        answer.grid.width,
        answer.channels,
        number(error.greatest),
        number(error.range)
    )
}

fn table(image: &Pixels, answer: &FilteredImage) -> Table {
    let channels = answer.channels.max(1);
    let cells = answer.grid.cells() * channels;
    let place = |at: usize| answer.grid.place(at / channels);
    let whole = |of: &dyn Fn(usize) -> usize| (0..cells).map(of).collect();
    // With a stride, the input pixel of the output pixel.
    let stride = image.grid.width.div_ceil(answer.grid.width.max(1)).max(1);
    let result = |at: usize| {
        let (y, x) = place(at);
        let pixel = (y * stride * image.grid.width + x * stride) * image.channels;
        let channel = (at % channels).min(image.channels - 1);
        image
            .values
            .get(pixel + channel)
            .copied()
            .unwrap_or(f64::NAN)
    };
    let numbers = |values: &[f32]| values.iter().map(|&value| f64::from(value)).collect();
    Table::new()
        .with("y", whole(&|at| place(at).0))
        .with("x", whole(&|at| place(at).1))
        .with("channel", whole(&|at| at % channels))
        .with("image", (0..cells).map(result).collect())
        .with("attention", numbers(&answer.attention))
        .with("convolution", numbers(&answer.convolution))
        .with("difference", numbers(&answer.difference))
        .with_constant(
            "max_difference_inside",
            answer.error.inside.unwrap_or(f64::NAN),
        )
}

/// The same for an image of one row, as lines.
#[must_use]
pub fn filtered_signal(image: &Pixels, answer: &FilteredImage) -> Plot {
    let channels = answer.channels.max(1);
    let first = |values: &[f32]| -> Vec<f64> {
        values
            .chunks(channels)
            .map(|pixel| f64::from(pixel[0]))
            .collect()
    };
    let signal: Vec<f64> = image
        .values
        .chunks(image.channels.max(1))
        .map(|pixel| pixel[0])
        .collect();
    let stride = signal.len().div_ceil(answer.grid.width.max(1)).max(1);
    let signal = signal.into_iter().step_by(stride).collect();
    let lines = [
        Series::new("heads", 0, first(&answer.attention))
            .ink(Ink::Category(0))
            .width(2.2)
            .in_legend(),
        Series::new("convolution", 0, first(&answer.convolution)).in_legend(),
        Series::new("signal", 0, signal)
            .ink(Ink::Muted)
            .with_dashes(true)
            .in_legend(),
    ];
    Plot::over(Axis::Position)
        .vertical("value")
        .series(lines)
        .with_table(table(image, answer))
        .with_summary(summary(answer))
}
