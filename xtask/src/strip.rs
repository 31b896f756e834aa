//! Removes from a WebAssembly module what only a debugger reads.
//!
//! The names of functions weigh as much as the code of a page whose types are long. wasm-bindgen needs
//! custom sections and has read them by now; a browser needs none.

use std::fs;
use std::path::Path;

use crate::Result;

const HEADER: usize = 8;
const CUSTOM: u8 = 0;

/// Rewrites a file without its custom sections.
pub fn strip(path: &Path) -> Result {
    let module = fs::read(path)?;
    let stripped = without_custom_sections(&module)
        .ok_or_else(|| format!("{} is no WebAssembly module", path.display()))?;
    Ok(fs::write(path, stripped)?)
}

/// A module is a header and sections: a byte that says which, a length, and that many bytes.
fn without_custom_sections(module: &[u8]) -> Option<Vec<u8>> {
    let mut kept = module
        .get(..HEADER)
        .filter(|header| header.starts_with(b"\0asm"))?
        .to_vec();
    let mut at = HEADER;
    while at < module.len() {
        let (length, bytes) = leb128(module.get(at + 1..)?)?;
        let end = (at + 1 + bytes).checked_add(length)?;
        let section = module.get(at..end)?;
        if section[0] != CUSTOM {
            kept.extend_from_slice(section);
        }
        at = end;
    }
    Some(kept)
}

/// An unsigned number of variable length, and how many bytes it took.
fn leb128(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = 0;
    for (index, byte) in bytes.iter().take(5).enumerate() {
        value |= usize::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            return Some((value, index + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_custom_sections_go() {
        let header = b"\0asm\x01\0\0\0".as_slice();
        let types = [1, 3, 9, 9, 9].as_slice();
        // 200 bytes: a length of two bytes.
        let names = [[0, 0xc8, 1].as_slice(), &[7; 200]].concat();
        let module = [header, &names, types, &names].concat();
        assert_eq!(
            without_custom_sections(&module),
            Some([header, types].concat())
        );
    }

    #[test]
    fn what_is_no_module_is_refused() {
        assert_eq!(without_custom_sections(b"<!doctype html>"), None);
        assert_eq!(without_custom_sections(b"\0asm\x01\0\0\0\x01\x05\0"), None);
    }
}
