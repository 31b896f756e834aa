// Loaded before the page's own code, by the tests' server only: records what a visitor would not see.
(() => {
  const probe = window.probe = { errors: [], downloads: [], copied: [], pictures: [], workers: [], lost: 0, lose: null, held: sessionStorage.getItem("hold") && [], streams: [], memories: [] };
  const report = text => probe.errors.push(text);

  addEventListener("error", event => report(event.message ?? `could not load ${event.target.src ?? event.target.href}`), true);
  addEventListener("unhandledrejection", event => report(`unhandled rejection: ${event.reason}`));
  addEventListener("securitypolicyviolation", event => report(`against the policy: ${event.violatedDirective} ${event.blockedURI}`));
  const log = console.error;
  console.error = (...words) => { report(words.join(" ")); log.apply(console, words); };

  // Every worker of the page, and ways to lose one: with `probe.lose` set, the worker that is sent the next message
  // ends in the middle of its answer. After "trap" the page hears of it, as of a program that broke down; after
  // "silence" it hears nothing. "always" traps every worker at every message. With a number as "trapAt" in the
  // session's storage, the worker traps at that message of the page's first ones.
  const ON_PURPOSE = "lost on purpose";
  probe.loseWorker = (worker, how) => {
    probe.lost += 1;
    worker.terminate();
    if (how !== "silence") setTimeout(() => worker.dispatchEvent(new ErrorEvent("error", { message: ON_PURPOSE })));
  };
  // What the page asks from `hold` on reaches the worker with `release`: until then no answer comes. With "hold" in the
  // session's storage it begins so.
  probe.hold = () => { probe.held = []; };
  probe.release = () => { const held = probe.held; probe.held = null; for (const send of held) send(); };
  let messages = 0;
  const trapAt = Number(sessionStorage.getItem("trapAt"));
  window.Worker = class extends Worker {
    constructor(...given) {
      super(...given);
      probe.workers.push(this);
      this.addEventListener("error", event => { if (event.message !== ON_PURPOSE) report(`worker: ${event.message}`); });
    }
    postMessage(...given) {
      if (probe.held) return probe.held.push(() => this.postMessage(...given));
      super.postMessage(...given);
      messages += 1;
      const how = probe.lose ?? (messages === trapAt ? "trap" : null);
      if (!how) return;
      if (how !== "always") probe.lose = null;
      probe.loseWorker(this, how);
    }
  };

  // The memory of the page's program, to see how much it takes.
  for (const name of ["instantiate", "instantiateStreaming"]) {
    const instantiate = WebAssembly[name];
    WebAssembly[name] = async (...given) => {
      const made = await instantiate.apply(WebAssembly, given), { memory } = (made.instance ?? made).exports;
      if (memory) probe.memories.push(memory);
      return made;
    };
  }

  // Lets the page's own code fail in the middle of a frame, once: nothing a page does expects that.
  probe.breakDown = () => {
    const own = CanvasRenderingContext2D.prototype.clearRect;
    CanvasRenderingContext2D.prototype.clearRect = function () {
      CanvasRenderingContext2D.prototype.clearRect = own;
      throw new Error("broken on purpose");
    };
  };

  // Files the page hands to the visitor, read instead of saved: the same in every engine.
  const blobs = new Map();
  const create = URL.createObjectURL;
  URL.createObjectURL = blob => {
    const url = create.call(URL, blob);
    blobs.set(url, blob);
    return url;
  };
  const keep = link => {
    const blob = blobs.get(link.href);
    const reader = new FileReader();
    reader.onload = () => probe.downloads.push({ name: link.download, type: blob.type, base64: reader.result.split(",")[1] });
    reader.readAsDataURL(blob);
  };
  const click = HTMLAnchorElement.prototype.click;
  HTMLAnchorElement.prototype.click = function () {
    if (this.download && blobs.has(this.href)) keep(this); else click.call(this);
  };
  addEventListener("click", event => {
    const link = event.target.closest?.("a[download]");
    if (link && blobs.has(link.href)) { event.preventDefault(); keep(link); }
  }, true);

  // Files the page writes to the disk piece by piece: they go to the browser's private file system, and what is written
  // is counted. With `probe.room` set, the disk is full after so many bytes.
  if (window.showSaveFilePicker) window.showSaveFilePicker = async options => {
    const stream = { name: options?.suggestedName ?? "", bytes: 0, largest: 0, ended: false };
    probe.streams.push(stream);
    const folder = await navigator.storage.getDirectory();
    const handle = await folder.getFileHandle("export", { create: true });
    const create = handle.createWritable.bind(handle);
    handle.createWritable = async options => {
      const writable = await create(options), write = writable.write.bind(writable), close = writable.close.bind(writable);
      writable.write = async piece => {
        const size = piece.byteLength ?? piece.size ?? piece.data?.byteLength ?? piece.data?.size ?? piece.length;
        stream.bytes += size;
        stream.largest = Math.max(stream.largest, size);
        if (stream.bytes > (probe.room ?? Infinity)) throw new DOMException("the disk is full", "QuotaExceededError");
        return write(piece);
      };
      writable.close = async () => { stream.ended = true; return close(); };
      return writable;
    };
    return handle;
  };

  // The clipboard needs a permission that a browser without a window does not give.
  if (navigator.clipboard) {
    navigator.clipboard.writeText = async text => { probe.copied.push(text); };
    navigator.clipboard.write = async ([item]) => {
      const blob = await item.getType("image/png");
      const { width } = await createImageBitmap(blob);
      probe.pictures.push({ type: blob.type, width });
    };
  }
})();
