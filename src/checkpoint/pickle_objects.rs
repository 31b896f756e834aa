//! The objects that a pickle makes: containers, instances, storages and tensors, kept in a few flat lists.

use super::{
    dtype::Dtype,
    partial_bytes::Stop,
    pickle_globals::{Global, TYPES},
};

/// Maximum number of items of a dictionary that are kept if no tensor can be in them. The vocabularies that some files
/// carry have a million.
const MOST_PLAIN_ITEMS: usize = 2048;

/// Maximum number of entries of a dictionary among which a key is looked for. Objects have some ten attributes; without
/// a limit, many objects that share a long dictionary would take hours.
const MOST_KEYS: usize = 512;

/// Number of bytes of a class's name that count as a value. Many classes may have one long name, and each is read for the
/// sentence on what is passed over.
const NAME_BYTES: usize = 256;

/// The error for an invalid pickle.
pub(super) fn malformed(reason: impl Into<String>) -> Stop {
    Stop::malformed("pickle", reason)
}

/// A value on the machine's stack. Containers and instances refer to the lists of [`Objects`].
#[derive(Clone, Copy, Debug)]
pub(super) enum PickleValue {
    /// An object without tensors, whose content does not matter.
    Opaque,
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    /// Range of bytes of the pickle.
    Text(u32, u32),
    /// Range of `cells`.
    Tuple(u32, u32),
    List(u32),
    /// Index into `lists`, which holds keys and values alternately.
    Dict(u32),
    Global(Global),
    /// A class or a function of no known meaning: an index into `classes`.
    Class(u32),
    /// An object of such a class, or the result of such a function: an index into `instances`.
    Instance(u32),
    Storage(u32),
    Tensor(u32),
}

impl PickleValue {
    /// Whether it neither is a tensor nor can contain one.
    fn is_plain(self) -> bool {
        !matches!(
            self,
            Self::Tuple(..)
                | Self::List(_)
                | Self::Dict(_)
                | Self::Instance(_)
                | Self::Storage(_)
                | Self::Tensor(_)
        )
    }
}

/// Name of a class or a function of no known meaning, as ranges of bytes of the pickle.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClassName {
    pub(super) module: (u32, u32),
    pub(super) name: (u32, u32),
}

/// How an instance is made, which decides what its arguments mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InstanceOrigin {
    /// Made as an instance of a class.
    Class,
    /// The result of a function or of a class's own way to make one.
    Call,
    /// A tensor whose numbers are other tensors, among its attributes.
    Wrapper,
}

/// An object that is recorded instead of made: its class, and the values that the pickle gives to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instance {
    /// Its class, or the function that makes it.
    pub(super) class: PickleValue,
    pub(super) origin: InstanceOrigin,
    /// A tuple, as a rule.
    pub(super) arguments: PickleValue,
    /// Its attributes, or anything else from which the class would restore it.
    pub(super) state: PickleValue,
    /// Keys and values of a subclass of a dictionary.
    pub(super) pairs: PickleValue,
    /// Items of a subclass of a list.
    pub(super) members: PickleValue,
}

/// A contiguous array of numbers, which tensors are views of.
#[derive(Clone, Debug)]
pub(super) struct Storage {
    /// Its name among the file's storages.
    pub(super) key: String,
    /// Number of elements it claims to hold.
    pub(super) count: u64,
    pub(super) kind: u8,
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
    pub(super) storage: u32,
    pub(super) kind: u8,
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
    classes: Vec<ClassName>,
    pub(super) instances: Vec<Instance>,
    pub(super) storages: Vec<Storage>,
    pub(super) tensors: Vec<Tensor>,
    /// Number of objects that are left out and have no class: those of other programs, and views that change signs.
    pub(super) unread: usize,
    /// Number of values pushed so far.
    value_count: usize,
    /// Number of values in memory.
    item_count: usize,
}

impl<'a> Objects<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            cells: Vec::new(),
            lists: Vec::new(),
            classes: Vec::new(),
            instances: Vec::new(),
            storages: Vec::new(),
            tensors: Vec::new(),
            unread: 0,
            value_count: 0,
            item_count: 0,
        }
    }

    /// Number of values pushed so far, each reference to an object counted.
    pub(super) fn value_count(&self) -> usize {
        self.value_count
    }

    /// Counts a value that is pushed.
    pub(super) fn count_value(&mut self) {
        self.value_count += 1;
    }

    /// Number of values in memory: items of containers, and other objects by their size.
    pub(super) fn item_count(&self) -> usize {
        self.item_count
    }

    /// Counts memory of this many values.
    pub(super) fn count_items(&mut self, values: usize) {
        self.item_count += values;
    }

    /// Number of lists and dictionaries.
    pub(super) fn list_count(&self) -> usize {
        self.lists.len()
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

    /// The instance of index `at`.
    pub(super) fn instance_at(&self, at: u32) -> Option<Instance> {
        self.instances.get(at as usize).copied()
    }

    /// Module and name of every class and function of no known meaning, in order of appearance; a name may be there
    /// several times.
    pub(super) fn classes(&self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> {
        let part = |(from, to): (u32, u32)| self.bytes.get(from as usize..to as usize);
        let parts = move |class: &ClassName| {
            (
                part(class.module).unwrap_or_default(),
                part(class.name).unwrap_or_default(),
            )
        };
        self.classes.iter().map(parts)
    }

    /// The index of an instance's class, if that is of no known meaning.
    pub(super) fn class_of(&self, instance: &Instance) -> Option<usize> {
        match instance.class {
            PickleValue::Class(at) => Some(at as usize),
            _ => None,
        }
    }

    /// Whether a class belongs to the code in a TorchScript archive. The attributes of such an object are its
    /// parameters, buffers and modules.
    pub(super) fn is_script(&self, instance: &Instance) -> bool {
        let class = self.class_of(instance).and_then(|at| self.classes.get(at));
        let module = class.and_then(|class| {
            let (from, to) = class.module;
            self.bytes.get(from as usize..to as usize)
        });
        module.is_some_and(|module| module.starts_with(b"__torch__"))
    }

    /// Makes a class of no known meaning.
    pub(super) fn make_class(&mut self, class: ClassName) -> PickleValue {
        let length = |(from, to): (u32, u32)| to.saturating_sub(from) as usize;
        self.item_count += 1 + (length(class.module) + length(class.name)) / NAME_BYTES;
        self.classes.push(class);
        PickleValue::Class(self.classes.len() as u32 - 1)
    }

    /// Makes a tuple.
    pub(super) fn make_tuple(
        &mut self,
        items: impl IntoIterator<Item = PickleValue>,
    ) -> PickleValue {
        let begin = self.cells.len();
        self.cells.extend(items);
        self.item_count += self.cells.len() - begin;
        PickleValue::Tuple(begin as u32, self.cells.len() as u32)
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
        // An empty list takes more memory than its single byte in the pickle.
        self.item_count += 2 + items.len();
        self.lists.push(items);
        self.lists.len() as u32 - 1
    }

    /// Makes an instance of a class, or the result of a function, of no known meaning.
    pub(super) fn make_instance(
        &mut self,
        class: PickleValue,
        origin: InstanceOrigin,
        arguments: PickleValue,
    ) -> PickleValue {
        // It takes as much memory as six values.
        self.item_count += 6;
        self.instances.push(Instance {
            class,
            origin,
            arguments,
            state: PickleValue::None,
            pairs: PickleValue::None,
            members: PickleValue::None,
        });
        PickleValue::Instance(self.instances.len() as u32 - 1)
    }

    /// Adds items to a list or an instance; any other object ignores them.
    pub(super) fn append(&mut self, container: PickleValue, items: &[PickleValue]) {
        match container {
            PickleValue::List(at) => {
                if let Some(list) = self.lists.get_mut(at as usize) {
                    list.extend(items);
                    self.item_count += items.len();
                }
            }
            PickleValue::Instance(at) => {
                let members = self.instance_at(at).map(|instance| instance.members);
                match members {
                    Some(PickleValue::None) => {
                        let members = self.make_list(items.to_vec());
                        self.instances[at as usize].members = members;
                    }
                    Some(members @ PickleValue::List(_)) => self.append(members, items),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// Adds alternating keys and values to a dictionary or an instance; any other object ignores them.
    pub(super) fn insert(&mut self, container: PickleValue, items: &[PickleValue]) {
        match container {
            PickleValue::Dict(at) => {
                let Some(dict) = self.lists.get_mut(at as usize) else {
                    return;
                };
                let before = dict.len();
                for pair in items.chunks_exact(2) {
                    if dict.len() < MOST_PLAIN_ITEMS || !pair[1].is_plain() {
                        dict.extend(pair);
                    }
                }
                self.item_count += dict.len() - before;
            }
            PickleValue::Instance(at) => {
                let pairs = self.instance_at(at).map(|instance| instance.pairs);
                match pairs {
                    Some(PickleValue::None) => {
                        let pairs = self.make_dict(Vec::new());
                        self.instances[at as usize].pairs = pairs;
                        self.insert(pairs, items);
                    }
                    Some(pairs @ PickleValue::Dict(_)) => self.insert(pairs, items),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// Gives an instance its state; any other object ignores it.
    pub(super) fn set_state(&mut self, object: PickleValue, state: PickleValue) {
        if let PickleValue::Instance(at) = object
            && let Some(instance) = self.instances.get_mut(at as usize)
        {
            instance.state = state;
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

    /// Keys and values of a dictionary; nothing for any other object.
    pub(super) fn pairs(&self, dict: PickleValue) -> &[[PickleValue; 2]] {
        match dict {
            PickleValue::Dict(_) => self.items(dict).as_chunks().0,
            _ => &[],
        }
    }

    /// The last value of a dictionary under this key, among its first [`MOST_KEYS`].
    pub(super) fn value_of(&self, dict: PickleValue, key: &str) -> Option<PickleValue> {
        let is_it = |pair: &&[PickleValue; 2]| self.as_text(pair[0]) == Some(key.as_bytes());
        let pair = self.pairs(dict).iter().take(MOST_KEYS).rev().find(is_it);
        pair.map(|[_, value]| *value)
    }

    /// The dictionary of an instance's attributes. A class with slots has them in a second one, see
    /// [`Self::slots_of`].
    pub(super) fn attributes_of(&self, instance: &Instance) -> PickleValue {
        match self.as_tuple(instance.state) {
            Some(
                &[
                    attributes @ PickleValue::Dict(_),
                    PickleValue::Dict(_) | PickleValue::None,
                ],
            ) => attributes,
            _ => instance.state,
        }
    }

    /// The dictionary of an instance's slots, as Python saves them: the second of two.
    pub(super) fn slots_of(&self, instance: &Instance) -> Option<PickleValue> {
        match self.as_tuple(instance.state) {
            Some(
                &[
                    PickleValue::Dict(_) | PickleValue::None,
                    slots @ PickleValue::Dict(_),
                ],
            ) => Some(slots),
            _ => None,
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
    pub(super) fn texts(&self, list: PickleValue) -> impl Iterator<Item = &'a [u8]> {
        let items = match list {
            PickleValue::List(_) => self.items(list),
            _ => &[],
        };
        items.iter().filter_map(|text| self.as_text(*text))
    }
}
