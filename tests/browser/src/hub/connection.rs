//! Connections to the Hub: reads requests, answers them with their faults, and logs them.

use std::collections::BTreeMap;
use std::io::{self, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::http::{Answer, Request};
use super::{Content, Fault, QueryState};

/// Headers that the Hub exposes to pages of other sites.
const EXPOSED: &str =
    "X-Repo-Commit,X-Error-Code,X-Error-Message,ETag,Accept-Ranges,Content-Range,X-Linked-Size";
/// Bytes generated and sent at once.
const PIECE: u64 = 64 << 10;
/// How often a stalled response checks whether the server has ended.
const BEAT: Duration = Duration::from_millis(50);

/// State of the server that its connections share.
#[derive(Debug)]
pub(super) struct Shared {
    /// Addresses of the Hub and of its file server.
    pub(super) addresses: [SocketAddr; 2],
    pub(super) files: Mutex<BTreeMap<(String, String), Content>>,
    pub(super) log: Mutex<Vec<QueryState>>,
    /// Milliseconds before every response.
    pub(super) latency: AtomicU64,
    pub(super) requests: AtomicU64,
    pub(super) answers: AtomicU64,
    pub(super) ended: AtomicBool,
    /// Whether requests are printed.
    pub(super) loud: bool,
}

/// Locks, also after a panic in another thread: a poisoned list is still valid.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub(super) fn converse(&self, stream: TcpStream, is_hub: bool) -> io::Result<()> {
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
        let files = lock(&self.files);
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
        lock(&self.log).push(entry);
        number
    }

    /// Counts bytes as sent, just before they are sent.
    fn count(&self, number: u64, bytes: u64) {
        let mut log = lock(&self.log);
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
