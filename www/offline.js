// Asks the browser to keep the page, and tells the page of a newer version. The page loads this when its first figure
// is there. Where nothing may be kept (private windows, storage refused, a page without a secure origin), nothing
// happens, and nobody is told: the page works as it does without.
//
// The page hears "diagonal:newer" on its window, and says "diagonal:load-newer" there when somebody wants it. It says
// "diagonal:ask-kept" or "diagonal:keep-all", and hears "diagonal:kept" with the bytes that are kept, and those of all.
const HOUR = 60 * 60 * 1000;
const container = navigator.serviceWorker;

async function keep() {
  // A tab is known to be open, and to need its version, by the name of its program.
  const program = document.querySelector("meta[name=program]")?.content;
  if (program) navigator.locks?.request(new URL(program, document.baseURI).href, { mode: "shared" }, () => new Promise(() => {}));

  const worker = new URL("service-worker.js", import.meta.url);
  const registration = await container.register(worker, { updateViaCache: "none" });
  // The first version is no newer one, though WebKit calls it waiting for a while after it has taken over.
  const first = container.controller ? null : registration.installing ?? registration.waiting ?? registration.active;
  const tell = () => {
    const next = registration.waiting;
    if (next?.state === "installed" && next !== first && container.controller) dispatchEvent(new Event("diagonal:newer"));
  };
  const follow = coming => coming?.addEventListener("statechange", tell);
  registration.addEventListener("updatefound", () => follow(registration.installing));
  follow(registration.installing);
  tell();

  addEventListener("diagonal:load-newer", () => {
    const next = registration.waiting;
    // Another tab may have asked for it first.
    if (!next) return location.reload();
    container.addEventListener("controllerchange", () => location.reload(), { once: true });
    next.postMessage("take over");
  });

  // What the service worker is asked, and how much it keeps once that is done.
  const ask = async wish => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => dispatchEvent(new CustomEvent("diagonal:kept", { detail: data }));
    (await container.ready).active.postMessage(wish, [port2]);
  };
  addEventListener("diagonal:ask-kept", () => ask("say kept"));
  addEventListener("diagonal:keep-all", () => ask("keep all"));

  const look = () => document.hidden || registration.update().catch(() => {});
  document.addEventListener("visibilitychange", look);
  setInterval(look, HOUR);

  await ask("keep");
}

if (container) keep().catch(() => {});
