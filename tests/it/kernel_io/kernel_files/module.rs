//! The PyTorch module that is exported with the file.

use crate::support::root;
use std::{
    io::Write as _,
    path::PathBuf,
    process::{Command, Output},
};

use diagonal::{
    analysis::{matrix_csv_header, matrix_csv_row},
    encoding::HeadKernels,
    kernel_io::{DEFAULT_PREFIX, MODULE, to_safetensors},
};

use super::some;

/// A Python with NumPy: from `cargo xtask test`, or an installed one.
fn python() -> Option<PathBuf> {
    let named = std::env::var_os("DIAGONAL_PYTHON").map(PathBuf::from);
    let usual = ["python3", "/usr/bin/python3", "python"].map(PathBuf::from);
    named.into_iter().chain(usual).find(|python| {
        let output = Command::new(python).args(["-c", "import numpy"]).output();
        output.is_ok_and(|output| output.status.success())
    })
}

#[test]
fn the_module_that_goes_with_the_file_computes_the_same_scores() {
    let Some(python) = python() else {
        let message = "the module's formula: there is no Python with NumPy";
        assert!(std::env::var_os("CI").is_none(), "{message}");
        // Written to stdout directly, since the harness captures the output of passing tests; `xtask` counts these
        // lines as skipped tests.
        let _ = writeln!(std::io::stdout(), "\nskipped: {message}");
        return;
    };
    let folder = std::env::temp_dir().join(format!("diagonal-take-home-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let at = |name: &str| folder.join(name);
    let set = some();
    let file = to_safetensors(&set.clone().into(), DEFAULT_PREFIX).expect("kernels");
    std::fs::write(at("kernels.safetensors"), file).expect("written");
    std::fs::write(at("tisa_kernels.py"), MODULE).expect("written");
    for (layer, n) in [(0, 33), (11, 64)] {
        let mut scores = Vec::new();
        for head in 0..set.most_heads() {
            let none = HeadKernels::default();
            let f = set.get(layer, head).unwrap_or(&none).kernels.scores(n);
            let mut text = matrix_csv_header(0..n);
            for i in 0..n {
                let row: Vec<f32> = f.profile()[n - 1 - i..][..n]
                    .iter()
                    .map(|f| *f as f32)
                    .collect();
                text += &matrix_csv_row(&row);
            }
            let path = at(&format!("scores-{head}.csv"));
            std::fs::write(&path, text).expect("written");
            scores.push(path);
        }
        let Output {
            status,
            stdout,
            stderr,
        } = Command::new(&python)
            .arg(root().join("tests/it/kernel_io/score_check.py"))
            .args([at("tisa_kernels.py"), at("kernels.safetensors")])
            .arg(DEFAULT_PREFIX.replace("{layer}", &layer.to_string()))
            .args(scores)
            .output()
            .expect("Python runs");
        let [said, wrong] =
            [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        assert!(
            status.success() && said.contains("numpy: off by"),
            "{said}{wrong}"
        );
        print!("layer {layer}: {said}");
    }
    let _ = std::fs::remove_dir_all(&folder);
}
