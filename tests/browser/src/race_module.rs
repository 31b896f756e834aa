//! The module of benchmark races (`tests/bench`), compiled like the page's worker and served beside the page. It is not
//! part of the page.

use std::collections::HashMap;
use std::fs;
use std::sync::OnceLock;

use xtask::programs::target_folder;
use xtask::server::{Content, Server};
use xtask::{Result, cargo, parts, root, run, site, tools};

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
    files.extend(compile(&[])?);
    let content = Content {
        folder: crate::page::dist(),
        overlay: files,
        ..Content::default()
    };
    Server::start(content, 0)
}

/// The module as tests need it: compiled once a run, and less optimised, which saves most of the compiler's time.
///
/// # Errors
/// If the module does not compile.
pub fn quick_module() -> Result<HashMap<String, Vec<u8>>> {
    static MODULE: OnceLock<std::result::Result<HashMap<String, Vec<u8>>, String>> =
        OnceLock::new();
    let config = ["opt-level=1", "codegen-units=16"]
        .map(|setting| format!("profile.worker.package.diagonal.{setting}"));
    let module = MODULE.get_or_init(|| compile(&config).map_err(|error| error.to_string()));
    Ok(module.clone()?)
}

/// The compiled module and the script that loads it, by name. `config` changes cargo's settings.
///
/// The flags are those of the page's worker, so that all libraries but this project's are compiled already.
fn compile(config: &[String]) -> Result<HashMap<String, Vec<u8>>> {
    const TARGET: &str = "wasm32-unknown-unknown";
    const NAME: &str = "races";
    tools::wasm_target()?;
    let target = target_folder()?;
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
        .args(["--target", TARGET])
        .args(
            config
                .iter()
                .flat_map(|setting| ["--config", setting.as_str()]),
        )
        .current_dir(root())
        .env_remove("RUSTFLAGS")
        .env(
            "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS",
            site::compiler_flags(),
        ))?;
    let built = target
        .join(TARGET)
        .join("worker")
        .join(format!("{NAME}.wasm"));
    let folder = target.join("bench/races");
    parts::bind(&built, &folder, NAME, false)?;
    let names = [format!("{NAME}.js"), format!("{NAME}_bg.wasm")];
    names
        .into_iter()
        .map(|name| {
            let bytes = fs::read(folder.join(&name))?;
            Ok((name, bytes))
        })
        .collect()
}
