//! Figures of runs that are trained on the page, side by side or on common axes.
//!
//! All of them are functions of [`RunHistory`]. Curves go over steps; other figures show one step of every run. Steps
//! are on a logarithmic axis with step 0 at its left end, because snapshots are dense at first.

mod losses;
mod matrices;
mod r2_curves;
mod report_ranges;
mod report_rows;
mod run_heads;
mod run_history;
mod run_kernels;
mod run_lengths;
mod run_pairs;
mod run_spectra;
mod run_waves;
mod step_plot;

pub use losses::{curves_table, loss_curves};
pub use matrices::{RunMatrix, matrix_range, run_matrices, run_tables, table_range};
pub use r2_curves::r2_curves;
pub use report_ranges::ReportRanges;
pub use run_heads::{RunHeads, run_heads};
pub use run_history::RunHistory;
pub use run_kernels::{kernel_functions, kernel_paths, kernels_table};
pub use run_lengths::{length_gaps, length_losses};
pub use run_pairs::{pair_energies, pairs_table};
pub use run_spectra::run_spectra;
pub use run_waves::{WavePicture, run_waves};
