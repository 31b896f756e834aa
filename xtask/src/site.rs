//! Builds the page as a folder that any static host can serve.
//!
//! Trunk compiles the two binaries and assembles the site. This module then splits page and worker into initial and
//! lazy parts, each in a folder named by its content, so that a visitor never gets the page of one deployment with the
//! worker of another. It also adds the Content-Security-Policy, which allows the bootstrap script by its hash, and the
//! service worker for offline use.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::parts::Module;
use crate::sizes::Sizes;
use crate::{Result, lessons, offline, parts, policy, root, run, tools};

const PAGE: Module = Module {
    name: "page",
    profile: "release",
    extra: &[],
};

const WORKER: Module = Module {
    name: "worker",
    profile: "worker",
    // The script that the page starts as its worker; `index.html` contains its address.
    extra: &[(
        "start.js",
        concat!(
            include_str!("../../www/own_file.js"),
            include_str!("worker_start.js")
        ),
    )],
};

/// The script that starts the page, and its placeholder in `index.html`.
const START: &str = concat!(
    include_str!("../../www/own_file.js"),
    include_str!("../../www/start.js")
);
const START_PLACE: &str = "<script>\"START\"</script>";

/// Builds the release page into a folder, prints its sizes and checks them against the budget.
pub fn build(dist: &Path) -> Result {
    tools::wasm_target()?;
    let (trunk, wasm_bindgen) = (tools::trunk()?, tools::wasm_bindgen()?);
    let mut path = vec![
        wasm_bindgen
            .parent()
            .ok_or("wasm-bindgen has no folder")?
            .to_owned(),
    ];
    path.extend(std::env::split_paths(
        &std::env::var_os("PATH").unwrap_or_default(),
    ));
    run(Command::new(trunk)
        .args(["build", "--release", "--dist"])
        .arg(dist)
        .current_dir(root())
        .env("PATH", std::env::join_paths(path)?)
        // RUSTFLAGS would replace the flags that enable SIMD; the flags below are added to them.
        .env_remove("RUSTFLAGS")
        .env(
            "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS",
            format!("{} {}", short_paths(), parts::LINKER_FLAGS),
        )
        // Some machines set NO_COLOR=1, but Trunk accepts only true and false.
        .env_remove("NO_COLOR")
        // The compiler's messages are printed above; Trunk's backtrace does not help.
        .env("RUST_BACKTRACE", "0"))?;
    remove_modules(dist)?;
    let folders = [PAGE, WORKER].map(|module| Ok((module.name, parts::cut(dist, &module)?)));
    let folders = folders.into_iter().collect::<Result<Vec<_>>>()?;
    let index = dist.join("index.html");
    let html = finished(with_start(&fs::read_to_string(&index)?)?, &folders)?;
    let html = with_address(&html, std::env::var("DIAGONAL_URL").ok().as_deref());
    lessons::write(dist)?;
    let html = offline::place(dist, &html)?;
    fs::write(&index, policy::apply(&html)?)?;
    // Must be last, because it lists all other files.
    offline::finish(dist)?;

    let sizes = Sizes::of(dist)?;
    println!("{sizes}");
    sizes.check()
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

/// Removes the unsplit modules and their scripts from Trunk's output.
fn remove_modules(dist: &Path) -> Result {
    for entry in fs::read_dir(dist)? {
        let file = entry?.path();
        if file
            .extension()
            .is_some_and(|kind| kind == "js" || kind == "wasm")
        {
            fs::remove_file(file)?;
        }
    }
    Ok(())
}

/// Inserts the script that starts the page.
fn with_start(html: &str) -> Result<String> {
    if html.matches(START_PLACE).count() != 1 {
        return Err(format!("index.html has no single {START_PLACE}").into());
    }
    let script = format!("<script>\n{}</script>", parts::without_comments(START));
    Ok(html.replace(START_PLACE, &script))
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

/// Replaces `NAME-HASH` by the folders of the modules.
fn finished(mut html: String, folders: &[(&str, String)]) -> Result<String> {
    for (name, folder) in folders {
        let placeholder = format!("{name}-HASH/");
        if !html.contains(&placeholder) {
            return Err(format!("index.html names no {placeholder}").into());
        }
        html = html.replace(&placeholder, &format!("{folder}/"));
    }
    Ok(html)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_names_the_folders_of_its_modules() -> Result {
        let folders = [
            ("page", "page-1a".to_owned()),
            ("worker", "worker-2b".to_owned()),
        ];
        let html = "<html><head><meta name=\"worker\" content=\"worker-HASH/start.js\">\
                    <script>\"START\"</script></head></html>";
        let page = finished(with_start(html)?, &folders)?;
        assert!(page.contains("content=\"worker-2b/start.js\""), "{page}");
        assert!(page.contains("\"./page-1a/\""), "{page}");
        assert!(page.contains("globalThis.ownFile = "), "{page}");
        assert!(finished("<head></head>".to_owned(), &folders).is_err());
        assert!(with_start("<head></head>").is_err());
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
    fn the_still_header_is_that_of_the_page() -> Result {
        let text = |file: &str| fs::read_to_string(root().join(file));
        let (html, page, views) = (
            text("index.html")?,
            text("src/app/mod.rs")?,
            text("src/url_state/mod.rs")?,
        );
        let between = |text: &str, start: &str, end: &str| {
            let (_, rest) = text.split_once(start)?;
            Some(rest.split_once(end)?.0.replace('"', ""))
        };
        let tagline = between(&html, "<p class=\"tagline\">", "</p>").ok_or("no sentence")?;
        assert_eq!(
            between(&page, "<p class=\"tagline\">", "</p>"),
            Some(tagline)
        );
        assert_eq!(html.matches("<h1").count(), 1);
        assert_eq!(page.matches("<h1").count(), 1);
        let nav = between(&html, "<nav>", "</nav>").ok_or("no views")?;
        let listed = between(&views, "pub const VIEWS", "];").ok_or("no list of views")?;
        let titles = nav
            .split("<a>")
            .skip(1)
            .map(|title| title.replace("</a>", ""));
        let mut rows = listed.lines().filter(|line| line.contains("(View::"));
        for title in titles {
            let row = rows.next().ok_or("a view too many")?;
            assert!(row.contains(&format!(", {title})")), "{title}: {row}");
        }
        assert_eq!(rows.next(), None);
        // The code that removes the static header finds its parts by these ids.
        for id in ["still-header", "still"] {
            assert!(html.contains(&format!(" id=\"{id}\"")), "{id}");
        }
        Ok(())
    }

    #[test]
    fn the_sources_of_the_page_name_both_folders() -> Result {
        let text = |file: &str| fs::read_to_string(root().join(file));
        let html = with_start(&text("index.html")?)?;
        assert!(html.contains("worker-HASH/start.js"));
        assert!(html.contains("page-HASH/page_bg.wasm") && html.contains("\"./page-HASH/\""));
        // The elements that the script looks for.
        for id in ["no-start", "no-start-reason", "load-again", "later-style"] {
            assert!(html.contains(&format!(" id=\"{id}\"")), "{id}");
        }
        Ok(())
    }
}
