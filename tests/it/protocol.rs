//! The worker's protocol: what is sent is what arrives, and a session answers what it is asked.

use diagonal::{
    analysis::{
        Answer, Cells, HeadId, MatrixFormat, MatrixId, Origin, Part, Reply, Request, ScoreMode,
        Session, Similarity,
    },
    checkpoint::MemorySource,
    encoding::{Kernel, Kernels, Random, Sinusoidal},
    math::Window,
    model::Choice,
};
use std::cell::RefCell;

/// Collects answers, each sent through the wire's encoding.
#[derive(Default)]
pub(crate) struct Collected(pub(crate) RefCell<Vec<Answer>>);

impl Reply for Collected {
    fn send(&self, answer: Answer) {
        let bytes = postcard::to_allocvec(&answer).expect("an answer encodes");
        let back: Answer = postcard::from_bytes(&bytes).expect("an answer decodes");
        // NaN is not equal to itself, and a causal tile is full of it.
        assert_eq!(format!("{back:?}"), format!("{answer:?}"));
        self.0.borrow_mut().push(answer);
    }

    async fn pause(&self) {}
}

/// Asks a session and returns everything it says.
pub(crate) fn ask(
    session: &Session<MemorySource>,
    request: Request,
    source: Option<MemorySource>,
) -> Vec<Answer> {
    let bytes = postcard::to_allocvec(&request).expect("a request encodes");
    let request: Request = postcard::from_bytes(&bytes).expect("a request decodes");
    let files = source.into_iter().map(|source| ("file".to_owned(), source));
    let reply = Collected::default();
    pollster::block_on(session.answer(request, files.collect(), &reply));
    reply.0.into_inner()
}

fn kernels() -> Kernels {
    Kernels(vec![
        Kernel::new(2.0, 0.1, -1.0),
        Kernel::new(-1.0, 0.5, 3.0),
    ])
}

/// A session with the small BERT open under number 1.
pub(crate) fn with_bert() -> Session<MemorySource> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/bert/");
    let bytes = std::fs::read(format!("{folder}model.safetensors")).expect("a test file");
    let config = std::fs::read_to_string(format!("{folder}config.json")).expect("a test file");
    let session = Session::default();
    let origin = Origin::File {
        name: "model.safetensors".into(),
        config: Some(config),
    };
    let request = Request::Open(1, origin, Choice::default());
    let answers = ask(&session, request, Some(MemorySource::new(bytes)));
    assert!(
        answers
            .iter()
            .any(|answer| matches!(answer, Answer::Opened(_))),
        "{answers:?}"
    );
    session
}

#[test]
fn every_request_is_answered_and_ends() {
    let session = with_bert();
    let window = Window {
        rows: 3..40,
        cols: 10..47,
    };
    let head = HeadId {
        model: 1,
        mode: ScoreMode::AsComputed,
        layer: 1,
        head: 3,
    };
    let requests = [
        Request::Open(
            2,
            Origin::Sinusoidal(Sinusoidal::default()),
            Choice::default(),
        ),
        Request::Open(3, Origin::Random(Random::default()), Choice::default()),
        Request::Choose(
            1,
            Choice {
                heads: Some(8),
                ..Choice::default()
            },
        ),
        Request::Positions(1, Similarity::Cosine),
        Request::Spread(1, Similarity::InnerProduct),
        Request::PositionTile(1, Similarity::InnerProduct, Part::Residual, window.clone()),
        Request::Table(1),
        Request::Heads(1, ScoreMode::Paper),
        Request::Head(head),
        Request::HeadTile(head, window.clone()),
        Request::MixedAttention(head, kernels(), 64, Cells::Causal),
        Request::Matrix(MatrixId::Table(1), MatrixFormat::Csv, window.clone()),
        Request::Matrix(
            MatrixId::Head(head, Cells::Causal),
            MatrixFormat::Npy,
            window.clone(),
        ),
        Request::Matrix(
            MatrixId::Attention(kernels(), 32, Cells::Whole, Some(head)),
            MatrixFormat::Csv,
            window,
        ),
        Request::Close(3),
    ];
    for request in requests {
        let answers = ask(&session, request.clone(), None);
        assert_eq!(answers.last(), Some(&Answer::Done), "{request:?}");
    }
}

#[test]
fn what_is_not_open_is_a_sentence() {
    let session = with_bert();
    let absent = HeadId {
        model: 1,
        mode: ScoreMode::Paper,
        layer: 7,
        head: 0,
    };
    for request in [
        Request::Table(9),
        Request::Head(absent),
        Request::Choose(9, Choice::default()),
        Request::Heads(9, ScoreMode::Paper),
    ] {
        let answers = ask(&session, request.clone(), None);
        assert!(
            matches!(answers.as_slice(), [Answer::Failed(sentence)] if sentence.ends_with('.')),
            "{request:?}: {answers:?}"
        );
    }
}

#[test]
fn a_failed_choice_leaves_what_was_open() {
    let session = with_bert();
    let choice = Choice {
        heads: Some(7),
        ..Choice::default()
    };
    let answers = ask(&session, Request::Choose(1, choice), None);
    assert!(
        matches!(answers.last(), Some(Answer::Failed(_))),
        "{answers:?}"
    );
    let answers = ask(
        &session,
        Request::Positions(1, Similarity::InnerProduct),
        None,
    );
    assert_eq!(answers.last(), Some(&Answer::Done));
}
