//! A token of a text and its name in figures.

/// Names longer than this many characters are cut.
const LONGEST: usize = 24;

/// A token of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextToken {
    /// Row of the word table.
    pub id: u32,
    /// The piece as the tokenizer writes it: `##ing`, `▁the`, `[CLS]`.
    pub piece: String,
    /// Whether it is a special token, such as `[CLS]` or `</s>`.
    pub is_special: bool,
}

impl TextToken {
    /// Returns the name in figures: the piece without the mark of a space before it. A piece of nothing but spaces or
    /// line breaks is named in words.
    #[must_use]
    pub fn name(&self) -> String {
        let piece = self.piece.trim_start_matches(['Ġ', '▁', ' ']);
        if piece.is_empty() {
            return "(space)".to_owned();
        }
        let is_break = |c: char| matches!(c, 'Ċ' | '\n' | '\r');
        if piece.chars().all(is_break) {
            return "(line break)".to_owned();
        }
        // Control characters have no width, and would end a line of an accessible name.
        let letters = piece.chars().filter(|c| !c.is_control());
        let name: String = letters.clone().take(LONGEST).collect();
        match letters.count() > LONGEST {
            true => name + "…",
            false => name,
        }
    }

    /// Returns the accessible name of the token at an index of a text.
    #[must_use]
    pub fn spoken_name(&self, index: usize) -> String {
        let kind = if self.is_special {
            "special token "
        } else {
            ""
        };
        format!("{kind}{}, position {index}", self.name())
    }
}
