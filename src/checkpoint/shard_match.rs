//! Decides whether a file that is added later is a missing shard of a checkpoint.

use std::{collections::HashMap, rc::Rc};

use super::{ByteSource, Checkpoint, CheckpointError, TensorInfo, tensor_file::TensorFile};

/// How well a file fits a checkpoint as one of its shards; better fits compare greater.
///
/// Two models fine-tuned from the same base fit equally well: only the user can tell their shards apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ShardFit {
    /// The checkpoint misses no shard of this name, or the file's tensors differ from those in the index.
    No,
    /// The tensors are those of the index, but their shapes or types differ from those of the same tensors in other
    /// layers. Few models have such layers.
    Unlikely,
    /// Nothing known about the checkpoint contradicts it.
    Possible,
}

impl<S: ByteSource> Checkpoint<S> {
    /// Returns how well a file of this name fits as a missing shard. Reads the file's list of tensors.
    ///
    /// The total size that an index may state is not compared: writers count shared tensors differently, and
    /// state the size before a conversion.
    ///
    /// # Errors
    /// If the file cannot be opened. It then fits no checkpoint.
    pub async fn fits(&self, name: &str, file: &S) -> Result<ShardFit, CheckpointError> {
        let mut shards = self.shards.iter().zip(0_u32..);
        let Some((_, number)) = shards.find(|(shard, _)| shard.name == name && shard.is_missing())
        else {
            return Ok(ShardFit::No);
        };
        let file = TensorFile::open(Rc::new(file)).await?;
        let listed = self.names.iter().filter(|(_, shard)| *shard == number);
        let has_all = listed
            .into_iter()
            .all(|(name, _)| file.tensor(name).is_some());
        let has_others = file.tensors().iter().any(|tensor| !self.has(&tensor.name));
        if !has_all || has_others {
            return Ok(ShardFit::No);
        }
        // One tensor per name without its numbers, or `None` if the open layers disagree on its shape or type.
        let mut by_name: HashMap<String, Option<&TensorInfo>> = HashMap::new();
        for tensor in self.tensors() {
            by_name
                .entry(without_numbers(&tensor.name))
                .and_modify(|first| *first = first.filter(|first| is_alike(first, tensor)))
                .or_insert(Some(tensor));
        }
        let is_unlike_others = |tensor: &TensorInfo| {
            let other = by_name
                .get(&without_numbers(&tensor.name))
                .copied()
                .flatten();
            other.is_some_and(|other| !is_alike(other, tensor))
        };
        Ok(if file.tensors().iter().any(is_unlike_others) {
            ShardFit::Unlikely
        } else {
            ShardFit::Possible
        })
    }
}

fn is_alike(a: &TensorInfo, b: &TensorInfo) -> bool {
    a.shape == b.shape && a.dtype == b.dtype
}

/// The name of a tensor with `#` in place of each numeric part, such as the layer.
fn without_numbers(name: &str) -> String {
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let parts = name.split('.');
    let parts = parts.map(|part| if is_number(part) { "#" } else { part });
    parts.collect::<Vec<_>>().join(".")
}
