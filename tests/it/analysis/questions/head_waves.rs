//! Questions about the waves in queries and keys.

use super::Answered;
use crate::support::questions::{FIRST, head_of_first};
use diagonal::{
    analysis::{
        AttentionMask, HeadConvolutions, HeadGrouping, HeadRotation, HeadShifts, HeadWaves,
        LayerSpectra, RandomGroups, RandomProfiles, RetargetHead, RetargetedAttention,
        RetargetedWeights, ScoreInput, ScoreMode,
    },
    math::GroupCount,
};

impl Answered {
    /// Asks about the waves of the first model’s heads, their groups, and turned keys.
    pub(super) fn ask_about_head_waves(&mut self) {
        let (of, of_first) = (FIRST, Some(FIRST));
        let mode = ScoreMode::Paper;
        let head = head_of_first(ScoreMode::AsComputed, 1, 3);
        self.ask(HeadWaves { of: head }, of_first).expect("waves");
        let turn = self.ask(HeadRotation { of: head }, of_first);
        turn.expect("a rotation");
        let shifts = HeadShifts {
            of,
            input: mode.into(),
        };
        assert_eq!(self.ask(shifts, of_first).len(), 8);
        assert_eq!(
            self.ask(
                LayerSpectra {
                    of,
                    input: mode.into()
                },
                of_first
            )
            .len(),
            2
        );
        let grouping = HeadGrouping {
            of,
            input: ScoreInput::Positions(ScoreMode::AsComputed),
            count: GroupCount::Chosen(2),
            seed: 1,
        };
        let groups = self.ask(grouping.clone(), of_first).clusters;
        let profiles = RandomProfiles {
            of,
            input: mode.into(),
            layer: 0,
        };
        let shared = self.ask(profiles, of_first).expect("products");
        assert!(shared.sharing <= shared.heads);
        let chance = self.ask(RandomGroups { grouping }, of_first);
        assert_eq!(chance.expect("products").sizes.len(), groups.traces.len());
        let turned_head = head_of_first(ScoreMode::AsComputed, 0, 1);
        let retarget = RetargetHead {
            of: turned_head,
            cells: AttentionMask::Whole,
        };
        let retargeting = self.ask(retarget, of_first).expect("a table");
        let attention = RetargetedAttention {
            of: turned_head,
            cells: AttentionMask::Whole,
            shift: 2,
        };
        assert!(self.ask(attention, of_first).is_ok());
        let weights = RetargetedWeights {
            of: turned_head,
            shift: 2,
        };
        let saved = self.ask(weights, of_first);
        let name = retargeting.tensor.as_bytes();
        assert!(saved.windows(name.len()).any(|bytes| bytes == name));
        assert_eq!(
            self.ask(
                HeadConvolutions {
                    of,
                    input: mode.into()
                },
                of_first
            )
            .len(),
            2
        );
        assert_eq!((groups.names.len(), groups.of.len()), (2, 8));
    }
}
