//! Drives the page in real browsers, for the tests, the benchmarks and the screenshots.
//!
//! | module | contents |
//! |---|---|
//! | [`driver`] | a browser and its WebDriver: start and end |
//! | [`session`] | operations of a browser: click, type, drag, open files, read |
//! | [`probe`] | records errors, copied links and saved files of the page |
//! | [`page`] | operations of the page: views, figures, models, downloads |
//! | [`seen`] | the visible state, to compare two pages |
//! | [`table`] | a downloaded CSV file |
//! | [`bad_files`] | broken files of many kinds |
//! | [`made`] | tables and checkpoints that tests create |
//! | [`hub`] | a server that behaves like the Hugging Face Hub, or misbehaves |
//! | [`memory`] | memory of the page's process |
//! | [`processes`] | processes of a browser, to watch or to end |
//! | [`processor_load`] | threads that keep every core busy |
//! | [`first_visit`] | benchmark: a first visit over slow 4G |
//! | [`fit_race`] | benchmark: fits against scipy's |
//! | [`recorder`] | measures the time from an event to the frame with the answer |
//! | [`peers`] | benchmark: the page against other libraries |
//! | [`race_module`] | the WebAssembly module of benchmark races, compiled and served beside the page |
//! | [`wave_race`] | benchmark: waves of tables and heads against NumPy |
//! | [`toeplitz_race`] | benchmark: Toeplitz R² from the factors against forming P, in WebAssembly |
//! | [`trainer_probe`] | talks to the program that trains, as the page does |
//! | [`head_times`] | benchmark: words in heads, R² that softmax sees, and a layer as a convolution |
//! | [`rotary_times`] | benchmark: heads and wavelengths of rotary models from weights, beside NumPy |
//! | [`training_times`] | benchmark: runs that train in the page |
//! | [`shipped_runs`] | trains the runs that ship with the page, and compares them |
//! | [`suite`] | scenarios as tests: each in every engine, in shared browsers |

pub mod bad_files;
pub mod barriers;
pub mod driver;
pub mod first_visit;
pub mod fit_race;
pub mod head_times;
pub mod hub;
pub mod memory;
pub mod page;
pub mod peers;
pub mod probe;
pub mod processes;
pub mod processor_load;
pub mod race_module;
pub mod recorder;
pub mod rotary_times;
pub mod session;
pub mod shipped_runs;
pub mod suite;
pub mod table;
pub mod test_files;
pub mod text_times;
pub mod toeplitz_race;
pub mod trainer_probe;
pub mod training_times;
pub mod visible_state;
pub mod wave_race;
pub mod worker_changes;

pub use page::Page;
pub use session::Session;
pub use xtask::Result;
pub use xtask::browsers::Engine;

/// The views that show figures of any model: all [`VIEWS`](diagonal::url_state::VIEWS) except the list of lessons, and
/// the view whose figures follow a run over a text.
pub fn views_with_figures()
-> impl Iterator<Item = &'static (diagonal::url_state::View, &'static str, &'static str)> {
    (diagonal::url_state::VIEWS.iter())
        .filter(|(view, ..)| view.has_figures() && *view != diagonal::url_state::View::Text)
}
