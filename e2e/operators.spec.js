// The Operators table sorts and filters as its figures say.
import { join } from 'node:path';
import { expect, idle, openProfile, samples, show, start, test } from './support.js';

const table = (page) => page.locator('table[data-table="operators"]');

/** The cells of a column in order of the rows on screen, by the text of its header. */
function column(page, header) {
  return table(page).evaluate((element, wanted) => {
    const heads = [...element.querySelectorAll('thead th')];
    const at = heads.findIndex((th) => th.textContent.trim().startsWith(wanted));
    return [...element.querySelectorAll('tbody tr')].map((tr) => tr.children[at]?.textContent.trim()).filter((text) => text !== undefined && text !== '');
  }, header);
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
  const shares = percent(await column(page, 'Time %'));
  expect(shares.length).toBeGreaterThan(5);
  expect(ordered(shares, -1)).toBe(true);
  expect(shares[0]).toBeGreaterThan(0);
  expect(shares[0]).toBeLessThanOrEqual(100);
});

test('a click on a header sorts, a second turns the order round', async ({ page }) => {
  const header = table(page).locator('thead th').filter({ hasText: /^\s*(Occurrences|Count|Calls)/ }).first();
  const name = (await header.textContent()).trim().split(/[\s▲▼↑↓]/)[0];
  const numbers = async () => (await column(page, name)).map((text) => Number(text.replace(/[^\d.]/g, '')));
  const target = header.locator('button').or(header).first();
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
  await page.locator('[data-view="operators"] input[type=search], [data-view="operators"] input[type=text]').first().fill('aten::add');
  await idle(page);
  await expect.poll(async () => {
    const names = await table(page).locator('tbody tr:not(.table__total)').allTextContents();
    return names.length > 0 && names.filter((n) => /[a-z]/i.test(n)).every((n) => n.includes('aten::add'));
  }).toBe(true);
});
