// A region as the scope of every view: its windows and nothing between them, in the link, and back.
import { join } from 'node:path';
import { cells, dropFiles, expect, idle, kineto, neuron, openProfile, picture, samples, show, start, test } from './support.js';

const chip = (page) => page.locator('[data-clear-range]');
const rows = (page, id) => page.locator(`table[data-table="${id}"] tbody tr[data-row]`);
/** Nanoseconds of the exact value in the title of a cell. */
const exact = (page, id, row, column) => page.locator(`table[data-table="${id}"]`).evaluate((element, [at, wanted]) => {
  const place = [...element.querySelectorAll('thead th')].findIndex((th) => th.dataset.column === wanted);
  const cell = element.querySelectorAll('tbody tr[data-row]')[at].children[place];
  const [value, unit] = (cell.title || cell.querySelector('[title]')?.title || cell.innerText).split(' ');
  return Math.round(Number(value) * { ns: 1, µs: 1e3, ms: 1e6, s: 1e9 }[unit]);
}, [row, column]);

test('the windows of a region are the scope of every view', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, neuron('baseline_attention', 'baseline_exec_2_profile_full.json'));
  await show(page, 'bounds');
  await page.locator('[data-field="regions"]').selectOption('opcode');
  await idle(page);
  await rows(page, 'regions').filter({ hasText: 'MATMUL' }).first().click();
  await idle(page);
  const at = (await cells(page, 'regions', 'name')).indexOf('MATMUL');
  const time = await exact(page, 'regions', at, 'time_ns');
  await page.locator('[data-chosen-region] [data-go="scope"]').click();
  await expect(chip(page)).toContainText(/^Region MATMUL: \d+ windows, .* of .*/);
  await idle(page);
  await expect(page.locator('[data-view="bounds"] [data-scope]').first()).toContainText(/^Region MATMUL/);
  // The parts sum to the time of the windows, not to the wall span.
  const parts = page.locator('[data-chart="exclusive"]');
  await parts.getByRole('button', { name: 'as table' }).click();
  const values = await Promise.all(Array.from({ length: await rows(page, 'exclusive-figures').count() }, (_, i) => exact(page, 'exclusive-figures', i, 'value')));
  expect(values.reduce((a, b) => a + b, 0)).toBe(time);
  await picture(page, 'region-scope');
  for (const view of ['summary', 'gaps', 'operators', 'layers', 'source', 'roofline']) {
    if (await page.locator(`[data-nav="${view}"]`).count() === 0) continue;
    await show(page, view);
    await expect(page.locator(`[data-view="${view}"] [data-scope]`).first(), view).toContainText(/^Region MATMUL/);
    await expect(page.locator(`[data-view="${view}"]`)).not.toContainText(/\bNaN\b|undefined|Infinity/);
  }
  await page.keyboard.press('Escape');
  await expect(chip(page)).toHaveCount(0);
  await show(page, 'bounds');
  await expect(page.locator('[data-view="bounds"] [data-scope]').first()).toHaveText('Entire trace');
});

test('regions by function are the kernels that the NEFF names, and a file without functions says so', async ({ page, site }) => {
  await start(page, site);
  await dropFiles(page, neuron('fused_attention', 'fused_exec_2.ntff'), neuron('fused_attention', 'fused.neff'));
  await show(page, 'bounds');
  const by = page.locator('[data-field="regions"]');
  await by.selectOption('function');
  await idle(page);
  expect(await cells(page, 'regions', 'name')).toEqual(['fused_attention']);
  await picture(page, 'regions-by-function');
  await dropFiles(page, neuron('fused_attention', 'fused_exec_2_profile_full.json'));
  await show(page, 'bounds');
  await expect(page.locator('[data-part="regions"] [data-notes]')).toContainText('Regions by function need the functions of instructions');
  await expect(by.locator('option[value="function"]')).toHaveCount(0);
});

test('a region of few windows is in the link', async ({ page, site }) => {
  await start(page, site);
  const file = neuron('baseline_attention', 'baseline_exec_2_profile_full.json');
  await openProfile(page, file);
  await show(page, 'bounds');
  await page.locator('[data-field="regions"]').selectOption('opcode');
  await idle(page);
  const windows = (await cells(page, 'regions', 'windows')).map(Number);
  const few = windows.findIndex((n) => n > 1 && n < 60);
  expect(few).toBeGreaterThanOrEqual(0);
  await rows(page, 'regions').nth(few).click();
  await page.locator('[data-chosen-region] [data-go="scope"]').click();
  await expect(chip(page)).toContainText(/^Region .*windows/);
  await idle(page);
  const said = await chip(page).textContent();
  await expect(page).toHaveURL(/s\.scope\.region=/);
  const url = page.url();
  await page.goto('about:blank');
  await page.goto(url);
  await idle(page);
  await dropFiles(page, file);
  await expect(chip(page)).toHaveText(said);
});

test('slices of a PyTorch trace are a scope', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, kineto('kineto-traces', 'resnet50_num_workers_0', 'worker0.1623143089861.pt.trace.json.gz'));
  await show(page, 'operators');
  await rows(page, 'operators').first().click();
  await page.locator('[data-go="calls"]').click();
  await idle(page);
  await page.locator('[data-slice-set] [data-set-scope]').click();
  await expect(chip(page)).toContainText(/^Region .*windows, /);
  await show(page, 'overview');
  await expect(page.locator('[data-view="overview"] [data-scope]').first()).toContainText(/^Region /);
  await expect(page.locator('[data-view="overview"]')).not.toContainText(/\bNaN\b|undefined|Infinity/);
  await page.keyboard.press('Escape');
  await chip(page).click({ timeout: 2_000 }).catch(() => null);
  await expect(chip(page)).toHaveCount(0);
});

test('a module of a PyTorch trace is a scope', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, join(samples, 'cpu_single.pt.trace.json.gz'));
  await show(page, 'modules');
  await rows(page, 'modules').nth(1).click();
  await page.locator('[data-chosen-module] [data-go="scope"]').click();
  await expect(chip(page)).toContainText(/^(Region|Selected range) /);
  await show(page, 'operators');
  await expect(page.locator('[data-view="operators"] [data-scope]').first()).toContainText(/^(Region|Selected range) /);
});
