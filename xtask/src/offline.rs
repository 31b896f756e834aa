//! Makes the page work offline: a service worker that lists every file of its version with its hash.
//!
//! `www/service-worker.js` is the template; this module inserts the list. The list has every file the page may request,
//! including lazy parts, presets and fonts, so that after one visit the page works without a network. Programs that are
//! started on first use, samples, and what the training view loads are kept from their first use on. A whole model is read in parts and not kept.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::preset::is_sample;
use crate::programs::{Start, WORKERS};
use crate::{Result, root, style_sheet, whole_model};

/// Name of the service worker. It is fixed, because browsers request it by this name to check for newer versions.
pub const SERVICE_WORKER: &str = "service-worker.js";

/// Files of `www/` that form the second style sheet: what the first picture does without. It is read after the still
/// picture is painted. Their order is that of the cascade: rules override equally specific ones of earlier files.
const LATER_STYLES: &[&str] = &[
    "later/controls.css",
    "later/header.css",
    "later/figures.css",
    "later/model_options.css",
    "later/messages.css",
    "later/figure_panels.css",
    "later/kernels.css",
    "later/other_views.css",
    "later/text.css",
    "later/lessons.css",
    "later/large_figure.css",
    "later/reference.css",
    "later/narrow_windows.css",
    "later/devices.css",
];

/// Files that are named by their content: the style sheets, and the script that registers the service worker. Each
/// with the files of `www/` that are joined to it, and its placeholder in `index.html`.
const HASHED_FILES: [(&[&str], &str); 3] = [
    (&["style.css"], "style-HASH.css"),
    (&["offline.js"], "offline-HASH.js"),
    (LATER_STYLES, "later-HASH.css"),
];

/// Presets larger than this, in bytes, are downloaded after the other files.
const LARGE: u64 = 1_000_000;

/// Extensions of files that the page may request; text files for people are left out.
const KINDS: [&str; 9] = [
    "html",
    "css",
    "js",
    "wasm",
    "woff2",
    "otf",
    "safetensors",
    "bin",
    "webmanifest",
];

/// Writes the script and the style sheets into the site, named by their content, and inserts their names into the
/// page.
///
/// # Errors
/// If the page lacks their placeholders, or the site cannot be written.
pub fn place(dist: &Path, html: &str) -> Result<String> {
    let mut html = html.to_owned();
    for (files, placeholder) in HASHED_FILES {
        let read = |file: &&str| fs::read_to_string(root().join("www").join(file));
        let content = files
            .iter()
            .map(read)
            .collect::<std::io::Result<Vec<_>>>()?;
        let content = content.join("\n");
        let content = match placeholder.ends_with(".css") {
            true => style_sheet::without_comments(&content),
            false => content,
        };
        if !html.contains(placeholder) {
            return Err(format!("index.html names no {placeholder}").into());
        }
        let name = placeholder.replace("HASH", &hash(content.as_bytes())[..16]);
        fs::write(dist.join(&name), content)?;
        html = html.replace(placeholder, &name);
    }
    Ok(html)
}

/// Writes the service worker of a finished site.
///
/// # Errors
/// If the site cannot be read or written.
pub fn finish(dist: &Path) -> Result {
    let (mut lists, mut sizes) = (Lists::default(), BTreeMap::new());
    list(dist, dist, &mut lists, &mut sizes)?;
    let [files, large, on_use] = lists.map(|list| serde_json::to_string_pretty(&list));
    let (files, large, on_use) = (files?, large?, on_use?);
    let sizes = serde_json::to_string_pretty(&sizes)?;
    let template = fs::read_to_string(root().join("www").join(SERVICE_WORKER))?;
    let version = hash(format!("{template}{files}{large}{on_use}").as_bytes());
    let mut script = template;
    for (placeholder, value) in [
        ("\"VERSION\"", format!("\"{}\"", &version[..16])),
        ("{ \"FILES\": \"\" }", files),
        ("{ \"LARGE\": \"\" }", large),
        ("{ \"ON_USE\": \"\" }", on_use),
        ("{ \"SIZES\": 0 }", sizes),
    ] {
        if script.matches(placeholder).count() != 1 {
            return Err(format!("{SERVICE_WORKER} has no single {placeholder}").into());
        }
        script = script.replace(placeholder, &value);
    }
    Ok(fs::write(dist.join(SERVICE_WORKER), script)?)
}

/// Files that replace a site's own to switch offline use off: the page does not register a service worker, and an
/// existing one unregisters itself and deletes its cache.
///
/// # Errors
/// If the site cannot be read.
pub fn removal_files(dist: &Path) -> Result<HashMap<String, Vec<u8>>> {
    let index = dist.join("index.html");
    let html = fs::read_to_string(&index)
        .map_err(|error| format!("{}: {error}; `cargo xtask build` makes it", index.display()))?;
    let ending = fs::read(root().join("www/no-service-worker.js"))?;
    Ok(HashMap::from([
        (
            "index.html".to_owned(),
            html.replace("<meta name=\"offline\"", "<meta name=\"not-offline\"")
                .into_bytes(),
        ),
        (SERVICE_WORKER.to_owned(), ending),
    ]))
}

/// Hashes of files by name: of those that are kept at once, of large presets, and of programs, samples and runs, which are
/// kept on first use.
type Lists = [BTreeMap<String, String>; 3];

/// Lists the files of a folder with their hashes and their sizes. The page itself has an empty name.
fn list(
    dist: &Path,
    folder: &Path,
    lists: &mut Lists,
    sizes: &mut BTreeMap<String, u64>,
) -> Result {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            list(dist, &path, lists, sizes)?;
            continue;
        }
        let kind = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        let parts = path.strip_prefix(dist)?.iter().map(OsStr::to_string_lossy);
        let name = parts.collect::<Vec<_>>().join("/");
        let is_left_out = name == SERVICE_WORKER || whole_model::owns(&name);
        let is_of_run = is_of_run(&name, kind);
        if !(KINDS.contains(&kind) || is_of_run) || is_left_out {
            continue;
        }
        let size = path.metadata()?.len();
        let is_large = kind == "safetensors" && size > LARGE;
        let mut workers = WORKERS.iter();
        let is_program = workers
            .any(|worker| worker.start == Start::OnFirstUse && worker.owns(Path::new(&name)));
        let is_on_use = is_program || is_sample(&name) || is_of_run;
        let name = if name == "index.html" {
            String::new()
        } else {
            name
        };
        // The page says how much of itself is kept; what few visits need does not count.
        if !is_on_use {
            sizes.insert(name.clone(), size);
        }
        let at = if is_on_use { 2 } else { usize::from(is_large) };
        lists[at].insert(name, hash(&fs::read(&path)?));
    }
    Ok(())
}

/// Whether a file belongs to a run that ships with the page, or is a text that runs learn from.
fn is_of_run(name: &str, kind: &str) -> bool {
    match kind {
        "json" | "safetensors" => name.starts_with("presets/runs/"),
        "txt" => name.starts_with("training/"),
        _ => false,
    }
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(name: &str, page: &str) -> Result<(std::path::PathBuf, String)> {
        let dist =
            std::env::temp_dir().join(format!("diagonal-offline-{name}-{}", std::process::id()));
        fs::create_dir_all(dist.join("page-1a"))?;
        let html = place(
            &dist,
            "<head><meta name=\"offline\" content=\"offline-HASH.js\"><link href=\"style-HASH.css\"><link href=\"later-HASH.css\"></head>",
        )?;
        fs::write(dist.join("index.html"), &html)?;
        fs::write(dist.join("page-1a/page_bg.wasm"), page)?;
        fs::write(dist.join("README.md"), "for people")?;
        fs::create_dir_all(dist.join("tokenizer-1a"))?;
        fs::write(dist.join("tokenizer-1a/tokenizer_bg.wasm"), "tokenizer")?;
        fs::create_dir_all(dist.join(whole_model::FOLDER))?;
        for sample in ["minilm-l6", "rxnmapper"] {
            let file = dist.join(format!("presets/{sample}.safetensors"));
            fs::write(file, sample)?;
        }
        for file in [
            "presets/runs/chain/run.json",
            "presets/runs/chain/8.safetensors",
            "training/book.txt",
        ] {
            let file = dist.join(file);
            fs::create_dir_all(file.parent().ok_or("a folder")?)?;
            fs::write(file, "of a run")?;
        }
        fs::write(
            dist.join(whole_model::FOLDER).join("model.safetensors"),
            "whole",
        )?;
        fs::write(dist.join("large.safetensors"), vec![0; LARGE as usize + 1])?;
        finish(&dist)?;
        let script = fs::read_to_string(dist.join(SERVICE_WORKER))?;
        Ok((dist, script))
    }

    #[test]
    fn every_file_is_named_by_its_hash() -> Result {
        let (dist, script) = site("names", "program")?;
        let entry = |name: &str, bytes: &[u8]| format!("\"{name}\": \"{}\"", hash(bytes));
        assert!(script.contains(&entry("page-1a/page_bg.wasm", b"program")));
        assert!(script.contains(&entry("", &fs::read(dist.join("index.html"))?)));
        let (small, large) = script.split_once("const LARGE").ok_or("no large files")?;
        assert!(!small.contains("large.safetensors") && large.contains("large.safetensors"));
        let (large, on_use) = large.split_once("const ON_USE").ok_or("no programs")?;
        assert!(!small.contains("tokenizer-1a") && !large.contains("tokenizer-1a"));
        assert!(on_use.contains(&entry("tokenizer-1a/tokenizer_bg.wasm", b"tokenizer")));
        // The default preset is kept at once, and samples when one is chosen.
        let sample = entry("presets/rxnmapper.safetensors", b"rxnmapper");
        assert!(small.contains(&entry("presets/minilm-l6.safetensors", b"minilm-l6")));
        assert!(!small.contains("rxnmapper") && !large.contains("rxnmapper"));
        assert!(on_use.contains(&sample));
        for file in [
            "presets/runs/chain/run.json",
            "presets/runs/chain/8.safetensors",
            "training/book.txt",
        ] {
            assert!(on_use.contains(&entry(file, b"of a run")) && !small.contains(file));
        }
        let (_, sizes) = on_use.split_once("const SIZES").ok_or("no sizes")?;
        assert!(sizes.contains("page-1a") && !sizes.contains("tokenizer-1a"));
        assert!(!sizes.contains("rxnmapper"));
        assert!(!script.contains(&format!("{}/", whole_model::FOLDER)));
        assert!(!script.contains("README") && !script.contains("\"service-worker.js\""));
        // A second run changes nothing, because the script does not list itself.
        finish(&dist)?;
        assert_eq!(fs::read_to_string(dist.join(SERVICE_WORKER))?, script);
        Ok(fs::remove_dir_all(dist)?)
    }

    #[test]
    fn another_content_is_another_version() -> Result {
        let version = |script: &str| {
            script
                .lines()
                .find(|line| line.starts_with("const VERSION"))
                .map(str::to_owned)
        };
        let (one, first) = site("one", "program")?;
        let (other, second) = site("other", "programme")?;
        assert_ne!(version(&first), version(&second));
        assert!(version(&first).is_some_and(|line| !line.contains("VERSION\"")));
        fs::remove_dir_all(one)?;
        Ok(fs::remove_dir_all(other)?)
    }

    #[test]
    fn a_page_that_is_not_kept_asks_for_nothing() -> Result {
        let (dist, _) = site("ended", "program")?;
        let served = removal_files(&dist)?;
        let page = String::from_utf8(served["index.html"].clone())?;
        assert!(!page.contains("name=\"offline\""), "{page}");
        assert!(String::from_utf8_lossy(&served[SERVICE_WORKER]).contains("unregister"));
        Ok(fs::remove_dir_all(dist)?)
    }

    #[test]
    fn every_later_style_is_placed() -> Result {
        let folder = root().join("www/later");
        let files = fs::read_dir(folder)?.map(|file| file.map(|file| file.file_name()));
        let mut files = files.collect::<std::io::Result<Vec<_>>>()?;
        files.sort();
        let mut listed: Vec<_> = (LATER_STYLES.iter())
            .filter_map(|file| Path::new(file).file_name())
            .collect();
        listed.sort();
        assert_eq!(files, listed);
        Ok(())
    }

    #[test]
    fn the_page_names_what_is_placed() -> Result {
        let page = fs::read_to_string(root().join("index.html"))?;
        for (_, placeholder) in HASHED_FILES {
            assert!(page.contains(placeholder), "{placeholder}");
        }
        assert!(place(Path::new("/"), "<head></head>").is_err());
        Ok(())
    }
}
