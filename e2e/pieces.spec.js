// A large trace or device profile is read in pieces by several workers; the profile is that of reading it in order.
import { closeSync, cpSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { serve } from '../scripts/serve.mjs';
import { writeTable } from './parquet.js';
import { dist, expect, openProfile, settled, show, start, test } from './support.js';

let folder;
let large;
test.beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'axonscope-'));
  large = join(folder, 'large.pt.trace.json');
  write(large, 72_000_000);
});
test.afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A trace with records of every kind: slices that begin in one piece and end in another, arrows, counters, text that looks like a record. */
function write(path, bytes) {
  const file = openSync(path, 'w');
  writeSync(file, '{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU"}], "traceEvents": [\n');
  writeSync(file, '{"ph": "B", "cat": "user_annotation", "name": "whole", "pid": 1, "tid": 1, "ts": 0.5}');
  for (let i = 0, n = 0; n < bytes; i += 500) {
    let text = '';
    for (let k = i; k < i + 500; k++) {
      const t = k * 50 + 1;
      text += `,\n{"ph": "X", "cat": "cpu_op", "name": "aten::op${k % 37}", "pid": 1, "tid": ${1 + (k % 2)}, "ts": ${t}.250, "dur": 30, "args": {"External id": ${k}, "Input Dims": [[${k % 11}, 4], []], "Input type": ["float", ""], "Concrete Inputs": ["", "${k % 5}"], "note": "}, {\\"ph\\": \\"X\\""}}`
        + `,\n{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": ${1 + (k % 2)}, "ts": ${t + 5}, "dur": 4, "args": {"External id": ${k}, "correlation": ${k}}}`
        + `,\n{"ph": "s", "id": ${k}, "pid": 1, "tid": ${1 + (k % 2)}, "ts": ${t + 5}, "cat": "ac2g", "name": "ac2g"}`
        + `,\n{"ph": "X", "cat": "kernel", "name": "void k${k % 41}<float>(int)", "pid": 0, "tid": 7, "ts": ${t + 12}, "dur": 20.125, "args": {"External id": ${k}, "device": 0, "stream": 7, "correlation": ${k}, "grid": [${k % 9}, 1, 1], "block": [128, 1, 1]}}`
        + `,\n{"ph": "f", "id": ${k}, "pid": 0, "tid": 7, "ts": ${t + 12}, "cat": "ac2g", "name": "ac2g", "bp": "e"}`;
    }
    text += `,\n{"ph": "C", "name": "counter", "pid": 1, "ts": ${i * 50}, "args": {"v": ${i}}}`;
    n += text.length;
    writeSync(file, text);
  }
  writeSync(file, ',\n{"ph": "E", "pid": 1, "tid": 1, "ts": 99999999}\n], "traceName": "t"}');
  closeSync(file);
}

const cores = (page, n) => page.addInitScript((value) => Object.defineProperty(navigator, 'hardwareConcurrency', { get: () => value }), n);
const rehearsed = (page) => page.waitForFunction(() => performance.getEntriesByName('axonscope-rehearsed').length > 0);
const isProgram = (worker) => worker.url().startsWith('blob:');
const measures = (thread) => thread.evaluate(() => performance.getEntriesByType('measure').map((m) => m.name.replace('axonscope:', '')));

/** Workers that have done nothing yet: helpers that wait. */
async function helpers(page) {
  const out = [];
  for (const worker of page.workers().filter(isProgram)) {
    if ((await measures(worker)).length === 0) out.push(worker);
  }
  return out;
}

/** Waits until the page has a helper that is ready for its first piece. */
async function warm(page) {
  await rehearsed(page);
  await expect.poll(async () => (await helpers(page)).length).toBe(1);
}

/** What the account of the import and the summary of operators say, and the link of the profile. */
async function said(page) {
  await show(page, 'ledger');
  const ledger = await page.locator('[data-view="ledger"]').innerText();
  await show(page, 'operators');
  const operators = await page.locator('table[data-table]').first().innerText();
  return { ledger, operators, hash: await page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get('p')) };
}

test('helpers read pieces, and the profile is the same', async ({ page, site, context }) => {
  await cores(page, 6);
  await start(page, site);
  await warm(page);
  await openProfile(page, large);
  const owner = page.workers().find(isProgram);
  const phases = await measures(owner);
  // Of three pieces: a helper that starts late leaves the last one to the owner.
  expect(phases, 'a piece by a helper').toContain('helper');
  expect(phases, 'this worker reads the first piece itself').toContain('parse');
  await expect.poll(() => page.workers().length, 'helpers and readers end with the import').toBe(1);
  const split = await said(page);

  const other = await context.newPage();
  await cores(other, 2);
  await start(other, site);
  await openProfile(other, large);
  expect(await measures(other.workers().find(isProgram))).not.toContain('helper');
  const whole = await said(other);
  expect(split).toEqual(whole);
  expect(whole.operators).toContain('aten::op36');
  await other.close();
});

test('when all of a file is read, its panel says that it is sorted', async ({ page, site }) => {
  await start(page, site);
  await page.evaluate(() => {
    window.figures = [];
    const note = () => window.figures.push(document.querySelector('.reading__figures')?.textContent);
    new MutationObserver(note).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  await openProfile(page, large);
  const figures = (await page.evaluate(() => window.figures)).filter(Boolean);
  expect(figures[0]).toMatch(/^Reading /);
  expect(figures.at(-1)).toMatch(/ records · sorting$/);
});

test('the text of a gzip file is parsed by helpers, and the profile is the same', async ({ page, site, context }) => {
  const packed = join(folder, 'packed.pt.trace.json.gz');
  writeFileSync(packed, gzipSync(readFileSync(large), { level: 1 }));
  await cores(page, 4);
  await start(page, site);
  await warm(page);
  await openProfile(page, packed);
  const phases = await measures(page.workers().find(isProgram));
  expect(phases, 'a piece by a helper').toContain('helper');
  await expect.poll(() => page.workers().length).toBe(1);
  const split = await said(page);
  const other = await context.newPage();
  await cores(other, 2);
  await start(other, site);
  await openProfile(other, packed);
  expect(await measures(other.workers().find(isProgram))).not.toContain('helper');
  expect(split).toEqual(await said(other));
  await other.close();
});

/** A device profile of two cores, with a table between the sections of the timeline. */
function writeDevice(path, n) {
  const file = openSync(path, 'w');
  const section = (name, record) => {
    for (let i = 0; i < n; i += 500) {
      writeSync(file, `${i === 0 ? `"${name}":[` : ','}${Array.from({ length: 500 }, (_, k) => JSON.stringify(record(i + k))).join(',')}`);
    }
    writeSync(file, ']');
  };
  writeSync(file, '{"model_info":[{"sg_name":"sg00","nc_idx":4},{"sg_name":"sg01","nc_idx":5}],');
  section('dma', (k) => ({ subgraph: `sg0${k % 2}`, timestamp: 40 * k, duration: 900, dma_engine: `${k % 16}`, dma_queue: `${k % 3}`, queue_type: 'static', variable: `tensor${k % 101}`, transfer_size: 512 * (1 + (k % 4)), new_key: k, source: ['unknown'], dest: ['}, {"timestamp": 1'] }));
  writeSync(file, ',"layer_summary":[{"layer":"layer0","timestamp":1}],');
  section('semaphore_update', (k) => ({ id: `S[${k % 60}] (qSyncIO)`, subgraph: `sg0${k % 2}`, timestamp: 40 * k + 3, value: k }));
  writeSync(file, ',');
  section('instruction', (k) => ({ id: k, subgraph: `sg0${k % 2}`, subgroup: 'Vector', label: 'Vector', timestamp: 40 * k + 5, duration: 30, opcode: `OP${k % 37}`, pc: k % 5000, layer: `layer${k % 12}`, operands: `S[${k % 60}]>=${k} (qSyncIO) src=bf16@0x${(k % 4096).toString(16)}[1,1,1][64,1,1] dst=fp32@0x8000[1,1,1][64,1,1]`, predecessors: k === 0 ? [] : [{ id: k - 1, type: 'data' }, { id: k >> 1, type: 'order' }] }));
  writeSync(file, '}');
  closeSync(file);
}

/** Opens files with helpers and without: what both show is the same. Returns what that is. */
async function compare(page, site, context, files) {
  const seen = async (tab) => {
    await show(tab, 'ledger');
    const ledger = await tab.locator('[data-view="ledger"]').innerText();
    await show(tab, 'layers');
    const layers = await tab.locator('table[data-table]').first().innerText();
    return { ledger, layers, hash: await tab.evaluate(() => new URLSearchParams(location.hash.slice(1)).get('p')) };
  };
  // The program that reads traces waits for one beside the program that reads every format.
  const phases = async (tab) => (await Promise.all(tab.workers().filter(isProgram).map(measures))).flat();
  await cores(page, 6);
  await start(page, site);
  await warm(page);
  const n = page.workers().length;
  await openProfile(page, ...files);
  expect(await phases(page), 'a piece by a helper').toContain('helper');
  await expect.poll(() => page.workers().length, 'helpers and readers end with the import').toBe(n + 1);
  const split = await seen(page);
  expect(split.ledger).not.toContain('A worker that read a part of the file stopped');
  const other = await context.newPage();
  await cores(other, 2);
  await start(other, site);
  await openProfile(other, ...files);
  expect(await phases(other)).not.toContain('helper');
  expect(split).toEqual(await seen(other));
  await other.close();
  return split;
}

test('helpers read pieces of a device profile, and the profile is the same', async ({ page, site, context }) => {
  const device = join(folder, 'device.json');
  writeDevice(device, 120_000);
  const seen = await compare(page, site, context, [device]);
  expect(seen.layers).toMatch(/NC 4\s+Core\s+60.000/);
});

/** A device profile of two cores as Parquet tables, two of them in several row groups; paths. */
function writeTables(n, inGroup) {
  const number = (name, value) => ({ name, number: value });
  const text = (name, value) => ({ name, text: value });
  const instructions = [
    number('start_ts', (k) => 40 * k), number('duration_ns', (k) => 20 + (k % 20)), number('pcore_idx', (k) => k % 2), number('id', (k) => k),
    text('engine', (k) => ['Tensor', 'Vector', 'Scalar'][k % 3]), text('opcode', (k) => `OP${k % 37}`), text('layer', (k) => `layer${k % 12}`),
  ];
  const packets = [
    number('start_ts', (k) => 40 * k + 7), number('duration_ns', (k) => 60 + (k % 300)), number('pcore_idx', (k) => k % 2), number('id', (k) => k),
    number('engine_idx', (k) => k % 16), number('queue_idx', (k) => k % 5), number('transfer_bytes', (k) => 512 * (1 + (k % 4))),
  ];
  const flows = [text('in_table', () => 'DmaPacket'), number('in_id', (k) => k * 59), text('out_table', () => 'Instruction'), number('out_id', (k) => k * 59 + 2)];
  const tables = { Instruction: [instructions, n], DmaPacket: [packets, n], Flow: [flows, 10_000] };
  return Object.entries(tables).map(([name, [columns, rows]]) => {
    const path = join(folder, `${name}.parquet`);
    if (!existsSync(path)) writeTable(path, columns, rows, inGroup);
    return path;
  });
}

const ALL_ROWS = /Records read\s*2\s170\s000/;

test('helpers read row groups of long tables, and the profile is the same', async ({ page, site, context }) => {
  const seen = await compare(page, site, context, writeTables(1_080_000, 270_000));
  expect(seen.ledger).toMatch(ALL_ROWS);
  expect(seen.layers).toMatch(/Core\s+540.000/);
});

test('rows of a helper that stops are read by the others', async ({ page, site }) => {
  const tables = writeTables(1_080_000, 270_000);
  await cores(page, 6);
  await start(page, site);
  await warm(page);
  // The first program that starts opens the profile. Its helpers end as soon as they are given a piece.
  let isOwner = true;
  const stop = () => addEventListener('message', (event) => { event.stopImmediatePropagation(); close(); }, true);
  page.on('worker', (worker) => {
    if (!isProgram(worker)) return;
    if (!isOwner) worker.evaluate(stop).catch(() => {});
    isOwner = false;
  });
  await openProfile(page, ...tables);
  await show(page, 'ledger');
  const ledger = page.locator('[data-view="ledger"]');
  await expect(ledger).toContainText('A worker that read a part of the file stopped');
  await expect(ledger).toContainText(ALL_ROWS);
});

test('a helper that stops is replaced by reading on', async ({ page, site }) => {
  await cores(page, 4);
  await start(page, site);
  await rehearsed(page);
  let waiting;
  await expect.poll(async () => (waiting = await helpers(page)).length).toBe(1);
  // It ends as soon as it is given its first piece.
  await waiting[0].evaluate(() => addEventListener('message', () => close()));
  await openProfile(page, large);
  await show(page, 'ledger');
  const ledger = page.locator('[data-view="ledger"]');
  await expect(ledger).toContainText('A worker that read a part of the file stopped');
  expect(await measures(page.workers().find(isProgram))).not.toContain('helper');
  await show(page, 'operators');
  await expect(page.locator('table[data-table]').first()).toContainText('aten::op36');
});

test('helpers read by themselves where no reader can be started', async ({ page }) => {
  // A folder without reader.js and without a worker of the site that would keep it.
  const copy = join(folder, 'site');
  cpSync(dist, copy, { recursive: true });
  for (const file of ['reader.js', 'sw.js']) rmSync(join(copy, file));
  const site = await serve(copy);
  page.allowed.add(new URL(site.url).origin);
  await cores(page, 6);
  await start(page, site);
  await warm(page);
  await openProfile(page, large);
  expect(await measures(page.workers().find(isProgram)), 'a piece by a helper').toContain('helper');
  const { ledger, operators } = await said(page);
  expect(ledger).not.toContain('A worker that read a part of the file stopped');
  expect(operators).toContain('aten::op36');
  expect(site.requests.filter((path) => path.endsWith('/reader.js')).length, 'readers were tried').toBeGreaterThan(1);
  await site.close();
});

test('cancelling ends helpers at once', async ({ page, site }) => {
  await cores(page, 6);
  await start(page, site);
  await rehearsed(page);
  // The import may be over before a click from here arrives: the page clicks by itself, 50 ms after the button has appeared.
  await page.evaluate(() => {
    const cancel = () => [...document.querySelectorAll('.reading button')].find((button) => button.textContent.trim() === 'Cancel');
    const wait = () => (cancel() ? setTimeout(() => { window.clicked = !!cancel(); cancel()?.click(); }, 50) : requestAnimationFrame(wait));
    wait();
  });
  await settled(page, () => page.locator('input[type=file]:not([webkitdirectory])').first().setInputFiles(large));
  expect(await page.evaluate(() => window.clicked), 'it was still reading').toBe(true);
  await expect.poll(() => page.workers().length).toBe(0);
  await expect(page.getByRole('tab')).toHaveCount(0);
});

/** Resident bytes of the browser's processes together, without what the page has let go of. */
async function resident(page) {
  const collector = await page.context().newCDPSession(page);
  await collector.send('HeapProfiler.collectGarbage');
  await collector.detach();
  const cdp = await page.context().browser().newBrowserCDPSession();
  const { processInfo } = await cdp.send('SystemInfo.getProcessInfo');
  await cdp.detach();
  const of = (id) => { try { return Number(readFileSync(`/proc/${id}/status`, 'utf8').match(/VmRSS:\s+(\d+) kB/)[1]) * 1024; } catch { return 0; } };
  return processInfo.reduce((sum, { id }) => sum + of(id), 0);
}

test('opening and closing gives memory and workers back', async ({ page, site }) => {
  await cores(page, 4);
  await start(page, site);
  const open = [];
  for (let i = 0; i < 6; i++) {
    await openProfile(page, large);
    open.push(await resident(page));
    await settled(page, () => page.getByRole('button', { name: /^Close large/ }).click());
    await expect.poll(() => page.workers().length, `workers after closing, ${i + 1} times`).toBe(0);
  }
  // One profile that was kept would be some forty megabytes for each time.
  expect(Math.max(...open.slice(3)) / Math.max(...open.slice(0, 3)), `resident bytes while it is open: ${open}`).toBeLessThan(1.1);
});
