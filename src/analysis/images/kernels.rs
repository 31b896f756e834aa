//! Named image kernels, and kernels as text.
//!
//! A kernel is written row by row: numbers are separated by spaces or commas, rows by semicolons or line breaks. A
//! single such block applies to every channel. Several blocks, separated by `/` between spaces or by `|`, map channels
//! to channels: 3 blocks make one channel of red, green and blue, and 9 make three of three, ordered by output.

use crate::math::ConvolutionKernel;

/// Maximum number of taps per side of a kernel.
pub const LARGEST_KERNEL: usize = 9;
/// Largest absolute weight that can be written.
const GREATEST_WEIGHT: f64 = 1e6;

/// A kernel with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedKernel {
    /// Identifier in links.
    pub id: &'static str,
    /// Name on the page.
    pub title: &'static str,
    /// The kernel as text.
    pub text: &'static str,
}

/// All named kernels.
pub const IMAGE_KERNELS: &[NamedKernel] = &[
    named_kernel("identity", "Identity", "0 0 0; 0 1 0; 0 0 0"),
    named_kernel(
        "blur",
        "Blur",
        "1/16 2/16 1/16; 2/16 4/16 2/16; 1/16 2/16 1/16",
    ),
    named_kernel("sharpen", "Sharpen", "0 -1 0; -1 5 -1; 0 -1 0"),
    named_kernel("edges", "Edges", "-1 -1 -1; -1 8 -1; -1 -1 -1"),
    named_kernel("slope", "Slope to the right", "-1 0 1; -2 0 2; -1 0 1"),
    named_kernel("emboss", "Emboss", "-2 -1 0; -1 1 1; 0 1 2"),
    named_kernel(
        "ones",
        "5 × 5 ones",
        "1 1 1 1 1; 1 1 1 1 1; 1 1 1 1 1; 1 1 1 1 1; 1 1 1 1 1",
    ),
    named_kernel("patch", "2 × 2 mean", "1/4 1/4; 1/4 1/4"),
    named_kernel(
        "edges-of-grey",
        "Edges of brightness (3 to 1 channels)",
        "-0.299 -0.299 -0.299; -0.299 2.392 -0.299; -0.299 -0.299 -0.299 / \
         -0.587 -0.587 -0.587; -0.587 4.696 -0.587; -0.587 -0.587 -0.587 / \
         -0.114 -0.114 -0.114; -0.114 0.912 -0.114; -0.114 -0.114 -0.114",
    ),
    named_kernel(
        "fringes",
        "Colour fringes (3 to 3 channels)",
        "0 0 0 0 1 / 0 0 0 0 0 / 0 0 0 0 0 / 0 0 0 0 0 / 0 0 1 0 0 / 0 0 0 0 0 / 0 0 0 0 0 / 0 0 0 0 0 / 1 0 0 0 0",
    ),
    named_kernel("difference", "Difference (one row)", "-1 0 1"),
    named_kernel("mean", "Mean of five (one row)", "1/5 1/5 1/5 1/5 1/5"),
];

const fn named_kernel(id: &'static str, title: &'static str, text: &'static str) -> NamedKernel {
    NamedKernel { id, title, text }
}

/// Returns the kernel with this name, or parses its text.
///
/// # Errors
/// If the text is not a kernel; the message says which form is expected.
pub fn kernel_of(text: &str) -> Result<ConvolutionKernel, String> {
    let text = text.trim();
    let entry = IMAGE_KERNELS.iter().find(|kernel| kernel.id == text);
    let text = entry.map_or(text, |kernel| kernel.text);
    // A slash between spaces separates blocks; a slash inside a number makes a fraction.
    let text = text.replace(" / ", "|");
    let blocks: Vec<Vec<Vec<f64>>> = text.split('|').map(block).collect::<Result<_, _>>()?;
    let size = |block: &[Vec<f64>]| (block.len(), block[0].len());
    let (height, width) = size(&blocks[0]);
    if blocks.iter().any(|block| size(block) != (height, width)) {
        return Err("Blocks of one kernel must have the same size.".to_owned());
    }
    let channels = match blocks.len() {
        1 => (1, 1),
        3 => (3, 1),
        9 => (3, 3),
        other => {
            return Err(format!(
                "A kernel has 1 block for all channels, 3 for one of three, or 9 for three of three; this has {other}."
            ));
        }
    };
    let mut weights = Vec::with_capacity(height * width * blocks.len());
    for (row, column) in (0..height).flat_map(|row| (0..width).map(move |column| (row, column))) {
        for (from, to) in (0..channels.0).flat_map(|i| (0..channels.1).map(move |o| (i, o))) {
            weights.push(blocks[to * channels.0 + from][row][column]);
        }
    }
    Ok(ConvolutionKernel {
        size: (height, width),
        spacing: 1,
        channels,
        weights,
    })
}

fn block(text: &str) -> Result<Vec<Vec<f64>>, String> {
    let rows = text.split([';', '\n']).map(str::trim);
    let rows = rows.filter(|row| !row.is_empty());
    let rows: Vec<Vec<f64>> = rows
        .map(|row| {
            let numbers = row.split(|c: char| c == ',' || c.is_whitespace());
            let numbers = numbers.filter(|number| !number.is_empty());
            numbers.map(weight).collect()
        })
        .collect::<Result<_, String>>()?;
    let width = rows.first().map_or(0, Vec::len);
    if width == 0 {
        return Err("Write a kernel row by row, as in 0 −1 0; −1 5 −1; 0 −1 0.".to_owned());
    }
    if let Some(at) = rows.iter().position(|row| row.len() != width) {
        return Err(format!(
            "Row {} has {} numbers, the first has {width}.",
            at + 1,
            rows[at].len()
        ));
    }
    if rows.len() > LARGEST_KERNEL || width > LARGEST_KERNEL {
        return Err(format!(
            "A kernel may have {LARGEST_KERNEL} taps per side; this has {} × {width}.",
            rows.len()
        ));
    }
    Ok(rows)
}

fn weight(text: &str) -> Result<f64, String> {
    let number = |text: &str| text.replace('−', "-").parse::<f64>().ok();
    let value = match text.split_once('/') {
        Some((over, under)) => number(over).zip(number(under)).map(|(a, b)| a / b),
        None => number(text),
    };
    value
        .filter(|value| value.abs() <= GREATEST_WEIGHT)
        .ok_or_else(|| format!("“{text}” is not a number from −10⁶ to 10⁶."))
}

/// Kernel text for links, which parses to the same kernel: its name, or its numbers without spaces.
#[must_use]
pub fn kernel_text(text: &str) -> String {
    let text = text.trim();
    if IMAGE_KERNELS.iter().any(|kernel| kernel.id == text) {
        return text.to_owned();
    }
    let blocks = text.replace(" / ", "|").replace('−', "-");
    let blocks = blocks.split('|').map(|block| {
        let rows = block.split([';', '\n']).map(|row| {
            let numbers = row.split(|c: char| c == ',' || c.is_whitespace());
            let numbers: Vec<&str> = numbers.filter(|number| !number.is_empty()).collect();
            numbers.join(",")
        });
        let rows: Vec<String> = rows.filter(|row| !row.is_empty()).collect();
        rows.join(";")
    });
    blocks.collect::<Vec<_>>().join("|")
}
