//! Constants of the text view. The tokens are known to the view alone.

use super::{Choices, Literal};
use crate::{
    analysis::{MatrixPart, SpecialTokenMode, TextValues},
    figure::text_attention::StripColors,
    url_state::View,
};

pub(super) const CONSTANTS: &[(&str, &str)] = &[
    ("TOKENS", "ids of the tokens"),
    ("PIECES", "texts of the tokens"),
    ("SPECIAL", "positions of special tokens"),
    ("TEXTS", "ids of the tokens of all texts"),
    ("SPECIALS", "positions of their special tokens"),
    ("VALUES", "attention or scores"),
    (
        "MAP_PART",
        "the whole map, its Toeplitz part, or the residual",
    ),
    (
        "SPECIAL_TOKENS",
        "shown, hidden, or hidden with rows renormalised",
    ),
    ("TINT", "values of the tokens"),
    (
        "PROFILE_LAYER",
        "layer of the weights behind the dashed line, from 0",
    ),
    ("PIECE_NAMES", "texts of tokens by their ids"),
];

impl Choices {
    pub(super) fn text_constant(&self, name: &str) -> Option<String> {
        if self.figure.views().first() != Some(&View::Text) {
            return None;
        }
        let text = &self.link.text;
        Some(match name {
            "VALUES" => match text.show.values {
                TextValues::Attention => "attention",
                TextValues::Scores => "scores",
            }
            .literal(),
            "MAP_PART" => match text.show.part {
                MatrixPart::Whole => "whole",
                MatrixPart::Toeplitz => "Toeplitz",
                MatrixPart::Residual => "residual",
            }
            .literal(),
            "SPECIAL_TOKENS" => match text.show.special {
                SpecialTokenMode::Shown => "shown",
                SpecialTokenMode::Hidden => "hidden",
                SpecialTokenMode::Renormalised => "renormalised",
            }
            .literal(),
            "TINT" => match text.colors.filter(|_| self.has_numbers("value")) {
                None => None::<u32>.literal(),
                Some(StripColors::Surprise) => "surprise".literal(),
                Some(StripColors::AttentionFrom(token)) => ("from", token).literal(),
                Some(StripColors::AttentionTo(token)) => ("to", token).literal(),
            },
            "PROFILE_LAYER" => {
                let (of_view, layers) = ((self.of_view)("LAYER")?, self.summary.as_ref()?.layers);
                let layer: usize = of_view.parse().ok()?;
                // Layers that share their weights count once.
                let layer = layer.min(layers.saturating_sub(1));
                Some(layer)
                    .filter(|_| self.has_numbers("weights"))
                    .literal()
            }
            _ => return None,
        })
    }

    /// Whether a column of the figure's table has numbers.
    fn has_numbers(&self, column: &str) -> bool {
        let column = self.table.column(column);
        column.is_some_and(|column| {
            (0..self.table.rows())
                .any(|row| column.number(row).is_some_and(|number| !number.is_nan()))
        })
    }
}
