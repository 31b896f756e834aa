//! Kernels as JSON.
//!
//! ```json
//! {
//!   "format": "diagonal-kernels",
//!   "version": 1,
//!   "convention": "f(k) = Σ a·exp(−|b|(k − c)²), k = key − query",
//!   "counting": "layers and heads from 1",
//!   "model": "minilm-l6",
//!   "mode": "paper",
//!   "layers": [
//!     { "layer": 1, "head_count": 12, "heads": [
//!       { "head": 3, "intercept": -0.5, "kernels": [ { "a": 2.6, "b": 0.25, "c": -1 } ] }
//!     ] }
//!   ]
//! }
//! ```
//!
//! `model`, `mode`, `head_count` and `intercept` are optional; unknown fields are ignored. Versions other than 1 are
//! rejected.

use super::kernel_file::{KernelFile, slot};
use crate::encoding::{HeadKernels, Kernel, KernelSet, Kernels, LayerKernels, MOST_KERNELS};
use serde::Serialize;
use serde_json::Value;

/// Value of the field `format`, which identifies the file.
pub const FORMAT: &str = "diagonal-kernels";
const VERSION: u64 = 1;
const CONVENTION: &str = "f(k) = Σ a·exp(−|b|(k − c)²), k = key − query";
const COUNTING_WORDS: &str = "layers and heads from 1";

#[derive(Serialize)]
struct JsonFile<'a> {
    format: &'static str,
    version: u64,
    convention: &'static str,
    counting: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    model: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    mode: &'a str,
    layers: Vec<JsonLayer>,
}

#[derive(Serialize)]
struct JsonLayer {
    layer: usize,
    head_count: usize,
    heads: Vec<JsonHead>,
}

#[derive(Serialize)]
struct JsonHead {
    head: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    intercept: Option<f64>,
    kernels: Vec<JsonKernel>,
}

#[derive(Serialize)]
struct JsonKernel {
    a: f64,
    b: f64,
    c: f64,
}

fn head((at, head): (usize, &Option<HeadKernels>)) -> Option<JsonHead> {
    let head = head.as_ref()?;
    let bell = |&Kernel { a, b, c, .. }: &Kernel| JsonKernel { a, b, c };
    Some(JsonHead {
        head: at + 1,
        intercept: head.intercept,
        kernels: head.kernels.0.iter().map(bell).collect(),
    })
}

fn layer(layer: &LayerKernels) -> JsonLayer {
    JsonLayer {
        layer: layer.layer + 1,
        head_count: layer.heads.len(),
        heads: layer.heads.iter().enumerate().filter_map(head).collect(),
    }
}

/// Writes the kernels that are not muted.
///
/// # Errors
/// If the set is invalid, see [`KernelSet::check`].
pub fn to_json(file: &KernelFile) -> Result<String, String> {
    file.set.check()?;
    let set = file.set.clone().audible();
    let text = serde_json::to_string_pretty(&JsonFile {
        format: FORMAT,
        version: VERSION,
        convention: CONVENTION,
        counting: COUNTING_WORDS,
        model: &file.model,
        mode: &file.mode,
        layers: set.layers.iter().map(layer).collect(),
    });
    text.map(|text| text + "\n")
        .map_err(|error| error.to_string())
}

/// Parses the output of [`to_json`], possibly edited.
///
/// # Errors
/// A clause that states the problem and its place.
pub fn from_json(text: &str) -> Result<KernelFile, String> {
    let text = text.trim_start_matches('\u{feff}');
    let file: Value =
        serde_json::from_str(text).map_err(|error| format!("it is not JSON: {error}"))?;
    if file["format"] != FORMAT {
        return Err(format!("its format is not “{FORMAT}”"));
    }
    match file["version"].as_u64() {
        Some(VERSION) => {}
        Some(version) => {
            return Err(format!(
                "it is of version {version}, and this page reads version {VERSION}"
            ));
        }
        None => return Err("it states no version".to_owned()),
    }
    let mut set = KernelSet::default();
    for layer in field_list(&file, "layers", "the file")? {
        let number = whole(layer, "layer", "a layer")?;
        let place = format!("layer {number}");
        // Create the layer with all its heads even if it has no kernels.
        let heads = layer["head_count"].as_u64().unwrap_or(1).max(1);
        slot(&mut set, number, heads).map_err(|problem| format!("{place}: {problem}"))?;
        for head in field_list(layer, "heads", &place)? {
            let at = whole(head, "head", &place)?;
            let place = format!("{place}, head {at}");
            let slot = slot(&mut set, number, at);
            let slot = slot.map_err(|problem| format!("{place}: {problem}"))?;
            if slot.is_some() {
                return Err(format!("{place} is listed twice"));
            }
            let intercept = match &head["intercept"] {
                Value::Null => None,
                value => Some(
                    value
                        .as_f64()
                        .ok_or_else(|| format!("the intercept of {place} is not a number"))?,
                ),
            };
            let bells = field_list(head, "kernels", &place)?;
            if bells.len() > MOST_KERNELS {
                return Err(format!("{place} has more than {MOST_KERNELS} kernels"));
            }
            let mut kernels = Kernels::default();
            for bell in bells {
                let [a, b, c] = ["a", "b", "c"].map(|name| bell[name].as_f64());
                let (Some(a), Some(b), Some(c)) = (a, b, c) else {
                    let at = kernels.0.len() + 1;
                    return Err(format!("{place}, kernel {at} lacks a number a, b or c"));
                };
                kernels.0.push(Kernel::new(a, b, c));
            }
            *slot = Some(HeadKernels { kernels, intercept });
        }
    }
    set.check()?;
    let word = |name: &str| file[name].as_str().unwrap_or_default().to_owned();
    let (model, mode) = (word("model"), word("mode"));
    Ok(KernelFile { model, mode, set })
}

fn field_list<'a>(of: &'a Value, name: &str, place: &str) -> Result<&'a [Value], String> {
    let list = of[name].as_array();
    list.map(Vec::as_slice)
        .ok_or_else(|| format!("{place} has no list of {name}"))
}

fn whole(of: &Value, name: &str, place: &str) -> Result<u64, String> {
    of[name]
        .as_u64()
        .ok_or_else(|| format!("{place} states no number of its {name}"))
}
