//! The list of shortcuts has every key that the page handles, and no other.

use crate::support::root;
use std::{collections::BTreeSet, fs, path::Path};

use diagonal::page_reference::{GESTURES, SHORTCUTS, key_label};

/// Longer names of keys that the page handles.
const NAMED: &[&str] = &[
    "ArrowLeft",
    "ArrowRight",
    "ArrowUp",
    "ArrowDown",
    "PageUp",
    "PageDown",
    "Home",
    "End",
    "Enter",
    "Escape",
];

/// Whether a string is the name of a key: one character, or a named key.
fn is_key(text: &str) -> bool {
    text.chars().count() == 1 || NAMED.contains(&text)
}

/// String literals of a piece of code.
fn literals(code: &str) -> impl Iterator<Item = &str> {
    code.split('"').skip(1).step_by(2)
}

/// Names of keys in patterns and comparisons of a source file.
fn handled(code: &str, keys: &mut BTreeSet<String>) {
    for line in code.lines().map(str::trim) {
        let compared = line
            .split_once("== ")
            .filter(|(left, _)| left.contains("key"));
        let piece = match (line.split_once("=>"), compared) {
            (Some((pattern, _)), _) => pattern,
            (None, Some((_, right))) => right,
            // An element of a list of keys.
            (None, None) if line.starts_with('"') && line.ends_with("\",") => line,
            _ => continue,
        };
        keys.extend(
            literals(piece)
                .filter(|text| is_key(text))
                .map(str::to_owned),
        );
    }
}

/// Names of all keys that `src/app` handles.
fn handled_keys() -> BTreeSet<String> {
    fn walk(folder: &Path, keys: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                walk(&path, keys);
                continue;
            }
            let code = fs::read_to_string(&path).expect("a source file");
            if code.contains("keydown") || code.contains("KeyboardEvent") {
                handled(&code, keys);
            }
        }
    }
    let mut keys = BTreeSet::new();
    walk(&root().join("src/app"), &mut keys);
    keys
}

/// The last key of a chord, which may be `+` itself.
fn last_key(chord: &str) -> &str {
    match chord.rsplit_once('+') {
        Some((_, key)) if !key.is_empty() => key,
        _ => chord,
    }
}

#[test]
fn keys_are_found_in_code() {
    let mut keys = BTreeSet::new();
    handled(
        "match key { \"ArrowUp\" | \"b\" if x => act(\"c\"),\n if event.key() == \"Escape\" {\n \"Home\",\n (\"z\", false) => {}",
        &mut keys,
    );
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    assert_eq!(keys, ["ArrowUp", "Escape", "Home", "b", "z"]);
}

#[test]
fn every_key_is_listed_and_every_listed_key_exists() {
    let listed: BTreeSet<String> = SHORTCUTS
        .iter()
        .flat_map(|group| group.shortcuts)
        .flat_map(|shortcut| shortcut.keys)
        .map(|chord| last_key(chord).to_owned())
        .collect();
    let handled = handled_keys();
    assert!(handled.len() > 15, "{handled:?}");
    assert_eq!(listed, handled);
}

#[test]
fn no_key_has_two_actions_in_one_place() {
    for group in SHORTCUTS {
        let chords: Vec<&str> = group
            .shortcuts
            .iter()
            .flat_map(|s| s.keys)
            .copied()
            .collect();
        let unique: BTreeSet<&str> = chords.iter().copied().collect();
        assert_eq!(chords.len(), unique.len(), "{}", group.place);
        for chord in chords {
            assert!(!key_label(last_key(chord)).trim().is_empty(), "{chord:?}");
        }
    }
}

#[test]
fn no_gesture_has_two_actions() {
    let gestures: BTreeSet<&str> = GESTURES.iter().map(|gesture| gesture.gesture).collect();
    let actions: BTreeSet<&str> = GESTURES.iter().map(|gesture| gesture.action).collect();
    assert_eq!(
        (gestures.len(), actions.len()),
        (GESTURES.len(), GESTURES.len())
    );
    for text in gestures.into_iter().chain(actions) {
        assert!(
            text.starts_with(char::is_uppercase) && !text.ends_with('.'),
            "{text}"
        );
    }
}
