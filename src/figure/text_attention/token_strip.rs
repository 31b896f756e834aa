//! The tokens of a text in reading order, tinted by a number of each.

use super::TextToken;
use crate::figure::{
    Anchor, Column, Cursor, Figure, Ink, Mark, Raster, Rect, Scene, Table, number, scene::fit_name,
    text::TEXT, text::width as text_width,
};
use std::sync::Arc;

/// Height of a token, and of the space above it for arcs.
const CHIP: f64 = 24.0;
const ARCS: f64 = 15.0;
/// Space left and right of a name, and between two tokens.
const PADDING: f64 = 6.0;
const GAP: f64 = 3.0;
const NARROWEST: f64 = 18.0;
/// Longest drawn name.
const LONGEST_NAME: f64 = 150.0;
/// Opacity of the tint of the greatest value: dark text stays readable on it.
const OPACITY: f64 = 150.0;
/// Colour of the tint.
const TINT: [u8; 3] = [52, 136, 208];
/// Height of the legend, and size of its bar.
const LEGEND: f64 = 26.0;
const BAR: (f64, f64) = (120.0, 8.0);
const STEPS: usize = 64;

/// The meaning of the tints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StripColors {
    /// Attention from the token at an index to each token.
    AttentionFrom(usize),
    /// Attention from each token to the token at an index.
    AttentionTo(usize),
    /// Surprise of each token in bits.
    Surprise,
}

/// Tokens in reading order.
#[derive(Debug, Clone)]
pub struct TokenStrip {
    tokens: Vec<TextToken>,
    /// The meaning of the tints, and the value of each token; NaN for none.
    tints: Option<(StripColors, Vec<f64>)>,
}

impl TokenStrip {
    /// Creates a strip without tints.
    #[must_use]
    pub fn new(tokens: Vec<TextToken>) -> Self {
        Self {
            tokens,
            tints: None,
        }
    }

    /// Tints tokens by values, one per token.
    #[must_use]
    pub fn with_tints(mut self, colors: StripColors, values: Vec<f64>) -> Self {
        self.tints = Some((colors, values));
        self
    }

    /// Returns the meaning of the tints in words.
    fn meaning(&self) -> String {
        let name = |index: usize| {
            self.tokens
                .get(index)
                .map_or_else(String::new, TextToken::name)
        };
        match self.tints {
            None => String::new(),
            Some((StripColors::AttentionFrom(index), _)) => {
                format!("attention from “{}” at {index}", name(index))
            }
            Some((StripColors::AttentionTo(index), _)) => {
                format!("attention to “{}” at {index}", name(index))
            }
            Some((StripColors::Surprise, _)) => "surprise in bits".to_owned(),
        }
    }

    /// The selected token, whose row or column the tints show.
    fn selected_token(&self) -> Option<usize> {
        match self.tints {
            Some((StripColors::AttentionFrom(index) | StripColors::AttentionTo(index), _)) => {
                Some(index)
            }
            _ => None,
        }
    }

    /// The greatest value, at which the tint is strongest.
    fn greatest(&self) -> f64 {
        let values = self.tints.iter().flat_map(|(_, values)| values);
        values
            .filter(|value| value.is_finite())
            .fold(0.0, |most, value| most.max(*value))
    }

    /// The value of a token.
    fn value(&self, index: usize) -> f64 {
        let values = self.tints.as_ref().map(|(_, values)| values);
        values
            .and_then(|values| values.get(index))
            .copied()
            .unwrap_or(f64::NAN)
    }

    /// Names and rectangles of the tokens at a width.
    fn chips(&self, width: f64) -> Vec<(String, Rect)> {
        let (mut x, mut line) = (0.0, 0);
        let mut chips = Vec::with_capacity(self.tokens.len());
        let longest = LONGEST_NAME.min(width - 2.0 * PADDING - 2.0);
        for token in &self.tokens {
            let name = fit_name(&token.name(), longest);
            let wide = (text_width(&name, TEXT) + 2.0 * PADDING).max(NARROWEST);
            if x > 0.0 && x + wide > width - 1.0 {
                (x, line) = (0.0, line + 1);
            }
            let rect = Rect {
                x: x + 1.0,
                y: f64::from(line) * (CHIP + ARCS) + ARCS,
                width: wide - 1.0,
                height: CHIP,
            };
            x += wide + GAP;
            chips.push((name, rect));
        }
        chips
    }

    fn chips_height(&self, width: f64) -> f64 {
        self.chips(width)
            .last()
            .map_or(ARCS, |(_, rect)| rect.bottom())
            + 2.0
    }

    fn draw_legend(&self, scene: &mut Scene) {
        let y = self.chips_height(scene.width) + LEGEND / 2.0;
        let bar_width = BAR.0.min(scene.width / 3.0);
        let most = number(self.greatest());
        let right = scene.width - text_width(&most, TEXT) - 1.0;
        let bar = Rect {
            x: right - 6.0 - bar_width,
            y: y - BAR.1 / 2.0,
            width: bar_width,
            height: BAR.1,
        };
        let pixels = (0..STEPS).flat_map(|step| tint(step as f64 / (STEPS - 1) as f64));
        let raster = Raster::new(STEPS, 1, pixels.collect());
        scene.marks.push(Mark::Raster(bar, Arc::new(raster)));
        scene.text(most, (scene.width, y), Anchor::End, Ink::Muted);
        scene.text("0", (bar.x - 6.0, y), Anchor::End, Ink::Muted);
        let left = bar.x - 6.0 - text_width("0", TEXT) - 10.0;
        let meaning = fit_name(&self.meaning(), left);
        scene.text(meaning, (0.0, y), Anchor::Start, Ink::Muted);
    }
}

/// The pixel of a share of the greatest value.
fn tint(share: f64) -> [u8; 4] {
    let [r, g, b] = TINT;
    [r, g, b, (share.clamp(0.0, 1.0) * OPACITY).round() as u8]
}

/// An arc above a line of tokens, from one x to another.
fn arc(from: &Rect, to: &Rect) -> Vec<(f64, f64)> {
    const POINTS: i32 = 12;
    let (x0, x1) = (from.x + from.width / 2.0, to.x + to.width / 2.0);
    let height = (4.0 + (x1 - x0).abs() / 12.0).min(ARCS - 3.0);
    let point = |step: i32| {
        let t = f64::from(step) / f64::from(POINTS);
        (x0 + (x1 - x0) * t, from.y - 4.0 * height * t * (1.0 - t))
    };
    (0..=POINTS).map(point).collect()
}

impl Figure for TokenStrip {
    fn height(&self, width: f64) -> f64 {
        let legend = if self.tints.is_some() { LEGEND } else { 0.0 };
        self.chips_height(width) + legend
    }

    fn scene(&self, width: f64) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let greatest = self.greatest();
        for (index, (name, rect)) in self.chips(width).into_iter().enumerate() {
            let share = self.value(index) / greatest;
            if share > 0.0 {
                let raster = Raster::new(1, 1, tint(share).to_vec());
                scene.marks.push(Mark::Raster(rect, Arc::new(raster)));
            }
            let stroke = match self.selected_token() == Some(index) {
                true => (Ink::Ink, 2.0),
                false => (Ink::Hairline, 1.0),
            };
            scene.marks.push(Mark::Box {
                rect,
                fill: None,
                stroke: Some(stroke),
            });
            let ink = if self.tokens[index].is_special {
                Ink::Muted
            } else {
                Ink::Ink
            };
            let middle = (rect.x + rect.width / 2.0, rect.y + rect.height / 2.0);
            scene.text(name, middle, Anchor::Middle, ink);
        }
        if self.tints.is_some() {
            self.draw_legend(&mut scene);
        }
        scene
    }

    /// Arcs over every pair of tokens at the cursor's offset that is on one line, with a dot at the key, and frames around
    /// the query and the key of a cell.
    fn overlay(&self, width: f64, cursor: Option<Cursor>) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let chips = self.chips(width);
        let Some(k) = cursor.and_then(Cursor::offset) else {
            return scene;
        };
        let pair = |query: usize| {
            let key = usize::try_from(query as i64 + k).ok()?;
            let (from, to) = (chips.get(query)?, chips.get(key)?);
            (k != 0 && from.1.y == to.1.y).then_some((&from.1, &to.1))
        };
        let cell = cursor.and_then(Cursor::cell);
        for query in 0..chips.len() {
            if let Some((from, to)) = pair(query) {
                let is_own = cell.is_some_and(|(own, _)| own == query);
                let points = arc(from, to);
                let end = points.last().copied().unwrap_or_default();
                scene.line(points, Ink::Accent, if is_own { 2.0 } else { 0.75 });
                scene.marks.push(Mark::Dot {
                    at: end,
                    radius: if is_own { 3.5 } else { 2.0 },
                    fill: Ink::Accent,
                    stroke: Ink::Accent,
                });
            }
        }
        for (_, rect) in cell
            .iter()
            .flat_map(|(i, j)| [chips.get(*i), chips.get(*j)])
            .flatten()
        {
            scene.marks.push(Mark::Box {
                rect: *rect,
                fill: None,
                stroke: Some((Ink::Accent, 2.0)),
            });
        }
        scene
    }

    /// The cell of the selected token and the token at a point.
    fn cursor_at(&self, width: f64, x: f64, y: f64) -> Option<Cursor> {
        let index = self
            .chips(width)
            .iter()
            .position(|(_, rect)| rect.contains(x, y))?;
        match self.tints {
            Some((StripColors::AttentionFrom(query), _)) => Some(Cursor::Cell(query, index)),
            Some((StripColors::AttentionTo(key), _)) => Some(Cursor::Cell(index, key)),
            _ => None,
        }
    }

    fn places(&self, width: f64) -> Vec<Rect> {
        self.chips(width)
            .into_iter()
            .map(|(_, rect)| rect)
            .collect()
    }

    fn summary(&self) -> String {
        let special = self.tokens.iter().filter(|token| token.is_special).count();
        let count = self.tokens.len();
        let tokens = if count == 1 { "token" } else { "tokens" };
        let head = format!("{count} {tokens}, {special} of them special.");
        if self.tints.is_none() {
            return head;
        }
        let finite = (0..count).filter(|index| self.value(*index).is_finite());
        let greatest = finite.max_by(|a, b| self.value(*a).total_cmp(&self.value(*b)));
        match greatest {
            None => head,
            Some(index) => format!(
                "{head} Tint: {}; the greatest is {} at “{}”, position {index}.",
                self.meaning(),
                number(self.value(index)),
                self.tokens[index].name()
            ),
        }
    }

    fn table(&self) -> Table {
        let tokens = &self.tokens;
        Table::new()
            .with("position", (0..tokens.len()).collect())
            .with(
                "piece",
                Column::Name(tokens.iter().map(|token| token.piece.clone()).collect()),
            )
            .with(
                "id",
                tokens.iter().map(|token| i64::from(token.id)).collect(),
            )
            .with(
                "special",
                tokens
                    .iter()
                    .map(|token| i64::from(token.is_special))
                    .collect(),
            )
            .with(
                "value",
                (0..tokens.len()).map(|index| self.value(index)).collect(),
            )
    }
}
