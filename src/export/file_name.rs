//! Names of saved files.

use super::file_details::hash;
use crate::{
    analysis::{SCHEMES, SchemeId},
    url_state::{FigureId, Link},
};

/// The most characters of a model's name in a file name.
const LONGEST: usize = 40;

/// Returns the name of a figure's file without its ending: `diagonal-head-matrix-minilm-l6-layer-3-head-2`. `details`
/// are those of [`file_details`](super::file_details).
///
/// Names of models come from files and addresses and may contain anything. Letters and digits of every script stay;
/// everything else becomes a hyphen. So the name has no path separators, no characters that a system forbids, no
/// direction marks, and nothing that looks like another ending. Its fixed beginning avoids names that systems reserve.
#[must_use]
pub fn file_name(figure: FigureId, model: Option<&str>, details: &[String]) -> String {
    let mut end = String::new();
    for detail in details {
        add_words(&mut end, detail, usize::MAX);
    }
    if end.len() > MOST_OF_DETAILS {
        let all = hash(&end);
        let cut = (0..MOST_OF_DETAILS)
            .rev()
            .find(|at| end.is_char_boundary(*at));
        end.truncate(cut.unwrap_or(0));
        end = format!("{}-{all}", end.trim_end_matches('-'));
    }
    let mut name = format!("diagonal-{}", figure.id());
    let room = MOST_BYTES.saturating_sub(name.len() + end.len());
    add_words(&mut name, model.unwrap_or_default(), room);
    name + &end
}

/// The most bytes of a name. This leaves space for the ending and for a number that the browser adds.
const MOST_BYTES: usize = 235;
/// The most bytes of all details. Longer ones are cut and end in a hash of them.
const MOST_OF_DETAILS: usize = 120;

/// Appends the words of a text, each after a hyphen, up to [`LONGEST`] characters and `bytes` bytes.
fn add_words(name: &mut String, text: &str, bytes: usize) {
    let most = name.len().saturating_add(bytes);
    let mut left = LONGEST;
    let parts = text.split(|c: char| {
        let stays = c.is_alphanumeric() || c == '_';
        !stays
    });
    for part in parts.filter(|part| !part.is_empty()) {
        let mut hyphen = "-";
        for letter in part.chars() {
            if left == 0 || name.len() + hyphen.len() + letter.len_utf8() > most {
                return;
            }
            name.push_str(hyphen);
            name.push(letter);
            hyphen = "";
            left -= 1;
        }
    }
}

/// Returns the name part for the figure that compares schemes: the open model if it is drawn, otherwise the schemes.
/// `None` for other figures.
#[must_use]
pub fn schemes_drawn(figure: FigureId, link: &Link, open: Option<&str>) -> Option<String> {
    if figure != FigureId::EncodingProfile {
        return None;
    }
    let schemes = &link.encodings.choice.drawn_schemes;
    let draws_open = schemes.contains(&SchemeId::Learned) || schemes.contains(&SchemeId::Head);
    if let Some(open) = open.filter(|_| draws_open) {
        return Some(open.to_owned());
    }
    let in_order = SCHEMES
        .iter()
        .filter(|scheme| schemes.contains(&scheme.which));
    Some(
        in_order
            .map(|scheme| scheme.id)
            .collect::<Vec<_>>()
            .join("-"),
    )
}
