//! Native tests.
mod checkpoints;
mod hostile;
mod model_golden;
mod model_reading;
mod model_refusals;
mod models;
mod protocol;
