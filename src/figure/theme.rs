//! Colours of the inks on light and dark backgrounds. `www/style.css` has the same colours for the rest of the page; a
//! test compares both.

/// A colour by meaning; a [`Theme`] assigns RGB values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    /// Text and main lines.
    Ink,
    /// Secondary text and lines.
    Muted,
    /// The selection. On the page it looks like [`Self::Ink`]; exported pictures omit it, see [`crate::export`].
    Chosen,
    /// Rules and axes.
    Hairline,
    /// The background of the page.
    Paper,
    /// The spread around a line.
    Band,
    /// The offset under the cursor. Used for nothing else.
    Accent,
    /// One of several kernels or rows.
    Category(usize),
    /// Black edge of an accent, visible on any colour map.
    Black,
    /// White edge of an accent, visible on any colour map.
    White,
}

/// Colours as `#rrggbb`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theme {
    /// Whether the background is dark.
    pub is_dark: bool,
    /// The background of the page.
    pub paper: &'static str,
    /// Text and main lines.
    pub ink: &'static str,
    /// Secondary text.
    pub secondary: &'static str,
    /// Rules and axes.
    pub hairline: &'static str,
    /// The spread around a line.
    pub band: &'static str,
    /// The offset under the cursor.
    pub accent: &'static str,
    /// Colours of categories. The first four are those of Okabe and Ito, with a lightness suitable for the background.
    /// The others are chosen so that any two of the eight differ by at least 25 in CIE L*a*b*, and by at least 11 for
    /// viewers with a colour-vision deficiency.
    pub categories: [&'static str; 8],
}

/// Dark inks on warm paper.
pub const LIGHT: Theme = Theme {
    is_dark: false,
    paper: "#faf8f4",
    ink: "#1d1c1a",
    secondary: "#6b675f",
    hairline: "#e2ddd3",
    band: "#e0dbd0",
    accent: "#d4380d",
    categories: [
        "#0072b2", "#008a64", "#b8578c", "#9a6b00", "#8f7bf2", "#742193", "#4d4d4d", "#5b2c0e",
    ],
};

/// Light inks on near black.
pub const DARK: Theme = Theme {
    is_dark: true,
    paper: "#141414",
    ink: "#e9e5dc",
    secondary: "#a09b91",
    hairline: "#2d2b28",
    band: "#35322e",
    accent: "#ff7a45",
    categories: [
        "#4aa8e0", "#2fbf95", "#e08fbd", "#e0a72e", "#9d8cff", "#c04ad8", "#c8c8c8", "#b8744a",
    ],
};

/// The inks of [`LIGHT`] on white, for exported pictures. These do not depend on the theme of the page, since light
/// inks on a transparent background would be illegible on a white page.
pub const PRINT: Theme = Theme {
    paper: "#ffffff",
    ..LIGHT
};

impl Theme {
    /// Returns the colour of an ink.
    #[must_use]
    pub fn color(&self, ink: Ink) -> &'static str {
        match ink {
            Ink::Ink | Ink::Chosen => self.ink,
            Ink::Muted => self.secondary,
            Ink::Hairline => self.hairline,
            Ink::Paper => self.paper,
            Ink::Band => self.band,
            Ink::Accent => self.accent,
            Ink::Category(index) => self.categories[index % self.categories.len()],
            Ink::Black => "#000000",
            Ink::White => "#ffffff",
        }
    }
}
