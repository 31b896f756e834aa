// Starts the worker. What the page sends before the worker listens is kept and handed over.
//
// A lock of the worker's own name is held for as long as the worker lives, so that the page notices its end,
// however it comes. What goes wrong in a promise is no error event, so it is told to the page as a message; 2 is
// `BROKEN` in src/wire.rs.
import init from "./worker.js";
navigator.locks?.request(self.name, () => new Promise(() => {}));
addEventListener("unhandledrejection", event => postMessage([0, 2, String(event.reason)]));
const early = [];
const keep = event => early.push(event);
addEventListener("message", keep);
await init();
removeEventListener("message", keep);
for (const { data, ports } of early) dispatchEvent(new MessageEvent("message", { data, ports }));
