//! Files that tests create: tables, and variants of the checkpoints in `tests/data`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use xtask::{Result, root};

use crate::bad_files::TABLE;

/// A temporary folder; removed on drop.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// Creates the folder; `name` must be unique in this process.
    pub fn new(name: &str) -> Result<Self> {
        let path = std::env::temp_dir().join(format!("diagonal-{}-{name}", std::process::id()));
        fs::create_dir_all(&path)?;
        Ok(Self(path))
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file into it.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf> {
        let path = self.0.join(name);
        fs::write(&path, bytes)?;
        Ok(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A position table as a safetensors file of a known family, so that it opens without a question.
pub fn table(rows: usize, width: usize, cell: impl Fn(usize, usize) -> f32) -> Vec<u8> {
    let bytes = 4 * rows * width;
    let header =
        json!({ TABLE: { "dtype": "F32", "shape": [rows, width], "data_offsets": [0, bytes] } });
    let header = header.to_string();
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.as_bytes());
    file.reserve(bytes);
    for row in 0..rows {
        file.extend((0..width).flat_map(|column| cell(row, column).to_le_bytes()));
    }
    file
}

/// A pseudo-random number between −1 and 1.
pub fn noise(row: usize, column: usize) -> f64 {
    let mixed = (row as u64 + 1)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add((column as u64 + 1).wrapping_mul(0xd1b5_4a32_d192_ed03));
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = mixed ^ (mixed >> 32);
    (mixed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// Toeplitz R² of a table's inner products, computed directly from the definition.
pub fn toeplitz_r2(rows: usize, width: usize, cell: impl Fn(usize, usize) -> f64) -> f64 {
    let table: Vec<Vec<f64>> = (0..rows)
        .map(|row| (0..width).map(|column| cell(row, column)).collect())
        .collect();
    let product =
        |i: usize, j: usize| -> f64 { table[i].iter().zip(&table[j]).map(|(a, b)| a * b).sum() };
    let mut sums = vec![(0.0, 0.0); 2 * rows - 1];
    let (mut total, mut squares) = (0.0, 0.0);
    for i in 0..rows {
        for j in 0..rows {
            let value = product(i, j);
            let (sum, cells) = &mut sums[rows - 1 + j - i];
            *sum += value;
            *cells += 1.0;
            total += value;
            squares += value * value;
        }
    }
    let of_mean = total * total / (rows * rows) as f64;
    let explained: f64 = sums.iter().map(|(sum, cells)| sum * sum / cells).sum();
    (explained - of_mean) / (squares - of_mean)
}

/// Folder of the checkpoint in seven shards.
const SHARDED: &str = "bert-sharded";

/// File name of a shard of the checkpoint in seven.
pub fn shard(number: usize) -> String {
    format!("model-{number:05}-of-00007.safetensors")
}

/// The files of a checkpoint in shards.
#[derive(Debug)]
pub struct Shards {
    folder: Folder,
    files: Vec<PathBuf>,
}

impl Shards {
    /// The checkpoint of `tests/data`, unchanged.
    pub fn original(name: &str) -> Result<Self> {
        Self::made(name, |bytes| Ok(bytes.to_vec()), |index| index)
    }

    /// A fine-tune of it: the same names, shapes and sizes, other numbers.
    pub fn fine_tuned(name: &str) -> Result<Self> {
        Self::made(name, fine_tuned, |index| index)
    }

    /// A fine-tune whose tensors have other names.
    pub fn renamed(name: &str) -> Result<Self> {
        Self::made(
            name,
            |bytes| renamed(&fine_tuned(bytes)?),
            |index| renamed_keys(index, "weight_map"),
        )
    }

    fn made(
        name: &str,
        shard: fn(&[u8]) -> Result<Vec<u8>>,
        index: fn(Value) -> Value,
    ) -> Result<Self> {
        let folder = Folder::new(name)?;
        let mut files = Vec::new();
        for entry in fs::read_dir(root().join("tests/data").join(SHARDED))? {
            let path = entry?.path();
            let name = crate::bad_files::file_name(&path);
            let bytes = fs::read(&path)?;
            let bytes = match name.as_str() {
                "golden.json" => continue,
                name if name.ends_with(".safetensors") => shard(&bytes)?,
                name if name.ends_with("index.json") => {
                    index(serde_json::from_slice(&bytes)?).to_string().into()
                }
                _ => bytes,
            };
            files.push(folder.write(&name, &bytes)?);
        }
        files.sort();
        Ok(Self { folder, files })
    }

    /// Path of a shard.
    pub fn shard(&self, number: usize) -> PathBuf {
        self.folder.0.join(shard(number))
    }

    /// Paths of all files except one shard.
    pub fn without(&self, number: usize) -> Vec<&Path> {
        let left = self.shard(number);
        let others = self.files.iter().filter(|file| **file != left);
        others.map(PathBuf::as_path).collect()
    }
}

/// Splits a safetensors file into its header and its numbers.
fn parts(file: &[u8]) -> Result<(Value, &[u8])> {
    let (length, rest) = file.split_at_checked(8).ok_or("no header")?;
    let length = u64::from_le_bytes(length.try_into()?) as usize;
    let (header, numbers) = rest.split_at_checked(length).ok_or("half a header")?;
    Ok((serde_json::from_slice(header)?, numbers))
}

/// Changes every number of a single-precision safetensors file slightly.
fn fine_tuned(file: &[u8]) -> Result<Vec<u8>> {
    let (_, numbers) = parts(file)?;
    let mut made = file[..file.len() - numbers.len()].to_vec();
    for (at, number) in numbers.chunks_exact(4).enumerate() {
        let before = f32::from_le_bytes(number.try_into()?);
        let after = before * (1.0 + 0.5 * noise(at, 7) as f32);
        made.extend(after.to_le_bytes());
    }
    Ok(made)
}

/// Renames the tensors of a safetensors file.
fn renamed(file: &[u8]) -> Result<Vec<u8>> {
    let (header, numbers) = parts(file)?;
    let header = json!({ "tensors": header });
    let header = renamed_keys(header, "tensors")["tensors"].to_string();
    let mut made = (header.len() as u64).to_le_bytes().to_vec();
    made.extend(header.as_bytes());
    made.extend(numbers);
    Ok(made)
}

/// Prefixes the names in an object's object, as in a model with a head on top.
fn renamed_keys(mut whole: Value, key: &str) -> Value {
    if let Some(tensors) = whole[key].as_object_mut() {
        let before = std::mem::take(tensors);
        let prefixed = |name: String| match name.starts_with("__") {
            true => name,
            false => format!("bert.{name}"),
        };
        tensors.extend(
            before
                .into_iter()
                .map(|(name, value)| (prefixed(name), value)),
        );
    }
    whole
}
