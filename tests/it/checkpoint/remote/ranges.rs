//! A remote file, read by ranges: the requests, and the handling of responses that are late, cut or wrong.

use std::{
    collections::BTreeMap,
    pin::pin,
    task::{Context, Waker},
};

use diagonal::checkpoint::{ByteSource, RemoteError, RemoteSource};
use futures_util::future::join;
use pollster::block_on;

use super::{FIRST, Fault, SIZE, Server, URL, faults, open, read, requests, serve, server};

#[test]
fn the_first_request_brings_size_and_first_bytes_and_every_range_is_asked_for_once() {
    let (server, network) = server(|_| {});
    let source = open(&network, false).expect("a file");
    assert_eq!(source.size(), SIZE);
    assert!(source.is_remote());
    let file = serve(SIZE);
    let ranges = [
        (0..FIRST, 1),
        (FIRST - 10..FIRST + 10, 2),
        (FIRST..FIRST + 10, 2),
        (FIRST + 5..FIRST + 20, 3),
        (SIZE - 100..SIZE, 4),
        (SIZE - 50..SIZE, 4),
        // One request for the gap between the known ranges at both ends.
        (0..SIZE, 5),
        (12_345..SIZE - 1, 5),
        (7..7, 5),
    ];
    for (range, count) in ranges {
        let bytes = read(&source, range.clone()).expect("bytes");
        assert_eq!(bytes, file.bytes(range.clone()), "{range:?}");
        assert_eq!(requests(&server), count, "{range:?}");
    }
    // No byte was sent twice.
    assert_eq!(server.sent.get(), SIZE);
    // When the file is opened again, one request checks that it is the same; its bytes are still cached.
    let again = open(&network, false).expect("a file");
    assert_eq!(read(&again, 0..SIZE), Ok(file.bytes(0..SIZE)));
    assert_eq!(requests(&server), 6);
}

#[test]
fn two_readers_of_one_range_send_one_request() {
    let (server, network) = server(|_| {});
    let source = RemoteSource::lazy(&network, URL, false);
    assert_eq!((source.size(), requests(&server)), (0, 0));
    let wide = FIRST..FIRST + 1000;
    let (a, b) = block_on(join(
        source.read(wide.clone()),
        source.read(FIRST + 100..FIRST + 200),
    ));
    assert_eq!(a, Ok(serve(SIZE).bytes(wide)));
    assert_eq!(b, Ok(serve(SIZE).bytes(FIRST + 100..FIRST + 200)));
    assert_eq!(requests(&server), 2);
    // Separate ranges are requested concurrently.
    let apart = join(source.read(200_000..200_100), source.read(300_000..300_100));
    let (a, b) = block_on(apart);
    assert!(a.is_ok() && b.is_ok());
    assert_eq!(requests(&server), 4);
}

#[test]
fn a_dropped_reader_releases_its_range() {
    let (server, network) = server(|_| {});
    let source = open(&network, false).expect("a file");
    let range = 500_000..500_100;
    {
        let mut dropped = pin!(source.read(range.clone()));
        let polled = dropped
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()));
        assert!(polled.is_pending());
        assert_eq!(requests(&server), 2);
    }
    assert_eq!(read(&source, range.clone()), Ok(serve(SIZE).bytes(range)));
    assert_eq!(requests(&server), 3);
}

#[test]
fn trouble_that_may_pass_is_met_with_one_more_request_and_no_other_is() {
    use Fault::{
        CutOff, IgnoresRange, Longer, NextRange, OtherEtag, OtherSize, Shorter, Silent, Status,
        TotalTooSmall, Unreachable, WeakEtag,
    };
    let range = 200_000..200_100;
    for fault in [Unreachable, CutOff, Shorter, Status(503, None), WeakEtag] {
        let (server, network) = server(|_| {});
        faults(&server, &[fault]);
        let source = open(&network, false).expect("a file");
        faults(&server, &[fault]);
        assert_eq!(
            read(&source, range.clone()),
            Ok(serve(SIZE).bytes(range.clone()))
        );
        let repeated = if fault == WeakEtag { 0 } else { 2 };
        assert_eq!(requests(&server), 2 + repeated, "{fault:?}");
    }
    let refused = [
        (Unreachable, 2, "CORS"),
        (CutOff, 2, "broke off"),
        (Shorter, 2, "sent 50 bytes only"),
        (Status(500, None), 2, "status 500"),
        (Silent, 1, "nothing for 20 seconds"),
        (Longer, 1, "sent more"),
        (NextRange, 1, "sent 200001 to 200101"),
        (OtherEtag, 1, "changed on the server"),
        (OtherSize, 1, "changed on the server"),
        (
            TotalTooSmall,
            1,
            "says now that it has 1000. It changed on the server",
        ),
        (Status(416, None), 1, "changed on the server"),
        (IgnoresRange, 1, "only the whole of it, 1 MB"),
        (Status(429, None), 1, "too many requests"),
        (Status(404, None), 1, "no file at this address"),
        (Status(403, None), 1, "status 403"),
        (Status(401, Some("GatedRepo")), 1, "gated"),
        (Status(401, Some("RepoNotFound")), 1, "no such model"),
        (Status(404, Some("RevisionNotFound")), 1, "after the @"),
        (Status(302, None), 1, "status 302"),
    ];
    for (fault, count, words) in refused {
        let (server, network) = server(|_| {});
        let source = open(&network, false).expect("a file");
        faults(&server, &vec![fault; count]);
        let sentence = read(&source, range.clone()).expect_err("a refusal");
        assert!(sentence.contains(words), "{fault:?}: {sentence}");
        assert!(
            sentence.ends_with('.') && !sentence.contains(".."),
            "{sentence}"
        );
        assert_eq!(requests(&server), 1 + count, "{fault:?}");
        // The next read requests the range again.
        assert_eq!(
            read(&source, range.clone()),
            Ok(serve(SIZE).bytes(range.clone()))
        );
    }
}

#[test]
fn the_date_of_a_file_counts_where_a_server_sends_no_entity_tag() {
    let range = 200_000..200_100;
    let changed = |lacks: &'static [&'static str], faults_of_range: &[Fault]| {
        let (server, network) = server(|server| server.lacks = lacks);
        let source = open(&network, false).expect("a file");
        faults(&server, faults_of_range);
        let bytes = read(&source, range.clone());
        bytes.is_err_and(|sentence| sentence.contains("changed on the server"))
    };
    assert!(changed(&["etag"], &[Fault::OtherDate]));
    assert!(!changed(&["etag"], &[]));
    // Replicas may differ in their dates, and agree in their tags.
    assert!(!changed(&[], &[Fault::OtherDate]));
    assert!(changed(&["last-modified"], &[Fault::OtherEtag]));
    assert!(!changed(&["etag", "last-modified"], &[Fault::OtherDate]));
}

#[test]
fn an_answer_that_sends_more_than_the_whole_file_contradicts_itself() {
    let (server, network) = server(|_| {});
    faults(&server, &[Fault::TotalTooSmall]);
    let sentence = open(&network, false).expect_err("a refusal").to_string();
    assert!(
        sentence.contains("bytes 0 to 65536 of a file of 1000 bytes"),
        "{sentence}"
    );
}

#[test]
fn the_way_redirects_led_is_remembered_until_it_closes() {
    let (from, to) = ("https://example.org", "https://elsewhere.example.org");
    let (server, network) = server(|server| server.redirect = Some((from, to)));
    let source = open(&network, false).expect("a file");
    assert!(read(&source, 100_000..100_001).is_ok());
    faults(&server, &[Fault::Status(403, None)]);
    assert!(read(&source, 200_000..200_001).is_ok());
    assert!(read(&source, 300_000..300_001).is_ok());
    let log = server.log.borrow();
    let is_redirected: Vec<bool> = log.iter().map(|(url, _)| url.starts_with(to)).collect();
    assert_eq!(is_redirected, [false, true, true, false, false]);
}

#[test]
fn a_server_that_hides_its_headers_is_asked_for_the_size_in_another_way() {
    let (server, network) = server(|server| server.hides_headers = true);
    let source = open(&network, false).expect("a file");
    assert_eq!((source.size(), requests(&server)), (SIZE, 2));
    let range = 300_000..300_010;
    assert_eq!(read(&source, range.clone()), Ok(serve(SIZE).bytes(range)));
    // The plain request was for its headers alone.
    assert_eq!(server.sent.get(), FIRST + 10);
    faults(&server, &[Fault::Longer]);
    assert!(read(&source, 400_000..400_010).is_err());

    let small = |server: &mut Server| {
        server.hides_headers = true;
        server.files = BTreeMap::from([(URL.to_owned(), serve(1000))]);
    };
    let (server, network) = self::server(small);
    let source = open(&network, false).expect("a file");
    assert_eq!((source.size(), requests(&server)), (1000, 1));
}

#[test]
fn a_whole_file_is_taken_when_allowed_or_small() {
    let (server, network) = server(|server| server.no_ranges = true);
    let refused = open(&network, false).expect_err("a question");
    assert_eq!(refused, RemoteError::RangeIgnored { size: Some(SIZE) });
    assert_eq!(server.sent.get(), 0, "nothing of the body was read");
    let source = open(&network, true).expect("a file");
    assert!(!source.is_remote());
    assert_eq!(read(&source, 5..SIZE), Ok(serve(SIZE).bytes(5..SIZE)));
    assert_eq!(requests(&server), 2);
    assert!(read(&source, 5..SIZE + 1).is_err());

    for (size, allowed, expected) in [
        (FIRST, false, Ok(FIRST)),
        (
            FIRST + 1,
            false,
            Err(RemoteError::RangeIgnored {
                size: Some(FIRST + 1),
            }),
        ),
        (
            1 << 40,
            true,
            Err(RemoteError::TooLarge { limit: 512 << 20 }),
        ),
    ] {
        let (server, network) = self::server(|server| {
            server.no_ranges = true;
            server.files = BTreeMap::from([(URL.to_owned(), serve(size))]);
        });
        assert_eq!(
            open(&network, allowed).map(|source| source.size()),
            expected
        );
        assert!(server.sent.get() <= FIRST);
    }
}

#[test]
fn the_first_answer_is_believed_no_more_than_the_others() {
    use Fault::{Longer, NextRange, OtherEtag, Shorter};
    for (fault, times) in [(Longer, 1), (NextRange, 1), (Shorter, 2)] {
        let (server, network) = server(|_| {});
        faults(&server, &vec![fault; times]);
        open(&network, false).expect_err("a refusal");
        assert_eq!(requests(&server), times, "{fault:?}");
    }
    // Any version is accepted for the first response; the second must have the same.
    let (server, network) = server(|_| {});
    faults(&server, &[OtherEtag, OtherEtag, Fault::Nothing]);
    let source = open(&network, false).expect("a file");
    assert!(read(&source, 100_000..100_001).is_ok());
    assert!(read(&source, 200_000..200_001).is_err());
}

#[test]
fn sizes_from_nothing_to_beyond_32_bits_open() {
    for size in [0, 1, FIRST - 1, FIRST, FIRST + 1, (6 << 30) + 1] {
        let (server, network) = server(|server| {
            server.files = BTreeMap::from([(URL.to_owned(), serve(size))]);
        });
        let source = open(&network, false).expect("a file");
        assert_eq!(source.size(), size);
        let last = size.saturating_sub(3)..size;
        assert_eq!(read(&source, last.clone()), Ok(serve(size).bytes(last)));
        assert!(read(&source, size..size + 1).is_err());
        assert!(read(&source, 0..u64::MAX).is_err());
        assert!(requests(&server) <= 2);
    }
}
