//! Fewer files for the code that several lazy parts share.
//!
//! The splitter writes a chunk for each combination of parts: 279 chunks for the page, and a view loads a hundred of
//! them, most smaller than their headers. Chunks are joined while what that saves outweighs what is then loaded in vain.
//! The splitter cannot be told to, and `wasm-bindgen` has not seen the chunks, so this works on the files that it wrote.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::{Result, module_join};

/// Bytes of code that a file of its own costs: its headers in the file and over the network, its compilation, and the
/// script that loads it. Measured for the page: with 2,000 bytes a view loads 18 to 30 chunks, with 8,000 it loads 8 to
/// 17, a fifth of whose code it does not need; with 32,000 it loads 3 to 7, half of it in vain.
const FILE_COST: usize = 8_000;

/// The beginning of the script that loads a chunk, after its number.
const DEFINITION: &str = " = makeLoad(";
/// The end of that script: the chunk depends on no other.
const DEFINITION_END: &str = ", []);\n";
/// The beginning of a chunk's name in the script.
const NAME: &str = "const __chunk_";

/// Chunks that become one file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ChunkGroup {
    /// Numbers of the chunks, of which the first names the file.
    numbers: Vec<u32>,
    /// Parts that need one of them, as bits.
    parts: u64,
    /// Bytes of the chunks' code and data.
    bytes: usize,
}

/// Joins chunks in the folder that the splitter wrote, and deletes the files that are left over. Returns the splitter's
/// script with the remaining chunks.
///
/// # Errors
/// If the script is not one of the splitter's, or the chunks cannot be joined.
pub fn join_in(folder: &Path, script: &str) -> Result<String> {
    let path = |number: u32| folder.join(format!("chunk_{number}.wasm"));
    let chunks = parse(script, |number| {
        module_join::own_bytes(&fs::read(path(number))?)
    })?;
    let groups = grouped(chunks, FILE_COST);
    for group in groups.iter().filter(|group| group.numbers.len() > 1) {
        let modules = group.numbers.iter().map(|&number| fs::read(path(number)));
        let modules = modules.collect::<std::io::Result<Vec<_>>>()?;
        let joined = module_join::join(modules.iter().map(Vec::as_slice))?;
        fs::write(path(group.numbers[0]), joined)?;
        for &number in &group.numbers[1..] {
            fs::remove_file(path(number))?;
        }
    }
    rewritten(script, &groups)
}

/// The chunks in the splitter's script, each of which begins with a comment that lists its parts.
fn parse(script: &str, size: impl Fn(u32) -> Result<usize>) -> Result<Vec<ChunkGroup>> {
    let mut parts: Vec<&str> = Vec::new();
    let mut chunks = Vec::new();
    let mut before = "";
    for line in script.lines() {
        if let Some((number, _)) = definition(line) {
            let listed = before
                .strip_prefix("/* ")
                .and_then(|b| b.strip_suffix(" */"));
            let listed = listed.ok_or_else(|| format!("chunk {number} lists no parts"))?;
            let mut bits = 0;
            for name in listed.split(", ") {
                let known = parts.iter().position(|part| *part == name);
                let bit = known.unwrap_or(parts.len());
                if bit == parts.len() {
                    parts.push(name);
                }
                bits |= 1_u64
                    .checked_shl(bit.try_into()?)
                    .ok_or("more than 64 parts")?;
            }
            chunks.push(ChunkGroup {
                numbers: vec![number],
                parts: bits,
                bytes: size(number)?,
            });
        }
        before = line;
    }
    Ok(chunks)
}

/// The number of the chunk that a line begins to define, and the rest of the line.
fn definition(line: &str) -> Option<(u32, &str)> {
    let (number, rest) = line.strip_prefix(NAME)?.split_once(DEFINITION)?;
    Some((number.parse().ok()?, rest))
}

/// Joins two groups at a time, those that save the most, until none saves anything.
fn grouped(mut groups: Vec<ChunkGroup>, file_cost: usize) -> Vec<ChunkGroup> {
    loop {
        let pairs = (0..groups.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
        let savings = pairs.filter_map(|(a, b)| {
            let saving = saving(&groups[a], &groups[b], file_cost)?;
            Some((saving, a, b))
        });
        // Of equal savings the first in the script, so that equal programs have equal files.
        let best = savings.max_by_key(|&(saving, a, b)| (saving, std::cmp::Reverse((a, b))));
        let Some((_, a, b)) = best else {
            return groups;
        };
        let later = groups.remove(a);
        let group = &mut groups[b];
        group.numbers.extend(later.numbers);
        group.parts |= later.parts;
        group.bytes += later.bytes;
    }
}

/// Bytes that the parts save in all if two groups are one file; `None` if they save nothing.
fn saving(a: &ChunkGroup, b: &ChunkGroup, file_cost: usize) -> Option<usize> {
    let count = |parts: u64| parts.count_ones() as usize;
    let in_vain = count(a.parts & !b.parts) * b.bytes + count(b.parts & !a.parts) * a.bytes;
    let saving = count(a.parts & b.parts) * file_cost;
    saving.checked_sub(in_vain).filter(|saving| *saving > 0)
}

/// The script with one definition for each group, and without repetitions among what a part depends on.
fn rewritten(script: &str, groups: &[ChunkGroup]) -> Result<String> {
    let first_of: BTreeMap<u32, u32> = groups
        .iter()
        .flat_map(|group| {
            group
                .numbers
                .iter()
                .map(|&number| (number, group.numbers[0]))
        })
        .collect();
    let mut text = String::new();
    for piece in script.split_inclusive(DEFINITION_END) {
        let start = piece.find(NAME).filter(|_| piece.ends_with(DEFINITION_END));
        let defined = start.and_then(|at| Some((at, definition(&piece[at..])?.0)));
        match defined {
            Some((at, number)) if first_of.get(&number) != Some(&number) => {
                // Without the comment that lists its parts.
                let comment = piece[..at]
                    .rfind("/* ")
                    .ok_or("a chunk without a comment")?;
                text += &piece[..comment];
            }
            _ => text += piece,
        }
    }
    let mut rest = text.as_str();
    let mut script = String::new();
    while let Some(at) = rest.find("[__chunk_") {
        let end = rest[at..]
            .find(']')
            .ok_or("a list of chunks without an end")?
            + at;
        let mut names: Vec<String> = Vec::new();
        for name in rest[at + 1..end].split(", ") {
            let number = name.trim_start_matches("__chunk_").parse()?;
            let first = first_of
                .get(&number)
                .ok_or_else(|| format!("{name} is not defined"))?;
            let name = format!("__chunk_{first}");
            if !names.contains(&name) {
                names.push(name);
            }
        }
        script += &format!("{}[{}", &rest[..at], names.join(", "));
        rest = &rest[end..];
    }
    Ok(script + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A script of the splitter, with chunks of these parts and the parts that load them.
    fn script(chunks: &[&str], parts: &[(&str, &str)]) -> String {
        let load = |file: &str| {
            format!("makeLoad(() => {{\n  const src = fetch(\"{file}\");\n  return src;\n}}\n, ")
        };
        let mut text = "function makeLoad(fetcher, deps) {}\n".to_owned();
        for (number, parts) in (3..).zip(chunks) {
            let load = load(&format!("chunk_{number}"));
            text += &format!("/* {parts} */\nconst __chunk_{number} = {load}[]);\n");
        }
        for (part, chunks) in parts {
            let load = load(&format!("split_{part}"));
            text += &format!("export const load_{part} = wrap({load}[{chunks}]));\n");
        }
        text
    }

    fn groups(chunks: &[&str], sizes: &[usize]) -> Vec<Vec<u32>> {
        let chunks = parse(
            &script(chunks, &[]),
            |number| Ok(sizes[number as usize - 3]),
        );
        let groups = grouped(chunks.expect("chunks"), 100);
        groups.into_iter().map(|group| group.numbers).collect()
    }

    #[test]
    fn chunks_are_joined_where_little_is_loaded_in_vain() {
        let alike = ["text, waves", "text, waves", "heads, text"];
        assert_eq!(groups(&alike, &[900, 900, 900]), [vec![3, 4], vec![5]]);
        // The views of waves and heads load 10 bytes more, and text saves a file.
        assert_eq!(groups(&alike, &[10, 10, 10]), [vec![3, 4, 5]]);
        assert_eq!(groups(&["heads", "text"], &[1, 1]), [vec![3], vec![4]]);
        assert!(groups(&[], &[]).is_empty());
    }

    #[test]
    fn joined_chunks_have_one_script_and_one_mention() -> Result {
        let all = "__chunk_3, __chunk_4, __chunk_5";
        let before = script(
            &["text, waves", "heads, text", "text, waves"],
            &[("text", all), ("waves", "__chunk_5"), ("none", "")],
        );
        let chunks = parse(&before, |_| Ok(200))?;
        let groups = grouped(chunks, 100);
        assert_eq!(groups.len(), 2);
        let after = rewritten(&before, &groups)?;
        let expected = script(
            &["text, waves", "heads, text"],
            &[
                ("text", "__chunk_3, __chunk_4"),
                ("waves", "__chunk_3"),
                ("none", ""),
            ],
        );
        assert_eq!(after, expected);
        // Nothing to join.
        let single: Vec<ChunkGroup> = parse(&expected, |_| Ok(1_000_000))?;
        assert_eq!(rewritten(&expected, &single)?, expected);
        Ok(())
    }

    #[test]
    fn other_scripts_are_refused() {
        let script = "const __chunk_3 = makeLoad(() => {}, []);\n";
        assert!(parse(script, |_| Ok(1)).is_err());
        assert!(rewritten("load([__chunk_7]);", &[]).is_err());
        assert!(rewritten("load([__chunk_7", &[]).is_err());
    }
}
