//! Checkpoints of one training run, put in order by what their names say.
//!
//! Trainers name what they save after the step: `checkpoint-1000` (transformers), `step143000` (Pythia),
//! `epoch=3-step=1200.ckpt` (Lightning), `iter-500`, `bert-100k-steps`, `model-00002000`. Steps are counted
//! as the name counts them: nothing here knows how many steps an epoch has.

/// Words before (or, joined by a dash, after) a step, the most telling first. Where a name has several,
/// the first in this list is believed.
const WORDS: [&[&str]; 3] = [
    &["step", "steps", "globalstep", "update", "updates"],
    &[
        "iteration",
        "iterations",
        "iter",
        "iters",
        "checkpoint",
        "ckpt",
    ],
    &["epoch", "epochs"],
];

/// A bare number counts as a step when it is padded to at least this many digits, as in `model-00002000`.
const PADDED: usize = 5;

/// The training step that a checkpoint's name carries, or its epoch where it carries no step.
///
/// The number may end in `k` or `m` for thousands and millions, then also with decimals (`1.5m`). A number
/// of a shard (`00001-of-00007`) is no step, and neither is a version or a year.
#[must_use]
pub fn step_of(name: &str) -> Option<u64> {
    let name = name.to_ascii_lowercase();
    let pieces = pieces(&name);
    let said = WORDS.iter().find_map(|words| {
        // The last mention wins: it is nearest to the file.
        (0..pieces.len())
            .rev()
            .find_map(|at| said_at(&pieces, at, words))
    });
    said.or_else(|| padded(&name))
}

/// Indices of the names that carry a step, by step; equal steps stay in the order of the names.
#[must_use]
pub fn in_order<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<(u64, usize)> {
    let mut ordered: Vec<(u64, usize)> = names
        .into_iter()
        .enumerate()
        .filter_map(|(at, name)| Some((step_of(name)?, at)))
        .collect();
    ordered.sort_unstable();
    ordered
}

/// Puts items into an order made by hand; those that were never moved come last, as they were.
pub fn sort_by_hand<T, K: PartialEq>(items: &mut [T], order: &[K], key: impl Fn(&T) -> K) {
    let place = |item: &T| {
        let key = key(item);
        order.iter().position(|other| *other == key)
    };
    items.sort_by_cached_key(|item| place(item).unwrap_or(usize::MAX));
}

/// The place of a step among the steps of snapshots in order, where it is the given one of those that have the same
/// step, from 0. Where no snapshot has it, the last one before it; the first where there is none.
#[must_use]
pub fn place_of_step(steps: &[u64], (step, which): (u64, usize)) -> usize {
    let first = steps.partition_point(|other| *other < step);
    let same = steps.partition_point(|other| *other <= step) - first;
    match same {
        0 => first.saturating_sub(1),
        _ => first + which.min(same - 1),
    }
}

/// What names the snapshot at a place, see [`place_of_step`]; nothing for the first, which is looked at where nothing is
/// said.
#[must_use]
pub fn step_at(steps: &[u64], place: usize) -> Option<(u64, usize)> {
    let step = *steps.get(place).filter(|_| place > 0)?;
    let first = steps.partition_point(|other| *other < step);
    Some((step, place - first))
}

/// A run of letters, or a number with its decimals and its unit.
struct NamePart<'a> {
    text: &'a str,
    is_number: bool,
    /// Begins right behind a letter, as the number of `v2` does.
    is_attached: bool,
}

/// Words and numbers of a name in lower case.
fn pieces(name: &str) -> Vec<NamePart<'_>> {
    let bytes = name.as_bytes();
    let letter = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_lowercase);
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut pieces: Vec<NamePart<'_>> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let is_number = digit(at);
        at += 1;
        if is_number {
            while digit(at) || bytes.get(at) == Some(&b'.') && digit(at + 1) {
                at += 1;
            }
            if matches!(bytes.get(at), Some(b'k' | b'm')) && !letter(at + 1) {
                at += 1;
            }
        } else if letter(start) {
            while letter(at) {
                at += 1;
            }
        } else {
            continue;
        }
        pieces.push(NamePart {
            text: &name[start..at],
            is_number,
            is_attached: start.checked_sub(1).is_some_and(letter),
        });
    }
    pieces
}

/// The number beside a word of a list: behind it, or before it.
fn said_at(pieces: &[NamePart<'_>], at: usize, words: &[&str]) -> Option<u64> {
    let word = pieces[at].text;
    if words.contains(&word)
        && let Some(next) = pieces.get(at + 1).filter(|next| next.is_number)
    {
        return counted(next.text);
    }
    // A checkpoint's number stands behind it: the number before is often that of a version.
    if words.contains(&"checkpoint") {
        return None;
    }
    let before = pieces[..at]
        .last()
        .filter(|before| before.is_number && !before.is_attached)?
        .text;
    if words.contains(&word) {
        return counted(before);
    }
    // `100ksteps`: the unit has run into the word.
    let unit = word.get(..1).filter(|unit| ["k", "m"].contains(unit))?;
    words
        .contains(&&word[1..])
        .then(|| counted(&format!("{before}{unit}")))?
}

/// A number with its unit; none where it is too large for any training run.
fn counted(number: &str) -> Option<u64> {
    let (number, zeros) = match (number.strip_suffix('k'), number.strip_suffix('m')) {
        (Some(number), _) => (number, 3),
        (_, Some(number)) => (number, 6),
        _ => (number, 0),
    };
    let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
    let mut count: u64 = whole.parse().ok()?;
    let mut decimals = decimals.bytes().take_while(u8::is_ascii_digit);
    for _ in 0..zeros {
        let digit = decimals.next().map_or(0, |digit| u64::from(digit - b'0'));
        count = count.checked_mul(10)?.checked_add(digit)?;
    }
    Some(count)
}

/// A number that is padded with zeros and not one of a shard's.
fn padded(name: &str) -> Option<u64> {
    if name.contains("-of-") {
        return None;
    }
    name.split(|c: char| !c.is_ascii_digit())
        .rfind(|digits| digits.len() >= PADDED && digits.starts_with('0'))?
        .parse()
        .ok()
}
