//! Code for the scores of heads that depend on the offset between query and key alone.

use super::{
    python::{CodeSegment, name_in_layer},
    readable,
};
use crate::{
    checkpoint::Weights,
    model::{
        AxisTensors, GaussianTensors, KernelTensors, OffsetRows, PositionModel, PositionSource,
        PositionTensors, WindowLayout,
    },
};

/// `stored_gaussians(layer)`, of models with Gaussian heads.
pub(super) fn gaussian_function(model: &PositionModel) -> Option<CodeSegment> {
    let PositionTensors::Gaussians { layers } = &model.source_description().positions else {
        return None;
    };
    let column = |name: fn(&GaussianTensors) -> &String| {
        let names: Vec<String> = layers.iter().map(|layer| name(layer).clone()).collect();
        format!("tensor({})", in_layer(&names))
    };
    let centres = column(|layer| &layer.centres);
    let spreads = column(|layer| &layer.spreads);
    let about =
        "Centres of the heads of a layer, [heads, 2], and roots of their inverse covariances.";
    Some(CodeSegment::function(
        "stored_gaussians(layer)",
        about,
        &[format!("return {centres}, {spreads}")],
    ))
}

/// `scores(layer, head)`, if programs can compute the scores of this kind of positions.
pub(super) async fn score_function<W: Weights>(
    model: &PositionModel,
    file: &W,
) -> Result<Option<CodeSegment>, String> {
    let tensors = &model.source_description().positions;
    for name in tensors.names() {
        readable(file, &name).await?;
    }
    let function = |body: &[String]| {
        let about = "Positional scores of a head, [n, n].";
        CodeSegment::function("scores(layer, head)", about, body)
    };
    Ok(match (&model.positions, tensors) {
        (
            PositionSource::ByOffset(OffsetRows::Buckets(buckets), n),
            PositionTensors::Buckets { tensors, .. },
        ) => {
            let count = buckets.buckets_of_direction();
            let both = if buckets.is_bidirectional() {
                "True"
            } else {
                "False"
            };
            let body = [
                format!(
                    "table = tensor({})  # a row for each bucket of offsets",
                    in_layer(tensors)
                ),
                format!(
                    "return bucket_scores(table[:, head], {n}, {count}, {}, {both})",
                    buckets.max_distance()
                ),
            ];
            Some(function(&body).with_part("bucket_scores"))
        }
        (
            PositionSource::ByGridOffset(window),
            PositionTensors::Window {
                tensors, layout, ..
            },
        ) => {
            let name = in_layer(tensors);
            let (across, down) = (2 * window.grid.width - 1, 2 * window.grid.height - 1);
            let map = match layout {
                // Rows are in the order of query minus key.
                WindowLayout::OffsetRows => format!(
                    "tensor({name})[: {down} * {across}, head][::-1].reshape({down}, {across})"
                ),
                WindowLayout::HeadMatrices => format!("tensor({name})[head]"),
                WindowLayout::Distances => {
                    format!("mirrored(tensor({name})[head].reshape(GRID))")
                }
            };
            let body = [
                format!("by_offset = {map}  # a row for each Δy, a column for each Δx"),
                "return window_scores(by_offset, GRID)".to_owned(),
            ];
            Some(function(&body).with_part("window_scores"))
        }
        (PositionSource::ByGridOffset(_), PositionTensors::Gaussians { .. }) => {
            let body = [
                "centre, spread = (part[head] for part in stored_gaussians(layer))",
                "root = spread * np.eye(2) if spread.ndim == 0 else spread",
                "inverse = root @ root.T  # of the covariance",
                "steps = np.stack(np.mgrid[1 - GRID[0] : GRID[0], 1 - GRID[1] : GRID[1]], axis=-1)",
                "# -(step - centre) inverse (step - centre) / 2, less its value at step 0.",
                "by_offset = steps @ inverse @ centre - (steps @ inverse * steps).sum(axis=-1) / 2",
                "return window_scores(by_offset, GRID)",
            ];
            Some(function(&body.map(str::to_owned)).with_part("window_scores"))
        }
        (PositionSource::ByGridOffset(_), PositionTensors::Axes { layers }) => {
            let column = |name: fn(&AxisTensors) -> &String| {
                let names: Vec<String> = layers.iter().map(|layer| name(layer).clone()).collect();
                format!("tensor({})", in_layer(&names))
            };
            let down = column(|layer| &layer.down);
            let across = column(|layer| &layer.across);
            let body = [
                format!("down = {down} @ {}[head]", column(|layer| &layer.down_keys)),
                format!(
                    "across = {across} @ {}[head]",
                    column(|layer| &layer.across_keys)
                ),
                "# Scores of the steps that the grid has; step 0 is in the middle.".to_owned(),
                "zero, side = len(down) // 2, GRID[0] - 1".to_owned(),
                "down = down[zero - side : zero + side + 1]".to_owned(),
                "zero, side = len(across) // 2, GRID[1] - 1".to_owned(),
                "across = across[zero - side : zero + side + 1]".to_owned(),
                "return window_scores(down[:, None] + across, GRID)".to_owned(),
            ];
            Some(function(&body).with_part("window_scores"))
        }
        (PositionSource::Kernels(n), PositionTensors::Kernels { layers }) => {
            let column = |name: fn(&KernelTensors) -> &String| {
                let names: Vec<String> = layers.iter().map(|layer| name(layer).clone()).collect();
                format!("tensor({})[:, head]", in_layer(&names))
            };
            let body = [
                format!("centres = -1.0 - {}", column(|layer| &layer.offsets)),
                format!("amplitudes = {}", column(|layer| &layer.amplitudes)),
                format!("sharpness = {}", column(|layer| &layer.sharpness)),
                format!("return kernel_scores(list(zip(amplitudes, sharpness, centres)), {n})"),
            ];
            Some(function(&body).with_part("kernels"))
        }
        _ => None,
    })
}

/// An expression for the name of a tensor in the layer `layer`.
fn in_layer(names: &[String]) -> String {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    name_in_layer(&names)
}
