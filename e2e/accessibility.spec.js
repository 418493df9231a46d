// Accessibility: axe-core finds nothing critical or serious, and the keyboard alone reaches every control. Every view of every kind: `every_view.spec.js`.
import { join } from 'node:path';
import { inBothSchemes, loadAxe, tabFindings } from './axe.js';
import { expect, idle, lanes, neuron, openProfile, samples, start, test } from './support.js';

test('axe-core on the start page and the help', async ({ page, site }) => {
  await start(page, site);
  await loadAxe(page);
  const found = await inBothSchemes(page, 'start');
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog')).toBeVisible();
  found.push(...await inBothSchemes(page, 'help'));
  expect(found).toEqual([]);
});

test('axe-core with details, annotations, settings, a range and a search', async ({ page, site }) => {
  await start(page, site);
  await loadAxe(page);
  await openProfile(page, neuron('fused_attention', 'fused_exec_2_profile_full.json'));
  await page.locator('[data-annotations]').click();
  await page.locator('body').press('m');
  await page.keyboard.press('/');
  await page.locator('input[type=search]').first().fill('matmul');
  await page.keyboard.press('Enter');
  await idle(page);
  await expect(page.locator('[data-view="details"]')).toBeVisible();
  const found = await inBothSchemes(page, 'details and annotations');
  const box = await (await lanes(page)).boundingBox();
  await page.keyboard.down('Shift');
  await page.mouse.move(box.x + box.width * 0.5, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + 40);
  await page.mouse.move(box.x + box.width * 0.7, box.y + 40);
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await expect(page.locator('[data-clear-range]')).toBeVisible();
  await page.locator('[data-range-sums] button').first().click();
  await page.locator('[data-settings-menu]').click();
  found.push(...await inBothSchemes(page, 'range and settings'));
  expect(found).toEqual([]);
});

test('the Tab key visits every control of the start page, and the focus is seen', async ({ page, site }) => {
  await start(page, site);
  expect(await tabFindings(page, 'start')).toEqual([]);
});

test('tabs: arrow keys move, Enter opens, Delete closes', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, join(samples, 'cpu_single.pt.trace.json.gz'));
  await openProfile(page, neuron('fused_attention', 'fused_exec_2_profile_full.json'));
  const tabs = page.getByRole('tablist', { name: 'Open profiles' }).or(page.getByRole('tab'));
  await expect(tabs).toHaveCount(3);
  const [first, second] = [page.getByRole('tab').first(), page.getByRole('tab').nth(1)];
  await expect(second).toHaveAttribute('aria-selected', 'true');
  await second.focus();
  await page.keyboard.press('ArrowLeft');
  await expect(first).toBeFocused();
  await page.keyboard.press('Enter');
  await idle(page);
  await expect(first).toHaveAttribute('aria-selected', 'true');
  await first.focus();
  await page.keyboard.press('End');
  await expect(second).toBeFocused();
  await page.keyboard.press('Delete');
  await expect(page.getByRole('tab')).toHaveCount(1);
  await expect(page.getByRole('tab')).toBeFocused();
});

test('nothing moves where the system asks for reduced motion', async ({ page, site }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await start(page, site);
  await openProfile(page, join(samples, 'cpu_single.pt.trace.json.gz'));
  const moving = await page.evaluate(() => {
    const isLong = (text) => text.split(',').some((part) => parseFloat(part) > 0.02);
    return [...document.querySelectorAll('*')].filter((element) => {
      const style = getComputedStyle(element);
      return (style.animationName !== 'none' && isLong(style.animationDuration)) || isLong(style.transitionDuration);
    }).map((element) => element.outerHTML.slice(0, 100));
  });
  expect(moving).toEqual([]);
});
