// What all specs share: the served page, files, and the hooks of CONTRIBUTING.md as functions.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32, deflateRawSync } from 'node:zlib';
import { expect, test as base } from '@playwright/test';
import { serve } from '../scripts/serve.mjs';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
export const dist = process.env.AXONSCOPE_DIST ?? join(root, 'dist');
export const samples = join(root, 'public', 'samples');
const artifacts = join(root, 'e2e', 'artifacts');
const prefix = '/sub/path/';

/** A real profile below the conformance folder; skips the test where the folder is absent, unless it is required. */
export function conformance(...parts) {
  const folder = process.env.AXONSCOPE_CONFORMANCE ?? join(root, '..', 'shared', 'conformance');
  if (!existsSync(folder)) {
    if (process.env.AXONSCOPE_CONFORMANCE_REQUIRED === '1') throw new Error(`no conformance data in ${folder}`);
    console.log('skipped: no conformance data');
    test.skip();
  }
  return join(folder, ...parts);
}

export const neuron = (...parts) => conformance('neuron', ...parts);

/** A trace of trn2 as if another hardware generation had written it, whose instruction words are not decoded. */
export const otherArchitecture = (path) => {
  const bytes = readFileSync(path);
  const kind = bytes.indexOf('trn2.3xlarge');
  bytes.write('xyz9', kind);
  // Field 5, the architecture, stands before field 8, the version of the runtime.
  bytes[bytes.lastIndexOf(Buffer.from([5 << 3, 2, (8 << 3) | 2]), kind) + 1] = 1;
  return { name: basename(path), bytes };
};
export const kineto = (...parts) => conformance('kineto', 'traces', ...parts);

export const test = base.extend({
  // A server of its own for each worker, on a free port and below a sub-path.
  site: [async ({}, use) => {
    const site = await serve(dist, { prefix });
    await use(site);
    await site.close();
  }, { scope: 'worker' }],

  // Every page of every test is watched: no foreign request, no uncaught error, no violation of the Content-Security-Policy.
  page: async ({ page, site }, use) => {
    const wrong = [];
    page.wrong = wrong;
    // Origins that a test names as a user would.
    page.allowed = new Set([new URL(site.url).origin]);
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.protocol !== 'blob:' && url.protocol !== 'data:' && !page.allowed.has(url.origin)) wrong.push(`foreign request: ${url}`);
    });
    page.on('pageerror', (error) => wrong.push(`uncaught: ${error.message}`));
    page.on('console', (message) => {
      if (message.type() === 'error' && /Content Security Policy|panicked/i.test(message.text())) wrong.push(message.text());
    });
    await use(page);
    expect(wrong, 'what the page must not do').toEqual([]);
  },
});
export { expect };

/** Nothing is pending. */
export const idle = (page) => page.waitForSelector('body[data-idle="true"]', { timeout: 45_000 });

/** The start page, ready. */
export async function start(page, site, fragment = '') {
  await page.goto(site.url + fragment);
  await idle(page);
}

/** Runs `action`, and waits until the page has been busy and is idle again, or has said why not. */
export async function settled(page, action) {
  await page.evaluate(() => {
    window.axonBusy?.disconnect();
    window.axonChanged = false;
    // A new sentence may come while an older one goes: their number says nothing.
    const isAlert = (node) => node.nodeType === Node.ELEMENT_NODE && (node.matches('[role=alert]') || node.querySelector('[role=alert]') !== null);
    const tells = (record) => record.type === 'attributes' || [...record.addedNodes].some(isAlert);
    window.axonBusy = new MutationObserver((records) => { window.axonChanged ||= records.some(tells); });
    window.axonBusy.observe(document.body, { attributes: true, attributeFilter: ['data-idle'], childList: true, subtree: true });
  });
  await action();
  await page.waitForFunction(() => window.axonChanged && document.body.dataset.idle === 'true', null, { timeout: 45_000 });
}

/** Opens files of the disk with the file button's input: all of them as one drop. */
export async function openProfile(page, ...files) {
  await settled(page, () => page.locator('input[type=file]:not([webkitdirectory])').first().setInputFiles(files));
}

/** Drops files on the page as the mouse would. A file is a path, or `{ name, bytes }`. */
export async function dropFiles(page, ...files) {
  const list = files.map((file) => (typeof file === 'string'
    ? { name: basename(file), base64: readFileSync(file).toString('base64') }
    : { name: file.name, base64: Buffer.from(file.bytes).toString('base64') }));
  await settled(page, async () => {
    const data = await page.evaluateHandle((items) => {
      const transfer = new DataTransfer();
      for (const { name, base64 } of items) {
        transfer.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name));
      }
      return transfer;
    }, list);
    for (const type of ['dragenter', 'dragover', 'drop']) await page.dispatchEvent('body', type, { dataTransfer: data });
  });
}

/** Drops files with the paths that they have below a dropped directory. A file is `{ path, bytes }`. */
export async function dropTree(page, files) {
  const list = files.map(({ path, bytes }) => ({ path, base64: Buffer.from(bytes).toString('base64') }));
  await settled(page, () => page.evaluate((items) => {
    const input = document.querySelector('input[webkitdirectory]');
    const made = items.map(({ path, base64 }) => {
      const file = new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], path.split('/').at(-1));
      return Object.defineProperty(file, 'webkitRelativePath', { value: path });
    });
    Object.defineProperty(input, 'files', { value: made, configurable: true });
    input.files.item = (i) => input.files[i];
    input.dispatchEvent(new Event('change'));
  }, list));
}

/** Cells of a column of a table, of the rows in the document. */
export const cells = (page, id, column) => page.locator(`table[data-table="${id}"]`).evaluate((element, wanted) => {
  const at = [...element.querySelectorAll('thead th')].findIndex((th) => th.dataset.column === wanted);
  return [...element.querySelectorAll('tbody tr[data-row]')].map((tr) => tr.children[at].textContent.trim());
}, column);

/** Goes to a view by the side bar. */
export async function show(page, view) {
  if (await page.locator(`[data-view="${view}"]`).isVisible()) return;
  await page.locator(`[data-nav="${view}"]`).first().click();
  await expect(page.locator(`[data-view="${view}"]`)).toBeVisible();
  await idle(page);
}

/** How many pixels of a canvas differ from its commonest colour, and how many colours it has. */
export function ink(locator) {
  return locator.evaluate((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const pixels = new Uint32Array(data.buffer);
    const counts = new Map();
    for (const p of pixels) counts.set(p, (counts.get(p) ?? 0) + 1);
    return { inked: pixels.length - Math.max(...counts.values()), colours: counts.size, pixels: pixels.length };
  });
}

export const timeline = (page) => page.locator('[data-view="timeline"]');

/** The largest canvas of the timeline: where slices are. */
export async function lanes(page) {
  const all = timeline(page).locator('canvas');
  let best = all.first();
  let area = -1;
  for (let i = 0; i < await all.count(); i++) {
    const box = await all.nth(i).boundingBox();
    if (box && box.width * box.height > area) { area = box.width * box.height; best = all.nth(i); }
  }
  return best;
}

/** The visible range in nanoseconds. */
export async function visible(page) {
  const text = await timeline(page).getAttribute('data-window');
  const [, from, to] = text.match(/^(-?\d+)-(-?\d+)$/).map(Number);
  return { from, to, span: to - from };
}

/** Waits until the visible range has come to rest: the same over a few frames in a row. */
export async function atRest(page) {
  await idle(page);
  await page.evaluate(() => new Promise((done) => {
    const root = document.querySelector('[data-view="timeline"]');
    let last = null;
    let same = 0;
    const look = () => {
      same = root.dataset.window === last ? same + 1 : 0;
      last = root.dataset.window;
      if (same >= 12) done();
      else requestAnimationFrame(look);
    };
    look();
  }));
  return visible(page);
}

/** Waits until the visible range is another than `before`, and at rest. */
export async function windowChanged(page, before) {
  await expect.poll(async () => { const w = await visible(page); return w.from !== before.from || w.to !== before.to; }).toBe(true);
  return atRest(page);
}

/** Finds a point of the lanes that lies on a slice: coloured, and coloured alike around it, as high as a slice is. Page coordinates. */
export async function pointOnSlice(page) {
  const canvas = await lanes(page);
  const at = await canvas.evaluate((c) => {
    const { data } = c.getContext('2d').getImageData(0, 0, c.width, c.height);
    const saturation = (i) => Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]);
    const left = Math.floor(c.width * 0.2);
    const alike = (i, k) => data[i] === data[k] && data[i + 1] === data[k + 1] && data[i + 2] === data[k + 2];
    /** Rows of pixels of one colour above and below. Areas of counters are pale, or higher or lower than slices. */
    const height = (x, y) => {
      const at = (row) => (row * c.width + x) * 4;
      let [top, bottom] = [y, y];
      while (top > 0 && alike(at(top - 1), at(y))) top -= 1;
      while (bottom < c.height - 1 && alike(at(bottom + 1), at(y))) bottom += 1;
      return (bottom - top + 1) / devicePixelRatio;
    };
    const isPale = (x, y) => Math.min(...data.slice((y * c.width + x) * 4, (y * c.width + x) * 4 + 3)) > 185;
    const isSlice = (x, y) => !isPale(x, y) && height(x, y) >= 12 && height(x, y) <= 18;
    let best = null;
    for (let y = 4; y < c.height - 4; y += 3) {
      let run = 0;
      for (let x = left; x < c.width - 20; x++) {
        const i = (y * c.width + x) * 4;
        const same = run === 0 || alike(i, i - 4);
        run = saturation(i) > 40 && same ? run + 1 : 0;
        if (run > 6 && (!best || run > best.run) && run < c.width * 0.5 && isSlice(Math.round(x - run / 2), y)) best = { x: x - run / 2, y, run };
      }
    }
    return best && { x: best.x / c.width, y: best.y / c.height };
  });
  if (!at) throw new Error('no slice is drawn');
  const box = await canvas.boundingBox();
  return { x: box.x + at.x * box.width, y: box.y + at.y * box.height };
}

/** Keeps a picture for people to look at, if AXONSCOPE_PICTURES=1: pictures are an eighth of the time of `every_view`. */
export async function picture(page, name) {
  if (process.env.AXONSCOPE_PICTURES !== '1') return;
  mkdirSync(artifacts, { recursive: true });
  await page.screenshot({ path: join(artifacts, `${name}.png`) });
}

/** What is wrong with a view as it stands, in words: it sticks out, is blank, or reads oddly. */
export const faults = (page, view) => page.evaluate((id) => {
  const wrong = [];
  const root = document.querySelector(`[data-view="${id}"]`);
  if (!root) return [`no root of ${id}`];
  const wide = document.documentElement.scrollWidth - window.innerWidth;
  if (wide > 0) wrong.push(`the page is ${wide} px too wide`);
  const pane = root.closest('.front__view');
  if (pane && pane.scrollWidth > pane.clientWidth) wrong.push(`the view is ${pane.scrollWidth - pane.clientWidth} px too wide`);
  // The bar of a run scrolls on a phone; any other has room for all it holds.
  const bar = document.querySelector('.scopebar:not(:has(.runpanel))');
  if (bar && bar.scrollWidth > bar.clientWidth) wrong.push(`the bar of the range is ${bar.scrollWidth - bar.clientWidth} px too wide`);
  const box = root.getBoundingClientRect();
  if (box.width < 200 || box.height < 60) wrong.push(`the view is ${box.width} × ${box.height} px`);
  const canvases = [...root.querySelectorAll('canvas')].filter((c) => c.width > 0 && c.height > 0);
  if (root.innerText.trim().length < 40 && canvases.length === 0) wrong.push('the view is blank');
  const odd = document.body.innerText.match(/\b(?:NaN|Infinity|undefined)\b|(?:^|\s)-0(?:\s|$)/);
  if (odd) wrong.push(`it says "${odd[0].trim()}"`);
  return wrong;
}, view);

/** A ZIP archive of { name: text }, every other member deflated. */
export function zip(files) {
  const parts = [];
  const directory = [];
  let at = 0;
  Object.entries(files).forEach(([name, text], i) => {
    const content = Buffer.from(text);
    const data = i % 2 ? deflateRawSync(content) : content;
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(i % 2 ? 8 : 0, 4);
    shared.writeUInt32LE(crc32(content), 10);
    shared.writeUInt32LE(data.length, 14);
    shared.writeUInt32LE(content.length, 18);
    shared.writeUInt16LE(name.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(at, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\0'), shared, place, Buffer.from(name));
    parts.push(Buffer.from('PK\x03\x04'), shared, Buffer.from(name), data);
    at += 30 + name.length + data.length;
  });
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(Object.keys(files).length, 4);
  end.writeUInt16LE(Object.keys(files).length, 6);
  end.writeUInt32LE(list.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...parts, list, Buffer.from('PK\x05\x06'), end]);
}
