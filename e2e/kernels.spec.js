// The Kernels view: the plugin's figures, grouping, search, and the ways to the timeline and to the launching operator.
import { expect, idle, kineto, openProfile, picture, show, start, test } from './support.js';

const table = (page) => page.locator('table[data-table="kernels"]');
const count = (page) => page.locator('[data-view="kernels"] .beside > .table-part .table__count');

/** The cell of a column in a row. */
async function cell(page, row, id) {
  return table(page).evaluate((element, [at, wanted]) => {
    const column = [...element.querySelectorAll('thead th')].findIndex((th) => th.dataset.column === wanted);
    return element.querySelectorAll('tbody tr[data-row]')[at].children[column].textContent.trim();
  }, [row, id]);
}

test.beforeEach(async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, kineto('kineto-traces', 'resnet50_num_workers_0', 'worker0.1623143089861.pt.trace.json.gz'));
  await show(page, 'kernels');
  await expect(table(page).locator('tbody tr[data-row]').first()).toBeVisible();
});

test('rows are the plugin\'s, longest first', async ({ page }) => {
  await expect(count(page)).toHaveText('67 of 67 rows');
  expect(await cell(page, 0, 'name')).toContain('dgrad_engine');
  await expect(page.locator('[data-view="kernels"] [data-row] [title*="cudnn::detail::dgrad_engine"]').first()).toBeVisible();
  expect(await cell(page, 0, 'calls')).toBe('162');
  expect(await cell(page, 0, 'total_ns')).toBe('80.8 ms');
  expect(await cell(page, 0, 'mean_ns')).toBe('498 µs');
  expect(await cell(page, 0, 'max_ns')).toBe('1.02 ms');
  expect(await cell(page, 0, 'min_ns')).toBe('323 µs');
  expect(await cell(page, 0, 'blocks_per_sm')).toBe('42.2');
  expect(await cell(page, 0, 'occupancy')).toBe('30.0%');
  expect(await cell(page, 0, 'tensor_cores')).toBe('No');
  await expect(page.locator('[data-chart="tensor-cores"] .legend__item').first()).toContainText('Not using tensor cores');
});

test('by properties and operator there are more rows, and the choice is in the address', async ({ page }) => {
  await page.locator('[data-view="kernels"] [data-group="properties"]').click();
  await idle(page);
  await expect(count(page)).toHaveText('226 of 226 rows');
  expect(await cell(page, 0, 'operator')).not.toBe('');
  await expect.poll(() => page.url()).toContain('properties');
});

test('a search narrows the rows', async ({ page }) => {
  await page.locator('[data-view="kernels"] .table__filter').first().fill('volta_sgemm');
  await expect.poll(async () => (await table(page).locator('tbody tr[data-row]').allTextContents()).every((t) => t.includes('volta_sgemm'))).toBe(true);
});

test('a row leads to its runs, and they to the timeline', async ({ page }) => {
  await table(page).locator('tbody tr[data-row="0"]').click();
  await idle(page);
  const panel = page.locator('[data-panel="kernel"]');
  await expect(panel.locator('table[data-table="kernel-runs"] tbody tr')).toHaveCount(162);
  await picture(page, 'torch-kernels-panel');
  await panel.locator('button', { hasText: 'Launching operator' }).click();
  await expect(page.locator('[data-view="timeline"]')).toBeVisible();
  await idle(page);
  await expect(page.locator('[data-view="details"]')).toContainText('conv');
});
