//! Tests of `checkpoint`.

pub(crate) mod arbitrary_bytes;
pub(crate) mod archives;
pub(crate) mod checkpoints;
pub(crate) mod claims;
pub(crate) mod foreign_formats;
pub(crate) mod formats;
pub(crate) mod fuzz;
pub(crate) mod group_files;
pub(crate) mod hostile;
pub(crate) mod lazy_parts;
pub(crate) mod pickle_parts;
pub(crate) mod pickled_objects;
pub(crate) mod quantised_damage;
pub(crate) mod quantised_numbers;
pub(crate) mod remote;
pub(crate) mod scaled_numbers;
pub(crate) mod shards;
pub(crate) mod weights;
