// Variants: any number of open profiles of a kind in one table, with bases, columns, heat, orders and exports by real clicks.
import { readFileSync } from 'node:fs';
import { dropFiles, expect, idle, neuron, openProfile, show, start, test } from './support.js';

const summary = () => JSON.parse(readFileSync(neuron('fused_attention', 'fused_exec_2_profile_full.json'))).summary[0];
const microseconds = (i) => 40 + ((i * 7) % 11) * 3;

/** Eight summaries of kernels in two dtypes and four lengths; the fields of the first are odd where `odd` says so. */
function files(n, odd = {}) {
  const base = summary();
  return Array.from({ length: n }, (_, i) => {
    const name = `${i % 2 ? 'plain' : 'fused'}_${i % 4 < 2 ? 'bf16' : 'fp32'}_s${256 << (i % 8)}`;
    const values = { ...base, total_time: microseconds(i) * 1e-6, ...(i === 0 ? odd : {}) };
    return { name: `${name}${n > 8 ? `_${i}` : ''}.json`, bytes: JSON.stringify({ [`n_${i}`]: values }) };
  });
}

const rows = (page) => page.locator('table[data-table="variants"] tbody tr[data-row]');
const cells = (page, column) => page.locator('table[data-table="variants"]').evaluate((table, id) => {
  const at = [...table.querySelectorAll('thead th')].findIndex((th) => th.dataset.column === id);
  return [...table.querySelectorAll('tbody tr[data-row]')].map((tr) => tr.children[at].innerText.trim());
}, column);

test('eight variants stand in one table: base, ratios, order, columns, heat, chart and Markdown', async ({ page, site, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await start(page, site);
  await dropFiles(page, ...files(8));
  await show(page, 'variants');
  const view = page.locator('[data-view="variants"]');
  await expect(rows(page)).toHaveCount(8);
  const want = Array.from({ length: 8 }, (_, i) => microseconds(i));
  const fastest = want.indexOf(Math.min(...want));
  await expect(view.locator('[data-answer]')).toContainText('is the fastest');
  const shown = (await cells(page, 'total_time')).map((text) => Number(text.replace(/[^\d.]/g, '')));
  expect([...shown].sort()).toEqual([...want].sort());
  // The best and the worst of the column.
  const best = view.locator('table[data-table="variants"] td.is-best').filter({ hasText: `${Math.min(...want)}.0 µs` });
  await expect(best.first()).toBeVisible();
  await expect(view.locator('table[data-table="variants"] td.is-worst').filter({ hasText: `${Math.max(...want)}.0 µs` }).first()).toBeVisible();
  // Parts of the names are columns, and an order.
  expect(new Set(await cells(page, 'kernel'))).toEqual(new Set(['fused', 'plain']));
  expect(new Set(await cells(page, 'dtype'))).toEqual(new Set(['bf16', 'fp32']));
  await view.locator('[data-field="order"]').selectOption('length');
  await idle(page);
  const lengths = (await cells(page, 'length')).map((text) => Number(text.slice(1)));
  expect(lengths).toEqual([...lengths].sort((a, b) => a - b));
  // Any row is the base.
  await view.locator('[data-field="show"]').selectOption('ratios');
  await rows(page).nth(2).locator('td').nth(4).click();
  await idle(page);
  expect((await cells(page, 'total_time'))[2]).toBe('1.00 ×');
  // Columns: one fewer, and one that is not a default.
  await view.locator('[data-columns] summary').click();
  await view.locator('[data-choose="total_time"]').uncheck();
  await expect(page.locator('th[data-column="total_time"]')).toHaveCount(0);
  await view.locator('[data-choose="total_time"]').check();
  await expect(page.locator('th[data-column="total_time"]')).toHaveCount(1);
  await view.locator('[data-columns] summary').click();
  // Profiles: one fewer.
  await view.locator('[data-profiles] summary').click();
  await view.locator('[data-profiles] input').nth(3).uncheck();
  await expect(rows(page)).toHaveCount(7);
  await view.locator('[data-profiles] summary').click();
  await view.locator('[data-copy-markdown]').click();
  const markdown = await page.evaluate(() => navigator.clipboard.readText());
  expect(markdown.split('\n').filter((line) => line.startsWith('| ')).length).toBe(9);
  expect(markdown).toContain('(base)');
  await expect(view.locator('[data-chart="variants-chart"]')).toContainText('SVG');
  await expect(page.locator('body')).not.toContainText(/\bNaN\b|undefined|Infinity/);
  expect(fastest).toBeGreaterThanOrEqual(0);
});

test('odd values are empty cells, one profile has no such view, traces have their own', async ({ page, site }) => {
  await start(page, site);
  await dropFiles(page, ...files(1));
  await expect(page.locator('[data-nav="variants"]')).toHaveCount(0);
  await dropFiles(page, ...files(3, { total_time: null, hbm_read_bytes: 'much', hbm_write_bytes: 0 }).slice(0, 2));
  await show(page, 'variants');
  await expect(rows(page)).toHaveCount(3);
  await page.locator('[data-field="show"]').selectOption('ratios');
  await idle(page);
  await expect(page.locator('[data-view="variants"]')).not.toContainText(/\bNaN\b|undefined|Infinity|null/);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
});

test('two hundred summaries of 100 KB are one profile with a row each', async ({ page, site }) => {
  test.slow();
  await start(page, site);
  const base = summary();
  const others = Object.fromEntries(Array.from({ length: 2_400 }, (_, i) => [`metric_of_a_later_version_${i}`, i * 1.25]));
  const all = Array.from({ length: 200 }, (_, i) => {
    const values = { ...base, ...others, total_time: (100 + i) * 1e-6 };
    return { name: `run_s${i}.json`, bytes: JSON.stringify({ [`n_${i}`]: values }) };
  });
  expect(all[0].bytes.length).toBeGreaterThan(90_000);
  await dropFiles(page, ...all);
  await expect(page.locator('[role=tab]')).toHaveText([/200 summaries/]);
  await expect(page.locator('[data-view="variants"]')).toBeVisible();
  await expect(page.locator('[data-view="variants"] .table-part')).toContainText('200 of 200 rows');
  await expect(page.locator('[data-view="variants"] [data-answer]')).toContainText('run_s0.json');
  await page.locator('[data-columns] summary').click();
  await page.locator('[data-columns] input[type="search"]').fill('metric_of_a_later_version_7');
  await page.locator('[data-choose="metric_of_a_later_version_7"]').check();
  await expect(page.locator('th[data-column="metric_of_a_later_version_7"]')).toHaveCount(1);
});

test('a table of hundreds of columns shows the first, and finds the others', async ({ page, site }) => {
  const metrics = { ...summary(), ...Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`zz_metric_${i}`, i / 8])) };
  const runs = Array.from({ length: 80 }, (_, i) => ({ name: `run_${i}.json`, bytes: JSON.stringify({ [`n_${i}`]: { ...metrics, total_time: microseconds(i) * 1e-6 } }) }));
  await start(page, site);
  // More than a tab each can take: one profile with a row for each file.
  await dropFiles(page, ...runs);
  await show(page, 'tables');
  const view = page.locator('[data-view="tables"]');
  const table = view.locator('table[data-table="summary"]');
  await expect(table.locator('thead th')).toHaveCount(100);
  await expect(view).toContainText(/At first, 100 of \d+ columns are shown/);
  await expect(view).toContainText('80 of 80 rows');
  expect(await table.locator('tbody tr[data-row]').count(), 'rows in sight and a few around them').toBeLessThan(80);
  // A run summary has no rows of a timeline to save.
  await expect(view.locator('[data-export="table"]')).toHaveCount(1);
  await expect(view.locator('[data-export="instructions"]')).toHaveCount(0);
  await view.getByRole('button', { name: /^Columns/ }).click();
  await view.getByLabel('Filter columns').fill('metric_399');
  await view.getByLabel('zz_metric_399', { exact: true }).check();
  await expect(table.locator('thead th')).toHaveCount(101);
  await expect(table.locator('th[data-column="zz_metric_399"]')).toHaveCount(1);
});
