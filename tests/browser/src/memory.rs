//! Memory of the page's process, as Linux counts it: heap, worker, pictures.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use xtask::Result;

use crate::{processes::processes, session::Session};

/// The browser's process that runs the page.
#[derive(Debug)]
pub struct Renderer {
    process: PathBuf,
}

impl Renderer {
    /// Finds the renderer among the browser's processes.
    pub fn of(session: &Session) -> Result<Self> {
        let renderer = processes(session, "renderer")?
            .into_iter()
            .map(|process| PathBuf::from(format!("/proc/{process}")))
            // Chromium keeps spare renderers, which are small.
            .max_by_key(|path| status(path, "VmRSS:").map_or(0, |size| size as u64));
        Ok(Self {
            process: renderer.ok_or("the browser has no page process")?,
        })
    }

    /// Collects garbage, resets the peak, and returns the megabytes in use.
    pub fn settle(&self, session: &Session) -> Result<f64> {
        session.devtools("HeapProfiler.collectGarbage", serde_json::json!({}))?;
        std::thread::sleep(Duration::from_millis(300));
        // proc(5): 5 resets the peak to the current use.
        fs::write(self.process.join("clear_refs"), "5")?;
        self.megabytes("VmRSS:")
    }

    /// The peak since then, in megabytes.
    pub fn peak(&self) -> Result<f64> {
        self.megabytes("VmHWM:")
    }

    fn megabytes(&self, line: &str) -> Result<f64> {
        status(&self.process, line)
            .ok_or_else(|| format!("{} has ended", self.process.display()).into())
    }
}

/// A size in /proc/…/status, in megabytes.
fn status(process: &std::path::Path, name: &str) -> Option<f64> {
    let status = fs::read_to_string(process.join("status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kilobytes * 1024.0 / 1e6)
}
