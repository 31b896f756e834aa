//! Models that are versions of one another, by their names.

/// Whether `next` is the name of the version after `name`: the names are equal but for `v1` in one and `v2` in the other,
/// or other numbers that follow one another. Case and punctuation do not matter: `ALBERT_base_v1`, `albert-base-v2`.
#[must_use]
pub fn is_next_version(name: &str, next: &str) -> bool {
    let parts = |name: &str| {
        let parts = name.split(|c: char| !c.is_alphanumeric());
        parts.map(str::to_ascii_lowercase).collect::<Vec<_>>()
    };
    let (name, next) = (parts(name), parts(next));
    if name.len() != next.len() {
        return false;
    }
    let mut others = name.iter().zip(&next).filter(|(one, other)| one != other);
    match (others.next(), others.next()) {
        (Some((one, other)), None) => {
            let numbers = version(one).zip(version(other));
            numbers.is_some_and(|(one, other)| one.checked_add(1) == Some(other))
        }
        _ => false,
    }
}

/// The number of a part such as `v2`.
fn version(part: &str) -> Option<u32> {
    part.strip_prefix('v')?.parse().ok()
}
