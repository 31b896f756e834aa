//! The project's commands, as a library so that the browser tests share its server and its tools.
//!
//! | module | its job |
//! |---|---|
//! | [`tools`] | the compiler target and the pinned build tools, installed once per machine |
//! | [`site`] | the page: Trunk's output finished into a folder any static host can serve |
//! | [`parts`] | page and worker cut into what is needed at once and what is fetched later |
//! | [`offline`] | what keeps the page for times without a network |
//! | [`lessons`] | the lessons that come with the page, read and put beside it |
//! | [`policy`] | the Content-Security-Policy |
//! | [`sizes`] | what a visitor downloads, and the budget |
//! | [`server`] | the static server of `serve` and of the tests |
//! | [`browsers`] | which browsers this machine has, and getting them |
//! | [`python`] | a Python with NumPy, and getting it |
//! | [`peers`] | the libraries that benchmarks race the page against |
//! | [`packages`] | programs that come as packages of the system |
//! | [`minilm`] | the real checkpoint the tests open |
//! | [`steps`] | running a list of checks and summing them up |
//! | [`preset`] | remaking a shipped preset from its full checkpoint |

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

pub mod browsers;
pub mod lessons;
pub mod minilm;
pub mod npm;
pub mod offline;
pub mod packages;
pub mod parts;
pub mod policy;
pub mod preset;
pub mod python;
pub mod server;
pub mod site;
pub mod sizes;
pub mod steps;
pub mod tools;

/// What every command returns: an error is a sentence for the terminal.
pub type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// The repository's root folder.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask lies in the repository")
}

/// Where tools and test files are kept between runs and between clones.
pub fn cache() -> PathBuf {
    let base = std::env::var_os("XDG_CACHE_HOME")
        .filter(|path| !path.is_empty())
        .map(PathBuf::from);
    let base = base.or_else(|| std::env::home_dir().map(|home| home.join(".cache")));
    base.unwrap_or_else(std::env::temp_dir).join("diagonal")
}

/// Is this a machine nobody looks at? Then nothing may be skipped.
pub fn ci() -> bool {
    std::env::var("CI").is_ok_and(|value| value == "true" || value == "1")
}

/// The cargo that runs this, so that a pinned toolchain stays pinned in what it starts.
pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs a command to its end; an exit status other than 0 is an error that names it.
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
