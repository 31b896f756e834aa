//! Scheduling: less urgent questions, questions about a model that is being opened, cancelled questions.

use diagonal::{
    analysis::{
        AnswerEvent, AnyQuestion, FitOptions, HeadFits, HeadList, InPlace, LayerSpectra,
        Notification, OpenModel, Origin, PositionOverview, Question, ResponseSink, ScoreInput,
        ScoreMode, Session, Similarity, SinusoidTest, Urgency,
    },
    checkpoint::{ByteSource, MemorySource, SourceError},
    model::ModelOptions,
};
use futures_util::{
    FutureExt,
    future::{LocalBoxFuture, join, poll_immediate},
};
use std::{cell::RefCell, future::poll_fn, ops::Range, pin::pin, task::Poll};

use crate::support::questions::{FIRST, collect_events, folder, with_bert};

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

/// Events of several questions, in order.
type Log = RefCell<Vec<(&'static str, AnswerEvent)>>;

/// Logs events under the name of its question, and yields at every pause.
struct Named<'a>(&'static str, &'a Log);

impl ResponseSink for Named<'_> {
    fn send(&self, event: AnswerEvent) {
        self.1.borrow_mut().push((self.0, event));
    }

    fn pause(&self) -> LocalBoxFuture<'_, ()> {
        give_way().boxed_local()
    }
}

/// The events logged under a name.
fn events(log: &Log, name: &str) -> Vec<AnswerEvent> {
    let log = log.borrow();
    let of_name = log.iter().filter(|(of, _)| *of == name);
    of_name.map(|(_, event)| event.clone()).collect()
}

const HEADS: HeadList = HeadList {
    of: FIRST,
    input: ScoreInput::Positions(ScoreMode::Paper),
};

fn fits() -> HeadFits {
    HeadFits {
        of: FIRST,
        input: ScoreInput::Positions(ScoreMode::Paper),
        layer: Some(0),
        options: FitOptions {
            kernels: 1,
            ..FitOptions::default()
        },
    }
}

#[test]
fn urgent_questions_are_answered_before_later_ones() {
    assert!(Urgency::Now < Urgency::Soon && Urgency::Soon < Urgency::Later);
    assert_eq!(
        (HeadList::URGENCY, HeadFits::URGENCY),
        (Urgency::Now, Urgency::Later)
    );
    let session = with_bert();
    let log = Log::default();
    let (now, later) = (Named("now", &log), Named("later", &log));
    pollster::block_on(join(
        session.answer(HEADS, Vec::new(), &now),
        session.answer(fits(), Vec::new(), &later),
    ));
    let log_now = log.borrow();
    let end = log_now.iter().position(|(name, event)| {
        *name == "now" && *event == AnswerEvent::News(Notification::Done)
    });
    let begin = log_now.iter().position(|(name, _)| *name == "later");
    assert!(
        end.expect("it ends") < begin.expect("it begins"),
        "one after the other"
    );
    assert_eq!(
        collect_events::<HeadFits>(events(&log, "later"))
            .pieces
            .len(),
        4
    );
}

#[test]
fn what_has_begun_goes_on() {
    let session = with_bert();
    let log = Log::default();
    let (now, later) = (Named("now", &log), Named("later", &log));
    let mut less_urgent = Box::pin(session.answer(fits(), Vec::new(), &later));
    assert!(pollster::block_on(poll_immediate(&mut less_urgent)).is_none());
    let mut urgent = Box::pin(session.answer(HEADS, Vec::new(), &now));
    assert!(pollster::block_on(poll_immediate(&mut urgent)).is_none());
    // It ends while the other one is still being answered.
    pollster::block_on(less_urgent);
    assert_eq!(
        collect_events::<HeadFits>(events(&log, "later"))
            .pieces
            .len(),
        4
    );
    let so_far = events(&log, "now");
    let is_progress =
        |event: &AnswerEvent| matches!(event, AnswerEvent::News(Notification::Progress { .. }));
    assert!(so_far.iter().all(is_progress), "{so_far:?}");
    pollster::block_on(urgent);
    assert_eq!(
        collect_events::<HeadList>(events(&log, "now")).failure,
        None
    );
}

#[test]
fn a_question_given_up_frees_the_others() {
    let session = with_bert();
    let log = Log::default();
    let (now, later) = (Named("now", &log), Named("later", &log));
    let mut waiting = Box::pin(session.answer(fits(), Vec::new(), &later));
    {
        let mut running = Box::pin(session.answer(HEADS, Vec::new(), &now));
        assert!(pollster::block_on(poll_immediate(&mut running)).is_none());
        assert!(pollster::block_on(poll_immediate(&mut waiting)).is_none());
    }
    assert_eq!(events(&log, "later"), [], "it has waited");
    pollster::block_on(waiting);
    assert_eq!(
        collect_events::<HeadFits>(events(&log, "later"))
            .pieces
            .len(),
        4
    );
}

/// Cancelled answers about waves stop early, and the next question is answered.
#[test]
fn cancelled_questions_about_waves_stop() {
    let session = with_bert();
    let spectra = LayerSpectra {
        of: FIRST,
        input: ScoreInput::Positions(ScoreMode::Paper),
    };
    let test = SinusoidTest { of: FIRST };
    for (question, steps) in [
        (AnyQuestion::from(spectra), 6),
        (AnyQuestion::from(test), 3),
    ] {
        let log = Log::default();
        let (given_up, now) = (Named("given up", &log), Named("now", &log));
        {
            let mut running = Box::pin(session.answer(question.clone(), Vec::new(), &given_up));
            for _ in 0..steps {
                assert!(
                    pollster::block_on(poll_immediate(&mut running)).is_none(),
                    "{question:?} takes longer"
                );
            }
        }
        let is_end = |event: &AnswerEvent| {
            matches!(
                event,
                AnswerEvent::News(Notification::Done | Notification::Failed(_))
            )
        };
        assert!(!events(&log, "given up").iter().any(is_end), "{question:?}");
        pollster::block_on(session.answer(HEADS, Vec::new(), &now));
        assert_eq!(
            collect_events::<HeadList>(events(&log, "now")).failure,
            None
        );
        // Asked again, the question gets its whole answer.
        let again = Named("again", &log);
        pollster::block_on(session.answer(question, Vec::new(), &again));
        assert!(events(&log, "again").last().is_some_and(is_end));
    }
}

/// A file that yields during each read.
#[derive(Clone)]
struct Slow(MemorySource);

impl ByteSource for Slow {
    fn size(&self) -> u64 {
        self.0.size()
    }

    async fn read(&self, range: Range<u64>) -> Result<Vec<u8>, SourceError> {
        give_way().await;
        self.0.read(range).await
    }
}

#[test]
fn a_question_waits_while_its_model_is_being_opened() {
    let files = || -> Vec<_> {
        let slow = folder("bert").into_iter();
        slow.map(|(name, file)| (name, Slow(file))).collect()
    };
    let session: Session<InPlace<Slow>> = Session::default();
    let open = OpenModel {
        version: FIRST,
        origin: Origin::Files,
        choice: ModelOptions::default(),
    };
    let ask = PositionOverview {
        of: FIRST,
        similarity: Similarity::InnerProduct,
    };
    let log = Log::default();
    let (opening, asking) = (Named("opening", &log), Named("asking", &log));
    pollster::block_on(join(
        session.answer(open.clone(), files(), &opening),
        session.answer(ask.clone(), Vec::new(), &asking),
    ));
    assert_eq!(
        collect_events::<OpenModel>(events(&log, "opening")).failure,
        None
    );
    assert_eq!(
        collect_events::<PositionOverview>(events(&log, "asking")).failure,
        None
    );

    // A cancelled opening releases the questions that wait for it.
    let session: Session<InPlace<Slow>> = Session::default();
    let log = Log::default();
    let (opening, asking) = (Named("opening", &log), Named("asking", &log));
    let mut waiting = pin!(session.answer(ask, Vec::new(), &asking));
    {
        let mut running = Box::pin(session.answer(AnyQuestion::from(open), files(), &opening));
        assert!(pollster::block_on(poll_immediate(&mut running)).is_none());
        assert!(pollster::block_on(poll_immediate(&mut waiting)).is_none());
    }
    pollster::block_on(waiting);
    let failure = collect_events::<PositionOverview>(events(&log, "asking")).failure;
    assert!(failure.is_some_and(|failure| failure == diagonal::analysis::Failure::model_closed()));
}
