//! Cuts a module into what is needed at once and parts that are fetched when they are first used.
//!
//! The functions to cut at are marked in the code, those of the page in `src/app/shell/lazy_views.rs` and `src/app/figure/saving/`. The cut is made
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
//! | `page.js` | wasm-bindgen's script, and what fetches the other parts and links them to the first |
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

/// The cutter's script, which fetches the parts and links them.
const LOADER: &str = "__wasm_split.js";
/// How it fetches and links a part, and how it is to do so: by `ownFile` of `www/own_file.js`, which gives a compiled module.
const FETCH: [(&str, &str); 2] = [
    ("= fetch(", "= ownFile.program("),
    (
        "WebAssembly.instantiateStreaming(src, imports)",
        "WebAssembly.instantiate(await src, imports)",
    ),
];
/// How it names what it gives to wasm-bindgen's script, and how the latter asks for it.
const EXPORT: &str = "export const ";
const IMPORT: (&str, &str) = ("import * as ", " from \"./__wasm_split.js\"");

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

/// A script without its comments and indents, which are a tenth of what wasm-bindgen writes. The comments stand on lines
/// of their own and strings end on theirs, so that nothing has to be parsed.
pub(crate) fn without_comments(script: &str) -> String {
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

/// One script made of wasm-bindgen's and of the cutter's, which import each other: a script that imports nothing can be
/// asked for a second time, at another address, where it does not come.
///
/// # Errors
/// When the tools wrote something else than is expected.
fn merged(glue: &str, loader: &str) -> Result<String> {
    let (mut script, mut asking) = (String::new(), Vec::new());
    for line in glue.lines() {
        let import = line.trim().trim_end_matches(';').strip_prefix(IMPORT.0);
        match import.and_then(|rest| rest.strip_suffix(IMPORT.1)) {
            Some(name) => asking.push(name),
            None => script += &format!("{line}\n"),
        }
    }
    let (imports, code): (Vec<&str>, Vec<&str>) =
        loader.lines().partition(|line| line.starts_with("import "));
    if asking.is_empty() || imports.len() != 1 {
        return Err("wasm-bindgen or wasm-split wrote scripts that import something else".into());
    }
    let mut code = code.join("\n");
    for (old, new) in FETCH {
        if !code.contains(old) {
            return Err(format!("wasm-split wrote a {LOADER} without {old}").into());
        }
        code = code.replace(old, new);
    }
    let exports = code.split(EXPORT).skip(1);
    let names: Vec<&str> = exports.filter_map(|rest| rest.split(' ').next()).collect();
    // In a function: both scripts choose their names alone.
    script += &format!(
        "const loaders = (() => {{\n{}\nreturn {{ {} }};\n}})();\n",
        code.replace(EXPORT, "const "),
        names.join(", ")
    );
    for name in asking {
        script += &format!("const {name} = loaders;\n");
    }
    Ok(script)
}

/// Copies the parts into a folder of the site that is named by their content.
fn place(parts: &Path, dist: &Path, module: &Module) -> Result<String> {
    let loader = parts.join(LOADER);
    let glue = parts.join(format!("{}.js", module.name));
    let script = merged(&fs::read_to_string(&glue)?, &fs::read_to_string(&loader)?)?;
    fs::write(&glue, without_comments(&script))?;
    fs::remove_file(loader)?;
    for (name, text) in module.extra {
        fs::write(parts.join(name), without_comments(text))?;
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
        extra: &[("start.js", "import \"./page.js\";\n")],
    };

    /// A script of the cutter's, in short.
    const LOADER_TEXT: &str = "import { initSync } from \"./page.js\";\n\
        export const load_maps = wrap(() => {\n\
            const src = fetch(new URL(\"./split_maps.wasm\", import.meta.url));\n\
            return async (imports) => (WebAssembly.instantiateStreaming(src, imports));\n\
        });\n";

    /// What the tools wrote, with this content of one part.
    fn written(parts: &Path, part: &str) -> Result {
        fs::create_dir_all(parts)?;
        for (name, text) in [
            (
                "page.js",
                "import * as import1 from \"./__wasm_split.js\"\nexport default init;\n",
            ),
            ("page_bg.wasm", "first"),
            ("split_maps.wasm", part),
            (LOADER, LOADER_TEXT),
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
        assert!(!folder.join(LOADER).exists());
        assert_eq!(
            fs::read_to_string(folder.join("page.js"))?,
            "export default init;\n\
             const loaders = (() => {\n\
             const load_maps = wrap(() => {\n\
             const src = ownFile.program(new URL(\"./split_maps.wasm\", import.meta.url));\n\
             return async (imports) => (WebAssembly.instantiate(await src, imports));\n\
             });\n\
             return { load_maps };\n\
             })();\n\
             const import1 = loaders;\n"
        );
        Ok(fs::remove_dir_all(base)?)
    }

    #[test]
    fn scripts_of_other_tools_are_refused() {
        let glue = "import * as import1 from \"./__wasm_split.js\"\n";
        assert!(merged(glue, LOADER_TEXT).is_ok());
        assert!(merged("", LOADER_TEXT).is_err());
        for piece in ["= fetch(", "instantiateStreaming", "import {"] {
            assert!(
                merged(glue, &LOADER_TEXT.replace(piece, "")).is_err(),
                "{piece}"
            );
        }
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
            ("page-1a/page.js", false),
        ] {
            assert_eq!(is_later(Path::new(name)), later, "{name}");
        }
    }
}
