// Keeps the whole site for use without a network. Written by scripts/post-build.mjs; the version is a hash of all files.
// Caches belong to an origin, and several sites may share one: the name holds our scope.
const PREFIX = `axonscope ${self.registration.scope} `;
const CACHE = PREFIX + '__VERSION__';
// Asked for again (`no-cache`), so that two builds never mix; what the page has just loaded is then not sent twice.
const FILES = ['__FILES__'];
// Large files that few need: kept once they have been used, in a cache that the next build finds again.
const LATER = ['__LATER__'].map((file) => new URL(file, self.registration.scope).href);
const LATER_CACHE = PREFIX + 'later ' + '__LATER_VERSION__';

// A page that is open goes on with its own version: the next one takes its place when the user reloads (`public/register-sw.js`).
self.addEventListener('install', (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES.map((file) => new Request(file, { cache: 'no-cache' })))));
});

self.addEventListener('message', (event) => {
  if (event.data === 'activate') self.skipWaiting();
});

self.addEventListener('activate', (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => name.startsWith(PREFIX) && name !== CACHE && name !== LATER_CACHE).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

self.addEventListener('fetch', (event) => {
  if (event.request.method !== 'GET' || !event.request.url.startsWith(self.registration.scope)) return;
  if (LATER.includes(event.request.url)) {
    event.respondWith(later(event.request));
    return;
  }
  event.respondWith(
    caches
      .open(CACHE)
      .then((cache) => cache.match(event.request, { ignoreSearch: true }))
      .then((hit) => hit ?? fetch(event.request)),
  );
});

/** A file of LATER: from its cache, else from the network, and then kept. */
async function later(request) {
  const cache = await caches.open(LATER_CACHE);
  const hit = await cache.match(request.url);
  if (hit) return hit;
  const response = await fetch(request);
  if (response.status === 200) {
    const copy = response.clone();
    // A browser without room keeps nothing; the engine works all the same.
    cache.put(request.url, copy).catch(() => {});
  }
  return response;
}
