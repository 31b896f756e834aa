//! Leading rows of a table that stand for no position: which they are, and what is left.

use super::{Correction, Leading, Note};
use crate::math::Grid;

/// A table's rows told apart.
#[derive(Debug)]
pub(super) struct CountedRows {
    /// Leading rows left out.
    pub(super) dropped: u64,
    /// Rows and columns of an image's patches, where the rest are that.
    pub(super) grid: Option<Grid>,
    /// What should be said.
    pub(super) note: Option<Note>,
}

/// Decides what becomes of the leading rows of a table of `rows` rows. With `drop` off they stay.
pub(super) fn decide(leading: &Leading, rows: u64, drop: bool) -> CountedRows {
    let (count, reason, grid) = match leading {
        Leading::None => (0, String::new(), None),
        Leading::Offset { rows, reason } => (*rows, reason.clone(), None),
        Leading::Tokens {
            patches,
            least,
            most,
        } => tokens(rows, *patches, *least, *most),
    };
    let note = (count > 0).then(|| {
        let (plural, verb) = if count == 1 { ("row", "is") } else { ("rows", "are") };
        let done = if drop {
            format!("The first {count} {plural} of the table {verb} left out.")
        } else {
            format!("The first {count} {plural} of the table stand for no position, and {verb} shown all the same.")
        };
        Note::new("Rows left out", format!("{done} {reason}"))
            .with_switch(Correction::LeadingRows, drop)
    });
    CountedRows {
        dropped: if drop { count } else { 0 },
        grid: grid.filter(|_| drop || count == 0),
        note,
    }
}

/// The fewest leading rows without which the rest are the patches of an image: tokens of a class, of
/// distillation, registers.
fn tokens(
    rows: u64,
    patches: Option<(u32, u32)>,
    least: u64,
    most: u64,
) -> (u64, String, Option<Grid>) {
    let configured = (least..=most).find_map(|count| {
        let (height, width) = patches?;
        let fits = u64::from(height) * u64::from(width) + count == rows;
        let grid = Grid {
            height: height as usize,
            width: width as usize,
        };
        fits.then_some((count, grid))
    });
    // Images of another size than configured have another number of patches; square they are nearly always.
    let square = || {
        (least..=most).find_map(|count| {
            let rest = rows.checked_sub(count)?;
            let side = rest.isqrt();
            let side = usize::try_from(side).ok()?;
            let grid = Grid {
                height: side,
                width: side,
            };
            (side > 1 && grid.cells() as u64 == rest).then_some((count, grid))
        })
    };
    let found = configured.or_else(square);
    let count = found.map_or(least, |(count, _)| count);
    let owners = match count {
        1 => "It belongs to the class token".to_owned(),
        2 => "They belong to the class token and the distillation token".to_owned(),
        _ => format!("They belong to {count} tokens that are no patches"),
    };
    let rest = found.map(|(_, Grid { height, width })| {
        format!("; the others are {height} × {width} patches, row by row")
    });
    let reason = format!("{owners}{}.", rest.unwrap_or_default());
    (count, reason, found.map(|(_, grid)| grid))
}
