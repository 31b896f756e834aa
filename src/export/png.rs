//! What a saved PNG says besides its pixels.
//!
//! The pixels come from the browser, which compresses them by code of its own; only the chunks around them are put in
//! here.

use super::{Provenance, Sheet};
use img_parts::{
    Bytes,
    png::{Png, PngChunk},
};

/// The chunk of physical pixels, see the PNG specification, 11.3.4.3.
const PHYSICAL: [u8; 4] = *b"pHYs";
/// The chunk of international text, 11.3.3.4.
const TEXT: [u8; 4] = *b"iTXt";

/// A PNG file that says how large it is on paper and where it comes from; `None` of what is no PNG.
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
    // The header is the first chunk; these have their place between it and the pixels.
    let after_header = 1.min(png.chunks().len());
    png.chunks_mut().splice(
        after_header..after_header,
        [physical()].into_iter().chain(texts),
    );
    Some(png.encoder().bytes().to_vec())
}

/// Pixels to a metre, both ways.
fn physical() -> PngChunk {
    let per_metre = (Sheet::DOTS_PER_INCH / 0.0254).round() as u32;
    let mut contents = Vec::from(per_metre.to_be_bytes());
    contents.extend(per_metre.to_be_bytes());
    // The unit is the metre.
    contents.push(1);
    PngChunk::new(PHYSICAL, contents.into())
}

/// A keyword and a text in UTF-8, not compressed, in no language in particular.
fn international(keyword: &str, text: &str) -> PngChunk {
    let mut contents = Vec::from(keyword);
    // The end of the keyword, the flag and method of compression, the ends of a language and of a translated keyword.
    contents.extend([0; 5]);
    // A zero byte would end the text.
    contents.extend(text.replace('\0', "\u{fffd}").into_bytes());
    PngChunk::new(TEXT, contents.into())
}
