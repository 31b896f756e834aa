//! Kinds of file that are recognised, and advice for those that cannot be opened.

/// Kind of a file, judged from its first bytes, or from its name where its bytes tell nothing.
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
    /// A GGUF checkpoint of llama.cpp.
    Gguf,
    /// TISA kernels, as JSON or CSV.
    Kernels,
    /// JSON: a configuration or the index of a sharded checkpoint.
    Json,
    /// A model for ONNX Runtime.
    Onnx,
    /// A part of an ONNX model, by name, such as its numbers in a file of their own.
    OnnxPart,
    /// A part of a model for OpenVINO.
    OpenVino,
    /// A part of a `TensorFlow` checkpoint or of a `SavedModel`.
    TensorFlow,
    /// A log for `TensorBoard`, by name.
    EventLog,
    /// An HDF5 file, as Keras writes.
    Hdf5,
    /// A zip archive around an HDF5 file, as Keras 3 writes, by name.
    Keras,
    /// `MessagePack`, as Flax writes.
    MessagePack,
    /// A part of a folder that Orbax writes with tensorstore: OCDBT or Zarr.
    Orbax,
    /// A file of ggml in the formats before GGUF.
    Ggml,
    /// A part of a distributed checkpoint of `PyTorch`.
    DistributedCheckpoint,
    /// One process's part of the state of an optimiser, as `DeepSpeed` writes it, by name.
    ZeroShard,
    /// A model for PyTorch's interpreter on phones, as a flatbuffer.
    MobileModule,
    /// A program for PyTorch's `ExecuTorch`.
    ExecuTorch,
    /// A model for `TensorFlow` Lite.
    TfLite,
    /// A model for Apple's Core ML, by name.
    CoreMl,
    /// A table of data in Parquet or Arrow.
    DataTable,
    /// A file compressed by gzip.
    Gzip,
    /// A 7z, RAR or tar archive, or a file compressed by xz, Zstandard or bzip2.
    PackedFile,
    /// A PDF document.
    Pdf,
    /// A picture.
    Picture,
    /// Python source, by name.
    Python,
    /// Any other text.
    Text,
    /// XML that is neither a web page nor a model.
    Xml,
    /// A web page, which is what a download link often gives instead of the file.
    Html,
    /// A Git LFS pointer: three lines in place of the file.
    GitLfsPointer,
    /// An empty file.
    Empty,
    /// An unrecognised format.
    Unknown,
}

/// Ending of the advice for formats whose arrays can be saved from Python.
macro_rules! other_formats {
    ($beginning:literal) => {
        concat!(
            $beginning,
            " It is not read here. Open the model.safetensors or pytorch_model.bin of the same model, or save its \
             arrays with numpy.savez and open that."
        )
    };
}

/// Ending of the advice for formats that models are exported to.
macro_rules! exported_formats {
    ($beginning:literal) => {
        concat!(
            $beginning,
            " It is not read here. Open the safetensors or PyTorch file from which it was exported."
        )
    };
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

    /// Whether such a file lies beside many models and is none itself.
    pub(super) fn is_beside_models(self) -> bool {
        matches!(
            self,
            Self::Json
                | Self::Text
                | Self::Python
                | Self::Picture
                | Self::Pdf
                | Self::EventLog
                | Self::Unknown
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
            Self::Kernels => "These are TISA kernels.",
            Self::Json => {
                "This is JSON, not weights. A config.json or an index helps when it is opened together with \
                 the files of its model."
            }
            Self::Onnx => exported_formats!("This is an ONNX model, the graph of a computation."),
            Self::OnnxPart => exported_formats!(
                "By its name, this file belongs to an ONNX model, the graph of a computation."
            ),
            Self::OpenVino => exported_formats!(
                "This looks like a part of a model for OpenVINO: an .xml file describes the model, and its weights have no \
                 names in the .bin file."
            ),
            Self::TensorFlow => {
                other_formats!("This looks like a part of a TensorFlow checkpoint or SavedModel.")
            }
            Self::EventLog => {
                "By its name, this is a log for TensorBoard, which holds no weights. Open the checkpoint of the same \
                 training."
            }
            Self::Hdf5 => other_formats!("This is an HDF5 file, as Keras writes."),
            Self::Keras => other_formats!("By its name, this is a model of Keras."),
            Self::MessagePack => {
                other_formats!("This begins like MessagePack, in which Flax stores weights.")
            }
            Self::Orbax => other_formats!(
                "This looks like a part of a folder of arrays, as Orbax writes for JAX (OCDBT or Zarr)."
            ),
            Self::Ggml => {
                "This is a GGML file, from before GGUF. It is not read here. Convert the original model to GGUF with \
                 a current llama.cpp, or open the original model."
            }
            Self::DistributedCheckpoint => {
                "This looks like a part of a distributed checkpoint of PyTorch (.distcp and .metadata). It is not read here. \
                 Run “python -m torch.distributed.checkpoint.format_utils dcp_to_torch FOLDER model.pt” and open \
                 model.pt."
            }
            Self::ZeroShard => {
                "By its name, this is one process’s part of an optimizer’s state, as DeepSpeed ZeRO saves it. It is \
                 not read here. Run zero_to_fp32.py, which is in the folder of the checkpoint, and open the file that \
                 it writes."
            }
            Self::MobileModule => {
                exported_formats!("This is a PyTorch model for phones, as a flatbuffer.")
            }
            Self::ExecuTorch => exported_formats!("This is a program for PyTorch’s ExecuTorch."),
            Self::TfLite => exported_formats!("This is a model for TensorFlow Lite."),
            Self::CoreMl => {
                exported_formats!("By its name, this is a part of a model for Apple’s Core ML.")
            }
            Self::DataTable => {
                "This is a table of data in Parquet or Arrow, not a checkpoint. Open the weights of a model: \
                 safetensors, PyTorch, NumPy or GGUF."
            }
            Self::Gzip => "This is compressed by gzip. Unpack it and open its content.",
            Self::PackedFile => {
                "This is an archive or compressed (7z, RAR, tar, xz, Zstandard or bzip2). Unpack it and open its \
                 content."
            }
            Self::Pdf => {
                "This is a PDF document, not a checkpoint. Open the weights of a model: safetensors, PyTorch, NumPy or \
                 GGUF."
            }
            Self::Picture => {
                "This is a picture, not a checkpoint. Open the weights of a model: safetensors, PyTorch, NumPy or \
                 GGUF."
            }
            Self::Python => {
                "By its name, this is a Python program, which holds no weights. Run it to make the model, and open \
                 what it saves."
            }
            Self::Text => {
                "This is text, not a checkpoint. Open the weights of a model: safetensors, PyTorch, NumPy or GGUF; or \
                 TISA kernels as JSON or CSV."
            }
            Self::Xml => {
                "This is XML, not a checkpoint. Open the weights of a model: safetensors, PyTorch, NumPy or GGUF."
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
