//! Bars on an axis: labels, notes, bars over hairlines at the ticks of the axis, and numbers at the right edge.

use super::{Bar, BarChart, BarRow, BarScale};
use crate::figure::{
    Anchor, Ink, LinearScale, Mark, Rect, Scene,
    plot::frame::bottom_ticks,
    scale::extent,
    share::mark,
    text::{TEXT, fit_name, width as text_width},
};

/// Usual distance of rows.
pub(super) const ROW: f64 = 26.0;
/// Limits of a row's height in pixels where the height of a chart is free.
pub(super) const ROWS: (f64, f64) = (12.0, 90.0);
/// Height of the tick labels, and of the name of the axis.
const AXIS: f64 = 22.0;
const NAME: f64 = 18.0;
/// Height of the names of bars and of the rule, above the rows.
const HEAD: f64 = 20.0;
/// Space above a group of rows.
const GROUP: f64 = 8.0;
/// Greatest height of a bar.
const BAR: f64 = 8.0;
/// Space between a label, its bar and its number.
const GAP: f64 = 12.0;
/// Below this width notes are only in the table.
const WITH_NOTES: f64 = 520.0;
const NOTES: f64 = 132.0;
/// Least distance between hairlines without labels, and between those with labels.
const CLOSEST: f64 = 8.0;
const LABELS_APART: f64 = 34.0;

/// The columns of a chart at a width.
struct BarColumns {
    labels: f64,
    notes: f64,
    /// Left edge and length of the axis.
    left: f64,
    length: f64,
}

impl BarColumns {
    fn scale(&self, domain: (f64, f64)) -> LinearScale {
        LinearScale::new(domain, (self.left, self.left + self.length))
    }
}

impl BarChart {
    fn bars(&self) -> impl Iterator<Item = &Bar> {
        self.rows.iter().flat_map(|row| &row.bars)
    }

    /// Space above the rows.
    fn head(&self) -> f64 {
        let is_empty = self.names.is_empty() && self.rule.is_none() && self.reference.is_none();
        if is_empty { 0.0 } else { HEAD }
    }

    /// Returns the top of each row, and the bottom of the last.
    fn tops(&self) -> (Vec<f64>, f64) {
        let mut top = self.head();
        let mut tops = Vec::with_capacity(self.rows.len());
        for row in &self.rows {
            top += if row.starts_group { GROUP } else { 0.0 };
            tops.push(top);
            top += self.row_height;
        }
        (tops, top)
    }

    pub(super) fn height_on_axis(&self) -> f64 {
        let name = if self.axis.is_empty() { 0.0 } else { NAME };
        self.tops().1 + AXIS + name
    }

    fn columns(&self, width: f64) -> BarColumns {
        fn widest<'a>(texts: impl Iterator<Item = &'a String>) -> f64 {
            texts.map(|text| text_width(text, TEXT)).fold(0.0, f64::max)
        }
        let labels = widest(self.rows.iter().map(|row| &row.label)).min(width * 0.34) + GAP;
        let has_notes = width >= WITH_NOTES && self.rows.iter().any(|row| !row.note.is_empty());
        let notes = if has_notes { NOTES } else { 0.0 };
        let numbers: Vec<String> = self.rows.iter().map(BarRow::numbers).collect();
        let numbers = (widest(numbers.iter()) + GAP).min(width * 0.58);
        let left = labels + notes;
        BarColumns {
            labels,
            notes,
            left,
            length: (width - left - numbers).max(1.0),
        }
    }

    pub(super) fn draw_on_axis(&self, scene: &mut Scene) {
        let columns = self.columns(scene.width);
        let (tops, bottom) = self.tops();
        let domain = match self.scale {
            BarScale::Log => (0.0, self.decades()),
            BarScale::Linear if self.is_stacked => {
                let sums = self.rows.iter().map(BarRow::sum);
                (0.0, sums.fold(f64::MIN_POSITIVE, f64::max))
            }
            BarScale::Linear => {
                let ends = self.bars().flat_map(|bar| [Some(bar.value), bar.reference]);
                let rule = self.rule.map(|(value, _)| value);
                let ends = ends.chain([Some(0.0), rule]).flatten();
                extent(ends, 0.0).map_or((0.0, 1.0), std::ops::RangeInclusive::into_inner)
            }
        };
        let scale = columns.scale(domain);
        match self.scale {
            BarScale::Log => self.draw_decades(scene, &columns, bottom),
            BarScale::Linear => {
                self.draw_ticks(scene, &columns, &scale, bottom);
            }
        }
        self.draw_head(scene);
        for (row, top) in self.rows.iter().zip(tops) {
            self.draw_row(scene, &columns, &scale, row, top + self.row_height / 2.0);
        }
        if let Some((value, _)) = self.rule {
            let x = scale.pixel(value);
            scene.marks.push(Mark::Line {
                points: vec![(x, self.head()), (x, bottom)],
                stroke: Ink::Ink,
                width: 1.0,
                dash: Some(3.0),
            });
        }
    }

    /// Number of decades that cover the greatest value.
    fn decades(&self) -> f64 {
        let greatest = self.bars().map(|bar| bar.value).fold(10.0, f64::max);
        (greatest.log10() + 1e-12).floor() + 1.0
    }

    fn draw_decades(&self, scene: &mut Scene, columns: &BarColumns, bottom: f64) {
        let decades = self.decades() as u32;
        let step = columns.length / f64::from(decades);
        // As many labels as fit, and always the first.
        let interval = (1..=decades).find(|every| step * f64::from(*every) >= LABELS_APART);
        for decade in 0..=decades {
            let x = columns.left + step * f64::from(decade);
            let is_named = decade % interval.unwrap_or(decades) == 0;
            if is_named || step >= CLOSEST {
                self.hairline(scene, x, bottom);
            }
            if is_named {
                let place = (x, bottom + 11.0);
                scene.text(power(decade), place, Anchor::Middle, Ink::Muted);
            }
        }
    }

    fn draw_ticks(
        &self,
        scene: &mut Scene,
        columns: &BarColumns,
        scale: &LinearScale,
        bottom: f64,
    ) {
        for (tick, label) in bottom_ticks(scale, columns.length, false) {
            let x = scale.pixel(tick);
            self.hairline(scene, x, bottom);
            scene.text(label, (x, bottom + 11.0), Anchor::Middle, Ink::Muted);
        }
        let zero = scale.pixel(0.0);
        let ends = vec![(zero, self.head() + 2.0), (zero, bottom)];
        scene.line(ends, Ink::Muted, 1.0);
        let name = fit_name(self.axis, scene.width);
        let half = text_width(&name, TEXT) / 2.0;
        let middle = columns.left + columns.length / 2.0;
        let place = (middle.min(scene.width - half).max(half), bottom + 28.0);
        scene.text(name, place, Anchor::Middle, Ink::Muted);
    }

    fn hairline(&self, scene: &mut Scene, x: f64, bottom: f64) {
        let ends = vec![(x, self.head() + 2.0), (x, bottom)];
        scene.line(ends, Ink::Hairline, 1.0);
    }

    /// Names the rule or the marks of references at the left edge, and then the bars of a row.
    fn draw_head(&self, scene: &mut Scene) {
        let y = HEAD / 2.0;
        let mut x = 0.0;
        let mut name = |scene: &mut Scene, name: &'static str| {
            scene.text(name, (x + 18.0, y), Anchor::Start, Ink::Muted);
            let left = x;
            x += 18.0 + text_width(name, TEXT) + GAP;
            left
        };
        if let Some((_, rule)) = self.rule {
            let left = name(scene, rule);
            scene.marks.push(Mark::Line {
                points: vec![(left, y), (left + GAP, y)],
                stroke: Ink::Ink,
                width: 1.0,
                dash: Some(3.0),
            });
        }
        if let Some(reference) = self.reference {
            let left = name(scene, reference);
            mark(scene, left + GAP / 2.0, y - 3.0, 6.0);
        }
        for (at, bar) in self.names.iter().enumerate() {
            let rect = Rect {
                x: name(scene, bar),
                y: y - BAR / 2.0,
                width: GAP,
                height: BAR,
            };
            scene.marks.push(filled_rect(rect, self.ink(at, false)));
        }
    }

    /// The colour of a bar: by its place if a row has several, otherwise by its weight.
    fn ink(&self, at: usize, strong: bool) -> Ink {
        match (self.names.len(), strong) {
            (2.., _) => Ink::Category(at),
            (_, true) => Ink::Ink,
            (_, false) => Ink::Muted,
        }
    }

    fn draw_row(
        &self,
        scene: &mut Scene,
        columns: &BarColumns,
        scale: &LinearScale,
        row: &BarRow,
        middle: f64,
    ) {
        let count = if self.is_stacked {
            1
        } else {
            row.bars.len().max(1)
        } as f64;
        // Bars are thicker in rows that are higher than usual.
        let thickest = BAR * (self.row_height / ROW).max(1.0);
        let height = ((self.row_height - 4.0) / count).min(thickest);
        // The numbers are drawn first, so that they are visible where bars and numbers overlap.
        let is_none = row.bars.iter().all(|bar| bar.value == 0.0);
        let ink = if is_none { Ink::Muted } else { Ink::Ink };
        scene.text(row.numbers(), (scene.width, middle), Anchor::End, ink);
        let name = fit_name(&row.label, columns.labels - GAP + 1.0);
        scene.text(name, (0.0, middle), Anchor::Start, Ink::Ink);
        if columns.notes > 0.0 {
            let note = fit_name(&row.note, NOTES - GAP / 2.0);
            scene.text(note, (columns.labels, middle), Anchor::Start, Ink::Muted);
        }
        let mut start = 0.0;
        for (at, bar) in row.bars.iter().enumerate() {
            let line = if self.is_stacked { 0.0 } else { at as f64 };
            let y = middle + height * (line - count / 2.0);
            if let Some((mut x, width)) = self.length(bar.value, columns, scale) {
                if self.is_stacked {
                    x += start;
                    start += width;
                }
                let rect = Rect {
                    x,
                    y,
                    width,
                    height,
                };
                scene
                    .marks
                    .push(filled_rect(rect, self.ink(at, row.strong)));
            }
            if let Some(reference) = bar.reference {
                mark(scene, scale.pixel(reference), y, height);
            }
        }
    }

    /// Returns the left end and the length of a bar, if it has one. Short ones are still visible.
    fn length(&self, value: f64, columns: &BarColumns, scale: &LinearScale) -> Option<(f64, f64)> {
        match self.scale {
            BarScale::Log => {
                let step = columns.length / self.decades();
                (value >= 1.0).then(|| (columns.left, (step * value.log10()).max(2.0)))
            }
            BarScale::Linear => {
                let (zero, at) = (scale.pixel(0.0), scale.pixel(value));
                let length = (at - zero).abs().max(1.0);
                (value.is_finite() && value != 0.0).then(|| (zero.min(at), length))
            }
        }
    }
}

fn filled_rect(rect: Rect, ink: Ink) -> Mark {
    Mark::Box {
        rect,
        fill: Some(ink),
        stroke: None,
    }
}

/// 10^decade in short form.
fn power(decade: u32) -> String {
    let unit = ["", "k", "M", "G", "T", "P", "E"][(decade / 3).min(6) as usize];
    format!("{}{unit}", 10_u32.pow(decade % 3))
}
