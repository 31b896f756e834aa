//! Reader of the scores of a window, in every arrangement, as one row per offset and one column per head.

use ndarray::Array2;

use super::{ModelError, WindowLayout, read};
use crate::{
    checkpoint::{TensorInfo, Weights},
    encoding::WindowBias,
    math::Grid,
};

/// Number of rows and heads of a tensor of scores, as if it had a row for every offset; `None` if its shape does not fit
/// the layout. Distances of a window of w² positions stand for (2w − 1)² offsets.
pub(super) fn rows_and_heads(tensor: &TensorInfo, layout: WindowLayout) -> Option<(u64, u64)> {
    match (layout, &tensor.shape[..]) {
        (WindowLayout::OffsetRows, &[rows, heads]) => Some((rows, heads)),
        (WindowLayout::HeadMatrices, &[heads, height, width]) => {
            let is_odd = height % 2 == 1 && width % 2 == 1;
            is_odd.then_some((height.checked_mul(width)?, heads))
        }
        (WindowLayout::Distances, &[heads, distances]) => {
            let side = distances.isqrt();
            let reach = (2 * side).checked_sub(1)?;
            (side * side == distances).then_some((reach.checked_mul(reach)?, heads))
        }
        _ => None,
    }
}

/// Description of the shapes that fit a layout, for errors.
pub(super) fn expected_shape(layout: WindowLayout) -> &'static str {
    match layout {
        WindowLayout::OffsetRows => "one row per offset and one column per head",
        WindowLayout::HeadMatrices => "a matrix of 2h − 1 by 2w − 1 offsets for every head",
        WindowLayout::Distances => {
            "a row for every head with w² numbers, one for each pair of distances in a square window"
        }
    }
}

/// The window that a tensor's own shape gives; `None` where its rows or an index decide.
pub(super) fn stored_window(tensor: &TensorInfo, layout: WindowLayout) -> Option<WindowBias> {
    let (height, width) = match (layout, &tensor.shape[..]) {
        (WindowLayout::HeadMatrices, &[_, height, width]) => {
            (height.div_ceil(2), width.div_ceil(2))
        }
        (WindowLayout::Distances, &[_, distances]) => (distances.isqrt(), distances.isqrt()),
        _ => return None,
    };
    let grid = Grid {
        height: usize::try_from(height).ok()?,
        width: usize::try_from(width).ok()?,
    };
    Some(WindowBias {
        grid,
        has_class: false,
    })
}

/// Reads the scores of a layer: [rows, heads], rows as in [`WindowBias::row`].
pub(super) async fn read_scores<W: Weights>(
    checkpoint: &W,
    tensor: &TensorInfo,
    layout: WindowLayout,
    window: WindowBias,
    heads: usize,
) -> Result<Array2<f32>, ModelError> {
    let rows = window.rows();
    let is_other = stored_window(tensor, layout).is_some_and(|own| own != window);
    if is_other || rows_and_heads(tensor, layout) != Some((rows as u64, heads as u64)) {
        let expected = format!("{rows} × {heads}, as in the first layer");
        return Err(read::wrong_shape(tensor, expected));
    }
    let numbers = checkpoint.read(tensor).await?;
    let columns = tensor.shape.last().map_or(1, |columns| *columns as usize);
    read::refuse_non_numbers(&numbers, tensor, 0, columns)?;
    let of_head = numbers.len() / heads.max(1);
    let number = |head: usize, at: usize| numbers.get(head * of_head + at).copied();
    let grid = window.grid;
    let score = |(row, head): (usize, usize)| match layout {
        WindowLayout::OffsetRows => numbers.get(row * heads + head).copied(),
        // Key minus query is the other way round.
        WindowLayout::HeadMatrices => number(head, rows - 1 - row),
        WindowLayout::Distances => {
            let (_, across) = grid.reach();
            let (y, x) = (row / across, row % across);
            let (dy, dx) = (y.abs_diff(grid.height - 1), x.abs_diff(grid.width - 1));
            number(head, dy * grid.width + dx)
        }
    };
    Ok(Array2::from_shape_fn((rows, heads), |at| {
        score(at).unwrap_or_default()
    }))
}
