// The Overview of a trace of the PyTorch profiler: the plugin's figures on screen, and the ways from them to the timeline.
import { expect, idle, ink, kineto, openProfile, picture, show, start, test, visible } from './support.js';

const trace = () => kineto('kineto-traces', 'resnet50_num_workers_0', 'worker0.1623143089861.pt.trace.json.gz');

test.beforeEach(async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, trace());
  await show(page, 'overview');
  await expect(page.locator('table[data-table="execution-summary"] tbody tr')).toHaveCount(8);
});

test('device and step figures are the plugin\'s', async ({ page }) => {
  const figure = (id) => page.locator(`[data-device="0"] [data-figure="${id}"] dd`);
  await expect(page.locator('[data-device="0"] h2')).toHaveText('GPU 0 · Tesla V100-DGXS-32GB');
  await expect(figure('utilization')).toHaveText('55.5%');
  await expect(figure('sm_efficiency')).toHaveText('54.7%');
  await expect(figure('occupancy_percent')).toHaveText('49.1%');
  await expect(figure('tensor_core_share')).toHaveText('0.0%');
  const line = (name) => page.locator('table[data-table="execution-summary"] tr', { hasText: name }).locator('td');
  await expect(line('Kernel')).toHaveText(['98.6 ms', '55.5%']);
  await expect(line('DataLoader')).toHaveText(['59.3 ms', '33.4%']);
  await expect(line('CPU Exec')).toHaveText(['13.7 ms', '7.7%']);
  await expect(line('Communication').first()).toHaveText('not available');
  await expect(page.locator('table[data-table="execution-summary"] tfoot td').first()).toHaveText('178 ms');
});

test('each step is a bar whose parts add up to it', async ({ page }) => {
  const rows = page.locator('[data-chart="steps"] table tbody tr');
  await expect(rows).toHaveCount(6);
  // Step 5 in the plugin's words: 98598 1941 90 2796 69317 14091 1115 of 187948 microseconds.
  await expect(rows.first().locator('td')).toHaveText(['5', '98.6 ms', '1.94 ms', '90.0 µs', '2.80 ms', '69.3 ms', '14.1 ms', /^1\.1[12] ms$/, '188 ms']);
  const canvas = page.locator('[data-chart="steps"] canvas');
  expect((await ink(canvas)).inked).toBeGreaterThan(10_000);
  await canvas.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowUp');
  await expect(canvas).toHaveAttribute('data-lit', '1:0');
  await expect(page.locator('.readout__title')).toHaveText('Step 6');
  await page.keyboard.press('Escape');
  await expect(page.locator('.readout')).toHaveCount(0);
});

test('the legend takes a series out and puts it back', async ({ page }) => {
  const canvas = page.locator('[data-chart="steps"] canvas');
  const kernel = page.locator('[data-chart="steps"] .key', { hasText: 'Kernel' });
  const before = await ink(canvas);
  await kernel.click();
  await page.mouse.move(5, 5);
  await expect(kernel).toHaveAttribute('aria-pressed', 'false');
  await expect.poll(async () => (await ink(canvas)).inked).not.toBe(before.inked);
  await kernel.click();
  await page.mouse.move(5, 5);
  await expect(kernel).toHaveAttribute('aria-pressed', 'true');
  const slice = page.locator('[data-chart="execution-summary"] .legend__item', { hasText: 'Kernel' });
  await slice.click();
  await expect(page.locator('[data-chart="execution-summary"] .legend__item', { hasText: 'DataLoader' }).locator('.figure').first()).toHaveText('75.0%');
});

test('a chart shows its figures as a table', async ({ page }) => {
  await page.locator('[data-chart="steps"] button', { hasText: 'as table' }).click();
  const table = page.locator('table[data-table="steps-figures"]');
  await expect(table.locator('tbody tr')).toHaveCount(6);
  await expect(page.locator('[data-chart="steps"] canvas')).toBeHidden();
});

test('a bar and a piece of evidence lead to their place in the timeline', async ({ page }) => {
  await page.locator('[data-chart="steps"] canvas').click({ position: { x: 80, y: 180 } });
  await expect(page.locator('[data-view="timeline"]')).toBeVisible();
  await idle(page);
  const step = await visible(page);
  expect(step.span / 1e6).toBeGreaterThan(150);
  expect(step.span / 1e6).toBeLessThan(300);
  await show(page, 'overview');
  // The step is the scope now: advice on the entire trace needs the scope cleared.
  await expect(page.locator('[data-view="overview"] [data-scope]')).toContainText('Selected range');
  await page.locator('[data-clear-range]').click();
  await expect(page.locator('[data-view="overview"] [data-scope]')).toHaveText('Entire trace');
  await idle(page);
  const advice = page.locator('[data-recommendation="data_loading"], [data-recommendation]').first();
  await advice.locator('[data-evidence]').first().click();
  await expect(page.locator('[data-view="timeline"]')).toBeVisible();
  await idle(page);
  expect((await visible(page)).span).toBeLessThan(step.span);
});

for (const scheme of ['light', 'dark']) {
  for (const [width, height] of [[1440, 900], [390, 844]]) {
    test(`the overview in ${scheme} at ${width}×${height}`, async ({ page }) => {
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height });
      await picture(page, `torch-overview-${scheme}-${width}x${height}`);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
    });
  }
}
