// Search at length: fields, regular expressions, records of the file, summary, and the link.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, idle, kineto, neuron, openProfile, samples, show, start, test } from './support.js';

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
  await expect(view(page).getByRole('alert')).toContainText('is not a valid regular expression');
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

test('Enter right after typing goes to the first hit as soon as it is there', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, device);
  const box = page.getByRole('searchbox', { name: 'Search slices by name or attribute' });
  for (const text of ['MATMUL', 'ACTIVATE']) {
    await box.fill(text);
    await box.press('Enter');
    await expect(page.locator('[data-search-count]')).toHaveText(/^1 of /);
    await expect(page.locator('[data-view="details"] h2').first()).toContainText(text);
  }
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

test('a trace of a GPU: kernels by pattern and duration, and one launch with its kernel by a field of the records', async ({ page, site }) => {
  const path = kineto('kineto-traces', 'resnet50_num_workers_0', 'worker0.1623143089861.pt.trace.json.gz');
  const { traceEvents } = JSON.parse(gunzipSync(readFileSync(path)));
  const long = traceEvents.filter((e) => e.cat === 'Kernel' && /^void cudnn::/.test(e.name) && e.dur > 500);
  const pair = traceEvents.filter((e) => e.ph === 'X' && e.args?.correlation === 34441);
  expect([long.length > 10, pair.length]).toEqual([true, 2]);
  await start(page, site);
  await openProfile(page, path);
  await show(page, 'search');
  await view(page).locator('[data-field="search-category"]').selectOption('Kernel');
  for (const [i, field, value] of [[0, 'name', '/^void cudnn::/'], [1, 'duration_ns', '>500000']]) {
    await view(page).locator('[data-add-field]').click();
    const term = view(page).locator(`[data-term="${i}"]`);
    await term.getByLabel('Field').selectOption(field);
    await term.getByLabel('Value').fill(value);
    await term.getByLabel('Value').press('Enter');
    await idle(page);
  }
  const count = async () => Number((await view(page).locator('[data-hits]').innerText()).replace(/[^\d]/g, ''));
  await expect.poll(count).toBe(long.length);
  await view(page).getByRole('button', { name: 'Next' }).click();
  await expect(page.locator('[data-view="timeline"]')).toBeVisible();
  await expect(page.locator('[data-view="details"] h2')).toContainText('void cudnn::');
  await show(page, 'search');
  for (const i of [1, 0]) await view(page).locator(`[data-term="${i}"]`).getByLabel('Remove this condition').click();
  await view(page).locator('[data-field="search-category"]').selectOption('');
  await view(page).getByLabel('Text', { exact: true }).fill('^34441$');
  await view(page).getByRole('checkbox', { name: 'Regular expression' }).check();
  await view(page).getByLabel('Also in the records of the file').check();
  await view(page).locator('[data-field="search-key"]').fill('correlation');
  await view(page).locator('[data-field="search-key"]').press('Enter');
  await expect(view(page).locator('[data-scan="over"]')).toContainText(', 2 with a field that matches');
});
