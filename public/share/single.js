// Writes one HTML file with the page, its workers and a profile, which opens from a disk without a network. Used by the Share button in the page and by
// scripts/single.mjs (`make dist-single`): it needs nothing but Blob, CompressionStream and the files of the site.
//
// A file is compressed by gzip and written in 91 letters, 13 bits in two of them: 23 % longer than its bytes, where base64 is 33 % longer.

const LETTERS = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i)).filter((c) => !'<&\\'.includes(c)).join('');
/** Bytes of a part: a multiple of 13, so that its letters end with it. */
const PART = 13 << 18;

/** Bytes as letters. */
export function encode(bytes) {
  const codes = Uint8Array.from(LETTERS, (c) => c.charCodeAt(0));
  const out = new Uint8Array(Math.ceil((bytes.length * 8) / 13) * 2);
  let [bits, n, at] = [0, 0, 0];
  const put = (value) => { out[at++] = codes[Math.floor(value / 91)]; out[at++] = codes[value % 91]; };
  for (const byte of bytes) {
    bits = (bits << 8) | byte;
    n += 8;
    if (n >= 13) {
      n -= 13;
      put(bits >>> n);
      bits &= (1 << n) - 1;
    }
  }
  if (n > 0) put(bits << (13 - n));
  return out;
}

/** The script of the file: gives the page its own parts. It is written into the file as text, so it uses nothing from outside. */
function boot(letters, fragment, glue) {
  const parsed = new Promise((done) => addEventListener('DOMContentLoaded', done, { once: true }));
  const say = (text) => parsed.then(() => {
    const place = document.getElementById('early-status');
    if (place) Object.assign(place, { textContent: text, className: 'start__early start__early--error' }).setAttribute('role', 'alert');
  });
  const isOld = typeof DecompressionStream === 'undefined';
  if (isOld) say('This file needs a newer browser: Chrome or Edge 103, Firefox 113 or Safari 16.4, or later.');
  const values = new Uint8Array(128);
  for (let i = 0; i < letters.length; i++) values[letters.charCodeAt(i)] = i;
  const decode = (text, length) => {
    const out = new Uint8Array(length);
    let [bits, n, at] = [0, 0, 0];
    for (let i = 0; i + 1 < text.length; i += 2) {
      bits = (bits << 13) | (values[text.charCodeAt(i)] * 91 + values[text.charCodeAt(i + 1)]);
      n += 13;
      while (n >= 8 && at < length) {
        n -= 8;
        out[at++] = bits >>> n;
      }
      bits &= (1 << n) - 1;
    }
    return out;
  };
  const read = async (name) => {
    await parsed;
    const parts = [...document.querySelectorAll('script[data-file]')].filter((part) => part.dataset.file === name);
    // What waits for a part would report its absence in place of the reason.
    if (isOld) return new Promise(() => {});
    if (parts.length === 0) throw new Error(`this file has no part ${name}`);
    const packed = new Blob(parts.map((part) => decode(part.textContent, Number(part.dataset.length))));
    parts.forEach((part) => part.remove());
    return new Response(packed.stream().pipeThrough(new DecompressionStream('gzip'))).blob();
  };
  const known = new Map();
  const once = (key, make) => known.get(key) ?? known.set(key, make()).get(key);
  const blob = (name) => once(name, () => read(name));
  const url = (name) => once(`url ${name}`, async () => URL.createObjectURL(new Blob([await blob(name)], { type: 'text/javascript' })));
  const program = (name) => once(`program ${name}`, async () => WebAssembly.compile(await (await blob(`${name}_bg.wasm`)).arrayBuffer()));
  const response = async (name) => new Response(await blob(name), { headers: { 'content-type': 'application/wasm' } });
  const worker = (name) => {
    // A worker of a page from a disk can load no script: its own has all of it, and waits for the program.
    const text = `onmessage=({data})=>{onmessage=null;wasm_bindgen({module_or_path:data})};${glue[name]}`;
    const made = new Worker(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })));
    program(name).then((module) => made.postMessage(module), (error) => made.dispatchEvent(new ErrorEvent('error', { message: error.message })));
    return made;
  };
  window.axonscopeSingle = { blob, url, program, response, worker };
  if (fragment && !location.hash) location.hash = fragment;
  parsed.then(async () => {
    const parts = [...document.querySelectorAll('script[data-profile-path]')];
    const names = [...new Map(parts.map((part) => [part.dataset.file, part.dataset.profilePath]))];
    const files = await Promise.all(names.map(async ([name, path]) => {
      const file = new File([await blob(name)], path.split('/').pop());
      return Object.defineProperty(file, 'webkitRelativePath', { value: path });
    }));
    if (files.length > 0) window.axonscopeEarly.open({ files, entries: [] });
  }).catch((error) => say(`The profile in this file could not be read: ${error.message}.`));
}

const POLICY = "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; style-src 'unsafe-inline'; img-src data: blob:; worker-src blob:; connect-src blob:; base-uri 'none'; form-action 'none'";
const START = `const single = window.axonscopeSingle;
single.chunks = await import(await single.url('chunks.js'));
const [bindings, wasm] = await Promise.all([single.url('page.js').then((from) => import(from)), single.program('page')]);
single.bindings = bindings;
await bindings.default({ module_or_path: wasm });`;

/** The page's script and the one that loads its chunks import each other by address: here each finds the other, and the chunks, in the file. */
function unlinked(page, chunks, chunksName) {
  const swap = (text, from, to) => {
    if (!from.test(text)) throw new Error(`One HTML file cannot be made: the program has no ${from}`);
    return text.replace(from, to);
  };
  const importOf = new RegExp(`import \\* as (\\w+) from ['"]\\./${chunksName}['"];?`, 'g');
  return [
    swap(page, importOf, 'const $1 = window.axonscopeSingle.chunks;'),
    swap(swap(chunks, /import \{ initSync \} from "[^"]+";/, 'const initSync = (...given) => window.axonscopeSingle.bindings.initSync(...given);'),
      /fetch\(new URL\("\.\/([^"]+)", import\.meta\.url\)\)/g, 'window.axonscopeSingle.response("$1")'),
  ];
}
const HIDDEN = '.start__address,.start__samples,[data-sample],[data-readings],[data-directories]{display:none!important}';

const escaped = (text) => text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);

/** The script elements of a file. */
async function embedded(name, blob, path) {
  const packed = new Uint8Array(await new Response(blob.stream().pipeThrough(new CompressionStream('gzip'))).arrayBuffer());
  const out = [];
  for (let from = 0; from < packed.length; from += PART) {
    const bytes = packed.subarray(from, from + PART);
    const attribute = path === undefined ? '' : ` data-profile-path="${escaped(path)}"`;
    out.push(`<script type="text/plain" data-file="${escaped(name)}"${attribute} data-length="${bytes.length}">`, encode(bytes), '</script>\n');
    // The page stays awake.
    await new Promise((done) => setTimeout(done));
  }
  return new Blob(out);
}

/**
 * One HTML file as { blob, programBytes, profileBytes }. `read` gives a file of the site as a Blob by its name; `files` are those of the profile:
 * `{ path, blob }`; `fragment` is what is shown first.
 */
export async function single({ read, files, title = '', fragment = '', needsFull = false }) {
  let html = await (await read('index.html')).text();
  const swap = (from, to) => {
    if (!from.test(html)) throw new Error(`One HTML file cannot be made: index.html has no ${from}`);
    html = html.replace(from, () => to);
  };
  const start = html.match(/<script\b[^>]*type="?module"?[^>]*>([\s\S]*?)<\/script>/);
  const [, page] = start?.[1].match(/from\s*['"]\.?\/?([^'"]+\.js)['"]/) ?? [];
  const [, wasm] = start?.[1].match(/['"]\.?\/?([^'"]+\.wasm)['"]/) ?? [];
  if (!page || !wasm) throw new Error('One HTML file cannot be made: index.html does not start the program');
  swap(/<script\b[^>]*type="?module"?[^>]*>[\s\S]*?<\/script>/, `<script type="module">${START}</script>`);
  swap(/<meta http-equiv="?Content-Security-Policy"?[^>]*>/i, `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`);
  swap(/<script\b[^>]*\bregister-sw\.js[^>]*><\/script>/, '');
  html = html.replace(/<link\b[^>]*\brel="?(?:modulepreload|preload|manifest|icon)\b[^>]*>/gi, '').replace(/<base\b[^>]*>/gi, '');
  const sheets = [...html.matchAll(/<link\b[^>]*\brel="?stylesheet"?[^>]*>/gi)].map(([tag]) => ({ tag, file: tag.match(/\bhref="?\.?\/?([^"\s>]+)/i)[1] }));
  for (const { tag, file } of sheets) {
    const css = await (await read(file)).text();
    html = html.replace(tag, () => `<style>${css}</style>`);
  }
  const panels = await (await read('connect/panels.css')).text();
  swap(/<\/head>/i, `<style>${panels}${HIDDEN}</style></head>`);
  const workers = ['worker', ...(needsFull ? ['full'] : [])];
  const glue = {};
  for (const name of workers) glue[name] = await (await read(`${name}.js`)).text();
  const call = `(${boot})(${[LETTERS, fragment, glue].map((value) => JSON.stringify(value).replaceAll('<', '\\u003c')).join(',')})`;
  swap(/<head>/i, `<head><meta charset="utf-8"><script>${call}</script>`);
  if (title) swap(/<title>[^<]*<\/title>/, `<title>${escaped(title)}</title>`);

  const own = ['library.js', 'connect/panels.js', 'share/share.js', 'share/picture.js', 'share/report.js'].map((file) => [file, file]);
  const chunksName = page.replace(/\.js$/, '_chunks.js');
  const chunksText = await (await read(chunksName)).text();
  const chunks = [...new Set([...chunksText.matchAll(/"\.\/([^"]+\.wasm)"/g)].map(([, name]) => name))].map((name) => [name, name]);
  const scripts = unlinked(await (await read(page)).text(), chunksText, chunksName);
  const programs = [['page_bg.wasm', wasm], ...chunks, ...workers.map((name) => [`${name}_bg.wasm`, `${name}_bg.wasm`]), ...own];
  const program = [];
  for (const [i, name] of ['page.js', 'chunks.js'].entries()) program.push(await embedded(name, new Blob([scripts[i]])));
  for (const [name, file] of programs) program.push(await embedded(name, await read(file)));
  const profile = [];
  for (const [i, { path, blob }] of files.entries()) profile.push(await embedded(`profile ${i}`, blob, path));
  const end = html.search(/<\/body>/i);
  const at = end < 0 ? html.length : end;
  const blob = new Blob([html.slice(0, at), '\n', ...program, ...profile, html.slice(at)], { type: 'text/html' });
  const profileBytes = profile.reduce((n, part) => n + part.size, 0);
  return { blob, profileBytes, programBytes: blob.size - profileBytes };
}
