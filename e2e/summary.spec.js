// The summary of a Neuron run: figures of the file, formulas beside them, a range by itself.
import { readFileSync } from 'node:fs';
import { expect, dropFiles, idle, neuron, otherArchitecture, picture, show, start, test } from './support.js';

test('the summary shows the figures of the file and checks them', async ({ page, site }) => {
  await start(page, site);
  await dropFiles(page, neuron('baseline_attention', 'baseline_exec_2_profile_full.json'));
  await show(page, 'summary');
  const card = (id) => page.locator(`[data-card="${id}"] strong`);
  await expect(card('hfu_estimated_percent')).toHaveText('3.8%');
  await expect(card('mbu_estimated_percent')).toHaveText('12.5%');
  await expect(card('mm_arithmetic_intensity')).toHaveText('50.6 FLOP/byte');
  await expect(page.locator('[data-chart="engine-busy"]')).toBeVisible();
  const metrics = page.locator('table[data-table="metrics"]');
  await expect(metrics).toContainText('hfu_estimated_percent');
  await expect(metrics.locator('tbody')).not.toContainText('differs');
  await picture(page, 'summary-light-1440');
  await page.setViewportSize({ width: 390, height: 844 });
  await idle(page);
  await picture(page, 'summary-light-390');
});

test('a trace without decoded operands has no metrics, and says so', async ({ page, site }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await start(page, site);
  await dropFiles(page, otherArchitecture(neuron('fused_attention', 'fused_exec_2.ntff')));
  await show(page, 'summary');
  await expect(page.locator('[data-card="hfu_estimated_percent"] strong')).toHaveText('not available');
  await expect(page.locator('[data-card="total_active_time_percent"] strong')).toHaveText(/^8\d\.\d%$/);
  const split = page.locator('[data-chart="flops"] table thead');
  await expect(split).toContainText('Active');
  await expect(split).not.toContainText('FLOPs');
  await expect(page.locator('table[data-table="engines"] tbody tr')).not.toHaveCount(0);
  await picture(page, 'summary-dark-1440');
});

test('charts show where the time of engines, memory and transfers went', async ({ page, site }) => {
  await start(page, site);
  const path = neuron('baseline_attention', 'baseline_exec_2_profile_full.json');
  const told = JSON.parse(readFileSync(path));
  const { summary: [summary], metadata: [metadata], dma } = told;
  await dropFiles(page, path);
  await show(page, 'summary');
  const behind = (id) => page.locator(`[data-chart="${id}"] table`);
  // One of two cores computes: its share is twice that of both.
  const tensor = behind('flops').locator('tbody tr', { hasText: 'Tensor' }).filter({ hasText: 'NC 4' });
  await expect(tensor).toContainText(`${(200 * summary.mfu_inst_estimated_percent).toFixed(1)}%`);
  await expect(behind('flops').locator('thead')).toContainText('Active, throttled');
  const used = `${(100 * summary.mbu_estimated_percent).toFixed(1)}%`;
  await expect(page.locator('[data-view="summary"]')).toContainText(new RegExp(`${used} of [\\d.]+ .iB, the capacity of one HBM stack in this time`));
  await expect(behind('memory')).toContainText('Unused');
  const engines = new Set(dma.map((d) => `${d.subgraph} ${d.dma_engine}`));
  await expect(behind('dma').locator('tbody tr')).toHaveCount(engines.size);
  await page.locator('[data-view="summary"] [data-field="dma"]').selectOption('type');
  await expect(behind('dma')).toContainText('hardware_dynamic');
  const largest = dma.filter((d) => d.transfer_size === 2048).length;
  await expect(behind('dma-sizes').locator('tbody tr').first()).toContainText('2.00 KiB');
  await expect(behind('dma-sizes').locator('tbody tr').first()).toContainText(/\d/);
  expect(largest).toBeGreaterThan(0);
  await expect(page.locator('[data-part="system"]')).toContainText(summary.compiler_version);
  await expect(page.locator('[data-chart="collectives"]')).toHaveCount(0);
  const before = await behind('flops').locator('tbody tr').count();
  await page.locator('[data-view="summary"] [data-field="core"]').selectOption('NC 4');
  await expect(behind('flops').locator('tbody tr')).toHaveCount(before / 2);
  await expect.poll(() => page.url()).toContain('NC');
  expect(metadata.num_physical_cores).toBe(2);
  await picture(page, 'summary-charts-light-1440');
});

test('a marked region has figures of its own, and a point under the roof', async ({ page, site }) => {
  await start(page, site);
  const path = neuron('baseline_attention', 'baseline_exec_2_profile_full.json');
  const { dma } = JSON.parse(readFileSync(path));
  await dropFiles(page, path);
  await show(page, 'timeline');
  await page.locator('[data-annotations]').click();
  const csv = 'name,start_ns,end_ns,colour,versus\nproducts,13000,58000,1,\n';
  await page.locator('[data-view="annotations"] [data-import]').setInputFiles({ name: 'regions.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
  await expect(page.locator('table[data-table="annotations"] tbody tr')).toHaveCount(1);
  await show(page, 'summary');
  await page.locator('[data-view="summary"] [data-field="region"]').selectOption({ label: 'products' });
  await idle(page);
  await expect(page.locator('[data-card="duration"] strong')).toHaveText('45.0 µs');
  // Every product is in the region: 268 435 456 useful FLOPs in 45 µs of one core.
  const share = (268_435_456 / (2 * 128 * 128 * 2.4e9 * 45e-6)) * 100;
  const tensor = page.locator('[data-chart="flops"] table tbody tr', { hasText: 'Tensor' }).filter({ hasText: 'NC 4' });
  await expect(tensor).toContainText(`${share.toFixed(1)}%`);
  // The cards are of the region too, and of both cores.
  const card = (id) => page.locator(`[data-card="${id}"] strong`);
  await expect(card('mfu_inst_estimated_percent')).toHaveText(`${(share / 2).toFixed(1)}%`);
  await expect(card('total_active_time_percent')).toHaveText(/^\d+\.\d%$/);
  await expect(page.locator('table[data-table="metrics"] tbody')).toContainText('hardware_flops');
  // What its transfers moved in it, each counted by its part within: instructions do not tell when theirs ran.
  const within = (d) => Math.max(0, Math.min(d.timestamp + d.duration, 58_000) - Math.max(d.timestamp, 13_000)) / d.duration;
  const moved = dma.filter((d) => d.queue_type !== 'instruction').reduce((sum, d) => sum + d.transfer_size * within(d), 0);
  const used = `${((100 * moved) / (716e9 * 45e-6)).toFixed(1)}%`;
  await expect(card('mbu_estimated_percent')).toHaveText(used);
  await expect(page.locator('[data-view="summary"]')).toContainText(new RegExp(`${used} of [\\d.]+ .iB, the capacity of one HBM stack in this time`));
  await expect(page.locator('[data-chart="memory"] table')).toContainText('Transferred by DMA');
  await show(page, 'roofline');
  await expect(page.locator('table[data-table="roofline-points"] tbody tr', { hasText: 'products' })).toContainText('Region');
});
