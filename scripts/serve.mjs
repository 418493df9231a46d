// A small static server for local use, tests and benches: node scripts/serve.mjs FOLDER [--port N] [--prefix /sub/path/]
// It listens on 127.0.0.1 only and serves the files of one folder, read only.
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const TYPES = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8', '.wasm': 'application/wasm', '.json': 'application/json', '.gz': 'application/gzip',
  '.svg': 'image/svg+xml', '.png': 'image/png', '.webmanifest': 'application/manifest+json',
};

/** Serves `folder` under `prefix`; resolves to { url, requests, close }. Port 0 takes any free one. */
export function serve(folder, { port = 0, prefix = '/' } = {}) {
  const requests = [];
  const server = createServer((request, response) => {
    const fail = (status) => { response.writeHead(status, { 'content-type': 'text/plain' }); response.end(`${status}\n`); };
    const path = decodeURIComponent(request.url.split('?')[0]);
    requests.push(path);
    if (!path.startsWith(prefix)) return fail(404);
    const file = join(folder, normalize('/' + (path.slice(prefix.length) || 'index.html')));
    let stat;
    try { stat = statSync(file); } catch { return fail(404); }
    if (!stat.isFile()) return fail(404);
    response.writeHead(200, {
      'content-type': TYPES[extname(file)] ?? 'application/octet-stream', 'content-length': stat.size, 'cache-control': 'no-cache',
    });
    if (request.method === 'HEAD') return response.end();
    createReadStream(file).pipe(response);
  });
  return new Promise((done, fail) => {
    server.once('error', fail);
    server.listen(port, '127.0.0.1', () => {
      const close = () => new Promise((ok) => { server.close(ok); server.closeAllConnections(); });
      done({ url: `http://127.0.0.1:${server.address().port}${prefix}`, requests, close });
    });
  });
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const option = (name, or) => { const at = process.argv.indexOf(name); return at < 0 ? or : process.argv[at + 1]; };
  const folder = process.argv[2] ?? 'dist';
  const port = Number(option('--port', '8080'));
  try {
    const { url } = await serve(folder, { port, prefix: option('--prefix', '/') });
    console.log(`\nready: Axonscope is on ${url} (Ctrl+C ends it)`);
  } catch (error) {
    console.error(error.code === 'EADDRINUSE'
      ? `\nstopped: port ${port} is taken by another program. Choose another: PORT=8081 make serve`
      : `\nstopped: the page could not be served: ${error.message}`);
    process.exit(1);
  }
}
