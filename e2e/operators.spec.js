// The Operators table sorts and filters as its figures say.
import { join } from 'node:path';
import { expect, idle, kineto, openProfile, picture, samples, show, start, test } from './support.js';

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

test.describe('of a trace with a device', () => {
  test.beforeEach(async ({ page }) => {
    await openProfile(page, kineto('kineto-traces', 'resnet50_num_workers_0', 'worker0.1623143089861.pt.trace.json.gz'));
    await show(page, 'operators');
    await expect(table(page).locator('th[data-column="device_self_ns"]')).toBeVisible();
  });

  test('the columns hold the plugin\'s figures', async ({ page }) => {
    await expect(page.locator('[data-view="operators"] .table__count').first()).toHaveText('76 of 76 rows');
    const first = async (id) => (await column(page, id))[0];
    expect(await first('name')).toBe('aten::cudnn_convolution_backward_weight');
    expect(await first('occurrences')).toBe('318');
    expect(await first('device_self_ns')).toBe('142 ms');
    expect(await first('device_total_ns')).toBe('142 ms');
    expect(await first('host_self_ns')).toBe('22.8 ms');
    expect(await first('host_total_ns')).toBe('40.2 ms');
    expect(await first('tc_eligible')).toBe('Yes');
    for (const id of ['device-self', 'device-total', 'host-self', 'host-total']) {
      await expect(page.locator(`[data-chart="${id}"] .legend__item`).first()).toBeVisible();
    }
  });

  test('Time % is of the duration that was chosen', async ({ page }) => {
    const before = await column(page, 'time_share');
    await page.locator('[data-field="time-of"]').selectOption('host-self');
    await idle(page);
    const after = await column(page, 'time_share');
    expect(after).not.toEqual(before);
    await page.locator('[data-group="shape"]').click();
    await idle(page);
    await expect(page.locator('[data-view="operators"] .table__count').first()).toHaveText(/of 577 rows/);
  });

  test('an operator leads to its kernels, and to its calls in the timeline', async ({ page }) => {
    await table(page).locator('tbody tr[data-row="0"]').click();
    await idle(page);
    const panel = page.locator('[data-panel="operator"]');
    await expect(panel.locator('table[data-table="operator-kernels"] tbody tr').first()).toBeVisible();
    await panel.locator('[data-tab="calls"]').click();
    await idle(page);
    await picture(page, 'torch-operators-panel');
    await panel.locator('[data-go="calls"]').click();
    await expect(page.locator('[data-view="timeline"]')).toBeVisible();
    await idle(page);
    await expect(page.locator('[data-view="details"]')).toContainText('cudnn_convolution_backward_weight');
  });

  test('all slices stay one switch away', async ({ page }) => {
    await page.locator('[data-show="slices"]').click();
    await expect(page.locator('[data-chart="by-device"]')).toBeVisible();
    await expect(table(page).locator('th[data-column="self_time_ns"]')).toBeVisible();
  });
});

test('a call stack can be copied and opened', async ({ page }) => {
  await openProfile(page, kineto('kineto-traces', 'resnet50_num_workers_0', 'worker0.1623143089861.pt.trace.json.gz'));
  await show(page, 'operators');
  // What autograd calls has no stack; what the model calls has.
  await page.locator('[data-view="operators"] .table__filter').first().fill('aten::clamp_min');
  await table(page).locator('tbody tr[data-row]').first().click();
  await idle(page);
  await page.locator('[data-panel="operator"] [data-tab="stacks"]').click();
  const open = page.locator('[data-frame="open"]').first();
  await expect(open).toHaveAttribute('href', /^vscode:\/\/file\/.+:\d+$/);
  await picture(page, 'torch-operators-stacks');
});
