//! Drives the page in real browsers, as a person would: for the tests, the benchmarks and the
//! screenshots.
//!
//! | module | its job |
//! |---|---|
//! | [`driver`] | a browser and its WebDriver, started and ended |
//! | [`session`] | what one can do in a browser: click, type, drag, open files, look |
//! | [`probe`] | what the page does unseen: errors, and files it hands to the visitor |
//! | [`page`] | the same in Diagonal's words: views, figures, models, downloads |
//! | [`seen`] | what is seen, to compare two pages |
//! | [`table`] | a downloaded CSV file |
//! | [`bad_files`] | files that are broken in every way we could think of |
//! | [`made`] | tables and checkpoints that tests make for themselves |
//! | [`hub`] | a server that behaves like the Hugging Face Hub, or misbehaves |
//! | [`memory`] | what the page takes of the machine |
//! | [`processes`] | the processes of a browser, to watch or to end |
//! | [`fit_race`] | fits against scipy's: a benchmark |
//! | [`recorder`] | how long the page takes from an event to the frame with the answer |
//! | [`peers`] | what the page computes beside other libraries: a benchmark |
//! | [`race_module`] | the module of what benchmarks race, compiled and served beside the page |
//! | [`wave_race`] | waves of tables and heads beside NumPy: a benchmark |
//! | [`toeplitz_race`] | Toeplitz R² against forming P, in WebAssembly: a benchmark |
//! | [`suite`] | scenarios as tests: each in every engine, in browsers that they share |

pub mod bad_files;
pub mod barriers;
pub mod driver;
pub mod fit_race;
pub mod hub;
pub mod made;
pub mod memory;
pub mod page;
pub mod peers;
pub mod probe;
pub mod processes;
pub mod race_module;
pub mod recorder;
pub mod seen;
pub mod session;
pub mod suite;
pub mod table;
pub mod tampered;
pub mod toeplitz_race;
pub mod wave_race;

pub use page::Page;
pub use session::Session;
pub use xtask::Result;
pub use xtask::browsers::Engine;

/// The views that show figures, as [`VIEWS`](diagonal::url_state::VIEWS) lists them: all but the list of lessons.
pub fn views_with_figures()
-> impl Iterator<Item = &'static (diagonal::url_state::View, &'static str, &'static str)> {
    let has_figures = |view| {
        let mut figures = diagonal::url_state::FIGURES.iter();
        figures.any(|figure| figure.views.contains(&view))
    };
    (diagonal::url_state::VIEWS.iter()).filter(move |(view, ..)| has_figures(*view))
}
