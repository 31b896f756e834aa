//! Colour maps for matrices. All are standard maps; `hot` is matplotlib's, which the papers use. On dark paper the
//! diverging map has a dark neutral, since zero should not be the brightest colour there.

use super::Raster;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// A colour map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum ColorMap {
    /// Black, red, yellow, white: the map of the papers.
    #[default]
    Hot,
    /// Perceptually uniform and safe for colour-blind viewers.
    Viridis,
    /// Blue to red, with white at zero, or near black on dark paper.
    Diverging,
    /// White to black.
    Greys,
}

/// All maps: value, identifier in links, name on the page.
pub const COLOR_MAPS: &[(ColorMap, &str, &str)] = &[
    (ColorMap::Hot, "hot", "Hot, as in the papers"),
    (ColorMap::Viridis, "viridis", "Viridis"),
    (ColorMap::Diverging, "diverging", "Diverging around zero"),
    (ColorMap::Greys, "greys", "Greys"),
];

/// Number of samples of a map.
pub(super) const STEPS: usize = 256;

/// A map sampled evenly, as opaque RGBA.
pub(super) type Palette = [[u8; 4]; STEPS];

impl ColorMap {
    /// Returns whether zero has a fixed colour in the middle, so that the range must be symmetric.
    #[must_use]
    pub fn is_diverging(self) -> bool {
        self == Self::Diverging
    }

    /// Returns a raster that `colour` paints with the map's palette, and, if the colours differ on dark paper, with
    /// that palette, too.
    pub(super) fn raster(
        self,
        (width, height): (usize, usize),
        colour: impl Fn(&Palette) -> Vec<[u8; 4]>,
    ) -> Raster {
        let raster = |palette| Raster::new(width, height, colour(palette).into_flattened());
        let light = raster(self.palette());
        match self {
            Self::Diverging => light.on_dark_paper(raster(&DIVERGING_ON_DARK)),
            _ => light,
        }
    }

    /// Returns the sampled colours. They are cached, since dragging a slider repaints with every frame.
    fn palette(self) -> &'static Palette {
        static PALETTES: LazyLock<Vec<(ColorMap, Palette)>> = LazyLock::new(|| {
            let maps = COLOR_MAPS.iter().map(|(map, ..)| *map);
            maps.map(|map| (map, sample_palette(|share| map.color(share))))
                .collect()
        });
        let entry = PALETTES.iter().find(|(map, _)| *map == self);
        &entry.unwrap_or(&PALETTES[0]).1
    }

    fn color(self, share: f64) -> [u8; 3] {
        match self {
            Self::Hot => hot(share),
            Self::Viridis => colorous::VIRIDIS.eval_continuous(share).into_array(),
            Self::Diverging => colorous::RED_BLUE.eval_continuous(1.0 - share).into_array(),
            Self::Greys => colorous::GREYS.eval_continuous(share).into_array(),
        }
    }
}

/// The diverging map on dark paper: as light at both ends, and darkest at zero.
static DIVERGING_ON_DARK: LazyLock<Palette> = LazyLock::new(|| {
    const STOPS: [[f64; 3]; 5] = [
        [166.0, 212.0, 255.0],
        [52.0, 136.0, 208.0],
        [36.0, 35.0, 33.0],
        [208.0, 84.0, 52.0],
        [255.0, 196.0, 160.0],
    ];
    sample_palette(|share| {
        let place = share * (STOPS.len() - 1) as f64;
        let from = (place as usize).min(STOPS.len() - 2);
        let between = place - from as f64;
        let channel = |at: usize| {
            let (from, to) = (STOPS[from][at], STOPS[from + 1][at]);
            (from + between * (to - from)).round() as u8
        };
        std::array::from_fn(channel)
    })
});

fn sample_palette(color: impl Fn(f64) -> [u8; 3]) -> Palette {
    std::array::from_fn(|step| {
        let [r, g, b] = color(step as f64 / (STEPS - 1) as f64);
        [r, g, b, u8::MAX]
    })
}

/// Each channel rises in turn. The break points are those of matplotlib (`_cm.py`, `hot`).
fn hot(share: f64) -> [u8; 3] {
    const RED: f64 = 0.365_079;
    const GREEN: f64 = 0.746_032;
    let rise = |from: f64, to: f64, first: f64| {
        let value = first + (1.0 - first) * (share - from) / (to - from);
        (value.clamp(0.0, 1.0) * 255.0).round() as u8
    };
    [
        rise(0.0, RED, 0.0416),
        rise(RED, GREEN, 0.0),
        rise(GREEN, 1.0, 0.0),
    ]
}
