//! Tests of `math`.

pub(crate) mod attention_profiles;
mod attention_r2;
pub(crate) mod autocorrelation;
mod box_heads;
pub(crate) mod chance;
pub(crate) mod closed_form;
pub(crate) mod dense_fit;
pub(crate) mod grids;
mod head_factors;
pub(crate) mod head_rotation;
pub(crate) mod head_waves;
pub(crate) mod images;
pub(crate) mod kernel_fit;
pub(crate) mod laws;
mod lipschitz_cone;
pub(crate) mod odd_tables;
pub(crate) mod position_budget;
pub(crate) mod profiles;
mod random_groups;
mod random_heads;
pub(crate) mod scores;
pub(crate) mod seam;
mod sink_shares;
pub(crate) mod table_waves;
pub(crate) mod undo;
pub(crate) mod untrained_tail;
