// Starts the worker. What the page sends before the worker listens is kept and handed over.
//
// The numbers in the messages are those of src/protocol.rs: 1 is `ALIVE`, 2 is `BROKEN`, 6 is `LOCKED`, 7 is `NOT_LOADED`.
//
// A lock of the worker's own name is held for as long as the worker lives, so that the page notices its end, however it
// comes. The page watches the lock once it is told that the worker holds it, and not before: the lock may come late, or
// never.
navigator.locks?.request(self.name, () => {
  postMessage([0, 6]);
  return new Promise(() => {});
}).catch(() => {});
// A rejected promise is no error event.
addEventListener("unhandledrejection", event => postMessage([0, 2, String(event.reason)]));
// The page hears that the worker is there, and that its program is on its way, at most once a second.
const QUIET_MS = 1000;
let said = -Infinity;
ownFile.heard = () => {
  if (performance.now() - said < QUIET_MS) return;
  said = performance.now();
  postMessage([0, 1]);
};
ownFile.heard();
const early = [];
const keep = event => early.push(event);
addEventListener("message", keep);
const beside = name => new URL(name, import.meta.url).href;
try {
  const [{ default: init }, program] = await Promise.all([
    ownFile.script(beside("worker.js")),
    ownFile.program(beside("worker_bg.wasm")),
  ]);
  await init({ module_or_path: program });
  removeEventListener("message", keep);
  for (const { data, ports } of early) dispatchEvent(new MessageEvent("message", { data, ports }));
} catch (error) {
  postMessage(error.reason ? [0, 7, error.reason] : [0, 2, String(error)]);
}
