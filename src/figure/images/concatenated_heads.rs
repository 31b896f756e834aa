//! Heads side by side times the output matrix, at one pixel (slides on attention and convolution, equation 6).

use crate::{
    analysis::{ConcatenatedHead, HeadConcatenation},
    figure::{
        Anchor, Figure, Ink, Mark, Rect, Scene, Table, format_signed, number,
        text::{TEXT, fit_name, width as text_width},
    },
};

/// Height of the headings and of a row, and space above a head and above the sum.
const HEADINGS: f64 = 24.0;
const ROW: f64 = 15.0;
const ABOVE_HEAD: f64 = 5.0;
const ABOVE_SUM: f64 = 12.0;
/// Width of the names of heads, and least width of a column that has bars.
const NAMES: f64 = 96.0;
const WITH_BARS: f64 = 74.0;
/// Space between two columns, and between a bar and its number.
const GAP: f64 = 10.0;
/// Space at the right edge.
const RIGHT: f64 = 2.0;
/// Width of a number.
const NUMBER: f64 = 50.0;
const BAR: f64 = 7.0;

/// Names of the output's channels, where there are three.
const COLOURS: [&str; 3] = ["red", "green", "blue"];

/// A row per channel of every head with weight: its output at the pixel and its row of the output matrix. Below, their
/// product and the convolution.
#[derive(Debug, Clone, PartialEq)]
pub struct ConcatenatedHeads {
    concatenation: HeadConcatenation,
}

/// A line of the figure.
struct ConcatenationLine {
    /// Name at its left. Empty if the line above has it.
    name: String,
    /// Index of the head, for its colour.
    head: Option<usize>,
    /// Output of the head; NaN below the heads.
    value: f64,
    /// Numbers of the output's channels.
    weights: Vec<f64>,
    /// Space above it.
    above: f64,
}

impl ConcatenatedHeads {
    /// Creates the figure.
    #[must_use]
    pub fn new(concatenation: HeadConcatenation) -> Self {
        Self { concatenation }
    }

    /// The heads with weight, with their number from 0.
    fn heads(&self) -> impl Iterator<Item = (usize, &ConcatenatedHead)> {
        let heads = self.concatenation.heads.iter().enumerate();
        heads.filter(|(_, head)| head.singular_values.iter().any(|&s| s > 0.0))
    }

    fn lines(&self) -> Vec<ConcatenationLine> {
        let mut lines = Vec::new();
        for (at, head) in self.heads() {
            let (y, x) = head.shift;
            let name = format!("{} at ({}, {})", at + 1, format_signed(y), format_signed(x));
            let names = std::iter::once(name).chain(std::iter::repeat(String::new()));
            let channels = head.values.iter().zip(&head.output);
            for (channel, (name, (value, row))) in names.zip(channels).enumerate() {
                let starts_head = channel == 0 && !lines.is_empty();
                lines.push(ConcatenationLine {
                    name,
                    head: Some(at),
                    value: *value,
                    weights: row.clone(),
                    above: if starts_head { ABOVE_HEAD } else { 0.0 },
                });
            }
        }
        let results = [
            ("product", &self.concatenation.output, ABOVE_SUM),
            ("convolution", &self.concatenation.convolution, 0.0),
        ];
        lines.extend(results.map(|(name, output, above)| ConcatenationLine {
            name: name.to_owned(),
            head: None,
            value: f64::NAN,
            weights: output.clone(),
            above,
        }));
        lines
    }

    /// Headings of the columns.
    fn headings(&self) -> Vec<String> {
        let (_, outputs) = self.concatenation.channels;
        let outputs = (0..outputs).map(|at| match outputs {
            1 => "W_out".to_owned(),
            3 => format!("W_out to {}", COLOURS[at]),
            _ => format!("W_out to {}", at + 1),
        });
        std::iter::once("SA_h(X)".to_owned())
            .chain(outputs)
            .collect()
    }
}

/// Greatest size of numbers that are finite.
fn greatest(values: impl Iterator<Item = f64>) -> f64 {
    let sizes = values.filter(|value| value.is_finite()).map(f64::abs);
    sizes.fold(f64::MIN_POSITIVE, f64::max)
}

/// Draws a bar from the middle of the column, as a share of its half, and the number at its right edge.
fn draw_cell(scene: &mut Scene, column: &Rect, value: f64, share: f64, ink: Ink) {
    if value.is_nan() {
        return;
    }
    let middle = column.y + column.height / 2.0;
    scene.text(
        number(value),
        (column.right(), middle),
        Anchor::End,
        Ink::Ink,
    );
    if column.width < WITH_BARS {
        return;
    }
    let half = (column.width - NUMBER - GAP) / 2.0;
    let zero = column.x + half;
    let length = half * share.clamp(-1.0, 1.0);
    scene.line(
        vec![(zero, column.y), (zero, column.y + column.height)],
        Ink::Hairline,
        1.0,
    );
    scene.marks.push(Mark::Box {
        rect: Rect {
            x: zero + length.min(0.0),
            y: middle - BAR / 2.0,
            width: length.abs(),
            height: BAR,
        },
        fill: Some(ink),
        stroke: None,
    });
}

impl Figure for ConcatenatedHeads {
    fn height(&self, _: f64) -> f64 {
        let lines = self.lines();
        HEADINGS + lines.iter().map(|line| line.above + ROW).sum::<f64>() + 4.0
    }

    fn scene(&self, width: f64) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let headings = self.headings();
        let names = NAMES.min(0.3 * width);
        let column = (width - names - RIGHT) / headings.len() as f64;
        let place = |at: usize, y: f64| Rect {
            x: names + at as f64 * column + GAP,
            y,
            width: column - GAP,
            height: ROW,
        };
        for (at, heading) in headings.iter().enumerate() {
            let heading = fit_name(heading, column - 2.0);
            let right = place(at, 0.0).right();
            let x = right - text_width(&heading, TEXT) / 2.0;
            scene.text(heading, (x, HEADINGS / 2.0), Anchor::Middle, Ink::Muted);
        }
        let lines = self.lines();
        let heads = || lines.iter().filter(|line| line.head.is_some());
        let results = lines.iter().filter(|line| line.head.is_none());
        let scales = [
            greatest(heads().map(|line| line.value)),
            greatest(heads().flat_map(|line| line.weights.iter().copied())),
            greatest(results.flat_map(|line| line.weights.iter().copied())),
        ];
        let mut y = HEADINGS;
        for line in &lines {
            y += line.above;
            if line.above == ABOVE_SUM {
                let rule = y - ABOVE_SUM / 2.0;
                scene.line(vec![(0.0, rule), (width, rule)], Ink::Hairline, 1.0);
            }
            let name = fit_name(&line.name, names);
            scene.text(name, (0.0, y + ROW / 2.0), Anchor::Start, Ink::Ink);
            let ink = line.head.map_or(Ink::Muted, Ink::Category);
            draw_cell(
                &mut scene,
                &place(0, y),
                line.value,
                line.value / scales[0],
                ink,
            );
            let scale = if line.head.is_some() {
                scales[1]
            } else {
                scales[2]
            };
            for (at, &weight) in line.weights.iter().enumerate() {
                draw_cell(&mut scene, &place(at + 1, y), weight, weight / scale, ink);
            }
            y += ROW;
        }
        scene
    }

    fn summary(&self) -> String {
        let HeadConcatenation {
            head_channels,
            channels: (_, outputs),
            heads,
            output,
            convolution,
        } = &self.concatenation;
        let list = |values: &[f64]| {
            let values: Vec<String> = values.iter().map(|&value| number(value)).collect();
            values.join(", ")
        };
        format!(
            "The layer has {} heads of {head_channels} channels each. Side by side they are {} numbers; times a matrix to {outputs} channels they are {}. The convolution gives {}.",
            heads.len(),
            heads.len() * head_channels,
            list(output),
            list(convolution)
        )
    }

    /// `head,channel,value,to_1,…`: all heads and channels, counted from 1; then the product as head 0 and the convolution
    /// as head −1, both with channel 0 and no value.
    fn table(&self) -> Table {
        let concatenation = &self.concatenation;
        let heads = concatenation.heads.iter().enumerate();
        let rows = heads.flat_map(|(at, head)| {
            let channels = head.values.iter().zip(&head.output).enumerate();
            channels.map(move |(channel, (value, row))| {
                (at as f64 + 1.0, channel as f64 + 1.0, *value, row)
            })
        });
        let results = [
            (0.0, &concatenation.output),
            (-1.0, &concatenation.convolution),
        ];
        let results = results.map(|(head, output)| (head, 0.0, f64::NAN, output));
        let rows: Vec<(f64, f64, f64, &Vec<f64>)> = rows.chain(results).collect();
        let table = Table::new()
            .with("head", rows.iter().map(|row| row.0).collect())
            .with("channel", rows.iter().map(|row| row.1).collect())
            .with("value", rows.iter().map(|row| row.2).collect());
        (0..concatenation.channels.1).fold(table, |table, at| {
            let weights = rows.iter().map(|row| row.3[at]).collect();
            table.with(format!("to_{}", at + 1), weights)
        })
    }
}
