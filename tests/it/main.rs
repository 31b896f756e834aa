//! Native tests.
mod checkpoints;
mod closed_form;
mod figures;
mod golden_minilm;
mod hostile;
mod laws;
mod layers;
mod link_history;
mod model_golden;
mod model_reading;
mod model_refusals;
mod models;
mod oracles;
mod pictures;
mod protocol;
mod scales;
mod tile_oracles;
