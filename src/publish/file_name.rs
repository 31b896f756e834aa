//! Names of files that are saved.

use crate::{
    analysis::{SCHEMES, SchemeId},
    link::Link,
};

/// Characters of a model's name that a file's name takes.
const LONGEST: usize = 40;

/// The name of a figure's file, up to its ending: `diagonal-position-matrix-minilm-l6`.
///
/// Names of models come from files and addresses and may hold anything. Letters and digits of every script stay, all
/// else becomes a hyphen: no separator of folders, no sign that a system forbids or that turns the direction of text,
/// nothing that looks like another ending. With its beginning the name is none that a system has reserved.
#[must_use]
pub fn file_name(figure: &str, model: Option<&str>) -> String {
    let mut name = format!("diagonal-{figure}");
    let mut left = LONGEST;
    let parts = model.unwrap_or_default().split(|c: char| {
        let stays = c.is_alphanumeric() || c == '_';
        !stays
    });
    for part in parts.filter(|part| !part.is_empty()) {
        if left == 0 {
            break;
        }
        name.push('-');
        name.extend(part.chars().take(left));
        left = left.saturating_sub(part.chars().count());
    }
    name
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
