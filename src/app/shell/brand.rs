//! The name of the page and the line below the header.
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

/// The line below the header, as HTML: the subject of the page, and three links. A lazy part handles clicks on them
/// (`shell/reference`); until it is loaded, they are ordinary links.
pub const INTRO: &str = concat!(
    "<p>See how transformers encode position: the position embeddings of a model, ",
    "and the scores they cause in every attention head.</p>",
    r#"<p><a href="?lesson=01-order" data-opens="tour">Take the tour</a>"#,
    r##"<a href="#open-file" data-opens="chooser">Open your model</a>"##,
    r##"<a href="#about" data-opens="about">About</a></p>"##,
);
