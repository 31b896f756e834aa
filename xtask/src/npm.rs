//! Packages from the npm registry that benchmarks and tests load in a browser. The page never loads them.
//!
//! A lock file in the repository pins them and their dependencies by hash. They are installed into the cache, once per
//! lock file, without install scripts; their code runs in browsers only.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use sha2::{Digest, Sha256};

use crate::packages::{install, on_path};
use crate::{Result, cache, root, run};

/// A set of packages, and the files to load from them.
#[derive(Debug)]
pub struct Packages {
    /// Name of the set, in messages and of its folder in the cache.
    name: &'static str,
    /// Folder of its `package.json` and lock file.
    list: &'static str,
    /// The files, each with its folder in `node_modules`.
    files: &'static [(&'static str, &'static str)],
}

/// The libraries that `cargo xtask bench peers` compares the page with.
pub const PEERS: Packages = Packages {
    name: "peers",
    list: "tests/bench/peers",
    files: &[
        ("onnxruntime-web/dist", "ort.wasm.min.mjs"),
        ("onnxruntime-web/dist", "ort-wasm-simd-threaded.mjs"),
        ("onnxruntime-web/dist", "ort-wasm-simd-threaded.wasm"),
        ("@tensorflow/tfjs-core/dist", "tf-core.min.js"),
        (
            "@tensorflow/tfjs-backend-wasm/dist",
            "tf-backend-wasm.min.js",
        ),
        (
            "@tensorflow/tfjs-backend-wasm/dist",
            "tfjs-backend-wasm.wasm",
        ),
        (
            "@tensorflow/tfjs-backend-wasm/dist",
            "tfjs-backend-wasm-simd.wasm",
        ),
        (
            "@tensorflow/tfjs-backend-wasm/dist",
            "tfjs-backend-wasm-threaded-simd.wasm",
        ),
        (
            "@tensorflow/tfjs-backend-webgpu/dist",
            "tf-backend-webgpu.min.js",
        ),
    ],
};

/// The accessibility checker of the browser tests.
pub const AXE: Packages = Packages {
    name: "axe",
    list: "tests/browser/axe",
    files: &[("axe-core", "axe.min.js")],
};

impl Packages {
    /// The files with their names. Installs the packages if needed, and npm if that needs no interaction.
    ///
    /// # Errors
    /// If npm is missing, or cannot install the packages.
    pub fn files(&self) -> Result<Vec<(&'static str, PathBuf)>> {
        let list = root().join(self.list);
        let lock = fs::read(list.join("package-lock.json"))?;
        let hash: String = Sha256::digest(&lock)[..8]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let folder = cache().join(format!("{}-{hash}", self.name));
        let modules = folder.join("node_modules");
        let files = self.files.iter();
        let files: Vec<_> = files
            .map(|(package, file)| (*file, modules.join(package).join(file)))
            .collect();
        if files.iter().any(|(_, path)| !path.is_file()) {
            if on_path("npm").is_none() {
                install("npm", &["nodejs", "npm"])?;
            }
            let npm = on_path("npm").ok_or_else(|| {
                format!("{} come from npm, which is not here: install Node.js with npm (on Debian, the packages nodejs and npm)", self.name)
            })?;
            println!("installing {} into {} …", self.name, folder.display());
            fs::create_dir_all(&folder)?;
            for file in ["package.json", "package-lock.json"] {
                fs::copy(list.join(file), folder.join(file))?;
            }
            run(Command::new(npm)
                .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
                .current_dir(&folder)
                .stdout(Stdio::null()))?;
        }
        match files.iter().find(|(_, path)| !path.is_file()) {
            Some((_, path)) => {
                Err(format!("{} were installed without {}", self.name, path.display()).into())
            }
            None => Ok(files),
        }
    }

    /// The pinned versions, by package name.
    ///
    /// # Errors
    /// If `package.json` cannot be read.
    pub fn versions(&self) -> Result<Vec<(String, String)>> {
        let text = fs::read_to_string(root().join(self.list).join("package.json"))?;
        let list: serde_json::Value = serde_json::from_str(&text)?;
        let pinned = list["dependencies"].as_object().ok_or("no dependencies")?;
        let version = |version: &serde_json::Value| version.as_str().unwrap_or_default().to_owned();
        Ok(pinned
            .iter()
            .map(|(name, pinned)| (name.clone(), version(pinned)))
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_package_is_pinned_and_in_the_lock_file_without_an_address() -> Result {
        for packages in [PEERS, AXE] {
            let text = fs::read_to_string(root().join(packages.list).join("package-lock.json"))?;
            let lock: serde_json::Value = serde_json::from_str(&text)?;
            assert!(!text.contains("\"resolved\""));
            let pinned = packages.versions()?;
            for (name, version) in &pinned {
                let entry = &lock["packages"][format!("node_modules/{name}")];
                assert_eq!(entry["version"], **version, "{name}");
                assert!(
                    version.split('.').all(|part| part.parse::<u32>().is_ok()),
                    "{name} {version}"
                );
                assert!(entry["integrity"].is_string(), "{name}");
            }
            for (package, _) in packages.files {
                assert!(
                    pinned
                        .iter()
                        .any(|(name, _)| package.starts_with(name.as_str()))
                );
            }
        }
        Ok(())
    }
}
