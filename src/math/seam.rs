//! Seams of a position table: places where neighbouring rows are suddenly far less alike than before and behind.
//!
//! Models that are trained on short texts first and on long ones later often have a seam at the length of the short
//! texts (TISA paper, caption of Figure 4: BERT used 128 positions for nine tenths of its training). Statistics over
//! all positions mix the two sides of a seam.

use super::row_neighbours::{RowNeighbours, median};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Minimum number of rows for a search.
const LEAST_ROWS: usize = 64;

/// Fraction 1/16 of the rows at each end that is not searched: the first rows hold special tokens, the last are often
/// barely trained.
const EDGE: usize = 16;

/// Number of steps before and behind a step that it is compared with.
const SIDE: usize = 32;

/// Minimum distance of a step below the usual cosine, in standard deviations of the steps around it. The largest among
/// 2048 random rows is 3.2.
const DEVIATIONS: f64 = 10.0;

/// Minimum distance of a step below the usual cosine, for any standard deviation.
const LEAST_DROP: f64 = 0.15;

/// Minimum usual cosine on both sides. Rows that are hardly alike cannot stop being alike.
const LEAST_USUAL: f64 = 0.3;

/// Maximum distance between two low steps of one seam.
const GAP: usize = 4;

/// Maximum number of steps of a seam. A longer stretch of unlike rows is no sudden change.
const LONGEST: usize = 8;

/// Maximum number of seams. More of them are a pattern of the table, such as the ends of an image's lines.
const MOST: usize = 3;

/// A seam of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Seam {
    /// The last row before the seam.
    pub last_before: usize,
    /// The first row after the seam, greater than `last_before`.
    pub first_behind: usize,
    /// Cosine of each row with the next, from `last_before` to `first_behind`: one value or more.
    pub cosines: Vec<f64>,
    /// Median cosine of up to 32 pairs of neighbouring rows before the seam.
    pub before: f64,
    /// Median cosine of up to 32 pairs of neighbouring rows behind the seam.
    pub behind: f64,
}

impl Seam {
    /// Finds the seams among the first `rows` rows of a table, in the order of the rows; none if there would be more
    /// than three.
    ///
    /// A step from one row to the next belongs to a seam if its cosine is below the median of the 32 steps before it,
    /// and below that of the 32 steps behind it, by 0.15 and by ten standard deviations, and if both medians are at
    /// least 0.3. Standard deviations are estimated from the median absolute deviation of both sides from their medians.
    #[must_use]
    pub fn find(neighbours: &RowNeighbours, rows: usize) -> Vec<Self> {
        let rows = rows.min(neighbours.rows());
        if rows < LEAST_ROWS {
            return Vec::new();
        }
        let cosines = &neighbours.cosines[..rows - 1];
        let edge = rows / EDGE;
        let is_low = |step: &usize| {
            let around = Surroundings::compute(cosines, *step..*step + 1);
            cosines[*step] < around.low()
        };
        let low = (edge..cosines.len() - edge).filter(is_low);
        let mut steps: Vec<Range<usize>> = Vec::new();
        for step in low {
            match steps.last_mut() {
                Some(last) if step - last.end < GAP => last.end = step + 1,
                _ => steps.push(step..step + 1),
            }
        }
        steps.retain(|steps| steps.len() <= LONGEST);
        if steps.len() > MOST {
            return Vec::new();
        }
        let seam = |steps: Range<usize>| {
            let around = Surroundings::compute(cosines, steps.clone());
            Self {
                last_before: steps.start,
                first_behind: steps.end,
                before: around.before,
                behind: around.behind,
                cosines: cosines[steps].to_vec(),
            }
        };
        steps.into_iter().map(seam).collect()
    }

    /// Lowest cosine of two neighbouring rows within the seam.
    #[must_use]
    pub fn lowest_cosine(&self) -> f64 {
        self.cosines.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// Difference between the lower median of the two sides and the lowest cosine.
    #[must_use]
    pub fn depth(&self) -> f64 {
        self.before.min(self.behind) - self.lowest_cosine()
    }
}

/// Cosines on either side of some steps.
struct Surroundings {
    /// Median before the steps.
    before: f64,
    /// Median behind the steps.
    behind: f64,
    /// Standard deviation around both medians.
    deviation: f64,
}

impl Surroundings {
    fn compute(cosines: &[f64], steps: Range<usize>) -> Self {
        let sides = [
            &cosines[steps.start.saturating_sub(SIDE)..steps.start],
            &cosines[steps.end..(steps.end + SIDE).min(cosines.len())],
        ];
        let [before, behind] = sides.map(|side| median(side.iter().copied()));
        let away = |(side, usual): (&[f64], f64)| -> Vec<f64> {
            side.iter().map(|cosine| (cosine - usual).abs()).collect()
        };
        let away = [(sides[0], before), (sides[1], behind)]
            .into_iter()
            .flat_map(away);
        Self {
            before,
            behind,
            // For normal numbers the standard deviation is 1.4826 times the median absolute deviation.
            deviation: 1.4826 * median(away),
        }
    }

    /// The cosine below which a step belongs to a seam; −∞ if the sides are hardly alike.
    fn low(&self) -> f64 {
        let usual = self.before.min(self.behind);
        if usual < LEAST_USUAL {
            return f64::NEG_INFINITY;
        }
        usual - (DEVIATIONS * self.deviation).max(LEAST_DROP)
    }
}
