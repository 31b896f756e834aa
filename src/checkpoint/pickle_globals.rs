//! Globals that a pickle may name and that have a meaning here: `PyTorch`'s functions that rebuild tensors, number
//! types, and plain data. Any other global is an unknown class or function, see
//! [`PickleValue::Class`](super::pickle_objects::PickleValue::Class).

/// A global of known meaning.
#[derive(Clone, Copy, Debug)]
pub(super) enum Global {
    /// A dictionary.
    Dict,
    /// A list, or a set, which becomes a list.
    List,
    /// A class whose instances have attributes and nothing else: `argparse.Namespace`.
    Attributes,
    /// A function that makes an instance of the class that is its first argument.
    NewObject,
    /// `_rebuild_tensor` and its versions, and `_rebuild_qtensor`: a view of a storage.
    Tensor,
    /// A function whose result is its first argument: `_rebuild_parameter`, and type annotations of TorchScript.
    FirstArgument,
    /// `_rebuild_from_type_v2`: a tensor of a subclass.
    OfType,
    /// `_rebuild_wrapper_subclass`: a tensor whose numbers are other tensors, among its attributes.
    Wrapper,
    /// A number type, of a storage or as a dtype: an index into [`TYPES`].
    Type(u8),
    /// Plain data without tensors.
    Plain,
}

/// Number types: storage class, dtype name, name in [`Dtype`](super::Dtype), bytes per number.
pub(super) const TYPES: [(&str, &str, &str, u8); 24] = [
    ("FloatStorage", "float32", "F32", 4),
    ("HalfStorage", "float16", "F16", 2),
    ("BFloat16Storage", "bfloat16", "BF16", 2),
    ("DoubleStorage", "float64", "F64", 8),
    ("LongStorage", "int64", "I64", 8),
    ("IntStorage", "int32", "I32", 4),
    ("ShortStorage", "int16", "I16", 2),
    ("CharStorage", "int8", "I8", 1),
    ("ByteStorage", "uint8", "U8", 1),
    ("BoolStorage", "bool", "BOOL", 1),
    ("ComplexFloatStorage", "complex64", "C64", 8),
    ("ComplexDoubleStorage", "complex128", "C128", 16),
    ("UntypedStorage", "uint8", "U8", 1),
    ("QInt8Storage", "qint8", "QINT8", 1),
    ("QUInt8Storage", "quint8", "QUINT8", 1),
    ("QInt32Storage", "qint32", "QINT32", 4),
    ("", "uint16", "U16", 2),
    ("", "uint32", "U32", 4),
    ("", "uint64", "U64", 8),
    ("", "float8_e4m3fn", "F8_E4M3", 1),
    ("", "float8_e5m2", "F8_E5M2", 1),
    ("", "float8_e4m3fnuz", "F8_E4M3FNUZ", 1),
    ("", "float8_e5m2fnuz", "F8_E5M2FNUZ", 1),
    ("", "float8_e8m0fnu", "F8_E8M0", 1),
];

/// Python's own types of plain data: those of Python 3 and 2, whose modules are `builtins` and `__builtin__`.
const PLAIN_BUILTINS: [&str; 14] = [
    "object",
    "int",
    "long",
    "float",
    "bool",
    "str",
    "unicode",
    "tuple",
    "type",
    "slice",
    "complex",
    "bytearray",
    "range",
    "xrange",
];

/// Known globals by module and names.
const GLOBALS: [(Global, &str, &[&str]); 25] = [
    (
        Global::Dict,
        "collections",
        &["OrderedDict", "defaultdict", "Counter"],
    ),
    (Global::Dict, "builtins", &["dict"]),
    (Global::Dict, "__builtin__", &["dict"]),
    (Global::List, "builtins", &["set", "frozenset", "list"]),
    (Global::List, "__builtin__", &["set", "frozenset", "list"]),
    (Global::Attributes, "argparse", &["Namespace"]),
    (Global::Attributes, "types", &["SimpleNamespace"]),
    (
        Global::NewObject,
        "copyreg",
        &["_reconstructor", "__newobj__"],
    ),
    (
        Global::NewObject,
        "copy_reg",
        &["_reconstructor", "__newobj__"],
    ),
    (
        Global::Tensor,
        "torch._utils",
        &[
            "_rebuild_tensor",
            "_rebuild_tensor_v2",
            "_rebuild_tensor_v3",
            "_rebuild_qtensor",
        ],
    ),
    (
        Global::FirstArgument,
        "torch._utils",
        &[
            "_rebuild_parameter",
            "_rebuild_parameter_with_state",
            "_rebuild_device_tensor_from_cpu_tensor",
        ],
    ),
    (
        Global::FirstArgument,
        "torch.jit._pickle",
        &[
            "restore_type_tag",
            "build_tensorlist",
            "build_intlist",
            "build_doublelist",
            "build_boollist",
        ],
    ),
    (
        Global::OfType,
        "torch._tensor",
        &["_rebuild_from_type", "_rebuild_from_type_v2"],
    ),
    (
        Global::Wrapper,
        "torch._utils",
        &["_rebuild_wrapper_subclass"],
    ),
    // The classes that a tensor of a subclass may refer to.
    (
        Global::Plain,
        "torch.nn.parameter",
        &["Parameter", "Buffer"],
    ),
    (Global::Plain, "torch._tensor", &["Tensor"]),
    (
        Global::Plain,
        "torch",
        &[
            "Tensor",
            "Size",
            "device",
            "strided",
            "sparse_coo",
            "per_tensor_affine",
            "per_channel_affine",
        ],
    ),
    (Global::Plain, "builtins", &PLAIN_BUILTINS),
    (Global::Plain, "__builtin__", &PLAIN_BUILTINS),
    (Global::Plain, "numpy", &["dtype", "ndarray"]),
    (
        Global::Plain,
        "numpy.core.multiarray",
        &["scalar", "_reconstruct"],
    ),
    (
        Global::Plain,
        "numpy._core.multiarray",
        &["scalar", "_reconstruct"],
    ),
    (Global::Plain, "_codecs", &["encode"]),
    (
        Global::Plain,
        "datetime",
        &["datetime", "date", "time", "timedelta", "timezone"],
    ),
    (
        Global::Plain,
        "pathlib",
        &["Path", "PosixPath", "WindowsPath", "PurePosixPath"],
    ),
];

impl Global {
    /// Looks up `name` of `module`; `None` if it has no known meaning.
    pub(super) fn find(module: &str, name: &str) -> Option<Self> {
        let known = GLOBALS
            .iter()
            .find(|(_, of, names)| *of == module && names.contains(&name));
        if let Some((global, ..)) = known {
            return Some(*global);
        }
        if name.is_empty() || !["torch", "torch.storage"].contains(&module) {
            return None;
        }
        let is_dtype = module == "torch";
        let at = TYPES
            .iter()
            .position(|(storage, number, ..)| *storage == name || (is_dtype && *number == name));
        Some(Self::Type(at? as u8))
    }
}
