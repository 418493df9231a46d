// Serving on Neuron: a system profile as written since mid-2026, its models, bursts and gaps; a pasted summary.
import { cells, dropFiles, expect, idle, picture, settled, show, start, test } from './support.js';
import { served, summaryText } from './neuron_logs.js';

const tabs = (page) => page.locator('[role=tab]');
const card = (page, id) => page.locator(`[data-view="serving"] [data-card="${id}"] strong`);

test('models, phases and gaps; a burst becomes the scope', async ({ page, site }) => {
  await start(page, site);
  await dropFiles(page, { name: 'system_profile.json', bytes: served() });
  await expect(page.locator('body')).toHaveAttribute('data-profile', 'neuron_system');
  await show(page, 'serving');
  await expect(card(page, 'invocations')).toHaveText('84');
  await expect.poll(() => cells(page, 'buckets', 'model')).toEqual(['token_generation_model', 'context_encoding_model']);
  await expect.poll(() => cells(page, 'buckets', 'phase')).toEqual(['decode', 'prefill']);
  await expect.poll(() => cells(page, 'buckets', 'count')).toEqual(['80', '4']);
  await expect.poll(() => cells(page, 'buckets', 'p50_ns')).toEqual(['5.00 ms', '45.0 ms']);
  await expect(card(page, 'delay')).toHaveText('200 µs');
  await expect(card(page, 'spills')).toHaveText('1.00 MiB');
  await expect(page.locator('[data-view="serving"] [data-notes]')).toContainText('168 executions of physical cores are 84 invocations');
  await picture(page, 'serving');
  await page.locator('table[data-table="bursts"] tr[data-row]').nth(1).click();
  await idle(page);
  await expect(page.locator('[data-scope]')).toContainText('Selected range');
  await expect(card(page, 'invocations')).toHaveText('42');
  await expect(page).toHaveURL(/range=/);
  await page.locator('table[data-table="buckets"] tr[data-row]').first().click();
  await idle(page);
  await expect(page.locator('[data-view="timeline"]')).toBeVisible();
});

test('a pasted summary text opens, its rounded values marked', async ({ page, site }) => {
  await start(page, site);
  await settled(page, () => page.evaluate((text) => {
    const transfer = new DataTransfer();
    transfer.setData('text/plain', text);
    window.dispatchEvent(new ClipboardEvent('paste', { clipboardData: transfer, bubbles: true }));
  }, summaryText));
  await expect(tabs(page)).toHaveText([/pasted\.txt/]);
  await expect(page.locator('body')).toHaveAttribute('data-profile', 'neuron_summary');
  await show(page, 'summary');
  await expect(page.locator('[data-view="summary"]')).toContainText('≈ 4.00 MiB');
  await expect(page.locator('[data-view="summary"]')).toContainText('rounded in this file');
  await picture(page, 'summary-text');
});
