//! Special rows of a table (padding, class and other tokens), and the grid of the remaining rows.

use super::{Correction, Leading, Note, TokenRows};
use crate::{checkpoint::Weights, math::Grid};

/// Maximum ratio of an image's sides, if the arrangement of the patches is not configured.
const LONGEST: usize = 4;
/// Minimum gain in R² for another number of tokens to replace the first.
const BETTER: f64 = 0.05;
/// Maximum number of patches whose arrangement is inferred from the table.
const MOST_PATCHES: u64 = 4096;

/// Which rows of a table are special, and the grid of the others.
#[derive(Debug, Default)]
pub(super) struct CountedRows {
    /// Number of dropped rows at the beginning.
    pub(super) dropped_rows: u64,
    /// Number of dropped rows at the end.
    pub(super) trailing_rows: u64,
    /// Rows and columns of the patches, if the remaining rows are patches of an image.
    pub(super) grid: Option<Grid>,
    /// Possible grids of the patches, if none is configured.
    pub(super) possible: Vec<Grid>,
    /// Notes on these decisions.
    pub(super) notes: Vec<Note>,
}

/// Number of token rows in a table, from the tensors of the tokens.
#[derive(Debug, Default)]
pub(super) struct TokenCounts {
    /// Possible numbers of leading rows, the usual one first; empty if no tensor determines it.
    first: Vec<u64>,
    /// Number of rows at the end.
    last: u64,
}

/// Counts the tokens of a table with rows of `width` numbers. A tensor in a missing shard counts as one token.
pub(super) async fn count_tokens<W: Weights>(
    checkpoint: &W,
    leading: &Leading,
    width: usize,
) -> TokenCounts {
    let Leading::Tokens(tokens) = leading else {
        return TokenCounts::default();
    };
    let count = async |names: &[String]| {
        let mut count = 0;
        for name in names {
            let tensor = checkpoint.locate(name).await;
            let numbers = tensor.map_or(1, |tensor| {
                let product = tensor
                    .shape
                    .iter()
                    .try_fold(1_u64, |n, side| n.checked_mul(*side));
                product.unwrap_or(1)
            });
            count += (numbers / width.max(1) as u64).clamp(1, MOST_PATCHES);
        }
        count
    };
    // Class and distillation tensors hold one token each, so they need not be located.
    let first = tokens.first.len() as u64;
    let registers = count(&tokens.registers).await;
    let mut possible = Vec::new();
    if first + registers > 0 {
        for number in [first, first + registers, 0] {
            if number >= tokens.least && !possible.contains(&number) {
                possible.push(number);
            }
        }
    }
    TokenCounts {
        first: possible,
        last: count(&tokens.last).await,
    }
}

/// Decides which of the `rows` rows of a table are dropped; without `drop` none are. `explained` returns the
/// two-dimensional R² of the patches after a given number of leading rows.
pub(super) fn decide(
    leading: &Leading,
    rows: u64,
    drop: bool,
    counts: &TokenCounts,
    chosen: Option<(u32, u32)>,
    explained: impl Fn(u64, Grid) -> f64,
) -> CountedRows {
    match leading {
        Leading::None => CountedRows::default(),
        Leading::Offset { rows, reason } => CountedRows {
            dropped_rows: if drop { *rows } else { 0 },
            notes: rows_note([*rows, 0], reason, drop).into_iter().collect(),
            ..CountedRows::default()
        },
        Leading::Chosen { first, last } => of_choice(rows, [*first, *last], chosen),
        Leading::Tokens(tokens) => {
            // Token rows at the end that cover the whole table would leave no image.
            let last = Some(counts.last).filter(|last| *last < rows).unwrap_or(0);
            let patch_rows = patches(tokens, rows - last, counts, chosen, explained);
            of_tokens(tokens, rows, last, patch_rows, drop)
        }
    }
}

/// The rows and the grid that the user chose.
fn of_choice(rows: u64, [first, last]: [u64; 2], chosen: Option<(u32, u32)>) -> CountedRows {
    let rest = rows.saturating_sub(first).saturating_sub(last);
    let grid = chosen.map(|(height, width)| Grid {
        height: height as usize,
        width: width as usize,
    });
    let fits = |grid: &Grid| grid.cells() as u64 == rest;
    let mut notes = Vec::new();
    if first + last > 0 {
        let text = format!(
            "You left out {first} at the beginning and {last} at the end; the other {rest} rows are positions."
        );
        notes.push(Note::new("Rows left out", text));
    }
    if let Some(Grid { height, width }) = grid.filter(|grid| !fits(grid)) {
        let text = format!(
            "You chose {height} × {width} patches, which are {}, but {rest} rows are positions. They are shown in one line.",
            height.saturating_mul(width)
        );
        notes.push(Note::new("Grid", text));
    }
    CountedRows {
        dropped_rows: first,
        trailing_rows: last,
        grid: grid.filter(fits),
        possible: shapes(rest),
        notes,
    }
}

/// Origin of an image's grid.
#[derive(Clone, Copy, Debug, PartialEq)]
enum GridEvidence {
    Configured,
    Chosen,
    /// The patches form a square, as in most models.
    Square,
    /// The grid with the greatest two-dimensional R², which it holds.
    Explains(f64),
}

/// Number of leading token rows, and the grid of the patches after them.
type Patches = (u64, Option<(Grid, GridEvidence)>);

/// Finds the number of leading token rows and the grid of the other rows.
fn patches(
    tokens: &TokenRows,
    rows: u64,
    counts: &TokenCounts,
    chosen: Option<(u32, u32)>,
    explained: impl Fn(u64, Grid) -> f64,
) -> Patches {
    let assumed = tokens.least..=tokens.most;
    let named = &counts.first;
    let any = || named.iter().copied().chain(assumed.clone());
    let of_sides = |(height, width): (u32, u32)| {
        let grid = Grid {
            height: height as usize,
            width: width as usize,
        };
        let fits = |count: &u64| (grid.cells() as u64).checked_add(*count) == Some(rows);
        Some((any().find(fits)?, grid))
    };
    let with_evidence = |evidence| move |(count, grid)| (count, Some((grid, evidence)));
    let stated = [
        (chosen, GridEvidence::Chosen),
        (tokens.patches, GridEvidence::Configured),
    ];
    for (sides, evidence) in stated {
        if let Some(of_sides) = sides.and_then(of_sides) {
            return with_evidence(evidence)(of_sides);
        }
    }
    // Images of another size than configured have another number of patches; nearly all are square.
    let counted: Vec<u64> = if named.is_empty() {
        assumed.collect()
    } else {
        named.clone()
    };
    let square = counted.iter().find_map(|count| {
        let rest = usize::try_from(rows.checked_sub(*count)?).ok()?;
        Some((*count, Grid::square(rest).filter(|grid| grid.width > 1)?))
    });
    if let Some(square) = square {
        return with_evidence(GridEvidence::Square)(square);
    }
    // If no token tensor exists, at most one token row is considered.
    let looked = if named.is_empty() { 2 } else { counted.len() };
    let mut best: Option<(u64, Grid, f64)> = None;
    for count in counted.iter().copied().take(looked) {
        for grid in shapes(rows.saturating_sub(count)) {
            if grid.height.max(grid.width) > LONGEST * grid.height.min(grid.width) {
                continue;
            }
            let r2 = explained(count, grid);
            let needed = best.map_or(
                0.0,
                |(other, _, r2)| {
                    if other == count { r2 } else { r2 + BETTER }
                },
            );
            if r2 > needed {
                best = Some((count, grid, r2));
            }
        }
    }
    match best {
        Some((count, grid, r2)) => (count, Some((grid, GridEvidence::Explains(r2)))),
        None => (counted.first().copied().unwrap_or(tokens.least), None),
    }
}

/// All grids of `patches` patches with at least two rows and two columns, those closest to a square first.
fn shapes(patches: u64) -> Vec<Grid> {
    let Some(cells) = usize::try_from(patches)
        .ok()
        .filter(|_| patches <= MOST_PATCHES)
    else {
        return Vec::new();
    };
    let pairs = (2..=cells.isqrt())
        .rev()
        .filter(|side| cells.is_multiple_of(*side));
    let both = |side: usize| {
        let (height, width) = (cells / side, side);
        let upright = Grid { height, width };
        let lying = Grid {
            height: width,
            width: height,
        };
        [Some(upright), Some(lying).filter(|lying| *lying != upright)]
    };
    pairs.flat_map(both).flatten().collect()
}

fn of_tokens(
    tokens: &TokenRows,
    rows: u64,
    last: u64,
    (first, shape): Patches,
    drop: bool,
) -> CountedRows {
    let rest = rows.saturating_sub(first + last);
    let is_configured = matches!(shape, Some((_, GridEvidence::Configured)));
    let possible = if is_configured {
        Vec::new()
    } else {
        shapes(rest)
    };
    let owners = match first {
        0 => String::new(),
        1 => "The first belongs to the class token. ".to_owned(),
        2 if !tokens.registers.is_empty() => {
            "The first 2 belong to tokens that are no patches. ".to_owned()
        }
        2 => "The first 2 belong to the class token and the distillation token. ".to_owned(),
        _ => format!("The first {first} belong to tokens that are no patches. "),
    };
    let detection = match last {
        0 => String::new(),
        1 => "The last belongs to a token that detects objects. ".to_owned(),
        _ => format!("The last {last} belong to the tokens that detect objects. "),
    };
    let others = match shape {
        Some((Grid { height, width }, _)) => {
            format!("The others are {height} × {width} patches, row by row.")
        }
        None if rest == 1 => "The other is a patch.".to_owned(),
        None => format!("The others are {rest} patches."),
    };
    let reason = format!("{owners}{detection}{others}");
    let mut notes: Vec<_> = rows_note([first, last], &reason, drop)
        .into_iter()
        .collect();
    // If token rows stay in the table, the positions have no grid.
    let is_cut = drop || first + last == 0;
    let text = match shape {
        _ if !is_cut => None,
        Some((Grid { height, width }, GridEvidence::Explains(r2))) => Some(format!(
            "No configuration says how many rows and columns the {rest} patches have. They are taken to be {height} × \
             {width}: of all shapes that are no longer than {LONGEST} to 1, (Δy, Δx) explains most of P with this one \
             (R² {r2:.4}). Another one can be chosen."
        )),
        Some((Grid { height, width }, GridEvidence::Chosen)) => Some(format!(
            "The {rest} patches are in {height} rows of {width}, as you chose."
        )),
        None if !possible.is_empty() => Some(format!(
            "No configuration says how many rows and columns the {rest} patches have, so they are shown as one line. \
             Choose their shape."
        )),
        _ => None,
    };
    notes.extend(text.map(|text| Note::new("Shape of the image", text)));
    CountedRows {
        dropped_rows: if drop { first } else { 0 },
        trailing_rows: if drop { last } else { 0 },
        grid: shape.map(|(grid, _)| grid).filter(|_| is_cut),
        possible: if is_cut { possible } else { Vec::new() },
        notes,
    }
}

/// Note on dropped or kept rows at the beginning and at the end.
fn rows_note([first, last]: [u64; 2], reason: &str, drop: bool) -> Option<Note> {
    if first + last == 0 {
        return None;
    }
    let rows = |count: u64| if count == 1 { "row" } else { "rows" };
    let which = match (first, last) {
        (first, 0) => format!("The first {first} {}", rows(first)),
        (0, last) => format!("The last {last} {}", rows(last)),
        (first, last) => format!("The first {first} and the last {last} {}", rows(last)),
    };
    let are = if first + last == 1 { "is" } else { "are" };
    let do_not = if first + last == 1 {
        "does not"
    } else {
        "do not"
    };
    let sentence = if drop {
        format!("{which} of the table {are} left out.")
    } else {
        format!("{which} of the table {do_not} encode a position, and {are} shown anyway.")
    };
    let note = Note::new("Rows left out", format!("{sentence} {reason}"));
    Some(note.with_switch(Correction::LeadingRows, drop))
}
