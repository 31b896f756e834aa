//! f(k) as a plot: the sum of the kernels, each kernel with a handle at its peak, and a head's profile.

use super::{Axis, Column, Handle, Ink, Plot, Series, Table};
use crate::{
    analysis::{HeadId, KernelPicture},
    math::{AttentionMask, Profile},
};

/// Values below this share of f's range are less than a pixel high.
const NEXT_TO_NOTHING: f64 = 0.003;

/// Column of the head's profile.
const HEAD_COLUMN: &str = "head_profile";

/// The head whose profile is drawn with f.
#[derive(Debug, Clone, Copy)]
pub struct HeadGuide<'a> {
    /// Layer and head.
    pub of: HeadId,
    /// Its score by offset.
    pub profile: &'a Profile,
    /// The cells that count. With a causal mask, offsets after the query are omitted.
    pub cells: AttentionMask,
}

/// Plots f over a range of offsets. `values` fixes the range of the value axis, which otherwise follows from the lines.
///
/// With a causal mask no query attends to an offset k > 0, so the lines are muted and thin there, and handles hollow.
#[must_use]
pub fn kernel_function(
    picture: &KernelPicture,
    head: Option<HeadGuide<'_>>,
    cells: AttentionMask,
    range: (f64, f64),
    values: Option<(f64, f64)>,
) -> Plot {
    let (f, kernels) = (picture.f.profile(), &picture.kernels.0);
    let sum = Series::from_profile("f", f).width(2.2).in_legend();
    let each = kernels.iter().enumerate().map(|(at, kernel)| {
        let alone = f.map(|k, _| kernel.at(k as f64));
        Series::from_profile(format!("kernel_{}", at + 1), &alone)
            .ink(Ink::Category(at))
            .with_dashes(kernel.is_muted)
    });
    let guide = head.map(|head| guide(head, f, range.1 as i64));
    let each: Vec<Series> = each.collect();
    let table = table(&sum, &each, guide.as_ref());
    let level = NEXT_TO_NOTHING * f.span(AttentionMask::Whole);
    let each = each.into_iter().map(|kernel| off_the_axis(kernel, level));
    let is_attended = |k: f64| cells == AttentionMask::Whole || k <= 0.0;
    let handles = kernels.iter().enumerate().map(|(at, kernel)| Handle {
        k: kernel.c,
        value: kernel.a,
        ink: if is_attended(kernel.c) {
            Ink::Category(at)
        } else {
            Ink::Muted
        },
        hollow: kernel.is_muted || !is_attended(kernel.c),
    });
    let (attended, ahead): (Vec<Series>, Vec<Option<Series>>) = [sum]
        .into_iter()
        .chain(each)
        .map(|line| match cells {
            AttentionMask::Whole => (line, None),
            AttentionMask::Causal => split_at_query(line),
        })
        .unzip();
    let lines = Plot::over(Axis::Offset)
        .vertical("f(k)")
        .with_table(table)
        .series((attended.into_iter().chain(guide)).chain(ahead.into_iter().flatten()))
        .handles(handles)
        .horizontal_range(range)
        .aspect(0.14)
        .with_summary("f and its kernels by offset.");
    let values = values.unwrap_or_else(|| values_with_handles(&lines));
    lines.values(values)
}

/// Splits a line after k = 0 into the part that a causal model attends to, and the muted rest.
fn split_at_query(mut line: Series) -> (Series, Option<Series>) {
    let end = (1 - line.first).clamp(0, line.values.len() as i64) as usize;
    // The rest begins at k = 0, where the lines meet.
    let rest = line.values[end.saturating_sub(1)..].to_vec();
    line.values.truncate(end);
    let first = line.first + end.saturating_sub(1) as i64;
    let rest = Series::new(line.name.clone(), first, rest)
        .ink(Ink::Muted)
        .with_dashes(line.is_dashed);
    (line, Some(rest))
}

/// Hides the parts of a kernel that lie on the axis, except next to visible parts, so that its line still meets the
/// axis. A coloured line along the axis would suggest a value.
fn off_the_axis(mut kernel: Series, level: f64) -> Series {
    let is_something: Vec<bool> = (kernel.values.iter())
        .map(|value| value.abs() >= level)
        .collect();
    for (at, value) in kernel.values.iter_mut().enumerate() {
        let around = at.saturating_sub(1)..(at + 2).min(is_something.len());
        if !is_something[around].contains(&true) {
            *value = f64::NAN;
        }
    }
    kernel
}

/// A head's profile, shifted to the mean of f. Softmax is invariant to the shift.
fn guide(head: HeadGuide<'_>, f: &Profile, reach: i64) -> Series {
    let ahead = match head.cells {
        AttentionMask::Whole => head.profile.n() as i64 - 1,
        AttentionMask::Causal => 0,
    };
    let (mut sum, mut count) = (0.0, 0.0);
    for k in -reach..=reach.min(ahead) {
        if let (Some(head), Some(f)) = (head.profile.at(k), f.at(k)) {
            sum += f - head;
            count += 1.0;
        }
    }
    let shift = if count > 0.0 { sum / count } else { 0.0 };
    let name = format!(
        "layer {}, head {} (vertically shifted)",
        head.of.layer + 1,
        head.of.head + 1
    );
    let first = head.profile.first();
    let counted = head.profile.iter().take((ahead - first + 1) as usize);
    Series::new(name, first, counted.map(|value| value + shift).collect())
        .ink(Ink::Muted)
        .with_dashes(true)
        .in_legend()
}

/// The range of the value axis that shows the lines, the handles and zero.
fn values_with_handles(lines: &Plot) -> (f64, f64) {
    let (low, high) = lines.natural_y_range();
    let values = lines.handles.iter().map(|handle| handle.value).chain([0.0]);
    let (low, high) = values.fold((low, high), |(low, high), v| (low.min(v), high.max(v)));
    let room = 0.04 * (high - low);
    (low - room, high + room)
}

/// One row for each offset of f: the offset, f, each kernel, the head.
fn table(sum: &Series, each: &[Series], guide: Option<&Series>) -> Table {
    let offsets = sum.first..sum.first + sum.values.len() as i64;
    let table = Table::new()
        .with("offset", offsets.clone().collect())
        .with("f", Column::Number(sum.values.clone()));
    let table = each.iter().fold(table, |table, kernel| {
        table.with(&kernel.name, Column::Number(kernel.values.clone()))
    });
    match guide {
        Some(guide) => {
            let values = offsets.map(|k| guide.at(k).unwrap_or(f64::NAN));
            table.with(HEAD_COLUMN, values.collect())
        }
        None => table,
    }
}
