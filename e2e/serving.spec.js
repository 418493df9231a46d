// LLM serving: runs with graphs and their captures, efficiency of operators, steps. Values on screen against TraceLens's tables of the same files.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { cells, conformance, dropTree, expect, idle, kineto, openProfile, picture, show, start, test } from './support.js';

const graphs = (...parts) => conformance('kineto', 'graphs', ...parts);
const RUNS = { sglang_decode: 'sglang_Qwen3-8B_decode.json.gz', vllm_decode_full: 'graph_execution.json.gz' };

/** The files of a run with its captures. */
const files = (run) => [
  { path: `${run}/${RUNS[run]}`, bytes: readFileSync(graphs(run, RUNS[run])) },
  ...readdirSync(graphs(run, 'capture_traces')).map((name) => ({
    path: `${run}/capture_traces/${name}`, bytes: readFileSync(join(graphs(run, 'capture_traces'), name)),
  })),
];

/** Kernel time by operator in µs, of TraceLens. */
function kernelTimes(run) {
  const sums = {};
  for (const line of readFileSync(graphs(run, 'perf_csvs', 'ops_summary.csv'), 'utf8').split('\n').slice(1).filter(Boolean)) {
    const [name, , direct] = line.split(',');
    sums[name] = (sums[name] ?? 0) + Number(direct);
  }
  return sums;
}

/** A duration as µs. */
function micros(text) {
  const [, number, unit] = text.replace(/[\u202f\u00a0 ]/g, '').match(/^([\d.]+)(\D+)$/);
  return Number(number) * { ns: 1e-3, µs: 1, ms: 1e3, s: 1e6 }[unit];
}

const titles = (page, id) => page.locator(`table[data-table="${id}"] tbody tr[data-row] .table__name`).evaluateAll((all) => all.map((cell) => cell.title));

for (const run of Object.keys(RUNS)) {
  test(`${run}: kernels of graph replays have the operators of their capture`, async ({ page, site }) => {
    await start(page, site);
    await dropTree(page, files(run));
    await expect(page.locator('[role=tab]')).toHaveCount(1);
    await show(page, 'operators');
    const [names, shown, wanted] = [await titles(page, 'operators'), await cells(page, 'operators', 'device_self_ns'), kernelTimes(run)];
    for (const i of [0, 1, 2, 3]) {
      const theirs = wanted[names[i]];
      expect(theirs, names[i]).toBeGreaterThan(1);
      // Three digits on screen.
      expect(Math.abs(micros(shown[i]) - theirs) / theirs, `${names[i]}: ${shown[i]}, TraceLens ${theirs} µs`).toBeLessThan(0.006);
    }
    await show(page, 'steps');
    await expect(page.locator('[data-view="steps"] [data-headline]')).toContainText('Decode step: median');
    expect(await cells(page, 'steps', 'kind')).toEqual(['Decode']);
    expect(await cells(page, 'steps', 'requests')).toEqual(['32']);
    expect(await cells(page, 'steps', 'tokens')).toEqual(['32']);
    const busy = { sglang_decode: 9_772.9, vllm_decode_full: 10_717.7 }[run];
    expect(Math.abs(micros((await cells(page, 'steps', 'busy_ns'))[0]) - busy) / busy).toBeLessThan(0.006);
  });
}

test('a capture that is dropped later joins the open run', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, graphs('sglang_decode', RUNS.sglang_decode));
  await show(page, 'operators');
  await expect(page.locator('[data-view="operators"] [data-notes]')).toContainText('of graph replays are not attributed to an operator');
  await expect(page.locator('[data-view="operators"] [data-notes]')).toContainText('--enable-profile-cuda-graph');
  await openProfile(page, graphs('sglang_decode', 'capture_traces', 'bs_32_rank0.json.gz'));
  await expect(page.locator('[role=tab]')).toHaveCount(1);
  await show(page, 'operators');
  await expect(page.locator('table[data-table="operators"]')).toContainText('aten::mm');
  await expect(page.locator('[data-view="operators"]')).not.toContainText('a replay records kernels only');
});

test('a capture alone says what it is', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, graphs('sglang_decode', 'capture_traces', 'bs_32_rank0.json.gz'));
  await show(page, 'ledger');
  await expect(page.locator('[data-view="ledger"]')).toContainText('records the capture of CUDA or HIP graphs');
});

test('efficiency shows matrix products, the roof and the source of the peaks', async ({ page, site }) => {
  await start(page, site);
  await dropTree(page, files('sglang_decode'));
  await show(page, 'efficiency');
  const view = page.locator('[data-view="efficiency"]');
  await expect(view.locator('[data-peaks-source]')).toContainText('published dense peak of AMD Instinct MI300X');
  await expect(view.locator('[data-headline]')).toContainText(/could be saved at the roof of MI300X; \S+ has the most/);
  await expect(view.locator('[data-notes]')).toContainText('The models cover');
  await view.locator('[data-show="gemm"]').click();
  await idle(page);
  const [sizes, rates] = [await Promise.all(['M', 'N', 'K'].map((id) => cells(page, 'efficiency-gemms', id))), await cells(page, 'efficiency-gemms', 'tflops_per_s')];
  const at = sizes[1].findIndex((n, i) => n.replace(/\D/g, '') === '24576' && sizes[2][i].replace(/\D/g, '') === '4096');
  expect(at, 'TraceLens: 32 × 24,576 × 4,096').toBeGreaterThanOrEqual(0);
  expect(sizes[0][at]).toBe('32');
  expect(Math.abs(Number(rates[at]) - 96.024)).toBeLessThan(0.1);
  // Entered peaks replace the published ones, and come back with the page.
  await view.locator('[data-peaks] summary').click();
  await view.locator('[data-peak="half"]').fill('100');
  await view.locator('[data-peak="half"]').press('Tab');
  await idle(page);
  await expect(view.locator('[data-peaks-source]')).toContainText('peaks entered on this page');
  await view.locator('[data-peaks-reset]').click();
  await idle(page);
  await expect(view.locator('[data-peaks-source]')).toContainText('published dense peak');
});

test('operators have work and rates, most of them at choice', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, kineto('tracelens-traces', 'h100', 'Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz'));
  await show(page, 'operators');
  const heads = page.locator('table[data-table="operators"] thead th');
  await expect(heads.filter({ hasText: 'GFLOPs' })).toHaveCount(1);
  await expect(heads.filter({ hasText: 'TFLOP/s' })).toHaveCount(1);
  await expect(heads.filter({ hasText: 'GB moved' })).toHaveCount(0);
  await page.locator('[data-view="operators"]').getByRole('button', { name: 'Columns' }).first().click();
  await page.locator('[data-view="operators"] .menu__item', { hasText: 'GB moved' }).locator('input').check();
  await expect(heads.filter({ hasText: 'GB moved' })).toHaveCount(1);
  await expect(page).toHaveURL(/gb_moved/);
});

test('steps by the name of an annotation', async ({ page, site }) => {
  await start(page, site);
  const slice = (i) => ({ ph: 'X', cat: 'user_annotation', name: `denoise ${i}`, pid: 1, tid: 1, ts: 1000 * i, dur: 600, args: {} });
  const operator = { ph: 'X', cat: 'cpu_op', name: 'aten::mm', pid: 1, tid: 1, ts: 10, dur: 5, args: {} };
  const bytes = JSON.stringify({ schemaVersion: 1, deviceProperties: [], traceEvents: [operator, slice(0), slice(1), slice(2)] });
  await openProfile(page, { name: 'diffusion.json', mimeType: 'application/json', buffer: Buffer.from(bytes) });
  await show(page, 'steps');
  const view = page.locator('[data-view="steps"]');
  await expect(view.locator('[data-notes]')).toContainText('No steps are recorded');
  await view.locator('[data-field="candidates"]').selectOption('^denoise \\d+$');
  await idle(page);
  expect(await cells(page, 'steps', 'number')).toEqual(['1', '2', '3']);
  await view.locator('[data-field="pattern"]').fill('(');
  await view.locator('[data-field="pattern"]').press('Enter');
  await idle(page);
  await expect(page.locator('[role=alert]').first()).toContainText('is not a valid regular expression');
});

test('pictures of efficiency and steps', async ({ page, site }) => {
  await start(page, site);
  await dropTree(page, files('vllm_decode_full'));
  for (const id of ['efficiency', 'steps']) {
    await page.setViewportSize({ width: 1440, height: 900 });
    await show(page, id);
    await picture(page, `${id}-light-1440`);
    await page.setViewportSize({ width: 390, height: 844 });
    await idle(page);
    await picture(page, `${id}-light-390`);
  }
});
