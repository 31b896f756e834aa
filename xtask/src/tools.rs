//! The compiler's target and components, and the one tool that no system package has: Firefox's WebDriver.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::packages::on_path;
use crate::{Result, cache, cargo, root, run};

/// Installs the compiler's WebAssembly target.
pub fn wasm_target() -> Result {
    const TARGET: &str = "wasm32-unknown-unknown";
    let output = Command::new("rustc")
        .args(["--print", "sysroot"])
        .current_dir(root())
        .output()?;
    let sysroot = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    if sysroot.join("lib/rustlib").join(TARGET).is_dir() {
        return Ok(());
    }
    println!("adding the compiler target {TARGET} …");
    run(Command::new("rustup")
        .args(["target", "add", TARGET])
        .current_dir(root()))
}

/// Installs rustfmt and clippy, which a minimal toolchain lacks.
pub fn components() -> Result {
    for (subcommand, component) in [("fmt", "rustfmt"), ("clippy", "clippy")] {
        let output = cargo()
            .args([subcommand, "--version"])
            .current_dir(root())
            .output()?;
        if !output.status.success() {
            println!("adding the compiler component {component} …");
            run(Command::new("rustup")
                .args(["component", "add", component])
                .current_dir(root()))?;
        }
    }
    Ok(())
}

/// Firefox's WebDriver, which Debian does not package: the one on `PATH`, or else one that is compiled into the cache,
/// once per machine.
pub fn geckodriver() -> Result<PathBuf> {
    const NAME: &str = "geckodriver";
    const VERSION: &str = "0.37.1";
    if let Some(found) = on_path(NAME) {
        return Ok(found);
    }
    let folder = cache().join("tools").join(format!("{NAME}-{VERSION}"));
    let path = folder
        .join("bin")
        .join(NAME)
        .with_extension(std::env::consts::EXE_EXTENSION);
    if path.is_file() {
        return Ok(path);
    }
    println!("compiling {NAME} {VERSION} (about 2 minutes on two cores, once per machine) …");
    fs::create_dir_all(&folder)?;
    run(cargo()
        .args(["install", NAME, "--version", VERSION, "--locked", "--root"])
        .arg(&folder)
        // Not in the repository, whose cargo configuration is meant for the page.
        .current_dir(&folder)
        .env_remove("CARGO_TARGET_DIR")
        .env_remove("RUSTFLAGS")
        // It passes messages on, so optimise for compile time.
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0")
        .env("CARGO_PROFILE_RELEASE_LTO", "off")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"))?;
    Ok(path)
}
