//! Checks whether a table of scores by offset belongs to a two-dimensional window. Its number of rows is not enough:
//! 441 = 21² rows fit a window of 11 × 11 patches as well as one of 5 frames of 4 × 4.
//!
//! Two tensors decide: `relative_position_index`, which has a row and a column per cell of the window, and the patch
//! map, whose weight has five dimensions if patches are cut out of videos or volumes.

use super::ModelError;
use crate::{
    checkpoint::{TensorInfo, Weights},
    encoding::WindowBias,
    math::Grid,
};

/// Name suffixes of tables of scores and of their indices.
const TABLE: &str = "relative_position_bias_table";
const INDEX: &str = "relative_position_index";
/// Name suffix of patch maps.
const PATCHES: &str = "patch_embed.proj.weight";

/// The window of a table: `by_rows` unless the index requires another two-dimensional window.
///
/// # Errors
/// [`ModelError::ThreeOffsets`] if the window has three dimensions, [`ModelError::Window`] if table and index
/// contradict each other.
pub(super) async fn check<W: Weights>(
    checkpoint: &W,
    table: &TensorInfo,
    by_rows: Option<WindowBias>,
    has_class: bool,
    sides: Option<(u32, u32)>,
) -> Result<Option<WindowBias>, ModelError> {
    let rows = table.shape.first().copied().unwrap_or(0);
    // The class token is a cell of the index, too.
    let cells = index_size(checkpoint, table).await;
    let cells = cells.map(|cells| cells.saturating_sub(u64::from(has_class)));
    let Some(cells) = cells.filter(|cells| *cells > 0) else {
        return if cuts_volumes(checkpoint).await {
            Err(three_offsets(table, None))
        } else {
            Ok(by_rows)
        };
    };
    if by_rows.is_some_and(|window| window.grid.cells() as u64 == cells) {
        return Ok(by_rows);
    }
    let offsets = rows.saturating_sub(if has_class { 3 } else { 0 });
    if let Some(grid) = flat_window(offsets, cells, sides) {
        return Ok(Some(WindowBias { grid, has_class }));
    }
    match volume(offsets, cells) {
        Some(window) => Err(three_offsets(table, Some(window))),
        None => Err(ModelError::Window {
            tensor: table.name.clone(),
            rows,
            cells,
        }),
    }
}

fn three_offsets(table: &TensorInfo, window: Option<[u64; 3]>) -> ModelError {
    ModelError::ThreeOffsets {
        tensor: table.name.clone(),
        rows: table.shape.first().copied().unwrap_or(0),
        window,
    }
}

/// Number of cells of the window, from the table's index tensor: [cells, cells], or flattened.
async fn index_size<W: Weights>(checkpoint: &W, table: &TensorInfo) -> Option<u64> {
    let name = format!("{}{INDEX}", table.name.strip_suffix(TABLE)?);
    if !checkpoint.has(&name) {
        return None;
    }
    let index = checkpoint.locate(&name).await.ok()?;
    match index.shape[..] {
        [rows, columns] if rows == columns => Some(rows),
        [all] => Some(all.isqrt()).filter(|side| side * side == all),
        _ => None,
    }
}

/// Whether patches are three-dimensional, with a map of shape [out, in, frames, rows, columns].
async fn cuts_volumes<W: Weights>(checkpoint: &W) -> bool {
    let names = checkpoint.names();
    let Some(name) = names.into_iter().find(|name| name.ends_with(PATCHES)) else {
        return false;
    };
    let map = checkpoint.locate(name).await;
    map.is_ok_and(|map| map.shape.len() == 5)
}

/// The two-dimensional window with given numbers of offsets and cells; the configured one if several fit.
fn flat_window(offsets: u64, cells: u64, sides: Option<(u32, u32)>) -> Option<Grid> {
    let fits = |height: u64| {
        cells.is_multiple_of(height) && {
            let width = cells / height;
            (2 * height - 1).checked_mul(2 * width - 1) == Some(offsets)
        }
    };
    let configured = sides.map(|(height, _)| u64::from(height));
    let grid = |height: u64| Grid {
        height: height as usize,
        width: (cells / height) as usize,
    };
    configured
        .into_iter()
        .chain(1..=cells.isqrt())
        .find(|height| *height > 0 && fits(*height))
        .map(grid)
}

/// Frames, rows and columns of a window with given numbers of offsets and cells, as square as possible.
fn volume(offsets: u64, cells: u64) -> Option<[u64; 3]> {
    let mut windows = Vec::new();
    for frames in (1..=offsets.min(MOST_FRAMES)).filter(|frames| cells.is_multiple_of(*frames)) {
        let reach = 2 * frames - 1;
        if !offsets.is_multiple_of(reach) {
            continue;
        }
        if let Some(Grid { height, width }) = flat_window(offsets / reach, cells / frames, None) {
            windows.push([frames, height as u64, width as u64]);
        }
    }
    let uneven = |window: &[u64; 3]| window[2].abs_diff(window[1]);
    windows
        .into_iter()
        .filter(|[frames, ..]| *frames > 1)
        .min_by_key(uneven)
}

/// Maximum number of frames that is tried.
const MOST_FRAMES: u64 = 1024;
