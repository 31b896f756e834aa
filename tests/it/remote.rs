//! Files on servers, against a server that is a script: what it does wrong, it does when told to.

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, VecDeque},
    future::poll_fn,
    ops::Range,
    pin::pin,
    rc::Rc,
    task::{Context, Poll, Waker},
};

use diagonal::checkpoint::{
    Address, AddressError, ByteSource, Checkpoint, Fetch, FetchError, HUB, HubError, HubName,
    HubWeights, Network, RemoteError, RemoteSource, Response,
};
use futures_util::future::join;
use pollster::block_on;

/// What goes wrong with one request.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    Nothing,
    Unreachable,
    CutOff,
    Silent,
    Status(u16, Option<&'static str>),
    IgnoresRange,
    Shorter,
    Longer,
    NextRange,
    OtherEtag,
    WeakEtag,
    OtherSize,
}

/// A file of a given size; every byte tells where it is.
#[derive(Clone, Debug)]
struct Served {
    beginning: Vec<u8>,
    size: u64,
}

impl Served {
    fn bytes(&self, range: Range<u64>) -> Vec<u8> {
        let known = self.beginning.len() as u64;
        range
            .map(|at| match at < known {
                true => self.beginning[at as usize],
                false => (at % 251) as u8,
            })
            .collect()
    }
}

#[derive(Debug, Default)]
struct Server {
    files: BTreeMap<String, Served>,
    /// What goes wrong, a request each.
    faults: RefCell<VecDeque<Fault>>,
    log: RefCell<Vec<(String, Option<Range<u64>>)>>,
    sent: Cell<u64>,
    /// Pages of other sites see `Content-Length` alone.
    hides_headers: bool,
    /// Whole files only.
    no_ranges: bool,
    /// Where requests end up.
    redirect: Option<(&'static str, &'static str)>,
}

#[derive(Clone, Debug, Default)]
struct Script(Rc<Server>);

struct Answer {
    server: Rc<Server>,
    status: u16,
    url: String,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
    end: Option<FetchError>,
}

impl Fetch for Script {
    type Response = Answer;

    async fn get(&self, url: &str, range: Option<Range<u64>>) -> Result<Answer, FetchError> {
        self.0
            .log
            .borrow_mut()
            .push((url.to_owned(), range.clone()));
        // Others may run before the answer is here.
        let mut waited = false;
        poll_fn(|context| match std::mem::replace(&mut waited, true) {
            true => Poll::Ready(()),
            false => {
                context.waker().wake_by_ref();
                Poll::Pending
            }
        })
        .await;
        let server = &self.0;
        let fault = server
            .faults
            .borrow_mut()
            .pop_front()
            .unwrap_or(Fault::Nothing);
        let answer = |status, headers, body| Answer {
            server: Rc::clone(server),
            status,
            url: match server.redirect {
                Some((from, to)) => url.replace(from, to),
                None => url.to_owned(),
            },
            headers,
            body,
            end: None,
        };
        let code = |code: Option<&str>| {
            let header = code.map(|code| ("x-error-code", code.to_owned()));
            header.into_iter().collect::<Vec<_>>()
        };
        match fault {
            Fault::Unreachable => return Err(FetchError::Unreachable),
            Fault::Silent => return Err(FetchError::Silent { seconds: 20 }),
            Fault::Status(status, said) => return Ok(answer(status, code(said), Vec::new())),
            _ => {}
        }
        let file = server.files.get(url).or_else(|| {
            let (from, to) = server.redirect?;
            server.files.get(&url.replace(to, from))
        });
        let Some(file) = file else {
            return Ok(answer(404, code(Some("EntryNotFound")), Vec::new()));
        };
        let etag = match fault {
            Fault::OtherEtag => "\"two\"",
            Fault::WeakEtag => "W/\"one\"",
            _ => "\"one\"",
        };
        let mut headers = vec![("etag", etag.to_owned())];
        let whole = server.no_ranges || fault == Fault::IgnoresRange;
        let (status, sent) = match range.filter(|_| !whole) {
            None => (200, 0..file.size),
            Some(range) if range.start >= file.size => {
                headers.push(("content-range", format!("bytes */{}", file.size)));
                (416, 0..0)
            }
            Some(range) => {
                let mut sent = range.start..range.end.min(file.size);
                if fault == Fault::NextRange {
                    sent = sent.start + 1..sent.end + 1;
                }
                let size = file.size + u64::from(fault == Fault::OtherSize);
                let said = format!("bytes {}-{}/{size}", sent.start, sent.end - 1);
                headers.push(("content-range", said));
                (206, sent)
            }
        };
        headers.push(("content-length", (sent.end - sent.start).to_string()));
        headers.retain(|(name, _)| !server.hides_headers || *name == "content-length");
        // What nobody reads is not made.
        let mut body = file.bytes(sent.start..sent.end.min(sent.start + (16 << 20)));
        match fault {
            Fault::Shorter | Fault::CutOff => body.truncate(body.len() / 2),
            Fault::Longer => body.push(0),
            _ => {}
        }
        let mut answer = answer(status, headers, body);
        answer.end = (fault == Fault::CutOff).then_some(FetchError::CutOff);
        Ok(answer)
    }
}

impl Response for Answer {
    fn status(&self) -> u16 {
        self.status
    }

    fn url(&self) -> Option<String> {
        Some(self.url.clone())
    }

    fn header(&self, name: &str) -> Option<String> {
        let found = self.headers.iter().find(|(header, _)| *header == name);
        found.map(|(_, value)| value.clone())
    }

    async fn body(mut self, most: u64) -> Result<Vec<u8>, FetchError> {
        self.body.truncate(most as usize);
        let sent = &self.server.sent;
        sent.set(sent.get() + self.body.len() as u64);
        match self.end {
            Some(error) => Err(error),
            None => Ok(self.body),
        }
    }
}

const URL: &str = "https://example.org/file";
const SIZE: u64 = 1_000_000;
const FIRST: u64 = 64 << 10;

fn served(size: u64) -> Served {
    Served {
        beginning: Vec::new(),
        size,
    }
}

/// A server with one file.
fn server(change: impl FnOnce(&mut Server)) -> (Rc<Server>, Rc<Network<Script>>) {
    let mut server = Server {
        files: BTreeMap::from([(URL.to_owned(), served(SIZE))]),
        ..Server::default()
    };
    change(&mut server);
    let server = Rc::new(server);
    let network = Rc::new(Network::new(Script(Rc::clone(&server))));
    (server, network)
}

fn faults(server: &Server, faults: &[Fault]) {
    server.faults.borrow_mut().extend(faults);
}

fn requests(server: &Server) -> usize {
    server.log.borrow().len()
}

fn open(network: &Rc<Network<Script>>, whole: bool) -> Result<RemoteSource<Script>, RemoteError> {
    block_on(RemoteSource::open(network, URL, whole))
}

fn read(source: &RemoteSource<Script>, range: Range<u64>) -> Result<Vec<u8>, String> {
    block_on(source.read(range)).map_err(|error| error.to_string())
}

#[test]
fn the_first_request_brings_size_and_first_bytes_and_every_range_is_asked_for_once() {
    let (server, network) = server(|_| {});
    let source = open(&network, false).expect("a file");
    assert_eq!(source.size(), SIZE);
    assert!(source.is_remote());
    let file = served(SIZE);
    let ranges = [
        (0..FIRST, 1),
        (FIRST - 10..FIRST + 10, 2),
        (FIRST..FIRST + 10, 2),
        (FIRST + 5..FIRST + 20, 3),
        (SIZE - 100..SIZE, 4),
        (SIZE - 50..SIZE, 4),
        // One request for the hole between what is known at both ends.
        (0..SIZE, 5),
        (12_345..SIZE - 1, 5),
        (7..7, 5),
    ];
    for (range, count) in ranges {
        let bytes = read(&source, range.clone()).expect("bytes");
        assert_eq!(bytes, file.bytes(range.clone()), "{range:?}");
        assert_eq!(requests(&server), count, "{range:?}");
    }
    // No byte came twice.
    assert_eq!(server.sent.get(), SIZE);
    // Opened again, the file is asked whether it is the same; its bytes are still here.
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
    assert_eq!(a, Ok(served(SIZE).bytes(wide)));
    assert_eq!(b, Ok(served(SIZE).bytes(FIRST + 100..FIRST + 200)));
    assert_eq!(requests(&server), 2);
    // Ranges apart from one another do not wait for one another.
    let apart = join(source.read(200_000..200_100), source.read(300_000..300_100));
    let (a, b) = block_on(apart);
    assert!(a.is_ok() && b.is_ok());
    assert_eq!(requests(&server), 4);
}

#[test]
fn a_reader_that_is_dropped_leaves_nobody_waiting() {
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
    assert_eq!(read(&source, range.clone()), Ok(served(SIZE).bytes(range)));
    assert_eq!(requests(&server), 3);
}

#[test]
fn trouble_that_may_pass_is_met_with_one_more_request_and_no_other_is() {
    use Fault::{
        CutOff, IgnoresRange, Longer, NextRange, OtherEtag, OtherSize, Shorter, Silent, Status,
        Unreachable, WeakEtag,
    };
    let range = 200_000..200_100;
    for fault in [Unreachable, CutOff, Shorter, Status(503, None), WeakEtag] {
        let (server, network) = server(|_| {});
        faults(&server, &[fault]);
        let source = open(&network, false).expect("a file");
        faults(&server, &[fault]);
        assert_eq!(
            read(&source, range.clone()),
            Ok(served(SIZE).bytes(range.clone()))
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
        // The next question is asked anew.
        assert_eq!(
            read(&source, range.clone()),
            Ok(served(SIZE).bytes(range.clone()))
        );
    }
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
    let asked: Vec<bool> = log.iter().map(|(url, _)| url.starts_with(to)).collect();
    assert_eq!(asked, [false, true, true, false, false]);
}

#[test]
fn a_server_that_hides_its_headers_is_asked_for_the_size_in_another_way() {
    let (server, network) = server(|server| server.hides_headers = true);
    let source = open(&network, false).expect("a file");
    assert_eq!((source.size(), requests(&server)), (SIZE, 2));
    let range = 300_000..300_010;
    assert_eq!(read(&source, range.clone()), Ok(served(SIZE).bytes(range)));
    // The plain request was for its headers alone.
    assert_eq!(server.sent.get(), FIRST + 10);
    faults(&server, &[Fault::Longer]);
    assert!(read(&source, 400_000..400_010).is_err());

    let small = |server: &mut Server| {
        server.hides_headers = true;
        server.files = BTreeMap::from([(URL.to_owned(), served(1000))]);
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
    assert_eq!(read(&source, 5..SIZE), Ok(served(SIZE).bytes(5..SIZE)));
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
            server.files = BTreeMap::from([(URL.to_owned(), served(size))]);
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
    // Any version will do for the first answer; the second has to be of the same.
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
            server.files = BTreeMap::from([(URL.to_owned(), served(size))]);
        });
        let source = open(&network, false).expect("a file");
        assert_eq!(source.size(), size);
        let last = size.saturating_sub(3)..size;
        assert_eq!(read(&source, last.clone()), Ok(served(size).bytes(last)));
        assert!(read(&source, size..size + 1).is_err());
        assert!(read(&source, 0..u64::MAX).is_err());
        assert!(requests(&server) <= 2);
    }
}

#[test]
fn addresses_of_pages_become_addresses_of_files() {
    let raw = "https://raw.githubusercontent.com/o/r/v1/dir/a.npy";
    for (typed, expected) in [
        ("https://example.org/a?b=c#d", "https://example.org/a?b=c#d"),
        (" HTTPS://Example.ORG/A ", "https://example.org/A"),
        ("http://localhost:8080/a", "http://localhost:8080/a"),
        ("http://127.0.0.1/a", "http://127.0.0.1/a"),
        ("https://github.com/o/r/blob/v1/dir/a.npy", raw),
        ("https://github.com/o/r/raw/v1/dir/a.npy", raw),
        (
            "https://github.com/o/r/releases/download/v1/a",
            "https://github.com/o/r/releases/download/v1/a",
        ),
        (
            "https://huggingface.co/o/m/blob/main/d/f.bin?x=1#y",
            "https://huggingface.co/o/m/resolve/main/d/f.bin?x=1#y",
        ),
        (
            "https://huggingface.co/datasets/o/d/blob/main/a.npy",
            "https://huggingface.co/datasets/o/d/resolve/main/a.npy",
        ),
        (
            "https://huggingface.co/gpt2/resolve/main/raw/a/b",
            "https://huggingface.co/gpt2/resolve/main/raw/a/b",
        ),
        (
            "https://huggingface.co/o/m/raw/main/f",
            "https://huggingface.co/o/m/resolve/main/f",
        ),
        (
            "huggingface.co/gpt2/blob/main/f",
            "https://huggingface.co/gpt2/resolve/main/f",
        ),
        (
            "https://hf.co/o/m/resolve/main/f",
            "https://huggingface.co/o/m/resolve/main/f",
        ),
    ] {
        assert_eq!(
            Address::parse(typed, HUB),
            Ok(Address::File(expected.to_owned())),
            "{typed}"
        );
    }
}

#[test]
fn names_and_pages_of_models_are_understood() {
    for (typed, shown, file) in [
        ("gpt2", "gpt2", "gpt2/resolve/main/f"),
        (
            " org/model-1.5_x ",
            "org/model-1.5_x",
            "org/model-1.5_x/resolve/main/f",
        ),
        (
            "org/model@v2.0",
            "org/model@v2.0",
            "org/model/resolve/v2.0/f",
        ),
        (
            "org/model@refs/pr/1",
            "org/model@refs/pr/1",
            "org/model/resolve/refs%2Fpr%2F1/f",
        ),
        (
            "https://huggingface.co/org/model",
            "org/model",
            "org/model/resolve/main/f",
        ),
        (
            "https://huggingface.co/org/model/?x#y",
            "org/model",
            "org/model/resolve/main/f",
        ),
        (
            "https://hf.co/org/model/tree/main",
            "org/model",
            "org/model/resolve/main/f",
        ),
        (
            "huggingface.co/org/model/tree/refs%2Fpr%2F1",
            "org/model@refs/pr/1",
            "org/model/resolve/refs%2Fpr%2F1/f",
        ),
        (
            "https://huggingface.co/gpt2/tree/v1",
            "gpt2@v1",
            "gpt2/resolve/v1/f",
        ),
        (
            "https://huggingface.co/o/m/tree/main/text/encoder",
            "o/m (text/encoder)",
            "o/m/resolve/main/text/encoder/f",
        ),
        (
            "https://huggingface.co/org/model/discussions/3",
            "org/model",
            "org/model/resolve/main/f",
        ),
    ] {
        let Ok(Address::Hub(name)) = Address::parse(typed, HUB) else {
            panic!("{typed} is no name: {:?}", Address::parse(typed, HUB));
        };
        assert_eq!(name.to_string(), shown);
        assert_eq!(
            Address::parse(&name.page(HUB), HUB),
            Ok(Address::Hub(name.clone()))
        );
        assert_eq!(
            name.file("https://hub.example", "f"),
            format!("https://hub.example/{file}")
        );
    }
}

#[test]
fn what_must_not_be_asked_for_is_refused_before_any_request() {
    use AddressError as E;
    let long = format!("https://example.org/{}", "a".repeat(9000));
    for (typed, error) in [
        ("http://example.org/a", E::Insecure),
        ("http://localhost.example.org/a", E::Insecure),
        ("http://127.0.0.1:80.example.org/a", E::Insecure),
        ("ftp://example.org/a", E::Scheme),
        ("javascript://example.org/%0aalert(1)", E::Scheme),
        ("file:///etc/passwd", E::Scheme),
        ("data:text/html,x", E::Name),
        ("https://me:secret@example.org/a", E::Credentials),
        ("https://huggingface.co@example.org/a/b", E::Credentials),
        ("https://example.org\\@elsewhere.example/a", E::Characters),
        ("https://example.org/a b", E::Characters),
        ("https://example.org/a\nb", E::Characters),
        (&long, E::Characters),
        ("https:///a", E::Host),
        ("https://:443/a", E::Host),
        ("https://ex%61mple.org/a", E::Host),
        ("https://huggingface.co/datasets/o/d", E::NoModel),
        ("https://huggingface.co/", E::Name),
        ("", E::Name),
        ("/etc/passwd", E::Name),
        ("a/b/c", E::Name),
        ("../model", E::Name),
        ("org/..", E::Name),
        ("org/a--b", E::Name),
        ("org/model.git", E::Name),
        ("org/mo del", E::Name),
        ("org/mödel", E::Name),
        ("org/model?x", E::Name),
        ("org/model@", E::Revision),
        ("org/model@../../x", E::Revision),
        ("org/model@a%2Fb", E::Revision),
        ("https://huggingface.co/o/m/tree/a%00b", E::Revision),
        ("https://huggingface.co/o/m/tree/main/..", E::Name),
        (&"a".repeat(97), E::Name),
    ] {
        let found = Address::parse(typed, HUB);
        assert_eq!(found, Err(error.clone()), "{typed}");
        let sentence = error.to_string();
        assert!(sentence.ends_with('.'), "{sentence}");
    }
}

const ORIGIN: &str = "https://hub.example";

/// A model of BERT-base's shape: 109 million numbers, 438 MB, of which only the header is real.
fn bert_base() -> Served {
    let (layers, width, inner) = (12, 768, 3072);
    let mut shapes = vec![
        ("embeddings.LayerNorm.bias".to_owned(), vec![width]),
        ("embeddings.LayerNorm.weight".to_owned(), vec![width]),
        (
            "embeddings.position_embeddings.weight".to_owned(),
            vec![512, width],
        ),
        (
            "embeddings.token_type_embeddings.weight".to_owned(),
            vec![2, width],
        ),
        (
            "embeddings.word_embeddings.weight".to_owned(),
            vec![30522, width],
        ),
    ];
    for layer in 0..layers {
        for (name, rows, columns) in [
            ("attention.output.LayerNorm", width, 0),
            ("attention.output.dense", width, width),
            ("attention.self.key", width, width),
            ("attention.self.query", width, width),
            ("attention.self.value", width, width),
            ("intermediate.dense", inner, width),
            ("output.LayerNorm", width, 0),
            ("output.dense", width, inner),
        ] {
            let name = format!("encoder.layer.{layer}.{name}");
            let weight = if columns == 0 {
                vec![rows]
            } else {
                vec![rows, columns]
            };
            shapes.push((format!("{name}.bias"), vec![rows]));
            shapes.push((format!("{name}.weight"), weight));
        }
    }
    shapes.sort();
    let mut end = 0_u64;
    let entries: Vec<String> = shapes
        .iter()
        .map(|(name, shape)| {
            let begin = end;
            end += 4 * shape.iter().product::<u64>();
            format!("\"bert.{name}\":{{\"dtype\":\"F32\",\"shape\":{shape:?},\"data_offsets\":[{begin},{end}]}}")
        })
        .collect();
    let header = format!("{{{}}}", entries.join(","));
    let mut beginning = (header.len() as u64).to_le_bytes().to_vec();
    beginning.extend_from_slice(header.as_bytes());
    Served {
        size: beginning.len() as u64 + end,
        beginning,
    }
}

/// A Hub with one model.
fn hub(files: &[(&str, Served)]) -> (Rc<Server>, Rc<Network<Script>>) {
    let path = |name: &str| format!("{ORIGIN}/org/model/resolve/main/{name}");
    let files = files.iter().map(|(name, file)| (path(name), file.clone()));
    server(|server| server.files = files.collect())
}

fn text(text: &str) -> Served {
    Served {
        beginning: text.as_bytes().to_vec(),
        size: text.len() as u64,
    }
}

#[test]
fn a_model_of_berts_shape_gives_its_table_in_three_requests() {
    let config = "{\"model_type\":\"bert\"}";
    let (server, network) = hub(&[
        ("config.json", text(config)),
        ("model.safetensors", bert_base()),
    ]);
    let name = HubName::parse("org/model").expect("a name");
    let model = block_on(name.open(&network, ORIGIN, false)).expect("a model");
    assert_eq!(model.config.as_deref(), Some(config));
    let HubWeights::File { name, source } = model.weights else {
        panic!("one file");
    };
    let checkpoint = block_on(Checkpoint::open(source, &name)).expect("a checkpoint");
    let table = "bert.embeddings.position_embeddings.weight";
    let table = checkpoint.tensor(table).expect("a table").clone();
    assert_eq!(table.shape, [512, 768]);
    block_on(checkpoint.read(&table)).expect("numbers");
    assert!(checkpoint.size() > 430_000_000 && checkpoint.is_remote());
    assert_eq!(requests(&server), 3);
    let most = FIRST + 512 * 768 * 4 + config.len() as u64;
    assert!(server.sent.get() <= most, "{} bytes", server.sent.get());
}

#[test]
fn shards_are_asked_for_when_they_are_looked_into() {
    let header = "{\"t\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}";
    let mut shard = (header.len() as u64).to_le_bytes().to_vec();
    shard.extend_from_slice(header.as_bytes());
    shard.extend_from_slice(&[0; 8]);
    let shard = Served {
        size: shard.len() as u64,
        beginning: shard,
    };
    let map: Vec<String> = (0..30)
        .map(|n| {
            format!(
                "\"{}\":\"s-{n}.safetensors\"",
                if n == 7 {
                    "t".to_owned()
                } else {
                    format!("t{n}")
                }
            )
        })
        .collect();
    let index = format!("{{\"weight_map\":{{{}}}}}", map.join(","));
    let files = [
        ("model.safetensors.index.json", text(&index)),
        ("s-7.safetensors", shard),
    ];
    let (server, network) = hub(&files);
    let name = HubName::parse("org/model").expect("a name");
    let model = block_on(name.open(&network, ORIGIN, false)).expect("a model");
    assert_eq!(model.config, None);
    let HubWeights::Shards { index, sources } = model.weights else {
        panic!("shards");
    };
    assert_eq!(requests(&server), 3);
    let checkpoint = Checkpoint::of_shards(index, "org/model", sources);
    assert_eq!(checkpoint.missing(), Vec::<String>::new());
    let tensor = block_on(checkpoint.locate("t")).expect("a tensor");
    assert_eq!(block_on(checkpoint.read(&tensor)), Ok(vec![0.0; 2]));
    assert_eq!(requests(&server), 4);
    let absent = block_on(checkpoint.locate("t3")).expect_err("no such shard");
    assert!(
        absent.to_string().contains("no file at this address"),
        "{absent}"
    );
}

#[test]
fn a_model_that_cannot_be_opened_gets_the_sentence_that_helps() {
    let name = HubName::parse("org/model").expect("a name");
    let (server, network) = hub(&[("config.json", text("{}"))]);
    let error = block_on(name.open(&network, ORIGIN, false)).expect_err("no weights");
    assert!(matches!(error, HubError::NoWeights { .. }));
    assert!(
        error.to_string().contains("model.safetensors nor"),
        "{error}"
    );
    assert_eq!(requests(&server), 5);

    for (code, words) in [("RepoNotFound", "no such model"), ("GatedRepo", "gated")] {
        let (server, network) = hub(&[]);
        faults(&server, &[Fault::Status(401, Some(code)); 2]);
        let error = block_on(name.open(&network, ORIGIN, false)).expect_err("a refusal");
        assert!(error.to_string().contains(words), "{error}");
        assert_eq!(requests(&server), 2);
    }

    let path = "{\"weight_map\":{\"t\":\"../../other/model/resolve/main/x\"}}";
    let (_, network) = hub(&[("model.safetensors.index.json", text(path))]);
    let error = block_on(name.open(&network, ORIGIN, false)).expect_err("a refusal");
    assert!(matches!(error, HubError::Index(_)), "{error}");

    let (_, network) = hub(&[
        ("config.json", served(100 << 20)),
        ("model.safetensors", served(9)),
    ]);
    let error = block_on(name.open(&network, ORIGIN, false)).expect_err("a refusal");
    assert_eq!(
        error,
        HubError::Remote(RemoteError::TooLarge { limit: 8 << 20 })
    );
}

/// The page promises to send no request but to addresses that were typed. What can send one is named here.
#[test]
fn one_file_alone_can_reach_other_origins() {
    let ways = [
        "fetch_with",
        "XmlHttpRequest",
        "WebSocket",
        "EventSource",
        "beacon",
        "importScripts",
    ];
    let mut folders = vec![std::path::PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/src"
    ))];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let text = std::fs::read_to_string(&path).expect("a text");
                if ways.iter().any(|way| text.contains(way)) {
                    found.push(path);
                }
            }
        }
    }
    found.sort();
    let names: Vec<_> = found
        .iter()
        .map(|path| path.iter().rev().take(2).collect::<Vec<_>>())
        .map(|end| {
            end.iter()
                .rev()
                .map(|part| part.to_string_lossy())
                .collect::<Vec<_>>()
                .join("/")
        })
        .collect();
    // The page reads its presets, which lie beside it, and its policy lets it read nothing else.
    assert_eq!(names, ["opening/presets.rs", "worker/fetch.rs"]);
}
