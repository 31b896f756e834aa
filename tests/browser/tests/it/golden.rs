//! The reference's numbers for all-MiniLM-L6-v2, and tolerances.

use std::fs;

use browser::Result;
use serde_json::Value;

/// Tolerance of R².
pub(crate) const R2: f64 = 1e-4;
/// Tolerance of profiles, as a share of their range.
pub(crate) const PROFILE: f64 = 1e-4;

/// Reads the golden numbers.
pub(crate) fn minilm() -> Result<Value> {
    let path = xtask::root().join("tests/data/minilm-l6.golden.json");
    Ok(serde_json::from_str(&fs::read_to_string(path)?)?)
}

/// Fails unless two numbers are within a tolerance.
pub(crate) fn near(what: &str, found: f64, expected: f64, tolerance: f64) -> Result {
    if (found - expected).abs() <= tolerance {
        return Ok(());
    }
    Err(format!("{what} is {found}, not {expected} ± {tolerance}").into())
}

/// A list of numbers in the golden file.
pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_f64)
        .collect()
}
