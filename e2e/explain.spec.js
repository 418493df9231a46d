// What changed between two runs, read on screen: sentences, waterfall, tree, Markdown.
import { dropFiles, expect, idle, kineto, neuron, openProfile, picture, show, start, test } from './support.js';
import { served } from './neuron_logs.js';

const trace = (run, stem) => [neuron(run, `${stem}_exec_2.ntff`), neuron(run, `${stem}.neff`)];

test('baseline and fused kernel', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, ...trace('baseline_attention', 'baseline'));
  await openProfile(page, ...trace('fused_attention', 'fused'));
  await page.locator('[data-nav="compare"]').click();
  await idle(page);
  const answers = page.locator('[data-explain] [data-answer]');
  await expect(answers.nth(0)).toContainText('20.9 µs faster (59.5 µs → 38.6 µs, 1.54 ×)');
  await expect(answers.nth(1)).toContainText('The bottleneck moved from DMA (23.7 µs busy) to Tensor (15.6 µs busy).');
  await expect(answers.nth(2)).toContainText(/4\s194\s304 fewer bytes are moved .*all spills or reloads/);
  const waterfall = page.locator('[data-chart="explain-waterfall"]');
  await expect(waterfall).toBeVisible();
  await expect(waterfall).toContainText('−11.1 µs');
  const parts = page.locator('[data-table="explain-parts"]');
  await expect(parts.locator('tbody tr[data-row]').nth(1)).toContainText('DMA');
  await expect(page.locator('[data-metric-count]')).toContainText('differ, largest relative change first');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.locator('[data-copy-markdown]').click();
  const text = await page.evaluate(() => navigator.clipboard.readText());
  expect(text).toContain('| DMA | 17.4 µs | 6.24 µs | −11.1 µs |');
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    for (const [width, height] of [[1440, 900], [390, 844]]) {
      await page.setViewportSize({ width, height });
      await idle(page);
      await picture(page, `explain-${colorScheme}-${width}`);
    }
  }
});

test('two PyTorch traces', async ({ page, site }) => {
  await start(page, site);
  const resnet = (workers, file) => kineto('kineto-traces', `resnet50_num_workers_${workers}`, `${file}.pt.trace.json.gz`);
  await openProfile(page, resnet(0, 'worker0.1623143089861'));
  await openProfile(page, resnet(4, 'worker0.1623212756351'));
  await page.locator('[data-nav="diff"]').click();
  await idle(page);
  await expect(page.locator('[data-explain] [data-answer]').first()).toContainText(/^Mean step: /);
  await expect(page.locator('[data-table="explain-parts"]')).toContainText('DataLoader');
  await expect(page.locator('[data-table="explain-parts"] [data-column="spread"]')).toBeVisible();
});

test('the sample of two versions opens in the comparison', async ({ page, site }) => {
  await start(page, site);
  await page.locator('[data-sample="synthetic-attention-fused.json.gz"]').click();
  await expect(page.locator('[data-view="compare"]')).toBeVisible();
  await idle(page);
  await expect(page.locator('[role=tab]')).toHaveCount(2);
  const answers = page.locator('[data-explain] [data-answer]');
  await expect(answers.nth(0)).toContainText(/ faster \(/);
  await expect(answers.nth(1)).toContainText(/The bottleneck moved from DMA .* to Tensor/);
  await expect(answers.nth(2)).toContainText(/fewer bytes are moved .*all spills or reloads/);
  await expect(page.locator('[data-chart="explain-waterfall"]')).toBeVisible();
  await picture(page, 'sample-pair');
});

test('two system profiles: the entire time, and mean invocations with their spread', async ({ page, site }) => {
  await start(page, site);
  await dropFiles(page, { name: 'before.json', bytes: served() });
  await dropFiles(page, { name: 'after.json', bytes: served({ decode: 4_000_000 }) });
  await show(page, 'compare');
  await expect(page.locator('[data-explain] [data-answer]').first()).toContainText(/faster|slower/);
  await page.locator('[data-explain] [data-field="core"]').selectOption({ label: await page.locator('[data-explain] [data-field="core"] option', { hasText: 'token_generation_model' }).first().innerText() });
  await idle(page);
  await expect(page.locator('[data-explain] [data-answer]').first()).toContainText('Mean invocation of');
  await expect(page.locator('[data-table="explain-parts"] [data-column="spread"]')).toBeVisible();
  await expect(page.locator('[data-table="explain-parts"]')).toContainText('Device');
  await expect(page.locator('[data-view="compare"]')).not.toContainText(/\bNaN\b|undefined|Infinity/);
  await picture(page, 'explain-system');
});
