// Bounds of two real runs: the bottleneck in words, values equal to those computed apart from this program, causes that lead to the timeline.
import { readFileSync } from 'node:fs';
import { cells, dropFiles, expect, idle, neuron, openProfile, picture, show, start, test } from './support.js';

const truth = (run) => JSON.parse(readFileSync(neuron('bounds', `${run}_attention.truth.json`)));
const files = (run) => [neuron(`${run}_attention`, `${run}_exec_2.ntff`), neuron(`${run}_attention`, `${run}.neff`)];
const answer = (page) => page.locator('[data-answer]');
const evidence = (page) => page.locator('[data-answer-evidence]');

/** Exact values of a column of a table, in nanoseconds. */
const exact = (page, id, column) => page.locator(`table[data-table="${id}"]`).evaluate((element, wanted) => {
  const at = [...element.querySelectorAll('thead th')].findIndex((th) => th.dataset.column === wanted);
  const scale = { ns: 1, µs: 1e3, ms: 1e6, s: 1e9 };
  return [...element.querySelectorAll('tbody tr[data-row]')].map((tr) => {
    const [value, unit] = (tr.children[at].title || tr.children[at].querySelector('[title]')?.title || '').split(' ');
    return Math.round(Number(value) * scale[unit]);
  });
}, column);

test('the bottleneck moves from DMA to Tensor between two versions of a kernel', async ({ page, site }) => {
  await start(page, site);
  await dropFiles(page, ...files('baseline'));
  await show(page, 'bounds');
  await expect(answer(page)).toHaveText('DMA is the bottleneck: busy 23.7 µs of 59.5 µs (39.8%).');
  await expect(evidence(page).first()).toContainText('4.00 MiB (4\u202f194\u202f304 bytes) is reloads and spills');

  // The picture's table has the values of the truth file; times of a raw trace are whole nanoseconds.
  const { bounds, exclusive } = truth('baseline').cores[0].whole;
  const chart = page.locator('[data-chart="bounds"]');
  await chart.getByRole('button', { name: 'as table' }).click();
  const names = await cells(page, 'bounds-figures', 'bound');
  const times = await exact(page, 'bounds-figures', 'time_ns');
  const value = (name) => times[names.indexOf(name)];
  for (const [name, id] of [['Total', 'total'], ['Transfers as recorded', 'memory_bound'], ['Bytes at peak bandwidth', 'memory_bound_ideal'],
    ['Tensor engine as recorded', 'compute_bound'], ['Products at peak rate', 'compute_bound_ideal'], ['Without transposes', 'compute_bound_useful'],
    ['Busiest part alone', 'perfect_pipeline']]) {
    expect(Math.abs(value(name) - bounds[id]), `${name}: ${value(name)} instead of ${bounds[id]}`).toBeLessThanOrEqual(60);
  }
  await chart.getByRole('button', { name: 'as chart' }).click();

  // Exclusive parts sum to the total.
  const parts = page.locator('[data-chart="exclusive"]');
  await parts.getByRole('button', { name: 'as table' }).click();
  const own = await exact(page, 'exclusive-figures', 'value');
  expect(own.reduce((a, b) => a + b, 0)).toBe(value('Total'));
  expect(Math.abs(own[4] - exclusive.dma)).toBeLessThanOrEqual(60);
  await parts.getByRole('button', { name: 'as chart' }).click();
  // Counted first, DMA has all of its busy time.
  for (let n = 0; n < 4; n += 1) {
    await parts.getByRole('button', { name: 'Count DMA earlier' }).click();
    await idle(page);
  }
  await expect(parts.locator('[data-part-name="DMA"]')).toContainText('23.7 µs');
  await picture(page, 'bounds-light-1440');

  await dropFiles(page, ...files('fused'));
  await show(page, 'bounds');
  await expect(answer(page)).toHaveText('The Tensor engine is the bottleneck: busy 15.6 µs of 38.6 µs (40.3%).');
  await expect(evidence(page).first()).toContainText('no reloads or spills');
});

test('a gap opens its causes, and a cause selects its instructions', async ({ page, site }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await start(page, site);
  await openProfile(page, neuron('baseline_attention', 'baseline_exec_2_profile_full.json'));
  await show(page, 'bounds');
  const causes = page.locator('[data-part="causes"]');
  await expect(causes).toHaveAttribute('data-gap', 'slow_transfers');
  await page.locator('table[data-table="bound-gaps"] tbody tr[data-row]', { hasText: 'Below peak rate' }).click();
  await idle(page);
  await expect(causes).toHaveAttribute('data-gap', 'below_peak');
  const rows = page.locator('table[data-table="bound-causes"] tbody tr[data-row]');
  await expect(rows.filter({ hasText: '128 × 128 × 512' })).toContainText('FP32, 2 passes');
  await expect(page.locator('table[data-table="waits"]')).toContainText('MATMUL');
  await expect(page.locator('[data-part="overlap"] table.overlap')).toContainText('Tensor');
  await picture(page, 'bounds-dark-1440');
  await rows.filter({ hasText: '128 × 128 × 512' }).click();
  await idle(page);
  await expect(page.locator('[data-view="timeline"]')).toBeVisible();
  // And back: the row of the selected instruction is marked, and the gap is still open.
  await show(page, 'bounds');
  await expect(causes).toHaveAttribute('data-gap', 'below_peak');
  await expect(rows.filter({ hasText: '128 × 128 × 512' })).toHaveAttribute('aria-current', 'true');
  await page.setViewportSize({ width: 390, height: 844 });
  await idle(page);
  await picture(page, 'bounds-dark-390');
});

test('keys open a gap, and a run without transfers says what to capture', async ({ page, site }) => {
  await start(page, site);
  const row = (id, engine, opcode, timestamp, duration) => ({ id, label: engine, subgroup: engine, subgraph: 'sg00', opcode, timestamp, duration, operands: '', evt_wait_time: 0 });
  const run = { metadata: [{ first_hw_timestamp: 0, last_hw_timestamp: 1000 }], instruction: [row(1, 'Tensor', 'MATMUL', 0, 100), row(2, 'Vector', 'COPY', 50, 400)] };
  await dropFiles(page, { name: 'run.json', bytes: JSON.stringify(run) });
  await show(page, 'bounds');
  await expect(answer(page)).toHaveText('The Vector engine is the bottleneck: busy 400 ns of 1.00 µs (40.0%).');
  await expect(page.locator('[data-view="bounds"] [data-notes]').last()).toContainText('NEURON_RT_ENABLE_DGE_NOTIFICATIONS=1');
  const canvas = page.locator('[data-chart="bounds"] canvas');
  await canvas.focus();
  await page.keyboard.press('Home');
  await expect(canvas).toHaveAttribute('data-lit', 'Tensor engine idle');
  await page.keyboard.press('Enter');
  await idle(page);
  await expect(page.locator('[data-part="causes"]')).toHaveAttribute('data-gap', 'tensor_idle');
  await expect(page.locator('table[data-table="bound-gaps"] tbody tr[data-row]', { hasText: 'DMA idle' })).toContainText('not available');
});
