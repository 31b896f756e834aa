//! Questions without an answer, and answers that may stay until another arrives.

use crate::{
    checkpoint::hostile::assert_is_sentence,
    support::questions::{ask, head_of_first, open_otherwise, with_bert},
};
use diagonal::{
    analysis::{
        FailureKind, HeadList, HeadOverview, ModelVersion, PositionOverview, Question, ScoreInput,
        ScoreMode, Similarity, TableTile,
    },
    model::ModelOptions,
};

#[test]
fn what_is_not_open_is_a_sentence() {
    let session = with_bert();
    let nothing = ModelVersion { id: 9, revision: 1 };
    let choice = ModelOptions::default();
    let failures = [
        (
            ask(
                &session,
                TableTile {
                    of: nothing,
                    limit: 512,
                },
            )
            .err(),
            FailureKind::Closed,
        ),
        (
            ask(
                &session,
                HeadList {
                    of: nothing,
                    input: ScoreInput::Positions(ScoreMode::Paper),
                },
            )
            .err(),
            FailureKind::Closed,
        ),
        (
            open_otherwise(&session, nothing, choice).err(),
            FailureKind::Closed,
        ),
        (
            ask(
                &session,
                HeadOverview {
                    of: head_of_first(ScoreMode::Paper, 7, 0),
                },
            )
            .err(),
            FailureKind::NotThere,
        ),
    ];
    for (failure, kind) in failures {
        let failure = failure.expect("no answer");
        assert_is_sentence(&failure.to_string());
        assert_eq!(failure.kind, kind, "{failure}");
    }
}

#[test]
fn what_was_said_of_the_table_alone_stays_until_the_whole_model_is_there() {
    let similarity = Similarity::Cosine;
    let about = |of| PositionOverview { of, similarity };
    let part = ModelVersion::table_alone(7);
    let opened = |id, revision| ModelVersion { id, revision };
    assert!(part.is_table_alone() && !opened(7, 0).is_table_alone());
    // The whole model's answer succeeds that of the table alone.
    assert!(about(opened(7, 3)).replaces(&about(part)));
    // No other answer does: not of another model, not of other options, and not of the table alone after the whole.
    assert!(!about(opened(8, 3)).replaces(&about(part)));
    assert!(!about(ModelVersion::table_alone(8)).replaces(&about(part)));
    assert!(!about(opened(7, 4)).replaces(&about(opened(7, 3))));
    assert!(!about(part).replaces(&about(opened(7, 3))));
    // The table alone has no heads.
    let head = |model| HeadOverview {
        of: diagonal::analysis::HeadId {
            model,
            ..head_of_first(ScoreMode::Paper, 0, 0)
        },
    };
    assert!(!head(opened(7, 4)).replaces(&head(opened(7, 3))));
}
