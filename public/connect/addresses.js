// What an address names: raw files behind pages of GitHub and Hugging Face, objects and prefixes of S3, Google Cloud Storage and Azure Blob.
// Pure functions; e2e/addresses.spec.js tests them.

const isLocal = (host) => ['localhost', '127.0.0.1', '[::1]'].includes(host);
const encodePath = (path) => path.split('/').map(encodeURIComponent).join('/');

/** The address that is requested for what the user typed: `{ url }`, a URL, or `{ error }`, a sentence. `./…` is a file beside the page at `base`. */
export function toUrl(text, base = '') {
  const typed = text.trim();
  if (typed.startsWith('./') && base) {
    const url = new URL(typed, base);
    // Not above the page: `./../` of a link leads to other pages of the host.
    if (url.pathname.startsWith(new URL('./', base).pathname)) return { url: new URL(url.pathname, base) };
    return { error: `\`${typed}\` is not beside this page.` };
  }
  const bucket = typed.match(/^(s3|gs|gcs):\/\/([^/]+)\/?(.*)$/i);
  if (bucket) {
    const [, scheme, name, key] = bucket;
    const isPrefix = key === '' || key.endsWith('/');
    if (scheme.toLowerCase() === 's3') {
      // Names with dots do not fit the certificate of a host name of their own.
      const base = name.includes('.') ? `https://s3.amazonaws.com/${name}/` : `https://${name}.s3.amazonaws.com/`;
      return { url: new URL(isPrefix ? `${base}?list-type=2&prefix=${encodeURIComponent(key)}` : base + encodePath(key)) };
    }
    return { url: new URL(isPrefix
      ? `https://storage.googleapis.com/storage/v1/b/${encodeURIComponent(name)}/o?prefix=${encodeURIComponent(key)}`
      : `https://storage.googleapis.com/${name}/${encodePath(key)}`) };
  }
  let url;
  try { url = new URL(/^[a-z][a-z0-9+.-]*:/i.test(typed) && !/^(localhost|[\w.-]+):\d/i.test(typed) ? typed : `https://${typed}`); } catch {
    return { error: `\`${typed}\` is not an address. Expected https://…, s3://bucket/key or gs://bucket/object.` };
  }
  if (url.username || url.password) return { error: `The address of ${url.host} has a user name or password in it, which a page must not send. Use a presigned address.` };
  if (url.protocol === 'http:' && !isLocal(url.hostname)) return { error: `\`${url.host}\` is an http address. Only https is allowed, and http on this machine.` };
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { error: `Addresses with \`${url.protocol}\` cannot be opened. Expected https://…, s3://bucket/key or gs://bucket/object.` };
  url.hash = '';
  return { url: listed(raw(url)) };
}

/** The raw file behind a page that shows it. */
function raw(url) {
  const parts = url.pathname.split('/');
  if (url.hostname === 'github.com' && ['blob', 'raw'].includes(parts[3])) {
    return new URL(`https://raw.githubusercontent.com/${[parts[1], parts[2], ...parts.slice(4)].join('/')}`);
  }
  const at = parts.indexOf('blob');
  if (/(^|\.)huggingface\.co$|^hf\.co$/.test(url.hostname) && at > 1) {
    parts[at] = 'resolve';
    return new URL(`https://huggingface.co${parts.join('/')}${url.search}`);
  }
  return url;
}

const S3_HOST = /(^|\.)s3([.-][a-z0-9-]+)*\.amazonaws\.com(\.cn)?$/;
const AZURE_HOST = /\.blob\.core\.[a-z.]+$/;

/** The address that lists a prefix, for an address of a prefix; any other as it is. */
function listed(url) {
  if (listingKind(url) || !url.pathname.endsWith('/')) return url;
  const path = decodeURIComponent(url.pathname).slice(1);
  if (S3_HOST.test(url.hostname)) {
    const isPathStyle = /^s3[.-]/.test(url.hostname);
    const bucket = isPathStyle ? path.split('/')[0] : '';
    const out = new URL(isPathStyle ? `/${bucket}/` : '/', url);
    out.search = url.search;
    out.searchParams.set('list-type', '2');
    out.searchParams.set('prefix', isPathStyle ? path.slice(bucket.length + 1) : path);
    return out;
  }
  if (url.hostname === 'storage.googleapis.com') {
    const [bucket, ...rest] = path.split('/');
    return new URL(`https://storage.googleapis.com/storage/v1/b/${encodeURIComponent(bucket)}/o?prefix=${encodeURIComponent(rest.join('/'))}`);
  }
  if (AZURE_HOST.test(url.hostname)) {
    const [container, ...rest] = path.split('/');
    const out = new URL(`/${container}`, url);
    out.search = url.search;
    for (const [key, value] of [['restype', 'container'], ['comp', 'list'], ['prefix', rest.join('/')]]) out.searchParams.set(key, value);
    return out;
  }
  return url;
}

/** Which cloud's listing an address asks for: 's3', 'gcs', 'azure', or '' for a file. */
export function listingKind(url) {
  if (url.searchParams.get('comp') === 'list') return 'azure';
  if (url.searchParams.get('list-type') === '2') return 's3';
  return /\/storage\/v1\/b\/[^/]+\/o$/.test(url.pathname) ? 'gcs' : '';
}

/** The page of a listing after the first. */
export function nextListing(url, kind, token) {
  const next = new URL(url);
  next.searchParams.set({ s3: 'continuation-token', gcs: 'pageToken', azure: 'marker' }[kind], token);
  return next;
}

/**
 * A listing as the clouds document it: `{ files: [{ name, size, date, url }], next }`, or `{ error }`.
 * S3: ListObjectsV2. Google: Objects: list of the JSON API. Azure: List Blobs.
 */
export function parseListing(text, kind, url) {
  if (kind === 'gcs') {
    let body;
    try { body = JSON.parse(text); } catch { return { error: `${url.host} did not return a listing: expected the JSON of "Objects: list".` }; }
    const base = url.pathname.replace(/\/storage\/v1\/b\//, '/download/storage/v1/b/');
    const files = (Array.isArray(body.items) ? body.items : []).map(({ name, size, updated }) => ({
      name: String(name), size: Number(size) || 0, date: String(updated ?? ''), url: new URL(`${base}/${encodeURIComponent(name)}?alt=media`, url).href,
    }));
    return { files: kept(files), next: String(body.nextPageToken ?? '') };
  }
  const root = new DOMParser().parseFromString(text, 'application/xml').documentElement;
  const expected = kind === 's3' ? 'ListBucketResult' : 'EnumerationResults';
  if (root.localName !== expected) return { error: `${url.host} did not return a listing: expected \`${expected}\`, found \`${root.localName}\`.` };
  const all = (name) => [...root.getElementsByTagName('*')].filter((element) => element.localName === name);
  const value = (element, name) => [...element.getElementsByTagName('*')].find((e) => e.localName === name)?.textContent ?? '';
  const address = (key) => {
    const one = new URL(kind === 's3' ? url.pathname.replace(/\/?$/, '/') + encodePath(key) : `${url.pathname.replace(/\/$/, '')}/${encodePath(key)}`, url);
    // A signature of Azure covers the container's blobs; one of S3 is of the listing alone.
    if (kind === 'azure') {
      one.search = url.search;
      for (const own of ['restype', 'comp', 'prefix', 'marker', 'delimiter', 'maxresults', 'include']) one.searchParams.delete(own);
    }
    return one.href;
  };
  const files = all(kind === 's3' ? 'Contents' : 'Blob').map((entry) => {
    const name = value(entry, kind === 's3' ? 'Key' : 'Name');
    return { name, size: Number(value(entry, kind === 's3' ? 'Size' : 'Content-Length')) || 0, date: value(entry, kind === 's3' ? 'LastModified' : 'Last-Modified'), url: address(name) };
  });
  return { files: kept(files), next: value(root, kind === 's3' ? 'NextContinuationToken' : 'NextMarker') };
}

/** Without the markers of folders. */
const kept = (files) => files.filter(({ name, size }) => name && !(name.endsWith('/') && size === 0));

/** Name of the file of an address. */
export function fileName(url) {
  let path = url.pathname;
  try { path = decodeURIComponent(path); } catch { /* as it is written */ }
  return path.split('/').filter(Boolean).at(-1) ?? url.host;
}

/** The rule that lets this page read a bucket, for each cloud: `[{ cloud, how, text }]`. `origin` is that of this page. */
export function corsRules(origin) {
  const headers = ['Content-Length', 'Content-Range', 'ETag'];
  const list = (value) => JSON.stringify(value, null, 2);
  return [
    { cloud: 'Amazon S3', how: 'Bucket › Permissions › Cross-origin resource sharing', text: list([{ AllowedOrigins: [origin], AllowedMethods: ['GET', 'HEAD'], AllowedHeaders: ['*'], ExposeHeaders: headers, MaxAgeSeconds: 3600 }]) },
    { cloud: 'Google Cloud Storage', how: 'gcloud storage buckets update gs://BUCKET --cors-file=cors.json', text: list([{ origin: [origin], method: ['GET', 'HEAD'], responseHeader: headers, maxAgeSeconds: 3600 }]) },
    { cloud: 'Azure Blob Storage', how: 'Run with the Azure CLI', text: `az storage cors add --services b --methods GET HEAD OPTIONS --origins '${origin}' --allowed-headers '*' --exposed-headers '${headers.join(',')}' --max-age 3600 --account-name ACCOUNT` },
  ];
}
