//! TISA: no table, but a few Gaussian kernels of the offset, added to the scores of every head.
//!
//! ```text
//! score(i, j) = q_i·k_j / √d_k + g(i − j − 1)      g(r) = Σ_s a_s·exp(−|b_s|(o_s − r)²)
//! ```
//!
//! The authors' module stores o, a and b as `kernel_offsets`, `kernel_amplitudes` and `kernel_sharpness`, each [S, H];
//! an older version calls the last `kernel_widths`. Wennberg & Henter, The Case for Translation-Invariant
//! Self-Attention in Transformer-Based Language Models, ACL 2021; `model/tisa.py` of ulmewennberg/tisa. The authors
//! published no model that would determine the prefix of the names, so any prefix is accepted.

use super::{Detection, DetectionInput, Family, KernelTensors, PositionTensors, SourceDescription};

#[derive(Clone, Copy, Debug)]
pub(super) struct Tisa;

const OFFSETS: &str = "kernel_offsets";
const AMPLITUDES: &str = "kernel_amplitudes";
const SHARPNESS: &str = "kernel_sharpness";
const WIDTHS: &str = "kernel_widths";

impl Family for Tisa {
    fn name(&self) -> &'static str {
        "TISA"
    }

    fn about(&self) -> &'static str {
        "A few Gaussian kernels of the distance, added to the scores."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Detection> {
        let names = clues.names;
        // One of the three suffices; the others are then required by name.
        let prefix = |name: &&'_ str| {
            [OFFSETS, AMPLITUDES, SHARPNESS].iter().find_map(|end| {
                let prefix = name.strip_suffix(end)?;
                let apart = prefix.is_empty() || prefix.ends_with(['.', '/', '_']);
                apart.then(|| prefix.to_owned())
            })
        };
        let mut prefixes: Vec<String> = names.iter().filter_map(|name| prefix(&name)).collect();
        // By layer number, since alphabetically layer 10 comes before layer 2.
        prefixes.sort_by_cached_key(|prefix| (number(prefix), prefix.clone()));
        prefixes.dedup();
        if prefixes.is_empty() {
            return None;
        }
        let layers: Vec<KernelTensors> = prefixes
            .iter()
            .map(|prefix| {
                let name = |end: &str| {
                    let name = format!("{prefix}{end}");
                    names.in_file(&name).map_or(name.clone(), str::to_owned)
                };
                let has = |name: &str| names.is_in_file(name);
                let older = has(&name(WIDTHS)) && !has(&name(SHARPNESS));
                KernelTensors {
                    offsets: name(OFFSETS),
                    amplitudes: name(AMPLITUDES),
                    sharpness: name(if older { WIDTHS } else { SHARPNESS }),
                }
            })
            .collect();
        let counted = (0..)
            .zip(&prefixes)
            .all(|(at, prefix)| number(prefix) == at);
        let place = PositionTensors::Kernels { layers };
        let mut source = SourceDescription::new(clues.config(), "positions", "relative positions", place)
            .remark(
                "Convention",
                "The authors’ module evaluates f(i − j − 1), and tensors under its names are read so. Here k = \
                 j − i: a centre is c = −(offset + 1), and the same way back.",
            );
        if !counted {
            let first = &prefixes[..prefixes.len().min(3)];
            let text = format!("Layers are counted as they come: {} …", first.join(", "));
            source = source.remark("Layers", text);
        }
        Detection::by_names("TISA", vec![source])
    }
}

/// The layer number: the first part of the prefix that is a number, or 0 if there is none.
fn number(prefix: &str) -> u64 {
    let parts = prefix.split(['.', '/', '_']);
    let mut numbers = parts.filter_map(|part| part.parse().ok());
    numbers.next().unwrap_or(0)
}
