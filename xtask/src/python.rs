//! A Python with NumPy, in which the formula of the PyTorch module that the page hands out is run.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::packages;

/// Its name for the tests, where the program is said.
pub const VARIABLE: &str = "DIAGONAL_PYTHON";

/// The Python that was named, or the first at hand that has NumPy. `PATH` may lead to one that has not, past
/// the system's own.
pub fn find() -> Option<PathBuf> {
    let named = std::env::var_os(VARIABLE).map(PathBuf::from);
    let usual = ["python3", "/usr/bin/python3", "python"].map(PathBuf::from);
    named
        .into_iter()
        .chain(usual)
        .find(|python| has_numpy(python))
}

/// The same, after installing it where that needs no question.
pub fn ensure() -> Option<PathBuf> {
    find().or_else(|| {
        if let Err(error) = packages::install("Python with NumPy", &["python3", "python3-numpy"]) {
            println!("could not install Python: {error}");
        }
        find()
    })
}

/// The same with a library that multiplies matrices fast: the one that Debian's NumPy brings along is its plain
/// reference, which would lose every race.
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

/// Does NumPy load a library other than the reference?
fn has_fast_blas(python: &Path) -> bool {
    let says = "import numpy\nnames = open('/proc/self/maps').read()\nprint('openblas' in names or 'mkl' in names or 'blis' in names)";
    let output = Command::new(python).args(["-c", says]).output();
    output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).trim() == "True")
}

fn has_numpy(python: &Path) -> bool {
    let output = Command::new(python).args(["-c", "import numpy"]).output();
    output.is_ok_and(|output| output.status.success())
}
