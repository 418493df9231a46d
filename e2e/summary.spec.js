// The summary of a Neuron run: figures of the file, formulas beside them, a range by itself.
import { expect, dropFiles, idle, neuron, picture, show, start, test } from './support.js';

test('the summary shows the figures of the file and checks them', async ({ page, site }) => {
  await start(page, site);
  await dropFiles(page, neuron('baseline_attention', 'baseline_exec_2_profile_full.json'));
  await show(page, 'summary');
  const card = (id) => page.locator(`[data-card="${id}"] strong`);
  await expect(card('hfu_estimated_percent')).toHaveText('3.8 %');
  await expect(card('mbu_estimated_percent')).toHaveText('12.5 %');
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

test('a trace alone has no metrics, and says so', async ({ page, site }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await start(page, site);
  await dropFiles(page, neuron('fused_attention', 'fused_exec_2.ntff'));
  await show(page, 'summary');
  await expect(page.locator('[data-card="hfu_estimated_percent"] strong')).toHaveText('not available');
  await expect(page.locator('table[data-table="engines"] tbody tr')).not.toHaveCount(0);
  await picture(page, 'summary-dark-1440');
});
