// Registers the service worker that lets the page open without a network: once the page is ready, so that what it keeps does not slow the first visit.
if ('serviceWorker' in navigator && window.isSecureContext && location.protocol.startsWith('http')) {
  const register = () => navigator.serviceWorker.register('./sw.js').catch((error) => console.info('offline use is not available:', error.message));
  const isReady = () => document.body?.dataset.idle === 'true';
  const watch = new MutationObserver(() => {
    if (!isReady()) return;
    watch.disconnect();
    register();
  });
  if (isReady()) register();
  else watch.observe(document.documentElement, { attributes: true, subtree: true, attributeFilter: ['data-idle'] });
}
