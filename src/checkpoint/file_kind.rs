//! Kinds of file that are recognised, and advice for those that cannot be opened.

/// Kind of a file, judged from its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileKind {
    /// A safetensors checkpoint, whole or not.
    Safetensors,
    /// A checkpoint that `PyTorch` saved: a zip archive around a pickle.
    PyTorch,
    /// A bare pickle: what `PyTorch` saved before version 1.6, or anything else.
    Pickle,
    /// An array that `NumPy` saved.
    Npy,
    /// Several arrays that `NumPy` saved: a zip archive.
    Npz,
    /// Any other zip archive.
    Zip,
    /// A gzip-compressed file.
    Gzip,
    /// A GGUF checkpoint of llama.cpp.
    Gguf,
    /// An HDF5 file, as Keras writes.
    Hdf5,
    /// TISA kernels, as JSON or CSV.
    Kernels,
    /// JSON: a configuration or the index of a sharded checkpoint.
    Json,
    /// A web page, which is what a download link often gives instead of the file.
    Html,
    /// A Git LFS pointer: three lines in place of the file.
    GitLfsPointer,
    /// An empty file.
    Empty,
    /// An unrecognised format.
    Unknown,
}

impl FileKind {
    /// Whether such a file may be a checkpoint or a part of one. Its parser decides.
    pub(super) fn may_hold_tensors(self) -> bool {
        matches!(
            self,
            Self::Safetensors
                | Self::PyTorch
                | Self::Pickle
                | Self::Npy
                | Self::Npz
                | Self::Zip
                | Self::Gguf
                | Self::Kernels
        )
    }

    /// One or two sentences for a file that cannot be opened: what this is and what to open instead.
    pub fn advice(self) -> &'static str {
        match self {
            Self::Safetensors => "This is a safetensors file.",
            Self::PyTorch => "This is a PyTorch checkpoint.",
            Self::Npy => "This is a NumPy array.",
            Self::Npz => "This is an archive of NumPy arrays.",
            Self::Gguf => "This is a GGUF checkpoint.",
            Self::Pickle => {
                "This is a Python pickle, but not one that torch.save wrote. It could run code, so it is not \
                 read here. Save its content with torch.save, numpy.save or safetensors."
            }
            Self::Zip => {
                "This is a zip archive without tensors in it. If a checkpoint is packed in it, unpack it and \
                 open that."
            }
            Self::Gzip => "This is compressed by gzip. Unpack it and open its content.",
            Self::Hdf5 => {
                "This is an HDF5 file, as Keras writes; it is not read here. Open the model.safetensors or \
                 pytorch_model.bin of the same model."
            }
            Self::Kernels => "These are TISA kernels.",
            Self::Json => {
                "This is JSON, not weights. A config.json or an index helps when it is opened together with \
                 the files of its model."
            }
            Self::Html => {
                "This is a web page, not a checkpoint: the link led to a page about the file. Use the \
                 link that downloads the file itself."
            }
            Self::GitLfsPointer => {
                "This is a Git LFS pointer to the checkpoint, not the checkpoint. Fetch the file itself with \
                 “git lfs pull”, or download it from the model's page."
            }
            Self::Empty => "This file is empty. Download or save it again.",
            Self::Unknown => {
                "This file’s format is not recognised. Open a checkpoint: safetensors, PyTorch (.bin, .pt), \
                 NumPy (.npy, .npz) or GGUF; or TISA kernels as JSON or CSV."
            }
        }
    }
}
