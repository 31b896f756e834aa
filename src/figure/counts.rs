//! Counts as bars on a logarithmic axis: label, note, bar, and the number in full.
//!
//! Counts of learned parameters range from zero to billions; on a linear axis only the greatest would be visible.

use super::{
    Anchor, Column, Figure, Ink, Mark, Rect, Scene, Table,
    scene::TEXT,
    text::{fitted, width as text_width},
};
use crate::analysis::parameter_count::{
    COUNT_METHODS, ModelSize, TABLE_2_METHODS, TABLE_2_MODELS, count_method,
};

const ROW: f64 = 26.0;
const AXIS: f64 = 22.0;
/// Space between a label, its bar and its number.
const GAP: f64 = 12.0;
/// Below this width formulas are only in the table.
const WITH_NOTES: f64 = 520.0;
const NOTES: f64 = 132.0;
/// Least distance between grid lines without labels.
const CLOSEST: f64 = 8.0;

/// A count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    /// Subject of the count.
    pub label: String,
    /// Its formula. May be empty.
    pub note: String,
    /// The number.
    pub count: u64,
    /// Whether it is drawn darker.
    pub strong: bool,
}

/// Counts, one below the other.
#[derive(Debug, Clone, PartialEq)]
pub struct Counts {
    /// The counts, from top to bottom.
    pub rows: Vec<Count>,
    /// Numbers behind the figure, for download.
    pub table: Table,
    /// A text summary.
    pub summary: String,
}

impl Counts {
    /// Positional parameters of a model of this size. The table also has those of the paper's Table 2, below.
    #[must_use]
    pub fn from_parameters(model: &str, size: &ModelSize) -> Self {
        let own = COUNT_METHODS.iter().map(|method| (model, method, size));
        let published = TABLE_2_MODELS.iter().flat_map(|(model, size)| {
            let methods = TABLE_2_METHODS.iter().filter_map(|id| count_method(id));
            methods.map(move |method| (*model, method, size))
        });
        let all: Vec<_> = own.chain(published).collect();
        let names = |of: fn(
            &(
                &str,
                &crate::analysis::parameter_count::CountMethod,
                &ModelSize,
            ),
        ) -> String| { Column::Name(all.iter().map(of).collect()) };
        let whole = |part: usize| {
            Column::Whole(
                all.iter()
                    .map(|(.., size)| size.parts()[part] as i64)
                    .collect(),
            )
        };
        let counts = all
            .iter()
            .map(|(_, method, size)| method.count(size) as i64);
        let table = Table::new()
            .with("model", names(|(model, ..)| (*model).to_owned()))
            .with("method", names(|(_, method, _)| method.id.to_owned()))
            .with("formula", names(|(_, method, _)| method.formula.to_owned()))
            .with("parameters", Column::Whole(counts.collect()))
            .with("kernels", whole(0))
            .with("positions", whole(1))
            .with("width", whole(2))
            .with("layers", whole(3))
            .with("heads", whole(4));
        let rows: Vec<Count> = COUNT_METHODS
            .iter()
            .enumerate()
            .map(|(at, method)| Count {
                label: method.name.to_owned(),
                note: method.formula.to_owned(),
                count: method.count(size),
                strong: at == 0,
            })
            .collect();
        let phrases: Vec<String> = rows
            .iter()
            .take(3)
            .map(|row| format!("{} {}", row.label, grouped(row.count)))
            .collect();
        Self {
            summary: format!(
                "Learned numbers for positions of {model}: {}.",
                phrases.join(", ")
            ),
            rows,
            table,
        }
    }

    /// Number of decades that cover the greatest count.
    fn decades(&self) -> u32 {
        let greatest = self.rows.iter().map(|row| row.count).max().unwrap_or(1);
        greatest.max(10).ilog10() + 1
    }

    /// Widths of labels, notes and numbers.
    fn layout(&self, width: f64) -> (f64, f64, f64) {
        let widest = |of: &dyn Fn(&Count) -> String| {
            let widths = self.rows.iter().map(|row| text_width(&of(row), TEXT));
            widths.fold(0.0, f64::max)
        };
        let labels = widest(&|row| row.label.clone()).min(width * 0.34) + GAP;
        let noted = width >= WITH_NOTES && self.rows.iter().any(|row| !row.note.is_empty());
        let numbers = widest(&|row| grouped(row.count)) + GAP;
        (
            labels,
            if noted { NOTES } else { 0.0 },
            numbers.min(width * 0.58),
        )
    }
}

/// Formats an integer with separated thousands.
#[must_use]
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// 10^decade in short form.
fn power(decade: u32) -> String {
    let unit = ["", "k", "M", "G", "T", "P", "E"][(decade / 3).min(6) as usize];
    format!("{}{unit}", 10_u32.pow(decade % 3))
}

impl Figure for Counts {
    fn height(&self, _: f64) -> f64 {
        ROW * self.rows.len() as f64 + AXIS
    }

    fn scene(&self, width: f64) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let (labels, notes, numbers) = self.layout(width);
        let (left, decades) = (labels + notes, self.decades());
        let room = (width - left - numbers).max(1.0);
        let bottom = ROW * self.rows.len() as f64;
        let step = room / f64::from(decades);
        // As many labels as fit, and always the first.
        let named = (1..=decades).find(|every| step * f64::from(*every) >= 34.0);
        for decade in 0..=decades {
            let x = left + step * f64::from(decade);
            let is_named = decade % named.unwrap_or(decades) == 0;
            if is_named || step >= CLOSEST {
                scene.line(vec![(x, 2.0), (x, bottom)], Ink::Hairline, 1.0);
            }
            if is_named {
                scene.text(
                    power(decade),
                    (x, bottom + 11.0),
                    Anchor::Middle,
                    Ink::Muted,
                );
            }
        }
        for (at, row) in self.rows.iter().enumerate() {
            let middle = ROW * (at as f64 + 0.5);
            let ink = if row.strong { Ink::Ink } else { Ink::Muted };
            // The number is drawn first, so that it is visible where bars and numbers overlap.
            let number_ink = if row.count > 0 { Ink::Ink } else { Ink::Muted };
            let number = grouped(row.count);
            scene.text(number, (width, middle), Anchor::End, number_ink);
            let name = fitted(&row.label, labels - GAP + 1.0);
            scene.text(name, (0.0, middle), Anchor::Start, Ink::Ink);
            if notes > 0.0 {
                let note = fitted(&row.note, NOTES - GAP / 2.0);
                scene.text(note, (labels, middle), Anchor::Start, Ink::Muted);
            }
            if row.count > 0 {
                scene.marks.push(Mark::Box {
                    rect: Rect {
                        x: left,
                        y: middle - 4.0,
                        // log₁₀ 1 = 0, but a count of 1 is still visible.
                        width: (step * (row.count as f64).log10()).max(2.0),
                        height: 8.0,
                    },
                    fill: Some(ink),
                    stroke: None,
                });
            }
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
