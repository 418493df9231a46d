// The bench of the page in a real Chromium. One JSON line per case on standard output; what is going on, on standard error.
//
// A case opens a generated PyTorch-shaped trace with the file button and reports
//   bytes, records         of the trace, as the page counts them
//   preview_s, idle_s      from the choice of the file to the first lanes painted, and to nothing pending
//   parse_s, ratio         TextDecoder + JSON.parse of the same text in the same browser, and idle_s in terms of it
//   inflate_s, of_budget   of a .gz: DecompressionStream alone, and idle_s in terms of parse_s + 1.2 × inflate_s
//   peak_bytes             of the renderer process (VmHWM), and per byte of input: over_empty, without what a page without content needs;
//                          over_start, without what the start page needs before a file is opened
//   phases_ms              where the time went, as marked on the performance timelines of the page and its workers (src/base/phases.rs)
//   frames_ms              of a scripted zoom and pan over everything: p50, p95, worst
//   sql                    queries of the SQL view (sql.mjs)
//   views_ms               each view: from the click to all its figures (`first`: to the first sentence of Bounds), and its slowest question alone; and the search
//
// Cases: a first visit over a slow line (first_visit.mjs); plain traces; the same as .json.gz; one with Python functions, modules and allocations; a file too large to open.
// Environment: BENCH_CASES=100,500 sizes in MB; BENCH_GZIP=100 and BENCH_RICH=320 likewise (0: none); BENCH_SLICES=1000000 and
// BENCH_WORKERS=8: that many traces of 100 MB as one run (0: none); BENCH_SERIAL=100: sizes that are read by one worker as well, without helpers;
// BENCH_CROWDED=2000000,8600000: frames of that many slices on a thousand tracks at 2560×1440, with all rows, a selection, search marks and arrows (none without it);
// BENCH_CLOSE=50: a trace of 100 MB opened and closed so many times in one page (0: none);
// BENCH_SQL=2000000,7000000: queries over a timeline of that many slices (0: none), and over the device profile of BENCH_DEVICE;
// BENCH_NTFF=run.ntff: the execution of that trace, repeated to the sizes of BENCH_NTFF_MB=200 (its bounds are in views_ms);
// BENCH_SUMMARIES=200: that many Neuron summaries of 100 KB in one drop (0: none); BENCH_SYSTEM=1900000: a Neuron system profile of that many
// events (none without it);
// BENCH_OPERATORS=100000: a Neuron operator timeline and a report of analyze (0: none); BENCH_LARGE=1 adds a trace of 2.5 GB, and
// BENCH_DEVICE=1 a Neuron device profile of 2 M instructions and 5 M transfers, as Parquet (0.2 GB) and as JSON (2.5 GB; and a small one of
// 0.1 GB, for Parse): the large ones are written for the run and deleted after it; BENCH_RUNS=3 times each (the median is reported).
import { readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { chromium } from '@playwright/test';
import { options } from '../../scripts/chromium.mjs';
import { serve } from '../../scripts/serve.mjs';
import { crowdedFrames } from './crowded.mjs';
import { files } from './data.mjs';
import { firstVisit } from './first_visit.mjs';
import * as inside from './inside.mjs';
import { queries } from './sql.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const dist = process.env.AXONSCOPE_DIST ?? join(root, 'dist');
const list = (name, usual) => (process.env[name] ?? usual).split(',').map(Number).filter((n) => n > 0);
const runs = Number(process.env.BENCH_RUNS ?? '3');
// A JavaScript string holds no more than 2^29 - 24 characters, so that no parser in JavaScript reads a larger text at once.
const LARGEST_STRING = 2 ** 29 - 24;

const say = (text) => console.error(`   ${text}`);
const line = (object) => console.log(JSON.stringify(object));
const round = (x, digits = 3) => (x === null || x === undefined ? null : Number(x.toFixed(digits)));
const median = (list) => { const s = list.filter((x) => x !== null && x !== undefined).sort((a, b) => a - b); return s.length ? s[(s.length - 1) >> 1] : null; };
const quantile = (list, q) => list.slice().sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * q))];
const spread = (deltas) => ({ p50: round(quantile(deltas, 0.5), 1), p95: round(quantile(deltas, 0.95), 1), worst: round(Math.max(...deltas), 1) });
const made = files(root, say);

const launch = () => chromium.launch(options);

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

/** Peak resident bytes of a page to which nothing is done. */
async function untouched(url) {
  const browser = await launch();
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(url);
  await page.waitForTimeout(HAND_MS);
  const bytes = await peak(browser);
  await browser.close();
  return bytes;
}

const n_bytes = (file) => [file].flat().reduce((sum, path) => sum + statSync(path).size, 0);

async function parse(browser, site, file) {
  const page = await browser.newPage();
  await page.goto(new URL('nothing-here', site.url).href);
  await page.setContent('<input type="file">');
  await page.setInputFiles('input', file);
  const seconds = await page.evaluate(inside.parse);
  await page.close();
  return seconds;
}

const idle = (page) => page.waitForSelector('body[data-idle="true"]', { timeout: 300_000 });

/** Between a loaded page and the first file; no hand is faster. The page's first worker gets fast in it. */
const HAND_MS = Number(process.env.BENCH_HAND_MS ?? '1000');

/** Milliseconds of each phase, summed over the threads of the page; a thread that has ended is not counted. */
async function phases(page) {
  const sums = {};
  for (const thread of [page, ...page.workers()]) {
    const all = await thread.evaluate(() => performance.getEntriesByType('measure').map((m) => [m.name, m.duration])).catch(() => []);
    for (const [name, ms] of all.filter(([name]) => name.startsWith('axonscope:'))) sums[name.slice(10)] = (sums[name.slice(10)] ?? 0) + ms;
  }
  return sums;
}

/** A page that was given the file (or files), when nothing is pending or something is wrong. */
async function given(browser, site, file, isSerial = false, viewport = { width: 1440, height: 900 }) {
  const page = await browser.newPage({ viewport });
  if (isSerial) await page.addInitScript(() => Object.defineProperty(navigator, 'hardwareConcurrency', { get: () => 1 }));
  await page.addInitScript(inside.watch);
  await page.goto(site.url);
  await idle(page);
  await page.waitForTimeout(HAND_MS);
  await Promise.all([page, ...page.workers()].map((thread) => thread.evaluate(() => performance.clearMeasures())));
  await page.setInputFiles('input[type=file]:not([webkitdirectory])', file);
  await page.waitForFunction(() => window.axonBench.idle !== null || document.querySelector('[role=alert]'), null, { timeout: 600_000 });
  const result = await page.evaluate(() => ({
    chosen: window.axonBench.chosen, preview: window.axonBench.preview, idle: window.axonBench.idle, now: performance.now(),
    alert: document.querySelector('[role=alert]')?.innerText ?? null,
  }));
  result.phases_ms = await phases(page);
  return { page, result };
}

async function open(site, file, bytes, isFirst, isSerial) {
  const browser = await launch();
  try {
    const { page, result } = await given(browser, site, file, isSerial);
    if (result.alert) throw new Error(result.alert);
    const out = { idle_s: result.idle / 1000, preview_s: result.preview === null ? null : result.preview / 1000, peak_bytes: await peak(browser), phases_ms: result.phases_ms };
    if (isFirst) {
      const hasTimeline = await page.locator('[data-nav="timeline"]').count() > 0;
      if (hasTimeline) await page.locator('[data-nav="timeline"]').first().click();
      await idle(page);
      if (hasTimeline) await page.getByRole('button', { name: 'Expand all' }).click();
      const deltas = hasTimeline ? await page.evaluate(inside.frames) : null;
      out.frames_ms = deltas && spread(deltas);
      const { took, records } = await page.evaluate(inside.views);
      out.views_ms = took;
      out.records = records;
    }
    if (bytes < LARGEST_STRING && !Array.isArray(file)) {
      try { Object.assign(out, await parse(browser, site, file)); } catch (error) { say(`JSON.parse gave up: ${error.message.split('\n')[0]}`); }
    }
    return out;
  } finally {
    await browser.close();
  }
}

const site = await serve(dist);
line({ machine: { cpu: cpus()[0].model, cores: cpus().length, memory_gib: Math.round(totalmem() / 2 ** 30) } });
const empty = await untouched(new URL('nothing-here', site.url).href);
const start = await untouched(site.url);
let rate = null; // seconds of Parse per byte, from the largest text that could be parsed
let failed = 0;

async function measure(name, file, times, isSerial = false) {
  const bytes = n_bytes(file);
  try {
    const all = [];
    for (let i = 0; i < times; i++) {
      all.push(await open(site, file, bytes, i === 0, isSerial));
      say(`${name}, run ${i + 1}: idle after ${all[i].idle_s.toFixed(2)} s, Parse ${all[i].parse?.toFixed(2) ?? 'not possible'}`);
    }
    const of = (key) => median(all.map((r) => r[key]));
    const [idle_s, measured, inflate_s, peak_bytes] = [of('idle_s'), of('parse'), of('inflate'), of('peak_bytes')];
    if (measured !== null && inflate_s === null) rate = measured / bytes;
    const names = [...new Set(all.flatMap((r) => Object.keys(r.phases_ms)))];
    const phases_ms = Object.fromEntries(names.map((phase) => [phase, round(median(all.map((r) => r.phases_ms[phase] ?? 0)), 0)]));
    const parse_s = measured ?? (rate === null || Array.isArray(file) ? null : rate * bytes);
    line({
      case: name, bytes, records: all[0].records, preview_s: round(of('preview_s')), idle_s: round(idle_s),
      parse_s: round(parse_s), parse_extrapolated: (measured === null && parse_s !== null) || undefined, ratio: parse_s === null ? null : round(idle_s / parse_s, 2),
      inflate_s: inflate_s === null ? undefined : round(inflate_s), of_budget: inflate_s === null ? undefined : round(idle_s / (parse_s + 1.2 * inflate_s), 2),
      peak_bytes, empty_bytes: empty, over_empty_per_byte: round((peak_bytes - empty) / bytes, 2),
      start_bytes: start, over_start_per_byte: round((peak_bytes - start) / bytes, 2), phases_ms, frames_ms: all[0].frames_ms, views_ms: all[0].views_ms,
    });
  } catch (error) {
    failed++;
    line({ case: name, bytes, error: error.message });
  }
}

/** The workers of one run, read side by side. `worst_frame_ms`: how long the page stood still at most while they were read. */
async function side_by_side(paths) {
  const bytes = n_bytes(paths);
  const name = `${paths.length} workers`;
  const browser = await launch();
  try {
    const { page, result } = await given(browser, site, paths);
    if (result.alert) throw new Error(result.alert);
    const worst = await page.evaluate(() => window.axonBench.worst);
    const { took } = await page.evaluate(inside.views);
    const peak_bytes = await peak(browser);
    line({
      case: name, bytes, idle_s: round(result.idle / 1000), ratio: rate === null ? null : round(result.idle / 1000 / (rate * bytes), 2), worst_frame_ms: round(worst, 1),
      peak_bytes, over_empty_per_byte: round((peak_bytes - empty) / bytes, 2), views_ms: took,
    });
  } catch (error) {
    failed++;
    line({ case: name, bytes, error: error.message });
  } finally {
    await browser.close();
  }
}

/** Resident bytes of all processes of a browser together. */
async function resident(browser) {
  const cdp = await browser.newBrowserCDPSession();
  const { processInfo } = await cdp.send('SystemInfo.getProcessInfo');
  await cdp.detach();
  return processInfo.reduce((sum, p) => {
    try { return sum + Number(readFileSync(`/proc/${p.id}/status`, 'utf8').match(/VmRSS:\s+(\d+) kB/)[1]) * 1024; } catch { return sum; }
  }, 0);
}

/** Opens and closes a file again and again: `grown` is what the largest of the last ten times has over the largest of the first ten, of all processes while it is open. */
async function again(file, times) {
  const browser = await launch();
  try {
    const { page, result } = await given(browser, site, file);
    if (result.alert) throw new Error(result.alert);
    const open_bytes = [await resident(browser)];
    const closed_bytes = [];
    for (let i = 1; i < times; i++) {
      await page.locator('[role=tab]').first().waitFor();
      await page.getByRole('button', { name: /^Close / }).first().click();
      await page.locator('[role=tab]').waitFor({ state: 'detached' });
      await idle(page);
      closed_bytes.push(await resident(browser));
      await page.setInputFiles('input[type=file]:not([webkitdirectory])', file);
      await page.locator('[role=tab]').first().waitFor({ timeout: 300_000 });
      await idle(page);
      open_bytes.push(await resident(browser));
    }
    const part = Math.max(1, Math.min(10, times >> 1));
    const grown = (list) => round(Math.max(...list.slice(-part)) / Math.max(...list.slice(0, part)) - 1);
    line({
      case: `opened and closed ${times} times`, bytes: n_bytes(file), open_bytes: Math.max(...open_bytes), grown_open: grown(open_bytes),
      closed_bytes: Math.max(...closed_bytes), grown_closed: grown(closed_bytes), workers: page.workers().length,
    });
  } catch (error) {
    failed++;
    line({ case: `opened and closed ${times} times`, error: error.message });
  } finally {
    await browser.close();
  }
}

/** Queries over a profile. */
async function sql(name, file, isDevice) {
  const browser = await launch();
  try {
    const { page, result } = await given(browser, site, file);
    if (result.alert) throw new Error(result.alert);
    line({ case: `SQL over ${name}`, bytes: n_bytes(file), sql: await queries(page, isDevice), peak_bytes: await peak(browser) });
  } catch (error) {
    failed++;
    line({ case: `SQL over ${name}`, error: error.message });
  } finally {
    await browser.close();
  }
}

/** Frames of a crowded timeline. */
async function crowded(slices, file) {
  const browser = await launch();
  try {
    const { page, result } = await given(browser, site, file, false, { width: 2560, height: 1440 });
    if (result.alert) throw new Error(result.alert);
    const deltas = await crowdedFrames(page);
    line({ case: `${slices} slices on 1000 tracks, 2560×1440`, bytes: n_bytes(file), idle_s: round(result.idle / 1000), frames_ms: spread(deltas), peak_bytes: await peak(browser) });
  } catch (error) {
    failed++;
    line({ case: `${slices} slices on 1000 tracks`, error: error.message });
  } finally {
    await browser.close();
  }
}

/** A file whose import would take more memory than there is must be refused by its size, before it is read. */
async function refusal(file) {
  const browser = await launch();
  try {
    const { result } = await given(browser, site, file);
    const seconds = (result.now - result.chosen) / 1000;
    if (!/memory/.test(result.alert ?? '')) throw new Error(`expected a sentence about memory, found ${JSON.stringify(result.alert)}`);
    line({ case: 'too large', bytes: statSync(file).size, refused_s: round(seconds), alert: result.alert, peak_bytes: await peak(browser), empty_bytes: empty });
  } catch (error) {
    failed++;
    line({ case: 'too large', error: error.message });
  } finally {
    await browser.close();
  }
}

line(await firstVisit(launch, site, runs));
for (const megabytes of list('BENCH_CASES', '100,500')) await measure(`${megabytes} MB`, made.trace(megabytes), runs);
for (const slices of list('BENCH_CROWDED', '')) {
  const file = made.crowded(slices);
  await crowded(slices, file);
  rmSync(file);
}
for (const megabytes of list('BENCH_SERIAL', '100')) await measure(`${megabytes} MB by one worker`, made.trace(megabytes), runs, true);
for (const times of list('BENCH_CLOSE', '50')) await again(made.trace(100), times);
for (const megabytes of list('BENCH_GZIP', '100')) await measure(`${megabytes} MB as .gz`, made.gzip(megabytes), runs);
for (const megabytes of list('BENCH_RICH', '320')) await measure(`${megabytes} MB with Python, modules, memory`, made.rich(megabytes), 1);
for (const n of list('BENCH_WORKERS', '8')) await side_by_side(made.workers(n, 100));
for (const slices of list('BENCH_SLICES', '1000000')) await measure(`Neuron operator timeline, ${slices} slices`, made.operators(slices), 1);
for (const slices of list('BENCH_SQL', '2000000,7000000')) {
  const file = made.operators(slices);
  await sql(`${slices} slices`, file, false);
  // Large ones are not kept.
  if (slices > 2_000_000) rmSync(file);
}
for (const operators of list('BENCH_OPERATORS', '100000')) await measure(`analyze report, ${operators} operators`, made.report(operators), 1);
await refusal(made.hollow(6));
if (process.env.BENCH_LARGE === '1') {
  const file = made.trace(2500);
  await measure('2500 MB', file, 1);
  rmSync(file);
}
for (const n of list('BENCH_SUMMARIES', '200')) await measure(`${n} summaries of 100 KB`, made.summaries(n, 100), runs);
for (const events of list('BENCH_SYSTEM', '')) await measure(`system profile, ${events} events`, made.system(events), 1);
if (process.env.BENCH_NTFF) {
  for (const megabytes of list('BENCH_NTFF_MB', '200')) {
    await measure(`device trace (NTFF), ${megabytes} MB`, made.deviceTrace(process.env.BENCH_NTFF, megabytes), megabytes > 500 ? 1 : runs);
  }
}
if (process.env.BENCH_DEVICE === '1') {
  const tables = made.device();
  const paths = readdirSync(tables).map((name) => join(tables, name));
  await measure('device profile, Parquet', paths, 1);
  await sql('2 M instructions and 5 M transfers', paths, true);
  // Parse takes much longer for such a text than for a trace, whose records all have the same keys in the same order: its rate is measured here.
  await measure('device profile, JSON, 100 MB', made.smallDevice(), 1);
  const json = made.device('.json');
  await measure('device profile, JSON', json, 1);
  for (const path of [tables, json]) rmSync(path, { recursive: true });
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
  // Loaded when a profile of Neuron or another rare format is opened: not part of the first load.
  if (!name.startsWith('full')) for (const key of Object.keys(total)) total[key] += size[key];
}
line({ wasm, total });
console.error(failed === 0 ? '\ndone: every case was measured' : `\nstopped: ${failed} cases could not be measured`);
process.exit(failed === 0 ? 0 : 1);
