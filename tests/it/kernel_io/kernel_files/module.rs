//! The PyTorch module that is exported with the file.

use crate::support::{
    python::{printed, python},
    root,
};
use std::process::Command;

use diagonal::{
    analysis::{matrix_csv_header, matrix_csv_row},
    encoding::HeadKernels,
    kernel_io::{DEFAULT_PREFIX, MODULE, to_safetensors},
};

use super::some;

#[test]
fn the_module_that_goes_with_the_file_computes_the_same_scores() {
    let Some(python) = python("the module's formula") else {
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
        let mut command = Command::new(&python);
        command
            .arg(root().join("tests/it/kernel_io/score_check.py"))
            .args([at("tisa_kernels.py"), at("kernels.safetensors")])
            .arg(DEFAULT_PREFIX.replace("{layer}", &layer.to_string()))
            .args(scores);
        let said = printed(command);
        assert!(said.contains("numpy: off by"), "{said}");
        print!("layer {layer}: {said}");
    }
    let _ = std::fs::remove_dir_all(&folder);
}
