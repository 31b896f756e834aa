//! The objects that a pickle makes: containers, storages and tensors, kept in a few flat lists.

use super::{
    dtype::Dtype,
    partial_bytes::Stop,
    pickle_globals::{Global, TYPES},
};

/// Maximum number of dimensions of a tensor; `PyTorch` has the same limit.
const MOST_DIMENSIONS: usize = 64;

/// The error for an invalid pickle.
pub(super) fn malformed(reason: impl Into<String>) -> Stop {
    Stop::malformed("pickle", reason)
}

/// A value on the machine's stack. Containers refer to the lists of [`Objects`].
#[derive(Clone, Copy, Debug)]
pub(super) enum PickleValue {
    /// An object that holds no tensors.
    Opaque,
    Int(i64),
    /// Range of bytes of the pickle.
    Text(u32, u32),
    /// Range of `cells`.
    Tuple(u32, u32),
    List(u32),
    /// Index into `lists`, which holds keys and values alternately.
    Dict(u32),
    Global(Global),
    Storage(u32),
    Tensor(u32),
}

/// A contiguous array of numbers, which tensors are views of.
#[derive(Clone, Debug)]
pub(super) struct Storage {
    /// Its name among the file's storages.
    pub(super) key: String,
    /// Number of elements it claims to hold.
    count: u64,
    kind: u8,
}

impl Storage {
    /// Bytes it claims to take; `None` if that overflows.
    pub(super) fn bytes(&self) -> Option<u64> {
        self.count
            .checked_mul(TYPES[usize::from(self.kind)].3.into())
    }
}

/// A view of a storage.
#[derive(Clone, Debug)]
pub(super) struct Tensor {
    /// Index of the storage.
    storage: u32,
    kind: u8,
    /// Index of its first element within the storage.
    pub(super) offset: u64,
    pub(super) shape: Vec<u64>,
    pub(super) strides: Vec<u64>,
}

impl Tensor {
    pub(super) fn dtype(&self) -> Dtype {
        Dtype::from_name(TYPES[usize::from(self.kind)].2)
    }

    /// Bytes per element.
    pub(super) fn width(&self) -> u64 {
        TYPES[usize::from(self.kind)].3.into()
    }
}

/// All objects made so far by the pickles of one file.
pub(super) struct Objects<'a> {
    /// The pickles, which contain the bytes of all text values.
    bytes: &'a [u8],
    /// The items of all tuples.
    cells: Vec<PickleValue>,
    /// The items of each list; for dictionaries, keys and values alternately.
    lists: Vec<Vec<PickleValue>>,
    storages: Vec<Storage>,
    tensors: Vec<Tensor>,
    /// Number of values made so far.
    value_count: usize,
}

impl<'a> Objects<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            cells: Vec::new(),
            lists: Vec::new(),
            storages: Vec::new(),
            tensors: Vec::new(),
            value_count: 0,
        }
    }

    /// Number of values made so far.
    pub(super) fn value_count(&self) -> usize {
        self.value_count
    }

    /// Counts values that take memory.
    pub(super) fn count(&mut self, values: usize) {
        self.value_count += values;
    }

    /// The storages referred to so far.
    pub(super) fn storages(&self) -> &[Storage] {
        &self.storages
    }

    /// The storage that a tensor is a view of.
    pub(super) fn storage_of(&self, tensor: &Tensor) -> &Storage {
        &self.storages[tensor.storage as usize]
    }

    /// The tensor of index `at`.
    pub(super) fn tensor_at(&self, at: u32) -> Option<&Tensor> {
        self.tensors.get(at as usize)
    }

    /// Makes a tuple.
    pub(super) fn make_tuple(
        &mut self,
        items: impl IntoIterator<Item = PickleValue>,
    ) -> PickleValue {
        let begin = self.cells.len() as u32;
        self.cells.extend(items);
        PickleValue::Tuple(begin, self.cells.len() as u32)
    }

    /// Makes a list.
    pub(super) fn make_list(&mut self, items: Vec<PickleValue>) -> PickleValue {
        PickleValue::List(self.make_items(items))
    }

    /// Makes a dictionary from alternating keys and values.
    pub(super) fn make_dict(&mut self, items: Vec<PickleValue>) -> PickleValue {
        PickleValue::Dict(self.make_items(items))
    }

    fn make_items(&mut self, items: Vec<PickleValue>) -> u32 {
        let at = self.lists.len() as u32;
        self.lists.push(items);
        at
    }

    /// Adds items to a list or a dictionary; any other object ignores them.
    pub(super) fn extend(&mut self, container: PickleValue, items: &[PickleValue]) {
        if let PickleValue::List(at) | PickleValue::Dict(at) = container
            && let Some(list) = self.lists.get_mut(at as usize)
        {
            list.extend(items);
        }
    }

    /// The items of a list, a tuple or a dictionary.
    pub(super) fn items(&self, container: PickleValue) -> &[PickleValue] {
        match container {
            PickleValue::List(at) | PickleValue::Dict(at) => {
                self.lists.get(at as usize).map_or(&[], Vec::as_slice)
            }
            tuple => self.as_tuple(tuple).unwrap_or_default(),
        }
    }

    /// The bytes of a text value.
    pub(super) fn as_text(&self, value: PickleValue) -> Option<&'a [u8]> {
        match value {
            PickleValue::Text(from, to) => self.bytes.get(from as usize..to as usize),
            _ => None,
        }
    }

    /// The items of a tuple.
    pub(super) fn as_tuple(&self, value: PickleValue) -> Option<&[PickleValue]> {
        match value {
            PickleValue::Tuple(from, to) => self.cells.get(from as usize..to as usize),
            _ => None,
        }
    }

    /// The text values in a list.
    pub(super) fn texts(&self, list: PickleValue) -> Vec<&'a [u8]> {
        match list {
            PickleValue::List(_) => self
                .items(list)
                .iter()
                .filter_map(|text| self.as_text(*text))
                .collect(),
            _ => Vec::new(),
        }
    }

    fn as_lengths(&self, value: PickleValue) -> Option<Vec<u64>> {
        let lengths = self.as_tuple(value)?;
        let lengths = (lengths.len() <= MOST_DIMENSIONS).then_some(lengths)?;
        lengths.iter().map(|length| as_length(*length)).collect()
    }

    /// The object that a call would make, without calling anything.
    pub(super) fn reduce(
        &mut self,
        callable: PickleValue,
        arguments: PickleValue,
    ) -> Result<PickleValue, Stop> {
        let PickleValue::Global(callable) = callable else {
            return Err(malformed("it calls something that is not a function"));
        };
        let (callable, arguments) = match callable {
            Global::OfType => match self.as_tuple(arguments) {
                Some(&[PickleValue::Global(callable), _, arguments, ..]) => (callable, arguments),
                _ => return Err(malformed("a tensor of a custom class has no description")),
            },
            callable => (callable, arguments),
        };
        Ok(match callable {
            Global::Dict => {
                let items = self.pairs(arguments);
                self.value_count += items.len();
                self.make_dict(items)
            }
            Global::Tensor => {
                let tensor = self.tensor(arguments);
                let tensor =
                    tensor.ok_or_else(|| malformed("a tensor is not described as tensors are"))?;
                self.value_count += tensor.shape.len();
                let at = self.tensors.len() as u32;
                self.tensors.push(tensor);
                PickleValue::Tensor(at)
            }
            Global::Parameter => match self.as_tuple(arguments) {
                Some(&[data, ..]) => data,
                _ => PickleValue::Opaque,
            },
            Global::Plain => PickleValue::Opaque,
            Global::OfType | Global::Type(_) => {
                return Err(malformed("it calls something that is not a function"));
            }
        })
    }

    /// The pairs of a dictionary constructor with a literal list: `OrderedDict([(key, value), …])`.
    fn pairs(&self, arguments: PickleValue) -> Vec<PickleValue> {
        let Some(&[list @ PickleValue::List(_)]) = self.as_tuple(arguments) else {
            return Vec::new();
        };
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

    /// Makes a storage from `("storage", type, key, device, count)`. Older files have a sixth item: `None`, or view
    /// data that is not supported.
    pub(super) fn make_storage(&mut self, id: PickleValue) -> Option<PickleValue> {
        let (PickleValue::Global(Global::Type(kind)), key, count) = (match *self.as_tuple(id)? {
            [_, kind, key, _, count] | [_, kind, key, _, count, PickleValue::Opaque] => {
                (kind, key, count)
            }
            _ => return None,
        }) else {
            return None;
        };
        let storage = Storage {
            key: String::from_utf8_lossy(self.as_text(key)?).into_owned(),
            count: as_length(count)?,
            kind,
        };
        let at = self.storages.len() as u32;
        self.storages.push(storage);
        Some(PickleValue::Storage(at))
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
}

fn as_length(value: PickleValue) -> Option<u64> {
    match value {
        PickleValue::Int(int) => u64::try_from(int).ok(),
        _ => None,
    }
}
