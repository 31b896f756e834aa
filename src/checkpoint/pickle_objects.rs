//! The objects that a pickle makes: containers, storages and tensors, side by side in a few lists.

use super::{
    dtype::Dtype,
    partial_bytes::Stop,
    pickle_globals::{Global, TYPES},
};

/// The most dimensions of a tensor; `PyTorch` has the same limit.
const MOST_DIMENSIONS: usize = 64;

/// Refuses a pickle.
pub(super) fn malformed(reason: impl Into<String>) -> Stop {
    Stop::malformed("pickle", reason)
}

/// A value on the machine's stack. What it holds lies in the machine's lists.
#[derive(Clone, Copy, Debug)]
pub(super) enum PickleValue {
    /// Something that holds no tensors.
    Opaque,
    Int(i64),
    /// Bytes of the pickle.
    Text(u32, u32),
    /// Some of the cells, from, to.
    Tuple(u32, u32),
    List(u32),
    /// Keys and values in turn.
    Dict(u32),
    Global(Global),
    Storage(u32),
    Tensor(u32),
}

/// Numbers side by side, which tensors look at.
#[derive(Clone, Debug)]
pub(super) struct Storage {
    /// Its name among the file's storages.
    pub(super) key: String,
    /// How many numbers it claims to hold.
    count: u64,
    kind: u8,
}

impl Storage {
    /// Bytes it claims to take.
    pub(super) fn bytes(&self) -> Option<u64> {
        self.count
            .checked_mul(TYPES[usize::from(self.kind)].3.into())
    }
}

/// A view of a storage.
#[derive(Clone, Debug)]
pub(super) struct Tensor {
    /// Which storage.
    storage: u32,
    kind: u8,
    /// Its first number, counted from the storage's.
    pub(super) offset: u64,
    pub(super) shape: Vec<u64>,
    pub(super) strides: Vec<u64>,
}

impl Tensor {
    pub(super) fn dtype(&self) -> Dtype {
        Dtype::from_name(TYPES[usize::from(self.kind)].2)
    }

    /// Bytes of one number.
    pub(super) fn width(&self) -> u64 {
        TYPES[usize::from(self.kind)].3.into()
    }
}

/// Everything that the pickles of one file have made so far.
pub(super) struct Objects<'a> {
    /// The pickles, in which texts lie.
    bytes: &'a [u8],
    /// The items of all tuples.
    cells: Vec<PickleValue>,
    /// The items of each list, and of each dictionary its keys and values in turn.
    lists: Vec<Vec<PickleValue>>,
    storages: Vec<Storage>,
    tensors: Vec<Tensor>,
    /// How many values were made.
    made: usize,
}

impl<'a> Objects<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            cells: Vec::new(),
            lists: Vec::new(),
            storages: Vec::new(),
            tensors: Vec::new(),
            made: 0,
        }
    }

    /// How many values were made.
    pub(super) fn made(&self) -> usize {
        self.made
    }

    /// Counts values that take memory.
    pub(super) fn count(&mut self, values: usize) {
        self.made += values;
    }

    /// The storages that were named.
    pub(super) fn storages(&self) -> &[Storage] {
        &self.storages
    }

    /// The storage that a tensor is a view of.
    pub(super) fn storage_of(&self, tensor: &Tensor) -> &Storage {
        &self.storages[tensor.storage as usize]
    }

    /// The tensor that was made as number `at`.
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

    /// Makes a dictionary of keys and values in turn.
    pub(super) fn make_dict(&mut self, items: Vec<PickleValue>) -> PickleValue {
        PickleValue::Dict(self.make_items(items))
    }

    fn make_items(&mut self, items: Vec<PickleValue>) -> u32 {
        let at = self.lists.len() as u32;
        self.lists.push(items);
        at
    }

    /// Adds to a list or a dictionary; any other object swallows what is added to it.
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

    /// The bytes of a text.
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

    /// The texts of a list.
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

    /// What calling something would make.
    pub(super) fn reduce(
        &mut self,
        callable: PickleValue,
        arguments: PickleValue,
    ) -> Result<PickleValue, Stop> {
        let PickleValue::Global(callable) = callable else {
            return Err(malformed("it calls what is no function"));
        };
        let (callable, arguments) = match callable {
            Global::OfType => match self.as_tuple(arguments) {
                Some(&[PickleValue::Global(callable), _, arguments, ..]) => (callable, arguments),
                _ => return Err(malformed("a tensor of a class of its own is not described")),
            },
            callable => (callable, arguments),
        };
        Ok(match callable {
            Global::Dict => {
                let items = self.pairs(arguments);
                self.made += items.len();
                self.make_dict(items)
            }
            Global::Tensor => {
                let tensor = self.tensor(arguments);
                let tensor =
                    tensor.ok_or_else(|| malformed("a tensor is not described as tensors are"))?;
                self.made += tensor.shape.len();
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
                return Err(malformed("it calls what is no function"));
            }
        })
    }

    /// The pairs a dictionary is made from, where they are written out: `OrderedDict([(key, value), …])`.
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

    /// `("storage", type, key, device, count)`; files of old have a sixth part, which says nothing or
    /// something that is not read here.
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

    /// `(storage, offset, shape, strides, …)`, and the type where there are seven.
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
