//! Questions about the positions of a model.

use super::{Answered, window};
use crate::support::questions::FIRST;
use diagonal::{
    analysis::{
        ColumnChoice, CorrectionEffects, DiagonalCells, DiagonalDeviations, DiagonalsOf,
        MatrixPart, ModelOverview, PositionOverview, PositionTile, RotaryAngleSets, Similarity,
        SinusoidTest, TableColumns, TableContinuity, TablePair, TableTile, TableWaves,
    },
    encoding::Sinusoidal,
};

impl Answered {
    /// Asks about the table of the first model and its waves.
    pub(super) fn ask_about_positions(&mut self) {
        let (of, of_first) = (FIRST, Some(FIRST));
        let similarity = Similarity::Cosine;
        let window = window();
        self.ask(PositionOverview { of, similarity }, of_first);
        self.ask(DiagonalDeviations { of, similarity }, of_first);
        for part in [
            MatrixPart::Whole,
            MatrixPart::Toeplitz,
            MatrixPart::Residual,
        ] {
            let window = Some(window.clone());
            let tile = PositionTile {
                of,
                similarity,
                part,
                window,
                limit: 512,
            };
            self.ask(tile, of_first);
        }
        self.ask(TableTile { of, limit: 512 }, of_first);
        let cells_of = |of| DiagonalCells {
            of,
            distances: vec![1, 5],
        };
        self.ask(cells_of(DiagonalsOf::Model(FIRST)), of_first);
        self.ask(
            cells_of(DiagonalsOf::Sinusoidal(Sinusoidal::default())),
            None,
        );
        let pair = TablePair { of, limit: 8 };
        let pair = self.ask(pair, of_first);
        assert_eq!(pair[0].tile.window, pair[1].tile.window);
        let cones = self.ask(TableContinuity { of }, of_first);
        assert!(cones.expect("cones").table.bound.slope > 0.0);
        assert_eq!(self.ask(RotaryAngleSets { of }, of_first), None);
        self.ask(TableWaves { of }, of_first);
        let choice = ColumnChoice::Strongest(3);
        let columns = self.ask(TableColumns { of, choice }, of_first);
        assert_eq!(columns.expect("columns that vary").len(), 3);
        self.ask(SinusoidTest { of }, of_first).expect("numbers");
        self.ask(ModelOverview { of, similarity }, of_first);
        self.ask(CorrectionEffects { of }, of_first);
    }
}
