//! Processes of a browser, as listed by Linux.

use crate::session::Session;
use std::{
    fs,
    process::{Command, Stdio},
};
use xtask::Result;

/// Processes of a kind, by Chromium's names: `renderer`, `gpu-process`.
pub fn processes(session: &Session, kind: &str) -> Result<Vec<u32>> {
    let driver = session.process().ok_or("the session has no driver")?;
    let argument = format!("--type={kind}");
    let is_of_kind = |process: &u32| {
        fs::read_to_string(format!("/proc/{process}/cmdline"))
            .is_ok_and(|line| line.contains(&argument))
    };
    let mut found = descendants(driver)?;
    found.retain(is_of_kind);
    Ok(found)
}

/// Kills a process immediately, as Linux does when memory runs out.
pub fn kill(process: u32) -> Result {
    let status = Command::new("kill")
        .args(["-9", &process.to_string()])
        .status()?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("process {process} could not be ended").into())
    }
}

/// Kills the processes that are still running, immediately.
pub fn kill_remaining(processes: &[u32]) {
    if processes.is_empty() {
        return;
    }
    // Ignored: most of them have ended, which `kill` reports as an error.
    let _ = Command::new("kill")
        .arg("-9")
        .args(processes.iter().map(u32::to_string))
        .stderr(Stdio::null())
        .status();
}

/// A process and all of its descendants.
///
/// # Errors
/// If the system does not list processes as Linux does.
pub fn descendants(ancestor: u32) -> Result<Vec<u32>> {
    let mut parents = Vec::new();
    for entry in fs::read_dir("/proc")?.flatten() {
        let Ok(process) = entry.file_name().to_string_lossy().parse::<u32>() else {
            continue;
        };
        // The name is in brackets and may contain anything; the parent is the second word after it.
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
