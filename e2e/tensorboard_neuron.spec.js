// Runs of the TensorBoard Neuron plugin: figures of both levels, fused members, what is to be seen, two runs, a trace.
import { dropFiles, expect, idle, picture, show, start, test } from './support.js';
import { table, timeline, trace } from './neuron_logs.js';

const cells = (page, id, column) => page.locator(`table[data-table="${id}"]`).evaluate((element, wanted) => {
  const at = [...element.querySelectorAll('thead th')].findIndex((th) => th.dataset.column === wanted);
  return [...element.querySelectorAll('tbody tr[data-row]')].map((tr) => tr.children[at].textContent.trim());
}, column);

test('the plugin\'s tables: shares, devices, both levels', async ({ page, site }) => {
  await start(page, site);
  const framework = table([['aten__addmm_dot', 2, 279], ['aten__relu_maximum', 1, 276], ['aten__tanh_tanh', 1, 159]], 714);
  await dropFiles(page, { name: 'neuron_framework_op.json', bytes: framework }, { name: 'neuron_hlo_op.json', bytes: table([['dot', 2, 279]], 279) });
  await expect(page.locator('[data-view="operator-framework"]')).toBeVisible();
  await expect.poll(() => cells(page, 'operator-framework', 'time_share')).toEqual(['39.1 %', '38.7 %', '22.3 %']);
  await page.locator('[data-field="both"]').check();
  await idle(page);
  await expect.poll(() => cells(page, 'operator-hlo', 'name')).toEqual(expect.arrayContaining([expect.stringContaining('dot')]));
  await picture(page, 'operator-framework');
});

test('the operator timeline: figures, captions, fused members', async ({ page, site }) => {
  await start(page, site);
  await dropFiles(page, { name: 'neuron_op_timeline.json', bytes: timeline() });
  await show(page, 'operator-framework');
  await expect.poll(() => cells(page, 'operator-framework', 'time_ns')).toContain('300 ns');
  await page.locator('table[data-table="operator-framework"] tr[data-row]', { hasText: 'fused_3' }).click();
  await idle(page);
  await expect(page.locator('[data-member="aten__permute_transpose"]')).toContainText('hidden inside another operation');
  await page.locator('button[data-member="aten__addmm_dot"]').click();
  await idle(page);
  await expect(page.locator('[data-view="timeline"]')).toBeVisible();
  await expect(page.locator('[data-view="details"]')).toContainText('aten__addmm_dot.36');
  await show(page, 'operator-timeline');
  await expect(page.locator('[data-verdict]')).toHaveAttribute('data-verdict', 'transfer-dominated');
  await expect(page.locator('[data-caption="early_constants"]')).toContainText('aten__relu_maximum');
  await expect(page.locator('[data-caption="gap_filled"]')).toContainText('100.0 %');
  await picture(page, 'operator-timeline');
});

test('two runs are compared; a trace tells idle time per step', async ({ page, site }) => {
  await start(page, site);
  await dropFiles(page, { name: 'neuron_op_timeline.json', bytes: timeline() });
  await dropFiles(page, { name: 'neuron_op_timeline.json', bytes: timeline({ relu: false }) });
  await show(page, 'operator-framework');
  await page.locator('select[data-field="compare"]').selectOption({ index: 1 });
  await idle(page);
  await expect.poll(() => cells(page, 'operator-diff', 'place')).toContain('only before');
  await dropFiles(page, { name: 'neuron_trace.json', bytes: trace() });
  await show(page, 'trace');
  await expect.poll(() => cells(page, 'trace-steps', 'idle_ns')).toEqual(['750 µs']);
  await expect.poll(() => cells(page, 'trace-steps', 'host')).toEqual(['Compile']);
  await picture(page, 'neuron-trace');
});
