//! Choices of the figure of score terms: words at the positions, and the terms that are added up.

use super::codec::{Codec, take};
use crate::analysis::{ScorePart, TermSet};

/// Seeds of random words.
pub const DRAWS: std::ops::RangeInclusive<u32> = 1..=999;

/// Source of the words at the positions of a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TermWords {
    /// The mean word.
    #[default]
    Mean,
    /// Random words.
    Random,
    /// The token ids of the link.
    Ids,
}

/// Terms in links: the word of the query, then that of the key.
const TERMS: [(ScorePart, &str); 5] = [
    (ScorePart::ContentContent, "cc"),
    (ScorePart::ContentPosition, "cp"),
    (ScorePart::PositionContent, "pc"),
    (ScorePart::PositionPosition, "pp"),
    (ScorePart::Rest, "rest"),
];

/// The terms that are added up, such as `cc.pp`; `none` for none.
pub(super) struct TermList;

impl Codec<TermSet> for TermList {
    fn read(&self, text: &str, into: &mut TermSet) -> Result<(), String> {
        take(text, terms_of(text), into)
    }

    fn write(&self, value: &TermSet) -> Option<String> {
        let terms = TERMS.iter().filter(|(part, _)| value.contains(*part));
        let words: Vec<&str> = terms.map(|(_, word)| *word).collect();
        Some(if words.is_empty() {
            NO_TERMS.to_owned()
        } else {
            words.join(".")
        })
    }
}

const NO_TERMS: &str = "none";

fn terms_of(text: &str) -> Option<TermSet> {
    let words: Vec<&str> = match text {
        NO_TERMS => Vec::new(),
        _ => text.split('.').take(TERMS.len() + 1).collect(),
    };
    let is_known = |word: &&str| TERMS.iter().any(|(_, other)| other == word);
    if !words.iter().all(is_known) {
        return None;
    }
    let mut terms = TermSet::default();
    for (part, word) in TERMS {
        if !words.contains(&word) {
            terms.toggle(part);
        }
    }
    Some(terms)
}
