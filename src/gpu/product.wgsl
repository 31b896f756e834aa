// A·Bᵀ: each workgroup computes 64×64 cells, each of its 16×16 threads 4×4 of them, from 16 columns of A and B at a
// time.

struct Task {
    m: u32,
    n: u32,
    r: u32,
    // 1 if the inputs are packed as two half-precision numbers per word.
    half: u32,
}

@group(0) @binding(0) var<uniform> task: Task;
@group(0) @binding(1) var<storage, read> a: array<u32>;
@group(0) @binding(2) var<storage, read> b: array<u32>;
@group(0) @binding(3) var<storage, read_write> product: array<f32>;

const SIDE = 64u;
const DEPTH = 16u;

// Stored by columns, so that the numbers a thread reads at once are contiguous.
var<workgroup> lefts: array<f32, 1024>;
var<workgroup> rights: array<f32, 1024>;

fn number(word: u32, at: u32) -> f32 {
    if task.half == 0u {
        return bitcast<f32>(word);
    }
    return unpack2x16float(word)[at & 1u];
}

fn place(at: u32) -> u32 {
    return select(at, at / 2u, task.half != 0u);
}

@compute @workgroup_size(16, 16)
fn multiply(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let row = group.y * SIDE;
    let col = group.x * SIDE;
    var cells = array<vec4<f32>, 4>();
    for (var depth = 0u; depth < task.r; depth += DEPTH) {
        for (var at = index; at < SIDE * DEPTH; at += 256u) {
            let line = at / DEPTH;
            let k = depth + at % DEPTH;
            let slot = (at % DEPTH) * SIDE + line;
            let left = (row + line) * task.r + k;
            let right = (col + line) * task.r + k;
            var x = 0.0;
            var y = 0.0;
            if k < task.r && row + line < task.m {
                x = number(a[place(left)], left);
            }
            if k < task.r && col + line < task.n {
                y = number(b[place(right)], right);
            }
            lefts[slot] = x;
            rights[slot] = y;
        }
        workgroupBarrier();
        for (var k = 0u; k < DEPTH; k++) {
            let i = k * SIDE + local.y * 4u;
            let j = k * SIDE + local.x * 4u;
            let y = vec4(rights[j], rights[j + 1u], rights[j + 2u], rights[j + 3u]);
            cells[0] += lefts[i] * y;
            cells[1] += lefts[i + 1u] * y;
            cells[2] += lefts[i + 2u] * y;
            cells[3] += lefts[i + 3u] * y;
        }
        workgroupBarrier();
    }
    for (var p = 0u; p < 4u; p++) {
        let i = row + local.y * 4u + p;
        for (var q = 0u; q < 4u; q++) {
            let j = col + local.x * 4u + q;
            if i < task.m && j < task.n {
                product[i * task.n + j] = cells[p][q];
            }
        }
    }
}
