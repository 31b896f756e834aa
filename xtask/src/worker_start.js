// Starts a worker. Messages that the page sends before the worker listens are queued and dispatched again.
//
// The build puts the program's name in place of PROGRAM.

// Tags of messages, see crates/worker-protocol/src/messages.rs.
const ALIVE = 1, BROKEN = 2, LOCKED = 3, NOT_LOADED = 4;

// The worker holds a lock of its own name while it lives, so that the page notices its end in every case. The page
// waits for the lock only after the worker has reported that it holds it, because the lock may be granted late, or
// never. The promise that holds the lock stays reachable, so that no engine collects it, and with it the lock, while
// the worker lives.
navigator.locks?.request(self.name, () => {
  postMessage([0, LOCKED]);
  return new Promise(release => { ownFile.release = release; });
}).catch(() => {});
// A rejected promise raises no error event.
addEventListener("unhandledrejection", event => postMessage([0, BROKEN, String(event.reason)]));
// Tells the page, at most once a second, that the worker is alive and its program is loading.
const QUIET_MS = 1000;
let said = -Infinity;
ownFile.heard = () => {
  if (performance.now() - said < QUIET_MS) return;
  said = performance.now();
  postMessage([0, ALIVE]);
};
ownFile.heard();
const early = [];
const keep = event => early.push(event);
addEventListener("message", keep);
const beside = name => new URL(name, import.meta.url).href;
try {
  const [{ default: init }, program] = await Promise.all([
    ownFile.script(beside("PROGRAM.js")),
    ownFile.program(beside("PROGRAM_bg.wasm")),
  ]);
  await init({ module_or_path: program });
  removeEventListener("message", keep);
  for (const { data, ports } of early) dispatchEvent(new MessageEvent("message", { data, ports }));
} catch (error) {
  postMessage(error.reason ? [0, NOT_LOADED, error.reason] : [0, BROKEN, String(error)]);
}
