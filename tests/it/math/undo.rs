//! Undo and redo.

use diagonal::undo::UndoHistory;
use proptest::{collection::vec, option, prelude::*};

#[derive(Debug, Clone)]
enum Step {
    Change(Option<u32>),
    EndGesture,
    Undo,
    Redo,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => option::of(0..2_u32).prop_map(Step::Change),
        1 => Just(Step::EndGesture),
        3 => Just(Step::Undo),
        2 => Just(Step::Redo),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Against a reference history: a list of all states, and an index.
    #[test]
    fn undo_is_a_row_of_states_and_a_place(steps in vec(step(), 0..80)) {
        let mut history = UndoHistory::default();
        let (mut states, mut place, mut gesture) = (vec![0], 0, None);
        for (value, step) in (1..).zip(steps) {
            let present: i32 = states[place];
            match step {
                Step::Change(of) => {
                    history.record(present, of);
                    if of.is_none() || of != gesture {
                        states.truncate(place + 1);
                        states.push(value);
                        place += 1;
                    } else {
                        states[place] = value;
                    }
                    gesture = of;
                }
                Step::EndGesture => {
                    history.end_gesture();
                    gesture = None;
                }
                Step::Undo => {
                    let before = history.undo(present);
                    prop_assert_eq!(before, place.checked_sub(1).map(|at| states[at]));
                    place = place.saturating_sub(1);
                    gesture = None;
                }
                Step::Redo => {
                    let after = history.redo(present);
                    prop_assert_eq!(after, states.get(place + 1).copied());
                    place = (place + 1).min(states.len() - 1);
                    gesture = None;
                }
            }
            prop_assert_eq!(history.can_undo(), place > 0);
            prop_assert_eq!(history.can_redo(), place + 1 < states.len());
        }
    }
}

#[test]
fn the_oldest_steps_are_forgotten() {
    let mut history = UndoHistory::default();
    for value in 0..1000 {
        history.record(value, None);
    }
    let mut present = 1000;
    let mut steps = 0;
    while let Some(before) = history.undo(present) {
        assert_eq!(before, present - 1);
        (present, steps) = (before, steps + 1);
    }
    assert_eq!(steps, 200);
}
