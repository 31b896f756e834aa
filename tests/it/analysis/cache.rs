//! The query cache, without a worker.

use diagonal::analysis::{
    AnyQuestion, Cache, ErasedQuestion, Failure, FailureKind, FitOptions, Fits, HeadFits, Key,
    ModelVersion, Notification, QueryState, Question, ScoreInput, ScoreMode, WorkerCommand,
};
use proptest::prelude::*;
use std::collections::BTreeMap;

use crate::math::laws::config;

/// A question with simple chunks: sentences, collected in a list.
fn question(number: usize) -> HeadFits {
    HeadFits {
        of: ModelVersion {
            id: number as u32 % 2,
            revision: 1,
        },
        input: ScoreInput::Positions(ScoreMode::Paper),
        layer: Some(number),
        options: FitOptions::default(),
    }
}

fn erased_question(number: usize) -> ErasedQuestion {
    ErasedQuestion::new(question(number))
}

fn piece(sentence: &str) -> Vec<u8> {
    let piece: <HeadFits as Question>::Chunk = Err(sentence.to_owned());
    postcard::to_allocvec(&piece).expect("it encodes")
}

fn network() -> Failure {
    Failure::new(FailureKind::Network, "The server is gone.")
}

/// The number under which the only command sends a question.
fn sent_number(commands: &[WorkerCommand]) -> u32 {
    match commands {
        [WorkerCommand::Send(number, _)] => *number,
        other => panic!("{other:?}"),
    }
}

fn state(cache: &Cache, key: &Key) -> QueryState<Fits> {
    cache.state(key).of_type()
}

fn sentences(asked: &QueryState<Fits>) -> Vec<String> {
    let answer = asked.answer();
    answer.map(|fits| fits.refusals.clone()).unwrap_or_default()
}

#[test]
fn a_question_asked_twice_is_sent_once_and_cancelled_by_the_last_to_go() {
    let mut cache = Cache::default();
    let (key, commands) = cache.request(&erased_question(0));
    let number = sent_number(&commands);
    assert_eq!(commands, [WorkerCommand::Send(number, question(0).into())]);
    assert_eq!(
        cache.request(&erased_question(0)),
        (key.clone(), Vec::new())
    );
    let (other, commands) = cache.request(&erased_question(1));
    assert!(other != key && sent_number(&commands) != number);
    assert_eq!(cache.about(number), Some(question(0).of));

    assert_eq!(cache.release(&key), []);
    assert_eq!(cache.release(&key), [WorkerCommand::Cancel(number)]);
    // Chunks that were in transit at cancellation are ignored.
    assert_eq!(cache.receive_chunk(number, &piece("late")), None);
    assert_eq!(cache.receive(number, &Notification::Done), None);
    assert_eq!(state(&cache, &key), QueryState::Waiting);
    assert!(
        cache.is_busy(),
        "the other question is still being answered"
    );
    assert_eq!(cache.release(&key), [], "it has no users left");
}

#[test]
fn an_answer_comes_in_pieces_and_is_kept() {
    let mut cache = Cache::default();
    let (key, commands) = cache.request(&erased_question(0));
    let number = sent_number(&commands);
    assert!(state(&cache, &key).is_pending() && state(&cache, &key).answer().is_none());
    assert_eq!(
        cache.receive_chunk(number, &piece("one")),
        Some(key.clone())
    );
    let first = state(&cache, &key);
    assert!(matches!(first, QueryState::Partial(_)));
    let progress = Notification::Progress {
        bytes_read: 1,
        size: 2,
    };
    assert_eq!(cache.receive(number, &progress), None);
    assert_eq!(
        cache.receive_chunk(number, &piece("two")),
        Some(key.clone())
    );
    assert_eq!(
        sentences(&first),
        ["one"],
        "a partial answer does not change later"
    );
    assert_eq!(
        cache.receive(number, &Notification::Done),
        Some(key.clone())
    );
    assert!(matches!(state(&cache, &key), QueryState::Ready(_)) && !cache.is_busy());
    assert_eq!(sentences(&state(&cache, &key)), ["one", "two"]);

    // The answer is still cached for the next reader, even after a time without readers.
    assert_eq!(cache.release(&key), []);
    let (again, commands) = cache.request(&erased_question(0));
    assert_eq!((again == key, commands), (true, Vec::new()));
    assert_eq!(sentences(&state(&cache, &key)), ["one", "two"]);
}

#[test]
fn a_failure_keeps_what_had_come_and_can_be_tried_again() {
    let mut cache = Cache::default();
    let (key, commands) = cache.request(&erased_question(0));
    let number = sent_number(&commands);
    cache.receive_chunk(number, &piece("one"));
    assert_eq!(
        cache.receive(number, &Notification::Failed(network())),
        Some(key.clone())
    );
    let failed = state(&cache, &key);
    assert_eq!(failed.failure(), Some(&network()));
    assert_eq!(sentences(&failed), ["one"]);
    // A second figure shows the same failure and sends nothing; only a person retries.
    assert_eq!(cache.request(&erased_question(0)).1, []);
    let (keys, commands) = cache.retry();
    assert_eq!(keys, std::slice::from_ref(&key));
    assert_ne!(sent_number(&commands), number);
    assert_eq!(
        cache.retry(),
        (Vec::new(), Vec::new()),
        "it is being answered"
    );
    let number = sent_number(&commands);
    cache.receive_chunk(number, &piece("two"));
    cache.receive(number, &Notification::Done);
    assert_eq!(sentences(&state(&cache, &key)), ["two"]);

    // Returning to a failed question asks it again.
    let (key, commands) = cache.request(&erased_question(1));
    cache.receive(sent_number(&commands), &Notification::Failed(network()));
    cache.release(&key);
    sent_number(&cache.request(&erased_question(1)).1);
}

#[test]
fn what_cannot_be_an_answer_is_a_failure() {
    let mut cache = Cache::default();
    let (key, commands) = cache.request(&erased_question(0));
    let number = sent_number(&commands);
    cache.receive_chunk(number, &piece("one"));
    assert_eq!(cache.receive_chunk(number, &[7]), Some(key.clone()));
    let kind = |cache: &Cache| {
        let query = state(cache, &key);
        query.failure().map(|failure| failure.kind.clone())
    };
    assert_eq!(kind(&cache), Some(FailureKind::OurFault));
    // The failure remains until the question is asked again.
    cache.receive_chunk(number, &piece("two"));
    assert_eq!(kind(&cache), Some(FailureKind::OurFault));
    assert_eq!(cache.retry().1, [], "it is still being answered");
    cache.receive(number, &Notification::Done);
    assert_eq!(kind(&cache), Some(FailureKind::OurFault));
    let number = sent_number(&cache.retry().1);
    // An answer without a chunk is a failure.
    cache.receive(number, &Notification::Done);
    assert_eq!(kind(&cache), Some(FailureKind::OurFault));
}

#[test]
fn a_lost_worker_is_asked_again_once() {
    let mut cache = Cache::default();
    let (first, commands) = cache.request(&erased_question(0));
    let number = sent_number(&commands);
    let (second, commands) = cache.request(&erased_question(1));
    let other = sent_number(&commands);
    cache.receive_chunk(number, &piece("one"));
    let (keys, commands) = cache.worker_lost();
    assert_eq!(
        keys,
        [first.clone(), second.clone()],
        "in the order in which they were asked"
    );
    let [
        WorkerCommand::Send(number, a),
        WorkerCommand::Send(other_now, b),
    ] = commands.as_slice()
    else {
        panic!("{commands:?}");
    };
    assert_eq!(
        (a, b),
        (&AnyQuestion::from(question(0)), &question(1).into())
    );
    assert_eq!(
        cache.receive(other, &Notification::Done),
        None,
        "the lost worker is not heard"
    );
    // One is answered, the other loses a second worker.
    cache.receive_chunk(*other_now, &piece("two"));
    cache.receive(*other_now, &Notification::Done);
    let (keys, commands) = cache.worker_lost();
    assert_eq!((keys, commands), (vec![first.clone()], Vec::new()));
    assert!(!cache.is_busy() && cache.receive_chunk(*number, &piece("late")).is_none());
    let failed = state(&cache, &first);
    assert_eq!(
        failed.failure().map(|f| f.kind.clone()),
        Some(FailureKind::OurFault)
    );
    assert_eq!(sentences(&state(&cache, &second)), ["two"]);
    // A person may retry, and then the same rule applies.
    sent_number(&cache.retry().1);
    assert_eq!(cache.worker_lost().1.len(), 1);
    assert_eq!(cache.worker_lost().1.len(), 0);
}

#[test]
fn without_a_worker_all_running_questions_fail() {
    let mut cache = Cache::default();
    let (ready, commands) = cache.request(&erased_question(0));
    let number = sent_number(&commands);
    cache.receive_chunk(number, &piece("one"));
    cache.receive(number, &Notification::Done);
    let (running, _) = cache.request(&erased_question(1));
    assert_eq!(cache.fail_all(&network()), std::slice::from_ref(&running));
    assert_eq!(state(&cache, &running).failure(), Some(&network()));
    assert_eq!(sentences(&state(&cache, &ready)), ["one"]);
    assert!(!cache.is_busy());
}

#[test]
fn what_is_known_of_a_closed_model_is_forgotten() {
    let mut cache = Cache::default();
    let keys: Vec<Key> = (0..4)
        .map(|number| {
            let (key, commands) = cache.request(&erased_question(number));
            let sent = sent_number(&commands);
            cache.receive_chunk(sent, &piece("one"));
            cache.receive(sent, &Notification::Done);
            key
        })
        .collect();
    // Model 0 is that of questions 0 and 2; the latter still has a reader.
    for number in [0, 1, 3] {
        cache.release(&keys[number]);
    }
    cache.forget(0);
    let ready = |cache: &Cache| -> Vec<bool> {
        let is_ready = |key| matches!(state(cache, key), QueryState::Ready(_));
        keys.iter().map(is_ready).collect()
    };
    assert_eq!(ready(&cache), [false, true, true, true]);
    // An answer that is in use when its model is closed is dropped with its last reader.
    cache.release(&keys[2]);
    assert_eq!(ready(&cache), [false, true, false, true]);
    assert_eq!(cache.len(), 2);
}

/// Figures still read answers of a model when it is closed, and release them afterwards.
#[test]
fn models_that_are_opened_and_closed_leave_nothing() {
    let mut cache = Cache::default();
    for id in 0..200 {
        let of = ModelVersion { id, revision: 1 };
        let keys: Vec<(Key, u32)> = (0..3)
            .map(|number| {
                let question = ErasedQuestion::new(HeadFits {
                    of,
                    ..question(number)
                });
                let (key, commands) = cache.request(&question);
                (key, sent_number(&commands))
            })
            .collect();
        // The first answer is complete, the second has one chunk, the third none.
        cache.receive_chunk(keys[0].1, &piece("one"));
        cache.receive(keys[0].1, &Notification::Done);
        cache.receive_chunk(keys[1].1, &piece("one"));
        cache.forget(id);
        for (key, _) in keys {
            cache.release(&key);
        }
        assert!(
            cache.is_empty() && !cache.is_busy(),
            "model {id}: {cache:?}"
        );
    }
}

#[test]
fn what_was_looked_at_longest_ago_goes_first() {
    let mut cache = Cache::default();
    let long = "x".repeat(30 << 20);
    let keys: Vec<Key> = (0..4)
        .map(|number| {
            let (key, commands) = cache.request(&erased_question(number));
            let sent = sent_number(&commands);
            cache.receive_chunk(sent, &piece(&long));
            cache.receive(sent, &Notification::Done);
            key
        })
        .collect();
    let is_ready = |cache: &Cache| -> Vec<bool> {
        let is_ready = |key| matches!(state(cache, key), QueryState::Ready(_));
        keys.iter().map(is_ready).collect()
    };
    // Answers in use are kept, regardless of their size.
    assert_eq!(is_ready(&cache), [true; 4]);
    // The first question is the oldest, but is read until the end.
    for number in [2, 1, 3] {
        cache.release(&keys[number]);
    }
    assert_eq!(is_ready(&cache), [true; 4], "90 of 96 MB");
    cache.release(&keys[0]);
    assert_eq!(is_ready(&cache), [true, true, false, true]);
}

/// An operation on one of a few questions.
#[derive(Debug, Clone)]
enum Step {
    Want(usize),
    Release(usize),
    Piece(usize),
    Done(usize),
    Fail(usize),
    Retry,
    WorkerLost,
    /// Closes the model of questions 0 and 2.
    Close,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let which = 0..3_usize;
    let step = prop_oneof![
        4 => which.clone().prop_map(Step::Want),
        3 => which.clone().prop_map(Step::Release),
        4 => which.clone().prop_map(Step::Piece),
        2 => which.clone().prop_map(Step::Done),
        1 => which.prop_map(Step::Fail),
        1 => Just(Step::Retry),
        2 => Just(Step::WorkerLost),
        1 => Just(Step::Close),
    ];
    proptest::collection::vec(step, 1..60)
}

/// Reference model of a question's state.
#[derive(Debug, Clone, Default, PartialEq)]
struct Naive {
    wanted: usize,
    running: bool,
    pieces: usize,
    ended: Option<bool>,
    lost: usize,
    is_closed: bool,
}

impl Naive {
    /// Sent to the worker, from the beginning.
    fn send_next(&mut self) {
        (self.running, self.pieces, self.ended) = (true, 0, None);
    }

    fn end(&mut self, well: bool) {
        if self.running {
            (self.running, self.lost) = (false, 0);
            self.ended = Some(well && self.pieces > 0);
        }
    }

    fn step(&mut self, step: &Step, of_me: bool) {
        let failed = self.ended == Some(false);
        match step {
            Step::Close if of_me && self.wanted == 0 => *self = Self::default(),
            Step::Close if of_me => self.is_closed = true,
            Step::Want(_) if of_me => {
                self.wanted += 1;
                if !self.running && self.ended.is_none() {
                    self.send_next();
                }
            }
            Step::Release(_) if of_me && self.wanted > 0 => {
                self.wanted -= 1;
                if self.wanted == 0 && (self.ended != Some(true) || self.is_closed) {
                    *self = Self::default();
                }
            }
            Step::Piece(_) if of_me && self.running => self.pieces += 1,
            Step::Done(_) if of_me => self.end(true),
            Step::Fail(_) if of_me => self.end(false),
            Step::Retry if failed && self.wanted > 0 => self.send_next(),
            Step::WorkerLost if self.running => {
                self.send_next();
                self.lost += 1;
                if self.lost == 2 {
                    self.end(false);
                }
            }
            _ => {}
        }
    }
}

/// Index of the question that a command sends.
fn number_of(question: &AnyQuestion) -> usize {
    match question {
        AnyQuestion::HeadFits(fits) => fits.layer.expect("a layer"),
        other => panic!("{other:?}"),
    }
}

proptest! {
    #![proptest_config(config(256))]

    #[test]
    fn a_cache_is_its_definition(steps in steps()) {
        let mut cache = Cache::default();
        let mut naive = vec![Naive::default(); 3];
        let keys: Vec<Key> = (0..3).map(|at| Key::new(&question(at).into())).collect();
        // Questions pending in the worker, by the number under which they were sent.
        let mut pending: BTreeMap<u32, usize> = BTreeMap::new();
        for step in steps {
            let pending_number = |at: usize| pending.iter().find(|(_, of)| **of == at).map(|(number, _)| *number);
            let mut commands = Vec::new();
            match step {
                Step::Want(at) => commands = cache.request(&erased_question(at)).1,
                Step::Release(at) => commands = cache.release(&keys[at]),
                Step::Piece(at) => if let Some(number) = pending_number(at) {
                    cache.receive_chunk(number, &piece("one"));
                },
                Step::Done(at) => if let Some(number) = pending_number(at) {
                    pending.remove(&number);
                    cache.receive(number, &Notification::Done);
                },
                Step::Fail(at) => if let Some(number) = pending_number(at) {
                    pending.remove(&number);
                    cache.receive(number, &Notification::Failed(network()));
                },
                Step::Retry => commands = cache.retry().1,
                Step::Close => cache.forget(0),
                Step::WorkerLost => {
                    pending.clear();
                    commands = cache.worker_lost().1;
                }
            }
            for command in commands {
                match command {
                    WorkerCommand::Send(number, question) => {
                        prop_assert!(pending.insert(number, number_of(&question)).is_none());
                    }
                    WorkerCommand::Cancel(number) => prop_assert!(pending.remove(&number).is_some()),
                }
            }
            for (at, naive) in naive.iter_mut().enumerate() {
                let of_it = matches!(
                    step,
                    Step::Want(of) | Step::Release(of) | Step::Piece(of) | Step::Done(of) | Step::Fail(of) if of == at
                ) || matches!(step, Step::Close if question(at).of.id == 0);
                naive.step(&step, of_it);
                let times = pending.values().filter(|of| **of == at).count();
                prop_assert_eq!(times, usize::from(naive.running), "{:?}", step);
                let query = state(&cache, &keys[at]);
                prop_assert_eq!(sentences(&query).len(), naive.pieces);
                let expected = match (naive.ended, naive.pieces) {
                    (Some(well), _) => (well, !well),
                    (None, _) => (false, false),
                };
                let found = (matches!(query, QueryState::Ready(_)), query.failure().is_some());
                prop_assert_eq!(found, expected, "{:?}", step);
            }
            prop_assert_eq!(cache.is_busy(), !pending.is_empty());
        }
    }
}
