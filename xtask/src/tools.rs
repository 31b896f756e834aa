//! The compiler target and the build tools, each with a pinned version.
//!
//! A tool on `PATH` is used only if it has exactly that version, because another one would silently change the page.
//! Other tools are installed into the cache once per machine, in one folder per version: by `cargo binstall`, which
//! downloads binaries, if that is installed, or else compiled from the crate registry.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::packages::on_path;
use crate::{Result, cache, cargo, root, run};

/// A program that `cargo install` builds.
struct Tool {
    name: &'static str,
    package: &'static str,
    program: &'static str,
    /// Further arguments of `cargo install`.
    options: &'static [&'static str],
    /// Compile time on two cores, in minutes.
    minutes: u32,
}

// Without TLS, so that Trunk cannot download tools by itself; all tools it needs are provided.
const TRUNK: Tool = Tool {
    name: "trunk",
    package: "trunk",
    program: "trunk",
    options: &["--locked", "--no-default-features"],
    minutes: 4,
};

// Not `--locked`: the lock file published with it names a yanked release.
const WASM_BINDGEN: Tool = Tool {
    name: "wasm-bindgen",
    package: "wasm-bindgen-cli",
    program: "wasm-bindgen",
    options: &[],
    minutes: 2,
};

const WASM_SPLIT: Tool = Tool {
    name: "wasm-split",
    package: "wasm_split_cli_support",
    program: "wasm-split-cli",
    options: &["--locked", "--features", "build-binary"],
    minutes: 2,
};

const GECKODRIVER: Tool = Tool {
    name: "geckodriver",
    package: "geckodriver",
    program: "geckodriver",
    options: &["--locked"],
    minutes: 2,
};

/// Trunk, the bundler. Version 0.22 needs a newer compiler than the pinned one.
pub fn trunk() -> Result<PathBuf> {
    TRUNK.ensure("0.21.14")
}

/// The wasm-bindgen CLI in exactly the version in `Cargo.lock`; the two must match.
pub fn wasm_bindgen() -> Result<PathBuf> {
    WASM_BINDGEN.ensure(&locked_version("wasm-bindgen")?)
}

/// The module splitter. It reads marks that `wasm_split_helpers` in `Cargo.lock` writes, and rejects marks of unknown
/// versions.
pub fn wasm_split() -> Result<PathBuf> {
    WASM_SPLIT.ensure("0.2.4")
}

/// Firefox's WebDriver, which Debian does not package.
pub fn geckodriver() -> Result<PathBuf> {
    GECKODRIVER.ensure("0.37.1")
}

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

impl Tool {
    /// Path of the program. Installs it if needed.
    fn ensure(&self, version: &str) -> Result<PathBuf> {
        let Self {
            name,
            package,
            program,
            options,
            minutes,
        } = *self;
        let folder = cache().join("tools").join(format!("{name}-{version}"));
        let path = folder
            .join("bin")
            .join(program)
            .with_extension(std::env::consts::EXE_EXTENSION);
        if path.is_file() {
            return Ok(path);
        }
        if let Some(found) = on_path(program).filter(|found| self.is_of(version, found)) {
            return Ok(found);
        }
        fs::create_dir_all(&folder)?;
        if self.download(version, &folder) && path.is_file() {
            return Ok(path);
        }
        println!(
            "compiling {name} {version} (about {minutes} minutes on two cores, once per machine) …"
        );
        run(cargo()
            .args(["install", package, "--version", version, "--root"])
            .arg(&folder)
            .args(options)
            // Not in the repository, whose cargo configuration is meant for the page.
            .current_dir(&folder)
            .env_remove("CARGO_TARGET_DIR")
            .env_remove("RUSTFLAGS")
            // The tools run for seconds only, so optimise for compile time.
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
            .env("CARGO_PROFILE_RELEASE_LTO", "off")
            .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"))?;
        Ok(path)
    }

    /// Whether a program has this version, by its own output or by the records of the cargo that installed it.
    fn is_of(&self, version: &str, program: &Path) -> bool {
        let output = Command::new(program).arg("--version").output();
        let says = output.is_ok_and(|output| {
            output.status.success() && says(&String::from_utf8_lossy(&output.stdout), version)
        });
        let notes = || {
            let root = program.parent()?.parent()?;
            fs::read_to_string(root.join(".crates.toml")).ok()
        };
        says || notes().is_some_and(|notes| notes_say(&notes, self.package, version))
    }

    /// Downloads the program into `folder` with `cargo binstall`; returns whether that succeeded. Never compiles: that
    /// is left to `cargo install` with the right options.
    fn download(&self, version: &str, folder: &Path) -> bool {
        if on_path("cargo-binstall").is_none() {
            return false;
        }
        println!("asking cargo binstall for {} {version} …", self.name);
        let downloaded = run(cargo()
            .args([
                "binstall",
                "--no-confirm",
                "--disable-strategies",
                "compile",
            ])
            .args(["--version", version, "--root"])
            .arg(folder)
            .arg(self.package)
            .current_dir(folder));
        downloaded.is_ok()
    }
}

/// Whether the first line of a program's `--version` output contains this version.
fn says(answer: &str, version: &str) -> bool {
    let first = answer.lines().next().unwrap_or_default();
    first.split_whitespace().any(|word| word == version)
}

/// Whether cargo's records of installed crates contain this version of a package.
fn notes_say(notes: &str, package: &str, version: &str) -> bool {
    let entry = format!("\"{package} {version} (");
    notes.lines().any(|line| line.starts_with(&entry))
}

/// The version of a package in `Cargo.lock`.
fn locked_version(package: &str) -> Result<String> {
    let lock = fs::read_to_string(root().join("Cargo.lock"))?;
    version_in(&lock, package).ok_or_else(|| format!("Cargo.lock holds no {package}").into())
}

fn version_in(lock: &str, package: &str) -> Option<String> {
    let entry = lock
        .split_once(&format!("name = \"{package}\"\nversion = \""))?
        .1;
    Some(entry.split_once('"')?.0.to_owned())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_lock_file_gives_the_exact_package() {
        let lock = "name = \"wasm-bindgen-futures\"\nversion = \"0.4.1\"\n\n\
                    [[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\n";
        assert_eq!(
            super::version_in(lock, "wasm-bindgen").as_deref(),
            Some("0.2.130")
        );
        assert_eq!(super::version_in(lock, "bindgen"), None);
    }

    #[test]
    fn a_tool_of_another_version_is_not_taken() {
        use super::says;
        assert!(says("trunk 0.21.14\n", "0.21.14"));
        assert!(says(
            "geckodriver 0.37.1 (0d3b5a1 2026-02-02)\n\nThe source code …",
            "0.37.1"
        ));
        assert!(!says("trunk 0.21.14-beta.1\n", "0.21.14"));
        assert!(!says("trunk 0.21.1\n", "0.21.14"));
        assert!(!says(
            "wasm-bindgen 0.2.100\nbuilt for 0.2.130\n",
            "0.2.130"
        ));
        assert!(!says("", "0.2.130"));
    }

    #[test]
    fn what_cargo_installed_is_known_by_its_notes() {
        let notes = "[v1]\n\"wasm_split_cli_support 0.2.4 (registry+https://example)\" = [\"wasm-split-cli\"]\n";
        let noted = |package, version| super::notes_say(notes, package, version);
        assert!(noted("wasm_split_cli_support", "0.2.4"));
        assert!(!noted("wasm_split_cli_support", "0.2"));
        assert!(!noted("split_cli_support", "0.2.4"));
    }
}
