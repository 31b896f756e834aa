//! Arrangement of blocks (figures and controls) in a pane of a given size without scrolling.
//!
//! Blocks keep their order. They are arranged in rows of blocks of equal width, or in columns of stacked blocks,
//! whichever makes the weighted areas of their plots larger. Blocks whose height is free fill their row or column. All lengths are in
//! CSS pixels.

use std::fmt;

/// Number of discrete widths of columns and heights of rows that are tried.
const STEPS: usize = 64;

/// Number of steps between two heights of a row that are tried for blocks whose height is free.
const STRIDE: usize = 2;

/// Exponent of a block's width beside that of its area: of two arrangements of equal areas, the one with wider blocks is
/// chosen, since charts are read from left to right.
pub const WIDTH_BONUS: f64 = 0.1;

/// The area that blocks share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pane {
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
    /// Distance between neighbours, side by side or stacked.
    pub gap: f64,
}

/// A figure or a group of controls.
pub struct PaneBlock<'a> {
    /// Smallest readable width.
    pub least: f64,
    /// Weight of its area relative to other blocks. A block of weight 0 gets the smallest width that fits.
    pub weight: f64,
    /// Returns the least and the greatest height at a width. They differ if the height is free.
    pub heights: Box<dyn Fn(f64) -> (f64, f64) + 'a>,
    /// Returns the parts of a width, and of the height at that width, that are words, axes and legends. The rest is the
    /// plot, whose area counts.
    pub margins: Box<dyn Fn(f64) -> (f64, f64) + 'a>,
}

impl PaneBlock<'_> {
    fn least_height(&self, width: f64) -> f64 {
        (self.heights)(width).0
    }
}

impl fmt::Debug for PaneBlock<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Block")
            .field("least", &self.least)
            .field("weight", &self.weight)
            .finish_non_exhaustive()
    }
}

/// Whether groups of blocks are rows or columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Rows,
    Columns,
}

/// A width and a height for each block, and its row or column.
#[derive(Debug, Clone, PartialEq)]
pub struct Arrangement {
    /// Width of each block, in the order of the blocks.
    pub widths: Vec<f64>,
    /// Height of each block.
    pub heights: Vec<f64>,
    /// Number of blocks in each row or column.
    groups: Vec<usize>,
    direction: Direction,
    /// Sum of the logarithms of the areas of the plots, times the weights of their blocks.
    pub value: f64,
}

impl Arrangement {
    /// Returns left and top of each block, given the blocks' heights.
    ///
    /// A row is as high as its highest block, and a column as wide as its widest.
    pub fn corners(&self, gap: f64, heights: &[f64]) -> Vec<(f64, f64)> {
        let mut corners = Vec::with_capacity(heights.len());
        let (mut x, mut y) = (0.0, 0.0);
        for &count in &self.groups {
            let group = corners.len()..corners.len() + count;
            let highest = heights[group.clone()].iter().copied().fold(0.0, f64::max);
            let widest = self.widths[group.clone()]
                .iter()
                .copied()
                .fold(0.0, f64::max);
            for at in group {
                corners.push((x, y));
                match self.direction {
                    Direction::Rows => x += self.widths[at] + gap,
                    Direction::Columns => y += heights[at] + gap,
                }
            }
            match self.direction {
                Direction::Rows => (x, y) = (0.0, y + highest + gap),
                Direction::Columns => (x, y) = (x + widest + gap, 0.0),
            }
        }
        corners
    }
}

/// Returns the arrangement that maximises the product of the plots' areas, each to the power of its block's weight, and
/// prefers wide blocks by [`WIDTH_BONUS`]. `None` if nothing fits.
pub fn arrange(pane: &Pane, blocks: &[PaneBlock]) -> Option<Arrangement> {
    let rows = arrange_in(Direction::Rows, pane, blocks);
    let columns = arrange_in(Direction::Columns, pane, blocks);
    match (rows, columns) {
        (Some(rows), Some(columns)) if columns.value > rows.value + 1e-9 => Some(columns),
        (rows, columns) => rows.or(columns),
    }
}

/// A row or column of consecutive blocks: its share of the pane in steps, the width of its blocks, its height, and its
/// value.
#[derive(Clone, Copy)]
struct Group {
    steps: usize,
    width: f64,
    height: f64,
    value: f64,
}

/// The best way to reach a number of blocks within a number of steps: its value, the start of the last group, and that
/// group.
type Best = Option<(f64, usize, Group)>;

/// Divides the blocks into consecutive groups that together take at most [`STEPS`] steps, by dynamic programming.
fn arrange_in(direction: Direction, pane: &Pane, blocks: &[PaneBlock]) -> Option<Arrangement> {
    let count = blocks.len();
    let mut best: Vec<Vec<Best>> = vec![vec![None; STEPS + 1]; count + 1];
    let groups = |from: usize, to: usize| match direction {
        Direction::Rows => rows_of(pane, &blocks[from..to]),
        Direction::Columns => columns_of(pane, &blocks[from..to]),
    };
    for from in 0..count {
        for to in from + 1..=count {
            for group in groups(from, to) {
                for used in 0..=STEPS - group.steps {
                    let before = match (from, best[from][used]) {
                        (0, _) if used == 0 => 0.0,
                        (0, _) | (_, None) => continue,
                        (_, Some((value, ..))) => value,
                    };
                    let (value, place) = (before + group.value, &mut best[to][used + group.steps]);
                    if place.is_none_or(|(other, ..)| value > other) {
                        *place = Some((value, from, group));
                    }
                }
            }
        }
    }
    let ends = (0..=STEPS).filter_map(|used| Some((best[count][used]?.0, used)));
    let (value, mut used) = ends.fold(None, |best: Option<(f64, usize)>, end| match best {
        Some(best) if best.0 >= end.0 => Some(best),
        _ => Some(end),
    })?;
    let (mut widths, mut heights, mut sizes, mut to) = (Vec::new(), Vec::new(), Vec::new(), count);
    while to > 0 {
        let (_, from, group) = best[to][used]?;
        widths.extend(std::iter::repeat_n(group.width, to - from));
        let grouped = &blocks[from..to];
        let own = match direction {
            Direction::Rows => heights_in_row(grouped, group.width, group.height),
            Direction::Columns => heights_in_column(grouped, group.width, (group.height, pane.gap)),
        };
        heights.extend(own.into_iter().rev());
        sizes.push(to - from);
        (to, used) = (from, used - group.steps);
    }
    widths.reverse();
    heights.reverse();
    sizes.reverse();
    Some(Arrangement {
        widths,
        heights,
        groups: sizes,
        direction,
        value,
    })
}

/// Value of blocks of equal width.
fn value_of(blocks: &[PaneBlock], width: f64, heights: &[f64]) -> f64 {
    let areas = blocks.iter().zip(heights);
    let value = |(block, height): (&PaneBlock, &f64)| {
        let (across, along) = (block.margins)(width);
        let area = (width - across).max(1.0) * (height - along).max(1.0);
        block.weight * (area.ln() + WIDTH_BONUS * width.ln())
    };
    areas.map(value).sum()
}

fn all_readable(blocks: &[PaneBlock], width: f64) -> bool {
    width > 0.0 && blocks.iter().all(|block| width >= block.least)
}

/// Heights of blocks side by side in a row of this height.
fn heights_in_row(blocks: &[PaneBlock], width: f64, height: f64) -> Vec<f64> {
    let own = |block: &PaneBlock| {
        let (least, most) = (block.heights)(width);
        height.min(most).max(least)
    };
    blocks.iter().map(own).collect()
}

/// Heights of stacked blocks in a column of this height, with a gap between neighbours. Blocks whose height is free
/// share what the others leave.
fn heights_in_column(blocks: &[PaneBlock], width: f64, (height, gap): (f64, f64)) -> Vec<f64> {
    let limits: Vec<(f64, f64)> = blocks.iter().map(|block| (block.heights)(width)).collect();
    let mut heights: Vec<f64> = limits.iter().map(|(least, _)| *least).collect();
    let used = heights.iter().sum::<f64>() + gap * (blocks.len() as f64 - 1.0);
    let mut left = (height - used).max(0.0);
    // Blocks that reach their greatest height leave their share to the others.
    for _ in 0..blocks.len() {
        let growing = heights.iter().zip(&limits);
        let growing = growing.filter(|(height, (_, most))| *height < most).count();
        if growing == 0 || left < 1.0 {
            break;
        }
        let share = left / growing as f64;
        for (height, (_, most)) in heights.iter_mut().zip(&limits) {
            if *height < *most {
                let more = share.min(most - *height);
                *height += more;
                left -= more;
            }
        }
    }
    heights
}

/// Rows that these blocks can form, each block of the same width. A row takes steps of the pane's height.
fn rows_of(pane: &Pane, blocks: &[PaneBlock]) -> Vec<Group> {
    let count = blocks.len() as f64;
    let widest = (pane.width - (count - 1.0) * pane.gap) / count;
    let step = (pane.height + pane.gap) / STEPS as f64;
    let mut rows = Vec::new();
    for tried in 1..=STEPS {
        let width = (widest * tried as f64 / STEPS as f64).floor();
        if !all_readable(blocks, width) {
            continue;
        }
        let limits = blocks.iter().map(|block| (block.heights)(width));
        let (least, most) = limits.fold((0.0_f64, 0.0_f64), |all, own| {
            (all.0.max(own.0), all.1.max(own.1))
        });
        let steps_of = |height: f64| ((height + pane.gap) / step - 1e-9).ceil().max(1.0);
        let last = steps_of(most).min(STEPS as f64) as usize;
        let mut steps = steps_of(least) as usize;
        while steps <= STEPS {
            let height = (steps as f64 * step - pane.gap).max(least);
            let heights = heights_in_row(blocks, width, height);
            rows.push(Group {
                steps,
                width,
                height,
                value: value_of(blocks, width, &heights),
            });
            if steps >= last {
                break;
            }
            steps = (steps + STRIDE).min(last);
        }
    }
    rows
}

/// Columns that these stacked blocks can form. A column takes steps of the pane's width.
fn columns_of(pane: &Pane, blocks: &[PaneBlock]) -> Vec<Group> {
    let step = (pane.width + pane.gap) / STEPS as f64;
    let of_steps = |steps: usize| {
        let width = (steps as f64 * step - pane.gap).floor();
        if !all_readable(blocks, width) {
            return None;
        }
        let least = blocks
            .iter()
            .map(|block| block.least_height(width) + pane.gap);
        (least.sum::<f64>() - pane.gap <= pane.height).then(|| {
            let heights = heights_in_column(blocks, width, (pane.height, pane.gap));
            Group {
                steps,
                width,
                height: pane.height,
                value: value_of(blocks, width, &heights),
            }
        })
    };
    (1..=STEPS).filter_map(of_steps).collect()
}
