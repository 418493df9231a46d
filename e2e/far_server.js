// A server on another origin, as buckets are: ranges, CORS on and off, slow, cut off, changing, endless; listings as the three clouds document them.
import { createServer } from 'node:http';

const xml = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const LISTINGS = {
  // Amazon S3 API Reference, ListObjectsV2.
  s3: (keys, next) => `<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>bucket</Name><Prefix>runs/</Prefix><KeyCount>${keys.length}</KeyCount><MaxKeys>1000</MaxKeys><IsTruncated>${!!next}</IsTruncated>${next ? `<NextContinuationToken>${next}</NextContinuationToken>` : ''}
${keys.map(({ name, size }) => `<Contents><Key>${xml(name)}</Key><LastModified>2026-10-12T17:50:30.000Z</LastModified><ETag>&quot;fba9dede5f27731c9771645a39863328&quot;</ETag><Size>${size}</Size><StorageClass>STANDARD</StorageClass></Contents>`).join('\n')}
</ListBucketResult>`,
  // Cloud Storage JSON API, Objects: list.
  gcs: (keys, next) => JSON.stringify({ kind: 'storage#objects', ...(next ? { nextPageToken: next } : {}), items: keys.map(({ name, size }) => ({ kind: 'storage#object', name, bucket: 'bucket', size: String(size), updated: '2026-10-12T17:50:30.000Z' })) }),
  // Azure Blob Storage REST API, List Blobs.
  azure: (keys, next) => `\uFEFF<?xml version="1.0" encoding="utf-8"?>
<EnumerationResults ServiceEndpoint="https://account.blob.core.windows.net/" ContainerName="container"><Prefix>runs/</Prefix><Blobs>
${keys.map(({ name, size }) => `<Blob><Name>${xml(name)}</Name><Properties><Last-Modified>Mon, 12 Oct 2026 17:50:30 GMT</Last-Modified><Etag>0x8CBFF45D8A29A19</Etag><Content-Length>${size}</Content-Length><BlobType>BlockBlob</BlobType></Properties></Blob>`).join('\n')}
</Blobs><NextMarker>${next ?? ''}</NextMarker></EnumerationResults>`,
};

/**
 * Serves `files` (name: bytes) below /KIND/NAME; the kind says how. `requests` has method, path, origin and range of each; `hold()` keeps back ranges
 * that end beyond `from` until its result is called; `broken` makes /flaky/ end connections beyond that byte; `change()` gives /changing/ another ETag.
 */
export async function farServer(files) {
  const requests = [];
  const far = { requests, files, broken: Infinity, keys: [] };
  let version = 1;
  let held = null;
  far.change = () => { version += 1; };
  far.hold = (from) => {
    const waiting = [];
    held = { from, waiting };
    return () => { held = null; waiting.forEach((go) => go()); };
  };
  const server = createServer((request, response) => {
    const url = new URL(request.url, 'http://far');
    const [, kind, ...rest] = decodeURIComponent(url.pathname).split('/');
    const name = rest.join('/');
    const range = request.headers.range?.match(/^bytes=(\d+)-(\d+)$/)?.slice(1).map(Number);
    requests.push({ method: request.method, path: url.pathname + url.search, origin: request.headers.origin, range: range && range.join('-'), cookie: request.headers.cookie, referer: request.headers.referer });
    const cors = kind === 'nocors' ? {} : { 'access-control-allow-origin': '*', ...(kind === 'hidden' ? {} : { 'access-control-expose-headers': 'content-range, etag' }) };
    const send = (status, type, body) => { response.writeHead(status, { ...cors, 'content-type': type }); response.end(body); };
    const listing = url.searchParams.get('list-type') === '2' ? 's3' : url.searchParams.get('comp') === 'list' ? 'azure' : /^\/storage\/v1\/b\/.*\/o$/.test(url.pathname) ? 'gcs' : '';
    if (listing) {
      const token = url.searchParams.get({ s3: 'continuation-token', gcs: 'pageToken', azure: 'marker' }[listing]);
      const half = Math.ceil(far.keys.length / 2);
      const keys = token ? far.keys.slice(half) : far.keys.slice(0, half);
      return send(200, listing === 'gcs' ? 'application/json' : 'application/xml', LISTINGS[listing](keys, token || far.keys.length < 2 ? '' : 'page2'));
    }
    if (kind === 'html') return send(200, 'text/html', '<!DOCTYPE html><html><body>Sign in</body></html>');
    if (kind === 'redirect') { response.writeHead(302, { ...cors, location: `/ranges/${name}` }); return response.end(); }
    if (kind === 'denied') return send(403, 'application/xml', '<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>');
    if (kind === 'silent') { response.writeHead(200, cors); return response.write('{"traceEvents": ['); }
    if (kind === 'mute') return undefined;
    if (kind === 'endless') {
      response.writeHead(200, cors);
      const go = () => { if (!response.destroyed) { response.write(' '.repeat(1 << 16)); setTimeout(go, 5); } };
      response.write('{"traceEvents": [');
      return go();
    }
    // An object of a listing has its key as its path.
    const bytes = files[name] ?? files[`${kind}/${name}`] ?? files[name.split('/').at(-1)];
    if (!bytes) return send(404, 'application/xml', '<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message></Error>');
    if (kind === 'short') {
      response.writeHead(200, { ...cors, 'content-length': bytes.length });
      return response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy());
    }
    if (kind === 'whole' || !range || request.method === 'HEAD') {
      response.writeHead(200, { ...cors, 'content-length': bytes.length });
      return response.end(request.method === 'HEAD' ? undefined : bytes);
    }
    const [from, to] = [range[0], Math.min(range[1], bytes.length - 1)];
    if (from >= bytes.length) return send(416, 'text/plain', '');
    if (kind === 'flaky' && from >= far.broken) return response.destroy();
    const total = kind === 'longer' ? bytes.length + 1_000_000 : bytes.length;
    const part = kind === 'fewer' && from > 0 ? bytes.subarray(from, to) : bytes.subarray(from, to + 1);
    const answer = () => { const tag = kind === 'changing' ? `"v${version}"` : '"v0"'; response.writeHead(206, { ...cors, etag: tag, 'content-range': `bytes ${from}-${to}/${total}`, 'content-length': part.length }); response.end(part); };
    if (held && to >= held.from) held.waiting.push(answer);
    else answer();
    return undefined;
  });
  await new Promise((done) => { server.listen(0, '127.0.0.1', done); });
  far.url = `http://127.0.0.1:${server.address().port}`;
  far.close = () => new Promise((ok) => { server.close(ok); server.closeAllConnections(); });
  return far;
}

/** A trace of so many bytes, at least: one thread with slices side by side. */
export function longTrace(bytes) {
  const events = [];
  for (let i = 0, n = 0; n < bytes; i++) {
    const event = `{"ph":"X","cat":"cpu_op","name":"aten::op_${i % 40}","pid":1,"tid":1,"ts":${1000 + i * 10},"dur":8,"args":{"External id":${i}}}`;
    events.push(event);
    n += event.length + 2;
  }
  return Buffer.from(`{"schemaVersion":1,"traceEvents":[${events.join(',\n')}]}`);
}
