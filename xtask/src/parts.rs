//! Cuts a module into what is needed at once and parts that are fetched when they are first used.
//!
//! The functions to cut at are marked in the code, those of the page in `src/app/later.rs` and `src/app/saving/`. The cut is made
//! in what the linker wrote, whose relocations tell what each function reaches, and therefore before
//! wasm-bindgen; Trunk knows no such step, so wasm-bindgen runs once more here and its result takes the
//! place of what Trunk put there.
//!
//! Each module gets a folder, `page-HASH` or `worker-HASH`. The files in it keep the names that the tools
//! gave them and find each other by these:
//!
//! | file | what it is |
//! |---|---|
//! | `page_bg.wasm` | the part that is needed at once |
//! | `page.js` | wasm-bindgen's script |
//! | `__wasm_split.js` | what fetches the other parts and links them to the first |
//! | `split_NAME.wasm` | what only the functions marked NAME reach |
//! | `chunk_N.wasm` | what several names reach |
//!
//! Parts of two builds must never meet, since they share addresses. That is why the hash in the folder's
//! name is made from all files in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha256};

use crate::{Result, cargo, root, run, tools};

/// What the linker writes for the cut, and what it leaves out: the names of functions, which are half of
/// all bytes. wasm-bindgen must still find the features that the module was compiled for.
pub const LINKER_FLAGS: &str =
    "-Clink-arg=--emit-relocs -Clink-arg=--strip-all -Clink-arg=--keep-section=target_features";

/// Beginnings of the names of files that are fetched later.
const LATER: [&str; 2] = ["split_", "chunk_"];

/// The cutter's script, and how it fetches a part.
const LOADER: &str = "__wasm_split.js";
const FETCH: &str = "WebAssembly.instantiateStreaming(src, imports)";
/// The same from a host that does not know the media type of WebAssembly.
const FETCH_ANYWHERE: &str = "WebAssembly.instantiate(await (await src).arrayBuffer(), imports)";

/// A module of the site.
#[derive(Clone, Copy, Debug)]
pub struct Module {
    /// The name of its binary in `Cargo.toml`.
    pub name: &'static str,
    /// The cargo profile that Trunk builds it with.
    pub profile: &'static str,
    /// Files that go into its folder as they are, by name.
    pub extra: &'static [(&'static str, &'static str)],
}

/// Cuts a module that Trunk has built. The result is the name of its folder in `dist`.
pub fn cut(dist: &Path, module: &Module) -> Result<String> {
    let Module { name, profile, .. } = module;
    let target = target_folder()?;
    let parts = target.join("parts").join(name);
    if parts.exists() {
        fs::remove_dir_all(&parts)?;
    }
    let linked = target.join(format!("wasm32-unknown-unknown/{profile}/{name}.wasm"));
    run(Command::new(tools::wasm_split()?)
        .args([&linked, &parts])
        .args(["--out-name", name]))?;
    let first = parts.join(format!("{name}.wasm"));
    run(Command::new(tools::wasm_bindgen()?)
        .args(["--target", "web", "--no-typescript", "--out-name", name])
        // The table of functions, through which the parts call each other.
        .arg("--keep-lld-exports")
        .arg("--out-dir")
        .args([&parts, &first]))?;
    fs::remove_file(first)?;
    place(&parts, dist, module)
}

/// Is this file fetched only when something in it is first used?
#[must_use]
pub fn is_later(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    LATER.iter().any(|beginning| name.starts_with(beginning))
}

/// Where cargo puts what it builds.
fn target_folder() -> Result<PathBuf> {
    let output = cargo()
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .current_dir(root())
        .output()?;
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let folder = metadata["target_directory"].as_str();
    Ok(folder.ok_or("cargo names no target folder")?.into())
}

/// What wasm-bindgen wrote, without its comments and indents: a tenth of what the page would fetch of it. Its comments
/// stand on lines of their own and its strings end on theirs, so that nothing has to be parsed.
fn without_comments(script: &str) -> String {
    let is_comment = |line: &&str| {
        ["/**", "*/", "* ", "//"]
            .iter()
            .any(|mark| line.starts_with(mark))
    };
    let lines = script.lines().map(str::trim_start);
    let mut kept: Vec<&str> = lines
        .filter(|line| !line.is_empty() && !is_comment(line))
        .collect();
    kept.push("");
    kept.join("\n")
}

/// Copies the parts into a folder of the site that is named by their content.
fn place(parts: &Path, dist: &Path, module: &Module) -> Result<String> {
    let loader = parts.join(LOADER);
    let script = fs::read_to_string(&loader)?;
    fs::write(&loader, script.replace(FETCH, FETCH_ANYWHERE))?;
    let glue = parts.join(format!("{}.js", module.name));
    fs::write(&glue, without_comments(&fs::read_to_string(&glue)?))?;
    for (name, text) in module.extra {
        fs::write(parts.join(name), text)?;
    }

    let mut files = fs::read_dir(parts)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>>>()?;
    files.sort();
    let mut hash = Sha256::new();
    for file in &files {
        hash.update(file.file_name().unwrap_or_default().as_encoded_bytes());
        hash.update(fs::read(file)?);
    }
    let hash: String = hash.finalize()[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();

    let folder = format!("{}-{hash}", module.name);
    fs::create_dir_all(dist.join(&folder))?;
    for file in &files {
        let name = file.file_name().unwrap_or_default();
        fs::copy(file, dist.join(&folder).join(name))?;
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: Module = Module {
        name: "page",
        profile: "release",
        extra: &[("start.js", "import \"./page.js\";")],
    };

    /// What the tools wrote, with this content of one part.
    fn written(parts: &Path, part: &str) -> Result {
        fs::create_dir_all(parts)?;
        for (name, text) in [
            ("page.js", "import * as import1 from \"./__wasm_split.js\""),
            ("page_bg.wasm", "first"),
            ("split_maps.wasm", part),
            (LOADER, &format!("async imports => ({FETCH});")),
        ] {
            fs::write(parts.join(name), text)?;
        }
        Ok(())
    }

    #[test]
    fn a_folder_is_named_by_all_that_is_in_it() -> Result {
        let base = std::env::temp_dir().join(format!("diagonal-parts-{}", std::process::id()));
        let (parts, dist) = (base.join("parts"), base.join("dist"));
        let mut folders = Vec::new();
        for part in ["one", "another", "one"] {
            written(&parts, part)?;
            folders.push(place(&parts, &dist, &MODULE)?);
        }
        assert_ne!(folders[0], folders[1]);
        assert_eq!(folders[0], folders[2]);
        let folder = dist.join(&folders[0]);
        assert_eq!(fs::read_to_string(folder.join("split_maps.wasm"))?, "one");
        assert_eq!(
            fs::read_to_string(folder.join("start.js"))?,
            MODULE.extra[0].1
        );
        let loader = fs::read_to_string(folder.join(LOADER))?;
        assert_eq!(loader, format!("async imports => ({FETCH_ANYWHERE});"));
        Ok(fs::remove_dir_all(base)?)
    }

    #[test]
    fn scripts_lose_their_comments_and_nothing_else() {
        let script = "/**\n * @returns {number}\n */\nexport function one() {\n\n    // Why.\n    return 2 * `1`;\n}\n";
        let bare = "export function one() {\nreturn 2 * `1`;\n}\n";
        assert_eq!(without_comments(script), bare);
    }

    #[test]
    fn parts_for_later_are_known_by_their_names() {
        for (name, later) in [
            ("page-1a/split_maps.wasm", true),
            ("worker-1a/chunk_3.wasm", true),
            ("page-1a/page_bg.wasm", false),
            ("page-1a/__wasm_split.js", false),
        ] {
            assert_eq!(is_later(Path::new(name)), later, "{name}");
        }
    }
}
