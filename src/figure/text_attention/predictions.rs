//! Predicted tokens as bars.

use super::TextToken;
use crate::{
    analysis::{PredictionKind, TokenPrediction},
    figure::{Bar, BarChart, BarRow, Column, Table, number},
};
use std::collections::HashMap;

/// Distance of rows in pixels.
const ROW: f64 = 17.0;

/// Pieces of word table rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TokenNames(HashMap<u32, String>);

impl TokenNames {
    /// Names rows of the word table by pieces.
    #[must_use]
    pub fn new(pieces: impl IntoIterator<Item = (u32, String)>) -> Self {
        Self(pieces.into_iter().collect())
    }

    /// Returns the rows with their pieces, in order.
    #[must_use]
    pub fn pieces(&self) -> Vec<(u32, &str)> {
        let mut pieces: Vec<_> = self
            .0
            .iter()
            .map(|(id, piece)| (*id, piece.as_str()))
            .collect();
        pieces.sort_unstable();
        pieces
    }

    /// Returns the piece of a row, or its number where no tokenizer is open.
    #[must_use]
    pub fn piece(&self, id: u32) -> String {
        self.0.get(&id).cloned().unwrap_or_else(|| format!("#{id}"))
    }
}

/// Plots the most probable tokens at each position. The token that the text has there is darker, and is listed below the
/// others if it is not among them. The table: `position,rank,piece,probability`, positions from 0 and ranks from 1.
/// `None` without a prediction.
#[must_use]
pub fn prediction_bars(
    predictions: &[TokenPrediction],
    tokens: &[TextToken],
    names: &TokenNames,
) -> Option<BarChart> {
    let rows = predictions
        .iter()
        .flat_map(|prediction| rows_of(prediction, tokens, names));
    let axis = match predictions.first()?.kind {
        PredictionKind::Masked | PredictionKind::Next => "probability",
        PredictionKind::Replaced => "probability that the token was replaced",
    };
    let chart = BarChart::linear(axis, rows)
        .row_height(ROW)
        .with_table(table(predictions, names))
        .with_summary(summary(predictions, tokens, names));
    Some(chart)
}

fn rows_of(prediction: &TokenPrediction, tokens: &[TextToken], names: &TokenNames) -> Vec<BarRow> {
    let own = prediction.rank.map(|(id, _)| id);
    let place = place_words(prediction, tokens);
    let mut rows: Vec<BarRow> = Vec::with_capacity(prediction.top.len() + 1);
    for (id, probability) in &prediction.top {
        let row = BarRow::new(name(names, *id), [bar(*probability)])
            .strong(own == Some(*id))
            .starts_group(rows.is_empty());
        rows.push(match rows.is_empty() {
            true => row.note(place.clone()),
            false => row,
        });
    }
    let is_listed = |id: u32| prediction.top.iter().any(|(other, _)| *other == id);
    if let Some((id, rank)) = prediction.rank.filter(|(id, _)| !is_listed(*id)) {
        let probability = (-prediction.surprise).exp2();
        let row = BarRow::new(name(names, id), [bar(probability)]).strong(true);
        rows.push(row.note(format!("rank {rank}")));
    }
    rows
}

fn bar(probability: f64) -> Bar {
    Bar::new(probability).text(match probability {
        p if !p.is_finite() => "–".to_owned(),
        p if p >= 0.001 => format!("{p:.3}"),
        p => number(p),
    })
}

/// The name of a piece in the chart.
fn name(names: &TokenNames, id: u32) -> String {
    let token = TextToken {
        id,
        piece: names.piece(id),
        is_special: false,
    };
    token.name()
}

/// The place of a prediction: “for position 4”, “after “the”, position 3”.
fn place_words(prediction: &TokenPrediction, tokens: &[TextToken]) -> String {
    let position = prediction.position;
    let name = tokens
        .get(position)
        .map_or_else(String::new, TextToken::name);
    match prediction.kind {
        PredictionKind::Masked => format!("at position {position}"),
        PredictionKind::Next => format!("after “{name}” at {position}"),
        PredictionKind::Replaced => format!("“{name}” at {position}"),
    }
}

fn table(predictions: &[TokenPrediction], names: &TokenNames) -> Table {
    let rows = || {
        predictions.iter().flat_map(|prediction| {
            let top = prediction.top.iter().zip(1..);
            let listed = top.map(|((id, probability), rank)| (*id, rank, *probability));
            let own = prediction
                .rank
                .filter(|(id, _)| prediction.top.iter().all(|(other, _)| other != id));
            let own = own.map(|(id, rank)| (id, rank, (-prediction.surprise).exp2()));
            listed.chain(own).map(|row| (prediction.position, row))
        })
    };
    Table::new()
        .with("position", rows().map(|(position, _)| position).collect())
        .with("rank", rows().map(|(_, (_, rank, _))| rank).collect())
        .with(
            "piece",
            Column::Name(rows().map(|(_, (id, ..))| names.piece(id)).collect()),
        )
        .with(
            "probability",
            rows().map(|(_, (.., probability))| probability).collect(),
        )
}

/// States the most probable token at each position, and the rank and surprise of the text's own.
fn summary(predictions: &[TokenPrediction], tokens: &[TextToken], names: &TokenNames) -> String {
    let sentence = |prediction: &TokenPrediction| {
        let place = place_words(prediction, tokens);
        let first = prediction.top.first().map_or_else(
            || "no token".to_owned(),
            |(id, probability)| format!("“{}” with {}", name(names, *id), number(*probability)),
        );
        let own = prediction.rank.map_or_else(String::new, |(id, rank)| {
            format!(
                "; the text’s “{}” has rank {rank} and a surprise of {} bits",
                name(names, id),
                number(prediction.surprise)
            )
        });
        let mut letters = place.chars();
        let start = letters
            .next()
            .map_or_else(String::new, |c| c.to_uppercase().collect());
        format!("{start}{}: {first}{own}.", letters.as_str())
    };
    let sentences: Vec<String> = predictions.iter().map(sentence).collect();
    sentences.join(" ")
}
