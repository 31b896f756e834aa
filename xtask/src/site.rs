//! Builds the page as a folder that any static host can serve.
//!
//! The page and its workers are compiled and split into initial and lazy parts, each program in a folder named by its
//! content, so that a visitor never gets the page of one deployment with the worker of another. `index.html` gets their
//! addresses, the style sheets, the Content-Security-Policy, which allows the bootstrap script by its hash, and the
//! service worker for offline use.

use std::fs;
use std::path::{Path, PathBuf};

use crate::programs::{PAGE, Program, WORKERS};
use crate::sizes::Sizes;
use crate::{Result, lessons, offline, parts, policy, root, still_header, tools, whole_model};

/// The script that starts the page, and its placeholder in `index.html`.
const START: &str = concat!(
    include_str!("../../www/own_file.js"),
    include_str!("../../www/start.js")
);
const START_PLACE: &str = "<script>\"START\"</script>";

/// The page's document in the repository and in the site, and the beginning of its title.
const INDEX: &str = "index.html";
const TITLE: &str = "<title>Diagonal";

/// Files and folders of the repository that the site has as they are, with their names there.
const UNCHANGED: [(&str, &str); 7] = [
    // First: by it a later build knows the folder if this one fails.
    (INDEX, INDEX),
    ("www/presets", "presets"),
    ("www/training", "training"),
    ("www/fonts", "fonts"),
    ("www/icons", "icons"),
    ("www/manifest.webmanifest", "manifest.webmanifest"),
    (".github/picture.png", "picture.png"),
];

/// The placeholder for the addresses of the workers' scripts.
const WORKERS_PLACE: &str = "<meta name=\"WORKERS\">";

/// Builds the release page into a folder, prints its sizes and checks them against the budget.
pub fn build(dist: &Path) -> Result {
    tools::wasm_target()?;
    let flags = compiler_flags();
    // Each program is compiled by one core for most of its time. Cargo's profiles have separate locks.
    std::thread::scope(|scope| -> Result {
        let workers = scope.spawn(|| {
            let compiled = WORKERS.iter().try_for_each(|worker| worker.compile(&flags));
            compiled.map_err(|error| error.to_string())
        });
        PAGE.compile(&flags)?;
        workers
            .join()
            .map_err(|_| "compiling the workers panicked")??;
        Ok(())
    })?;
    clear(dist)?;
    for (from, to) in UNCHANGED {
        copy(&root().join(from), &dist.join(to))?;
    }
    let page = parts::cut(dist, &PAGE)?;
    let workers = WORKERS
        .iter()
        .map(|worker| Ok((*worker, parts::cut(dist, worker)?)));
    let workers = workers.collect::<Result<Vec<_>>>()?;
    let html = still_header::insert(&fs::read_to_string(root().join("index.html"))?)?;
    let html = with_programs(&with_start(&html)?, &page, &workers)?;
    let html = with_address(&html, std::env::var("DIAGONAL_URL").ok().as_deref());
    lessons::write(dist)?;
    whole_model::write(dist)?;
    let html = without_comments(&offline::place(dist, &html)?);
    fs::write(dist.join(INDEX), policy::apply(&html)?)?;
    // Must be last, because it lists all other files.
    offline::finish(dist)?;

    let sizes = Sizes::of(dist)?;
    println!("{sizes}");
    sizes.check()
}

/// Empties the folder of the site.
///
/// # Errors
/// If it has files but no site, so that the name of a wrong folder deletes nothing.
fn clear(dist: &Path) -> Result {
    if dist.is_dir() {
        let is_empty = fs::read_dir(dist)?.next().is_none();
        let is_site = fs::read_to_string(dist.join(INDEX)).is_ok_and(|html| html.contains(TITLE));
        if !is_empty && !is_site {
            let folder = dist.display();
            return Err(format!("{folder} has other files: name a new or an empty folder").into());
        }
        fs::remove_dir_all(dist)?;
    }
    Ok(fs::create_dir_all(dist)?)
}

/// Copies a file or a folder with everything in it.
fn copy(from: &Path, to: &Path) -> Result {
    let error = |error| format!("{}: {error}", from.display());
    if !from.is_dir() {
        fs::copy(from, to).map_err(error)?;
        return Ok(());
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).map_err(error)? {
        let entry = entry?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

/// Removes the comments of a page, each of which is a line of its own.
fn without_comments(html: &str) -> String {
    let is_comment = |line: &&str| line.starts_with("<!--") && line.ends_with("-->");
    let lines = html.lines().filter(|line| !is_comment(line));
    lines.map(|line| format!("{line}\n")).collect()
}

/// The flags that the programs of the site are compiled with, beside those of `.cargo/config.toml`.
#[must_use]
pub fn compiler_flags() -> String {
    format!("{} {}", short_paths(), parts::LINKER_FLAGS)
}

/// Flags that remove this machine's folders from the page, because panic messages contain paths of source files.
fn short_paths() -> String {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let sources = home.and_then(|home| fs::read_dir(home.join("registry/src")).ok());
    let folders = sources.into_iter().flatten().flatten();
    // One folder per registry.
    let flags = folders.map(|folder| format!("--remap-path-prefix={}/=", folder.path().display()));
    flags.collect::<Vec<_>>().join(" ")
}

/// Inserts the script that starts the page.
fn with_start(html: &str) -> Result<String> {
    let script = format!("<script>\n{}</script>", parts::without_comments(START));
    replace_once(html, START_PLACE, &script)
}

/// Replaces a placeholder of `index.html`.
///
/// # Errors
/// If the page does not have it exactly once.
pub(crate) fn replace_once(html: &str, place: &str, content: &str) -> Result<String> {
    if html.matches(place).count() != 1 {
        return Err(format!("index.html has no single {place}").into());
    }
    Ok(html.replace(place, content))
}

/// Makes the address of the page's picture absolute, as sites that show previews of links need it. Without an address
/// of the page it stays relative.
fn with_address(html: &str, address: Option<&str>) -> String {
    let Some(address) = address else {
        return html.to_owned();
    };
    let base = address.trim_end_matches('/');
    html.replace(
        "<meta property=\"og:image\" content=\"",
        &format!("<meta property=\"og:image\" content=\"{base}/"),
    )
}

/// Inserts the page's folder, and the address of each worker's script.
fn with_programs(html: &str, page: &str, workers: &[(Program, String)]) -> Result<String> {
    let scripts = workers.iter().map(|(Program { name, .. }, folder)| {
        format!("<meta name=\"{name}\" content=\"{folder}/start.js\">")
    });
    let scripts = scripts.collect::<Vec<_>>().join("\n");
    let html = replace_once(html, WORKERS_PLACE, &scripts)?;
    let placeholder = format!("{}-HASH/", PAGE.name);
    if !html.contains(&placeholder) {
        return Err(format!("index.html names no {placeholder}").into());
    }
    Ok(html.replace(&placeholder, &format!("{page}/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_names_the_folders_of_its_programs() -> Result {
        let workers = [(WORKERS[0], "worker-2b".to_owned())];
        let html = "<html><head><meta name=\"WORKERS\"><script>\"START\"</script></head></html>";
        let page = with_programs(&with_start(html)?, "page-1a", &workers)?;
        assert!(page.contains("<meta name=\"worker\" content=\"worker-2b/start.js\">"));
        assert!(page.contains("\"./page-1a/\""), "{page}");
        assert!(page.contains("globalThis.ownFile = "), "{page}");
        assert!(with_programs("<head></head>", "page-1a", &workers).is_err());
        assert!(with_start("<head></head>").is_err());
        Ok(())
    }

    #[test]
    fn comments_of_the_page_are_lines() -> Result {
        let html = fs::read_to_string(root().join("index.html"))?;
        let page = without_comments(&html);
        assert!(html.contains("<!--") && !page.contains("<!--"), "{page}");
        let rest = html.lines().filter(|line| !line.starts_with("<!--"));
        assert!(rest.eq(page.lines()));
        Ok(())
    }

    #[test]
    fn a_preview_finds_its_picture() -> Result {
        let html = fs::read_to_string(root().join("index.html"))?;
        let picture = |html: &str, address: &str| {
            html.contains(&format!(
                "<meta property=\"og:image\" content=\"{address}\">"
            ))
        };
        assert!(picture(&with_address(&html, None), "picture.png"));
        let there = with_address(&html, Some("https://example.org/diagonal/"));
        assert!(picture(&there, "https://example.org/diagonal/picture.png"));
        Ok(())
    }

    #[test]
    fn a_panic_finds_what_it_is_to_show() -> Result {
        let html = fs::read_to_string(root().join("index.html"))?;
        for part in [
            "<section id=\"stopped\" data-panic role=\"alert\" hidden>",
            "<p id=\"stopped-reason\"></p>",
            "<button type=\"button\" id=\"reload\">",
        ] {
            assert!(html.contains(part), "{part}");
        }
        Ok(())
    }

    #[test]
    fn the_sources_of_the_page_have_its_placeholders() -> Result {
        let html = with_start(&fs::read_to_string(root().join("index.html"))?)?;
        assert!(html.contains("page-HASH/page_bg.wasm") && html.contains("\"./page-HASH/\""));
        let html = with_programs(&html, "page-1a", &[(WORKERS[0], "worker-2b".to_owned())])?;
        assert!(html.contains("content=\"worker-2b/start.js\"") && !html.contains("page-HASH"));
        // The elements that the script looks for.
        for id in ["no-start", "no-start-reason", "load-again", "later-style"] {
            assert!(html.contains(&format!(" id=\"{id}\"")), "{id}");
        }
        Ok(())
    }
}
