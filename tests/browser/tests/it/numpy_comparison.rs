//! Comparison of what the programs of figures print with the files that the page saves in the same state.

use browser::page::{dist, figure};
use browser::table::Table;
use browser::{Page, Result};
use diagonal::numpy_program::Directives;
use diagonal::url_state::{FigureId, View};
use serde_json::json;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::{python, root};

/// Differences below this are rounding errors.
const ROUNDING: f64 = 1e-12;

/// Columns with rounding errors, which are those of the program that computes them.
const ROUNDING_ERRORS: [&str; 1] = ["identity_error"];

/// The text of the program in the open dialog, or null.
const PROGRAM: &str = "(document.querySelector('dialog.program[open] pre')?.textContent || null)";

/// Greatest deviation of a number from the page's, as a share of the greatest number of its column, or of the matrix.
/// The page computes with single precision in places.
const TOLERANCE: f64 = 2e-4;

/// Opens the program of a figure and returns its text. The dialog stays open.
pub(crate) fn shown_program(page: &Page, id: &str) -> Result<String> {
    let text = program_or_message(page, id)?;
    text.ok_or_else(|| format!("{id} has no program: {:?}", page.message()).into())
}

/// Opens the program of a figure and returns its text, or `None` if a message says why there is none.
fn program_or_message(page: &Page, id: &str) -> Result<Option<String>> {
    page.press_in_save_menu(&figure(id), "Show in NumPy")?;
    let has_message = "document.querySelector('#message')?.innerText.includes('rogram')";
    let text = page.wait_until(&format!("{PROGRAM} || ({has_message} && true)"))?;
    Ok(text.as_str().map(str::to_owned))
}

/// A program, and the file that the page saved in the same state.
struct Case {
    name: String,
    page: Table,
    output: PathBuf,
}

/// States of the page whose figures are compared: a name, the query, files to open, files that the programs read.
pub(crate) type State<'a> = (&'a str, &'a str, &'a [&'a str], &'a [&'a str]);

/// Compares the programs of all figures in some states of a view. Every figure of the view that has a program must be
/// seen.
pub(crate) fn compare(page: &Page, view: View, states: &[State<'_>]) -> Result {
    let mut comparison = Comparison::new(&format!("{view:?}"))?;
    for (name, query, opened, read) in states {
        page.open(query)?;
        if !opened.is_empty() {
            let paths: Vec<PathBuf> = opened.iter().map(|path| file(path)).collect();
            let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
            page.open_files(&paths)?;
        }
        let arguments: Vec<PathBuf> = read.iter().map(|path| file(path)).collect();
        comparison.add_state(page, view, name, &arguments)?;
    }
    let seen = comparison.check()?;
    let has_program = |figure: &&FigureId| figure.views()[0] == view && !has_none(**figure);
    for figure in FigureId::ALL.iter().filter(has_program) {
        let id = figure.id();
        assert!(seen.contains(id), "{id} was not compared");
    }
    Ok(())
}

/// Programs of figures, and the files that the page saved in the same states.
pub(crate) struct Comparison {
    /// Folder of the programs and of what they print.
    pub(crate) folder: PathBuf,
    cases: Vec<Case>,
    list: Vec<serde_json::Value>,
    seen: BTreeSet<String>,
}

impl Comparison {
    pub(crate) fn new(name: &str) -> Result<Self> {
        let name = format!("diagonal-numpy-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder)?;
        Ok(Self {
            folder,
            cases: Vec::new(),
            list: Vec::new(),
            seen: BTreeSet::new(),
        })
    }

    /// Adds all figures of a view as the page shows them now. Their programs get the arguments.
    pub(crate) fn add_state(
        &mut self,
        page: &Page,
        view: View,
        name: &str,
        arguments: &[PathBuf],
    ) -> Result {
        for id in page.ready_figures()? {
            let is_of_view = FigureId::from_id(&id).filter(|figure| figure.views().contains(&view));
            let Some(of_view) = is_of_view else {
                continue;
            };
            if has_none(of_view) {
                continue;
            }
            let saved = page.csv(&id)?;
            let Some(program) = program_or_message(page, &id)? else {
                page.dismiss()?;
                continue;
            };
            page.click("dialog.program [aria-label='Close']")?;
            let file = |end| self.folder.join(format!("{name}-{id}.{end}"));
            let [path, output] = ["py", "csv"].map(file);
            fs::write(&path, program)?;
            let program = json!({ "path": path, "arguments": arguments, "output": output });
            self.list.push(program);
            self.cases.push(Case {
                name: format!("{name}, {id}"),
                page: saved,
                output,
            });
            self.seen.insert(id);
        }
        Ok(())
    }

    /// Runs all programs, and compares what they print with the page's files. Returns the figures that were compared.
    pub(crate) fn check(self) -> Result<BTreeSet<String>> {
        run(&self.folder, &self.list)?;
        let mut wrong = Vec::new();
        for case in &self.cases {
            if let Err(reason) = case.check() {
                wrong.push(format!("{}: {reason}", case.name));
            }
        }
        assert!(
            wrong.is_empty(),
            "{} of {} programs:\n{}",
            wrong.len(),
            self.cases.len(),
            wrong.join("\n")
        );
        // Removed only after success, for a look at what failed.
        fs::remove_dir_all(&self.folder)?;
        Ok(self.seen)
    }
}

/// Whether a figure never has a program.
fn has_none(figure: FigureId) -> bool {
    Directives::read(figure.numpy_body(), |_| false)
        .none
        .is_some()
}

/// A file of the built page (after `dist:`), or of the project.
fn file(path: &str) -> PathBuf {
    match path.strip_prefix("dist:") {
        Some(path) => dist().join(path),
        None => root().join(path),
    }
}

/// Runs all programs in one process.
fn run(folder: &Path, list: &[serde_json::Value]) -> Result {
    let path = folder.join("list.json");
    fs::write(&path, serde_json::to_vec(list)?)?;
    let python = python::find().ok_or("there is no Python with NumPy")?;
    // Programs name the files of presets without their folder.
    let output = Command::new(python)
        .current_dir(root().join("www/presets"))
        .env("OPENBLAS_NUM_THREADS", "1")
        .arg(root().join("tests/it/numpy_program/run_programs.py"))
        .arg(path)
        .output()?;
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned().into()),
    }
}

impl Case {
    /// Compares what the program printed with the page's file.
    fn check(&self) -> Result {
        let printed: Table = fs::read_to_string(&self.output)?.parse()?;
        if printed.columns != self.page.columns {
            return Err(
                format!("columns {:?}, not {:?}", printed.columns, self.page.columns).into(),
            );
        }
        if printed.rows.len() != self.page.rows.len() {
            return Err(
                format!("{} rows, not {}", printed.rows.len(), self.page.rows.len()).into(),
            );
        }
        let is_matrix = self.page.columns.len() > 2
            && self
                .page
                .columns
                .iter()
                .all(|name| name.parse::<i64>().is_ok());
        let number = |cell: &String| cell.parse::<f64>().ok();
        let largest = |cells: &mut dyn Iterator<Item = &String>| {
            let sizes = cells
                .filter_map(number)
                .filter(|cell| cell.is_finite())
                .map(f64::abs);
            sizes.fold(0.0, f64::max)
        };
        let of_matrix = largest(&mut self.page.rows.iter().flatten());
        for (column, name) in self.page.columns.iter().enumerate() {
            if ROUNDING_ERRORS.contains(&name.as_str()) {
                continue;
            }
            let of_column = largest(&mut self.page.rows.iter().map(|row| &row[column]));
            let scale = if is_matrix { of_matrix } else { of_column };
            for (row, (found, page)) in printed.rows.iter().zip(&self.page.rows).enumerate() {
                let (found, page) = (&found[column], &page[column]);
                let is_same = match (number(found), number(page)) {
                    (Some(found), Some(page)) => {
                        found.is_nan() && page.is_nan()
                            || found == page
                            || (found - page).abs() <= TOLERANCE * scale + ROUNDING
                    }
                    _ => found == page,
                };
                if !is_same {
                    return Err(
                        format!("{name} of row {}: {found}, the page has {page}", row + 1).into(),
                    );
                }
            }
        }
        Ok(())
    }
}
