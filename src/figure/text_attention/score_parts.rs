//! The scores of a head of the first layer over a text, as maps of what words and positions contribute.

use crate::{
    analysis::{PartShare, ScorePart, TextMatrix},
    figure::{
        ColorMap, Column, FormulaTerm, Heatmap, MatrixPanel, MatrixPanels, Table, number,
        part_name, short_r2,
    },
    math::{Tile, Window},
};
use std::sync::Arc;

/// Most blocks per side of a map.
const MOST_BLOCKS: usize = 256;

/// Draws the parts of the scores of a head of the first layer, `head` from 0, on one colour scale, each with its share of
/// the scores and its R². `clip` percent of the values at either end are beyond the colours. The table has all heads of
/// `shares`, layers and heads counted from 1: `layer,head,part,share,r2`.
#[must_use]
pub fn score_parts(
    maps: &[(ScorePart, Arc<TextMatrix>)],
    shares: &[PartShare],
    head: usize,
    clip: f64,
) -> MatrixPanels {
    let share_of = |part: ScorePart| {
        let of_head = shares
            .iter()
            .find(|share| share.head == head && share.part == part);
        of_head.copied()
    };
    let panels: Vec<MatrixPanel> = maps
        .iter()
        .map(|(part, matrix)| {
            let (rows, columns) = matrix.cells.dim();
            let window = Window::whole(rows, columns);
            let tile = Tile::from_matrix(matrix.cells.view(), window, MOST_BLOCKS);
            let note = share_of(*part).map_or_else(String::new, |share| {
                format!("share {:.2}, R² {}", share.share, short_r2(share.r2)).replace('-', "−")
            });
            MatrixPanel {
                title: part_name(*part).to_owned(),
                note,
                matrix: Heatmap::matrix(Arc::new(tile), ColorMap::Diverging, clip),
                source: None,
                term: FormulaTerm::from_part(*part),
            }
        })
        .collect();
    let ends = MatrixPanels::common_ends(&panels);
    let described = maps.iter().filter_map(|(part, _)| {
        let share = share_of(*part)?.share;
        Some(format!("{} {}", part_name(*part), number(share)))
    });
    let described: Vec<String> = described.collect();
    let summary = format!(
        "Parts of the scores of head {} of layer 1. Shares: {}.",
        head + 1,
        described.join(", ")
    );
    MatrixPanels::new(panels)
        .with_shared_range(ends, |_| true)
        .with_table(table(shares))
        .with_summary(summary)
}

fn table(shares: &[PartShare]) -> Table {
    let names = shares.iter().map(|share| part_name(share.part).to_owned());
    Table::new()
        .with(
            "layer",
            shares.iter().map(|share| share.layer + 1).collect(),
        )
        .with("head", shares.iter().map(|share| share.head + 1).collect())
        .with("part", Column::Name(names.collect()))
        .with("share", shares.iter().map(|share| share.share).collect())
        .with("r2", shares.iter().map(|share| share.r2).collect())
}
