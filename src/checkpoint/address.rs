//! What a person typed or pasted to name a file elsewhere, and the address that file is fetched from.
//!
//! Addresses are read here rather than by a library: the page would carry all of a URL parser for the few
//! questions asked. What is allowed is less than what browsers allow, so that both read it alike.

use super::{
    address_error::AddressError,
    hub::{FILE_WORDS, HubName},
};

/// The longest address; signed ones take some thousand letters.
const LONGEST: usize = 8192;

/// Something elsewhere that can be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A file, by its address.
    File(String),
    /// A model on the Hub.
    Hub(HubName),
}

impl Address {
    /// Reads an address, the name of a model on the Hub, or the address of such a model's page. `hub` is
    /// the Hub's origin.
    ///
    /// # Errors
    /// When it is none of these, or an address that must not be used.
    pub fn parse(typed: &str, hub: &str) -> Result<Self, AddressError> {
        let typed = typed.trim();
        let rest = typed.strip_prefix(hub).or_else(|| {
            let short = ["https://hf.co", "huggingface.co", "hf.co"];
            short.iter().find_map(|short| typed.strip_prefix(short))
        });
        match rest.and_then(|rest| rest.strip_prefix('/')) {
            Some(path) => match HubName::of_page(path)? {
                Some(name) => Ok(Self::Hub(name)),
                None => file(&format!("{hub}/{path}"), hub).map(Self::File),
            },
            None if typed.contains("://") => file(typed, hub).map(Self::File),
            None => HubName::parse(typed).map(Self::Hub),
        }
    }
}

/// The address a file is fetched from. Links to pages *about* a file on the Hub or on GitHub become links to
/// the file itself.
///
/// # Errors
/// When the address must not be used.
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
        format!("{hub}{}", resolved(path))
    } else if origin == "https://github.com" {
        raw(path).unwrap_or_else(|| format!("{origin}{path}"))
    } else {
        format!("{origin}{path}")
    })
}

/// Browsers let secure pages read plain HTTP from here only.
fn is_this_machine(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    };
    ["localhost", "127.0.0.1", "[::1]"].contains(&name)
}

/// `/org/model/blob/main/file` shows a file, `/raw/` gives what Git holds in its place, `/resolve/` the file.
fn resolved(path: &str) -> String {
    // The first part is empty; a model has one part or two, a dataset three.
    let mut parts: Vec<&str> = path.splitn(7, '/').collect();
    let is_word = |&at: &usize| parts.len() > at + 2 && FILE_WORDS.contains(&parts[at]);
    if let Some(at) = [2, 3, 4].into_iter().find(is_word) {
        parts[at] = "resolve";
    }
    parts.join("/")
}

/// `github.com/owner/repository/blob/revision/path`: of GitHub's hosts only the raw one lets pages of other
/// sites read files.
fn raw(path: &str) -> Option<String> {
    let mut parts = path.strip_prefix('/')?.splitn(4, '/');
    let (owner, repository, word) = (parts.next()?, parts.next()?, parts.next()?);
    let rest = parts.next()?;
    let page = ["blob", "raw"].contains(&word) && rest.contains('/');
    page.then(|| format!("https://raw.githubusercontent.com/{owner}/{repository}/{rest}"))
}
