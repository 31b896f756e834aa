//! Figures of waves: spectra, components and densities of tables, queries and keys of heads.

mod cluster_grid;
mod component_space;
mod of_heads;
mod of_table;
mod value_map;
mod wave_stack;

pub use cluster_grid::ClusterGrid;
pub use component_space::ComponentSpace;
pub use of_heads::{
    RotationWords, cluster_traces, head_correlations, head_covariance, layer_spectrum, rotation,
    rotation_words,
};
pub use of_table::{
    column_spectra, columns, component_path, component_shares, component_waves, control_words,
    density, sinusoid_test, spectrum, spectrum_columns, value_histogram,
};
pub use value_map::{Scaled, ValueMap};
pub use wave_stack::WaveStack;
