// A slow line to a local server: all connections of a browser share one bandwidth, as those of a page, its worker and its service worker do.
// Chromium's own throttling gives each of them a line of its own.
import { connect, createServer } from 'node:net';

const SLICE_MS = 5;

/** Listens beside `url` and passes everything on, at `bits_per_s` towards the browser and after `latency_ms` for each request and connection. */
export async function slowLine(url, { bits_per_s = 10e6, latency_ms = 40 } = {}) {
  const origin = new URL(url);
  const queues = new Set();
  let n_bytes = 0;
  // Round robin in small pieces, so that a connection that begins later gets its share at once.
  const pump = setInterval(() => {
    let budget = Math.floor(bits_per_s / 8 / 1000 * SLICE_MS);
    const ready = () => [...queues].filter((q) => q.parts.length > 0 && q.parts[0].due <= performance.now());
    for (let list = ready(); budget > 0 && list.length > 0; list = ready()) {
      for (const q of list) {
        const piece = q.parts[0].bytes.subarray(0, Math.min(1460, budget));
        if (piece.length === 0) break;
        budget -= piece.length;
        n_bytes += piece.length;
        q.browser.write(piece);
        q.parts[0].bytes = q.parts[0].bytes.subarray(piece.length);
        if (q.parts[0].bytes.length === 0) q.parts.shift();
      }
    }
    for (const q of queues) if (q.isOver && q.parts.length === 0) { q.browser.end(); queues.delete(q); }
  }, SLICE_MS);
  const server = createServer((browser) => {
    const queue = { browser, parts: [], isOver: false };
    queues.add(queue);
    const upstream = connect(Number(origin.port), origin.hostname);
    // A round trip for the connection, one for each request.
    let wait = 2 * latency_ms;
    browser.on('data', (bytes) => setTimeout(() => upstream.write(bytes), wait));
    upstream.on('data', (bytes) => { wait = latency_ms; queue.parts.push({ bytes, due: performance.now() }); });
    upstream.on('close', () => { queue.isOver = true; });
    for (const socket of [browser, upstream]) socket.on('error', () => { queues.delete(queue); browser.destroy(); upstream.destroy(); });
    browser.on('close', () => { queues.delete(queue); upstream.destroy(); });
  });
  await new Promise((ok) => server.listen(0, '127.0.0.1', ok));
  return {
    url: `http://127.0.0.1:${server.address().port}${origin.pathname}`,
    bytes: () => n_bytes,
    close: () => new Promise((ok) => { clearInterval(pump); server.close(ok); for (const q of queues) q.browser.destroy(); }),
  };
}
