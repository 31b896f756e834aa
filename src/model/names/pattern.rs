//! Patterns of tensor names, such as `layers.{}.ln1.*`.

/// Maximum number of numbers in a pattern.
const MOST_NUMBERS: usize = 4;

/// Numbers that the placeholders of a pattern stand for, in order, and the last part of a name where it ends in `*`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Placeholders<'a> {
    numbers: [usize; MOST_NUMBERS],
    count: usize,
    last: &'a str,
}

/// Compares a name with a pattern. `None` if they differ.
///
/// `{}` is any number. `{2}` is an even number n and stands for n/2, `{2+1}` is an odd one and stands for (n − 1)/2. A
/// final `*` is the last part of the name.
pub(super) fn find<'a>(pattern: &str, name: &'a str) -> Option<Placeholders<'a>> {
    let mut placeholders = Placeholders::default();
    let mut parts = name.split('.');
    let mut patterns = pattern.split('.').peekable();
    while let Some(pattern) = patterns.next() {
        let part = parts.next()?;
        if pattern == "*" && patterns.peek().is_none() {
            placeholders.last = part;
        } else if let Some((before, rest)) = pattern.split_once('{') {
            let (kind, after) = rest.split_once('}')?;
            let digits = part.strip_prefix(before)?.strip_suffix(after)?;
            let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            let number: usize = digits.parse().ok().filter(|_| is_number)?;
            let number = match (kind, number % 2) {
                ("", _) => number,
                ("2", 0) | ("2+1", 1) => number / 2,
                _ => return None,
            };
            *placeholders.numbers.get_mut(placeholders.count)? = number;
            placeholders.count += 1;
        } else if pattern != part {
            return None;
        }
    }
    parts.next().is_none().then_some(placeholders)
}

/// Fills the placeholders of a pattern.
pub(super) fn fill(pattern: &str, placeholders: &Placeholders<'_>) -> String {
    let mut numbers = placeholders.numbers.iter();
    let mut name = String::new();
    for (at, part) in pattern.split("{}").enumerate() {
        if at > 0 {
            name.push_str(&numbers.next().map_or_else(String::new, usize::to_string));
        }
        name.push_str(part);
    }
    match name.strip_suffix('*') {
        Some(stem) => format!("{stem}{}", placeholders.last),
        None => name,
    }
}
