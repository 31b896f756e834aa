//! Metadata of a saved PNG.
//!
//! The browser encodes the pixels. This module only inserts chunks around them.

use super::{Provenance, Sheet};
use img_parts::{
    Bytes,
    png::{Png, PngChunk},
};

/// Type of the chunk for physical pixel size (PNG specification, 11.3.4.3).
const PHYSICAL: [u8; 4] = *b"pHYs";
/// Type of the chunk for international text (11.3.3.4).
const TEXT: [u8; 4] = *b"iTXt";

/// Adds the physical size and the provenance to a PNG file. Returns `None` if the bytes are not a PNG.
#[must_use]
pub fn with_metadata(file: Vec<u8>, provenance: &Provenance) -> Option<Vec<u8>> {
    let mut png = Png::from_bytes(Bytes::from(file)).ok()?;
    png.remove_chunks_by_type(PHYSICAL);
    let mut texts = vec![
        ("Title", provenance.title.clone()),
        ("Description", provenance.description.clone()),
        ("Software", Provenance::SOFTWARE.to_owned()),
        ("Source", provenance.source.clone()),
    ];
    texts.extend(
        provenance
            .hash_text()
            .map(|hash| ("Position table hash", hash)),
    );
    let texts = texts
        .iter()
        .map(|(keyword, text)| international(keyword, text));
    // The header must be the first chunk, and these must precede the pixels.
    let after_header = 1.min(png.chunks().len());
    png.chunks_mut().splice(
        after_header..after_header,
        [physical()].into_iter().chain(texts),
    );
    Some(png.encoder().bytes().to_vec())
}

/// The chunk with the pixels per metre in both directions.
fn physical() -> PngChunk {
    let per_metre = (Sheet::DOTS_PER_INCH / 0.0254).round() as u32;
    let mut contents = Vec::from(per_metre.to_be_bytes());
    contents.extend(per_metre.to_be_bytes());
    // 1 is the code of the metre.
    contents.push(1);
    PngChunk::new(PHYSICAL, contents.into())
}

/// A text chunk: keyword and uncompressed UTF-8 text without a language.
fn international(keyword: &str, text: &str) -> PngChunk {
    let mut contents = Vec::from(keyword);
    // Terminator of the keyword, compression flag, compression method, terminators of the language tag and of the
    // translated keyword.
    contents.extend([0; 5]);
    // A zero byte is not allowed in the text.
    contents.extend(text.replace('\0', "\u{fffd}").into_bytes());
    PngChunk::new(TEXT, contents.into())
}
