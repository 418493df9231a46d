// The same run from each of its sources: every view shows the figures that the profiler's JSON gives, counted here from its rows.
import { readFileSync, readdirSync } from 'node:fs';
import { expect, idle, neuron, openProfile, show, start, test } from './support.js';

const folder = (...parts) => neuron('fused_attention', ...parts);
const kinds = [
  ['JSON', () => [folder('fused_exec_2_profile_full.json')]],
  ['Parquet', () => readdirSync(folder('parquet-zstd')).map((name) => folder('parquet-zstd', name))],
  ['NTFF and NEFF', () => [folder('fused_exec_2.ntff'), folder('fused.neff')]],
];

/** Nanoseconds that the rows cover together. */
const covered = (rows) => {
  let [sum, end] = [0, -Infinity];
  for (const { timestamp: from, duration } of rows.toSorted((a, b) => a.timestamp - b.timestamp)) {
    sum += Math.max(0, from + duration - Math.max(end, from));
    end = Math.max(end, from + duration);
  }
  return sum;
};

/** A time as the page writes it. */
const time = (ns) => (ns < 1000 ? `${ns} ns` : `${(ns / 1000).toPrecision(3)} µs`);

for (const [what, files] of kinds) {
  test(`every view has the figures of the run, from ${what}`, async ({ page, site }) => {
    const run = JSON.parse(readFileSync(folder('fused_exec_2_profile_full.json')));
    const { summary: [summary], instruction, nc_mem_usage: memory, neff_node: nodes } = run;
    const core = instruction.filter((i) => i.subgraph === 'sg00');
    const tensor = core.filter((i) => i.subgroup === 'Tensor');
    const busy = covered(tensor.filter((i) => i.opcode !== 'EVENT_SEMAPHORE'));
    const [isTrace, isTables] = [what.startsWith('NTFF'), what === 'Parquet'];
    await start(page, site);
    await openProfile(page, ...files());
    const view = (id) => page.locator(`[data-view="${id}"]`);
    const row = (table, ...texts) => texts.reduce((rows, text) => rows.filter({ hasText: text }), page.locator(`table[data-table="${table}"] tbody tr`));

    await show(page, 'summary');
    const hfu = `${(100 * summary.hfu_estimated_percent).toFixed(1)}%`;
    await expect(page.locator('[data-card="hfu_estimated_percent"] strong')).toHaveText(hfu);
    await expect(row('engines', 'Tensor', 'NC 4')).toContainText(time(busy));
    await expect(row('engines', 'Tensor', 'NC 4')).toContainText(String(tensor.length));

    await show(page, 'operators');
    const products = core.filter((i) => i.opcode === 'MATMUL');
    await expect(row('operators', 'MATMUL')).toContainText(String(products.length));
    await expect(row('operators', 'MATMUL')).toContainText(time(covered(products)));

    await show(page, 'layers');
    await expect(row('layers', /^NC 4/)).toContainText(String(core.length));
    await expect(row('layers', /^NC 4/)).toContainText(time(busy));

    await show(page, 'gaps');
    const idleTime = Math.floor(summary.total_time * 1e9) - busy;
    await expect(view('gaps').locator('table').first().locator('tbody tr', { hasText: 'Tensor' }).filter({ hasText: 'NC 4' })).toContainText(time(idleTime));
    const first = Math.min(...core.filter((i) => i.subgroup === 'Sync').map((i) => i.timestamp));
    await expect(row('idle-causes', 'Sync', /NC 4\s*Start/)).toContainText(time(first));
    await expect(page.locator('table[data-table="path-steps"] tbody tr')).not.toHaveCount(0);

    await show(page, 'roofline');
    await expect(row('roofline-points', 'Entire trace')).toContainText(summary.mm_arithmetic_intensity.toPrecision(3));
    await expect(row('roofline-points', 'Entire trace')).toContainText(`${(100 * summary.mfu_inst_estimated_percent).toFixed(1)}%`);

    await show(page, 'advice');
    const judged = view('advice').locator('.advice__item', { hasText: 'Low useful work on the tensor engine' });
    await expect(judged).toContainText(time(busy));

    await show(page, 'tensors');
    const buffers = memory.find((m) => m.usage_type === 'Profiler Buffers' && String(m.nc) === '4');
    await expect(row('hbm', 'Profiler Buffers', 'NC 4')).toContainText(`${(buffers.amount_bytes / 2 ** 30).toPrecision(3)} GiB`);
    const named = new Set(nodes.map((n) => n.variable_name).filter(Boolean));
    if (!isTables) await expect(page.locator('table[data-table="tensors"] tbody tr')).toHaveCount(named.size);

    await show(page, 'tables');
    await expect(view('tables')).toContainText(isTables ? 'HbmUsageSummaryByType' : 'nc_mem_usage');
    // A trace has no rows of what it does not use.
    if (!isTrace) await expect(view('tables')).toContainText(String(memory.length));

    await page.keyboard.press('/');
    await page.keyboard.type('TENSOR_REDUCE');
    await show(page, 'search');
    await idle(page);
    const reduce = core.concat(instruction.filter((i) => i.subgraph === 'sg01')).filter((i) => i.opcode === 'TENSOR_REDUCE');
    await expect(view('search')).toContainText(`${reduce.length} hits`);
  });
}
