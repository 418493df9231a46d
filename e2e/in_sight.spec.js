// What the user has just chosen stays in sight, and what is open is closed one at a time.
import { cells, expect, idle, ink, kineto, lanes, openProfile, picture, show, start, test, timeline } from './support.js';

const resnet = () => kineto('kineto-traces', 'resnet50_num_workers_0', 'worker0.1623143089861.pt.trace.json.gz');
const qwen = () => kineto('tracelens-traces', 'h100', 'Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz');

/** Pixels of the rows in the yellow of a search hit. */
const hits = (page) => timeline(page).locator('.timeline__rows').evaluate((canvas) => {
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  let n = 0;
  for (let i = 0; i < data.length; i += 4) n += data[i] === 0xff && data[i + 1] === 0xe1 && data[i + 2] === 0x4d;
  return n;
});

test('the first hit of a search is seen beside the details that it opens', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, qwen());
  await show(page, 'timeline');
  await page.keyboard.press('/');
  await page.keyboard.type('gemm');
  await expect(page.locator('[data-search-count]')).toContainText('242');
  await idle(page);
  await page.keyboard.press('Enter');
  await expect(page.locator('[data-view="details"]')).toContainText('GPU 0 / stream 7');
  await idle(page);
  await expect.poll(() => hits(page)).toBeGreaterThan(100);
});

test('colours by duration are a scale with a legend, and in the link', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, resnet());
  await show(page, 'timeline');
  const before = await ink(await lanes(page));
  await page.locator('[data-field="colour"]').selectOption('duration');
  await idle(page);
  await expect.poll(async () => (await ink(await lanes(page))).colours).not.toBe(before.colours);
  await page.locator('[data-settings-menu]').click();
  await page.locator('[data-setting="legend"]').check();
  await page.keyboard.press('Escape');
  await expect(page.locator('[data-legend="duration"]')).toContainText('10 – 100 µs');
  expect(page.url()).toContain('s.timeline.colour=duration');
  await picture(page, 'timeline-by-duration');
});

test('Esc closes an open panel first, and keeps the selection', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, resnet());
  await show(page, 'operators');
  await page.locator('table[data-table="operators"] tbody tr[data-row="0"]').click();
  await idle(page);
  // The panel beside the table is not covered by the details.
  await expect(page.locator('[data-view="details"]')).toBeHidden();
  await expect(page.locator('[data-panel="operator"] [data-go="calls"]')).toBeVisible();
  await page.locator('[data-panel="operator"] [data-go="calls"]').click();
  await idle(page);
  const details = page.locator('[data-view="details"]');
  await expect(details).toBeVisible();
  await page.locator('[data-flows-menu]').click();
  await page.locator('[data-flow-mode="window"]').click();
  await idle(page);
  await page.keyboard.press('Escape');
  await expect(page.locator('[data-flows]')).toBeHidden();
  await expect(details).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(details).toBeHidden();
});

test('the slices of a range are summed by name below the timeline', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, resnet());
  await show(page, 'timeline');
  await expect(page.locator('[data-range-sums]')).toBeHidden();
  const box = await (await lanes(page)).boundingBox();
  await page.keyboard.down('Shift');
  await page.mouse.move(box.x + box.width * 0.3, box.y + 200);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.4, box.y + 200, { steps: 3 });
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await page.locator('[data-range-sums] button').first().click();
  await idle(page);
  await expect(page.locator('table[data-table="range-sums"] tbody tr[data-row="0"]')).toBeVisible();
  expect((await cells(page, 'range-sums', 'name')).length).toBeGreaterThan(4);
  await picture(page, 'range-sums');
  await page.locator('[data-range-sums] button').first().click();
  await expect(page.locator('table[data-table="range-sums"]')).toBeHidden();
});
