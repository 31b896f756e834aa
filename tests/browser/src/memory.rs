//! How much memory the page's process takes, as Linux counts it: its heap, its worker, its pictures.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use xtask::Result;

use crate::session::Session;

/// The browser's process that runs the page.
#[derive(Debug)]
pub struct Renderer {
    process: PathBuf,
}

impl Renderer {
    /// Finds it among the browser's processes.
    pub fn of(session: &Session) -> Result<Self> {
        let driver = session.process().ok_or("the session has no driver")?;
        let renderer = descendants(driver)?
            .into_iter()
            .map(|process| PathBuf::from(format!("/proc/{process}")))
            .filter(|path| {
                fs::read_to_string(path.join("cmdline"))
                    .is_ok_and(|line| line.contains("--type=renderer"))
            })
            // Chromium keeps spare ones, which are small.
            .max_by_key(|path| status(path, "VmRSS:").map_or(0, |size| size as u64));
        Ok(Self {
            process: renderer.ok_or("the browser has no page process")?,
        })
    }

    /// Cleans the heap, forgets the peak so far, and gives the megabytes in use.
    pub fn settle(&self, session: &Session) -> Result<f64> {
        session.devtools("HeapProfiler.collectGarbage", serde_json::json!({}))?;
        std::thread::sleep(Duration::from_millis(300));
        // proc(5): 5 sets the peak back to what is in use now.
        fs::write(self.process.join("clear_refs"), "5")?;
        self.megabytes("VmRSS:")
    }

    /// The most megabytes in use at any moment since then.
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

/// A process's children, and theirs.
fn descendants(ancestor: u32) -> Result<Vec<u32>> {
    let mut parents = Vec::new();
    for entry in fs::read_dir("/proc")?.flatten() {
        let Ok(process) = entry.file_name().to_string_lossy().parse::<u32>() else {
            continue;
        };
        // The name is in brackets and may hold anything; the parent is the second word after it.
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let parent = stat
            .rsplit_once(')')
            .and_then(|(_, rest)| rest.split_whitespace().nth(1)?.parse().ok());
        parents.extend(parent.map(|parent: u32| (process, parent)));
    }
    let mut found = vec![ancestor];
    let mut at = 0;
    while let Some(&parent) = found.get(at) {
        found.extend(
            parents
                .iter()
                .filter(|(_, p)| *p == parent)
                .map(|(process, _)| *process),
        );
        at += 1;
    }
    Ok(found)
}
