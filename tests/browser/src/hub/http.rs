//! The part of HTTP that a file server needs: request parsing, and responses.

use std::io::{self, BufRead, BufReader};
use std::net::TcpStream;
use std::ops::Range;

use super::Content;

/// The first line of a request, and its `Range` header.
pub(super) struct Request {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) range: Option<Range<u64>>,
}

impl Request {
    /// Reads a request; `None` at the end of the connection.
    pub(super) fn read(stream: &mut BufReader<TcpStream>) -> io::Result<Option<Self>> {
        let mut line = String::new();
        if stream.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let mut words = line.split_whitespace().map(str::to_owned);
        let (Some(method), Some(path)) = (words.next(), words.next()) else {
            return Err(io::ErrorKind::InvalidData.into());
        };
        let mut range = None;
        loop {
            let mut line = String::new();
            stream.read_line(&mut line)?;
            match line.trim().split_once(':') {
                Some((name, value)) if name.eq_ignore_ascii_case("range") => {
                    let value = value.trim().strip_prefix("bytes=");
                    range = value.and_then(|v| v.split_once('-')).and_then(|(a, b)| {
                        let end = if b.is_empty() {
                            u64::MAX
                        } else {
                            b.parse::<u64>().ok()? + 1
                        };
                        Some(a.parse().ok()?..end)
                    });
                }
                Some(_) => {}
                None => break,
            }
        }
        Ok(Some(Self {
            method,
            path,
            range,
        }))
    }
}

/// A response.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Content,
    pub(super) part: Range<u64>,
}

impl Answer {
    pub(super) fn empty(status: u16) -> Self {
        Self::text(status, "")
    }

    pub(super) fn text(status: u16, text: &str) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: Content::Bytes(text.as_bytes().to_vec()),
            part: 0..text.len() as u64,
        }
    }

    pub(super) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}
