//! The rotating pairs of a sinusoidal table: each pair of columns as a phasor on a dial, for two positions.
//!
//! Pair m of row i is (cos(iω_m), sin(iω_m)), a phasor at the angle iω_m. In each pair, rows i and i + k differ by the
//! angle kω_m, independently of i. The cosines of these angles sum to the inner product of the rows.

use super::{
    Anchor, Figure, Ink, Mark, Rect, Scene, Table, format_signed, number, text::break_lines,
};
use std::f64::consts::TAU;

/// Width and height of a dial's cell.
const CELL: (f64, f64) = (76.0, 106.0);
/// Radius of a dial.
const RADIUS: f64 = 28.0;
/// Space above the dials with one line of text, for each further line, and below the dials.
const HEAD: f64 = 26.0;
const LEADING: f64 = 16.0;
const FOOT: f64 = 46.0;
/// The most rows of dials. If there are more pairs, an even selection is shown.
const ROWS: usize = 3;
/// Number of points of a full circle.
const CORNERS: f64 = 72.0;

/// Dials of two positions.
#[derive(Debug, Clone, PartialEq)]
pub struct Phasors {
    /// ω_m of each pair.
    pub frequencies: Vec<f64>,
    /// Position i.
    pub position: usize,
    /// Offset k of the other position.
    pub offset: i64,
}

impl Phasors {
    /// The angle from the first phasor to the second.
    fn turn(&self, frequency: f64) -> f64 {
        self.offset as f64 * frequency
    }

    /// Σ_m cos(k·ω_m).
    #[must_use]
    pub fn inner_product(&self) -> f64 {
        (self.frequencies.iter())
            .map(|frequency| self.turn(*frequency).cos())
            .sum()
    }

    /// The legend of the two phasors, broken into lines.
    fn heading(&self, width: f64) -> Vec<String> {
        let other = format_signed(self.position as i64 + self.offset);
        let [thin, thick] = [
            format!("thin hand: position {};", self.position),
            format!("thick hand: position {other}"),
        ];
        let whole = break_lines(&format!("{thin} {thick}"), width - 4.0);
        match whole.len() {
            0 | 1 => whole,
            _ => [thin, thick]
                .iter()
                .flat_map(|hand| break_lines(hand, width - 4.0))
                .collect(),
        }
    }

    fn head(&self, width: f64) -> f64 {
        HEAD + LEADING * (self.heading(width).len().max(1) - 1) as f64
    }

    fn columns(width: f64) -> usize {
        ((width / CELL.0) as usize).max(1)
    }

    /// Returns the pairs with a dial: the first, the last, and others evenly between.
    fn drawn_pairs(&self, width: f64) -> Vec<usize> {
        let pairs = self.frequencies.len();
        let count = pairs.min(ROWS * Self::columns(width));
        match count {
            0 | 1 => (0..count).collect(),
            _ => (0..count)
                .map(|at| (at * (pairs - 1) + (count - 1) / 2) / (count - 1))
                .collect(),
        }
    }

    fn rows(&self, width: f64) -> usize {
        self.drawn_pairs(width).len().div_ceil(Self::columns(width))
    }

    fn dial(&self, scene: &mut Scene, centre: (f64, f64), frequency: f64) {
        let (first, turn) = (self.position as f64 * frequency, self.turn(frequency));
        // Angles grow counterclockwise, and y points down.
        let at = |angle: f64, radius: f64| {
            (
                centre.0 + radius * angle.cos(),
                centre.1 - radius * angle.sin(),
            )
        };
        let arc = |from: f64, turn: f64| {
            let steps = (turn.abs() / TAU * CORNERS).ceil().max(1.0);
            (0..=steps as usize).map(move |s| at(from + turn * s as f64 / steps, RADIUS))
        };
        let turned = turn.clamp(-TAU, TAU);
        let mut wedge = vec![centre];
        wedge.extend(arc(first, turned));
        scene.marks.push(Mark::Area {
            points: wedge,
            fill: Ink::Band,
        });
        scene.line(arc(0.0, TAU).collect(), Ink::Hairline, 1.0);
        scene.line(vec![centre, at(first, RADIUS)], Ink::Muted, 1.2);
        scene.line(vec![centre, at(first + turn, RADIUS)], FIRST, 2.2);
        scene.marks.push(Mark::Dot {
            at: at(first + turn, RADIUS),
            radius: 3.0,
            fill: FIRST,
            stroke: Ink::Paper,
        });
    }

    /// Draws a pair's contribution: a bar from the middle, as long as the cosine.
    fn share(scene: &mut Scene, centre: (f64, f64), cosine: f64) {
        let y = centre.1 + RADIUS + 9.0;
        let ends = vec![(centre.0 - RADIUS, y), (centre.0 + RADIUS, y)];
        scene.line(ends, Ink::Hairline, 1.0);
        let ink = if cosine < 0.0 { BELOW } else { FIRST };
        let bar = vec![(centre.0, y), (centre.0 + RADIUS * cosine, y)];
        scene.line(bar, ink, 4.0);
        scene.line(
            vec![(centre.0, y - 4.0), (centre.0, y + 4.0)],
            Ink::Muted,
            1.0,
        );
    }

    /// Draws the sum, on the scale of the number of pairs.
    fn sum(&self, scene: &mut Scene, y: f64) {
        let pairs = self.frequencies.len() as f64;
        let sum = self.inner_product();
        let (left, right) = (4.0, scene.width - 4.0);
        let middle = f64::midpoint(left, right);
        let half = (right - left) / 2.0;
        scene.line(
            vec![(left, y + 16.0), (right, y + 16.0)],
            Ink::Hairline,
            1.0,
        );
        let end = middle + half * (sum / pairs).clamp(-1.0, 1.0);
        let ink = if sum < 0.0 { BELOW } else { FIRST };
        scene.line(vec![(middle, y + 16.0), (end, y + 16.0)], ink, 6.0);
        scene.line(
            vec![(middle, y + 10.0), (middle, y + 22.0)],
            Ink::Muted,
            1.0,
        );
        let text = format!("all {pairs} bars together: {}", number(sum));
        scene.text(text, (left, y), Anchor::Start, Ink::Ink);
        for (value, at, anchor) in [
            (-pairs, left, Anchor::Start),
            (0.0, middle, Anchor::Middle),
            (pairs, right, Anchor::End),
        ] {
            scene.text(number(value), (at, y + 32.0), anchor, Ink::Muted);
        }
    }
}

/// Colour of the second phasor and of positive contributions.
const FIRST: Ink = Ink::Category(0);
/// Colour of negative contributions.
const BELOW: Ink = Ink::Category(3);

impl Figure for Phasors {
    fn height(&self, width: f64) -> f64 {
        self.head(width) + self.rows(width) as f64 * CELL.1 + FOOT
    }

    fn scene(&self, width: f64) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let columns = Self::columns(width);
        for (line, words) in self.heading(width).into_iter().enumerate() {
            let y = 9.0 + LEADING * line as f64;
            scene.text(words, (4.0, y), Anchor::Start, Ink::Muted);
        }
        let head = self.head(width);
        let room = width / columns as f64;
        for (at, pair) in self.drawn_pairs(width).into_iter().enumerate() {
            let frequency = self.frequencies[pair];
            let cell = Rect {
                x: room * (at % columns) as f64,
                y: head + CELL.1 * (at / columns) as f64,
                width: room,
                height: CELL.1,
            };
            let centre = (cell.x + cell.width / 2.0, cell.y + RADIUS + 4.0);
            self.dial(&mut scene, centre, frequency);
            Self::share(&mut scene, centre, self.turn(frequency).cos());
            let wavelength = format!("λ {}", number(TAU / frequency));
            let below = (centre.0, centre.1 + RADIUS + 23.0);
            scene.text(wavelength, below, Anchor::Middle, Ink::Muted);
        }
        let bottom = head + CELL.1 * self.rows(width) as f64;
        self.sum(&mut scene, bottom + 6.0);
        scene
    }

    fn summary(&self) -> String {
        format!(
            "{} pairs rotate from position {} by {} positions, each by its own angle; the cosines of the angles sum to {}.",
            self.frequencies.len(),
            self.position,
            format_signed(self.offset),
            number(self.inner_product())
        )
    }

    fn table(&self) -> Table {
        let frequencies = &self.frequencies;
        let of = |value: &dyn Fn(f64) -> f64| frequencies.iter().map(|w| value(*w)).collect();
        Table::new()
            .with("pair", (1..=frequencies.len()).collect())
            .with("frequency", of(&|w| w))
            .with("wavelength", of(&|w| TAU / w))
            .with("angle_first", of(&|w| self.position as f64 * w))
            .with("angle_between", of(&|w| self.turn(w)))
            .with("cosine", of(&|w| self.turn(w).cos()))
    }
}
