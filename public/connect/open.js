// Opens addresses: `?url=` (several), the field of the start page, and messages of other pages (embed.js). Part of open.html alone; index.html
// has no connections but to its own files. Nothing is requested before the user has agreed to its origin.
import { corsRules, fileName, listingKind, nextListing, parseListing, toUrl } from './addresses.js';
import { listen } from './embed.js';
import { ask, bytes, copyButton, el, fail, line, loadStyles } from './panels.js';

const early = window.axonscopeEarly;
const ALLOWED = 'axonscope.origins';
/** Bytes of a cell; connect/remote.js has the same number. */
const CELL = 1 << 18;
/** Waiting and size have limits; tests set shorter ones. */
const limits = { silenceMs: 30_000, partMs: 60_000, bytes: 4e9, files: 10_000, ...window.axonscopeLimits };

const isEmbedded = new URLSearchParams(location.search).get('embed') === '1';
const allowedNow = new Set();
const stored = () => { try { return JSON.parse(localStorage.getItem(ALLOWED) ?? '[]'); } catch { return []; } };

/** Asks once per origin; the answer is kept by the browser. */
async function isAllowed(urls) {
  // What this page is loaded from needs no question: `axonscope view` serves files beside it.
  const origins = [...new Set(urls.map((url) => url.origin))].filter((origin) => origin !== location.origin && !allowedNow.has(origin) && !stored().includes(origin));
  if (origins.length === 0) return true;
  const named = urls.filter((url) => origins.includes(url.origin));
  const content = [
    el('p', {}, 'This page will request ', named.length === 1 ? 'this address' : `these ${named.length} addresses`, ' from your browser:'),
    el('ul', {}, named.slice(0, 8).map((url) => el('li', {}, el('code', {}, url.origin + url.pathname)))),
    named.length > 8 ? el('p', {}, `and ${named.length - 8} more`) : null,
    named.some(({ search }) => /sig|token|credential/i.test(search)) ? el('p', {}, 'The address has a signature. It stays in the address of this page: whoever gets the link can read the file until the signature expires.') : null,
    el('p', {}, 'The server learns your IP address and which file you read. Nothing of your own files is sent, no cookies and no referrer. You are asked once per server.'),
  ].filter(Boolean);
  const isAgreed = await ask(`Load from ${origins.map((origin) => new URL(origin).host).join(', ')}?`, content, [['Load', true], ['Cancel', null]]);
  if (!isAgreed) return false;
  origins.forEach((origin) => allowedNow.add(origin));
  try { localStorage.setItem(ALLOWED, JSON.stringify([...new Set([...stored(), ...origins])])); } catch { /* Asked again next time. */ }
  return true;
}

/** A sentence, and what helps; thrown by what follows. */
class Refusal extends Error {
  constructor(text, more = []) { super(text); this.more = more; }
}

const request = (url, options = {}) => fetch(url, { credentials: 'omit', referrerPolicy: 'no-referrer', cache: 'no-store', ...options });

/** Why a request failed: browsers say nothing, so the server is asked once more without reading its answer. */
async function whyNot(url) {
  const isThere = await request(url, { mode: 'no-cors', method: 'HEAD', signal: AbortSignal.timeout(limits.silenceMs) }).then(() => true, () => false);
  if (!isThere) return new Refusal(`${url.host} could not be reached. Check the address and the network.`);
  const rules = corsRules(location.origin).map(({ cloud, how, text }) => el('details', { class: 'ask__rule' }, el('summary', {}, cloud), el('p', {}, how), el('pre', { tabindex: 0 }, text), copyButton(text)));
  const text = `${url.host} answers, but does not let this page read it (CORS). The bucket or server must send the header \`Access-Control-Allow-Origin: ${location.origin}\`. Add one of these rules to the bucket, or download the file and drop it here.`;
  return new Refusal(text, rules);
}

async function refusalOf(response, url) {
  const text = (await response.text().catch(() => '')).slice(0, 4000);
  const said = text.match(/<Message>([^<]{1,300})</)?.[1];
  const reason = { 401: 'it needs a signature: use a presigned address', 403: 'access is denied or the address has expired', 404: 'there is no file at this address' }[response.status];
  return new Refusal(`${url.host} returned status ${response.status}${reason ? `: ${reason}` : ''}.${said ? ` It says: ${said}` : ''}`);
}

/** Whether the first bytes are a web page. */
const isHtml = (head) => /^\s*(<!doctype html|<html)/i.test(new TextDecoder().decode(head.subarray(0, 512)));
const noProfile = (url) => new Refusal(`${url.host} returned a web page (HTML), not a profile. Use the address of the raw file: a link named "Raw" or "Download".`);

/** A file with the path that it would have below a dropped directory. */
const withPath = (file, path) => (path.includes('/') ? Object.defineProperty(file, 'webkitRelativePath', { value: path }) : file);

/** A file that a server gives in parts. The page keeps what the worker has read, so that a second try goes on from there. */
class RemoteFile extends File {
  #size;
  constructor(url, name, size, tag, head) {
    super([], name);
    withPath(this, name);
    this.#size = size;
    this.remote = { url: url.href, name, size, tag, id: `axonscope-${crypto.randomUUID()}`, cells: [], timeout: limits.partMs };
    for (let at = 0; at < head.length && (at + CELL <= head.length || head.length === size); at += CELL) this.remote.cells[at / CELL] = new Blob([head.subarray(at, at + CELL)]);
    this.channel = new BroadcastChannel(this.remote.id);
    this.channel.onmessage = ({ data: [index, blob] }) => { this.remote.cells[index] = blob; };
  }

  get size() { return this.#size; }

  /** Bytes that are here. */
  get loaded() { return this.remote.cells.reduce((sum, cell) => sum + (cell?.size ?? 0), 0); }
}

/** Reads a body to its end: bytes as they come, a sentence when they stop. */
async function readAll(response, url, total, show, abort) {
  const parts = [];
  let n = 0;
  const reader = response.body.getReader();
  for (;;) {
    let timer;
    const silence = new Promise((_, refuse) => { timer = setTimeout(() => refuse(new Refusal(`${url.host} sent nothing for ${limits.silenceMs / 1000} s, after ${bytes(n)}.`)), limits.silenceMs); });
    try {
      const { done, value } = await Promise.race([reader.read(), silence]);
      if (done) break;
      if (n === 0 && isHtml(value)) throw noProfile(url);
      parts.push(value);
      n += value.length;
      if (n > limits.bytes) throw new Refusal(`${url.host} sent more than ${bytes(limits.bytes)}; reading stopped. Larger files need a server with range requests.`);
      show(n);
    } catch (error) {
      abort();
      if (error instanceof Refusal || error.name === 'AbortError') throw error;
      throw new Refusal(`The connection to ${url.host} ended after ${bytes(n)}${total ? ` of ${bytes(total)}` : ''}.`);
    } finally { clearTimeout(timer); }
  }
  if (total && n < total) throw new Refusal(`${url.host} announced ${total} bytes and sent ${n}. The file is cut off.`);
  return parts;
}

/** The file of an address: one that is read in parts where the server has ranges, else read now, with progress. */
async function fetchFile(url, name) {
  const stop = new AbortController();
  const progress = line(`Requesting \`${name}\` from ${url.host}…`, { actions: [['Cancel', () => stop.abort(new DOMException('', 'AbortError'))]] });
  const silence = setTimeout(() => stop.abort(new Refusal(`${url.host} did not answer within ${limits.silenceMs / 1000} s.`)), limits.silenceMs);
  try {
    let response;
    try {
      response = await request(url, { headers: { range: `bytes=0-${CELL - 1}` }, signal: stop.signal });
    } catch (error) {
      if (error instanceof Refusal || error.name === 'AbortError') throw error;
      throw await whyNot(url);
    }
    clearTimeout(silence);
    if (response.status === 416) throw new Refusal(`The file at ${url.host} is empty.`);
    if (!response.ok) throw await refusalOf(response, url);
    const [, , last, total] = response.headers.get('content-range')?.match(/^bytes (\d+)-(\d+)\/(\d+)$/) ?? [];
    if (response.status === 206 && total) {
      const head = new Uint8Array(await new Blob(await readAll(response, url, Number(last) + 1, () => {}, () => stop.abort())).arrayBuffer());
      if (Number(total) > Number.MAX_SAFE_INTEGER) throw new Refusal(`${url.host} announced ${total} bytes, which no file has.`);
      return new RemoteFile(url, name, Number(total), response.headers.get('etag') ?? response.headers.get('last-modified'), head);
    }
    // Ranges are there, but their length cannot be read: once as a whole.
    if (response.status === 206) {
      response.body.cancel();
      response = await request(url, { signal: stop.signal });
      if (!response.ok) throw await refusalOf(response, url);
    }
    const length = Number(response.headers.get('content-length')) || 0;
    const parts = await readAll(response, url, length, (n) => progress.update(`Loading \`${name}\` from ${url.host}: ${bytes(n)}${length ? ` of ${bytes(length)}` : ''}`, length ? n / length : null), () => stop.abort());
    if (parts.length === 0) throw new Refusal(`The file at ${url.host} is empty.`);
    return withPath(new File(parts, name), name);
  } finally {
    clearTimeout(silence);
    progress.close();
  }
}

const isCancel = (error) => error?.name === 'AbortError';

/** All files of a prefix, and the user's choice of them; null when nothing is chosen. */
async function chosenOf(url, kind) {
  const files = [];
  let next = '';
  do {
    const page = next ? nextListing(url, kind, next) : url;
    let response;
    try { response = await request(page, { signal: AbortSignal.timeout(limits.silenceMs) }); } catch (error) {
      if (error.name === 'TimeoutError') throw new Refusal(`${url.host} did not answer within ${limits.silenceMs / 1000} s.`);
      throw await whyNot(page);
    }
    if (!response.ok) throw await refusalOf(response, url);
    const part = parseListing(await response.text(), kind, url);
    if (part.error) throw new Refusal(part.error);
    files.push(...part.files);
    next = part.next === next ? '' : part.next;
  } while (next && files.length < limits.files);
  if (files.length === 0) throw new Refusal(`No files are listed at ${url.host} under this prefix.`);
  return (await import('./listing.js')).choose(files, url, next !== '');
}

/** The addresses of this page, so that a link to what is shown carries them. */
function writeAddress(urls) {
  const search = new URLSearchParams(location.search);
  const known = search.getAll('url').map((text) => toUrl(text, location.href).url?.href);
  urls.filter((url) => !known.includes(url)).forEach((url) => search.append('url', url));
  history.replaceState(history.state, '', `${location.pathname}?${search}${location.hash}`);
}

/** Names that differ: with as much of the path as is needed; of files beside this page below its directory. */
function named(urls) {
  const names = urls.map(fileName);
  const own = new URL('./', location.href);
  const below = (url) => (url.origin === own.origin && url.pathname.startsWith(own.pathname) ? url.pathname.slice(own.pathname.length) : url.pathname);
  return names.every((name, i) => names.indexOf(name) === i) ? names : urls.map((url) => decodeURIComponent(below(url)).replace(/^\/+/, ''));
}

/** Opens the addresses as one drop. `texts` as typed; `label` is for the address of this page. */
export async function openAddresses(texts) {
  const parsed = texts.map((text) => ({ text, ...toUrl(text, location.href) }));
  parsed.filter(({ error }) => error).forEach(({ error }) => fail(error));
  const wanted = parsed.filter(({ url }) => url);
  document.body.dataset.connect = 'busy';
  try {
    if (wanted.length === 0 || !await isAllowed(wanted.map(({ url }) => url))) return;
    let urls = [];
    for (const { url } of wanted) {
      const kind = listingKind(url);
      if (!kind) { urls.push(url); continue; }
      const chosen = await chosenOf(url, kind).catch((error) => { report(error, () => openAddresses([url.href])); return null; });
      urls.push(...(chosen ?? []).map((href) => new URL(href)));
    }
    urls = urls.filter((url, i) => urls.findIndex((other) => other.href === url.href) === i);
    // A listing may name another server.
    if (urls.length === 0 || !await isAllowed(urls)) return;
    const names = named(urls);
    const files = await Promise.all(urls.map((url, i) => fetchFile(url, names[i]).catch((error) => { report(error, () => openAddresses([url.href])); return null; })));
    const there = files.filter(Boolean);
    if (there.length === 0) return;
    writeAddress(urls.filter((_, i) => files[i]).map((url) => url.href));
    give(there);
  } finally {
    document.body.dataset.connect = 'idle';
  }
}

function report(error, again) {
  if (isCancel(error)) return;
  fail(error.message, { more: error.more, actions: [['Try again', (close) => { close(); again(); }]] });
}

/** What was given and is not open yet: { files, drop, done }. */
const given = new Set();

/** Hands files to the program; resolves to `{ hash }` of the first profile, `{ error }` or `{ cancelled }`. */
function give(files) {
  return new Promise((done) => {
    const item = { files, done };
    given.add(item);
    early.open(item);
  });
}

addEventListener('axonscope-done', ({ detail }) => {
  const item = [...given].find(({ drop }) => drop === detail.drop);
  if (!item) return;
  item.done(detail);
  if (detail.hash) {
    given.delete(item);
    return;
  }
  const remote = item.files.filter((file) => file instanceof RemoteFile);
  if (remote.length === 0 || item.isOffered) return;
  item.isOffered = true;
  const sum = (key) => remote.reduce((n, file) => n + file[key], 0);
  const what = remote.length === 1 ? `\`${remote[0].name}\`` : `${remote.length} files`;
  line(`${what}: ${bytes(sum('loaded'))} of ${bytes(sum('size'))} ${sum('loaded') === 1 ? 'is' : 'are'} loaded.`, {
    actions: [['Resume', (close) => { close(); give(item.files); }], ['Discard', (close) => close()]],
  });
});

loadStyles();
listen(give);
if (isEmbedded) {
  // Read-only: the page that holds this one says what is shown.
  for (const type of ['drop', 'dragover', 'paste']) addEventListener(type, (event) => { event.preventDefault(); event.stopImmediatePropagation(); }, { capture: true });
}
early.go = (text) => openAddresses([text]);
const urls = new URLSearchParams(location.search).getAll('url').filter(Boolean);
if (urls.length > 0) openAddresses(urls);
