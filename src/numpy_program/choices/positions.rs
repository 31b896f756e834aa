//! Constants of the views of positions and of compared models.

use super::{Choices, Literal};
use crate::{
    analysis::{MatrixPart, break_parts},
    math::{AttentionMask, Similarity},
    url_state::View,
};

pub(super) const CONSTANTS: &[(&str, &str)] = &[
    ("SIMILARITY", "how two rows are compared"),
    ("PART", "the part of the matrix that is shown"),
    (
        "BREAKS",
        "parts beside breaks of the table: name, first row, end",
    ),
    (
        "ANGLE_SETS",
        "layers from 1, base, width of the exponent, pairs",
    ),
    ("AXES", "axis of each pair, if there are several"),
    (
        "PATCH_FORMULA",
        "columns of a head, base, order of pairs, steps",
    ),
    ("ANGLE_LAYERS", "number of layers with angles"),
    ("WITH_HEADS", "models whose heads were read"),
    ("MASKS", "mask of all models; None is that of each"),
    ("PERFORMANCE", "scores of models"),
    ("BLOCKS", "cells of a side of a block, by model"),
    (
        "CLIP",
        "percent of the values beyond either end of the colours",
    ),
    ("DIVERGING", "whether zero has a colour of its own"),
    (
        "COLOUR_SCALES",
        "one, own, or None for a choice by the ranges",
    ),
    ("COMPUTED", "models that are computed tables"),
];

impl Choices {
    pub(super) fn positions_constant(&self, name: &str) -> Option<String> {
        let link = &self.link;
        Some(match name {
            "SIMILARITY" => similarity_name(link.positions.similarity).literal(),
            "PART" => match link.positions.part {
                MatrixPart::Whole => "whole",
                MatrixPart::Toeplitz => "toeplitz",
                MatrixPart::Residual => "residual",
            }
            .literal(),
            "WINDOW" if self.has_matrix_window() => {
                let side = |range: &std::ops::Range<usize>| (range.start, range.end);
                let n = self.rows();
                let window = link
                    .matrices
                    .window
                    .as_ref()
                    .map(|window| window.within(n, n));
                let whole = ((0, n), (0, n));
                window
                    .map_or(whole, |window| (side(&window.rows), side(&window.cols)))
                    .literal()
            }
            "BREAKS" => {
                let summary = self.summary.as_ref()?;
                let parts = break_parts(&summary.breaks, summary.rows);
                let parts = parts.map(|(name, rows)| (name, rows.start, rows.end));
                parts.collect::<Vec<_>>().literal()
            }
            "MASKS" => link.heads.cells.map(mask_name).literal(),
            "BLOCKS" => self.block_sizes().literal(),
            "CLIP" => link.matrices.clip.literal(),
            "DIVERGING" => link.matrices.map.is_diverging().literal(),
            "COLOUR_SCALES" => {
                let own = link.compare.own_colours;
                own.map(|own| if own { "own" } else { "one" }).literal()
            }
            _ => return None,
        })
    }

    /// Whether the figure shows a window of a matrix of positions or of a head.
    fn has_matrix_window(&self) -> bool {
        matches!(
            self.figure.views().first(),
            Some(View::Positions | View::Heads | View::Compare)
        )
    }

    /// The first row of a model in the figure's table; the greatest number without any.
    #[must_use]
    pub fn row_of_model(&self, name: &str) -> usize {
        let column = self.table.column("model");
        let is_row = |row: &usize| column.is_some_and(|column| column.text(*row) == name);
        (0..self.table.rows()).find(is_row).unwrap_or(usize::MAX)
    }

    /// The column `block` of the figure's table, a number for each model.
    fn block_sizes(&self) -> Vec<i64> {
        let (mut sizes, mut before) = (Vec::new(), None);
        for row in 0..self.table.rows() {
            let model = self.table.column("model").map(|column| column.text(row));
            let size = self
                .table
                .column("block")
                .and_then(|column| column.number(row));
            if before != Some(model.clone())
                && let Some(size) = size
            {
                sizes.push(size as i64);
                before = Some(model);
            }
        }
        sizes
    }
}

/// The name of a similarity in programs.
pub(super) fn similarity_name(similarity: Similarity) -> &'static str {
    match similarity {
        Similarity::InnerProduct => "inner product",
        Similarity::Cosine => "cosine",
    }
}

/// The name of a mask in programs.
pub(super) fn mask_name(mask: AttentionMask) -> &'static str {
    match mask {
        AttentionMask::Whole => "whole",
        AttentionMask::Causal => "causal",
    }
}
