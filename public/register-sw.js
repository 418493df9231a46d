// Registers the service worker that lets the page open without a network. A file of its own: the page runs no inline script.
if ('serviceWorker' in navigator && window.isSecureContext && location.protocol.startsWith('http')) {
  navigator.serviceWorker.register('./sw.js').catch((error) => console.info('offline use is not available:', error.message));
}
