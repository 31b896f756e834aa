//! The NumPy programs of figures: their parts, and the code that reads models. What the programs of all figures print is
//! compared with the page's files in browsers.

mod demonstrations;
mod head_groups;
mod model_code;
mod parts;
mod python_text;
mod rotary_heads;
mod runs;
mod whole_model;
