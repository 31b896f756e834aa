//! A Python with NumPy, for programs that the page writes.

use std::{
    io::Write as _,
    path::PathBuf,
    process::{Command, Output},
};

/// A Python with NumPy: from `cargo xtask test`, or an installed one. Without any, the test that asks counts as skipped;
/// on a machine that runs all tests, it fails. `what` names the subject of the test.
pub(crate) fn python(what: &str) -> Option<PathBuf> {
    let named = std::env::var_os("DIAGONAL_PYTHON").map(PathBuf::from);
    let usual = ["python3", "/usr/bin/python3", "python"].map(PathBuf::from);
    let python = named.into_iter().chain(usual).find(|python| {
        let output = Command::new(python).args(["-c", "import numpy"]).output();
        output.is_ok_and(|output| output.status.success())
    });
    if python.is_none() {
        let message = format!("{what}: there is no Python with NumPy");
        assert!(std::env::var_os("CI").is_none(), "{message}");
        // Written to stdout directly, since the harness captures the output of passing tests; `xtask` counts these
        // lines as skipped tests.
        let _ = writeln!(std::io::stdout(), "\nskipped: {message}");
    }
    python
}

/// Runs a program and returns the text that it prints.
///
/// # Panics
/// If it failed; its errors are the message.
pub(crate) fn printed(mut command: Command) -> String {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().expect("Python runs");
    let [said, wrong] = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(status.success(), "{said}{wrong}");
    said
}
