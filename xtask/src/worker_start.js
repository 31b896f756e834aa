// Starts the worker. What the page sends before the worker listens is kept and handed over.
import init from "./worker-bindings-HASH.js";
const early = [];
const keep = event => early.push(event);
addEventListener("message", keep);
await init({ module_or_path: new URL("./worker-HASH.wasm", import.meta.url) });
removeEventListener("message", keep);
for (const { data, ports } of early) dispatchEvent(new MessageEvent("message", { data, ports }));
