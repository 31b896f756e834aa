//! Rows of a word table by id.

use futures_util::{StreamExt, stream};
use ndarray::{Array2, ArrayView1};
use std::{ops::Range, pin::pin};

use super::{ForwardError, tensor_numbers::misfit};
use crate::{
    checkpoint::{Order, TensorInfo, Weights},
    model::{ModelError, read::refuse_non_numbers},
};

/// Limits of the rows that are read together.
#[derive(Debug, Clone, Copy)]
struct Grouping {
    /// Most bytes between two rows, because a second read takes longer.
    gap: u64,
    /// Most bytes of a read.
    most: u64,
}

/// Limits for files on a server, where bytes that are not used cost more than a request.
const ON_A_SERVER: Grouping = Grouping {
    gap: 16 << 10,
    most: 1 << 20,
};
/// Limits for files of this machine. A read from a browser's file takes about as long as 0.5 MB of its bytes: reading 128
/// words of MiniLM one by one took 93 ms, and together 9 ms.
const ON_THIS_MACHINE: Grouping = Grouping {
    gap: 256 << 10,
    most: 8 << 20,
};
/// Reads in progress: words are spread over the table, and each may be a request to a server.
const READS_AT_ONCE: usize = 8;

/// Reads rows of a word table, [ids, columns]. Each row is read once.
pub(super) async fn rows_by_id<W: Weights>(
    checkpoint: &W,
    tensor: &TensorInfo,
    ids: &[u32],
) -> Result<Array2<f32>, ForwardError> {
    let [row_count, columns] = tensor.shape[..] else {
        return Err(misfit(&tensor.name));
    };
    if let Some(id) = ids.iter().find(|id| u64::from(**id) >= row_count) {
        return Err(ModelError::NoWord {
            row: u64::from(*id),
            of: row_count,
        }
        .into());
    }
    let mut distinct = ids.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let mut rows = Array2::zeros((ids.len(), columns as usize));
    let grouping = match checkpoint.is_remote() {
        true => ON_A_SERVER,
        false => ON_THIS_MACHINE,
    };
    let reads = ranges(tensor, &distinct, grouping)
        .into_iter()
        .map(async |range| {
            let numbers = checkpoint.read_rows(tensor, range.clone()).await;
            (range, numbers)
        });
    let mut reads = pin!(stream::iter(reads).buffered(READS_AT_ONCE));
    while let Some((range, numbers)) = reads.next().await {
        let numbers = numbers?;
        for (mut row, id) in rows.rows_mut().into_iter().zip(ids) {
            let id = u64::from(*id);
            if !range.contains(&id) {
                continue;
            }
            let at = (id - range.start) as usize * columns as usize;
            let numbers = &numbers[at..at + columns as usize];
            refuse_non_numbers(numbers, tensor, id, columns as usize)?;
            row.assign(&ArrayView1::from(numbers));
        }
    }
    Ok(rows)
}

/// Ranges of rows that contain all of some ids, which are sorted.
fn ranges(tensor: &TensorInfo, ids: &[u32], grouping: Grouping) -> Vec<Range<u64>> {
    let rows = tensor.shape.first().copied().unwrap_or(0);
    if tensor.order == Order::ColumnMajor {
        // Any row takes the whole tensor to be read.
        return std::iter::once(0..rows)
            .filter(|_| !ids.is_empty())
            .collect();
    }
    let bytes = (tensor.bytes() / rows.max(1)).max(1);
    let mut ranges: Vec<Range<u64>> = Vec::new();
    for id in ids.iter().copied().map(u64::from) {
        match ranges.last_mut() {
            Some(last)
                if (id - last.end) * bytes <= grouping.gap
                    && (id + 1 - last.start) * bytes <= grouping.most =>
            {
                last.end = id + 1;
            }
            _ => ranges.push(id..id + 1),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::{ON_A_SERVER, ON_THIS_MACHINE, ranges};
    use crate::checkpoint::{Dtype, Order, TensorInfo};

    #[test]
    fn rows_that_lie_close_together_are_read_together() {
        let table = |bytes: u64| TensorInfo {
            name: "words".to_owned(),
            dtype: Dtype::F32,
            shape: vec![100_000, bytes / 4],
            file: 0,
            begin: 64,
            end: 64 + 100_000 * bytes,
            order: Order::RowMajor,
        };
        let grouping = ON_A_SERVER;
        assert_eq!(ranges(&table(64), &[], grouping), []);
        assert_eq!(
            ranges(&table(64), &[7, 8, 20, 200, 9_000], grouping),
            [7..201, 9_000..9_001]
        );
        assert_eq!(
            ranges(&table(grouping.gap), &[1, 2, 4, 6, 9], grouping),
            [1..7, 9..10]
        );
        assert_eq!(
            ranges(&table(grouping.most), &[1, 2], grouping),
            [1..2, 2..3]
        );
        // A file of this machine is read in fewer pieces.
        assert_eq!(
            ranges(&table(64), &[7, 3_000, 90_000], ON_THIS_MACHINE),
            [7..3_001, 90_000..90_001]
        );
        let turned = TensorInfo {
            order: Order::ColumnMajor,
            ..table(64)
        };
        assert_eq!(
            ranges(&turned, &[3, 90_000], grouping).first(),
            Some(&(0..100_000))
        );
    }
}
