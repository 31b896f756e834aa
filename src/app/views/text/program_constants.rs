//! Constants of the view's NumPy programs: the tokens of the texts, and the open head.

use super::text_state::TextState;
use crate::{app::figure::program_constants::ProgramConstants, numpy_program::Literal};
use leptos::prelude::*;

/// Provides the constants.
pub(super) fn provide(text: TextState) {
    ProgramConstants::provide(move |name| {
        let tokens = text.tokens.get();
        Some(match name {
            "TOKENS" => tokens
                .iter()
                .map(|token| token.id)
                .collect::<Vec<_>>()
                .literal(),
            "PIECES" => {
                let pieces = tokens.iter().map(|token| token.piece.as_str());
                pieces.collect::<Vec<_>>().literal()
            }
            "SPECIAL" => places(tokens.iter().map(|token| token.is_special)).literal(),
            "TEXTS" => {
                let texts = text.run.question()?.texts;
                texts
                    .into_iter()
                    .map(|text| text.ids)
                    .collect::<Vec<_>>()
                    .literal()
            }
            "SPECIALS" => {
                let texts = text.run.question()?.texts;
                let special = texts
                    .iter()
                    .map(|text| places(text.is_special.iter().copied()));
                special.collect::<Vec<_>>().literal()
            }
            "LAYER" => text.open_head()?.0.literal(),
            "HEAD" => text.open_head()?.1.literal(),
            "AS_COMPUTED" => true.literal(),
            _ => return None,
        })
    });
}

/// The places of what is so.
fn places(are: impl Iterator<Item = bool>) -> Vec<usize> {
    are.enumerate()
        .filter_map(|(place, is)| is.then_some(place))
        .collect()
}
