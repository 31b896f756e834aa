//! The Content-Security-Policy: allows only the page's own files, and no inline code except the bootstrap script, by
//! its hash.
//!
//! It is a `<meta>` element, since static hosts rarely allow setting headers.
//!
//! It does not apply to the worker: a worker loaded from the network follows only the headers of its own script (HTML,
//! "initialize a worker global scope's policy container"), as Chromium, Firefox and WebKit do. That is necessary, since
//! it reads files from addresses that users type, which no policy could list in advance. So the guarantee that no
//! request leaves the page's own origin unless the user typed the address has two halves: `connect-src 'self'` for the
//! page, and, in the worker's code, that only `src/worker/fetch.rs` can send requests, which a test checks.
//! (`www/own_file.js` loads the worker's own parts, from the same folder.) The same holds for the service worker, which
//! requests only files of its own folder. A host that also sends this policy as a header must not send it with the
//! worker's script.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

use crate::Result;

/// Adds the policy as the first element in `<head>`, because it applies only to what follows it.
pub fn apply(html: &str) -> Result<String> {
    let meta = format!(
        "\n<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">",
        policy(html)
    );
    let head = html.find("<head>").ok_or("index.html has no <head>")? + "<head>".len();
    Ok([&html[..head], &meta, &html[head..]].concat())
}

/// The policy for a page, with the hashes of its inline scripts.
fn policy(html: &str) -> String {
    let hashes: String = inline_scripts(html)
        .map(|text| format!(" 'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text))))
        .collect();
    [
        "default-src 'none'",
        // WebAssembly needs its own keyword, which does not allow `eval`.
        &format!("script-src 'self' 'wasm-unsafe-eval'{hashes}"),
        "style-src 'self'",
        "font-src 'self'",
        // blob: for figures being saved; data: for the icon.
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        "manifest-src 'self'",
        // For the worker and the service worker.
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
        // The example in the CSP specification.
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
