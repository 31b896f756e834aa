//! Closing a model at any moment releases everything that a session holds of it.

use diagonal::{
    analysis::{
        AnswerEvent, CloseModel, CorrectionEffects, FailureKind, FitOptions, HeadFits, HeadList,
        InPlace, Notification, OpenModel, Origin, PositionOverview, ResponseSink, ScoreInput,
        ScoreMode, Session, Similarity, TableWaves,
    },
    checkpoint::{ByteSource, MemorySource, SourceError},
    model::ModelOptions,
};
use futures_util::{
    FutureExt,
    future::{LocalBoxFuture, join},
};
use std::{cell::RefCell, future::poll_fn, ops::Range, rc::Rc, task::Poll};

use crate::support::questions::{FIRST, ask, folder};

/// Yields to the executor once.
async fn give_way() {
    let mut before = false;
    poll_fn(|context| {
        if std::mem::replace(&mut before, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// A file that counts its owners. Yields during each read, as in a browser.
struct Counted {
    file: MemorySource,
    #[expect(dead_code, reason = "its owners are counted")]
    owner: Rc<()>,
}

impl ByteSource for Counted {
    fn size(&self) -> u64 {
        self.file.size()
    }

    async fn read(&self, range: Range<u64>) -> Result<Vec<u8>, SourceError> {
        give_way().await;
        self.file.read(range).await
    }
}

/// Collects a session's events, and yields at every pause.
#[derive(Default)]
struct Said(RefCell<Vec<AnswerEvent>>);

impl ResponseSink for Said {
    fn send(&self, event: AnswerEvent) {
        self.0.borrow_mut().push(event);
    }

    fn pause(&self) -> LocalBoxFuture<'_, ()> {
        give_way().boxed_local()
    }
}

impl Said {
    fn has_ended(&self) -> bool {
        let is_end = |event: &AnswerEvent| {
            matches!(
                event,
                AnswerEvent::News(Notification::Done | Notification::Failed(_))
            )
        };
        self.0.borrow().iter().any(is_end)
    }
}

const CLOSE: CloseModel = CloseModel { id: FIRST.id };

fn open_question() -> OpenModel {
    OpenModel {
        version: FIRST,
        origin: Origin::Files,
        choice: ModelOptions::default(),
    }
}

/// Files of each kind of opening: a model, a sharded one, one without a shard, one whose table must be chosen.
fn kinds() -> [Vec<(String, MemorySource)>; 4] {
    let all = folder("bert-sharded");
    let without_last = {
        let mut files = folder("bert-sharded");
        let at = files
            .iter()
            .rposition(|(name, _)| name.ends_with(".safetensors"));
        files.remove(at.expect("a shard"));
        files
    };
    let unknown = folder("numpy")
        .into_iter()
        .find(|(name, _)| name.ends_with(".npy"));
    [
        folder("bert"),
        all,
        without_last,
        unknown.into_iter().collect(),
    ]
}

fn count_files(files: &[(String, MemorySource)], owner: &Rc<()>) -> Vec<(String, Counted)> {
    let counted = |(name, file): &(String, MemorySource)| {
        let owner = Rc::clone(owner);
        let file = file.clone();
        (name.clone(), Counted { file, owner })
    };
    files.iter().map(counted).collect()
}

#[test]
fn a_closed_model_leaves_nothing() {
    for files in kinds() {
        let (session, owner) = (Session::<InPlace<Counted>>::default(), Rc::new(()));
        for _ in 0..3 {
            let sink = Said::default();
            pollster::block_on(session.answer(open_question(), count_files(&files, &owner), &sink));
            // Every question is answered or refused.
            let of = FIRST;
            let mode = ScoreMode::Paper;
            let options = FitOptions {
                kernels: 1,
                ..FitOptions::default()
            };
            let similarity = Similarity::InnerProduct;
            let _ = ask(&session, PositionOverview { of, similarity });
            let _ = ask(
                &session,
                HeadList {
                    of,
                    input: mode.into(),
                },
            );
            let _ = ask(&session, TableWaves { of });
            let _ = ask(&session, CorrectionEffects { of });
            let layer = Some(0);
            let _ = ask(
                &session,
                HeadFits {
                    of,
                    input: mode.into(),
                    layer,
                    options,
                },
            );
            ask(&session, CLOSE).expect("it is closed");
            assert_eq!(Rc::strong_count(&owner), 1, "{:?}", files[0].0);
        }
    }
}

/// A model that is closed while it is being opened does not appear, at any stage.
#[test]
fn a_model_that_is_closed_while_it_is_opened_stays_closed() {
    for files in kinds() {
        let mut moments = 0;
        let is_late = |moment: usize| {
            let (session, owner) = (Session::<InPlace<Counted>>::default(), Rc::new(()));
            let (sink, closed) = (Said::default(), Said::default());
            let mut is_late = false;
            pollster::block_on(join(
                session.answer(open_question(), count_files(&files, &owner), &sink),
                async {
                    for _ in 0..moment {
                        give_way().await;
                    }
                    is_late = sink.has_ended();
                    session.answer(CLOSE, Vec::new(), &closed).await;
                },
            ));
            assert_eq!(Rc::strong_count(&owner), 1, "{:?} at {moment}", files[0].0);
            let list = HeadList {
                of: FIRST,
                input: ScoreInput::Positions(ScoreMode::Paper),
            };
            let failure = ask(&session, list).expect_err("it is closed");
            assert_eq!(failure.kind, FailureKind::Closed);
            is_late
        };
        while !is_late(moments) {
            moments += 1;
            assert!(moments < 10_000, "the opening never ends");
        }
        assert!(moments > 0, "it is opened at once");
    }
}
