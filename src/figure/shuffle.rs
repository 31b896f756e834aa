//! Tokens and their outputs in two orders: each output as a strip of colours, lines between the strips of a token, and
//! the change of each output.

use super::{
    Anchor, ColorMap, Column, Figure, Ink, Mark, Rect, Scene, Table, number,
    text::TEXT,
    text::{fit_name, width as text_width},
};
use crate::analysis::permutation::{AddedPositions, COLUMNS, ShuffledOutputs};
use std::sync::Arc;

const HEAD: f64 = 24.0;
/// Space below the rows.
const FOOT: f64 = 2.0;
/// Preferred height of a row, and its limits.
const ROW: f64 = 28.0;
const ROWS: (f64, f64) = (22.0, 120.0);
/// Share of a row's height that a strip takes.
const STRIP: f64 = 16.0 / 28.0;
/// Width of the widest number, such as 2.22e−16, with a margin.
const NUMBERS: f64 = 72.0;
/// Changes below this are rounding errors.
const ROUNDING: f64 = 1e-9;

/// Outputs in two orders side by side.
#[derive(Debug, Clone, PartialEq)]
pub struct Shuffle {
    /// Tokens and outputs before and after shuffling.
    pub outputs: ShuffledOutputs,
    /// Height of a row in pixels.
    row: f64,
}

/// Horizontal layout.
struct ShuffleLayout {
    names: f64,
    strip: f64,
    /// Left edge of the strips after shuffling.
    after: f64,
}

impl Shuffle {
    /// Creates the figure.
    #[must_use]
    pub fn new(shuffled: ShuffledOutputs) -> Self {
        Self {
            outputs: shuffled,
            row: ROW,
        }
    }

    /// Returns the caption, given the position information that was added.
    #[must_use]
    pub fn caption(&self, added: AddedPositions) -> String {
        if self.outputs.order.is_sorted() {
            return "The tokens are in their original order, so there is nothing to compare. Press Shuffle.".to_owned();
        }
        let greatest = number(self.outputs.greatest());
        match added {
            AddedPositions::Nothing => format!(
                "Without positions, shuffling the tokens only shuffles the outputs (largest change {greatest}: rounding error)."
            ),
            AddedPositions::Sinusoids => format!(
                "With sines and cosines added to the tokens, outputs depend on the positions of tokens (largest change {greatest})."
            ),
            AddedPositions::Kernels => format!(
                "With the page’s kernels added to the scores, outputs depend on the offsets between tokens (largest change {greatest})."
            ),
        }
    }

    fn layout(&self, width: f64) -> ShuffleLayout {
        let tokens = &self.outputs.tokens;
        let widest = tokens.iter().map(|token| text_width(token, TEXT));
        let widest = widest.fold(0.0, f64::max);
        let names = (widest + 8.0).max(30.0).min(width * 0.17);
        // The remaining width is divided between two strips and the lines, which take half as much as a strip.
        let strip = ((width - 2.0 * names - NUMBERS) / 2.5).clamp(1.0, 8.0 * 22.0);
        ShuffleLayout {
            names,
            strip,
            after: (width - NUMBERS - names - strip).max(names + strip),
        }
    }

    /// The greatest magnitude of an output, which sets the colour range.
    fn span(&self) -> f64 {
        let outputs = self.outputs.before.iter().chain(&self.outputs.after);
        outputs
            .flatten()
            .fold(0.0, |most: f64, v| most.max(v.abs()))
    }

    /// Returns a function that draws outputs as strips on a common scale.
    fn strips(&self) -> impl Fn(&[f64], Rect) -> Mark + use<> {
        let span = self.span().max(f64::MIN_POSITIVE);
        move |output, rect| {
            let values: Vec<f32> = output.iter().map(|v| *v as f32).collect();
            let raster = ColorMap::Diverging.raster((values.len(), 1), |palette| {
                row_kernels::colours(&values, (-span, span), palette)
            });
            Mark::Raster(rect, Arc::new(raster))
        }
    }
}

impl Figure for Shuffle {
    fn height(&self, _: f64) -> f64 {
        HEAD + self.row * self.outputs.tokens.len() as f64 + FOOT
    }

    fn with_height(&self, _: f64, height: f64) -> Option<Arc<dyn Figure + Send + Sync>> {
        let rows = self.outputs.tokens.len().max(1) as f64;
        let row = ((height - HEAD - FOOT) / rows).clamp(ROWS.0, ROWS.1);
        Some(Arc::new(Self {
            row,
            ..self.clone()
        }))
    }

    fn scene(&self, width: f64) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let ShuffleLayout {
            names,
            strip,
            after,
        } = self.layout(width);
        let ShuffledOutputs { tokens, order, .. } = &self.outputs;
        let head = |scene: &mut Scene, text: &str, x, anchor| {
            scene.text(text, (x, HEAD / 2.0), anchor, Ink::Muted);
        };
        let before = match text_width("outputs before", TEXT) <= names + strip {
            true => "outputs before",
            false => "before",
        };
        head(&mut scene, before, names + strip, Anchor::End);
        head(&mut scene, "after", after, Anchor::Start);
        head(&mut scene, "change", width, Anchor::End);
        let strip_of = self.strips();
        let middle = |place: usize| HEAD + self.row * (place as f64 + 0.5);
        let rect = |x: f64, place: usize| Rect {
            x,
            y: middle(place) - STRIP * self.row / 2.0,
            width: strip,
            height: STRIP * self.row,
        };
        for (place, &token) in order.iter().enumerate() {
            let changed = self.outputs.difference(token) > ROUNDING;
            scene.marks.push(Mark::Line {
                points: vec![
                    (names + strip + 6.0, middle(token)),
                    (after - 6.0, middle(place)),
                ],
                stroke: if changed { Ink::Ink } else { Ink::Muted },
                width: 1.0,
                dash: changed.then_some(3.0),
            });
        }
        for (token, name) in tokens.iter().enumerate() {
            let name = fit_name(name, names - 6.0);
            scene.text(name, (0.0, middle(token)), Anchor::Start, Ink::Ink);
            let output = &self.outputs.before[token];
            scene.marks.push(strip_of(output, rect(names, token)));
        }
        for (place, &token) in order.iter().enumerate() {
            let y = middle(place);
            let output = &self.outputs.after[token];
            scene.marks.push(strip_of(output, rect(after, place)));
            let difference = self.outputs.difference(token);
            let ink = if difference > ROUNDING {
                Ink::Ink
            } else {
                Ink::Muted
            };
            scene.text(number(difference), (width, y), Anchor::End, ink);
            let name = fit_name(&tokens[token], names - 6.0);
            scene.text(name, (after + strip + 6.0, y), Anchor::Start, Ink::Ink);
        }
        scene
    }

    fn summary(&self) -> String {
        let greatest = self.outputs.greatest();
        let phrase = if greatest > ROUNDING {
            "Outputs change with the order of the tokens"
        } else {
            "Every token keeps its output"
        };
        format!("{phrase}; the greatest change is {}.", number(greatest))
    }

    fn table(&self) -> Table {
        let ShuffledOutputs {
            tokens,
            order,
            before,
            after,
        } = &self.outputs;
        let places = 0..tokens.len();
        let place_after = |token| order.iter().position(|&t| t == token).unwrap_or(token);
        let mut table = Table::new()
            .with("token", Column::Name(tokens.clone()))
            .with("place_before", (1..=tokens.len()).collect())
            .with(
                "place_after",
                places.clone().map(|t| place_after(t) as i64 + 1).collect(),
            )
            .with(
                "change",
                places.map(|token| self.outputs.difference(token)).collect(),
            );
        for (name, outputs) in [("before", before), ("after", after)] {
            for column in 0..COLUMNS {
                let values = outputs.iter().map(|output| output[column]).collect();
                table = table.with(format!("{name}_{}", column + 1), Column::Number(values));
            }
        }
        table
    }
}
