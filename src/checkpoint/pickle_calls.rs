//! The results of the calls in a pickle, without calling anything: tensors from their descriptions, storages from
//! their ids, and an [`Instance`](super::pickle_objects::Instance) for any other class or function.

use super::{
    partial_bytes::Stop,
    pickle_globals::Global,
    pickle_objects::{InstanceOrigin, Objects, PickleValue, Storage, Tensor, malformed},
};

/// Maximum number of dimensions of a tensor; `PyTorch` has the same limit.
const MOST_DIMENSIONS: usize = 64;
/// Maximum length of the name of a storage in bytes. `PyTorch` numbers them.
const LONGEST_KEY: usize = 256;

impl Objects<'_> {
    /// The object that a call would make. A class is called with [`InstanceOrigin::Class`], a function with
    /// [`InstanceOrigin::Call`].
    pub(super) fn call(
        &mut self,
        callable: PickleValue,
        origin: InstanceOrigin,
        arguments: PickleValue,
    ) -> Result<PickleValue, Stop> {
        let PickleValue::Global(global) = callable else {
            return Ok(self.make_instance(callable, origin, arguments));
        };
        Ok(match global {
            Global::Dict => match self.as_tuple(arguments) {
                Some(&[dict @ PickleValue::Dict(_)]) => dict,
                _ => {
                    let items = self.listed_pairs(arguments);
                    self.make_dict(items)
                }
            },
            Global::List => match self.as_tuple(arguments) {
                Some(&[list @ PickleValue::List(_)]) => list,
                _ => self.make_list(Vec::new()),
            },
            Global::Attributes => self.make_instance(callable, origin, PickleValue::None),
            Global::NewObject => match self.as_tuple(arguments) {
                Some(
                    &[
                        class @ (PickleValue::Class(_) | PickleValue::Global(_)),
                        ref rest @ ..,
                    ],
                ) => {
                    let rest = rest.to_vec();
                    let arguments = self.make_tuple(rest);
                    match class {
                        // They call functions themselves, and calls within calls could be millions deep.
                        PickleValue::Global(Global::NewObject | Global::OfType) => {
                            PickleValue::Opaque
                        }
                        class => self.call(class, InstanceOrigin::Class, arguments)?,
                    }
                }
                _ => PickleValue::Opaque,
            },
            Global::Tensor => self.make_tensor(arguments)?,
            Global::FirstArgument => match self.as_tuple(arguments) {
                Some(&[data, ..]) => data,
                _ => PickleValue::Opaque,
            },
            Global::OfType => self.make_tensor_of_type(arguments)?,
            Global::Wrapper => self.make_instance(callable, InstanceOrigin::Wrapper, arguments),
            Global::Plain | Global::Type(_) => PickleValue::Opaque,
        })
    }

    /// The tensor that `_rebuild_from_type_v2(function, class, arguments, state)` makes.
    fn make_tensor_of_type(&mut self, arguments: PickleValue) -> Result<PickleValue, Stop> {
        let (callable, arguments, state) = match self.as_tuple(arguments) {
            Some(&[callable, _, arguments, state, ..]) => (callable, arguments, state),
            Some(&[callable, _, arguments]) => (callable, arguments, PickleValue::None),
            _ => return Err(malformed("a tensor of a custom class has no description")),
        };
        if matches!(callable, PickleValue::Global(Global::OfType)) {
            return Ok(PickleValue::Opaque);
        }
        let tensor = self.call(callable, InstanceOrigin::Call, arguments)?;
        self.set_state(tensor, state);
        Ok(tensor)
    }

    /// The pairs of a dictionary constructor with a literal list: `OrderedDict([(key, value), …])`. Every item of the
    /// list counts as a value, because many calls may have one list.
    fn listed_pairs(&mut self, arguments: PickleValue) -> Vec<PickleValue> {
        let Some(&[list @ PickleValue::List(_)]) = self.as_tuple(arguments) else {
            return Vec::new();
        };
        self.count_items(self.items(list).len());
        let pairs = self.items(list).iter().filter_map(|pair| match pair {
            PickleValue::List(_) | PickleValue::Tuple(..) => Some(self.items(*pair)),
            _ => None,
        });
        pairs
            .filter(|pair| pair.len() == 2)
            .flatten()
            .copied()
            .collect()
    }

    /// The object that a persistent id refers to: a storage, `("storage", type, key, device, count)`, or a class,
    /// `("module", class, file, source code)`, as files saved before 1.6 may have it. Older storages have a sixth item:
    /// `None`, or view data that is not supported. The object of any other id is opaque.
    pub(super) fn resolve_id(&mut self, id: PickleValue) -> Result<PickleValue, Stop> {
        let items = self.as_tuple(id).unwrap_or_default();
        let kind = items.first().and_then(|kind| self.as_text(*kind));
        let (number_type, key, count) = match (kind, items) {
            (Some(b"module"), &[_, class, ..]) => return Ok(class),
            (
                Some(b"storage"),
                &[_, number_type, key, _, count]
                | &[_, number_type, key, _, count, PickleValue::None],
            ) => (number_type, key, count),
            (Some(b"storage"), _) => return Err(malformed("it names a storage that is not one")),
            _ => {
                self.unread += 1;
                return Ok(PickleValue::Opaque);
            }
        };
        let PickleValue::Global(Global::Type(kind)) = number_type else {
            // An unknown type of numbers: the class is noted, and its tensors are left out.
            return Ok(PickleValue::Opaque);
        };
        let key = self.as_text(key).filter(|key| key.len() <= LONGEST_KEY);
        let (Some(key), Some(count)) = (key, as_length(count)) else {
            return Err(malformed("it names a storage that is not one"));
        };
        let key = String::from_utf8_lossy(key).into_owned();
        self.count_items(4 + key.len() / size_of::<PickleValue>());
        self.storages.push(Storage { key, count, kind });
        Ok(PickleValue::Storage(self.storages.len() as u32 - 1))
    }

    /// The tensor that `_rebuild_tensor_v2(storage, offset, shape, strides, …)` makes; opaque if its storage is, or if
    /// it is the negative or the conjugate of what is stored.
    fn make_tensor(&mut self, arguments: PickleValue) -> Result<PickleValue, Stop> {
        let items = self.as_tuple(arguments).unwrap_or_default();
        if let Some(PickleValue::Opaque | PickleValue::Instance(_)) = items.first() {
            return Ok(PickleValue::Opaque);
        }
        // The seventh item is a dictionary of such marks, or the eighth, if the seventh is the dtype.
        let mut marks = items.iter().skip(6).take(2);
        let is_set = |mark: &str, dict: &PickleValue| {
            let value = self.value_of(*dict, mark);
            matches!(value, Some(PickleValue::Bool(true)))
        };
        if marks.any(|dict| is_set("neg", dict) || is_set("conj", dict)) {
            self.unread += 1;
            return Ok(PickleValue::Opaque);
        }
        let tensor = self.tensor(arguments);
        let tensor = tensor.ok_or_else(|| malformed("a tensor is not described as tensors are"))?;
        self.count_items(6 + tensor.shape.len());
        self.tensors.push(tensor);
        Ok(PickleValue::Tensor(self.tensors.len() as u32 - 1))
    }

    /// Parses `(storage, offset, shape, strides, …)`, with the dtype as the seventh item if there is one.
    fn tensor(&self, arguments: PickleValue) -> Option<Tensor> {
        let arguments = self.as_tuple(arguments)?;
        let &[PickleValue::Storage(storage), offset, shape, strides, ..] = arguments else {
            return None;
        };
        let (shape, strides) = (self.as_lengths(shape)?, self.as_lengths(strides)?);
        let kind = match arguments.get(6) {
            Some(&PickleValue::Global(Global::Type(kind))) => kind,
            _ => self.storages.get(storage as usize)?.kind,
        };
        (shape.len() == strides.len()).then_some(Tensor {
            storage,
            kind,
            offset: as_length(offset)?,
            shape,
            strides,
        })
    }

    /// The lengths in a tuple, as of a shape.
    pub(super) fn as_lengths(&self, value: PickleValue) -> Option<Vec<u64>> {
        let lengths = self.as_tuple(value)?;
        let lengths = (lengths.len() <= MOST_DIMENSIONS).then_some(lengths)?;
        lengths.iter().map(|length| as_length(*length)).collect()
    }
}

fn as_length(value: PickleValue) -> Option<u64> {
    match value {
        PickleValue::Int(int) => u64::try_from(int).ok(),
        _ => None,
    }
}
