// Ends what keeps the page, and forgets what it kept: served while the page is developed, when yesterday's page would
// be in the way.
const PREFIX = `diagonal ${new URL("./", location.href).pathname} `;

addEventListener("install", () => skipWaiting());

addEventListener("activate", event => event.waitUntil((async () => {
  for (const name of await caches.keys()) if (name.startsWith(PREFIX)) await caches.delete(name);
  await registration.unregister();
  for (const tab of await clients.matchAll({ type: "window" })) tab.navigate(tab.url);
})()));
