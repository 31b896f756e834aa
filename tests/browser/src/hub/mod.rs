//! A local server that behaves like the Hugging Face Hub.
//!
//! It does what matters to a page that reads ranges: addresses of files redirect to another origin, except small texts;
//! CORS headers let other sites read, and see the headers the Hub exposes; a range is answered with 206. A model's
//! revision selects a fault for its files, as in `test/bert-base@cut-off`.
//!
//! It speaks HTTP/1.1 over plain sockets, because HTTP libraries do not let a server stall, lie about a length or hang
//! up halfway.

mod content;
mod http;

use std::collections::BTreeMap;
use std::io::{self, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use xtask::Result;

pub use content::Content;
use http::{Answer, Request};

/// Headers that the Hub exposes to pages of other sites.
const EXPOSED: &str =
    "X-Repo-Commit,X-Error-Code,X-Error-Message,ETag,Accept-Ranges,Content-Range,X-Linked-Size";
/// Bytes generated and sent at once.
const PIECE: u64 = 64 << 10;
/// How often a stalled response checks whether the server has ended.
const BEAT: Duration = Duration::from_millis(50);

/// The running server; ends on drop.
#[derive(Debug)]
pub struct Hub {
    shared: Arc<Shared>,
}

/// A fault of every response. Its name is the revision to request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Half of the body, then silence.
    Stall,
    /// Half of the body, with a length that claims it is all.
    Lie,
    /// Half of the body, and the connection ends.
    CutOff,
    /// Redirects to itself.
    Circle,
    /// Another ETag for every response.
    OtherEtag,
    /// The whole file, ignoring the requested range.
    NoRange,
    /// No CORS headers: other sites may not read.
    NoCors,
    /// CORS without exposed headers: other sites may read the body only.
    HiddenHeaders,
    /// A response with this status; 500 only every other time.
    Status(u16),
}

impl Fault {
    /// The faults by name.
    pub const NAMES: [(&str, Self); 12] = [
        ("stall", Self::Stall),
        ("lie", Self::Lie),
        ("cut-off", Self::CutOff),
        ("circle", Self::Circle),
        ("other-etag", Self::OtherEtag),
        ("no-range", Self::NoRange),
        ("no-cors", Self::NoCors),
        ("hidden-headers", Self::HiddenHeaders),
        ("gated", Self::Status(401)),
        ("too-many", Self::Status(429)),
        ("broken-once", Self::Status(500)),
        ("broken", Self::Status(503)),
    ];

    fn of(revision: &str) -> Option<Self> {
        let found = Self::NAMES.iter().find(|(name, _)| *name == revision);
        found.map(|(_, fault)| *fault)
    }
}

/// A request that was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryState {
    /// Number of the request since the server started.
    pub number: u64,
    /// GET, or OPTIONS for a preflight request.
    pub method: String,
    /// The path.
    pub path: String,
    /// The requested range, end exclusive.
    pub range: Option<Range<u64>>,
    /// The status of the response.
    pub status: u16,
    /// Bytes of the body that were sent; up to one piece too many if the reader hung up.
    pub sent: u64,
}

#[derive(Debug)]
struct Shared {
    /// Addresses of the Hub and of its file server.
    addresses: [SocketAddr; 2],
    files: Mutex<BTreeMap<(String, String), Content>>,
    log: Mutex<Vec<QueryState>>,
    /// Milliseconds before every response.
    latency: AtomicU64,
    requests: AtomicU64,
    answers: AtomicU64,
    ended: AtomicBool,
    /// Whether requests are printed.
    loud: bool,
}

impl Hub {
    /// Starts without models. Port 0 takes any free port; files are served at another one.
    pub fn start(port: u16, loud: bool) -> Result<Self> {
        let listen = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
        let listeners = [listen(port)?, listen(0)?];
        let shared = Arc::new(Shared {
            addresses: [listeners[0].local_addr()?, listeners[1].local_addr()?],
            files: Mutex::default(),
            log: Mutex::default(),
            latency: AtomicU64::new(0),
            requests: AtomicU64::new(0),
            answers: AtomicU64::new(0),
            ended: AtomicBool::new(false),
            loud,
        });
        for (listener, is_hub) in listeners.into_iter().zip([true, false]) {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                for stream in listener.incoming().flatten() {
                    if shared.ended.load(Ordering::Relaxed) {
                        return;
                    }
                    let shared = Arc::clone(&shared);
                    // Ignore readers that have gone away.
                    thread::spawn(move || shared.converse(stream, is_hub));
                }
            });
        }
        Ok(Self { shared })
    }

    /// The Hub's origin.
    pub fn origin(&self) -> String {
        format!("http://{}", self.shared.addresses[0])
    }

    /// Adds a file to a model, or replaces it.
    pub fn put(&self, model: &str, file: &str, content: Content) {
        let name = (model.to_owned(), file.to_owned());
        locked(&self.shared.files).insert(name, content);
    }

    /// Adds all files of a folder to a model.
    pub fn put_folder(&self, model: &str, folder: &Path) -> Result {
        for entry in folder.read_dir()? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                let name = entry.file_name();
                self.put(model, &name.to_string_lossy(), Content::File(entry.path()));
            }
        }
        Ok(())
    }

    /// Sets the delay before every response from now on.
    pub fn set_latency(&self, latency: Duration) {
        let milliseconds = latency.as_millis() as u64;
        self.shared.latency.store(milliseconds, Ordering::Relaxed);
    }

    /// Takes the requests since the last call. A redirect and its target count as two.
    pub fn take_log(&self) -> Vec<QueryState> {
        std::mem::take(&mut locked(&self.shared.log))
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::Relaxed);
        for address in self.shared.addresses {
            // Wakes the listening thread.
            let _ = TcpStream::connect(address);
        }
    }
}

/// Locks, also after a panic in another thread: a poisoned list is still valid.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn converse(&self, stream: TcpStream, is_hub: bool) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let mut writer = stream.try_clone()?;
        let mut reader = BufReader::new(stream);
        while let Some(request) = Request::read(&mut reader)? {
            thread::sleep(Duration::from_millis(self.latency.load(Ordering::Relaxed)));
            let (answer, fault) = self.answer(&request, is_hub)?;
            let number = self.note(request, answer.status);
            let goes_on = self.send(&mut writer, answer, fault, number);
            if !goes_on {
                break;
            }
        }
        Ok(())
    }

    fn answer(&self, request: &Request, is_hub: bool) -> io::Result<(Answer, Option<Fault>)> {
        if request.method == "OPTIONS" {
            let leave = Answer::empty(204).with("Access-Control-Allow-Headers", "Range");
            return Ok((leave, None));
        }
        let path = request.path.split('?').next().unwrap_or_default();
        let Some((model, rest)) = path.trim_start_matches('/').split_once("/resolve/") else {
            return Ok((Answer::empty(404), None));
        };
        let Some((revision, file)) = rest.split_once('/') else {
            return Ok((Answer::empty(404), None));
        };
        let files = locked(&self.files);
        if !files.keys().any(|(known, _)| known == model) {
            let unknown = Answer::empty(401).with("X-Error-Code", "RepoNotFound");
            return Ok((unknown, None));
        }
        let fault = Fault::of(revision);
        if fault.is_none() && revision != "main" {
            let unknown = Answer::empty(404).with("X-Error-Code", "RevisionNotFound");
            return Ok((unknown, None));
        }
        let Some(content) = files.get(&(model.to_owned(), file.to_owned())).cloned() else {
            let unknown = Answer::empty(404).with("X-Error-Code", "EntryNotFound");
            return Ok((unknown, None));
        };
        drop(files);
        // Texts are served by the Hub itself, without faults.
        let is_text = file.ends_with(".json");
        if is_hub && !is_text {
            let place = match fault {
                Some(Fault::Circle) => self.addresses[0],
                _ => self.addresses[1],
            };
            let away = Answer::empty(302).with("Location", format!("http://{place}{path}"));
            let denied = (fault == Some(Fault::NoCors)).then_some(Fault::NoCors);
            return Ok((away, denied));
        }
        let fault = fault.filter(|_| !is_text);
        Ok((self.file(&content, request, fault)?, fault))
    }

    fn file(
        &self,
        content: &Content,
        request: &Request,
        fault: Option<Fault>,
    ) -> io::Result<Answer> {
        let count = self.answers.fetch_add(1, Ordering::Relaxed);
        match fault {
            Some(Fault::Status(500)) if count % 2 == 1 => {}
            Some(Fault::Status(401)) => {
                return Ok(Answer::empty(401).with("X-Error-Code", "GatedRepo"));
            }
            Some(Fault::Status(status)) => return Ok(Answer::empty(status)),
            _ => {}
        }
        let size = content.size()?;
        let version = if fault == Some(Fault::OtherEtag) {
            count
        } else {
            0
        };
        let range = request
            .range
            .clone()
            .filter(|_| fault != Some(Fault::NoRange));
        let answer = |status, part| {
            let answer = Answer {
                status,
                headers: Vec::new(),
                body: content.clone(),
                part,
            };
            answer
                .with("ETag", format!("\"{size}-{version}\""))
                .with("Accept-Ranges", "bytes")
        };
        Ok(match range {
            None => answer(200, 0..size),
            Some(range) if range.start >= size || range.start >= range.end => {
                answer(416, 0..0).with("Content-Range", format!("bytes */{size}"))
            }
            Some(range) => {
                let part = range.start..range.end.min(size);
                let content_range = format!("bytes {}-{}/{size}", part.start, part.end - 1);
                answer(206, part).with("Content-Range", content_range)
            }
        })
    }

    /// Logs a request before it is answered, so that a reader with the response finds it in the log.
    fn note(&self, request: Request, status: u16) -> u64 {
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        let entry = QueryState {
            number,
            method: request.method,
            path: request.path,
            range: request.range,
            status,
            sent: 0,
        };
        if self.loud {
            let QueryState {
                method,
                path,
                range,
                ..
            } = &entry;
            println!("{number}: {method} {path} {range:?} → {status}");
        }
        locked(&self.log).push(entry);
        number
    }

    /// Counts bytes as sent, just before they are sent.
    fn count(&self, number: u64, bytes: u64) {
        let mut log = locked(&self.log);
        if let Some(entry) = log.iter_mut().rev().find(|entry| entry.number == number) {
            entry.sent += bytes;
        }
    }

    /// Sends the response; returns whether the connection continues.
    fn send(
        &self,
        stream: &mut TcpStream,
        answer: Answer,
        fault: Option<Fault>,
        number: u64,
    ) -> bool {
        let whole = answer.part.end - answer.part.start;
        let half = match fault {
            Some(Fault::Stall | Fault::Lie | Fault::CutOff) => whole / 2,
            _ => whole,
        };
        let promised = if fault == Some(Fault::Lie) {
            half
        } else {
            whole
        };
        let mut head = format!(
            "HTTP/1.1 {} -\r\nContent-Length: {promised}\r\n",
            answer.status
        );
        let mut header = |name: &str, value: &str| {
            head.extend([name, ": ", value, "\r\n"]);
        };
        if fault != Some(Fault::NoCors) {
            header("Access-Control-Allow-Origin", "*");
        }
        if !matches!(fault, Some(Fault::NoCors | Fault::HiddenHeaders)) {
            header("Access-Control-Expose-Headers", EXPOSED);
        }
        for (name, value) in &answer.headers {
            header(name, value);
        }
        head.push_str("\r\n");
        let end = answer.part.start + half;
        let mut at = answer.part.start;
        let mut body = || -> io::Result<()> {
            stream.write_all(head.as_bytes())?;
            while at < end {
                let piece = at..end.min(at + PIECE);
                self.count(number, piece.end - piece.start);
                stream.write_all(&answer.body.bytes(piece.clone())?)?;
                at = piece.end;
            }
            Ok(())
        };
        let written = body();
        if fault == Some(Fault::Stall) && written.is_ok() {
            self.stall(stream);
        }
        written.is_ok() && promised == half
    }

    /// Sends nothing until the reader hangs up or the server ends.
    fn stall(&self, stream: &mut TcpStream) {
        let _ = stream.set_read_timeout(Some(BEAT));
        while !self.ended.load(Ordering::Relaxed) {
            match stream.read(&mut [0]) {
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
                    ) => {}
                _ => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufRead;
    use std::pin::pin;
    use std::rc::Rc;
    use std::task::{Context, Poll, Waker};

    use diagonal::checkpoint::{
        Bundled, ByteSource, Checkpoint, Fetch, FetchError, HubName, Network, RemoteError, Response,
    };

    use super::*;

    /// A fetcher that follows redirects and trusts lengths, as browsers do.
    struct Plain;

    struct Answered {
        status: u16,
        headers: Vec<(String, String)>,
        url: String,
        stream: BufReader<TcpStream>,
    }

    impl Fetch for Plain {
        type Response = Answered;

        async fn get(
            &self,
            url: &str,
            range: Option<Range<u64>>,
        ) -> std::result::Result<Answered, FetchError> {
            let mut url = url.to_owned();
            for _ in 0..20 {
                let answered = ask(&url, range.as_ref()).map_err(|_| FetchError::Unreachable)?;
                match answered.header("location") {
                    Some(place) => url = place,
                    None => return Ok(answered),
                }
            }
            Err(FetchError::Unreachable)
        }
    }

    fn ask(url: &str, range: Option<&Range<u64>>) -> io::Result<Answered> {
        let (host, path) = url
            .strip_prefix("http://")
            .and_then(|u| u.split_once('/'))
            .ok_or(io::ErrorKind::InvalidInput)?;
        let mut stream = TcpStream::connect(host)?;
        stream.set_read_timeout(Some(Duration::from_secs(1)))?;
        let range = range.map(|r| format!("Range: bytes={}-{}\r\n", r.start, r.end - 1));
        let request = format!("GET /{path} HTTP/1.1\r\n{}\r\n", range.unwrap_or_default());
        stream.write_all(request.as_bytes())?;
        let mut stream = BufReader::new(stream);
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            stream.read_line(&mut line)?;
            match line.trim() {
                "" => break,
                line => lines.push(line.to_owned()),
            }
        }
        let status = lines
            .first()
            .and_then(|l| l.split(' ').nth(1)?.parse().ok());
        let header = |line: &String| {
            let (name, value) = line.split_once(": ")?;
            Some((name.to_ascii_lowercase(), value.to_owned()))
        };
        Ok(Answered {
            status: status.ok_or(io::ErrorKind::InvalidData)?,
            headers: lines.iter().filter_map(header).collect(),
            url: url.to_owned(),
            stream,
        })
    }

    impl Response for Answered {
        fn status(&self) -> u16 {
            self.status
        }

        fn url(&self) -> Option<String> {
            Some(self.url.clone())
        }

        fn header(&self, name: &str) -> Option<String> {
            let found = self.headers.iter().find(|(known, _)| known == name)?;
            let exposed = self
                .headers
                .iter()
                .any(|(name, _)| name == "access-control-expose-headers");
            (exposed || name == "content-length").then(|| found.1.clone())
        }

        async fn body(mut self, most: u64) -> std::result::Result<Vec<u8>, FetchError> {
            let length = self.header("content-length").and_then(|l| l.parse().ok());
            let mut bytes = vec![0; length.unwrap_or(0).min(most) as usize];
            match self.stream.read_exact(&mut bytes) {
                Ok(()) => Ok(bytes),
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    Err(FetchError::CutOff)
                }
                Err(_) => Err(FetchError::Silent { seconds: 1 }),
            }
        }
    }

    /// Runs a future. It is pending only during a blocking request.
    fn block_on<T>(future: impl Future<Output = T>) -> T {
        let mut future = pin!(future);
        let mut context = Context::from_waker(Waker::noop());
        loop {
            if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
                return value;
            }
        }
    }

    fn hub() -> Hub {
        let hub = Hub::start(0, false).expect("a server");
        hub.put("test/bert-base", "model.safetensors", Content::bert(30_522));
        hub.put("test/bert-base", "config.json", Content::bert_config());
        hub
    }

    /// Opens the model and reads its position table.
    fn open(hub: &Hub, name: &str) -> std::result::Result<Vec<f32>, String> {
        let network = Rc::new(Network::new(Plain));
        let name = HubName::parse(name).map_err(|error| error.to_string())?;
        block_on(async {
            let model = name
                .open(&network, &hub.origin(), false)
                .await
                .map_err(|e| e.to_string())?;
            assert!(model.config.is_some_and(|text| text.contains("bert")));
            let Bundled::One(source) = model.files else {
                return Err("shards".to_owned());
            };
            assert_eq!(source.size().div_ceil(1_000_000), 438);
            let checkpoint = Checkpoint::open(source, &name.model)
                .await
                .map_err(|e| e.to_string())?;
            let table = checkpoint.tensor("bert.embeddings.position_embeddings.weight");
            let table = table.ok_or("no table")?;
            checkpoint.read(table).await.map_err(|e| e.to_string())
        })
    }

    #[test]
    fn a_model_opens_by_ranges_after_one_redirect() {
        let hub = hub();
        let table = open(&hub, "test/bert-base").expect("a table");
        assert_eq!(table.len(), 512 * 768);
        assert!(table.iter().all(|x| x.abs() <= 0.05) && table[0] != table[1]);
        let log = hub.take_log();
        let statuses: Vec<u16> = log.iter().map(|request| request.status).collect();
        // Configuration, redirect, first bytes, table.
        assert_eq!(statuses, [200, 302, 206, 206]);
        let sent: u64 = log.iter().map(|request| request.sent).sum();
        assert!(sent < 1_700_000, "{sent} bytes");
    }

    #[test]
    fn every_fault_has_its_sentence() {
        let hub = hub();
        for (fault, words) in [
            ("stall", "sent nothing for"),
            ("lie", "32768 bytes only"),
            ("cut-off", "broke off"),
            ("circle", "in a circle"),
            ("other-etag", "changed on the server"),
            ("no-range", "only the whole of it, 438 MB"),
            ("gated", "gated"),
            ("too-many", "too many requests"),
            ("broken", "status 503"),
            ("no-such-revision", "no such revision"),
        ] {
            let sentence = open(&hub, &format!("test/bert-base@{fault}")).expect_err("a refusal");
            assert!(sentence.contains(words), "{fault}: {sentence}");
        }
        for passing in ["broken-once", "hidden-headers"] {
            let table = open(&hub, &format!("test/bert-base@{passing}"));
            assert_eq!(table.map(|table| table.len()), Ok(512 * 768), "{passing}");
        }
        let unknown = open(&hub, "test/unknown").expect_err("no model");
        assert_eq!(
            unknown,
            RemoteError::Status {
                status: 401,
                code: Some("RepoNotFound".into())
            }
            .to_string()
        );
    }

    #[test]
    fn files_of_a_folder_are_served_as_they_are() {
        let hub = hub();
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        hub.put_folder("test/folder", folder).expect("a folder");
        let url = format!("{}/test/folder/resolve/main/Cargo.toml", hub.origin());
        let answered = block_on(Plain.get(&url, Some(3..10))).expect("an answer");
        let bytes = block_on(answered.body(100)).expect("bytes");
        let file = std::fs::read(folder.join("Cargo.toml")).expect("this crate's manifest");
        assert_eq!(bytes, &file[3..10]);
    }
}
