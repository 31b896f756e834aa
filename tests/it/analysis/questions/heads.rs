//! Questions about the heads of a model.

use super::{Answered, kernels, window};
use crate::support::questions::{FIRST, head_of_first};
use diagonal::analysis::{
    AttentionMask, AttentionPreview, BackendChoice, FirstLayerAttention, HeadAttention,
    HeadAttentionR2, HeadAttentionStats, HeadCorrelation, HeadDeviations, HeadEntropies, HeadList,
    HeadOverview, HeadTile, HeadWords, LayerConvolution, LayerSections, PositionDependence,
    ScoreMode, ScoreTerms, TermDraws, TermSet,
};

impl Answered {
    /// Asks about the heads of the first model, one by one and all together.
    pub(super) fn ask_about_heads(&mut self) {
        let (of, of_first) = (FIRST, Some(FIRST));
        let mode = ScoreMode::Paper;
        let head = head_of_first(ScoreMode::AsComputed, 1, 3);
        let (n, cells) = (64, AttentionMask::Causal);
        let window = window();
        assert_eq!(
            self.ask(
                HeadList {
                    of,
                    input: mode.into()
                },
                of_first
            )
            .len(),
            8
        );
        let entropies = HeadEntropies {
            of,
            input: mode.into(),
            cells,
            layer: None,
        };
        assert_eq!(self.ask(entropies, of_first).len(), 8);
        let weighted = HeadAttentionR2 {
            of,
            input: mode.into(),
            cells,
        };
        assert_eq!(self.ask(weighted, of_first).len(), 8);
        self.ask(HeadOverview { of: head }, of_first);
        let tile = HeadTile {
            of: head,
            window: window.clone(),
            limit: 512,
        };
        self.ask(tile, of_first);
        self.ask(HeadDeviations { of: head }, of_first);
        let with = head_of_first(ScoreMode::AsComputed, 0, 1);
        let correlation = HeadCorrelation {
            of: head,
            with,
            cells,
        };
        let correlation = self.ask(correlation, of_first);
        assert!(correlation.is_some_and(|r| (-1.0..=1.0).contains(&r)));
        let look = HeadAttentionStats {
            of: head,
            kernels: kernels(),
            n,
            cells,
        };
        self.ask(look, of_first);
        let terms = ScoreTerms {
            of: head,
            words: HeadWords::Random(1),
            summands: TermSet::default(),
            cells,
        };
        assert_eq!(self.ask(terms, of_first).maps.len(), 5);
        let draws = TermDraws {
            of: head,
            draws: 2,
            cells,
        };
        assert_eq!(self.ask(draws, of_first).len(), 2);
        let taps = LayerConvolution {
            of,
            layer: 1,
            cells,
        };
        let taps = self.ask(taps, of_first).expect("taps");
        assert_eq!(taps.head_norms.len(), 4);
        let sections = LayerSections {
            of,
            input: mode.into(),
            layer: 1,
        };
        assert_eq!(self.ask(sections, of_first).len(), 4);
        let dependence = PositionDependence {
            of: head,
            text: vec![1, 2],
            cells,
        };
        assert_eq!(self.ask(dependence, of_first).len(), 22);
        let attention = HeadAttention {
            of: head,
            kernels: kernels(),
            n,
            cells,
            window,
            limit: 512,
            by: BackendChoice::Auto,
        };
        self.ask(attention.clone(), of_first);
        self.ask(AttentionPreview(attention), of_first);
        let first = FirstLayerAttention {
            of: head_of_first(mode, 0, 1),
            kernels: kernels(),
            n: 16,
            cells,
            words: Vec::new(),
        };
        assert_eq!(self.ask(first, of_first).len(), 4);
    }
}
