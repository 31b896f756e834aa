// What the benchmark against other libraries runs in a worker of the browser: the same work on the same numbers by each
// of them, one after the other in turn. `measure(work, size, names, runs)` gives, by name, the times in milliseconds of
// every run and a few numbers of the answer, which must agree. What a message asks for is answered by a message.
//
// A classic worker, because TensorFlow.js knows no modules.

const HEADS = 12, HEAD_WIDTH = 64, WIDTH = 768, PROBES = 64;

// ── ONNX: a graph as protocol buffers, of which it needs numbers, texts and messages alone ──

/** A whole number that is not negative. */
const varint = value => {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return [...bytes, value];
};
const number = (field, value) => [...varint(8 * field), ...varint(value)];
const message = (field, bytes) => [...varint(8 * field + 2), ...varint(bytes.length), ...bytes];
const text = (field, value) => message(field, new TextEncoder().encode(value));

/** A list of whole numbers, each as a field of its own. */
const numbers = (field, values) => values.flatMap(value => number(field, value));
/** A number of single precision. */
const float = (field, value) => [...varint(8 * field + 5), ...new Uint8Array(new Float32Array([value]).buffer)];

/** A matrix of single precision among the inputs or outputs of a graph. */
const matrix = (field, name, rows, columns) => {
  const shape = [rows, columns].flatMap(size => message(1, number(1, size)));
  return message(field, [...text(1, name), ...message(2, message(1, [...number(1, 1), ...message(2, shape)]))]);
};

/** An attribute: a list of whole numbers, a fraction, or a whole number. */
const attribute = (name, value) => message(5, [
  ...text(1, name),
  ...(Array.isArray(value) ? [...numbers(8, value), ...number(20, 7)]
    : Number.isInteger(value) ? [...number(3, value), ...number(20, 2)]
    : [...float(2, value), ...number(20, 1)]),
]);

/** A node: an operator, what it reads and what it gives. */
const node = (operator, inputs, output, attributes = {}) => message(1, [
  ...inputs.flatMap(name => text(1, name)), ...text(2, output), ...text(4, operator),
  ...Object.entries(attributes).flatMap(([name, value]) => attribute(name, value)),
]);

/**
 * A model of a graph, and of tensors that are part of it: they are given once, not with every question. Numbers are in
 * single precision, or 64-bit integers.
 */
function model(parts, constants = []) {
  const graph = [...parts, ...text(2, "peer")], pieces = [new Uint8Array(graph)];
  for (const { name, shape, numbers: values } of constants) {
    const kind = values instanceof BigInt64Array ? 7 : 1, size = varint(values.byteLength);
    const about = [...numbers(1, shape), ...number(2, kind), ...text(8, name), ...varint(8 * 9 + 2), ...size];
    pieces.push(new Uint8Array([...varint(8 * 5 + 2), ...varint(about.length + values.byteLength), ...about]));
    pieces.push(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  }
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  pieces.unshift(new Uint8Array([
    ...number(1, 8), ...message(8, [...text(1, ""), ...number(2, 17)]), ...varint(8 * 7 + 2), ...varint(length),
  ]));
  const bytes = new Uint8Array(length + pieces[0].length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** E·Eᵀ. */
const productModel = n => model([
  ...node("Gemm", ["e", "e"], "p", { transB: 1 }), ...matrix(11, "e", n, WIDTH), ...matrix(12, "p", n, n),
]);

/** softmax(Q·Kᵀ + bias)·V of one head. */
const attentionModel = (n, bias) => model([
  ...node("Gemm", ["q", "k", "bias"], "scores", { transB: 1 }), ...node("Softmax", ["scores"], "a", { axis: 1 }),
  ...node("MatMul", ["a", "v"], "out"),
  ...matrix(11, "q", n, HEAD_WIDTH), ...matrix(11, "k", n, HEAD_WIDTH), ...matrix(11, "v", n, HEAD_WIDTH),
  ...matrix(12, "out", n, HEAD_WIDTH),
], [{ name: "bias", shape: [n, n], numbers: bias }]);

/** The layers of a BERT; `layers` are the tensors of each, in the order of the race. */
function bertModel(n, [width, inner, heads], layers) {
  const parts = [...matrix(11, "x0", n, width), ...matrix(12, `x${layers.length}`, n, width)], constants = [];
  const constant = (name, shape, numbers) => (constants.push({ name, shape, numbers }), name);
  const scalar = (name, value) => constant(name, [], new Float32Array([value]));
  const shape = (name, sizes) => constant(name, [sizes.length], BigInt64Array.from(sizes, BigInt));
  const add = (...given) => (parts.push(...node(...given)), given[2]);
  const split = shape("split", [n, heads, width / heads]), joined = shape("joined", [n, width]);
  const scale = scalar("scale", 1 / Math.sqrt(width / heads)), root = scalar("root", Math.SQRT2);
  const one = scalar("one", 1), half = scalar("half", 0.5);
  layers.forEach((tensors, layer) => {
    let next = 0;
    const at = name => `${name}${layer}`;
    const weight = (name, ...sizes) => constant(at(name), sizes, tensors[next++]);
    const linear = (input, name, out, from) =>
      add("Gemm", [input, weight(`${name}W`, out, from), weight(`${name}B`, out)], at(name), { transB: 1 });
    const norm = (input, name) =>
      add("LayerNormalization", [input, weight(`${name}W`, width), weight(`${name}B`, width)], name, { axis: 1, epsilon: 1e-12 });
    const x = at("x"), [q, k, v] = ["q", "k", "v"].map((name, part) => {
      const mapped = add("Reshape", [linear(x, name, width, width), split], at(`${name}Split`));
      return add("Transpose", [mapped], at(`${name}Heads`), { perm: part === 1 ? [1, 2, 0] : [1, 0, 2] });
    });
    const scores = add("Mul", [add("MatMul", [q, k], at("products")), scale], at("scores"));
    const attended = add("MatMul", [add("Softmax", [scores], at("attention"), { axis: 2 }), v], at("attended"));
    const together = add("Reshape", [add("Transpose", [attended], at("turned"), { perm: [1, 0, 2] }), joined], at("together"));
    const first = norm(add("Add", [linear(together, "o", width, width), x], at("sum")), at("normed"));
    const wide = linear(first, "inner", inner, width);
    const error = add("Add", [add("Erf", [add("Div", [wide, root], at("over"))], at("erf")), one], at("plus"));
    const gelu = add("Mul", [add("Mul", [wide, error], at("times")), half], at("gelu"));
    norm(add("Add", [linear(gelu, "out", width, inner), first], at("sum2")), `x${layer + 1}`);
  });
  return model(parts, constants);
}

// ── the peers: each gets ready for a kind of work and gives a function that does it and hands its numbers over ──

async function onnxSession(bytes) {
  const ort = await import(new URL("ort.wasm.min.mjs", location.href));
  ort.env.wasm.numThreads = 1;
  ort.env.wasm.wasmPaths = new URL("./", location.href).href;
  const session = await ort.InferenceSession.create(bytes, { executionProviders: ["wasm"] });
  const tensor = (numbers, rows) => new ort.Tensor("float32", numbers, [rows, numbers.length / rows]);
  const give = async (feeds, name) => (await session.run(feeds))[name].data;
  return { tensor, give };
}

async function tensorflow(backend) {
  importScripts("tf-core.min.js", `tf-backend-${backend}.min.js`);
  if (backend === "wasm") tf.wasm.setWasmPaths(new URL("./", location.href).href);
  if (!await tf.setBackend(backend)) throw new Error(`tfjs has no backend ${backend}`);
  await tf.ready();
  return tf;
}

const onnxruntime = {
  async product({ n, table }) {
    const { tensor, give } = await onnxSession(productModel(n));
    const e = tensor(table, n);
    return () => give({ e }, "p");
  },
  async attention({ n, parts, bias }) {
    const { tensor, give } = await onnxSession(attentionModel(n, bias));
    const heads = parts.map(part => part.map(numbers => tensor(numbers, n)));
    return async () => {
      const out = new Float32Array(HEADS * n * HEAD_WIDTH);
      for (const [head, [q, k, v]] of heads.entries())
        out.set(await give({ q, k, v }, "out"), head * n * HEAD_WIDTH);
      return out;
    };
  },
  async bert({ n, sizes, states, layers }) {
    const { tensor, give } = await onnxSession(bertModel(n, sizes, layers));
    const x0 = tensor(states, n);
    return () => give({ x0 }, `x${layers.length}`);
  },
};

const tfjs = backend => ({
  async product({ n, table }) {
    const tf = await tensorflow(backend);
    const e = tf.tensor2d(table, [n, WIDTH]);
    return async () => {
      const p = tf.matMul(e, e, false, true);
      const data = await p.data();
      p.dispose();
      return data;
    };
  },
  async attention({ n, parts, bias }) {
    const tf = await tensorflow(backend);
    const heads = parts.map(part => part.map(numbers => tf.tensor2d(numbers, [n, HEAD_WIDTH])));
    const square = tf.tensor2d(bias, [n, n]);
    return async () => {
      const out = new Float32Array(HEADS * n * HEAD_WIDTH);
      for (const [head, [q, k, v]] of heads.entries()) {
        const attended = tf.tidy(() =>
          tf.matMul(tf.softmax(tf.add(tf.matMul(q, k, false, true), square)), v));
        out.set(await attended.data(), head * n * HEAD_WIDTH);
        attended.dispose();
      }
      return out;
    };
  },
});

const PEERS = { onnxruntime, tfjs_wasm: tfjs("wasm"), tfjs_webgpu: tfjs("webgpu") };

/** Whether there is a graphics adapter that WebGPU may use. */
async function adapter() {
  const found = await navigator.gpu?.requestAdapter();
  return found ? [found.info?.vendor, found.info?.architecture, found.info?.description].filter(Boolean).join(" ") || "unnamed" : null;
}

// ── the work ──

/** R² by averaging the diagonals of a matrix that is there: one pass over its rows. */
function toeplitzR2(p, n) {
  const sums = new Float64Array(2 * n - 1);
  let squares = 0;
  for (let i = 0, at = 0; i < n; i++)
    for (let k = n - 1 - i, end = k + n; k < end; k++, at++) {
      const value = p[at];
      sums[k] += value;
      squares += value * value;
    }
  const total = sums.reduce((a, b) => a + b, 0), ofMean = total * total / (n * n);
  const explained = sums.reduce((sum, s, k) => sum + s * s / (n - Math.abs(k - (n - 1))), 0);
  return (explained - ofMean) / (squares - ofMean);
}

/** Some places of so many, the same every time. */
const places = count => Array.from({ length: PROBES }, (_, probe) => (probe * 7919 * 104729 + probe) % count);

const probed = numbers => places(numbers.length).map(place => numbers[place]);

const WORK = {
  async product(n, name, { TableRace }) {
    const race = new TableRace(n, WIDTH);
    const give = name === "ours" ? () => race.product() : await PEERS[name].product({ n, table: race.numbers() });
    return { mark: race.mark(), run: give, look: probed };
  },
  // What it takes the page's workers to form the product.
  async formed(n, name, races) {
    const { worker, ...race } = await this.shared(n, name, races);
    return worker ? { ...race, took: () => worker.took_ms() } : race;
  },
  // The same until the page has it.
  async shared(n, name, { TableRace, PageWorker }) {
    if (name !== "ours") return this.product(n, name, { TableRace });
    const race = new TableRace(n, WIDTH), page = await (await fetch("index.html")).text();
    const address = new URL(page.match(/worker-[0-9a-f]+\/start\.js/)[0], location.href).href;
    const worker = await PageWorker.open(address, race.numbers(), WIDTH);
    const run = () => worker.product(n);
    // Its helper is started when it is first worth it, and is there some tenths of a second later.
    await run();
    await new Promise(done => setTimeout(done, 2000));
    // The page keeps the numbers in its own memory and draws from there; others hand theirs over to JavaScript.
    return { mark: race.mark(), run, look: () => probed(worker.numbers()), worker };
  },
  async r2(n, name, { TableRace }) {
    const race = new TableRace(n, WIDTH), mark = race.mark();
    if (name === "ours") return { mark, run: () => race.r2(), look: r2 => [r2] };
    const table = race.numbers();
    race.free();
    const form = await PEERS[name].product({ n, table });
    return { mark, run: async () => toeplitzR2(await form(), n), look: r2 => [r2] };
  },
  async attention(n, name, { AttentionRace }) {
    const race = new AttentionRace(n, HEADS, HEAD_WIDTH), mark = race.mark();
    if (name === "ours") return { mark, run: () => race.attend(), look: probed };
    const numbers = race.numbers(), profile = race.bias(), one = n * HEAD_WIDTH, bias = new Float32Array(n * n);
    for (let i = 0; i < n; i++) bias.set(profile.subarray(n - 1 - i, 2 * n - 1 - i), i * n);
    const part = (which, head) => numbers.slice((which * HEADS + head) * one, (which * HEADS + head + 1) * one);
    const parts = Array.from({ length: HEADS }, (_, head) => [0, 1, 2].map(which => part(which, head)));
    return { mark, run: await PEERS[name].attention({ n, parts, bias }), look: probed };
  },
  async bert(n, name, { BertRace }) {
    const race = new BertRace(n), mark = race.mark();
    if (name === "ours") return { mark, run: () => race.run(), look: probed };
    const sizes = Array.from(race.sizes()), [width, inner, , count] = sizes, numbers = race.numbers();
    let at = 0;
    const take = size => numbers.slice(at, at += size), square = width * width;
    const states = take(n * width), layers = Array.from({ length: count }, () => [
      ...["q", "k", "v", "o"].flatMap(() => [take(square), take(width)]), take(width), take(width),
      take(inner * width), take(inner), take(width * inner), take(width), take(width), take(width),
    ]);
    return { mark, run: await PEERS[name].bert({ n, sizes, states, layers }), look: probed };
  },
};

/** Longer than this in milliseconds, and the first run is the only one. */
const LONG = 5000;

async function measure(work, size, names, runs) {
  const races = await import("./races.js");
  await races.default();
  const found = {}, ready = [];
  for (const name of names)
    try {
      const { mark, run, look, took } = await WORK[work](size, name, races);
      const begun = performance.now();
      const first = await run();
      const time = performance.now() - begun;
      found[name] = { mark, seen: Array.from(look(first)), times: time > LONG ? [time] : [] };
      if (time <= LONG) ready.push([name, run, took]);
    } catch (error) {
      found[name] = { failed: String(error) };
    }
  for (let turn = 0; turn < runs; turn++)
    for (const [name, run, took] of ready) {
      const begun = performance.now();
      await run();
      found[name].times.push(took?.() ?? performance.now() - begun);
      await new Promise(done => setTimeout(done));
    }
  return found;
}

onmessage = async ({ data: [question, ...given] }) => {
  try {
    postMessage({ found: await { adapter, measure }[question](...given) });
  } catch (error) {
    postMessage({ error: String(error) });
  }
};
