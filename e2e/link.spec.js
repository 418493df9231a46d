// The address holds what is looked at, and never the data.
import { join } from 'node:path';
import { expect, idle, lanes, openProfile, pointOnSlice, samples, show, start, test, visible, windowChanged } from './support.js';

const sample = join(samples, 'cpu_single.pt.trace.json.gz');

test('a link asks for its file, and then shows the same range and selection', async ({ page, site, browser }) => {
  await start(page, site);
  await openProfile(page, sample);
  await show(page, 'timeline');
  const box = await (await lanes(page)).boundingBox();
  const whole = await visible(page);
  await page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.4);
  await page.keyboard.press('w');
  const zoomed = await windowChanged(page, whole);
  const point = await pointOnSlice(page);
  await page.mouse.click(point.x, point.y);
  const details = page.locator('[data-view="details"]');
  await expect(details).toBeVisible();
  await idle(page);
  await expect.poll(() => page.url()).toContain('#');
  // The address is written shortly after the last change.
  let link = page.url();
  await expect.poll(async () => { const same = link === page.url(); link = page.url(); return same; }, { intervals: [600] }).toBe(true);
  const said = await details.locator('h1, h2, h3, [data-details-title]').first().innerText();

  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const other = await context.newPage();
  await other.goto(link);
  await idle(other);
  await expect(other.locator('body')).toContainText('cpu_single.pt.trace.json.gz');
  await openProfile(other, sample);
  await expect(other.locator('[data-view="timeline"]')).toBeVisible();
  const again = await visible(other);
  expect(Math.abs(again.span - zoomed.span)).toBeLessThanOrEqual(zoomed.span * 0.02 + 2);
  await expect(other.locator('[data-view="details"]')).toBeVisible();
  await expect(other.locator('[data-view="details"] :is(h1, h2, h3, [data-details-title])').first()).toHaveText(said);
  await context.close();
});

test('a fragment that is nonsense still opens the page', async ({ page, site }) => {
  for (const fragment of ['#', '#v=999&view=nothing', '#%%%', '#v=1&range=abc..def&sel=']) {
    await page.goto('about:blank');
    await start(page, site, fragment);
    await expect(page.locator('input[type=file]').first()).toBeAttached();
  }
});

test('a link set from outside is followed, though the page writes its own address before the event', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, sample);
  await show(page, 'operators');
  await expect.poll(() => page.url()).toContain('view=operators');
  await page.evaluate(() => {
    const own = location.hash;
    location.hash = own.replace('view=operators', 'view=modules');
    history.replaceState(null, '', own);
  });
  await expect(page.locator('[data-view="modules"]')).toBeVisible();
  await expect.poll(() => page.url()).toContain('view=modules');
});
