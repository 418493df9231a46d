// A small static server for local use, tests and benches: node scripts/serve.mjs FOLDER [--port N] [--prefix /sub/path/]
// It listens on 127.0.0.1 only and serves the files of one folder, read only; FILE.br or FILE.gz in place of a file to who accepts it.
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const TYPES = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8', '.wasm': 'application/wasm', '.json': 'application/json', '.gz': 'application/gzip',
  '.svg': 'image/svg+xml', '.png': 'image/png', '.webmanifest': 'application/manifest+json',
};

/** A name that changes with its content, as trunk makes them. */
const HASHED = /-[0-9a-f]{16}(_bg)?\.[a-z]+$/;

const ENCODINGS = [{ name: 'br', suffix: '.br' }, { name: 'gzip', suffix: '.gz' }];

/** The encodings that a request accepts, the smallest first. `q=0` is a refusal. */
export function accepted(header = '') {
  const asked = header.split(',').map((part) => part.trim().split(/\s*;\s*q=/)).filter(([, q]) => q === undefined || Number(q) > 0).map(([name]) => name);
  return ENCODINGS.filter(({ name }) => asked.includes(name));
}

function fileStat(path) {
  try { const stat = statSync(path); return stat.isFile() ? stat : null; } catch { return null; }
}

/** Serves `folder` under `prefix`; resolves to { url, requests, close }. Port 0 takes any free one. */
export function serve(folder, { port = 0, prefix = '/' } = {}) {
  const requests = [];
  const server = createServer((request, response) => {
    const fail = (status) => { response.writeHead(status, { 'content-type': 'text/plain' }); response.end(`${status}\n`); };
    let path;
    try { path = decodeURIComponent(request.url.split('?')[0]); } catch { return fail(400); }
    requests.push(path);
    if (!path.startsWith(prefix)) return fail(404);
    const file = join(folder, normalize('/' + (path.slice(prefix.length) || 'index.html')));
    const plain = fileStat(file);
    if (!plain) return fail(404);
    const packed = accepted(request.headers['accept-encoding'])
      .map(({ name, suffix }) => ({ encoding: name, path: file + suffix, stat: fileStat(file + suffix) }))
      .find(({ stat }) => stat && stat.mtimeMs >= plain.mtimeMs);
    const { path: sent, stat, encoding } = packed ?? { path: file, stat: plain };
    const tag = `"${stat.size.toString(36)}-${Math.floor(stat.mtimeMs).toString(36)}${encoding ? `-${encoding}` : ''}"`;
    const headers = {
      'content-type': TYPES[extname(file)] ?? 'application/octet-stream', etag: tag, vary: 'accept-encoding',
      'cache-control': HASHED.test(file) ? 'public, max-age=31536000, immutable' : 'no-cache',
      ...(encoding ? { 'content-encoding': encoding } : {}),
    };
    if (request.headers['if-none-match'] === tag) { response.writeHead(304, headers); return response.end(); }
    response.writeHead(200, { ...headers, 'content-length': stat.size });
    if (request.method === 'HEAD') return response.end();
    createReadStream(sent).pipe(response);
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
