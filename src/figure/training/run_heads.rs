//! Every head of runs as a small picture: its positional scores, or its mean attention.

use super::{RunHistory, report_rows::ReportRows};
use crate::{
    figure::{
        Anchor, ColorMap, Figure, Ink, Mark, Scene, Table, Thumbnail, Thumbnails, format_signed,
        group_thousands, head_patterns::of_attention, number, short_r2, text::fit_name,
    },
    training::{HeadReport, HeadSource, TrainingReport},
};

/// Height of a line above the heads of a run.
const LINE: f64 = 16.0;
/// Space between two runs.
const GAP: f64 = 14.0;
/// Distance from the left edge to the name of a run, behind the dot in its colour.
const INDENT: f64 = 15.0;
/// Radius of that dot.
const DOT: f64 = 4.5;

/// The heads of a run.
#[derive(Debug, Clone)]
struct HeadRows {
    /// Name of the run.
    name: String,
    /// Source of the pictures, and the step.
    note: String,
    ink: Ink,
    /// A row for each layer.
    heads: Thumbnails,
}

/// The heads of several runs, one run below the other.
#[derive(Debug, Clone)]
pub struct RunHeads {
    runs: Vec<HeadRows>,
    table: Table,
    summary: String,
}

/// Draws every head of every run at its current step, a row for each layer. Below a head are its R², and the offset
/// that it attends to most with its share of the attention. `None` if no run has a current step. The table is about
/// all reports: `model,step,layer,head,source,r2,causal_r2,peak_offset,peak_share`, with layers and heads from 1.
#[must_use]
pub fn run_heads(runs: &[RunHistory], map: ColorMap) -> Option<RunHeads> {
    let current = runs.iter().filter_map(|run| {
        let report = run.current.as_deref()?;
        (!report.heads.is_empty()).then_some((run, report))
    });
    let current: Vec<(&RunHistory, &TrainingReport)> = current.collect();
    current.first()?;
    let rows = current.iter().map(|(run, report)| HeadRows {
        name: run.name.clone(),
        note: note(report),
        ink: run.ink(),
        heads: Thumbnails {
            cells: (report.heads.iter())
                .map(|head| thumbnail(head, map))
                .collect(),
            per_row: report.heads.iter().map(|head| head.head + 1).max(),
            open: None,
            table: Table::new(),
            summary: String::new(),
        },
    });
    let sentences = current.iter().map(|(run, report)| in_words(run, report));
    let sentences: Vec<String> = sentences.collect();
    Some(RunHeads {
        runs: rows.collect(),
        table: heads_table(runs),
        summary: sentences.join(" "),
    })
}

fn thumbnail(head: &HeadReport, map: ColorMap) -> Thumbnail {
    let map = match head.source {
        HeadSource::Weights => map,
        HeadSource::Attention => of_attention(map),
    };
    let r2 = match head.r2.is_finite() {
        true => format!("R² {:.2}", head.r2),
        false => format!("R² {}", number(head.r2)),
    };
    let place = (head.layer, head.head);
    Thumbnail::new(head.picture.clone(), map, place, r2).with_note(peak(head))
}

/// Formats the offset that a head attends to most, and its share of the attention.
fn peak(head: &HeadReport) -> String {
    let offset = format_signed(head.peak_offset);
    format!("k = {offset}, {:.0} %", 100.0 * head.peak_share)
}

/// Names the pictures of a report.
fn source_name(report: &TrainingReport) -> &'static str {
    let from_weights = |head: &HeadReport| head.source == HeadSource::Weights;
    match (
        report.heads.iter().any(from_weights),
        report.heads.iter().all(from_weights),
    ) {
        (_, true) => "positional scores from weights",
        (true, false) => "positional scores, or mean attention where there are none",
        (false, false) => "mean attention over a fixed batch",
    }
}

/// The line below a run's name.
fn note(report: &TrainingReport) -> String {
    let step = group_thousands(report.step.into());
    format!("step {step}, {}", source_name(report))
}

fn place_words(head: &HeadReport) -> String {
    format!("head {} of layer {}", head.head + 1, head.layer + 1)
}

/// States the most Toeplitz head of a run, and the one that attends most to one offset.
fn in_words(run: &RunHistory, report: &TrainingReport) -> String {
    let heads = || report.heads.iter();
    let with_r2 = heads().filter(|head| head.r2.is_finite());
    let most = with_r2.max_by(|a, b| a.r2.total_cmp(&b.r2));
    let most = most.map_or("no head has an R²".to_owned(), |head| {
        let r2 = short_r2(head.r2);
        format!("the highest R² is {r2}, of {}", place_words(head))
    });
    let sharpest = heads().max_by(|a, b| a.peak_share.total_cmp(&b.peak_share));
    let sharpest = sharpest.map_or(String::new(), |head| {
        format!(
            "; the highest mean attention at one offset is that of {}: {}",
            place_words(head),
            peak(head)
        )
    });
    format!("{}, {}: {most}{sharpest}.", run.name, note(report))
}

/// A row for each head of each report.
fn heads_table(runs: &[RunHistory]) -> Table {
    let rows = ReportRows::new(runs, |report| &report.heads);
    let sources = rows.iter().map(|(.., head)| match head.source {
        HeadSource::Weights => "weights",
        HeadSource::Attention => "attention",
    });
    let peaks = rows.iter().map(|(.., head)| head.peak_offset);
    rows.table(|head| (head.layer, head.head))
        .with("source", sources.collect())
        .with("r2", rows.reals(|head| head.r2))
        .with("causal_r2", rows.reals(|head| head.causal_r2))
        .with("peak_offset", peaks.collect())
        .with("peak_share", rows.reals(|head| head.peak_share))
}

impl HeadRows {
    fn height(&self, width: f64) -> f64 {
        2.0 * LINE + self.heads.height(width)
    }

    /// Draws the name, the note and the heads from `top` on.
    fn draw(&self, scene: &mut Scene, top: f64) {
        let width = scene.width;
        let middle = top + LINE / 2.0;
        scene.marks.push(Mark::Dot {
            at: (DOT + 1.0, middle),
            radius: DOT,
            fill: self.ink,
            stroke: Ink::Paper,
        });
        for (line, text, ink) in [(0.0, &self.name, Ink::Ink), (1.0, &self.note, Ink::Muted)] {
            let text = fit_name(text, width - INDENT - 4.0);
            let place = (INDENT, middle + line * LINE);
            scene.text(text, place, Anchor::Start, ink);
        }
        let marks = self.heads.scene(width).marks.into_iter();
        let shift = (0.0, top + 2.0 * LINE);
        scene.marks.extend(marks.map(|mark| mark.translate(shift)));
    }
}

impl Figure for RunHeads {
    fn height(&self, width: f64) -> f64 {
        let heights = self.runs.iter().map(|run| run.height(width) + GAP);
        (heights.sum::<f64>() - GAP).max(0.0)
    }

    fn scene(&self, width: f64) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let mut top = 0.0;
        for run in &self.runs {
            run.draw(&mut scene, top);
            top += run.height(width) + GAP;
        }
        scene
    }

    fn summary(&self) -> String {
        self.summary.clone()
    }

    fn table(&self) -> Table {
        self.table.clone()
    }
}
