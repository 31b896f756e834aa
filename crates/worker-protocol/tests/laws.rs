//! Messages survive their way, malformed ones are refused, and a connection loses no message and reports one loss.

use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use worker_protocol::{
    Connection, Content, FromWorker, Loss, SilenceCheck, SilenceLimit, Tag, ToWorker,
    WorkerProgram, decode, encode, whole_number,
};

/// A program that counts, for tests: a request for n is answered by the numbers 1 to n.
enum Counter {}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct CountTo {
    last: u32,
    name: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Count {
    Next(u32),
    Last { sum: f64, names: Vec<String> },
}

impl WorkerProgram for Counter {
    const NAME: &'static str = "counter";
    type Request = CountTo;
    type Response = Count;

    fn is_last(response: &Count) -> bool {
        matches!(response, Count::Last { .. })
    }
}

fn count() -> impl Strategy<Value = Count> {
    prop_oneof![
        any::<u32>().prop_map(Count::Next),
        (-1e9..1e9, prop::collection::vec(".*", 0..4))
            .prop_map(|(sum, names)| Count::Last { sum, names }),
    ]
}

fn content() -> impl Strategy<Value = Content> {
    prop_oneof![
        Just(Content::Missing),
        ".*".prop_map(Content::Text),
        prop::collection::vec(any::<u8>(), 0..20).prop_map(Content::Bytes),
    ]
}

proptest! {
    #[test]
    fn requests_and_responses_survive(last: u32, name: String, count in count()) {
        let request = CountTo { last, name };
        prop_assert_eq!(decode(&encode(&request)), Some(request));
        prop_assert_eq!(decode(&encode(&count)), Some(count));
    }

    #[test]
    fn other_bytes_are_refused_or_read_but_never_trap(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Some(count) = decode::<Count>(&bytes) {
            prop_assert!(encode(&count).len() <= bytes.len());
        }
    }

    #[test]
    fn a_message_that_is_cut_off_or_too_long_is_refused(count in count(), cut in 1_usize..40) {
        let bytes = encode(&count);
        let cut = cut.min(bytes.len());
        prop_assert_eq!(decode::<Count>(&bytes[..bytes.len() - cut]), None);
        prop_assert_eq!(decode::<Count>(&[&bytes[..], &[0]].concat()), None);
    }

    #[test]
    fn any_parts_give_a_message_or_none(
        number in any::<Option<f64>>(),
        tag in any::<Option<f64>>(),
        content in content(),
    ) {
        match ToWorker::from_parts(number, content.clone()) {
            Some(ToWorker::Request { number: read, request }) => {
                prop_assert_eq!(Some(f64::from(read)), number);
                prop_assert_eq!(Content::Bytes(request), content.clone());
            }
            Some(ToWorker::Cancel(read)) => prop_assert_eq!(Some(f64::from(read)), number),
            Some(ToWorker::Ping) => prop_assert_eq!(number, None),
            None => {}
        }
        if let Some(FromWorker::Response { number: read, response }) =
            FromWorker::from_parts(number, tag, content.clone())
        {
            prop_assert_eq!(Some(f64::from(read)), number);
            prop_assert_eq!(Content::Bytes(response), content);
        }
    }

    #[test]
    fn whole_numbers_are_numbers_of_messages(number: u32) {
        prop_assert_eq!(whole_number(number.into()), Some(number));
        prop_assert_eq!(whole_number(f64::from(number) + 0.5), None);
        prop_assert_eq!(whole_number(-1.0 - f64::from(number)), None);
    }

    /// Whatever happens, every message that was posted before the end and became due is returned once, in order.
    #[test]
    fn a_connection_loses_no_message(before in 0_usize..20, after in 0_usize..20, ends in any::<bool>()) {
        let mut connection = Connection::new(None);
        let mut posted = Vec::new();
        for message in 0..before {
            posted.extend(connection.open(message as u32, message));
        }
        prop_assert!(posted.is_empty());
        if ends {
            connection.end();
        }
        posted.extend(connection.receive(Some(&FromWorker::Ready)));
        for message in before..before + after {
            posted.extend(connection.post(message));
        }
        let due = if ends { 0 } else { before + after };
        prop_assert_eq!(posted, (0..due).collect::<Vec<_>>());
    }
}

#[test]
fn messages_are_read_by_their_tags() {
    let text = Content::Text("a sentence".to_owned());
    let read = |tag: Tag, content: &Content| {
        FromWorker::from_parts(Some(7.0), Some(f64::from(tag as u32)), content.clone())
    };
    assert_eq!(read(Tag::Ready, &Content::Missing), Some(FromWorker::Ready));
    assert_eq!(read(Tag::Alive, &Content::Missing), Some(FromWorker::Alive));
    assert_eq!(
        read(Tag::Locked, &Content::Missing),
        Some(FromWorker::Locked)
    );
    assert_eq!(
        read(Tag::Broken, &text),
        Some(FromWorker::Broken("a sentence".to_owned()))
    );
    assert_eq!(
        read(Tag::NotLoaded, &text),
        Some(FromWorker::NotLoaded("a sentence".to_owned()))
    );
    let response = vec![1, 2];
    assert_eq!(
        read(Tag::Response, &Content::Bytes(response.clone())),
        Some(FromWorker::Response {
            number: 7,
            response
        })
    );
    for content in [Content::Missing, text] {
        assert_eq!(read(Tag::Response, &content), None);
    }
    for tag in [6.0, 0.5, -1.0, f64::NAN] {
        let message = FromWorker::from_parts(Some(0.0), Some(tag), Content::Missing);
        assert_eq!(message, None, "{tag}");
    }
}

#[test]
fn the_script_of_workers_has_the_same_tags() {
    let script = include_str!("../../../xtask/src/worker_start.js");
    let constants = format!(
        "const ALIVE = {}, BROKEN = {}, LOCKED = {}, NOT_LOADED = {};",
        Tag::Alive as u32,
        Tag::Broken as u32,
        Tag::Locked as u32,
        Tag::NotLoaded as u32
    );
    assert!(script.contains(&constants), "{constants}");
}

/// A connection whose program is ready, and has a request to answer.
fn busy(limit: SilenceLimit) -> Connection<&'static str> {
    let mut connection = Connection::new(Some(limit));
    assert_eq!(connection.open(1, "one"), None);
    assert_eq!(connection.receive(Some(&FromWorker::Ready)), ["one"]);
    connection
}

/// Number of intervals until a silent worker is lost, and how often it is pinged.
fn until_lost(connection: &mut Connection<&str>) -> Option<(u32, u32)> {
    let mut pings = 0;
    for interval in 1..10_000 {
        match connection.check_silence() {
            SilenceCheck::Fine => {}
            SilenceCheck::Ping => pings += 1,
            SilenceCheck::Lost(loss) => {
                assert_eq!(loss, Loss::Silent);
                return Some((interval, pings));
            }
        }
    }
    None
}

#[test]
fn a_silent_worker_is_pinged_and_then_lost() {
    for seconds in [0, 1, 10, 60] {
        let limit = SilenceLimit::from_seconds(seconds);
        let (intervals, pings) = until_lost(&mut busy(limit)).expect("a loss");
        let lost_ms = intervals * limit.interval_ms();
        let limit_ms = 1000 * seconds.max(1);
        assert!(
            limit_ms <= lost_ms && lost_ms < limit_ms * 5 / 4,
            "{lost_ms}"
        );
        assert_eq!(pings, 10);
    }
}

#[test]
fn a_worker_that_speaks_or_has_nothing_to_do_is_not_lost() {
    let limit = SilenceLimit::from_seconds(10);
    let mut connection = busy(limit);
    // Any message is a sign of life, even one that is malformed.
    for message in [Some(&FromWorker::Alive), None] {
        for _ in 0..12 {
            assert!(!matches!(connection.check_silence(), SilenceCheck::Lost(_)));
        }
        assert!(connection.receive(message).is_empty());
    }
    connection.close(1);
    assert!(!connection.is_busy());
    assert_eq!(until_lost(&mut connection), None);
    // Silence begins with the next request, and a cancelled one has none.
    assert_eq!(connection.open(2, "two"), Some("two"));
    assert_eq!(until_lost(&mut connection), Some((13, 10)));
    assert_eq!(until_lost(&mut Connection::new(Some(limit))), None);
    assert_eq!(until_lost(&mut Connection::new(None)), None);
}

#[test]
fn a_program_that_is_being_loaded_has_a_minute() {
    let limit = SilenceLimit::from_seconds(10);
    let mut connection = Connection::new(Some(limit));
    assert_eq!(connection.receive(Some(&FromWorker::Alive)), [""; 0]);
    connection.open(1, "one");
    // It cannot answer a ping yet.
    let (intervals, pings) = until_lost(&mut connection).expect("a loss");
    let lost_ms = intervals * limit.interval_ms();
    assert!((60_000..62_000).contains(&lost_ms), "{lost_ms}");
    assert_eq!(pings, 0);
}

#[test]
fn a_loss_is_reported_once() {
    let mut connection = busy(SilenceLimit::from_seconds(10));
    assert!(connection.end());
    assert!(!connection.end());
    assert!(connection.is_over() && connection.is_ready() && !connection.is_busy());
    assert_eq!(connection.open(2, "two"), None);
    assert_eq!(connection.post("three"), None);
    assert_eq!(until_lost(&mut connection), None);
    assert_eq!(connection.check_start(), None);
}

#[test]
fn a_worker_that_is_never_heard_is_lost() {
    let mut silent = Connection::<&str>::new(None);
    assert_eq!(silent.check_start(), None);
    assert_eq!(silent.check_start(), Some(Loss::NeverHeard));
    let mut terminated = Connection::<&str>::new(None);
    assert_eq!(terminated.check_start(), None);
    terminated.end();
    assert_eq!(terminated.check_start(), None);
}

/// After a stall of the page, the timer of the first check runs before the worker's messages are received.
#[test]
fn a_worker_whose_first_message_is_received_late_is_not_lost() {
    for message in [
        Some(&FromWorker::Alive),
        Some(&FromWorker::Locked),
        Some(&FromWorker::Ready),
        None,
    ] {
        let mut connection = Connection::<&str>::new(None);
        assert_eq!(connection.check_start(), None);
        connection.receive(message);
        assert_eq!(connection.check_start(), None);
        assert!(!connection.is_over());
    }
}

#[test]
fn requests_of_a_second_program_are_answered() {
    // The way of a request and its responses through both sides, without the browser between them.
    let request = CountTo {
        last: 3,
        name: "sum".to_owned(),
    };
    let mut connection = Connection::new(Some(SilenceLimit::from_seconds(10)));
    let message = (9.0, Content::Bytes(encode(&request)));
    assert_eq!(connection.open(9, message), None);
    for (number, content) in connection.receive(Some(&FromWorker::Ready)) {
        let Some(ToWorker::Request { number, request }) =
            ToWorker::from_parts(Some(number), content)
        else {
            panic!("a request");
        };
        let CountTo { last, name } = decode(&request).expect("a request");
        let sum = f64::from((1..=last).sum::<u32>());
        let names = vec![name];
        let responses = (1..=last).map(Count::Next);
        for response in responses.chain([Count::Last { sum, names }]) {
            assert!(connection.is_busy());
            let tag = f64::from(Tag::Response as u32);
            let content = Content::Bytes(encode(&response));
            let message = FromWorker::from_parts(Some(f64::from(number)), Some(tag), content);
            assert!(connection.receive(message.as_ref()).is_empty());
            let Some(FromWorker::Response { number, response }) = message else {
                panic!("a response");
            };
            let response: Count = decode(&response).expect("a response");
            if Counter::is_last(&response) {
                connection.close(number);
            }
        }
    }
    assert!(!connection.is_busy());
    assert_eq!(Counter::NAME, "counter");
}
