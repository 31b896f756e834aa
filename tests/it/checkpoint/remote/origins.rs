//! APIs with which the page can send requests.
use crate::support::root;

/// The page sends requests only to typed addresses. The one file that can reach other origins is listed here.
#[test]
fn one_file_alone_can_reach_other_origins() {
    let ways = [
        "fetch_with",
        "XmlHttpRequest",
        "WebSocket",
        "EventSource",
        "beacon",
        "importScripts",
    ];
    let mut folders = vec![root().join("src")];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let text = std::fs::read_to_string(&path).expect("a text");
                if ways.iter().any(|way| text.contains(way)) {
                    found.push(path);
                }
            }
        }
    }
    found.sort();
    let names: Vec<_> = found
        .iter()
        .map(|path| path.iter().rev().take(2).collect::<Vec<_>>())
        .map(|end| {
            end.iter()
                .rev()
                .map(|part| part.to_string_lossy())
                .collect::<Vec<_>>()
                .join("/")
        })
        .collect();
    // The page's own files are loaded by its own script, and its policy forbids other origins.
    assert_eq!(names, ["worker/fetch.rs"]);
}
