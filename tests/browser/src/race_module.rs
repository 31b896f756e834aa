//! The module of benchmark races (`tests/bench`), compiled like the page's worker and served beside the page. It is not
//! part of the page.

use std::collections::HashMap;
use std::fs;

use xtask::server::{Content, Server};
use xtask::{Result, cargo, root, run, tools};

use crate::Page;

/// Compiles the module and opens the page from a server that has it. The server ends when the returned value is
/// dropped.
pub fn serve(page: &Page) -> Result<Server> {
    let server = serve_with(HashMap::new())?;
    page.goto(server.url())?;
    Ok(server)
}

/// Compiles the module and serves it and further files beside the page.
///
/// # Errors
/// If the module does not compile.
pub fn serve_with(mut files: HashMap<String, Vec<u8>>) -> Result<Server> {
    files.extend(module()?);
    let content = Content {
        folder: crate::page::dist(),
        overlay: files,
        ..Content::default()
    };
    Server::start(content, 0)
}

/// The compiled module and the script that loads it, by name.
///
/// # Errors
/// If the module does not compile.
pub fn module() -> Result<HashMap<String, Vec<u8>>> {
    const TARGET: &str = "wasm32-unknown-unknown";
    const NAME: &str = "races";
    tools::wasm_target()?;
    let folder = root().join("target/bench/races");
    let build = [
        "build",
        "--quiet",
        "--profile",
        "worker",
        "--package",
        "races",
    ];
    run(cargo()
        .args(build)
        .args(["--target", TARGET, "--target-dir"])
        .arg(&folder)
        .current_dir(root()))?;
    let built = folder
        .join(TARGET)
        .join("worker")
        .join(format!("{NAME}.wasm"));
    run(std::process::Command::new(tools::wasm_bindgen()?)
        .args(["--target", "web", "--no-typescript", "--out-dir"])
        .arg(&folder)
        .arg(built))?;
    let names = [format!("{NAME}.js"), format!("{NAME}_bg.wasm")];
    names
        .into_iter()
        .map(|name| {
            let bytes = fs::read(folder.join(&name))?;
            Ok((name, bytes))
        })
        .collect()
}
