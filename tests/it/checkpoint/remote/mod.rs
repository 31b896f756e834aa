//! Remote files, against a scripted server with injected faults.

mod addresses;
mod hub;
mod origins;
mod ranges;
pub(crate) mod session;
mod storage;

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, VecDeque},
    future::poll_fn,
    ops::Range,
    rc::Rc,
    task::Poll,
};

use diagonal::checkpoint::{
    ByteSource, Fetch, FetchError, Network, RemoteError, RemoteSource, Response,
};
use pollster::block_on;

/// Fault of one response.
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
    /// A smaller total than the bytes sent.
    TotalTooSmall,
    OtherDate,
}

/// A file of a given size; every byte is determined by its place.
#[derive(Clone, Debug)]
struct Served {
    beginning: Vec<u8>,
    size: u64,
}

impl Served {
    fn bytes(&self, range: Range<u64>) -> Vec<u8> {
        let stored = self.beginning.len() as u64;
        range
            .map(|at| match at < stored {
                true => self.beginning[at as usize],
                false => (at % 251) as u8,
            })
            .collect()
    }
}

#[derive(Debug, Default)]
struct Server {
    files: BTreeMap<String, Served>,
    /// Faults of the next requests, in order.
    faults: RefCell<VecDeque<Fault>>,
    log: RefCell<Vec<(String, Option<Range<u64>>)>>,
    sent: Cell<u64>,
    /// CORS exposes only `Content-Length`.
    hides_headers: bool,
    /// Headers that the server omits.
    lacks: &'static [&'static str],
    /// The server ignores ranges.
    no_ranges: bool,
    /// An address, and the one that it redirects to.
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
        // Yield once before the response.
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
            Fault::Status(status, error) => return Ok(answer(status, code(error), Vec::new())),
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
        let date = match fault {
            Fault::OtherDate => "Tue, 02 Jan 2024 00:00:00 GMT",
            _ => "Mon, 01 Jan 2024 00:00:00 GMT",
        };
        let mut headers = vec![
            ("etag", etag.to_owned()),
            ("last-modified", date.to_owned()),
        ];
        headers.retain(|(name, _)| !server.lacks.contains(name));
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
                let size = match fault {
                    Fault::OtherSize => file.size + 1,
                    Fault::TotalTooSmall => 1000,
                    _ => file.size,
                };
                let content_range = format!("bytes {}-{}/{size}", sent.start, sent.end - 1);
                headers.push(("content-range", content_range));
                (206, sent)
            }
        };
        headers.push(("content-length", (sent.end - sent.start).to_string()));
        headers.retain(|(name, _)| !server.hides_headers || *name == "content-length");
        // Bodies are limited to 16 MiB; readers stop earlier.
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

fn serve(size: u64) -> Served {
    Served {
        beginning: Vec::new(),
        size,
    }
}

/// A server with one file.
fn server(change: impl FnOnce(&mut Server)) -> (Rc<Server>, Rc<Network<Script>>) {
    let mut server = Server {
        files: BTreeMap::from([(URL.to_owned(), serve(SIZE))]),
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
