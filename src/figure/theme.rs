//! What the inks look like on light and on dark paper. `www/style.css` names the same colours for the
//! rest of the page; a test holds the two together.

use super::Ink;

/// Colours as `#rrggbb`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theme {
    /// The page.
    pub paper: &'static str,
    /// Text and main lines.
    pub ink: &'static str,
    /// Secondary text.
    pub muted: &'static str,
    /// Rules.
    pub hairline: &'static str,
    /// Spread.
    pub band: &'static str,
    /// The offset under the cursor.
    pub accent: &'static str,
    /// The first four are Okabe and Ito's, in a lightness that shows on the paper. The others are chosen so that any
    /// two of the eight lie at least 25 apart in CIE L*a*b*, and 11 for eyes that lack a kind of cone.
    pub categories: [&'static str; 8],
}

/// Warm paper.
pub const LIGHT: Theme = Theme {
    paper: "#faf8f4",
    ink: "#1d1c1a",
    muted: "#6b675f",
    hairline: "#e2ddd3",
    band: "#e0dbd0",
    accent: "#d4380d",
    categories: [
        "#0072b2", "#008a64", "#b8578c", "#9a6b00", "#8f7bf2", "#742193", "#4d4d4d", "#5b2c0e",
    ],
};

/// Near black.
pub const DARK: Theme = Theme {
    paper: "#141414",
    ink: "#e9e5dc",
    muted: "#a09b91",
    hairline: "#2d2b28",
    band: "#35322e",
    accent: "#ff7a45",
    categories: [
        "#4aa8e0", "#2fbf95", "#e08fbd", "#e0a72e", "#9d8cff", "#c04ad8", "#c8c8c8", "#b8744a",
    ],
};

/// Warm paper's inks on the white of a printed page: what leaves the page looks the same whether that is light or
/// dark, and dark inks on nothing are no picture for a white page.
pub const PRINT: Theme = Theme {
    paper: "#ffffff",
    ..LIGHT
};

impl Theme {
    /// The colour of an ink.
    #[must_use]
    pub fn color(&self, ink: Ink) -> &'static str {
        match ink {
            Ink::Ink | Ink::Chosen => self.ink,
            Ink::Muted => self.muted,
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
