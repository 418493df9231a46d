// The bench of the page in a real Chromium. One JSON line per case on standard output; what is going on, on standard error.
//
// A case opens a generated PyTorch-shaped trace with the file button and reports
//   bytes, records         of the trace, as the page counts them
//   preview_s, idle_s      from the choice of the file to the first lanes painted, and to nothing pending
//   parse_s, ratio         TextDecoder + JSON.parse of the same text in the same browser, and idle_s in terms of it
//   peak_bytes             of the renderer process (VmHWM), and over_empty: without what an empty page needs, per byte of input
//   frames_ms              of a scripted zoom and pan over everything: p50, p95, worst
//   queries_ms             from the question to the answer on screen
//
// Environment: BENCH_CASES=100,500 sizes in MB; BENCH_LARGE=1 adds 2500; BENCH_RUNS=3 times each (the median is reported).
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { chromium } from '@playwright/test';
import { serve } from '../../scripts/serve.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const dist = process.env.AXONSCOPE_DIST ?? join(root, 'dist');
const data = join(root, 'bench-data');
const sizes = (process.env.BENCH_CASES ?? '100,500').split(',').map(Number);
if (process.env.BENCH_LARGE === '1') sizes.push(2500);
const runs = Number(process.env.BENCH_RUNS ?? '3');
const MB = 1_000_000;
// A JavaScript string holds no more than 2^29 - 24 characters, so that no parser in JavaScript reads a larger text at once.
const LARGEST_STRING = 2 ** 29 - 24;

const say = (text) => console.error(`   ${text}`);
const line = (object) => console.log(JSON.stringify(object));
const round = (x, digits = 3) => (x === null || x === undefined ? null : Number(x.toFixed(digits)));
const median = (list) => { const s = list.filter((x) => x !== null).sort((a, b) => a - b); return s.length ? s[(s.length - 1) >> 1] : null; };
const quantile = (list, q) => list.slice().sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * q))];

function trace(megabytes) {
  mkdirSync(data, { recursive: true });
  const file = join(data, `trace-${megabytes}MB.pt.trace.json`);
  if (!existsSync(file)) {
    say(`writing ${file.slice(root.length)}`);
    execFileSync('cargo', ['run', '--quiet', '--profile', 'fast', '--example', 'make_trace', '--', '--bytes', String(megabytes * MB), '--seed', '1', file],
      { cwd: root, stdio: ['ignore', 2, 2] });
  }
  return file;
}

const launch = () => chromium.launch({
  executablePath: process.env.AXONSCOPE_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'],
});

/** Peak resident bytes of the largest renderer of a browser. */
async function peak(browser) {
  const cdp = await browser.newBrowserCDPSession();
  const { processInfo } = await cdp.send('SystemInfo.getProcessInfo');
  await cdp.detach();
  const peaks = processInfo.filter((p) => p.type === 'renderer').map((p) => {
    try { return Number(readFileSync(`/proc/${p.id}/status`, 'utf8').match(/VmHWM:\s+(\d+) kB/)[1]) * 1024; } catch { return 0; }
  });
  return Math.max(0, ...peaks);
}

async function emptyPage(site) {
  const browser = await launch();
  const page = await browser.newPage();
  await page.goto(new URL('nothing-here', site.url).href);
  await page.waitForTimeout(500);
  const bytes = await peak(browser);
  await browser.close();
  return bytes;
}

/** Runs in the page before anything else: notes when a file was chosen, lanes were painted, and nothing was pending any more. */
function watch() {
  const bench = { chosen: null, preview: null, idle: null };
  window.axonBench = bench;
  document.addEventListener('change', () => { bench.chosen = performance.now(); look(); }, { capture: true });
  const small = new OffscreenCanvas(48, 24);
  const pen = small.getContext('2d', { willReadFrequently: true });
  const painted = () => [...document.querySelectorAll('canvas')].some((canvas) => {
    if (canvas.width < 300 || canvas.height < 100) return false;
    pen.clearRect(0, 0, 48, 24);
    pen.drawImage(canvas, 0, 0, 48, 24);
    return new Set(new Uint32Array(pen.getImageData(0, 0, 48, 24).data.buffer)).size > 24;
  });
  const look = () => {
    if (bench.preview !== null) return;
    if (painted()) bench.preview = performance.now() - bench.chosen;
    else requestAnimationFrame(look);
  };
  new MutationObserver(() => {
    if (bench.chosen !== null && document.body?.dataset.idle === 'true' && document.body.dataset.profile) bench.idle ??= performance.now() - bench.chosen;
  }).observe(document, { attributes: true, subtree: true, attributeFilter: ['data-idle', 'data-profile'] });
}

/** Zooms in and out and pans over the timeline, a step per frame; gives the times between frames. */
function frames() {
  const all = [...document.querySelectorAll('[data-view="timeline"] canvas')];
  const canvas = all.sort((a, b) => b.clientWidth * b.clientHeight - a.clientWidth * a.clientHeight)[0];
  const box = canvas.getBoundingClientRect();
  const at = { clientX: box.left + box.width * 0.6, clientY: box.top + box.height * 0.4, bubbles: true, cancelable: true, deltaMode: 0 };
  const step = (i) => {
    if (i < 90) return { deltaY: -40, ctrlKey: true };
    if (i < 150) return { deltaY: 60, shiftKey: true };
    if (i < 240) return { deltaY: 40, ctrlKey: true };
    return { deltaY: -60, shiftKey: true };
  };
  return new Promise((done) => {
    const deltas = [];
    let last = null;
    let i = 0;
    const tick = (now) => {
      if (last !== null && i > 3) deltas.push(now - last);
      last = now;
      if (i === 300) return done(deltas);
      canvas.dispatchEvent(new WheelEvent('wheel', { ...at, ...step(i++) }));
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
}

async function parse(browser, site, file) {
  const page = await browser.newPage();
  await page.goto(new URL('nothing-here', site.url).href);
  await page.setContent('<input type="file">');
  await page.setInputFiles('input', file);
  const seconds = await page.evaluate(async () => {
    const bytes = await document.querySelector('input').files[0].arrayBuffer();
    const from = performance.now();
    const object = JSON.parse(new TextDecoder().decode(bytes));
    const took = performance.now() - from;
    window.kept = object;
    return took / 1000;
  });
  await page.close();
  return seconds;
}

const idle = (page) => page.waitForSelector('body[data-idle="true"]', { timeout: 300_000 });

async function open(site, file, bytes, isFirst) {
  const browser = await launch();
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.addInitScript(watch);
    await page.goto(site.url);
    await idle(page);
    await page.setInputFiles('input[type=file]:not([webkitdirectory])', file);
    await page.waitForFunction(() => window.axonBench.idle !== null || document.querySelector('[role=alert]'), null, { timeout: 600_000 });
    const result = await page.evaluate(() => ({ ...window.axonBench, alert: document.querySelector('[role=alert]')?.innerText ?? null }));
    if (result.alert) throw new Error(result.alert);
    const out = { idle_s: result.idle / 1000, preview_s: result.preview === null ? null : result.preview / 1000, peak_bytes: await peak(browser) };
    if (isFirst) {
      await page.locator('[data-nav="timeline"]').first().click();
      await idle(page);
      const deltas = await page.evaluate(frames);
      out.frames_ms = { p50: round(quantile(deltas, 0.5), 1), p95: round(quantile(deltas, 0.95), 1), worst: round(Math.max(...deltas), 1) };
      const asked = await page.evaluate(answers);
      out.queries_ms = asked.took;
      out.records = asked.records;
    }
    if (bytes < LARGEST_STRING) {
      try { out.parse_s = await parse(browser, site, file); } catch (error) { say(`JSON.parse gave up: ${error.message.split('\n')[0]}`); }
    }
    return out;
  } finally {
    await browser.close();
  }
}

/** Milliseconds from a question to its answer on screen, in the page: waits for frames, debouncing of what is typed included. */
function answers() {
  const idle = () => document.body.dataset.idle === 'true';
  const time = (act, done) => new Promise((give) => {
    const from = performance.now();
    act();
    let n = 0;
    const look = () => {
      const took = performance.now() - from;
      if (n++ > 1 && idle() && done()) give(Math.round(took));
      else if (took > 20_000) give(null);
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  const go = (view) => document.querySelector(`[data-nav="${view}"]`).click();
  const rows = () => document.querySelector('table[data-table="operators"] tbody tr[data-row]');
  return (async () => {
    const took = {};
    took.operators = await time(() => go('operators'), rows);
    await time(() => go('timeline'), () => document.querySelector('[data-view="timeline"]'));
    const box = document.querySelector('input[type=search][aria-label^="Search"]');
    const count = () => document.querySelector('[data-search-count]')?.textContent ?? '';
    const before = count();
    took.search = await time(() => {
      box.value = 'aten::mm';
      box.dispatchEvent(new Event('input', { bubbles: true }));
    }, () => count() !== before && /\d/.test(count()));
    await time(() => go('ledger'), () => document.querySelector('[data-view="ledger"] dd'));
    const records = Number(document.querySelector('[data-view="ledger"] dd').textContent.replace(/\D/g, '')) || null;
    return { took, records };
  })();
}

const site = await serve(dist);
line({ machine: { cpu: cpus()[0].model, cores: cpus().length, memory_gib: Math.round(totalmem() / 2 ** 30) } });
const empty = await emptyPage(site);
let rate = null; // seconds of Parse per byte, from the largest text that could be parsed
let failed = 0;
for (const megabytes of sizes) {
  const file = trace(megabytes);
  const bytes = statSync(file).size;
  try {
    const all = [];
    for (let i = 0; i < (megabytes > 1000 ? 1 : runs); i++) {
      all.push(await open(site, file, bytes, i === 0));
      say(`${megabytes} MB, run ${i + 1}: idle after ${all[i].idle_s.toFixed(2)} s, Parse ${all[i].parse_s?.toFixed(2) ?? 'not possible'}`);
    }
    const idle_s = median(all.map((r) => r.idle_s));
    const measured = median(all.map((r) => r.parse_s ?? null));
    if (measured !== null) rate = measured / bytes;
    const parse_s = measured ?? (rate === null ? null : rate * bytes);
    const peak_bytes = median(all.map((r) => r.peak_bytes));
    line({
      case: `${megabytes} MB`, bytes, records: all[0].records, preview_s: round(median(all.map((r) => r.preview_s))), idle_s: round(idle_s),
      parse_s: round(parse_s), parse_extrapolated: measured === null || undefined, ratio: parse_s === null ? null : round(idle_s / parse_s, 2),
      peak_bytes, empty_bytes: empty, over_empty_per_byte: round((peak_bytes - empty) / bytes, 2), frames_ms: all[0].frames_ms, queries_ms: all[0].queries_ms,
    });
  } catch (error) {
    failed++;
    line({ case: `${megabytes} MB`, bytes, error: error.message });
  }
}
await site.close();

const wasm = {};
const total = { raw: 0, gzip: 0, brotli: 0 };
for (const name of readdirSync(dist).filter((n) => n.endsWith('.wasm')).sort()) {
  const bytes = readFileSync(join(dist, name));
  const size = {
    raw: bytes.length,
    gzip: gzipSync(bytes, { level: 9 }).length,
    brotli: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }).length,
  };
  wasm[name.replace(/-[0-9a-f]{16}/, '')] = size;
  for (const key of Object.keys(total)) total[key] += size[key];
}
line({ wasm, total });
console.error(failed === 0 ? '\ndone: every case was measured' : `\nstopped: ${failed} cases could not be measured`);
process.exit(failed === 0 ? 0 : 1);
