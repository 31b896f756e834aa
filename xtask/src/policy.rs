//! The Content-Security-Policy: nothing but this page's own files, and no inline code but the
//! bootstrap, named by its hash.
//!
//! It stands in the page itself, since static hosts rarely let one set a header.
//!
//! The worker is not bound by it: a worker that is loaded from the network obeys the headers of its own
//! script alone (HTML, "initialize a worker global scope's policy container"), as Chromium, Firefox and WebKit do. That is
//! needed, since it reads files from the addresses people type, which no policy could name in advance. So
//! the promise that no request leaves the page's own origin unless somebody typed the address has two
//! halves: `connect-src 'self'` holds the page, and of the worker's code `src/worker/fetch.rs` alone can send
//! requests, which a test holds. (`www/own_file.js` loads the worker's own parts, from beside it.) The service worker that keeps the page is in
//! the same case, and asks for files of its own folder alone. A host that sends this policy as a header, too, must not
//! send it with the worker's script.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

use crate::Result;

/// Adds the policy as the first thing in `<head>`; it rules only what comes after it.
pub fn apply(html: &str) -> Result<String> {
    let meta = format!(
        "\n<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">",
        policy(html)
    );
    let head = html.find("<head>").ok_or("index.html has no <head>")? + "<head>".len();
    Ok([&html[..head], &meta, &html[head..]].concat())
}

/// The policy for a page with these inline scripts.
fn policy(html: &str) -> String {
    let hashes: String = inline_scripts(html)
        .map(|text| format!(" 'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text))))
        .collect();
    [
        "default-src 'none'",
        // WebAssembly needs a word of its own; it does not allow eval.
        &format!("script-src 'self' 'wasm-unsafe-eval'{hashes}"),
        "style-src 'self'",
        "font-src 'self'",
        // blob: figures on their way to a file; data: the icon.
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        // The worker, and what keeps the page for times without a network.
        "worker-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    .join("; ")
}

/// The text of every `<script>` without a `src`.
fn inline_scripts(html: &str) -> impl Iterator<Item = &str> {
    html.split("<script").skip(1).filter_map(|rest| {
        let (attributes, rest) = rest.split_once('>')?;
        let (text, _) = rest.split_once("</script>")?;
        (!attributes.contains("src=")).then_some(text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inline_scripts_are_named_by_their_hash_and_others_are_not() {
        let html = "<html><head><title>x</title></head><script src=\"a.js\"></script>\
                    <script type=\"module\">alert('Hello, world.');</script></html>";
        let page = apply(html).expect("a page with a head");
        // The example of the CSP specification.
        assert!(page.contains(
            "'wasm-unsafe-eval' 'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='; "
        ));
        assert_eq!(page.matches("sha256-").count(), 1);
        assert!(page.starts_with("<html><head>\n<meta http-equiv"));
    }

    #[test]
    fn a_page_without_a_head_is_refused() {
        assert!(apply("<html>").is_err());
    }
}
