//! Reports of a run against the trainer's own numbers, and against what the page reads from the same snapshot.

use crate::support::questions::{FIRST, ask, ask_with_files, open};
use diagonal::{
    analysis::{HeadList, MemorySession, ModelOverview, ScoreInput, Similarity, TableWaves},
    checkpoint::MemorySource,
    model::{ModelOptions, ScoreMode},
    training::{
        CONFIG_FILE, EncodingName, HeadSource, HeldOutEvaluation, KernelSource, SnapshotDetail,
        TrainingReport, TrainingSession, WEIGHTS_FILE, snapshot_question,
    },
};

/// A session after some steps of a small run.
pub(super) fn session_after(link: &str, steps: u32) -> TrainingSession {
    let recipe = link.parse().expect(link);
    let mut session = TrainingSession::new(&recipe, b"").expect(link);
    for _ in 0..steps {
        session.step().expect("a finite loss");
    }
    session
}

/// The report of a session now, as the page makes it.
pub(crate) fn report_of(session: &mut TrainingSession) -> TrainingReport {
    let state = session.state().expect("a finite loss");
    let recipe = session.description().recipe.parse().expect("a recipe");
    let scores = snapshot_question(&recipe, SnapshotDetail::All).map(|question| {
        ask_with_files(&MemorySession::default(), question, files(session)).expect("scores")
    });
    TrainingReport::new(state, scores)
}

/// The files of the session's snapshot now.
pub(super) fn files(session: &TrainingSession) -> Vec<(String, MemorySource)> {
    let config = session.description().config.into_bytes();
    [
        (WEIGHTS_FILE, session.weights_file()),
        (CONFIG_FILE, config),
    ]
    .map(|(name, bytes)| (name.to_owned(), MemorySource::new(bytes)))
    .into()
}

#[test]
fn every_encoding_reports_its_heads() {
    for encoding in EncodingName::ALL {
        let link = format!("offset2.{encoding}.n16d16l2h2r2b4.1.20");
        let mut session = session_after(&link, 3);
        let report = report_of(&mut session);
        assert_eq!((report.step, report.tokens), (3, 3 * 16 * 4), "{encoding}");
        assert!(report.train_loss.is_some_and(f64::is_finite), "{encoding}");
        assert!((0.0..=1.0).contains(&report.held_out_accuracy));
        let places: Vec<_> = report.heads.iter().map(|h| (h.layer, h.head)).collect();
        assert_eq!(places, [(0, 0), (0, 1), (1, 0), (1, 1)], "{encoding}");
        for head in &report.heads {
            assert_eq!(head.attention.len(), 31);
            // Each row of attention sums to one, and so does the sum over offsets, weighted by their number of cells.
            let sum: f64 = (head.attention.iter().enumerate())
                .map(|(at, share)| share * (16 - at.abs_diff(15)) as f64 / 16.0)
                .sum();
            assert!((sum - 1.0).abs() < 1e-5, "{encoding}: {sum}");
            let peak = head.attention[(head.peak_offset + 15) as usize];
            assert_eq!(peak, head.peak_share);
        }
        let (kernels, source) = match encoding {
            EncodingName::Tisa(count) | EncodingName::LearnedAndTisa(count) => {
                (4 * count, KernelSource::Parameters)
            }
            encoding if encoding.has_positional_scores() => (4 * 3, KernelSource::Fits),
            _ => (0, KernelSource::Parameters),
        };
        assert_eq!(report.kernel_source, source, "{encoding}");
        // A head whose scores need fewer kernels has fewer.
        match source {
            KernelSource::Parameters => assert_eq!(report.kernels.len(), kernels, "{encoding}"),
            KernelSource::Fits => assert!((1..=kernels).contains(&report.kernels.len())),
        }
        let has_table = report.positions.as_ref().is_some_and(|p| p.table.is_some());
        assert_eq!(has_table, encoding.has_table(), "{encoding}");
        let has_waves = report.positions.as_ref().is_some_and(|p| p.waves.is_some());
        assert_eq!(has_waves, has_table, "{encoding}");
        let from_weights = report.heads.iter().all(|h| h.source == HeadSource::Weights);
        // Rotary positions have no scores without words; those of Shaw's keys are the mean word's.
        assert_eq!(from_weights, encoding.has_positional_scores(), "{encoding}");
    }
}

#[test]
fn a_report_has_the_numbers_of_the_opened_snapshot() {
    let mut trained = session_after("chain.learned.n16d16l2h2r2b4.1.20", 5);
    let report = report_of(&mut trained);
    let session = MemorySession::default();
    open(&session, files(&trained), ModelOptions::default()).expect("a snapshot opens");
    let positions = report.positions.expect("a table");
    let (waves, asked) = (
        positions.waves.expect("waves"),
        ask(&session, TableWaves { of: FIRST }),
    );
    let asked = asked.expect("waves");
    assert_eq!(
        (asked.spectrum, asked.density),
        (waves.spectrum, waves.density)
    );
    for (similarity, brief) in [
        (Similarity::InnerProduct, positions.inner_products),
        (Similarity::Cosine, positions.cosines),
    ] {
        let of = FIRST;
        let asked = ask(&session, ModelOverview { of, similarity }).expect("positions");
        assert_eq!(asked, brief);
    }
    let question = HeadList {
        of: FIRST,
        input: ScoreInput::Positions(ScoreMode::default()),
    };
    let heads = ask(&session, question).expect("heads");
    for (asked, head) in heads.iter().zip(&report.heads) {
        assert_eq!(asked.r2.to_bits(), head.r2.to_bits());
        assert_eq!(asked.thumbnail, head.picture);
    }
}

#[test]
fn reports_and_pauses_change_nothing() {
    let link = "text.learned-tisa2.n16d16l1h2r2b4.7.20";
    let text = "the cat sat on the mat and the dog sat on the log. ".repeat(20);
    let run = |reports: bool| {
        let recipe = link.parse().expect(link);
        let mut session = TrainingSession::new(&recipe, text.as_bytes()).expect("a text");
        while !session.is_finished() {
            session.step().expect("a finite loss");
            if reports {
                // A pause leaves an evaluation unfinished.
                assert!(session.evaluate_batch(&mut HeldOutEvaluation::default()));
                let state = session.state().expect("a finite loss");
                let mut evaluation = HeldOutEvaluation::default();
                while session.evaluate_batch(&mut evaluation) {}
                let in_parts = session.evaluated_state(evaluation);
                assert_eq!(in_parts.expect("a finite loss"), state);
                report_of(&mut session);
                assert_eq!(session.lengths().len(), 6);
                session.take_losses();
            }
        }
        // A step after the end does nothing.
        session.step().expect("nothing to do");
        session.weights_file()
    };
    assert_eq!(run(false), run(true));
}

#[test]
fn losses_are_taken_once_and_lengths_have_a_loss_or_a_sentence() {
    let mut session = session_after("offset2.learned.n16d16l1h2r2b4.1.20", 4);
    assert_eq!(session.take_losses().len(), 4);
    assert_eq!(session.take_losses().len(), 0);
    let lengths = session.lengths();
    let places: Vec<usize> = lengths.iter().map(|score| score.length).collect();
    assert_eq!(places, [8, 16, 24, 32, 48, 64]);
    for score in lengths {
        match score.score {
            Ok((loss, accuracy)) => {
                assert!(score.length <= 16 && loss.is_finite() && (0.0..=1.0).contains(&accuracy));
            }
            Err(sentence) => {
                assert!(score.length > 16 && sentence.ends_with('.'), "{sentence}");
            }
        }
    }
    let relative = session_after("offset2.tisa2.n16d16l1h2r2b4.1.20", 1);
    assert!(relative.lengths().iter().all(|score| score.score.is_ok()));
}
