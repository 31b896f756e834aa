//! Kernels as CSV: a header, then one row per kernel.
//!
//! ```csv
//! layer,head,kernel,a,b,c,intercept
//! 1,3,1,2.6,0.25,-1,-0.5
//! 1,3,2,1.2,0.02,3,-0.5
//! ```
//!
//! Columns may come in any order, and `a`, `b` and `c` are required. Without `layer` or `head`, all kernels belong to
//! layer 1, head 1. `kernel` is ignored when reading. The intercept belongs to a head; the first one given counts.
//! Columns `a1`, `b1`, `c1`, `a2`, … hold several kernels per row. A row with empty a, b and c is a head without
//! kernels. Other columns are ignored.

use super::kernel_file::slot;
use crate::{
    csv_rows::CsvRows,
    encoding::{HeadKernels, Kernel, KernelSet, MOST_KERNELS},
};
use std::fmt::Write;

/// Column names that identify a table of kernels.
const NAMES: [&str; 9] = ["layer", "head", "kernel", "a", "b", "c", "a1", "b1", "c1"];

/// Writes the kernels that are not muted. Numbers are read back exactly.
///
/// # Errors
/// If the set is invalid, see [`KernelSet::check`].
pub fn to_csv(set: &KernelSet) -> Result<String, String> {
    set.check()?;
    let mut text = "layer,head,kernel,a,b,c,intercept\n".to_owned();
    for layer in &set.clone().audible().layers {
        for (at, head) in layer.heads.iter().enumerate() {
            let Some(HeadKernels { kernels, intercept }) = head else {
                continue;
            };
            let begin = format!("{},{},", layer.layer + 1, at + 1);
            let end = intercept.map_or_else(String::new, |intercept| intercept.to_string());
            // Writing to a String cannot fail.
            for (at, Kernel { a, b, c, .. }) in kernels.0.iter().enumerate() {
                let _ = writeln!(text, "{begin}{},{a},{b},{c},{end}", at + 1);
            }
            if kernels.0.is_empty() {
                let _ = writeln!(text, "{begin},,,,{end}");
            }
        }
    }
    Ok(text)
}

/// Whether a file that begins with these bytes is, or is meant to be, a table of kernels: two of its columns have known
/// names.
#[must_use]
pub fn looks_like_csv(first: &[u8]) -> bool {
    let end = first.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
    let line = std::str::from_utf8(&first[..end.unwrap_or(first.len())]);
    line.is_ok_and(|line| {
        let names = CsvRows::new(line).next().unwrap_or_default();
        let names = names.iter().map(|name| column_name(name));
        names.filter(|name| NAMES.contains(&name.as_str())).count() >= 2
    })
}

/// Parses a table of kernels.
///
/// # Errors
/// A clause that states the problem and its row; row 1 is the header.
pub fn from_csv(text: &str) -> Result<KernelSet, String> {
    let mut records = CsvRows::new(text);
    let names = records.next().unwrap_or_default();
    let names: Vec<String> = names.iter().map(|name| column_name(name)).collect();
    let column = |name: &str| names.iter().position(|other| other == name);
    let (layers, heads, intercepts) = (column("layer"), column("head"), column("intercept"));
    let mut triples = Vec::new();
    for number in 0..=MOST_KERNELS {
        let end = if number == 0 {
            String::new()
        } else {
            number.to_string()
        };
        let [a, b, c] = ["a", "b", "c"].map(|name| column(&format!("{name}{end}")));
        if let (Some(a), Some(b), Some(c)) = (a, b, c) {
            triples.push([a, b, c]);
        }
    }
    if triples.is_empty() {
        return Err(
            "its header lacks a column a, b or c; a table of kernels has the columns \
                    layer, head, kernel, a, b and c"
                .to_owned(),
        );
    }
    let mut set = KernelSet::default();
    for (row, record) in (2..).zip(records) {
        if record.iter().all(|field| field.trim().is_empty()) {
            continue;
        }
        let field = |at: usize| record.get(at).map_or("", |field| field.trim());
        let number = |at: usize| {
            let text = field(at).trim_start_matches('+');
            let number = text.parse::<f64>().ok().filter(|n| n.is_finite());
            number.ok_or_else(|| format!("row {row} has no number under {}", names[at]))
        };
        let whole = |at: Option<usize>| match at {
            None => Ok(1),
            Some(at) => match number(at)? {
                n if (1.0..=1e6).contains(&n) && n.fract() == 0.0 => Ok(n as u64),
                _ => Err(format!(
                    "row {row} has no whole number from 1 on under {}",
                    names[at]
                )),
            },
        };
        let slot = slot(&mut set, whole(layers)?, whole(heads)?);
        let head = slot.map_err(|problem| format!("row {row}: {problem}"))?;
        let head = head.get_or_insert_default();
        for triple in &triples {
            if triple.iter().all(|at| field(*at).is_empty()) {
                continue;
            }
            if head.kernels.0.len() == MOST_KERNELS {
                return Err(format!(
                    "row {row}: its head has more than {MOST_KERNELS} kernels"
                ));
            }
            let [a, b, c] = triple.map(number);
            head.kernels.0.push(Kernel::new(a?, b?, c?));
        }
        if let Some(at) = intercepts.filter(|at| !field(*at).is_empty()) {
            let value = number(at)?;
            head.intercept.get_or_insert(value);
        }
    }
    set.check()?;
    Ok(set)
}

fn column_name(field: &str) -> String {
    field.trim().to_ascii_lowercase()
}
