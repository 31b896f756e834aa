//! Names of files that are saved.

use super::file_details::hash;
use crate::{
    analysis::{SCHEMES, SchemeId},
    url_state::Link,
};

/// Characters of a model's name that a file's name takes.
const LONGEST: usize = 40;

/// The name of a figure's file, up to its ending: `diagonal-head-matrix-minilm-l6-layer-3-head-2`. The details are those of
/// [`file_details`](super::file_details).
///
/// Names of models come from files and addresses and may hold anything. Letters and digits of every script stay, all
/// else becomes a hyphen: no separator of folders, no sign that a system forbids or that turns the direction of text,
/// nothing that looks like another ending. With its beginning the name is none that a system has reserved.
#[must_use]
pub fn file_name(figure: &str, model: Option<&str>, details: &[String]) -> String {
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
    let mut name = format!("diagonal-{figure}");
    let room = MOST_BYTES.saturating_sub(name.len() + end.len());
    add_words(&mut name, model.unwrap_or_default(), room);
    name + &end
}

/// Bytes of a name, so that its ending and a number of the browser's still fit what systems allow.
const MOST_BYTES: usize = 235;
/// Bytes of all details; longer ones end in a hash of them.
const MOST_OF_DETAILS: usize = 120;

/// Adds the words of a text, a hyphen before each, up to [`LONGEST`] characters and so many bytes.
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

/// What the file of a figure of schemes is named after: the open model where it is drawn, or else the schemes. `None` for
/// other figures.
#[must_use]
pub fn schemes_drawn(figure: &str, link: &Link, open: Option<&str>) -> Option<String> {
    if figure != "encoding-profile" {
        return None;
    }
    let shown = &link.encodings.get().chosen.shown;
    let draws_open = shown.contains(&SchemeId::Learned) || shown.contains(&SchemeId::Head);
    if let Some(open) = open.filter(|_| draws_open) {
        return Some(open.to_owned());
    }
    let drawn = SCHEMES
        .iter()
        .filter(|scheme| shown.contains(&scheme.which));
    Some(drawn.map(|scheme| scheme.id).collect::<Vec<_>>().join("-"))
}
