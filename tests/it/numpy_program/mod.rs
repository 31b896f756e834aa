//! The NumPy programs of figures: their parts, and the code that reads models. What the programs of all figures print is
//! compared with the page's files in browsers.

mod checkpoints;
mod demonstrations;
mod head_groups;
mod model_code;
mod opened;
mod own_image;
mod parts;
mod patches;
mod python_text;
mod query_statistics;
mod rotary_heads;
mod runs;
mod training_runs;
mod whole_model;
