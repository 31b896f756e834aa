//! The scores of a head as maps that add up: what words and positions contribute, their sum, and its attention.

use super::{
    ColorMap, Column, FormulaTerm, Heatmap, MatrixPanel, MatrixPanels, Table, number, part_name,
    percent, short_r2,
};
use crate::{
    analysis::{HeadTerms, ScorePart, TermSet, TermWeight},
    math::{AttentionMask, Tile},
};
use std::sync::Arc;

/// Choices under which terms were computed.
#[derive(Debug, Clone)]
pub struct TermChoices {
    /// Layer and head, from 0.
    pub head: (usize, usize),
    /// Terms that are added up.
    pub summands: TermSet,
    /// Mask of the scores.
    pub cells: AttentionMask,
}

/// Draws the terms on one colour scale with their sum, and the attention of the sum. `draws` are the weights of the terms
/// for several draws of random words; none without such. `clip` percent of the values at either end are beyond the
/// colours. The table, layers and heads counted from 1: `layer,head,part,share,variance,r2,moved_attention`, and
/// `low,high`, the range of the shares, with draws.
#[must_use]
pub fn score_terms(
    terms: &HeadTerms,
    draws: &[Vec<TermWeight>],
    choices: &TermChoices,
    clip: f64,
) -> MatrixPanels {
    let map = |tile: &Tile| {
        let tile = match choices.cells {
            AttentionMask::Whole => tile.clone(),
            AttentionMask::Causal => tile.clone().causal(),
        };
        Heatmap::matrix(Arc::new(tile), ColorMap::Diverging, clip)
    };
    let panel = |title: String, note: String, matrix: Heatmap| MatrixPanel {
        title,
        note,
        matrix,
        source: None,
        term: None,
    };
    let mut panels: Vec<MatrixPanel> = (terms.weights.iter().zip(&terms.maps))
        .map(|(weight, tile)| {
            let name = part_name(weight.part);
            let title = match choices.summands.contains(weight.part) {
                true => name.to_owned(),
                false => format!("{name}, off"),
            };
            MatrixPanel {
                term: FormulaTerm::from_part(weight.part),
                ..panel(title, note(weight, draws), map(tile))
            }
        })
        .collect();
    let sum_note = format!("R² {}", short_r2(terms.sum_r2)).replace('-', "−");
    panels.push(MatrixPanel {
        term: Some(FormulaTerm::PartSum),
        ..panel("sum of scores".to_owned(), sum_note, map(&terms.sum))
    });
    let ends = MatrixPanels::common_ends(&panels);
    let of_scores = panels.len();
    let n = terms.attention.window.cols.end;
    let attention = Arc::new(terms.attention.clone());
    panels.push(panel(
        "attention".to_owned(),
        "softmax of the sum".to_owned(),
        Heatmap::attention(attention, ColorMap::Diverging, n, choices.cells),
    ));
    MatrixPanels::new(panels)
        .with_shared_range(ends, |at| at < of_scores)
        .with_table(table(terms, draws, choices.head))
        .with_summary(summary(terms, choices.head))
}

/// States a term's share of the scores, with its range over draws, and the attention that it moves.
fn note(weight: &TermWeight, draws: &[Vec<TermWeight>]) -> String {
    let range = share_range(draws, weight.part).map_or_else(String::new, |(low, high)| {
        format!(" ({low:.2} to {high:.2})")
    });
    let moved = 100.0 * weight.moved_attention;
    format!("share {:.2}{range}, moves {moved:.0} %", weight.share).replace('-', "−")
}

/// The lowest and the highest share of a term over draws.
fn share_range(draws: &[Vec<TermWeight>], part: ScorePart) -> Option<(f64, f64)> {
    let weights = draws.iter().filter_map(|draw| draw.get(part as usize));
    let shares = weights.map(|weight| weight.share);
    shares.fold(None, |range, share| {
        let (low, high) = range.unwrap_or((share, share));
        Some((share.min(low), share.max(high)))
    })
}

fn table(terms: &HeadTerms, draws: &[Vec<TermWeight>], (layer, head): (usize, usize)) -> Table {
    let weights = &terms.weights;
    let names = weights
        .iter()
        .map(|weight| part_name(weight.part).to_owned());
    let numbers = |of: fn(&TermWeight) -> f64| weights.iter().map(of).collect();
    let table = Table::new()
        .with("layer", weights.iter().map(|_| layer + 1).collect())
        .with("head", weights.iter().map(|_| head + 1).collect())
        .with("part", Column::Name(names.collect()))
        .with("share", numbers(|weight| weight.share))
        .with("variance", numbers(|weight| weight.variance))
        .with("r2", numbers(|weight| weight.r2))
        .with("moved_attention", numbers(|weight| weight.moved_attention));
    if draws.is_empty() {
        return table;
    }
    let range = |weight: &TermWeight| share_range(draws, weight.part).unwrap_or_default();
    table
        .with(
            "low",
            weights.iter().map(|weight| range(weight).0).collect(),
        )
        .with(
            "high",
            weights.iter().map(|weight| range(weight).1).collect(),
        )
}

fn summary(terms: &HeadTerms, (layer, head): (usize, usize)) -> String {
    let described = terms.weights.iter().map(|weight| {
        format!(
            "{} has the share {} and moves {} of the attention",
            part_name(weight.part),
            number(weight.share),
            percent(weight.moved_attention)
        )
    });
    let described: Vec<String> = described.collect();
    format!(
        "Terms of the scores of layer {}, head {}. {}.",
        layer + 1,
        head + 1,
        described.join("; ")
    )
}
