// Registers the service worker that lets the page open without a network: once the page is ready, so that what it keeps does not slow the first visit.
if ('serviceWorker' in navigator && window.isSecureContext && location.protocol.startsWith('http')) {
  const hadVersion = navigator.serviceWorker.controller !== null;
  let isAsked = false;
  let isReloading = false;
  /** Asks for a reload; `act` puts the next version in place, if another page has not. */
  const ask = (act) => {
    if (isAsked) return;
    isAsked = true;
    const bar = Object.assign(document.createElement('p'), { className: 'start__early', role: 'status' });
    const button = Object.assign(document.createElement('button'), { type: 'button', className: 'button', textContent: 'Reload', onclick: act });
    bar.dataset.update = '';
    bar.append('A new version of Axonscope is ready. Reload the page to use it. ', button);
    document.body.append(bar);
  };
  const reload = () => {
    if (!isReloading) location.reload();
    isReloading = true;
  };
  const watchVersions = (registration) => {
    const askFor = (worker) => ask(() => {
      if (worker.state !== 'installed') return reload();
      navigator.serviceWorker.addEventListener('controllerchange', reload);
      worker.postMessage('activate');
    });
    if (registration.waiting && hadVersion) askFor(registration.waiting);
    registration.addEventListener('updatefound', () => {
      const worker = registration.installing;
      worker?.addEventListener('statechange', () => {
        if (worker.state === 'installed' && navigator.serviceWorker.controller) askFor(worker);
      });
    });
    // Another page has put it in place.
    navigator.serviceWorker.addEventListener('controllerchange', () => { if (hadVersion) ask(reload); });
  };
  const register = () => navigator.serviceWorker.register('./sw.js').then(watchVersions)
    .catch((error) => console.info('offline use is not available:', error.message));
  const isReady = () => document.body?.dataset.idle === 'true';
  const watch = new MutationObserver(() => {
    if (!isReady()) return;
    watch.disconnect();
    register();
  });
  if (isReady()) register();
  else watch.observe(document.documentElement, { attributes: true, subtree: true, attributeFilter: ['data-idle'] });
}
