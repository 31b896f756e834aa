//! The programs of the site: the page and its workers.
//!
//! To add a worker, add its binary to `Cargo.toml` and a line to [`WORKERS`]. The page finds the address of its script
//! in the `<meta>` element of its name.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{Result, cargo, parts, root, run};

/// A program of the site.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// The name of its binary.
    pub name: &'static str,
    /// The package that has the binary in its `Cargo.toml`.
    pub package: &'static str,
    /// The features that it is compiled with, separated by commas.
    pub features: &'static str,
    /// The cargo profile that it is compiled with.
    pub profile: &'static str,
    /// Whether the code marks parts of it that are loaded on first use.
    pub has_parts: bool,
    /// When it is downloaded.
    pub start: Start,
    /// Budget of each file that is loaded on first use, in gzipped bytes.
    pub later_budget: usize,
}

/// Budget of a lazy part in gzipped bytes: three seconds at 500 kbit/s.
pub const LAZY_PART: usize = 200_000;

/// When a program is downloaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// It is the page itself.
    Page,
    /// The page starts it at once, as a worker.
    WithPage,
    /// The page starts it on first use, as a worker.
    OnFirstUse,
}

/// The page.
pub const PAGE: Program = Program {
    name: "page",
    package: "diagonal",
    features: "page",
    profile: "release",
    has_parts: true,
    start: Start::Page,
    later_budget: LAZY_PART,
};

/// The programs in workers.
pub const WORKERS: &[Program] = &[
    Program {
        name: "worker",
        package: "diagonal",
        features: "worker",
        profile: "worker",
        has_parts: true,
        start: Start::WithPage,
        later_budget: LAZY_PART,
    },
    Program {
        name: "tokenizer",
        package: "text-tokenizer",
        features: "library",
        profile: "worker",
        has_parts: false,
        start: Start::OnFirstUse,
        // The library of the published models, with its tables of Unicode and its regular expressions.
        later_budget: 800_000,
    },
    Program {
        name: "trainer",
        package: "diagonal",
        features: "worker",
        profile: "worker",
        // Code that it shares with the worker marks some, and it uses none. With the same flags, the library is compiled
        // once for both.
        has_parts: true,
        start: Start::OnFirstUse,
        // The passes of a transformer.
        later_budget: 800_000,
    },
];

/// The script that starts a worker, with a placeholder for the program's name.
const WORKER_START: &str = concat!(
    include_str!("../../www/own_file.js"),
    include_str!("worker_start.js")
);
const NAME_PLACE: &str = "PROGRAM";

impl Program {
    /// Compiles the program. `flags` are added to the compiler's; those for the split are left out if it has no parts.
    pub fn compile(&self, flags: &str) -> Result {
        let flags = match self.has_parts {
            true => flags.to_owned(),
            false => flags.replace(parts::RELOCATIONS, ""),
        };
        run(cargo()
            .args(["build", "--target", "wasm32-unknown-unknown"])
            .args(["--package", self.package, "--bin", self.name])
            .args(["--features", self.features])
            .args(["--profile", self.profile])
            .current_dir(root())
            // RUSTFLAGS would replace the flags that enable SIMD; the flags below are added to them.
            .env_remove("RUSTFLAGS")
            .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", flags))
    }

    /// The compiled program.
    pub fn module(&self) -> Result<PathBuf> {
        let Self { name, profile, .. } = self;
        Ok(target_folder()?.join(format!("wasm32-unknown-unknown/{profile}/{name}.wasm")))
    }

    /// The folder in which the program is split. Deletes what an earlier build left there.
    pub fn parts_folder(&self) -> Result<PathBuf> {
        let parts = target_folder()?.join("parts").join(self.name);
        if parts.exists() {
            fs::remove_dir_all(&parts)?;
        }
        Ok(parts)
    }

    /// The script that starts the program in a worker; `None` for the page, whose script is a part of `index.html`.
    #[must_use]
    pub fn worker_script(&self) -> Option<String> {
        (self.start != Start::Page).then(|| WORKER_START.replace(NAME_PLACE, self.name))
    }

    /// Whether a file of the site, by its address, belongs to the program.
    #[must_use]
    pub fn owns(&self, file: &Path) -> bool {
        let folder = file.iter().next().unwrap_or_default().to_string_lossy();
        folder
            .rsplit_once('-')
            .is_some_and(|(name, _)| name == self.name)
    }
}

/// Whether a file of the site, by its address, belongs to a program.
#[must_use]
pub fn is_program_file(file: &str) -> bool {
    let mut programs = std::iter::once(&PAGE).chain(WORKERS);
    programs.any(|program| program.owns(Path::new(file)))
}

/// Cargo's target folder.
///
/// # Errors
/// If cargo does not name it.
pub fn target_folder() -> Result<PathBuf> {
    let output = cargo()
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .current_dir(root())
        .output()?;
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let folder = metadata["target_directory"].as_str();
    Ok(folder.ok_or("cargo names no target folder")?.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_starts_its_own_program() {
        let script = WORKERS[0].worker_script().unwrap_or_default();
        assert!(script.contains("beside(\"worker.js\")"));
        assert!(script.contains("beside(\"worker_bg.wasm\")"));
        assert!(!script.contains(NAME_PLACE));
        assert_eq!(PAGE.worker_script(), None);
    }

    #[test]
    fn the_flag_for_the_split_can_be_left_out() {
        assert!(parts::LINKER_FLAGS.contains(parts::RELOCATIONS));
    }

    #[test]
    fn every_program_is_a_binary() -> Result {
        for program in WORKERS.iter().chain([&PAGE]) {
            let Program { name, features, .. } = program;
            let folder = match program.package {
                "diagonal" => root().to_owned(),
                package => root().join("crates").join(package),
            };
            let manifest = fs::read_to_string(folder.join("Cargo.toml"))?;
            assert!(manifest.contains(&format!("name = \"{}\"", program.package)));
            let entry = format!("name = \"{name}\"\n");
            let binary = manifest.split("[[bin]]").find(|text| text.contains(&entry));
            let binary = binary.ok_or_else(|| format!("no binary {name}"))?;
            assert!(binary.contains(&format!("[\"{features}\"]")), "{name}");
        }
        Ok(())
    }

    #[test]
    fn files_belong_to_the_program_of_their_folder() {
        for (file, is_own) in [
            ("worker-1a/worker_bg.wasm", true),
            ("worker-1a/start.js", true),
            ("workers-1a/start.js", false),
            ("page-1a/worker-1a.js", false),
            ("index.html", false),
            ("tokenizer-1a/tokenizer_bg.wasm", false),
        ] {
            assert_eq!(WORKERS[0].owns(Path::new(file)), is_own, "{file}");
        }
    }
}
