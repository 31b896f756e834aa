//! Learned or sinusoidal? A stated test, and its verdict.

use super::SinusoidSearch;
use crate::{
    encoding::Random,
    math::{FrequencySearch, Layout, LayoutDistance, LayoutMatch, NoWaves, SharedFrequency},
};
use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};

/// What "a few" sinusoids are.
pub const FEW: usize = 8;

/// Frequencies that are looked for.
const MOST: usize = 16;

/// Columns that find their places in a layout in one step.
const COLUMNS: usize = 64;

/// A table no farther from a layout than this is that layout: rounding to half precision makes 0.0003, to bfloat16
/// 0.002.
const SAME: f64 = 0.02;

/// At this distance a table shares most of what it is with a layout.
const NEAR: f64 = 0.5;

/// A few sinusoids that explain so much of a table make it wave-like.
const WAVY: f64 = 0.5;

/// What the test found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SinusoidEvidence {
    /// Frequencies that all columns share, in the order in which they explain most of what is left.
    pub shared: Vec<SharedFrequency>,
    /// The share that one sinusoid a column explains, each column its own.
    pub own: f64,
    /// What [`FEW`] shared frequencies explain of a table of random numbers of the same shape.
    pub random_few: f64,
    /// What a sinusoid a column explains of it.
    pub random_own: f64,
    /// The distance to each layout.
    pub distances: Vec<LayoutDistance>,
}

/// What follows of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SinusoidVerdict {
    /// It is that layout's table, columns in its order.
    Computed(Layout),
    /// It is that layout's table with its columns in another order.
    Reordered(Layout),
    /// It began as that layout's table, or has come near to it.
    Near(Layout),
    /// No layout's table, but every column is a sinusoid.
    OtherSinusoids,
    /// Learned, and a few sinusoids explain most of it.
    LearnedWaves,
    /// Learned, and not made of a few sinusoids.
    Learned,
}

impl SinusoidEvidence {
    /// What a few shared frequencies explain.
    #[must_use]
    pub fn few(&self) -> f64 {
        let few = self.shared.iter().take(FEW).next_back();
        few.map_or(0.0, |shared| shared.explained)
    }

    /// The layout that is nearest, in its own order where that is as near.
    #[must_use]
    pub fn nearest(&self) -> Option<LayoutDistance> {
        let key = |found: &LayoutDistance| (found.distance, found.in_order);
        self.distances.iter().copied().min_by(|a, b| {
            let ((a, a_in_order), (b, b_in_order)) = (key(a), key(b));
            // Layouts of the same columns are as near as rounding lets them be.
            if (a - b).abs() < 1e-6 {
                a_in_order.total_cmp(&b_in_order)
            } else {
                a.total_cmp(&b)
            }
        })
    }

    /// The verdict, by this rule, the first that holds: nearest layout within 0.02 in its own order; within 0.02 in
    /// another order; one sinusoid a column explains 95 %; nearest layout within 0.5; eight shared frequencies explain
    /// half, and at least twice what they explain of random numbers; learned.
    #[must_use]
    pub fn verdict(&self) -> SinusoidVerdict {
        let nearest = self.nearest();
        let within = |most: f64| nearest.filter(|found| found.distance <= most);
        if let Some(found) = within(SAME) {
            return if found.in_order <= SAME {
                SinusoidVerdict::Computed(found.layout)
            } else {
                SinusoidVerdict::Reordered(found.layout)
            };
        }
        if self.own >= 0.95 {
            return SinusoidVerdict::OtherSinusoids;
        }
        if let Some(found) = within(NEAR) {
            return SinusoidVerdict::Near(found.layout);
        }
        if self.few() >= WAVY && self.few() >= 2.0 * self.random_few {
            SinusoidVerdict::LearnedWaves
        } else {
            SinusoidVerdict::Learned
        }
    }

    /// The verdict in a sentence or two, with its numbers.
    #[must_use]
    pub fn sentence(&self) -> String {
        let percent = |share: f64| format!("{:.0} %", 100.0 * share);
        let (few, own) = (percent(self.few()), percent(self.own));
        let (random_few, random_own) = (percent(self.random_few), percent(self.random_own));
        let layout = |layout: Layout| match layout {
            Layout::Interleaved => "sines and cosines in turn",
            Layout::Halves => "sines first, then cosines",
            Layout::Whisper => "sines first, then cosines, with Whisper’s step",
        };
        let distance = self.nearest().map_or(1.0, |found| found.distance);
        let waves = format!(
            "{FEW} shared sinusoids explain {few} of its variance (of random numbers {random_few}), one sinusoid a \
             column {own} (random {random_own}). The nearest computed table is at distance {distance:.2}, where 0 is \
             the same table and 1 has nothing in common."
        );
        match self.verdict() {
            SinusoidVerdict::Computed(found) => format!(
                "Sinusoidal: this is the computed table, {} (distance {distance:.3}).",
                layout(found)
            ),
            SinusoidVerdict::Reordered(found) => format!(
                "Sinusoidal: this is the computed table, {}, with its columns in another order (distance \
                 {distance:.3}).",
                layout(found)
            ),
            SinusoidVerdict::Near(found) => {
                format!(
                    "Near the computed table, {}, but not the same. {waves}",
                    layout(found)
                )
            }
            SinusoidVerdict::OtherSinusoids => {
                format!("Sinusoidal, but in none of the known layouts. {waves}")
            }
            SinusoidVerdict::LearnedWaves => format!("Learned, and made of a few waves. {waves}"),
            SinusoidVerdict::Learned => {
                format!("Learned, and not made of a few waves. {waves}")
            }
        }
    }
}

/// The test under way.
pub(super) struct Search {
    table: FrequencySearch,
    random: Option<FrequencySearch>,
    layouts: Vec<LayoutMatch>,
    evidence: SinusoidEvidence,
    is_over: bool,
}

impl Search {
    pub(super) fn new(table: ArrayView2<'_, f32>) -> Result<Self, NoWaves> {
        let search = FrequencySearch::new(table)?;
        let (rows, width) = table.dim();
        let random = Random {
            rows,
            width,
            seed: 1,
        };
        let random = FrequencySearch::new(random.table().view()).ok();
        let layouts = Layout::ALL.map(|layout| LayoutMatch::new(table, layout));
        Ok(Self {
            evidence: SinusoidEvidence {
                shared: Vec::new(),
                own: search.own_frequencies(),
                random_few: 0.0,
                random_own: random
                    .as_ref()
                    .map_or(0.0, FrequencySearch::own_frequencies),
                distances: Vec::new(),
            },
            table: search,
            random,
            // A table with holes has no distance to one without.
            layouts: layouts.into_iter().flatten().rev().collect(),
            is_over: false,
        })
    }
}

impl SinusoidSearch for Search {
    fn step(&mut self) -> bool {
        if self.evidence.shared.len() < MOST && !self.is_over {
            match self.table.step() {
                Some(found) => self.evidence.shared.push(found),
                None => self.is_over = true,
            }
            if self.evidence.shared.len() <= FEW
                && let Some(found) = self.random.as_mut().and_then(FrequencySearch::step)
            {
                self.evidence.random_few = found.explained;
            }
            return true;
        }
        let Some(layout) = self.layouts.last_mut() else {
            return false;
        };
        if !layout.step(COLUMNS)
            && let Some(layout) = self.layouts.pop()
        {
            self.evidence.distances.push(layout.finish());
        }
        !self.layouts.is_empty()
    }

    fn finish(mut self: Box<Self>) -> SinusoidEvidence {
        while self.step() {}
        self.evidence
    }
}
