// Attention of n positions among themselves, without a buffer of n² cells. A workgroup has 32 queries and loops over
// all keys, 32 at a time; each of its 8×8 threads computes 4×4 cells.
//
// `attend` computes the greatest score and the sum of exponentials of every query. `average` takes these and computes
// the mean attention of every query to each block of keys. Numbers that are not finite are detected and written as
// bits, because a shader may be compiled as if they did not exist.

struct Task {
    // Number of positions; columns of queries and keys.
    n: u32,
    r: u32,
    // First query and number of queries of this dispatch; results are indexed from the first.
    first: u32,
    queries: u32,
    // 1 if a query sees only the keys up to its own position.
    causal: u32,
    // Added to scores: 0: nothing, 1: f(j − i), 2: f(Δy, Δx) on a grid.
    bias: u32,
    grid_height: u32,
    grid_width: u32,
    // Range of keys of the map, keys per block, and blocks per workgroup.
    keys_start: u32,
    keys_end: u32,
    step: u32,
    group: u32,
    scale: f32,
    shift: f32,
    unused: vec2<u32>,
}

@group(0) @binding(0) var<uniform> task: Task;
@group(0) @binding(1) var<storage, read> queries: array<f32>;
@group(0) @binding(2) var<storage, read> keys: array<f32>;
@group(0) @binding(3) var<storage, read> bias: array<f32>;
// For every query, the bits of its greatest score and of its sum.
@group(0) @binding(4) var<storage, read_write> rows: array<vec2<u32>>;
// Bits of every query's mean attention to blocks of keys.
@group(0) @binding(5) var<storage, read_write> results: array<u32>;
// Bits of the smallest and the greatest cell of the map. Weights are not negative, so their bits are ordered like the
// numbers.
@group(0) @binding(6) var<storage, read_write> extremes: array<atomic<u32>, 2>;

const SIDE = 32u;
const DEPTH = 16u;
const NOT_A_NUMBER = 0x7fc00000u;
const INFINITY = 0x7f800000u;
const SIGN = 0x80000000u;
// The lowest finite number, at most every finite score.
const LOWEST = -3.402823e38;
// exp(x) is 0 for x below this.
const FLOOR = -200.0;

var<workgroup> lefts: array<f32, 512>;
var<workgroup> rights: array<f32, 512>;
var<workgroup> weights: array<f32, 1024>;
var<workgroup> shared_numbers: array<f32, 256>;
var<workgroup> shared_faults: array<u32, 256>;
var<workgroup> least: atomic<u32>;
var<workgroup> greatest: atomic<u32>;

fn added(i: u32, j: u32) -> f32 {
    if task.bias == 1u {
        return bias[j + task.n - 1u - i];
    }
    if task.bias == 2u {
        let width = task.grid_width;
        let dy = j / width + task.grid_height - 1u - i / width;
        let dx = j % width + width - 1u - i % width;
        return bias[dy * (2u * width - 1u) + dx];
    }
    return 0.0;
}

// Computes the scores of this thread's 4×4 cells. Contains barriers, so every thread of the workgroup must call it.
fn score(query: u32, key: u32, local: vec2<u32>, index: u32) -> array<vec4<f32>, 4> {
    var cells = array<vec4<f32>, 4>();
    for (var depth = 0u; depth < task.r; depth += DEPTH) {
        for (var at = index; at < SIDE * DEPTH; at += 64u) {
            let line = at / DEPTH;
            let k = depth + at % DEPTH;
            let slot = (at % DEPTH) * SIDE + line;
            var x = 0.0;
            var y = 0.0;
            if k < task.r && query + line < task.n {
                x = queries[(query + line) * task.r + k];
            }
            if k < task.r && key + line < task.n {
                y = keys[(key + line) * task.r + k];
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
        for (var q = 0u; q < 4u; q++) {
            let i = query + local.y * 4u + p;
            let j = key + local.x * 4u + q;
            if i < task.n && j < task.n {
                cells[p][q] = cells[p][q] * task.scale + (task.shift + added(i, j));
            }
        }
    }
    return cells;
}

fn is_seen(i: u32, j: u32) -> bool {
    return i < task.n && j < task.n && (task.causal == 0u || j <= i);
}

fn is_finite(bits: u32) -> bool {
    return (bits & INFINITY) != INFINITY;
}

@compute @workgroup_size(8, 8)
fn attend(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local_id: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let local = local_id.xy;
    let query = task.first + group.x * SIDE;
    var end = task.n;
    if task.causal != 0u {
        end = min(end, query + SIDE);
    }
    var high = vec4(LOWEST);
    var total = vec4(0.0);
    var fault = vec4(0u);
    for (var key = 0u; key < end; key += SIDE) {
        var cells = score(query, key, local, index);
        var counts = array<vec4<bool>, 4>();
        for (var p = 0u; p < 4u; p++) {
            var most = LOWEST;
            for (var q = 0u; q < 4u; q++) {
                let i = query + local.y * 4u + p;
                let j = key + local.x * 4u + q;
                let bits = bitcast<u32>(cells[p][q]);
                if is_seen(i, j) {
                    if is_finite(bits) {
                        counts[p][q] = true;
                        most = max(most, cells[p][q]);
                    } else if bits != (INFINITY | SIGN) {
                        fault[p] = 1u;
                    }
                }
            }
            shared_numbers[(local.y * 4u + p) * 8u + local.x] = most;
        }
        workgroupBarrier();
        for (var p = 0u; p < 4u; p++) {
            let line = local.y * 4u + p;
            var most = high[p];
            for (var x = 0u; x < 8u; x++) {
                most = max(most, shared_numbers[line * 8u + x]);
            }
            let fading = exp(max(high[p] - most, FLOOR));
            high[p] = most;
            total[p] *= fading;
            for (var q = 0u; q < 4u; q++) {
                if counts[p][q] {
                    total[p] += exp(max(cells[p][q] - most, FLOOR));
                }
            }
        }
        workgroupBarrier();
    }
    for (var p = 0u; p < 4u; p++) {
        let line = local.y * 4u + p;
        shared_numbers[line * 8u + local.x] = total[p];
        shared_faults[line * 8u + local.x] = fault[p];
    }
    workgroupBarrier();
    for (var p = 0u; p < 4u; p++) {
        let line = local.y * 4u + p;
        let at = group.x * SIDE + line;
        var sum = 0.0;
        var faults = 0u;
        for (var x = 0u; x < 8u; x++) {
            sum += shared_numbers[line * 8u + x];
            faults |= shared_faults[line * 8u + x];
        }
        // If every score is −∞, the softmax is undefined: write NaN.
        let fails = faults != 0u || sum == 0.0;
        if local.x == 0u && at < task.queries {
            let known = vec2(bitcast<u32>(high[p]), bitcast<u32>(sum));
            rows[at] = select(known, vec2(NOT_A_NUMBER), fails);
        }
    }
}

@compute @workgroup_size(8, 8)
fn average(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local_id: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let local = local_id.xy;
    let query = task.first + group.x * SIDE;
    let blocks = (task.keys_end - task.keys_start + task.step - 1u) / task.step;
    let start = task.keys_start + group.y * task.group * task.step;
    let end = min(start + task.group * task.step, task.keys_end);
    if index == 0u {
        atomicStore(&least, 0xffffffffu);
        atomicStore(&greatest, 0u);
    }
    var high = vec4(0.0);
    var total = vec4(1.0);
    var fails = vec4(true);
    for (var p = 0u; p < 4u; p++) {
        let at = group.x * SIDE + local.y * 4u + p;
        if at < task.queries {
            let known = rows[at];
            if is_finite(known.y) {
                high[p] = bitcast<f32>(known.x);
                total[p] = bitcast<f32>(known.y);
                fails[p] = false;
            }
        }
    }
    workgroupBarrier();
    // Per query (index `line` in this workgroup), the sum over the single block of this workgroup.
    let line = index % SIDE;
    let at = group.x * SIDE + line;
    var fault = at >= task.queries;
    if !fault {
        fault = !is_finite(rows[at].y);
    }
    var sum = 0.0;
    var low = 0xffffffffu;
    var top = 0u;
    for (var key = start; key < end; key += SIDE) {
        var cells = array<vec4<f32>, 4>();
        if task.causal == 0u || key < query + SIDE {
            cells = score(query, key, local, index);
        }
        for (var p = 0u; p < 4u; p++) {
            for (var q = 0u; q < 4u; q++) {
                let i = query + local.y * 4u + p;
                let j = key + local.x * 4u + q;
                var weight = 0.0;
                if !fails[p] && j < end && is_seen(i, j) {
                    if is_finite(bitcast<u32>(cells[p][q])) {
                        weight = exp(max(cells[p][q] - high[p], FLOOR)) / total[p];
                    }
                    low = min(low, bitcast<u32>(weight));
                    top = max(top, bitcast<u32>(weight));
                }
                weights[(local.y * 4u + p) * SIDE + local.x * 4u + q] = weight;
            }
        }
        workgroupBarrier();
        if task.group == 1u {
            if index < SIDE {
                var of_tile = 0.0;
                for (var t = 0u; t < SIDE; t++) {
                    of_tile += weights[line * SIDE + t];
                }
                sum += of_tile;
            }
        } else {
            for (var b = index / SIDE; b < task.group; b += 2u) {
                let from_key = b * task.step;
                let to_key = min(from_key + task.step, end - start);
                var of_block = 0.0;
                for (var t = from_key; t < to_key; t++) {
                    of_block += weights[line * SIDE + t];
                }
                let block = group.y * task.group + b;
                if at < task.queries && block < blocks {
                    let mean = of_block / f32(to_key - from_key);
                    // Cells that the mask hides are zero even in a row that is NaN.
                    let spoils = fault && is_seen(query + line, start + from_key);
                    results[at * blocks + block] =
                        select(bitcast<u32>(mean), NOT_A_NUMBER, spoils);
                }
            }
        }
        workgroupBarrier();
    }
    if task.group == 1u && index < SIDE && at < task.queries {
        let mean = sum / f32(end - start);
        let spoils = fault && is_seen(query + line, start);
        results[at * blocks + group.y] = select(bitcast<u32>(mean), NOT_A_NUMBER, spoils);
    }
    atomicMin(&least, low);
    atomicMax(&greatest, top);
    workgroupBarrier();
    if index == 0u {
        atomicMin(&extremes[0], atomicLoad(&least));
        atomicMax(&extremes[1], atomicLoad(&greatest));
    }
}
