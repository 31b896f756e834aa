//! Figures of waves: spectra, components and densities of tables; queries and keys of heads.

mod cluster_grid;
mod component_space;
mod head_figures;
mod table_figures;
mod wave_stack;

pub use cluster_grid::ClusterGrid;
pub use component_space::ComponentSpace;
pub use head_figures::{
    RotationWords, cluster_traces, head_correlations, head_covariance, layer_spectrum, rotation,
    rotation_words,
};
pub use table_figures::{
    column_spectra, columns, component_path, component_shares, component_waves, control_words,
    density, sinusoid_test, spectrum, spectrum_columns, value_histogram,
};
pub use wave_stack::WaveStack;
