// Keeps the page: a second visit needs no network.
//
// A version is the files that one build wrote, each named here with the SHA-256 hash of its bytes. All of them are
// fetched, and compared with their hashes, before a version may take over; so none is ever half old. A version that is
// complete waits until no tab shows an older one, or until somebody asks for it. Tabs that show an older version find
// its files in that version's cache, which stays for as long as they are open: each holds a lock by the name of its
// program.
//
// A file that is kept is compared with its hash each time it is asked for: a browser may damage what it stores. A damaged
// one is fetched anew.
//
// Nothing but files of this folder is answered or kept; whatever else is asked for goes past here.
const VERSION = "VERSION";
const FILES = { "FILES": "" };
// Fetched once the version has taken over, or when they are first used.
const LARGE = { "LARGE": "" };
// Programs and samples that few visits need: fetched when they are first used, or when everything is asked for.
const ON_USE = { "ON_USE": "" };
// How many bytes each of the files before has, but for those programs and samples.
const SIZES = { "SIZES": 0 };

const BASE = new URL("./", location.href);
const PREFIX = `diagonal ${BASE.pathname} `;
const OWN = PREFIX + VERSION;

const address = name => new URL(name, BASE).href;
const versions = async () => (await caches.keys()).filter(name => name.startsWith(PREFIX));

async function hash(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...digest].map(byte => byte.toString(16).padStart(2, "0")).join("");
}

// The bytes that a response holds if they are those of a file, as a response that stands for itself.
async function checked(response, wanted) {
  if (!response?.ok) return null;
  const headers = new Headers(response.headers);
  // They speak of how the bytes came, not of the bytes.
  for (const name of ["content-encoding", "content-length", "transfer-encoding"]) headers.delete(name);
  const bytes = await response.arrayBuffer();
  return await hash(bytes) === wanted ? new Response(bytes, { headers }) : null;
}

// A file from this version's cache, where its bytes are the right ones. It is the stored response itself, with which
// browsers store what they have compiled.
async function intact(name, wanted) {
  const own = await caches.open(OWN), found = await own.match(address(name));
  const bytes = await found?.clone().arrayBuffer().catch(() => null);
  if (bytes && await hash(bytes) === wanted) return found;
  if (found) await own.delete(address(name));
}

// Puts a file into this version's cache, from another version that has the same, or else from the server.
async function keep(name, wanted) {
  const own = await caches.open(OWN), key = address(name);
  for (const other of await versions()) {
    const same = await checked(await (await caches.open(other)).match(key), wanted);
    if (same) return own.put(key, same);
  }
  // What the browser still has need not come twice, where it is what it should be.
  for (const cache of ["default", "no-cache"]) {
    const fetched = await checked(await fetch(key, { cache }), wanted);
    if (fetched) return own.put(key, fetched);
  }
  throw new Error(`${name} is not of this version`);
}

async function keepAll() {
  // The page itself first: where a server changes it, or is between two versions, nothing else need be fetched.
  await intact("", FILES[""]) || await keep("", FILES[""]);
  await Promise.all(Object.entries(FILES).map(async ([name, wanted]) => await intact(name, wanted) || keep(name, wanted)));
}

async function keepLarge(isAsked) {
  // Who saves data gets it by asking for it.
  if (navigator.connection?.saveData && !isAsked) return;
  for (const [name, wanted] of Object.entries(isAsked ? { ...LARGE, ...ON_USE } : LARGE)) await intact(name, wanted) || await keep(name, wanted);
}

// Forgets the versions that no tab shows.
async function forget() {
  // The cache of one that is on its way looks like one that nobody shows.
  if (!navigator.locks || registration.installing || registration.waiting?.state === "installed") return;
  const open = (await navigator.locks.query()).held.map(lock => lock.name).filter(name => name.startsWith(address("")));
  const tabs = await clients.matchAll({ type: "window", includeUncontrolled: true });
  // A tab that has just been opened holds no lock yet.
  if (tabs.length > open.length) return;
  for (const name of await versions()) {
    if (name === OWN) continue;
    const cache = await caches.open(name);
    const shown = await Promise.all(open.map(program => cache.match(program)));
    if (!shown.some(Boolean)) await caches.delete(name);
  }
}

async function answer(name, request) {
  const wanted = FILES[name] ?? LARGE[name] ?? ON_USE[name];
  if (wanted) {
    const found = await intact(name, wanted);
    if (found) return found;
    // The server's file may be of another version by now: it goes to the page as it is, and is not cached.
    await keep(name, wanted).catch(() => {});
    return await intact(name, wanted) ?? fetch(request);
  }
  for (const other of await versions()) {
    const found = await (await caches.open(other)).match(address(name));
    if (found) return found;
  }
  return fetch(request);
}

addEventListener("install", event => event.waitUntil(keepAll()));

addEventListener("activate", event => event.waitUntil(clients.claim()));

// The bytes that are kept, and those of the whole version.
async function kept() {
  const cache = await caches.open(OWN);
  const has = await Promise.all(Object.keys(SIZES).map(async name => !!await cache.match(address(name))));
  const sum = sizes => sizes.reduce((all, size) => all + size, 0);
  return [sum(Object.values(SIZES).filter((_, at) => has[at])), sum(Object.values(SIZES))];
}

addEventListener("message", event => {
  const [port] = event.ports;
  const tell = async () => port?.postMessage(await kept());
  if (event.data === "take over") skipWaiting();
  if (event.data === "say kept") event.waitUntil(tell());
  if (event.data === "keep") event.waitUntil(keepLarge(false).catch(() => {}).then(forget).then(tell));
  if (event.data === "keep all") event.waitUntil(keepLarge(true).catch(() => {}).then(tell));
});

addEventListener("fetch", event => {
  const { request } = event, url = new URL(request.url);
  if (request.method !== "GET" || request.headers.has("range")) return;
  if (url.origin !== BASE.origin || !url.pathname.startsWith(BASE.pathname)) return;
  const path = url.pathname.slice(BASE.pathname.length), name = path === "index.html" ? "" : path;
  // Other pages of the same host are none of ours.
  if (request.mode === "navigate" && name !== "") return;
  // Where storage is refused, or taken away, it is as if nothing were kept.
  event.respondWith(answer(name, request).catch(() => fetch(request)));
});
