//! Parses the address or Hub name that a user typed, and derives the URL to fetch.
//!
//! Written here because a URL parser crate would add much code to the page for the few checks needed. Accepts less than
//! browsers do, so that this parser and the browser agree on every accepted address.

use super::{
    address_error::AddressError,
    hub::{FILE_WORDS, HubName},
};

/// Longest address in bytes. Signed URLs take a few thousand.
const LONGEST: usize = 8192;

/// A remote file or model that can be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A file, by its URL.
    File(String),
    /// A model on the Hub.
    Hub(HubName),
}

impl Address {
    /// Parses a URL, the name of a model on the Hub, or the URL of such a model's page. `hub` is the Hub's origin.
    ///
    /// # Errors
    /// If it is none of these, or a URL that must not be used.
    pub fn parse(typed: &str, hub: &str) -> Result<Self, AddressError> {
        let typed = typed.trim();
        let rest = typed.strip_prefix(hub).or_else(|| {
            let short = ["https://hf.co", "huggingface.co", "hf.co"];
            short.iter().find_map(|short| typed.strip_prefix(short))
        });
        match rest.and_then(|rest| rest.strip_prefix('/')) {
            Some(path) => match HubName::from_page(path)? {
                Some(name) => Ok(Self::Hub(name)),
                None => file(&format!("{hub}/{path}"), hub).map(Self::File),
            },
            None if typed.contains("://") => file(typed, hub).map(Self::File),
            None => HubName::parse(typed).map(Self::Hub),
        }
    }
}

/// The URL a file is fetched from. Links to pages *about* a file on the Hub or on GitHub become links to the file
/// itself.
///
/// # Errors
/// If the URL must not be used.
fn file(typed: &str, hub: &str) -> Result<String, AddressError> {
    let odd = |c: char| c.is_control() || c.is_whitespace() || "\\\"<>`{}|^".contains(c);
    if typed.len() > LONGEST || typed.contains(odd) {
        return Err(AddressError::Characters);
    }
    let (scheme, rest) = typed.split_once("://").ok_or(AddressError::Scheme)?;
    let secure = scheme.eq_ignore_ascii_case("https");
    if !secure && !scheme.eq_ignore_ascii_case("http") {
        return Err(AddressError::Scheme);
    }
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    if host.contains('@') {
        return Err(AddressError::Credentials);
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._:[]".contains(c);
    if host.is_empty() || host.starts_with(':') || !host.chars().all(plain) {
        return Err(AddressError::Host);
    }
    let host = host.to_ascii_lowercase();
    if !secure && !is_this_machine(&host) {
        return Err(AddressError::Insecure);
    }
    let origin = format!("{}://{host}", if secure { "https" } else { "http" });
    Ok(if origin == hub {
        format!("{hub}{}", resolve_page(path))
    } else if origin == "https://github.com" {
        raw(path).unwrap_or_else(|| format!("{origin}{path}"))
    } else {
        format!("{origin}{path}")
    })
}

/// Browsers let secure pages read plain HTTP only from the local machine.
fn is_this_machine(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    };
    ["localhost", "127.0.0.1", "[::1]"].contains(&name)
}

/// On the Hub, `/org/model/blob/main/file` is a page about the file, `/raw/` the text stored in Git, `/resolve/` the
/// file.
fn resolve_page(path: &str) -> String {
    // The first part is empty. A model's name has one part or two, a dataset's three.
    let mut parts: Vec<&str> = path.splitn(7, '/').collect();
    let is_word = |&at: &usize| parts.len() > at + 2 && FILE_WORDS.contains(&parts[at]);
    if let Some(at) = [2, 3, 4].into_iter().find(is_word) {
        parts[at] = "resolve";
    }
    parts.join("/")
}

/// Turns `github.com/owner/repository/blob/revision/path` into its raw URL. Of GitHub's hosts only the raw one lets
/// pages of other sites read files.
fn raw(path: &str) -> Option<String> {
    let mut parts = path.strip_prefix('/')?.splitn(4, '/');
    let (owner, repository, word) = (parts.next()?, parts.next()?, parts.next()?);
    let rest = parts.next()?;
    let page = ["blob", "raw"].contains(&word) && rest.contains('/');
    page.then(|| format!("https://raw.githubusercontent.com/{owner}/{repository}/{rest}"))
}
