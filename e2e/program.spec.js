// A trace alone: FLOPs utilization, operands of a product, every word of a program, and memory by access, against the profiler's JSON.
import { readFileSync } from 'node:fs';
import { expect, idle, neuron, openProfile, show, start, test } from './support.js';

const told = () => JSON.parse(readFileSync(neuron('fused_attention', 'fused_exec_2_profile_full.json'), 'utf8'));

test('a trace alone has FLOPs utilization and points under the roof', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, neuron('fused_attention', 'fused_exec_2.ntff'));
  const [summary] = told().summary;
  const percent = (share) => `${(100 * share).toFixed(1)}%`;
  await show(page, 'summary');
  for (const id of ['hfu_estimated_percent', 'mfu_inst_estimated_percent', 'mbu_estimated_percent']) {
    await expect(page.locator(`[data-card="${id}"] strong`)).toHaveText(percent(summary[id]));
  }
  await expect(page.locator('[data-view="summary"]')).toContainText('Clocks, array size and bandwidths are not recorded in this file.');
  await show(page, 'roofline');
  const run = page.locator('table[data-table="roofline-points"] tbody tr').filter({ hasText: 'Entire trace' });
  await expect(run).toContainText(summary.mm_arithmetic_intensity.toPrecision(3));
  await expect(run).toContainText(percent(summary.mfu_inst_estimated_percent));
});

test('a trace alone lists its programs and what memory held', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, neuron('fused_attention', 'fused_exec_2.ntff'));
  await show(page, 'program');
  const engines = page.locator('table[data-table="program-engines"]');
  await expect(engines.locator('tbody tr').first()).toContainText('Tensor');
  const words = page.locator('table[data-table="program"]');
  await expect(words.locator('tbody tr').first()).toBeVisible();
  const product = told().instruction.find((r) => r.opcode === 'MATMUL');
  const filter = page.locator('.table-part').filter({ has: words }).locator('input[type="search"]').first();
  await filter.fill('MATMUL');
  await idle(page);
  await expect(words.locator('tbody')).toContainText(product.operands.trim().split(/\s+/).pop());
  await show(page, 'tensors');
  await expect(page.locator('[data-part="access-sums"]')).toContainText('written');
  await expect(page.locator('table[data-table="access-values"] tbody tr').first()).toBeVisible();
});
