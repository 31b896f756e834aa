//! Notes on the breaks of a position table.

use crate::{
    math::{OffsetR2, Seam, TableBreaks, UntrainedTail},
    model::Note,
};

/// Title of the note on seams.
pub const SEAM_NOTE: &str = "Seam in the table";

/// Title of the note on rows that look never trained.
pub const UNTRAINED_ROWS_NOTE: &str = "Untrained rows";

/// R² of the rows before an untrained tail, and of all rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct TailR2 {
    pub(super) before: OffsetR2,
    pub(super) all: OffsetR2,
}

/// Notes on the breaks of a table of `rows` rows.
pub(super) fn table_notes(breaks: &TableBreaks, rows: usize, r2: Option<TailR2>) -> Vec<Note> {
    let tail = breaks.tail.as_ref();
    let untrained = tail.map(|tail| Note::new(UNTRAINED_ROWS_NOTE, tail_words(tail, rows, r2)));
    let seams = (!breaks.seams.is_empty()).then(|| {
        let words: Vec<String> = breaks.seams.iter().map(seam_words).collect();
        let mixed = "Numbers over all positions mix the two sides.";
        Note::new(SEAM_NOTE, format!("{} {mixed}", words.join(" ")))
    });
    untrained.into_iter().chain(seams).collect()
}

fn seam_words(seam: &Seam) -> String {
    let cosines: Vec<String> = seam.cosines.iter().map(|c| two_digits(*c)).collect();
    let cosines = match &cosines[..] {
        [one] => format!("their cosine is {one}"),
        [first @ .., last] => format!("their cosines are {} and {last}", first.join(", ")),
        [] => String::new(),
    };
    format!(
        "Between rows {} and {}, neighbours suddenly stop being alike: {cosines}. Before, a usual cosine is {}; behind, {}.",
        seam.last_before,
        seam.first_behind,
        two_digits(seam.before),
        two_digits(seam.behind)
    )
}

fn tail_words(tail: &UntrainedTail, rows: usize, r2: Option<TailR2>) -> String {
    let (first, last) = (tail.first, rows.saturating_sub(1));
    let looks = match tail.norm == 0.0 {
        true => format!("Rows {first} to {last} look never trained: all of them are zero."),
        false => format!(
            "Rows {first} to {last} look never trained: as in random numbers, their lengths are nearly equal and neighbours have a cosine of {} on average. Before, a usual cosine is {}.",
            two_digits(tail.cosine),
            two_digits(tail.cosine_before)
        ),
    };
    match r2 {
        Some(TailR2 { before, all })
            if before.missing_reason.is_none() && all.missing_reason.is_none() =>
        {
            format!(
                "{looks} R² of the first {first} rows is {:.3}, of all {rows} rows {:.3}. Without k = 0 it is {:.3} and {:.3}.",
                before.all, all.all, before.off_diagonal, all.off_diagonal
            )
        }
        _ => looks,
    }
}

/// A cosine with two digits behind the point, and no sign before 0.
fn two_digits(cosine: f64) -> String {
    let text = format!("{cosine:.2}");
    if text == "-0.00" {
        return "0.00".to_owned();
    }
    text.replace('-', "−")
}
