//! Questions about models with rotary positions, and with sinks.

use super::{Answered, open_question};
use diagonal::analysis::{
    AttentionMask, AttentionSinks, BudgetSource, ModelVersion, Origin, PositionBudgets,
    RotaryFindings, RotaryFrequencies, RotaryMeasure, ScoreMode,
};

impl Answered {
    /// Opens such models and asks about them.
    pub(super) fn ask_about_rotary_models(&mut self) {
        let cells = AttentionMask::Causal;
        let sixth = ModelVersion { id: 6, revision: 1 };
        self.ask(open_question(6, Origin::Files), Some(sixth));
        let budgets = PositionBudgets {
            of: sixth,
            cells,
            source: BudgetSource::Words,
        };
        assert_eq!(self.ask(budgets, Some(sixth)).len(), 4);
        let findings = self.ask(RotaryFindings { of: sixth }, Some(sixth));
        assert!(!findings.is_empty());
        let frequencies = RotaryFrequencies {
            of: sixth,
            measure: RotaryMeasure::Energy,
            reads_all: false,
        };
        let layers = self.ask(frequencies, Some(sixth));
        assert_eq!(layers.layers.len(), layers.total);

        let seventh = ModelVersion { id: 7, revision: 1 };
        self.ask(open_question(7, Origin::Files), Some(seventh));
        let sinks = self.ask(
            AttentionSinks {
                of: seventh,
                input: ScoreMode::AsComputed.into(),
            },
            Some(seventh),
        );
        assert_eq!(sinks.len(), 12);
    }
}
