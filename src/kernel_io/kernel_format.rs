//! The formats in which kernels are taken home.

use super::{KernelFile, MODULE, to_csv, to_json, to_safetensors};

/// A format of files with kernels.
#[derive(Debug, Clone, Copy)]
pub struct KernelFormat {
    /// What the page calls it.
    pub title: &'static str,
    /// The file's name, or the end of it where it begins with the model's.
    pub file: &'static str,
    /// Its media type.
    pub media_type: &'static str,
    write: Write,
}

/// Writes kernels, with a prefix for the names of tensors.
type Write = fn(&KernelFile, &str) -> Result<Vec<u8>, String>;

/// Every format; the last is the module that loads the third.
pub const KERNEL_FORMATS: [KernelFormat; 4] = [
    KernelFormat {
        title: "JSON",
        file: "kernels.json",
        media_type: "application/json",
        write: |file, _| to_json(file).map(String::into_bytes),
    },
    KernelFormat {
        title: "CSV",
        file: "kernels.csv",
        media_type: "text/csv",
        write: |file, _| to_csv(&file.set).map(String::into_bytes),
    },
    KernelFormat {
        title: "safetensors",
        file: "kernels.safetensors",
        media_type: "application/octet-stream",
        write: to_safetensors,
    },
    KernelFormat {
        title: "PyTorch module",
        file: "tisa_kernels.py",
        media_type: "text/x-python",
        write: |_, _| Ok(MODULE.as_bytes().to_vec()),
    },
];

impl KernelFormat {
    /// The file's bytes; names of tensors begin with `prefix`.
    ///
    /// # Errors
    /// Why the kernels cannot be written in this format, without a full stop.
    pub fn write(&self, file: &KernelFile, prefix: &str) -> Result<Vec<u8>, String> {
        (self.write)(file, prefix)
    }

    /// The file's name for kernels of a model, which may be called after a path or an address; the module is the
    /// same for all.
    #[must_use]
    pub fn file_name(&self, model: &str) -> String {
        if model.is_empty() || self.file.ends_with(".py") {
            return self.file.to_owned();
        }
        let plain = |c: char| {
            if c.is_alphanumeric() || "-_.".contains(c) {
                c
            } else {
                '-'
            }
        };
        let model: String = model.chars().map(plain).collect();
        format!("{model}-{}", self.file)
    }
}
