//! File formats in which kernels are exported.

use super::{KernelFile, MODULE, to_csv, to_json, to_safetensors};

/// An export format for kernels.
#[derive(Debug, Clone, Copy)]
pub struct KernelFormat {
    /// Name of the format on the page.
    pub title: &'static str,
    /// File name, or its end if it is prefixed with the model's name.
    pub file: &'static str,
    /// Media type.
    pub media_type: &'static str,
    write: Write,
}

/// Writes kernels; the second argument is the prefix of tensor names.
type Write = fn(&KernelFile, &str) -> Result<Vec<u8>, String>;

/// All formats. The last one is the PyTorch module that loads the third.
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
    /// Returns the file's bytes. Tensor names begin with `prefix`.
    ///
    /// # Errors
    /// The reason why the kernels cannot be written in this format, without a full stop.
    pub fn write(&self, file: &KernelFile, prefix: &str) -> Result<Vec<u8>, String> {
        (self.write)(file, prefix)
    }

    /// File name for the kernels of a model. Replaces characters of paths and URLs in the model's name. The module has
    /// the same name for all models.
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
