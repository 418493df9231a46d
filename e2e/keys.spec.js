// Keys work by their place on the keyboard, whatever letter is on them; the page is idle only once the window has come to rest.
import { join } from 'node:path';
import { atRest, expect, idle, lanes, neuron, openProfile, pointOnSlice, samples, show, start, test, timeline, visible } from './support.js';

/** Presses the key at a place of the keyboard, on a layout where it bears another letter. */
const press = (page, code, key = 'я') => page.evaluate(([code, key]) => {
  document.body.dispatchEvent(new KeyboardEvent('keydown', { code, key, bubbles: true, cancelable: true }));
}, [code, key]);

test.beforeEach(async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, neuron('fused_attention', 'fused_exec_2_profile_full.json'));
  await show(page, 'timeline');
});

test('W S A D 0 F M and the tools work on any layout', async ({ page }) => {
  const box = await (await lanes(page)).boundingBox();
  await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.3);
  const whole = await atRest(page);
  await press(page, 'KeyW');
  const near = await atRest(page);
  expect(near.span).toBeLessThan(whole.span);
  await press(page, 'KeyD');
  const right = await atRest(page);
  expect(right.from).toBeGreaterThan(near.from);
  await press(page, 'KeyA');
  expect((await atRest(page)).from).toBeLessThan(right.from);
  await press(page, 'KeyS');
  expect((await atRest(page)).span).toBeGreaterThan(near.span);
  await press(page, 'Digit0');
  expect((await atRest(page)).span).toBe(whole.span);
  for (const [code, name] of [['Digit1', 'Select'], ['Digit2', 'Pan'], ['Digit3', 'Zoom'], ['Digit4', 'Measure']]) {
    await press(page, code);
    await expect(timeline(page).locator('.timeline__tools').getByRole('button', { name, exact: true })).toHaveAttribute('aria-pressed', 'true');
  }
  await press(page, 'Digit3');
  const point = await pointOnSlice(page);
  await page.mouse.click(point.x, point.y);
  await idle(page);
  await press(page, 'KeyF');
  expect((await atRest(page)).span).toBeLessThan(whole.span);
  await press(page, 'KeyM');
  await expect(page.locator('[data-annotations]')).toContainText('(1)');
});

test('Enter, Esc, / and ? do what the help says', async ({ page }) => {
  const point = await pointOnSlice(page);
  await page.mouse.click(point.x, point.y);
  const details = page.locator('[data-view="details"]');
  await expect(details).toBeVisible();
  await details.getByRole('button', { name: 'Close details' }).click();
  await expect(details).toBeHidden();
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press('Enter');
  await expect(details).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(details).toBeHidden();
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  await page.keyboard.press('/');
  await expect(page.locator('#search')).toBeFocused();
});

test('the page is idle only once the window has come to rest', async ({ page }) => {
  const box = await (await lanes(page)).boundingBox();
  await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.3);
  await idle(page);
  await page.keyboard.press('w');
  await expect.poll(() => page.locator('body').getAttribute('data-idle'), { intervals: [5] }).toBe('false');
  await idle(page);
  const first = await visible(page);
  await page.waitForTimeout(400);
  expect(await visible(page)).toEqual(first);
});

/** Rests the pointer on a slice. */
async function hover(page) {
  const point = await pointOnSlice(page);
  await page.mouse.move(point.x - 1, point.y);
  await page.mouse.move(point.x, point.y);
}

test('the hover card of an instruction tells its operands; where slices hold each other, self time', async ({ page }) => {
  await hover(page);
  const card = page.locator('.timeline__card');
  await expect(card).toContainText('operands');
  // Instructions overlap and hold nothing.
  await expect(card).not.toContainText('self time');
  expect(await card.locator('dt').count()).toBeGreaterThanOrEqual(4);
  await openProfile(page, join(samples, 'cpu_single.pt.trace.json.gz'));
  await show(page, 'timeline');
  await hover(page);
  await expect(card).toContainText('self time');
  expect(await card.locator('dt').count()).toBeGreaterThanOrEqual(4);
});
