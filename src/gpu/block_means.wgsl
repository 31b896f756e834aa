// Means over blocks of rows in every column of a matrix, one thread per mean. Numbers are finite or NaN; NaN is detected
// by its bits, because a shader may be compiled as if it did not exist.

struct Task {
    rows: u32,
    cols: u32,
    step: u32,
    unused: u32,
}

@group(0) @binding(0) var<uniform> task: Task;
@group(0) @binding(1) var<storage, read> cells: array<u32>;
@group(0) @binding(2) var<storage, read_write> means: array<u32>;

const NOT_A_NUMBER = 0x7fc00000u;
const INFINITY = 0x7f800000u;

@compute @workgroup_size(64)
fn average(@builtin(global_invocation_id) id: vec3<u32>) {
    let height = (task.rows + task.step - 1u) / task.step;
    if id.x >= task.cols || id.y >= height {
        return;
    }
    let top = id.y * task.step;
    let bottom = min(top + task.step, task.rows);
    let share = 1.0 / f32(bottom - top);
    var sum = 0.0;
    var fails = false;
    for (var i = top; i < bottom; i++) {
        let bits = cells[i * task.cols + id.x];
        if (bits & INFINITY) != INFINITY {
            sum += bitcast<f32>(bits) * share;
        } else {
            fails = true;
        }
    }
    means[id.y * task.cols + id.x] = select(bitcast<u32>(sum), NOT_A_NUMBER, fails);
}
