//! The name of the page and its sentence.
//!
//! The build makes the header of `index.html` of them, too (`xtask/src/still_header.rs`), so this file uses nothing of
//! the page.

/// The name and its mark, as HTML.
pub const BRAND: &str = concat!(
    r#"<svg class="mark" viewBox="0 0 16 16" aria-hidden="true">"#,
    r#"<path class="mark-b" d="M4 0h4v4H4zM8 4h4v4H8zM12 8h4v4h-4zM0 4h4v4H0zM4 8h4v4H4zM8 12h4v4H8z"/>"#,
    r#"<path class="mark-a" d="M0 0h4v4H0zM4 4h4v4H4zM8 8h4v4H8zM12 12h4v4h-4z"/>"#,
    "</svg>Diagonal"
);

/// The sentence beside it.
pub const TAGLINE: &str = "See how transformers encode position.";
