//! Broken files of many kinds.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use xtask::Result;

/// The name of a BERT checkpoint's position table.
pub(crate) const TABLE: &str = "embeddings.position_embeddings.weight";

/// A folder of broken files; removed on drop.
#[derive(Debug)]
pub struct BadFiles {
    folder: PathBuf,
    /// Each file, with a description of its fault.
    pub files: Vec<(&'static str, PathBuf)>,
}

impl BadFiles {
    /// Writes the files. `name` keeps folders of concurrent tests apart.
    pub fn write(name: &str) -> Result<Self> {
        let folder =
            std::env::temp_dir().join(format!("diagonal-bad-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder)?;
        let mut all = Self {
            folder,
            files: Vec::new(),
        };

        all.add("empty", "model.safetensors", &[])?;
        all.add(
            "shorter than a header's length",
            "model.safetensors",
            &[1, 2, 3],
        )?;
        let good = table(16, 4);
        all.add("truncated", "model.safetensors", &good[..good.len() / 2])?;
        all.add(
            "a header longer than the file",
            "model.safetensors",
            &[&u64::to_le_bytes(1 << 20)[..], b"{}"].concat(),
        )?;
        all.add(
            "a header of absurd length",
            "model.safetensors",
            &[&u64::MAX.to_le_bytes()[..], b"{}"].concat(),
        )?;
        all.add(
            "a header that is no JSON",
            "model.safetensors",
            &with_header("[1, 2", 0),
        )?;
        all.add(
            "a zip file",
            "model.zip",
            b"PK\x03\x04\x14\0\0\0\0\0not really",
        )?;
        all.add(
            "a web page",
            "model.safetensors",
            b"<!doctype html><html><title>404</title></html>",
        )?;
        let tensor = |shape: Value, offsets: Value| json!({ "dtype": "F32", "shape": shape, "data_offsets": offsets });
        let overlapping = json!({ TABLE: tensor(json!([4, 4]), json!([0, 64])), "other": tensor(json!([4, 4]), json!([32, 96])) });
        all.add(
            "overlapping tensors",
            "model.safetensors",
            &with_header(&overlapping.to_string(), 96),
        )?;
        let outside = json!({ TABLE: tensor(json!([4, 4]), json!([64, 128])) });
        all.add(
            "a tensor outside the file",
            "model.safetensors",
            &with_header(&outside.to_string(), 64),
        )?;
        let overflow = json!({ TABLE: tensor(json!([u64::MAX, u64::MAX]), json!([0, 64])) });
        all.add(
            "a shape that overflows",
            "model.safetensors",
            &with_header(&overflow.to_string(), 64),
        )?;
        let integers =
            json!({ TABLE: { "dtype": "I64", "shape": [4, 2], "data_offsets": [0, 64] } });
        all.add(
            "a table of integers",
            "model.safetensors",
            &with_header(&integers.to_string(), 64),
        )?;
        let mut broken = table(16, 4);
        let end = broken.len();
        broken[end - 4..].copy_from_slice(&f32::NAN.to_le_bytes());
        all.add("a NaN in the table", "model.safetensors", &broken)?;
        all.add("a table of one row", "model.safetensors", &table(1, 8))?;
        all.add("a table of width 0", "model.safetensors", &table(16, 0))?;
        Ok(all)
    }

    fn add(&mut self, what: &'static str, name: &str, bytes: &[u8]) -> Result {
        // One folder per file: the page shows names, which should look like real ones.
        let folder = self.folder.join(self.files.len().to_string());
        fs::create_dir_all(&folder)?;
        let path = folder.join(name);
        fs::write(&path, bytes)?;
        self.files.push((what, path));
        Ok(())
    }

    /// A valid file with a table of 100,000 rows: too many to draw cell by cell.
    pub fn very_long_table(&self) -> Result<PathBuf> {
        let path = self.folder.join("long.safetensors");
        fs::write(&path, table(100_000, 4))?;
        Ok(path)
    }

    /// A valid file whose names are markup.
    pub fn hostile_names(&self) -> Result<PathBuf> {
        let path = self.folder.join("<img src=x onerror=alert(1)>.safetensors");
        let name = "<img src=x onerror=\"document.title='owned'\">";
        let header = json!({ name: { "dtype": "F32", "shape": [4, 4], "data_offsets": [0, 64] } });
        fs::write(&path, with_header(&header.to_string(), 64))?;
        Ok(path)
    }
}

impl Drop for BadFiles {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// A file with a position table of waves.
fn table(rows: usize, width: usize) -> Vec<u8> {
    let bytes = rows * width * 4;
    let header =
        json!({ TABLE: { "dtype": "F32", "shape": [rows, width], "data_offsets": [0, bytes] } });
    let mut file = with_header(&header.to_string(), 0);
    #[allow(clippy::cast_precision_loss, reason = "small numbers")]
    file.extend((0..rows * width).flat_map(|i| ((i as f32) * 0.1).sin().to_le_bytes()));
    file
}

fn with_header(header: &str, data: usize) -> Vec<u8> {
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.as_bytes());
    file.resize(file.len() + data, 0);
    file
}

/// Whether the text is a sentence a person can act on: at least four words, and no debug output.
pub fn is_sentence(text: &str) -> bool {
    text.split_whitespace().count() >= 4
        && !["undefined", "panicked", "Err(", "NaN NaN"]
            .iter()
            .any(|word| text.contains(word))
}

/// The name of a file.
pub fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}
