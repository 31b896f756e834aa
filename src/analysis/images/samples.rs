//! Sample images that the page draws itself.

use super::Pixels;
use crate::math::Grid;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, PoisonError};

/// A sample image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Sample {
    /// A disc, a square and a triangle in colour in front of a shaded wall: edges in every direction.
    #[default]
    Shapes,
    /// Rings that grow denser outwards: every frequency once.
    Rings,
    /// One white pixel: filtering it shows the kernel.
    Point,
    /// Random values for each pixel and channel.
    Noise,
    /// One row with a step, a ramp, a wave and a point. Attention along it is like attention in a text.
    Signal,
}

/// All samples: identifier, name.
pub const SAMPLES: &[(Sample, &str, &str)] = &[
    (Sample::Shapes, "shapes", "Shapes"),
    (Sample::Rings, "rings", "Rings"),
    (Sample::Point, "point", "One white pixel"),
    (Sample::Noise, "noise", "Noise"),
    (Sample::Signal, "signal", "A signal (one row)"),
];

/// Sampling points per side of a pixel; averaging them smooths edges.
const POINTS: usize = 4;

impl Sample {
    /// Rows and columns of the sample with `side` pixels per side.
    #[must_use]
    pub fn grid(self, side: usize) -> Grid {
        match self {
            Self::Signal => Grid::line(side),
            _ => Grid {
                height: side,
                width: side,
            },
        }
    }

    /// Draws the sample. The last image is cached, because every frame requests it while a head is dragged.
    #[must_use]
    pub fn draw(self, side: usize) -> Arc<Pixels> {
        static LAST: Mutex<Option<(Sample, usize, Arc<Pixels>)>> = Mutex::new(None);
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some((sample, of, pixels)) if (*sample, *of) == (self, side) => Arc::clone(pixels),
            _ => {
                let pixels = Arc::new(self.paint(side));
                *last = Some((self, side, Arc::clone(&pixels)));
                pixels
            }
        }
    }

    fn paint(self, side: usize) -> Pixels {
        let grid = self.grid(side);
        let channels = match self {
            Self::Shapes | Self::Noise => 3,
            Self::Rings | Self::Point | Self::Signal => 1,
        };
        let values = match self {
            Self::Shapes => by_place(grid, shapes),
            Self::Rings => by_place(grid, |y, x| {
                let far = (y - 0.5).powi(2) + (x - 0.5).powi(2);
                [0.5 + 0.5 * (far * side as f64 * std::f64::consts::PI * 0.9).cos()]
            }),
            Self::Point => {
                let middle = side / 2 * side + side / 2;
                (0..grid.cells())
                    .map(|at| if at == middle { 1.0 } else { 0.0 })
                    .collect()
            }
            Self::Noise => {
                let mut chance = fastrand::Rng::with_seed(7);
                (0..grid.cells() * channels).map(|_| chance.f64()).collect()
            }
            Self::Signal => (0..side)
                .map(|x| signal((x as f64 + 0.5) / side as f64, 1.0 / side as f64))
                .collect(),
        };
        Pixels {
            grid,
            channels,
            values,
        }
    }
}

/// Mean over each pixel of a function of the place (y, x), both from 0 to 1.
fn by_place<const C: usize>(grid: Grid, color: impl Fn(f64, f64) -> [f64; C]) -> Vec<f64> {
    let mut values = Vec::with_capacity(grid.cells() * C);
    let part = |at: usize, within: usize, size: usize| {
        (at as f64 + (within as f64 + 0.5) / POINTS as f64) / size as f64
    };
    for pixel in 0..grid.cells() {
        let (y, x) = grid.place(pixel);
        let mut sum = [0.0; C];
        for point in 0..POINTS * POINTS {
            let (down, across) = (point / POINTS, point % POINTS);
            let color = color(part(y, down, grid.height), part(x, across, grid.width));
            for (sum, channel) in sum.iter_mut().zip(color) {
                *sum += channel;
            }
        }
        values.extend(sum.map(|sum| sum / (POINTS * POINTS) as f64));
    }
    values
}

fn shapes(y: f64, x: f64) -> [f64; 3] {
    let disc = (y - 0.34).hypot(x - 0.32) < 0.21;
    let square = (0.52..0.86).contains(&y) && (0.12..0.46).contains(&x);
    let triangle = y < 0.9 && y - 0.28 > 2.0 * (x - 0.7).abs();
    match (triangle, square, disc) {
        (true, ..) => [0.93, 0.74, 0.22],
        (_, true, _) => [0.16, 0.42, 0.62],
        (_, _, true) => [0.80, 0.28, 0.20],
        _ => {
            let light = 0.92 - 0.3 * y - 0.1 * x;
            [light, 0.98 * light, 0.94 * light]
        }
    }
}

/// A step, a ramp, a wave and a point, one quarter each.
fn signal(x: f64, step: f64) -> f64 {
    match (4.0 * x) as usize {
        0 => f64::from(u8::from(x > 0.125)) * 0.8 + 0.1,
        1 => 0.9 - 0.8 * (4.0 * x - 1.0),
        2 => 0.5 + 0.4 * (std::f64::consts::TAU * 3.0 * (4.0 * x - 2.0)).sin(),
        _ => f64::from(u8::from((x - 0.875).abs() <= 0.5 * step)) * 0.9 + 0.1,
    }
}
