//! Text from files, shortened and cleaned for messages.

use std::fmt;

/// A name from a file, in quotes, without control characters and cut to 160 characters.
pub(crate) struct Name<'a>(pub(crate) &'a str);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "“{}”", CleanText(self.0))
    }
}

/// Text from a file, without control characters and cut to 160 characters.
pub(crate) struct CleanText<'a>(pub(crate) &'a str);

impl fmt::Display for CleanText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const LONGEST: usize = 160;
        let visible = |c: char| if c.is_control() { '\u{fffd}' } else { c };
        self.0
            .chars()
            .take(LONGEST)
            .map(visible)
            .try_for_each(|c| write!(f, "{c}"))?;
        if self.0.chars().nth(LONGEST).is_some() {
            f.write_str("…")
        } else {
            Ok(())
        }
    }
}

/// A shape as text, such as “512 × 384”.
pub(crate) struct ShapeText<'a>(pub(crate) &'a [u64]);

impl fmt::Display for ShapeText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("a single number");
        }
        for (index, length) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(" × ")?;
            }
            write!(f, "{length}")?;
        }
        Ok(())
    }
}
