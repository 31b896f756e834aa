//! Figures of waves: spectra, components and densities of tables; queries and keys of heads.

mod cluster_grid;
mod cluster_traces;
mod columns;
mod component_space;
mod components;
mod density;
mod head_figures;
mod retarget;
mod retargeted_maps;
mod sinusoid_test;
mod spectra;
mod wave_stack;

pub use cluster_grid::ClusterGrid;
pub use cluster_traces::{cluster_traces, trace_words};
pub use columns::{column_spectra, columns};
pub use component_space::ComponentSpace;
pub use components::{component_path, component_shares, component_waves};
pub use density::{density, density_between, value_histogram};
pub use head_figures::{
    RotationWords, head_correlations, head_covariance, layer_spectrum, rotation, rotation_words,
};
pub use retarget::{retarget_head, retarget_words};
pub use retargeted_maps::retargeted_maps;
pub use sinusoid_test::sinusoid_test;
pub use spectra::{control_words, spectrum, spectrum_columns};
pub use wave_stack::wave_stack;

pub(super) use spectra::{last_frequency, peak_frequency};
