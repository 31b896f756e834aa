// Means over blocks of a stored matrix, one thread per block. Numbers that are not finite are detected by their bits,
// because a shader may be compiled as if they did not exist.

struct Task {
    rows: u32,
    cols: u32,
    row_step: u32,
    col_step: u32,
}

@group(0) @binding(0) var<uniform> task: Task;
@group(0) @binding(1) var<storage, read> cells: array<u32>;
@group(0) @binding(2) var<storage, read_write> means: array<u32>;

const NOT_A_NUMBER = 0x7fc00000u;
const INFINITY = 0x7f800000u;
const SIGN = 0x80000000u;

@compute @workgroup_size(64)
fn average(@builtin(global_invocation_id) id: vec3<u32>) {
    let width = (task.cols + task.col_step - 1u) / task.col_step;
    let height = (task.rows + task.row_step - 1u) / task.row_step;
    if id.x >= width || id.y >= height {
        return;
    }
    let top = id.y * task.row_step;
    let left = id.x * task.col_step;
    let bottom = min(top + task.row_step, task.rows);
    let right = min(left + task.col_step, task.cols);
    let share = 1.0 / f32((bottom - top) * (right - left));
    var sum = 0.0;
    var plus = false;
    var minus = false;
    var none = false;
    for (var i = top; i < bottom; i++) {
        // Summing each row separately keeps precision for large blocks.
        var of_row = 0.0;
        for (var j = left; j < right; j++) {
            let bits = cells[i * task.cols + j];
            if (bits & INFINITY) != INFINITY {
                of_row += bitcast<f32>(bits) * share;
            } else if (bits & ~SIGN) != INFINITY {
                none = true;
            } else if (bits & SIGN) == 0u {
                plus = true;
            } else {
                minus = true;
            }
        }
        sum += of_row;
    }
    var mean = bitcast<u32>(sum);
    if none || (plus && minus) {
        mean = NOT_A_NUMBER;
    } else if plus {
        mean = INFINITY;
    } else if minus {
        mean = INFINITY | SIGN;
    }
    means[id.y * width + id.x] = mean;
}
