//! The project's commands, as a library, so that the browser tests can use its server and tools.
//!
//! | module | purpose |
//! |---|---|
//! | [`tools`] | the compiler's target and components, and Firefox's WebDriver |
//! | [`site`] | the page as a folder that any static host can serve |
//! | [`programs`] | the page and its workers, and how they are compiled |
//! | [`parts`] | splits a program into an initial module and lazy parts, by the package `module-splitter` |
//! | [`still_header`] | the header that the page shows until it is loaded |
//! | [`offline`] | the service worker that makes the page work offline |
//! | [`lessons`] | the lessons shipped with the page |
//! | [`policy`] | the Content-Security-Policy |
//! | [`sizes`] | download sizes, and their budget |
//! | [`server`] | the static server of `serve` and of the tests |
//! | [`faults`] | faults of files, simulated by the server |
//! | [`throttle`] | a slow network, simulated by the server |
//! | [`browsers`] | finds and installs browsers |
//! | [`python`] | finds and installs a Python with NumPy |
//! | [`npm`] | npm packages: the libraries that benchmarks compare the page with, and axe |
//! | [`packages`] | system packages |
//! | [`minilm`] | the real checkpoint that the tests open |
//! | [`snapshots`] | shows changed picture snapshots on one page |
//! | [`steps`] | runs a list of checks and summarises them |
//! | [`preset`] | the models that ship with the page, and where each comes from |
//! | [`preset_file`] | writes their files |
//! | [`wheel`] | Python packages as files |
//! | [`whole_model`] | the whole of a preset's model, with its tokenizer, for the view of texts |

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

pub mod browsers;
pub(crate) mod byte_range;
mod chunks;
pub mod faults;
mod import_names;
pub mod lessons;
pub mod minilm;
mod module_join;
mod module_layout;
pub mod npm;
pub mod offline;
pub mod packages;
pub mod parts;
pub mod policy;
pub mod preset;
pub mod preset_file;
pub mod programs;
pub mod python;
pub mod server;
pub mod site;
pub mod sizes;
pub mod snapshots;
pub mod steps;
pub mod still_header;
mod style_sheet;
pub mod throttle;
pub mod tools;
pub mod wheel;
pub mod whole_model;

/// Result of a command. An error is a sentence for the terminal.
pub type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// The repository's root folder.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask lies in the repository")
}

/// Folder for tools and test files, kept between runs and shared by clones.
pub fn cache() -> PathBuf {
    let base = std::env::var_os("XDG_CACHE_HOME")
        .filter(|path| !path.is_empty())
        .map(PathBuf::from);
    let base = base.or_else(|| std::env::home_dir().map(|home| home.join(".cache")));
    base.unwrap_or_else(std::env::temp_dir).join("diagonal")
}

/// Reads a file. An error names it.
///
/// # Errors
/// If it cannot be read.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()).into())
}

/// Whether this runs in continuous integration, where no test may be skipped.
pub fn ci() -> bool {
    std::env::var("CI").is_ok_and(|value| value == "true" || value == "1")
}

/// The cargo that runs this program, so that a pinned toolchain also applies to the commands it starts.
pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs a command to completion. An exit status other than 0 is an error that names the command.
pub fn run(command: &mut Command) -> Result {
    let program = Path::new(command.get_program());
    let name = program
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let status = command
        .status()
        .map_err(|error| format!("could not start {name}: {error}"))?;
    if status.success() {
        return Ok(());
    }
    let arguments: Vec<_> = command.get_args().map(|a| a.to_string_lossy()).collect();
    Err(format!("{name} {} ended with {status}", arguments.join(" ")).into())
}
