//! The Hub as a reader of its files meets it: ranges, redirects, and a sentence for every fault.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::ops::Range;
use std::path::Path;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use diagonal::checkpoint::{
    BundleFiles, ByteSource, Checkpoint, Fetch, FetchError, HubName, Network, RemoteError, Response,
};

use super::{Content, Hub};

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
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(FetchError::CutOff),
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
        let BundleFiles::One(source) = model.files else {
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
        ("circle", "could not be reached"),
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
