// Keeps the whole site for use without a network. Written by scripts/post-build.mjs; the version is a hash of all files.
// Caches belong to an origin, and several sites may share one: the name holds our scope.
const PREFIX = `axonscope ${self.registration.scope} `;
const CACHE = PREFIX + '__VERSION__';
// Asked for again (`no-cache`), so that two builds never mix; what the page has just loaded is then not sent twice.
const FILES = ['__FILES__'];

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
      .then((names) => Promise.all(names.filter((name) => name.startsWith(PREFIX) && name !== CACHE).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

self.addEventListener('fetch', (event) => {
  if (event.request.method !== 'GET' || !event.request.url.startsWith(self.registration.scope)) return;
  event.respondWith(
    caches
      .open(CACHE)
      .then((cache) => cache.match(event.request, { ignoreSearch: true }))
      .then((hit) => hit ?? fetch(event.request)),
  );
});
