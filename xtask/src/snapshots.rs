//! Changed snapshots on one page: each with its committed picture, its new one, and the difference of the two.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::{Result, root};

/// Folders of expected pictures.
const FOLDERS: [&str; 3] = ["tests/snapshots", "tests/painted", "tests/saved"];

const HEAD: &str = "<!doctype html><meta charset=utf-8><title>Changed snapshots</title><style>\
body{font:16px/1.4 system-ui;margin:24px;background:#eee}\
section{margin:0 0 40px}div{display:flex;gap:16px;align-items:start}\
figure{margin:0;flex:1;min-width:0}img{width:100%;background:#fff;display:block}\
.difference{position:relative;background:#fff;isolation:isolate}\
.difference img+img{position:absolute;inset:0;mix-blend-mode:difference}</style>";

/// A snapshot whose file differs from the last commit: the two contents, where there are two.
struct Change {
    path: String,
    old: Option<Vec<u8>>,
    new: Option<Vec<u8>>,
}

/// Writes `target/snapshots.html` and says where it is and how many snapshots have changed.
///
/// # Errors
/// If git does not run or a file cannot be read or written.
pub fn write_page() -> Result {
    let changes = changes()?;
    if changes.is_empty() {
        println!("no snapshot differs from the last commit");
        return Ok(());
    }
    let file = root().join("target/snapshots.html");
    fs::create_dir_all(root().join("target"))?;
    fs::write(&file, page(&changes)?)?;
    println!("{} snapshots differ: {}", changes.len(), file.display());
    Ok(())
}

fn git(arguments: &[&str]) -> Result<Vec<u8>> {
    let output = Command::new("git")
        .args(arguments)
        .current_dir(root())
        .output()?;
    if !output.status.success() {
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("git {}: {error}", arguments.join(" ")).into());
    }
    Ok(output.stdout)
}

fn changes() -> Result<Vec<Change>> {
    let mut listed = git(&[&["diff", "--name-only", "-z", "HEAD", "--"], &FOLDERS[..]].concat())?;
    listed.extend(git(&[
        &["ls-files", "--others", "--exclude-standard", "-z", "--"],
        &FOLDERS[..],
    ]
    .concat())?);
    let listed = String::from_utf8(listed)?;
    let mut paths: Vec<&str> = listed.split('\0').filter(|path| !path.is_empty()).collect();
    paths.sort_unstable();
    let change = |path: &str| Change {
        path: path.to_owned(),
        // A new file has no old content, a deleted one no new content.
        old: git(&["show", &format!("HEAD:{path}")]).ok(),
        new: fs::read(root().join(path)).ok(),
    };
    Ok(paths.into_iter().map(change).collect())
}

fn image(path: &str, bytes: Option<&[u8]>) -> String {
    let Some(bytes) = bytes else {
        return "<p>no file</p>".to_owned();
    };
    let kind = match Path::new(path).extension() {
        Some(end) if end == "svg" => "image/svg+xml",
        _ => "image/png",
    };
    format!(
        "<img src=\"data:{kind};base64,{}\" alt=\"\">",
        STANDARD.encode(bytes)
    )
}

fn page(changes: &[Change]) -> Result<String> {
    let mut html = HEAD.to_owned();
    for Change { path, old, new } in changes {
        let (before, after) = (image(path, old.as_deref()), image(path, new.as_deref()));
        write!(
            html,
            "<section><h2>{path}</h2><div><figure>{before}<figcaption>old</figcaption></figure>\
             <figure>{after}<figcaption>new</figcaption></figure>\
             <figure><span class=difference>{before}{after}</span><figcaption>difference: black where equal\
             </figcaption></figure></div></section>"
        )?;
    }
    Ok(html)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_has_three_pictures() -> Result {
        let change = |old: Option<&[u8]>| Change {
            path: "tests/snapshots/bars.svg".to_owned(),
            old: old.map(<[u8]>::to_vec),
            new: Some(b"<svg/>".to_vec()),
        };
        let html = page(&[change(Some(b"<svg />"))])?;
        assert_eq!(html.matches("data:image/svg+xml;base64,").count(), 4);
        let html = page(&[change(None)])?;
        assert_eq!(html.matches("<p>no file</p>").count(), 2);
        Ok(())
    }
}
