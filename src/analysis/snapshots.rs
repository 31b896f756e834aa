//! Training steps in the names of checkpoints.
//!
//! Trainers name checkpoints after the step: `checkpoint-1000` (transformers), `step143000` (Pythia),
//! `epoch=3-step=1200.ckpt` (Lightning), `iter-500`, `bert-100k-steps`, `model-00002000`. Steps and epochs are taken as
//! they are in the name, since the number of steps per epoch is unknown.

/// Words before (or, joined by a dash, after) a step, the most specific first. If a name has several, the first in this
/// list counts.
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

/// Minimum number of digits of a bare zero-padded number that counts as a step, as in `model-00002000`.
const LEAST_PADDED_DIGITS: usize = 5;

/// The training step in a checkpoint's name, or its epoch if it contains no step.
///
/// The number may end in `k` or `m` for thousands and millions, then also with decimals (`1.5m`). The number of a shard
/// (`00001-of-00007`), of a version or of a year is not a step.
#[must_use]
pub fn step_of(name: &str) -> Option<u64> {
    let name = name.to_ascii_lowercase();
    let pieces = pieces(&name);
    let step = WORDS.iter().find_map(|words| {
        // The last mention counts: it is nearest to the file.
        (0..pieces.len())
            .rev()
            .find_map(|at| said_at(&pieces, at, words))
    });
    step.or_else(|| padded_number(&name))
}

/// A run of letters, or a number with its decimals and its unit.
struct NamePart<'a> {
    text: &'a str,
    is_number: bool,
    /// Whether it directly follows a letter, as the number of `v2` does.
    is_attached: bool,
}

/// Words and numbers of a lowercase name.
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

/// The number after a word of the list, or before it.
fn said_at(pieces: &[NamePart<'_>], at: usize, words: &[&str]) -> Option<u64> {
    let word = pieces[at].text;
    if words.contains(&word)
        && let Some(next) = pieces.get(at + 1).filter(|next| next.is_number)
    {
        return parse_count(next.text);
    }
    // The number of a `checkpoint` follows the word; a number before it is often a version.
    if words.contains(&"checkpoint") {
        return None;
    }
    let before = pieces[..at]
        .last()
        .filter(|before| before.is_number && !before.is_attached)?
        .text;
    if words.contains(&word) {
        return parse_count(before);
    }
    // `100ksteps`: the unit is joined to the word.
    let unit = word.get(..1).filter(|unit| ["k", "m"].contains(unit))?;
    words
        .contains(&&word[1..])
        .then(|| parse_count(&format!("{before}{unit}")))?
}

/// Value of a number with its unit; `None` if it overflows.
fn parse_count(number: &str) -> Option<u64> {
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

/// The last zero-padded number of a name, unless the name is that of a shard.
fn padded_number(name: &str) -> Option<u64> {
    if name.contains("-of-") {
        return None;
    }
    name.split(|c: char| !c.is_ascii_digit())
        .rfind(|digits| digits.len() >= LEAST_PADDED_DIGITS && digits.starts_with('0'))?
        .parse()
        .ok()
}
