// The timeline answers to keys, mouse and search.
import { atRest, expect, idle, lanes, neuron, openProfile, pointOnSlice, show, start, test, timeline, visible, windowChanged } from './support.js';

test.beforeEach(async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, neuron('fused_attention', 'fused_exec_2_profile_full.json'));
  await show(page, 'timeline');
});

test('W zooms in at the pointer, S out, 0 shows the whole', async ({ page }) => {
  const box = await (await lanes(page)).boundingBox();
  await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.3);
  const whole = await visible(page);
  await page.keyboard.press('w');
  const near = await windowChanged(page, whole);
  expect(near.span).toBeLessThan(whole.span);
  await page.keyboard.press('s');
  const back = await windowChanged(page, near);
  expect(back.span).toBeGreaterThan(near.span);
  await page.keyboard.press('w');
  await page.keyboard.press('w');
  await page.keyboard.press('0');
  await expect.poll(async () => (await visible(page)).span).toBe(whole.span);
});

test('D pans to the right', async ({ page }) => {
  const box = await (await lanes(page)).boundingBox();
  await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.3);
  await page.keyboard.press('w');
  await page.keyboard.press('w');
  const before = await atRest(page);
  await page.keyboard.press('d');
  const after = await windowChanged(page, before);
  expect(after.from).toBeGreaterThan(before.from);
  expect(Math.abs(after.span - before.span)).toBeLessThan(2);
});

test('a drag zooms to its range', async ({ page }) => {
  const box = await (await lanes(page)).boundingBox();
  const whole = await visible(page);
  const y = box.y + box.height * 0.5;
  await page.mouse.move(box.x + box.width * 0.5, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.55, y);
  await page.mouse.move(box.x + box.width * 0.7, y);
  await page.mouse.up();
  const after = await windowChanged(page, whole);
  expect(after.span).toBeLessThan(whole.span * 0.4);
});

test('a slice under the pointer names itself, and a click fills the details', async ({ page }) => {
  const point = await pointOnSlice(page);
  await page.mouse.move(point.x - 1, point.y);
  await page.mouse.move(point.x, point.y);
  const card = page.locator('.timeline__card');
  await expect(card).toContainText(/\d\s?(ns|µs|ms|s)/);
  await page.mouse.click(point.x, point.y);
  const details = page.locator('[data-view="details"]');
  await expect(details).toBeVisible();
  await expect(details).toContainText(/\d\s?(ns|µs|ms|s)/);
  await idle(page);
  await page.keyboard.press('Escape');
  await expect(details).toBeHidden();
});

test('search counts what it finds, and Enter goes from hit to hit', async ({ page }) => {
  await page.keyboard.press('/');
  const box = page.locator('input[type=search]').first();
  await expect(box).toBeFocused();
  await box.fill('MATMUL');
  await expect(page.locator('[data-search-count]')).toHaveText(/^[1-9][\d\s]* found/);
  const before = await visible(page);
  await box.press('Enter');
  await idle(page);
  await box.press('Enter');
  await idle(page);
  await expect(page.locator('[data-search-count]')).toHaveText(/^2 of [1-9]/);
  expect((await visible(page)).span).toBeLessThanOrEqual(before.span);
  await box.fill('no such name anywhere');
  await expect(page.locator('[data-search-count]')).toHaveText('0 found');
});

test('Shift and a drag select a range, and the tables follow it', async ({ page }) => {
  const box = await (await lanes(page)).boundingBox();
  const y = box.y + box.height * 0.5;
  await page.keyboard.down('Shift');
  await page.mouse.move(box.x + box.width * 0.5, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, y);
  await page.mouse.move(box.x + box.width * 0.7, y);
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await expect(page.locator('[data-range]').first()).toContainText(/(ns|µs|ms|s)/);
  await expect(timeline(page)).toBeVisible();
});
