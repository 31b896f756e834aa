//! The layers of the source: a module uses only modules of lower layers, only some folders know a browser, and
//! `ARCHITECTURE.md` names every module.

use crate::support::root;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

/// The modules of the crate that each module may use. Modules that are not listed may use all.
const ARROWS: &[(&str, &[&str])] = &[
    ("csv_rows", &[]),
    ("figure_help", &[]),
    ("lazy", &["load_failure", "same_origin_files"]),
    ("load_failure", &[]),
    ("math", &[]),
    ("safetensors_writer", &[]),
    ("short_text", &[]),
    ("text_samples", &[]),
    ("undo", &[]),
    ("encoding", &["math"]),
    (
        "kernel_io",
        &[
            "csv_rows",
            "math",
            "safetensors_writer",
            "short_text",
            "encoding",
        ],
    ),
    ("checkpoint", &["lazy", "encoding", "kernel_io"]),
    ("model", &["math", "short_text", "encoding", "checkpoint"]),
    (
        "forward",
        &["math", "short_text", "encoding", "checkpoint", "model"],
    ),
    (
        "numpy_model",
        &["math", "short_text", "encoding", "checkpoint", "model"],
    ),
    (
        "analysis",
        &[
            "lazy",
            "math",
            "safetensors_writer",
            "short_text",
            "encoding",
            "checkpoint",
            "model",
            "forward",
            "numpy_model",
        ],
    ),
    (
        "training",
        &[
            "math",
            "safetensors_writer",
            "checkpoint",
            "model",
            "analysis",
        ],
    ),
    ("figure", &["math", "analysis", "training"]),
    (
        "url_state",
        &[
            "math",
            "short_text",
            "encoding",
            "model",
            "analysis",
            "figure",
        ],
    ),
    (
        "performance_table",
        &["csv_rows", "short_text", "url_state"],
    ),
    ("figure_spec", &["figure", "figure_help", "url_state"]),
    ("page_reference", &["figure_spec"]),
    ("lesson_checks", &["analysis", "figure"]),
    (
        "export",
        &[
            "math",
            "encoding",
            "model",
            "analysis",
            "figure",
            "figure_spec",
            "url_state",
        ],
    ),
    (
        "numpy_program",
        &[
            "math",
            "encoding",
            "numpy_model",
            "analysis",
            "training",
            "figure",
            "url_state",
        ],
    ),
    ("same_origin_files", &["load_failure"]),
    ("protocol", &["analysis"]),
];

/// Modules whose files use each other in one direction only.
const WITHOUT_CIRCLES: &[&str] = &[
    "math",
    "encoding",
    "checkpoint",
    "model",
    "forward",
    "analysis",
    "figure",
    "export",
    "url_state",
    "numpy_model",
];

/// The folders of `app`, from the lowest to the highest, and the folders that each may use.
const APP_ARROWS: &[(&str, &[&str])] = &[
    ("display", &[]),
    ("lazy", &[]),
    ("query_client", &[]),
    ("state", &["query_client"]),
    ("tokenizer", &["query_client"]),
    ("controls", &["query_client", "state"]),
    (
        "figure",
        &["controls", "display", "lazy", "query_client", "state"],
    ),
    (
        "models",
        &["controls", "figure", "lazy", "query_client", "state"],
    ),
    ("training", &["models", "query_client", "state"]),
    (
        "views",
        &[
            "controls",
            "display",
            "figure",
            "lazy",
            "models",
            "query_client",
            "state",
            "tokenizer",
            "training",
        ],
    ),
    (
        "lesson",
        &[
            "controls",
            "display",
            "figure",
            "lazy",
            "models",
            "query_client",
            "state",
            "views",
        ],
    ),
    (
        "shell",
        &[
            "controls",
            "display",
            "lazy",
            "lesson",
            "query_client",
            "state",
            "views",
        ],
    ),
];

/// The only modules that know a browser.
const BROWSER: &[&str] = &[
    "app",
    "gpu",
    "worker",
    "trainer",
    "same_origin_files",
    "bin",
    "main",
];
const BROWSER_NAMES: &[&str] = &[
    "web_sys",
    "js_sys",
    "wasm_bindgen",
    "wasm_bindgen_futures",
    "leptos",
    "send_wrapper",
    "plotters_canvas",
    "wgpu",
];

/// The only files that know a canvas.
const CANVAS: &[&str] = &[
    "app/figure/canvas.rs",
    "app/figure/view.rs",
    "app/figure/painter.rs",
];
const CANVAS_NAMES: &[&str] = &[
    "HtmlCanvasElement",
    "CanvasRenderingContext2d",
    "CanvasBackend",
];

/// A source file: its path below `src`, its module, its text without comments.
pub(super) struct Source {
    pub(super) path: String,
    pub(super) module: String,
    pub(super) code: String,
}

pub(super) fn sources() -> Vec<Source> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|end| end == "rs") {
                found.push(path);
            }
        }
    }
    let src = root().join("src");
    let mut paths = Vec::new();
    walk(&src, &mut paths);
    paths.sort();
    paths
        .into_iter()
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("a source file");
            let path = path.strip_prefix(&src).expect("below src");
            let path = path.to_str().expect("a plain name").replace('\\', "/");
            let module = path.split(['/', '.']).next().expect("a module");
            Source {
                module: module.to_owned(),
                code: without_comments(&text),
                path,
            }
        })
        .collect()
}

fn without_comments(text: &str) -> String {
    let code = |line: &str| line.split("//").next().unwrap_or_default().to_owned();
    text.lines().map(code).collect::<Vec<_>>().join("\n")
}

/// Every word of a text.
fn words(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .collect()
}

/// Modules named after a prefix such as `crate::`, alone or in braces.
fn modules_used(code: &str, prefix: &str) -> BTreeSet<String> {
    let name = |text: &str| -> String {
        let text = text.trim_start();
        text.chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect()
    };
    let mut used = BTreeSet::new();
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    for (at, _) in code.match_indices(prefix) {
        if code[..at].ends_with(is_name) {
            continue;
        }
        let rest = &code[at + prefix.len()..];
        let Some(group) = rest.strip_prefix('{') else {
            used.insert(name(rest));
            continue;
        };
        let (mut depth, mut item) = (0, 0);
        for (end, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth > 0 => depth -= 1,
                ',' | '}' if depth == 0 => {
                    used.insert(name(&group[item..end]));
                    item = end + 1;
                    if c == '}' {
                        break;
                    }
                }
                _ => {}
            }
        }
    }
    used.remove("");
    used
}

#[test]
fn the_reader_of_uses_reads() {
    let code = without_comments(
        "use crate::math::{Tile, Window};\nuse crate::{\n    url_state::{self, Link}, // crate::model\n    figure,\n};\nlet x = crate::app::y();",
    );
    let used: Vec<String> = modules_used(&code, "crate::").into_iter().collect();
    assert_eq!(used, ["app", "figure", "math", "url_state"]);
    let code = "use crate::{app::{state::page, views}, math};\nlet x = crate::app::figure::y();";
    let used: Vec<String> = modules_used(code, "app::").into_iter().collect();
    assert_eq!(used, ["figure", "state", "views"]);
}

#[test]
fn modules_use_what_stands_left_of_them() {
    let sources = sources();
    for (module, left) in ARROWS {
        let mut of_module = sources.iter().filter(|s| s.module == *module).peekable();
        assert!(of_module.peek().is_some(), "src has no module {module}");
        for Source { path, code, .. } in of_module {
            for used in modules_used(code, "crate::") {
                assert!(
                    used == *module || left.contains(&used.as_str()),
                    "src/{path} uses {used}, which does not stand left of {module}"
                );
            }
            // `super` must not lead out of the module, past the check above.
            let depth = path.matches('/').count() - usize::from(path.ends_with("/mod.rs"));
            let out = "super::".repeat(depth + 1);
            assert!(!code.contains(&out), "src/{path} climbs out by {out}");
        }
    }
}

/// The files and folders of a module that each of them uses, directly or by names that the module exports.
fn uses_within(module: &str, sources: &[Source]) -> BTreeMap<String, BTreeSet<String>> {
    let folder = format!("{module}/");
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut owners: BTreeMap<String, String> = BTreeMap::new();
    let files = || {
        let below = |source: &'_ Source| source.path.strip_prefix(&folder).map(str::to_owned);
        sources
            .iter()
            .filter_map(move |source| Some((below(source)?, &source.code)))
    };
    for (path, code) in files() {
        if path != "mod.rs" {
            let name = path.split(['/', '.']).next().unwrap_or_default();
            uses.entry(name.to_owned()).or_default();
            continue;
        }
        for line in code.split(';') {
            let Some((_, exports)) = line.split_once("use ") else {
                continue;
            };
            if let Some((owner, names)) = exports.split_once("::") {
                let exported = words(names).into_iter();
                owners.extend(exported.map(|name| (name.to_owned(), owner.to_owned())));
            }
        }
    }
    for (path, code) in files().filter(|(path, _)| path != "mod.rs") {
        let file = path.split(['/', '.']).next().unwrap_or_default();
        let is_nested = path.contains('/') && !path.ends_with("/mod.rs");
        let up = if is_nested {
            "super::super::"
        } else {
            "super::"
        };
        for prefix in [up.to_owned(), format!("crate::{module}::")] {
            for name in modules_used(code, &prefix) {
                let used = owners.get(&name).unwrap_or(&name);
                if used != file && uses.contains_key(used) {
                    let used = used.clone();
                    uses.get_mut(file).expect("listed").insert(used);
                }
            }
        }
    }
    uses
}

#[test]
fn files_of_a_module_use_each_other_in_one_direction() {
    let sources = sources();
    for module in WITHOUT_CIRCLES {
        let mut uses = uses_within(module, &sources);
        let arrows: usize = uses.values().map(BTreeSet::len).sum();
        assert!(
            arrows > 3,
            "{module}: {arrows} arrows are not all there are"
        );
        // Removes files that use none of the others, until nothing but circles is left.
        loop {
            let left: BTreeSet<String> = uses.keys().cloned().collect();
            uses.retain(|_, used| used.iter().any(|file| left.contains(file)));
            if uses.len() == left.len() {
                break;
            }
        }
        assert!(
            uses.is_empty(),
            "files of {module} use each other in a circle: {uses:?}"
        );
    }
}

/// The folder of `app` that contains a file; `None` for the page itself and for files of other modules.
fn app_folder(path: &str) -> Option<&str> {
    let rest = path.strip_prefix("app/")?;
    let folder = rest.split(['/', '.']).next()?;
    (folder != "mod").then_some(folder)
}

#[test]
fn folders_of_the_page_use_what_lies_below_them() {
    for Source { path, code, .. } in sources() {
        let Some(folder) = app_folder(&path) else {
            continue;
        };
        let (_, below) = (APP_ARROWS.iter())
            .find(|(name, _)| *name == folder)
            .unwrap_or_else(|| panic!("src/{path} lies in no folder that is listed"));
        for used in modules_used(&code, "app::") {
            assert!(
                used == folder || below.contains(&used.as_str()),
                "src/{path} uses {used}, which does not lie below {folder}"
            );
        }
        let depth = path.matches('/').count() - usize::from(path.ends_with("/mod.rs"));
        let out = "super::".repeat(depth);
        assert!(!code.contains(&out), "src/{path} climbs out by {out}");
    }
}

#[test]
fn every_module_has_its_place() {
    let placed: BTreeSet<&str> = ARROWS
        .iter()
        .map(|(module, _)| *module)
        .chain(BROWSER.iter().copied())
        .chain(["lib"])
        .collect();
    for Source { path, module, .. } in sources() {
        assert!(
            placed.contains(module.as_str()),
            "src/{path} has no place among the arrows"
        );
    }
}

#[test]
fn the_browser_stays_in_its_folders() {
    for Source { path, module, code } in sources() {
        let words = words(&code);
        if !BROWSER.contains(&module.as_str()) {
            for name in BROWSER_NAMES {
                assert!(!words.contains(name), "src/{path} names {name}");
            }
        }
        if path != "lazy.rs" {
            assert!(
                !words.contains("wasm_split_helpers"),
                "src/{path} splits the worker"
            );
        }
        if !CANVAS.contains(&path.as_str()) {
            for name in CANVAS_NAMES {
                assert!(!words.contains(name), "src/{path} names {name}");
            }
        }
    }
}

#[test]
fn the_map_names_every_module() {
    let map = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let words = words(&map);
    for Source { module, .. } in sources() {
        // The crate's root and the page's binary are where everybody looks first.
        let known = ["lib", "main"].contains(&module.as_str());
        assert!(
            known || words.contains(module.as_str()),
            "ARCHITECTURE.md does not name {module}"
        );
    }
}
