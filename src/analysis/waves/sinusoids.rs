//! Test whether a position table is learned or sinusoidal, and its verdict.

use crate::{
    encoding::Random,
    math::{FrequencySearch, Layout, LayoutDistance, LayoutMatch, NoWaves, SharedFrequency},
};
use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};

/// Number of shared sinusoids that count as “a few”.
pub const FEW: usize = 8;

/// Maximum number of shared frequencies that are searched.
const MOST: usize = 16;

/// Number of columns that are matched with a layout in one step.
const COLUMNS: usize = 64;

/// Maximum distance at which a table is the same as a layout's: rounding to half precision gives 0.0003, to bfloat16
/// 0.002.
const SAME: f64 = 0.02;

/// Maximum distance at which a table is near a layout's.
const NEAR: f64 = 0.5;

/// Minimum share of a table that a few sinusoids explain if the table is made of waves.
const WAVY: f64 = 0.5;

/// Result of the test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SinusoidEvidence {
    /// Frequencies shared by all columns, each the one that explains most of what the previous ones leave.
    pub shared_frequencies: Vec<SharedFrequency>,
    /// Share that one sinusoid per column explains, with a frequency of its own.
    pub own: f64,
    /// Share that [`FEW`] shared frequencies explain of a table of random numbers of the same shape.
    pub random_few: f64,
    /// Share that one sinusoid per column explains of that random table.
    pub random_own: f64,
    /// Distances to all layouts.
    pub distances: Vec<LayoutDistance>,
}

/// Verdict of the test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SinusoidVerdict {
    /// The table of this layout, with its columns in order.
    Computed(Layout),
    /// The table of this layout, with its columns in another order.
    Reordered(Layout),
    /// Near the table of this layout: initialised with it, or close to it after training.
    Near(Layout),
    /// Not the table of a known layout, but every column is a sinusoid.
    OtherSinusoids,
    /// Learned, and a few sinusoids explain most of it.
    LearnedWaves,
    /// Learned, and not made of a few sinusoids.
    Learned,
}

impl SinusoidEvidence {
    /// Share that [`FEW`] shared frequencies explain.
    #[must_use]
    pub fn few(&self) -> f64 {
        let few = self.shared_frequencies.iter().take(FEW).next_back();
        few.map_or(0.0, |shared| shared.explained_share)
    }

    /// The nearest layout; among equally near ones, the one whose own order is nearest.
    #[must_use]
    pub fn nearest(&self) -> Option<LayoutDistance> {
        let key = |found: &LayoutDistance| (found.distance, found.in_order);
        self.distances.iter().copied().min_by(|a, b| {
            let ((a, a_in_order), (b, b_in_order)) = (key(a), key(b));
            // Distances of layouts with the same columns differ only by rounding.
            if (a - b).abs() < 1e-6 {
                a_in_order.total_cmp(&b_in_order)
            } else {
                a.total_cmp(&b)
            }
        })
    }

    /// The verdict, by the first rule that holds: nearest layout within 0.02 in its own order; within 0.02 in another
    /// order; one sinusoid per column explains 95 %; nearest layout within 0.5; eight shared frequencies explain half,
    /// and at least twice what they explain of random numbers; learned.
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

    /// The verdict in one or two sentences, with its numbers.
    #[must_use]
    pub fn sentence(&self) -> String {
        let percent = |share: f64| format!("{:.0} %", 100.0 * share);
        let (few, own) = (percent(self.few()), percent(self.own));
        let (random_few, random_own) = (percent(self.random_few), percent(self.random_own));
        let layout = |layout: Layout| match layout {
            Layout::Interleaved => "sines and cosines interleaved",
            Layout::Halves => "sines first, then cosines",
            Layout::Whisper => "sines first, then cosines, with Whisper’s step",
        };
        let distance = self.nearest().map_or(1.0, |found| found.distance);
        let waves = format!(
            "{FEW} shared sinusoids explain {few} of its variance ({random_few} for random numbers), one sinusoid per column explains {own} ({random_own} for random numbers). The closest sinusoidal table is at distance {distance:.2} (0 = identical, 1 = unrelated)."
        );
        match self.verdict() {
            SinusoidVerdict::Computed(found) => format!(
                "This table is sinusoidal: {} (distance {distance:.3}).",
                layout(found)
            ),
            SinusoidVerdict::Reordered(found) => format!(
                "This table is sinusoidal: {}, with its columns in another order (distance {distance:.3}).",
                layout(found)
            ),
            SinusoidVerdict::Near(found) => {
                format!(
                    "This table is close to a sinusoidal one ({}), but not identical. {waves}",
                    layout(found)
                )
            }
            SinusoidVerdict::OtherSinusoids => {
                format!("This table is sinusoidal, but in no known layout. {waves}")
            }
            SinusoidVerdict::LearnedWaves => {
                format!("This table was learned and consists mostly of a few waves. {waves}")
            }
            SinusoidVerdict::Learned => {
                format!("This table was learned and does not consist of a few waves. {waves}")
            }
        }
    }
}

/// State of a running test. Lazy functions call its methods.
pub(in crate::analysis) struct SinusoidSearch {
    table: FrequencySearch,
    random: Option<FrequencySearch>,
    layouts: Vec<LayoutMatch>,
    evidence: SinusoidEvidence,
    is_over: bool,
}

impl SinusoidSearch {
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
                shared_frequencies: Vec::new(),
                own: search.own_frequencies(),
                random_few: 0.0,
                random_own: random
                    .as_ref()
                    .map_or(0.0, FrequencySearch::own_frequencies),
                distances: Vec::new(),
            },
            table: search,
            random,
            // A table with values that are not finite has no distance to any layout.
            layouts: layouts.into_iter().flatten().rev().collect(),
            is_over: false,
        })
    }

    pub(super) fn step(&mut self) -> bool {
        if self.evidence.shared_frequencies.len() < MOST && !self.is_over {
            match self.table.step() {
                Some(found) => self.evidence.shared_frequencies.push(found),
                None => self.is_over = true,
            }
            if self.evidence.shared_frequencies.len() <= FEW
                && let Some(found) = self.random.as_mut().and_then(FrequencySearch::step)
            {
                self.evidence.random_few = found.explained_share;
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

    pub(super) fn finish(mut self) -> SinusoidEvidence {
        while self.step() {}
        self.evidence
    }
}
