//! Shortens foreign text in sentences of the page. Names in files, configurations and links have any length, and a
//! browser takes seconds to lay out a word of 100,000 letters, so names are cut where sentences are formed.

/// Maximum number of characters of a name.
const LONGEST_NAME: usize = 160;
/// Number of characters kept at the beginning and at the end of a longer name.
const NAME_ENDS: (usize, usize) = (110, 40);
/// Maximum number of characters of a message.
const LONGEST_MESSAGE: usize = 2_000;
/// Number of characters kept of a longer message. Its end says what to do.
const MESSAGE_ENDS: (usize, usize) = (1_500, 400);

/// Shortens a name to fit into a line or two. A longer one keeps its beginning and its end.
///
/// The cost does not grow with the length of the name.
#[must_use]
pub fn short_name(name: &str) -> String {
    cut(name, LONGEST_NAME, NAME_ENDS, "…")
}

/// Shortens a message: every quotation and every word is cut like a name, and the whole to the length of a paragraph.
#[must_use]
pub fn short_message(text: &str) -> String {
    let mut short = String::with_capacity(text.len().min(4 * LONGEST_MESSAGE));
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (begin, end) = match first {
            '“' => (first.len_utf8(), rest.find('”')),
            first if first.is_whitespace() => (0, Some(first.len_utf8())),
            _ => (0, rest.find(|c: char| c.is_whitespace() || c == '“')),
        };
        let (piece, after) = rest.split_at(end.unwrap_or(rest.len()));
        let (mark, name) = piece.split_at(begin);
        short.push_str(mark);
        short.push_str(&short_name(name));
        rest = after;
    }
    cut(&short, LONGEST_MESSAGE, MESSAGE_ENDS, " … ")
}

/// Returns text of at most `longest` characters unchanged; of longer text, its two ends with a mark between them.
fn cut(text: &str, longest: usize, (begin, end): (usize, usize), mark: &str) -> String {
    if text.chars().nth(longest).is_none() {
        return text.to_owned();
    }
    let place = |entry: Option<(usize, char)>| entry.map_or(0, |(at, _)| at);
    let head = &text[..place(text.char_indices().nth(begin))];
    let tail = &text[place(text.char_indices().nth_back(end - 1))..];
    format!("{head}{mark}{tail}")
}

#[cfg(test)]
mod tests {
    use crate::short_text::*;
    use proptest::prelude::*;

    #[test]
    fn names_keep_their_ends() {
        let fits = "ä".repeat(LONGEST_NAME);
        assert_eq!(short_name(&fits), fits);
        let long = format!("begin{}end.safetensors", "ä".repeat(1_000_000));
        let short = short_name(&long);
        assert!(short.starts_with("beginä") && short.ends_with("äend.safetensors"));
        assert_eq!(short.chars().count(), NAME_ENDS.0 + 1 + NAME_ENDS.1);
    }

    #[test]
    fn only_what_is_long_of_a_message_is_cut() {
        let message =
            |name: &str| format!("This link asks for “{name}”, and for {name}. Open it here.");
        for name in ["model.safetensors", "two words", "”", "“", ""] {
            assert_eq!(short_message(&message(name)), message(name));
        }
        let long = "a b".repeat(100_000);
        let short = short_message(&format!("The file “{long}” is not here. Open it."));
        assert!(short.starts_with("The file “a ba ba"));
        assert!(short.ends_with("a b” is not here. Open it."));
        // Names with spaces that are not quoted are cut with the message.
        let short = short_message(&message(&long));
        assert!(short.chars().count() <= LONGEST_MESSAGE && short.ends_with("Open it here."));
    }

    proptest! {
        #[test]
        fn a_message_is_short_whatever_stands_in_it(text in "[“” a-zä\n]{0,60}", times in 1..4_000_usize) {
            let short = short_message(&text.repeat(times));
            prop_assert!(short.chars().count() <= LONGEST_MESSAGE);
            prop_assert!(short.split(['“', '”', ' ', '\n']).all(|word| word.chars().count() <= LONGEST_NAME));
            if text.chars().count() * times <= LONGEST_NAME {
                prop_assert_eq!(short, text.repeat(times));
            }
        }
    }
}
