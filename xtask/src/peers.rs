//! The libraries that `cargo xtask bench peers` races the page against, from the registry of npm.
//!
//! `tests/bench/peers/` pins them and all they need, with the hashes of what is downloaded. They are installed into the
//! cache, once for each such list, and nothing of them is run but by the benchmark's own page.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use sha2::{Digest, Sha256};

use crate::packages::on_path;
use crate::{Result, cache, root, run};

/// What the benchmark's page loads, by the package it is in.
const FILES: [(&str, &str); 9] = [
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
];

/// The files by name, after installing them if need be.
///
/// # Errors
/// When there is no npm, or it cannot install them.
pub fn files() -> Result<Vec<(&'static str, PathBuf)>> {
    let lists = root().join("tests/bench/peers");
    let lock = fs::read(lists.join("package-lock.json"))?;
    let hash: String = Sha256::digest(&lock)[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let folder = cache().join(format!("peers-{hash}"));
    let modules = folder.join("node_modules");
    let files = FILES.map(|(package, file)| (file, modules.join(package).join(file)));
    if files.iter().any(|(_, path)| !path.is_file()) {
        let npm = on_path("npm").ok_or(
            "the peers come from npm, which is not here: install Node.js with npm (on Debian, the packages nodejs and npm)",
        )?;
        println!("installing the peers into {} …", folder.display());
        fs::create_dir_all(&folder)?;
        for list in ["package.json", "package-lock.json"] {
            fs::copy(lists.join(list), folder.join(list))?;
        }
        run(Command::new(npm)
            .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
            .current_dir(&folder)
            .stdout(Stdio::null()))?;
    }
    match files.iter().find(|(_, path)| !path.is_file()) {
        Some((_, path)) => {
            Err(format!("the peers were installed without {}", path.display()).into())
        }
        None => Ok(files.to_vec()),
    }
}

/// The versions that are pinned, by the name of the package.
///
/// # Errors
/// When the list cannot be read.
pub fn versions() -> Result<Vec<(String, String)>> {
    let text = fs::read_to_string(root().join("tests/bench/peers/package.json"))?;
    let list: serde_json::Value = serde_json::from_str(&text)?;
    let pinned = list["dependencies"].as_object().ok_or("no dependencies")?;
    let pinned = pinned.iter();
    Ok(pinned
        .map(|(name, version)| {
            (
                name.clone(),
                version.as_str().unwrap_or_default().to_owned(),
            )
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_peer_is_pinned_and_in_the_lock_file_without_an_address() -> Result {
        let lists = root().join("tests/bench/peers");
        let text = fs::read_to_string(lists.join("package-lock.json"))?;
        let lock: serde_json::Value = serde_json::from_str(&text)?;
        assert!(!text.contains("\"resolved\""));
        for (name, version) in versions()? {
            let entry = &lock["packages"][format!("node_modules/{name}")];
            assert_eq!(entry["version"], version, "{name}");
            assert!(
                version.split('.').all(|part| part.parse::<u32>().is_ok()),
                "{name} {version}"
            );
            assert!(entry["integrity"].is_string(), "{name}");
        }
        assert!(FILES.iter().all(|(package, _)| {
            versions().is_ok_and(|all| {
                all.iter()
                    .any(|(name, _)| package.starts_with(name.as_str()))
            })
        }));
        Ok(())
    }
}
