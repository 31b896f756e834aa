//! Colour maps for matrices. All are standard maps; `hot` is matplotlib's, which the papers use.

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
    /// Red to blue, with white at zero.
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
const STEPS: usize = 256;

/// A map sampled evenly, as opaque RGBA.
pub(super) type Palette = [[u8; 4]; STEPS];

impl ColorMap {
    /// Returns whether zero has a fixed colour in the middle, so that the range must be symmetric.
    #[must_use]
    pub fn is_diverging(self) -> bool {
        self == Self::Diverging
    }

    /// Returns the sampled colours. They are cached, since dragging a slider repaints with every frame.
    pub(super) fn palette(self) -> &'static Palette {
        static PALETTES: LazyLock<Vec<(ColorMap, Palette)>> = LazyLock::new(|| {
            let sampled = |map: ColorMap| {
                std::array::from_fn(|step| {
                    let [r, g, b] = map.color(step as f64 / (STEPS - 1) as f64);
                    [r, g, b, u8::MAX]
                })
            };
            let maps = COLOR_MAPS.iter().map(|(map, ..)| *map);
            maps.map(|map| (map, sampled(map))).collect()
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
