//! Gaussian heads of all layers of a model as small multiples (Figures 4, 12 and 14 of the paper behind the slides).

use super::pixel_heads::{PixelHeads, head_numbers, natural_reach};
use crate::{
    figure::{
        Figure, Rect, Scene, Table, number,
        panel_heading::{HEADING, draw_plain_heading},
        words::format_count,
    },
    math::PixelHead,
};

/// Space between two panels of a row, and between two rows.
const GAP: (f64, f64) = (14.0, 12.0);
/// Least width of a panel, unless the figure is narrower.
const NARROWEST: f64 = 210.0;
/// Greatest width of a panel.
const WIDEST: f64 = 380.0;

/// The heads of every layer around the query pixel, a panel a layer. All panels have the same scale.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerGaussians {
    layers: Vec<Vec<PixelHead>>,
    panels: Vec<PixelHeads>,
}

impl LayerGaussians {
    /// Draws the heads of each layer. `None` if there are no heads.
    #[must_use]
    pub fn new(layers: &[Vec<PixelHead>]) -> Option<Self> {
        let all: Vec<PixelHead> = layers.iter().flatten().copied().collect();
        all.first()?;
        let reach = natural_reach(&all);
        let panel = |heads: &Vec<PixelHead>| PixelHeads::without_open_head(heads, reach);
        Some(Self {
            layers: layers.to_vec(),
            panels: layers.iter().map(panel).collect(),
        })
    }

    /// Returns the places of the panels, with their headings.
    fn layout(&self, width: f64) -> Vec<Rect> {
        let count = self.panels.len().max(1);
        let most = (((width + GAP.0) / (NARROWEST + GAP.0)) as usize).clamp(1, count);
        // Rows of equal length.
        let columns = count.div_ceil(count.div_ceil(most));
        let panel = ((width + GAP.0) / columns as f64 - GAP.0).clamp(1.0, WIDEST);
        let height = self.panels.first().map_or(0.0, |one| one.height(panel)) + HEADING;
        let place = |at: usize| Rect {
            x: (at % columns) as f64 * (panel + GAP.0),
            y: (at / columns) as f64 * (height + GAP.1),
            width: panel,
            height,
        };
        (0..self.panels.len()).map(place).collect()
    }
}

/// Distance of the farthest centre from the query pixel, in pixels.
fn farthest(heads: &[PixelHead]) -> f64 {
    let distances = heads.iter().map(|head| head.centre.0.hypot(head.centre.1));
    distances.fold(0.0, f64::max)
}

/// States the range of α.
fn note(heads: &[PixelHead]) -> String {
    let alphas = || heads.iter().filter_map(|head| head.alpha());
    let least = alphas().fold(f64::INFINITY, f64::min);
    let greatest = alphas().fold(f64::NEG_INFINITY, f64::max);
    match heads.len() {
        0 => "no heads".to_owned(),
        _ if least == greatest => format!("α {}", number(least)),
        _ => format!("α {} to {}", number(least), number(greatest)),
    }
}

impl Figure for LayerGaussians {
    fn height(&self, width: f64) -> f64 {
        self.layout(width).last().map_or(0.0, Rect::bottom)
    }

    fn scene(&self, width: f64) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let panels = self.panels.iter().zip(&self.layers);
        for (at, ((panel, heads), place)) in panels.zip(self.layout(width)).enumerate() {
            let title = format!("layer {}", at + 1);
            let corner = ((place.x, place.y), place.width);
            draw_plain_heading(&mut scene, corner, (&title, &note(heads)));
            let marks = panel.scene(place.width).marks.into_iter();
            let marks = marks.map(|mark| mark.translate((place.x, place.y + HEADING)));
            scene.marks.extend(marks);
        }
        scene
    }

    fn summary(&self) -> String {
        let one = |(at, heads): (usize, &Vec<PixelHead>)| {
            format!(
                "layer {} has {}, {}, the farthest centre at a distance of {}",
                at + 1,
                format_count(heads.len(), "head", "heads"),
                note(heads),
                number(farthest(heads))
            )
        };
        let layers: Vec<String> = self.layers.iter().enumerate().map(one).collect();
        format!(
            "Heads of {}, in pixels: {}.",
            format_count(self.layers.len(), "layer", "layers"),
            layers.join("; ")
        )
    }

    /// `layer,head,alpha,delta_y,delta_x`, with `yy,yx,xx` if any head is oval, then `inside_solid,inside_dotted`; layers
    /// and heads counted from 1.
    fn table(&self) -> Table {
        let places = || {
            let layers = self.layers.iter().enumerate();
            layers.flat_map(|(layer, heads)| (0..heads.len()).map(move |head| (layer, head)))
        };
        let all: Vec<PixelHead> = self.layers.iter().flatten().copied().collect();
        Table::new()
            .with("layer", places().map(|(layer, _)| layer + 1).collect())
            .with("head", places().map(|(_, head)| head + 1).collect())
            .beside(head_numbers(&all))
    }
}
