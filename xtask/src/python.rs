//! A Python with NumPy, for testing the formula of the exported PyTorch module.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::packages;

/// Environment variable that names the Python for the tests.
pub const VARIABLE: &str = "DIAGONAL_PYTHON";

/// The Python named by the variable, or the first candidate that has NumPy. The first `python3` on `PATH` may lack it
/// although the system's has it.
pub fn find() -> Option<PathBuf> {
    let named = std::env::var_os(VARIABLE).map(PathBuf::from);
    let usual = ["python3", "/usr/bin/python3", "python"].map(PathBuf::from);
    named
        .into_iter()
        .chain(usual)
        .find(|python| has_numpy(python))
}

/// Like [`find`], but installs Python with NumPy if needed and if that needs no interaction.
pub fn ensure() -> Option<PathBuf> {
    find().or_else(|| {
        if let Err(error) = packages::install("Python with NumPy", &["python3", "python3-numpy"]) {
            println!("could not install Python: {error}");
        }
        find()
    })
}

/// Like [`ensure`], and installs a fast BLAS. The one that Debian's NumPy depends on is the plain reference
/// implementation, too slow for a fair benchmark.
pub fn ensure_fast() -> Option<PathBuf> {
    let python = ensure()?;
    if Path::new("/etc/alternatives").is_dir() && !has_fast_blas(&python) {
        let installed = packages::install("OpenBLAS for NumPy", &["libopenblas0"]);
        if let Err(error) = installed {
            println!("could not install OpenBLAS: {error}");
        }
    }
    Some(python)
}

/// Whether NumPy loads a BLAS other than the reference implementation.
fn has_fast_blas(python: &Path) -> bool {
    let says = "import numpy\nnames = open('/proc/self/maps').read()\nprint('openblas' in names or 'mkl' in names or 'blis' in names)";
    let output = Command::new(python).args(["-c", says]).output();
    output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).trim() == "True")
}

fn has_numpy(python: &Path) -> bool {
    let output = Command::new(python).args(["-c", "import numpy"]).output();
    output.is_ok_and(|output| output.status.success())
}
