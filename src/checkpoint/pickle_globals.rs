//! Allow-list of globals in a pickle: `PyTorch`'s functions that rebuild tensors, number types, and some plain data.

/// A global that a pickle may refer to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Global {
    /// A dictionary.
    Dict,
    /// `_rebuild_tensor` and its versions: a view of a storage.
    Tensor,
    /// `_rebuild_parameter`: a trainable tensor.
    Parameter,
    /// `_rebuild_from_type_v2`: a tensor of a subclass.
    OfType,
    /// A number type, of a storage or as a dtype: an index into [`TYPES`].
    Type(u8),
    /// Plain data without tensors.
    Plain,
}

/// Number types: storage class, dtype name, name in [`Dtype`](super::Dtype), bytes per number.
pub(super) const TYPES: [(&str, &str, &str, u8); 17] = [
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
    ("", "uint16", "U16", 2),
    ("", "uint32", "U32", 4),
    ("", "float8_e4m3fn", "F8_E4M3", 1),
    ("", "float8_e5m2", "F8_E5M2", 1),
];

/// Plain data that is often saved beside tensors, by module and name.
const PLAIN: [(&str, &[&str]); 12] = [
    ("torch", &["Size", "device"]),
    ("argparse", &["Namespace"]),
    ("types", &["SimpleNamespace"]),
    (
        "builtins",
        &["set", "frozenset", "slice", "complex", "bytearray", "range"],
    ),
    (
        "__builtin__",
        &[
            "set",
            "frozenset",
            "slice",
            "complex",
            "bytearray",
            "xrange",
        ],
    ),
    ("numpy", &["dtype", "ndarray"]),
    ("numpy.core.multiarray", &["scalar", "_reconstruct"]),
    ("numpy._core.multiarray", &["scalar", "_reconstruct"]),
    ("_codecs", &["encode"]),
    (
        "datetime",
        &["datetime", "date", "time", "timedelta", "timezone"],
    ),
    (
        "pathlib",
        &["Path", "PosixPath", "WindowsPath", "PurePosixPath"],
    ),
    ("collections", &["deque"]),
];

impl Global {
    /// Looks up `name` of `module`; `None` if no tensor needs it.
    pub(super) fn find(module: &str, name: &str) -> Option<Self> {
        let global = match (module, name) {
            ("collections", "OrderedDict" | "defaultdict" | "Counter")
            | ("builtins" | "__builtin__", "dict") => Self::Dict,
            ("torch._utils", "_rebuild_tensor" | "_rebuild_tensor_v2" | "_rebuild_tensor_v3") => {
                Self::Tensor
            }
            ("torch._utils", "_rebuild_parameter" | "_rebuild_parameter_with_state") => {
                Self::Parameter
            }
            ("torch._tensor", "_rebuild_from_type_v2") => Self::OfType,
            // The classes that a tensor of a subclass may refer to.
            ("torch.nn.parameter", "Parameter" | "Buffer")
            | ("torch" | "torch._tensor", "Tensor") => Self::Plain,
            _ if PLAIN
                .iter()
                .any(|(of, names)| *of == module && names.contains(&name)) =>
            {
                Self::Plain
            }
            ("torch" | "torch.storage", _) if !name.is_empty() => {
                let alone = module == "torch";
                let known = TYPES.iter().position(|(storage, number, ..)| {
                    *storage == name || (alone && *number == name)
                });
                Self::Type(known? as u8)
            }
            _ => return None,
        };
        Some(global)
    }
}
