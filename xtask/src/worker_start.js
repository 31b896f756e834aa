// Starts the worker. What the page sends before the worker listens is kept and handed over.
import init from "./worker.js";
const early = [];
const keep = event => early.push(event);
addEventListener("message", keep);
await init();
removeEventListener("message", keep);
for (const { data, ports } of early) dispatchEvent(new MessageEvent("message", { data, ports }));
