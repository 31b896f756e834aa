//! Files that `torch.save` writes: since version 1.6 a zip archive of a pickle and of storages, before that several
//! pickles in a row followed by the storages.
//!
//! The pickle lists the tensors and how each views a storage. Numbers are read later, by range. Storages may be shared,
//! which is how tied weights are saved. A transposed view is read as column-major; a view of any other strides is
//! listed, and reading it is refused. The metadata are the `config` that lies beside the tensors, see
//! `pickle_config.rs`, and [`OMISSIONS`](super::OMISSIONS).
//!
//! Archives of TorchScript are read likewise: their `data.pkl` has the attributes of all modules.

use std::{
    collections::{BTreeMap, HashMap},
    ops::Range,
};

use super::{
    error::{CheckpointError, Name},
    file_kind::FileKind,
    index::Index,
    partial_bytes::{KnownBytes, Stop},
    pickle::{self, Machine},
    pickle_config::configuration,
    pickle_objects::{Objects, PickleValue, Tensor},
    pickle_omissions::{OMISSIONS, Omissions},
    pickle_tensors::named_tensors,
    tensor::{Order, TensorInfo},
    zip::{Contents, ZipEntry},
};

/// First bytes of a file saved before 1.6: a pickle of the number 0x1950a86a20f9469cfc6c.
const MAGIC: &[u8] = b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";

/// The entry of the pickle, if this is a `PyTorch` archive.
pub(super) fn pickle_of(entries: &[ZipEntry]) -> Option<&ZipEntry> {
    let is_pickle = |entry: &&ZipEntry| {
        let before = entry.name.strip_suffix("data.pkl");
        before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
    };
    // One in a folder of the archive is an attachment.
    let depth = |entry: &&ZipEntry| entry.name.split('/').count();
    entries.iter().filter(is_pickle).min_by_key(depth)
}

/// The tensors of an archive.
pub(super) fn archive(
    known: &KnownBytes,
    entries: &[ZipEntry],
    pickle: &ZipEntry,
) -> Result<Index, Stop> {
    let folder = pickle.name.trim_end_matches("data.pkl");
    let files: Vec<(&str, &ZipEntry)> = entries
        .iter()
        .filter_map(|entry| Some((entry.name.strip_prefix(folder)?, entry)))
        .collect();
    let by_name: HashMap<&str, usize> = (0..)
        .zip(&files)
        .map(|(at, (name, _))| (*name, at))
        .collect();
    if by_name.len() < files.len() {
        return Err(Stop::malformed(
            "directory of the archive",
            "two entries bear one name",
        ));
    }
    // The entry contains `little` or `big`; its length tells them apart.
    if files
        .iter()
        .any(|(name, entry)| *name == "byteorder" && entry.size == 3)
    {
        return Err(CheckpointError::Unreadable(
            "This checkpoint was saved on a machine that writes numbers the other way round (big-endian), \
             which is not read here. Save it again on another one, or as safetensors.",
        )
        .into());
    }
    if pickle.size > pickle::LONGEST {
        return Err(Stop::malformed("pickle", "it is longer than 64 MiB"));
    }
    let mut contents = Contents::new(known);
    let bytes = match contents.place(pickle)? {
        Some(place) => contents.bytes(place)?,
        None => None,
    };
    let Some(bytes) = bytes else {
        return contents.inflated_bytes().map(|_| Index::default());
    };
    let mut machine = Machine::new(&bytes);
    machine.load()?;
    // Locate only storages that a tensor uses, each one once.
    let mut places: Vec<Option<Range<u64>>> = vec![None; files.len()];
    let mut tensors = Vec::new();
    let list = TensorList::new(machine.objects(), machine.root(0))?;
    for (name, tensor) in list.tensors {
        let key = format!("data/{}", machine.objects().storage_of(tensor).key);
        let Some(&at) = by_name.get(key.as_str()) else {
            return Err(Stop::malformed(
                "archive",
                format!("the numbers of tensor {} are not in it", Name(&name)),
            ));
        };
        if places[at].is_none() {
            places[at] = contents.place(files[at].1)?;
        }
        if let Some(place) = &places[at] {
            tensors.push(locate(name, tensor, place)?);
        }
    }
    let mut index = Index::new(tensors, contents.inflated_bytes()?)?;
    index.metadata = list.metadata;
    Ok(index)
}

/// The tensors of a pickle by name, and its metadata.
struct TensorList<'a> {
    tensors: Vec<(String, &'a Tensor)>,
    metadata: BTreeMap<String, String>,
}

impl<'a> TensorList<'a> {
    fn new(objects: &'a Objects<'_>, root: PickleValue) -> Result<Self, Stop> {
        let mut names = named_tensors(objects, root)?;
        let config = configuration(objects, root, &mut names.is_read);
        let omissions = Omissions::new(objects, &names);
        if names.tensors.is_empty()
            && let Some(error) = omissions.error()
        {
            return Err(error.into());
        }
        let entries = [("config", config), (OMISSIONS, omissions.text())];
        let metadata = entries
            .into_iter()
            .filter_map(|(key, text)| Some((key.to_owned(), text?)));
        Ok(Self {
            tensors: names.tensors,
            metadata: metadata.collect(),
        })
    }
}

/// The tensors of a file saved before 1.6.
pub(super) fn legacy(known: &KnownBytes) -> Result<Index, Stop> {
    if !known.first().starts_with(MAGIC) {
        return Err(CheckpointError::WrongKind(FileKind::Pickle).into());
    }
    known.parse_growing(pickle::LONGEST, |bytes| {
        // The pickles: the magic number, the version, machine information, the saved object, the storages' keys.
        let mut machine = Machine::new(bytes);
        for _ in 0..5 {
            machine.load()?;
        }
        let objects = machine.objects();
        let mut sizes: HashMap<&[u8], Option<u64>> = HashMap::new();
        for storage in objects.storages() {
            sizes
                .entry(storage.key.as_bytes())
                .or_insert(storage.bytes());
        }
        let keys: Vec<&[u8]> = objects.texts(machine.root(4)).collect();
        let mut places: HashMap<&[u8], Range<u64>> = HashMap::new();
        let mut at = machine.position();
        for key in &keys {
            // Each storage is preceded by its length in elements, in 8 bytes.
            let bytes = sizes.get(key).copied().flatten();
            let begin = at.checked_add(8);
            let end = bytes.and_then(|bytes| begin?.checked_add(bytes));
            let (Some(begin), Some(end)) = (begin, end) else {
                return Err(Stop::malformed("pickle", "a storage is of no known size"));
            };
            places.entry(*key).or_insert(begin..end);
            at = end;
        }
        let mut tensors = Vec::new();
        let list = TensorList::new(objects, machine.root(3))?;
        for (name, tensor) in list.tensors {
            let place = places.get(objects.storage_of(tensor).key.as_bytes());
            let Some(place) = place.filter(|place| place.end <= known.size) else {
                return Err(CheckpointError::OutsideFile {
                    tensor: name,
                    end: place.map_or(u64::MAX, |place| place.end),
                    size: known.size,
                }
                .into());
            };
            tensors.push(locate(name, tensor, place)?);
        }
        let mut index = Index::new(tensors, Vec::new())?;
        index.metadata = list.metadata;
        Ok(index)
    })
}

/// Computes the range of a tensor within its storage.
fn locate(name: String, tensor: &Tensor, storage: &Range<u64>) -> Result<TensorInfo, Stop> {
    let (order, span) = span(&tensor.shape, &tensor.strides);
    let width = tensor.width();
    let begin = tensor.offset.checked_mul(width);
    let begin = begin.and_then(|begin| begin.checked_add(storage.start));
    let end = span.and_then(|span| span.checked_mul(width)?.checked_add(begin?));
    match (begin, end) {
        (Some(begin), Some(end)) if end <= storage.end => Ok(TensorInfo {
            name,
            dtype: tensor.dtype(),
            shape: tensor.shape.clone(),
            file: 0,
            begin,
            end,
            order,
        }),
        _ => Err(Stop::malformed(
            "archive",
            format!("tensor {} reaches beyond its storage", Name(&name)),
        )),
    }
}

/// The memory order of these strides, and how many elements of the storage the tensor spans.
fn span(shape: &[u64], strides: &[u64]) -> (Order, Option<u64>) {
    if shape.contains(&0) {
        return (Order::RowMajor, Some(0));
    }
    let count = shape
        .iter()
        .try_fold(1_u64, |count, length| count.checked_mul(*length));
    let dense = |dimensions: &mut dyn Iterator<Item = (&u64, &u64)>| {
        let mut next = Some(1_u64);
        // The stride of a dimension of length 1 does not matter.
        dimensions
            .filter(|(length, _)| **length != 1)
            .all(|(length, stride)| {
                let expected = next;
                next = expected.and_then(|next| next.checked_mul(*length));
                expected == Some(*stride)
            })
    };
    let dimensions = || shape.iter().zip(strides);
    if dense(&mut dimensions().rev()) {
        (Order::RowMajor, count)
    } else if dense(&mut dimensions()) {
        (Order::ColumnMajor, count)
    } else {
        let last = dimensions().try_fold(0_u64, |at, (length, stride)| {
            at.checked_add((length - 1).checked_mul(*stride)?)
        });
        (Order::Scattered, last.and_then(|last| last.checked_add(1)))
    }
}
