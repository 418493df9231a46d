// Search at length: fields, regular expressions, records of the file, summary, and the link.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, idle, neuron, openProfile, samples, show, start, test } from './support.js';

const device = neuron('fused_attention', 'fused_exec_2_profile_full.json');
const view = (page) => page.locator('[data-view="search"]');
const table = (page) => view(page).locator('table[data-table="search-summary"]');

/** The whole numbers of a column. */
async function figures(page, column) {
  const texts = await table(page).evaluate((element, wanted) => {
    const at = [...element.querySelectorAll('thead th')].findIndex((th) => th.dataset.column === wanted);
    return [...element.querySelectorAll('tbody tr[data-row]')].map((tr) => tr.children[at].textContent);
  }, column);
  return texts.map((t) => Number(t.replace(/[^\d.]/g, '')));
}

test('hits are summed up by device and name, and the sum is the count', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, join(samples, 'cpu_single.pt.trace.json.gz'));
  await show(page, 'search');
  await view(page).getByLabel('Text', { exact: true }).fill('^aten::(add|mul)');
  await view(page).getByRole('checkbox', { name: 'Regular expression' }).check();
  await expect(table(page).locator('tbody tr').first()).toBeVisible();
  await idle(page);
  const n = Number((await view(page).locator('[data-hits]').innerText()).replace(/[^\d]/g, ''));
  expect((await figures(page, 'hits')).reduce((a, b) => a + b, 0)).toBe(n);
  await view(page).getByLabel('Text', { exact: true }).fill('(');
  await expect(view(page).getByRole('alert')).toContainText('is not a pattern');
});

test('records of the file are searched part by part, also one field of them', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, device);
  await show(page, 'search');
  await view(page).getByLabel('Text', { exact: true }).fill('dst');
  await expect(view(page).locator('[data-hits]')).toContainText('hits');
  await idle(page);
  const before = await view(page).locator('[data-hits]').innerText();
  await view(page).getByLabel('Also in the records of the file').check();
  await expect(view(page).locator('[data-scan="over"]')).toContainText(/with a field that matches/);
  await idle(page);
  expect(await view(page).locator('[data-hits]').innerText()).not.toBe(before);
  await view(page).locator('[data-field="search-key"]').fill('no such key');
  await view(page).locator('[data-field="search-key"]').press('Enter');
  await expect(view(page).locator('[data-scan="over"]')).toContainText(', 0 with a field that matches');
  expect(page.url()).toContain('s.search.records=true');
});

test('a row lights up its slices in the timeline, and the brackets step through them', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, device);
  await show(page, 'operators');
  await page.locator('table[data-table="operators"] tbody tr[data-row] td').first().click();
  const details = page.locator('[data-view="details"]');
  await expect(details).toBeVisible();
  await idle(page);
  const title = () => details.locator('h2').first().innerText();
  const first = await title();
  await page.keyboard.press(']');
  await expect.poll(title).not.toBe(first);
  expect((await title()).split(' · ')[0]).toBe(first.split(' · ')[0]);
  await idle(page);
  await page.keyboard.press('[');
  await expect.poll(title).toBe(first);
});

test('what is chosen in a view is in the link', async ({ page, site, browser }) => {
  await start(page, site);
  await openProfile(page, device);
  await show(page, 'operators');
  const head = (p) => p.locator('table[data-table="operators"] th[data-column="occurrences"]');
  await head(page).locator('button.table__sort').click();
  await page.locator('[data-field="group-by"]').selectOption('opcode');
  await page.locator('[data-field="top"]').fill('4');
  await page.locator('[data-field="top"]').press('Enter');
  await page.locator('[data-view="operators"] .table__filter').first().fill('mat');
  await expect.poll(() => page.url()).toContain('s.operators.top=4');
  await idle(page);
  const link = page.url();
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const other = await context.newPage();
  await other.goto(link);
  await idle(other);
  await openProfile(other, device);
  await expect(other.locator('[data-field="group-by"]')).toHaveValue('opcode');
  await expect(other.locator('[data-field="top"]')).toHaveValue('4');
  await expect(other.locator('[data-view="operators"] .table__filter').first()).toHaveValue('mat');
  await expect(head(other)).toHaveAttribute('aria-sort', 'descending');
  await context.close();
});

test('several fields must all match; values are told row by row; both are in the link', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, device);
  const json = JSON.parse(readFileSync(device));
  await show(page, 'search');
  await view(page).locator('[data-field="search-category"]').selectOption('instruction');
  const term = (i) => view(page).locator(`[data-term="${i}"]`);
  for (const [i, field, value] of [[0, 'opcode', '/^MATMUL$/'], [1, 'duration_ns', '>100']]) {
    await view(page).locator('[data-add-field]').click();
    await term(i).getByLabel('Field').selectOption(field);
    await term(i).getByLabel('Value').fill(value);
    await term(i).getByLabel('Value').press('Enter');
    await idle(page);
  }
  const wanted = json.instruction.filter((r) => r.opcode === 'MATMUL' && r.duration > 100).length;
  await expect(view(page).locator('[data-hits]')).toContainText(`${wanted.toLocaleString('en-US')} hits`);
  const values = view(page).locator('table[data-table="search-values"]');
  await view(page).locator('[data-field="search-values"]').selectOption('engine');
  await idle(page);
  await expect(values.locator('tbody tr[data-row]').first()).toContainText('Tensor');
  expect(decodeURIComponent(page.url())).toContain('s.search.fields=');
  await term(1).getByLabel('Remove this condition').click();
  await idle(page);
  const all = json.instruction.filter((r) => r.opcode === 'MATMUL').length;
  await expect(view(page).locator('[data-hits]')).toContainText(`${all.toLocaleString('en-US')} hits`);
  await view(page).getByRole('button', { name: 'Next' }).click();
  await expect(page.locator('[data-view="timeline"]')).toBeVisible();
});
