// Layers and roofline of a Neuron run: figures of the file's own summary, groupings in the link, ways to the timeline.
import { expect, dropFiles, idle, neuron, otherArchitecture, picture, show, start, test } from './support.js';

const json = (run, stem) => neuron(run, `${stem}_exec_2_profile_full.json`);

test('layers show the figures of the file and lead to the timeline', async ({ page, site }) => {
  await start(page, site);
  await dropFiles(page, json('baseline_attention', 'baseline'));
  await show(page, 'layers');
  const table = page.locator('table[data-table="layers"]');
  await expect(table).toContainText('NC 4');
  await expect(table).toContainText('Unknown');
  await expect(table).toContainText('Added by the runtime');
  // layer_summary: 352 321 536 FLOPs, HFU 3.8% of core sg00.
  const core = table.locator('tbody tr', { hasText: 'NC 4' });
  await expect(core).toContainText('352');
  await expect(core).toContainText('3.8%');
  await expect(page.locator('[data-chart="layers"]')).toBeVisible();
  await picture(page, 'layers-light-1440');
  await page.locator('[data-view="layers"] [data-field="group-by"]').selectOption('opcode');
  await idle(page);
  await expect(table).toContainText('MATMUL');
  expect(page.url()).toContain('opcode');
  await table.locator('tbody tr', { hasText: 'MATMUL' }).first().click();
  await page.locator('[data-go="occurrences"]').click();
  await idle(page);
  await expect(page.locator('[data-view="timeline"]')).toBeVisible();
});

test('the roofline shows ceilings, the run and its parts', async ({ page, site }) => {
  await start(page, site);
  await dropFiles(page, json('baseline_attention', 'baseline'));
  await show(page, 'roofline');
  const points = page.locator('table[data-table="roofline-points"]');
  await expect(points).toContainText('Entire trace');
  await expect(points).toContainText('50.6');
  await expect(points).toContainText('Memory-bound');
  await expect(page.locator('table[data-table="roofline-ceilings"]')).toContainText('BF16');
  const chart = page.locator('[data-chart="roofline"] canvas');
  await chart.focus();
  await page.keyboard.press('ArrowRight');
  await expect(chart).toHaveAttribute('data-lit', 'Entire trace');
  await picture(page, 'roofline-light-1440');
  await page.setViewportSize({ width: 390, height: 844 });
  await idle(page);
  await picture(page, 'roofline-light-390');
});

test('what a trace cannot tell is said', async ({ page, site }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await start(page, site);
  await dropFiles(page, otherArchitecture(neuron('fused_attention', 'fused_exec_2.ntff')));
  await show(page, 'layers');
  await expect(page.locator('[data-view="layers"] [data-notes]')).toContainText('FLOPs, MFU and HFU are not available');
  await picture(page, 'layers-dark-1440');
  await show(page, 'roofline');
  await expect(page.locator('[data-view="roofline"]')).toContainText('no roofline');
  await expect(page.locator('[data-view="roofline"] [data-notes]')).toContainText('No compute ceilings');
});
