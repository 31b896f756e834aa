//! A weight of a layer as its file stores it, with another part in the place of the part that a layer uses.

use super::{Cut, LinearTensors, ModelError, linear, read};
use crate::checkpoint::Weights;
use ndarray::{ArrayView2, ArrayViewMut2, s};

/// A tensor under the name and in the shape of its file, in single precision.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredWeight {
    /// Name in the file.
    pub name: String,
    /// Shape in the file.
    pub shape: Vec<usize>,
    /// Numbers, row by row.
    pub numbers: Vec<f32>,
}

/// Reads the tensor of a linear map and puts another weight, [in, out], in the place of the map's part. Other parts, such
/// as queries and values beside keys, stay as they are.
pub(super) async fn replace<W: Weights>(
    checkpoint: &W,
    map: &LinearTensors,
    weight: ArrayView2<'_, f32>,
    heads: usize,
) -> Result<StoredWeight, ModelError> {
    let stored = checkpoint.locate(&map.weight).await?;
    let tensor = linear::as_matrix(stored.clone(), map.cut);
    linear::check_shape(&tensor, map.cut, weight.nrows(), heads)?;
    let mut numbers = checkpoint.read(&stored).await?;
    let columns = tensor.shape.last().map_or(0, |columns| *columns as usize);
    let shape = (numbers.len() / columns.max(1), columns);
    let wrong = || read::wrong_shape(&tensor, format!("{} × {}", weight.nrows(), weight.ncols()));
    let all = ArrayViewMut2::from_shape(shape, &mut numbers);
    let mut all = all.ok().ok_or_else(wrong)?;
    let rows = weight.t();
    let fits = |part: (usize, usize), given: (usize, usize)| match part == given {
        true => Ok(()),
        false => Err(wrong()),
    };
    match map.cut {
        Cut::Rows { part, of } => {
            let mut place = all.slice_mut(s![linear::span(shape.0, part, of), ..]);
            fits(place.dim(), rows.dim())?;
            place.assign(&rows);
        }
        Cut::Columns { part, of } => {
            let mut place = all.slice_mut(s![.., linear::span(shape.1, part, of)]);
            fits(place.dim(), weight.dim())?;
            place.assign(&weight);
        }
        Cut::HeadRows { part, of } => {
            let mut first = 0;
            for range in linear::head_rows(shape.0, part, of, heads) {
                let next = first + range.len();
                fits((next.min(rows.nrows()), columns), (next, rows.ncols()))?;
                let mut place = all.slice_mut(s![range, ..]);
                place.assign(&rows.slice(s![first..next, ..]));
                first = next;
            }
        }
    }
    Ok(StoredWeight {
        shape: stored.shape.iter().map(|side| *side as usize).collect(),
        name: stored.name,
        numbers,
    })
}
