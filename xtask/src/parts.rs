//! Splits a module into an initial part and lazy parts that are loaded on first use.
//!
//! The functions to split at are marked in the code, those of the page mainly in `src/app/lazy.rs` and those of the
//! worker by the macro in `src/lazy.rs`. The package `module-splitter` splits and runs wasm-bindgen; this module merges
//! and shortens the scripts that they write, arranges the modules, and places the files in the site.
//!
//! Each program gets a folder, as `page-HASH` or `worker-HASH`. The files in it keep the names that the tools gave them, by
//! which they refer to each other:
//!
//! | file | content |
//! |---|---|
//! | `page_bg.wasm` | the initial part |
//! | `page.js` | wasm-bindgen's script, and the code that loads the other parts and links them to the initial one |
//! | `split_NAME.wasm` | functions reachable only from those marked NAME |
//! | `chunk_N.wasm` | functions reachable from several names, see `chunks.rs` |
//!
//! Parts of two builds must never be mixed, because they share addresses. Hence the hash in the folder's name, which
//! covers all files in it.

use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::programs::Program;
use crate::{Result, cargo, chunks, import_names, module_layout, root, run};

/// Linker flags: emit relocations for the split, and strip function names, which are half of all bytes. wasm-bindgen
/// still needs the section of target features.
pub const LINKER_FLAGS: &str =
    "-Clink-arg=--emit-relocs -Clink-arg=--strip-all -Clink-arg=--keep-section=target_features";

/// The flag among them that only programs with parts need. Relocations are 0.5 MB of the compressed tokenizer.
pub const RELOCATIONS: &str = "-Clink-arg=--emit-relocs ";

/// Prefixes of the names of lazy files.
const LATER: [&str; 2] = ["split_", "chunk_"];

/// The splitter's script, which loads parts and links them.
const LOADER: &str = "__wasm_split.js";
/// Replacements in that script: load parts through `ownFile` of `www/own_file.js`, which returns a compiled module.
const FETCH: [(&str, &str); 2] = [
    ("= fetch(", "= ownFile.program("),
    (
        "WebAssembly.instantiateStreaming(src, imports)",
        "WebAssembly.instantiate(await src, imports)",
    ),
];
/// Text by which the splitter's script exports loaders and wasm-bindgen's script imports them.
const EXPORT: &str = "export const ";
const IMPORT: (&str, &str) = ("import * as ", " from \"./__wasm_split.js\"");

/// Splits a program that has been compiled. Returns the name of its folder in `dist`.
pub fn cut(dist: &Path, program: &Program) -> Result<String> {
    let parts = program.parts_folder()?;
    bind(&program.module()?, &parts, program.name, program.has_parts)?;
    place(&parts, dist, program)
}

/// Writes a program's scripts and modules into a folder, from the module that the compiler wrote.
///
/// # Errors
/// If the splitter does not compile, or cannot read the module.
pub fn bind(module: &Path, folder: &Path, name: &str, split: bool) -> Result {
    let mut splitter = cargo();
    splitter
        .args(["run", "--quiet", "--package", "module-splitter", "--"])
        .args([module, folder])
        .arg(name)
        .current_dir(root());
    if !split {
        splitter.arg("--whole");
    }
    run(&mut splitter)
}

/// Whether a file is loaded only on first use.
#[must_use]
pub fn is_later(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    LATER.iter().any(|beginning| name.starts_with(beginning))
}

/// Removes comments and indentation from a script, a tenth of wasm-bindgen's output. In these scripts comments have
/// lines of their own, and no string spans lines, so no parser is needed.
pub(crate) fn without_comments(script: &str) -> String {
    let is_comment = |line: &&str| {
        ["/**", "*/", "* ", "//"]
            .iter()
            .any(|mark| line.starts_with(mark))
    };
    let lines = script.lines().map(str::trim_start);
    let mut lines: Vec<&str> = lines
        .filter(|line| !line.is_empty() && !is_comment(line))
        .collect();
    lines.push("");
    lines.join("\n")
}

/// Merges wasm-bindgen's script and the splitter's, which import each other. A script without imports can be requested
/// a second time, at another URL, if it fails to load.
///
/// # Errors
/// If the tools wrote something unexpected.
fn merge(glue: &str, loader: &str) -> Result<String> {
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
    // Wrapped in a function, because the names in the two scripts may clash.
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

/// Removes the parts of a program that loads none of them: its library marks them for another program.
fn remove_parts(folder: &Path) -> Result {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if is_later(&path) {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// Copies the parts into a folder of the site that is named by their content.
fn place(parts: &Path, dist: &Path, program: &Program) -> Result<String> {
    let glue = parts.join(format!("{}.js", program.name));
    let mut script = fs::read_to_string(&glue)?;
    if program.has_parts {
        let loader = parts.join(LOADER);
        if script.contains(IMPORT.1) {
            let loader = chunks::join_in(parts, &fs::read_to_string(&loader)?)?;
            script = merge(&script, &loader)?;
        } else {
            remove_parts(parts)?;
        }
        fs::remove_file(loader)?;
    }
    let module = parts.join(format!("{}_bg.wasm", program.name));
    let (bytes, script) = import_names::shorten(
        &fs::read(&module)?,
        &without_comments(&script),
        &format!("./{}_bg.js", program.name),
    )?;
    fs::write(module, bytes)?;
    fs::write(&glue, script)?;
    if let Some(start) = program.worker_script() {
        fs::write(parts.join("start.js"), without_comments(&start))?;
    }

    let mut files = fs::read_dir(parts)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>>>()?;
    files.sort();
    for file in &files {
        if file.extension().is_some_and(|kind| kind == "wasm") {
            fs::write(file, module_layout::arrange(&fs::read(file)?)?)?;
        }
    }
    let mut hash = Sha256::new();
    for file in &files {
        hash.update(file.file_name().unwrap_or_default().as_encoded_bytes());
        hash.update(fs::read(file)?);
    }
    let hash: String = hash.finalize()[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();

    let folder = format!("{}-{hash}", program.name);
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
    use crate::programs;

    const PROGRAM: Program = programs::WORKERS[0];

    /// A shortened script of the splitter.
    const LOADER_TEXT: &str = "import { initSync } from \"./worker.js\";\n\
        export const load_maps = wrap(() => {\n\
            const src = fetch(new URL(\"./split_maps.wasm\", import.meta.url));\n\
            return async (imports) => (WebAssembly.instantiateStreaming(src, imports));\n\
        });\n";

    /// A module of nothing but its header.
    const EMPTY_MODULE: &str = "\0asm\x01\0\0\0";

    /// A module of nothing but an empty section of this name, of less than 100 letters.
    fn named_module(name: &str) -> String {
        let length = char::from(name.len() as u8);
        let size = char::from(name.len() as u8 + 1);
        format!("{EMPTY_MODULE}\0{size}{length}{name}")
    }

    /// Writes the tools' output, with `part` as the content of one lazy part.
    fn written(parts: &Path, part: &str) -> Result {
        fs::create_dir_all(parts)?;
        for (name, text) in [
            (
                "worker.js",
                "import * as import1 from \"./__wasm_split.js\"\nexport default init;\n",
            ),
            ("worker_bg.wasm", EMPTY_MODULE),
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
            written(&parts, &named_module(part))?;
            folders.push(place(&parts, &dist, &PROGRAM)?);
        }
        assert_ne!(folders[0], folders[1]);
        assert_eq!(folders[0], folders[2]);
        let folder = dist.join(&folders[0]);
        let part = fs::read_to_string(folder.join("split_maps.wasm"))?;
        assert_eq!(part, named_module("one"));
        assert_eq!(
            fs::read_to_string(folder.join("start.js"))?,
            without_comments(&PROGRAM.worker_script().ok_or("no script")?)
        );
        assert!(!folder.join(LOADER).exists());
        assert_eq!(
            fs::read_to_string(folder.join("worker.js"))?,
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
        assert!(merge(glue, LOADER_TEXT).is_ok());
        assert!(merge("", LOADER_TEXT).is_err());
        for piece in ["= fetch(", "instantiateStreaming", "import {"] {
            assert!(
                merge(glue, &LOADER_TEXT.replace(piece, "")).is_err(),
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
