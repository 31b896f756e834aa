//! Tests of the server.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use flate2::read::GzDecoder;

use super::*;

fn content(mount: &str) -> Content {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let overlay = HashMap::from([("index.html".to_owned(), b"hello".to_vec())]);
    Content {
        folder,
        mount: mount.to_owned(),
        overlay,
        ..Content::default()
    }
}

/// The headers and body of a file that a server sends.
fn sent(server: &Server, file: &str, header: &str) -> Result<(String, Vec<u8>)> {
    let address = server.url().trim_start_matches("http://");
    let mut stream = TcpStream::connect(address.trim_end_matches('/'))?;
    write!(
        stream,
        "GET /{file} HTTP/1.1\r\nhost: here\r\nconnection: close\r\n{header}\r\n"
    )?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes)?;
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
    let body = bytes.split_off(end.ok_or("no headers")? + 4);
    Ok((String::from_utf8(bytes)?, body))
}

#[test]
fn a_throttled_response_has_the_same_bytes() -> Result {
    let text = "one chunk after another ".repeat(1000);
    let throttled = || {
        let mut content = content("");
        content
            .overlay
            .extend(["text.js", "table.bin"].map(|file| (file.to_owned(), text.clone().into())));
        content.throttle = Some(Throttle {
            latency: Duration::from_millis(1),
            rate: 10_000_000,
        });
        content
    };
    let server = Server::start(throttled(), 0)?;
    for file in ["text.js", "table.bin"] {
        assert_eq!(sent(&server, file, "")?.1, text.as_bytes(), "{file}");
    }
    let gzip = "accept-encoding: gzip, br\r\n";
    // Numbers are sent as they are.
    assert_eq!(sent(&server, "table.bin", gzip)?.1, text.as_bytes());
    let (headers, body) = sent(&server, "text.js", gzip)?;
    assert!(headers.contains("content-encoding: gzip"), "{headers}");
    let mut unpacked = String::new();
    GzDecoder::new(&*body).read_to_string(&mut unpacked)?;
    assert_eq!(unpacked, text);
    Ok(())
}

#[test]
fn only_programs_are_kept_by_browsers() -> Result {
    let start = |has_cached_programs| {
        let mut content = content("");
        let names = ["page-00ff", "worker-00ff"].map(|name| format!("{name}/start.js"));
        content.overlay.extend(names.map(|name| (name, Vec::new())));
        content.has_cached_programs = has_cached_programs;
        content
    };
    let kept = |content: &Content, file: &str| content.caching(file).contains("immutable");
    let content = start(true);
    assert!(kept(&content, "/page-00ff/page.js"));
    assert!(kept(&content, "/worker-00ff/worker_bg.wasm?again"));
    for file in [
        "/",
        "/page.js",
        "/presets/page.js",
        "/page-00ff/start.js",
        "/pages-00ff/a",
    ] {
        assert!(!kept(&content, file), "{file}");
    }
    assert!(!kept(&start(false), "/page-00ff/page.js"));
    Ok(())
}

#[test]
fn parts_of_a_file_are_sent_as_parts() -> Result {
    let server = Server::start(content(""), 0)?;
    let (headers, body) = sent(&server, "index.html", "range: bytes=1-3\r\n")?;
    assert!(headers.starts_with("HTTP/1.1 206"), "{headers}");
    assert!(headers.contains("content-range: bytes 1-3/5"), "{headers}");
    assert_eq!(body, b"ell");
    let (headers, body) = sent(&server, "index.html", "range: bytes=5-\r\n")?;
    assert!(headers.starts_with("HTTP/1.1 416"), "{headers}");
    assert!(body.is_empty());
    Ok(())
}

#[test]
fn a_folder_is_served_under_its_mount() {
    let under = content("/a/b");
    assert_eq!(
        under.find("/a/b/?view=heads"),
        Some(("text/html; charset=utf-8", b"hello".to_vec()))
    );
    assert!(under.find("/a/b/src/server.rs").is_some());
    assert!(under.find("/a/b").is_none());
    assert!(under.find("/").is_none());
}

#[test]
fn faults_hold_for_their_files_until_they_are_cleared() {
    let content = content("/a");
    let faults = content.faults.clone();
    let status = |path: &str| content.answer(&Method::GET, path).status();
    faults.set(["index.html".to_owned()], Fault::Missing);
    assert_eq!(status("/a/"), StatusCode::NOT_FOUND);
    assert_eq!(status("/a/src/server.rs"), StatusCode::OK);
    faults.set(["src/server.rs".to_owned()], Fault::WebPage);
    assert_eq!(status("/a/"), StatusCode::OK);
    let page = content.answer(&Method::GET, "/a/src/server.rs?again");
    assert_eq!(page.headers()[CONTENT_TYPE], content_type("index.html"));
    faults.clear();
    let file = content.answer(&Method::GET, "/a/src/server.rs");
    assert_ne!(file.headers()[CONTENT_TYPE], content_type("index.html"));
    let met = faults.requested_faults();
    assert_eq!(
        met.into_iter().collect::<Vec<_>>(),
        ["index.html", "src/server.rs"]
    );
}

#[test]
fn nothing_outside_the_folder_is_served() {
    let root = content("");
    for path in [
        "/../Cargo.toml",
        "/src/../../Cargo.toml",
        "//etc/passwd",
        "/absent",
    ] {
        assert!(root.find(path).is_none(), "{path}");
    }
}
