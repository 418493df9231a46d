// The Operators table sorts and filters as its figures say.
import { join } from 'node:path';
import { expect, idle, openProfile, samples, show, start, test } from './support.js';

const table = (page) => page.locator('table[data-table="operators"]');

/** The cells of a column in order of the rows on screen. */
function column(page, id) {
  return table(page).evaluate((element, wanted) => {
    const at = [...element.querySelectorAll('thead th')].findIndex((th) => th.dataset.column === wanted);
    return [...element.querySelectorAll('tbody tr[data-row]')].map((tr) => tr.children[at].textContent.trim());
  }, id);
}

const percent = (texts) => texts.map((text) => Number.parseFloat(text)).filter((n) => !Number.isNaN(n));
const ordered = (list, sign) => list.every((value, i) => i === 0 || sign * (value - list[i - 1]) >= 0);

test.beforeEach(async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, join(samples, 'cpu_single.pt.trace.json.gz'));
  await show(page, 'operators');
  await expect(table(page).locator('tbody tr').first()).toBeVisible();
});

test('the longest operator comes first, and its share is a percentage', async ({ page }) => {
  const shares = percent(await column(page, 'time_share'));
  expect(shares.length).toBeGreaterThan(5);
  expect(ordered(shares, -1)).toBe(true);
  expect(shares[0]).toBeGreaterThan(0);
  expect(shares[0]).toBeLessThanOrEqual(100);
});

test('a click on a header sorts, a second turns the order round', async ({ page }) => {
  const numbers = async () => (await column(page, 'occurrences')).map((text) => Number(text.replace(/[^\d.]/g, '')));
  const target = table(page).locator('th[data-column="occurrences"] button.table__sort');
  await target.click();
  await idle(page);
  const first = await numbers();
  await target.click();
  await idle(page);
  const second = await numbers();
  expect(ordered(first, 1) || ordered(first, -1)).toBe(true);
  expect(ordered(second, 1) || ordered(second, -1)).toBe(true);
  expect(first).not.toEqual(second);
});

test('the filter leaves what it names', async ({ page }) => {
  await page.locator('[data-view="operators"] .table__filter').first().fill('aten::add');
  await idle(page);
  await expect.poll(async () => {
    const names = await table(page).locator('tbody tr[data-row]').allTextContents();
    return names.length > 0 && names.every((n) => n.includes('aten::add'));
  }).toBe(true);
});
