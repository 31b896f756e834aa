//! Colour maps for matrices. The maps are well-known ones; `hot` is matplotlib's, which the papers print.

use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// A colour map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum ColorMap {
    /// Black, red, yellow, white: the papers' map.
    #[default]
    Hot,
    /// Even in lightness, safe for colour-blind eyes.
    Viridis,
    /// Blue, white, red around zero.
    Diverging,
    /// White to black.
    Greys,
}

/// Every map: identifier in links, name on the page.
pub const COLOR_MAPS: &[(ColorMap, &str, &str)] = &[
    (ColorMap::Hot, "hot", "Hot, as in the papers"),
    (ColorMap::Viridis, "viridis", "Viridis"),
    (ColorMap::Diverging, "diverging", "Diverging around zero"),
    (ColorMap::Greys, "greys", "Greys"),
];

/// Colours a map is sampled at.
const STEPS: usize = 256;

/// A map sampled evenly: red, green, blue, and opaque.
pub(super) type Palette = [[u8; 4]; STEPS];

impl ColorMap {
    /// Whether zero has a fixed colour in the middle, so that the range is symmetric.
    #[must_use]
    pub fn is_diverging(self) -> bool {
        self == Self::Diverging
    }

    /// Its colours, sampled once: pictures of a moving slider ask for them with every frame.
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
        let found = PALETTES.iter().find(|(map, _)| *map == self);
        &found.unwrap_or(&PALETTES[0]).1
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

/// Each channel rises in turn (matplotlib, `_cm.py`, `hot`): the break points are the map's definition.
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
