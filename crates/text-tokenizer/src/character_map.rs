//! Checks of a SentencePiece map of characters.
//!
//! The library searches the map without looking at its ends, so that a damaged map would stop the program. The map is
//! the length of a search tree in bytes, the tree in units of four bytes, and the replacements, each with a zero at its
//! end. From a unit, a byte leads to the unit at an offset; that unit has the byte as its label. A unit with a leaf has
//! the place of its replacement at its own offset.

use std::collections::HashSet;

/// A unit of the tree.
#[derive(Clone, Copy)]
struct Unit(u32);

impl Unit {
    fn has_leaf(self) -> bool {
        self.0 >> 8 & 1 == 1
    }

    fn value(self) -> usize {
        (self.0 & 0x7fff_ffff) as usize
    }

    fn label(self) -> u32 {
        self.0 & 0x8000_00ff
    }

    fn offset(self) -> usize {
        ((self.0 >> 10) << ((self.0 & 1 << 9) >> 6)) as usize
    }
}

/// Greatest size of a map in bytes: that of all of Unicode's compatible characters has 0.3 MB.
const MOST_BYTES: usize = 4 << 20;

/// Checks that every search ends inside the map. The error ends a sentence about its file.
pub(crate) fn check(map: &[u8]) -> Result<(), &'static str> {
    let damaged = "its map of characters is damaged";
    if map.len() > MOST_BYTES {
        return Err("its map of characters has more than 4 MB");
    }
    let (length, rest) = map.split_first_chunk().ok_or(damaged)?;
    let length = u32::from_le_bytes(*length) as usize;
    let (tree, replacements) = rest.split_at_checked(length / 4 * 4).ok_or(damaged)?;
    let replacements = std::str::from_utf8(replacements).map_err(|_error| damaged)?;
    let (units, _) = tree.as_chunks();
    let units: Vec<Unit> = units
        .iter()
        .map(|unit| Unit(u32::from_le_bytes(*unit)))
        .collect();
    let root = units.first().ok_or(damaged)?;
    let mut seen = HashSet::new();
    let mut open = vec![root.offset()];
    while let Some(base) = open.pop() {
        if !seen.insert(base) {
            continue;
        }
        for byte in 1..=u32::from(u8::MAX) {
            let at = base ^ byte as usize;
            let unit = *units.get(at).ok_or(damaged)?;
            if unit.label() != byte {
                continue;
            }
            let next = at ^ unit.offset();
            if unit.has_leaf() {
                let place = units.get(next).ok_or(damaged)?.value();
                if !replacements.is_char_boundary(place) {
                    return Err(damaged);
                }
            }
            open.push(next);
        }
    }
    Ok(())
}
