//! Runs of programs, all in one process, because Python and NumPy take a second to start.

use crate::support::{python::printed, root};
use diagonal::{
    analysis::{ModelSummary, ScoreMode},
    figure::Table,
    math::AttentionMask,
    numpy_program::Choices,
    url_state::{FigureId, Link},
};
use serde_json::json;
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

/// Programs in a folder of their own.
pub(crate) struct ProgramRuns {
    folder: PathBuf,
    list: Vec<serde_json::Value>,
}

impl ProgramRuns {
    /// No programs yet; `name` is that of the folder.
    pub(crate) fn new(name: &str) -> Self {
        let name = format!("diagonal-numpy-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).expect("a folder");
        Self {
            folder,
            list: Vec::new(),
        }
    }

    /// Adds a program that reads a file.
    pub(crate) fn add(&mut self, name: &str, program: &str, file: &Path) {
        self.add_with_files(name, program, &[file]);
    }

    /// Adds a program that reads several files.
    pub(crate) fn add_with_files<P: AsRef<Path>>(
        &mut self,
        name: &str,
        program: &str,
        files: &[P],
    ) {
        let files: Vec<&Path> = files.iter().map(AsRef::as_ref).collect();
        let [path, output] = ["py", "csv"].map(|end| self.folder.join(format!("{name}.{end}")));
        fs::write(&path, program).expect("written");
        self.list
            .push(json!({"path": path, "arguments": files, "output": output}));
    }

    /// The folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes a checkpoint into the folder, and returns its path.
    pub(crate) fn write_model(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.folder.join(format!("{name}.safetensors"));
        fs::write(&path, bytes).expect("written");
        path
    }

    /// Runs all programs.
    pub(crate) fn run(&self, python: &Path) {
        let path = self.folder.join("list.json");
        fs::write(&path, serde_json::to_vec(&self.list).expect("JSON")).expect("written");
        let mut command = Command::new(python);
        command
            .arg(root().join("tests/it/numpy_program/run_programs.py"))
            .arg(path);
        printed(command);
    }

    /// The lines that a program printed after its header, with the header.
    pub(crate) fn rows(&self, name: &str) -> (Vec<String>, Vec<Vec<String>>) {
        let text = fs::read_to_string(self.folder.join(format!("{name}.csv"))).expect("a CSV file");
        let fields = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
        let mut lines = text.lines().map(fields);
        (lines.next().unwrap_or_default(), lines.collect())
    }

    /// Removes the folder, after success alone, for a look at what failed.
    pub(crate) fn remove(self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Choices of a figure of one head, with all cells of its matrix in view.
pub(crate) fn choices(figure: FigureId, mode: ScoreMode, head: (usize, usize)) -> Choices {
    let mut link = Link::default();
    link.heads.mode = mode;
    Choices {
        figure,
        link,
        summary: None,
        head: Some(head),
        second: Some((0, 0)),
        cells: AttentionMask::Whole,
        lengths: (0, 0),
        table: Table::default(),
        of_view: Arc::new(|_| None),
    }
}

/// The same with the model's summary, and with the whole matrix of its positions as the window.
pub(crate) fn with_window(choices: Choices, n: usize, summary: Option<ModelSummary>) -> Choices {
    Choices {
        summary: summary.map(Arc::new),
        of_view: Arc::new(move |name| (name == "WINDOW").then(|| format!("((0, {n}), (0, {n}))"))),
        ..choices
    }
}

/// Asserts that printed numbers are those expected, up to a share of the largest one.
pub(crate) fn rows_are(found: &[Vec<String>], expected: &[Vec<f64>], share: f64, name: &str) {
    assert_eq!(found.len(), expected.len(), "{name}");
    let sizes = expected.iter().flatten().map(|cell| cell.abs());
    let largest = sizes.filter(|size| size.is_finite()).fold(0.0, f64::max);
    for (row, cells) in found.iter().zip(expected) {
        assert_eq!(row.len(), cells.len(), "{name}");
        for (text, cell) in row.iter().zip(cells) {
            let number: f64 = text.parse().expect("a number");
            assert!(
                (number - cell).abs() <= share * largest || number.is_nan() && cell.is_nan(),
                "{name}: {number}, expected {cell}"
            );
        }
    }
}
