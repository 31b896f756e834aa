//! Questions about matrices: files, values and parts of each.

use super::{Answered, kernels, window};
use crate::support::questions::{FIRST, head_of_first};
use diagonal::analysis::{
    AttentionMask, BlockValueRange, FirstLayerAttention, FirstLayerWay, MatrixFormat, MatrixId,
    MatrixPart, MatrixTile, ScoreMode, Similarity, WholeMatrix,
};

impl Answered {
    /// Asks for every matrix.
    pub(super) fn ask_about_matrices(&mut self) {
        let (of, of_first) = (FIRST, Some(FIRST));
        let mode = ScoreMode::Paper;
        let head = head_of_first(ScoreMode::AsComputed, 1, 3);
        let with = head_of_first(ScoreMode::AsComputed, 0, 1);
        let similarity = Similarity::Cosine;
        let (n, cells) = (64, AttentionMask::Causal);
        let window = window();
        let first = FirstLayerAttention {
            of: head_of_first(mode, 0, 1),
            kernels: kernels(),
            n: 16,
            cells,
            words: Vec::new(),
        };
        for (matrix, about) in [
            (MatrixId::Table(of), of_first),
            (
                MatrixId::Positions(of, similarity, MatrixPart::Whole),
                of_first,
            ),
            (MatrixId::Head(head, cells), of_first),
            (MatrixId::HeadDifference(head, with, cells), of_first),
            (MatrixId::Added(kernels(), n, cells, head), of_first),
            (
                MatrixId::FirstLayer(Box::new(first), FirstLayerWay::Added),
                of_first,
            ),
            (MatrixId::Kernels(kernels(), n, cells), None),
            (MatrixId::Attention(kernels(), n, cells, None), None),
            (
                MatrixId::Attention(kernels(), n, cells, Some(head)),
                of_first,
            ),
        ] {
            for format in [MatrixFormat::Csv, MatrixFormat::Npy] {
                let window = Some(window.clone());
                let of = matrix.clone();
                self.ask(WholeMatrix { of, format, window }, about);
            }
            let (of, window) = (matrix.clone(), window.clone());
            self.ask(
                BlockValueRange {
                    of,
                    window: window.clone(),
                },
                about,
            );
            let tile = MatrixTile {
                of: matrix,
                window: Some(window),
                limit: 4,
            };
            self.ask(tile, about);
        }
    }
}
