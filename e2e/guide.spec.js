// Guided readings of the samples: five steps each, every one at its view with what it speaks of on screen; closed for good, and back from Help.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, faults, idle, picture, root, start, test } from './support.js';

const readings = JSON.parse(readFileSync(join(root, 'public', 'guide', 'readings.json'), 'utf8'));
/** The samples of the start page, in its order. */
const names = [...readFileSync(join(root, 'index.html'), 'utf8').matchAll(/data-sample="([^"]+)"/g)].map(([, name]) => name);
const strip = (page) => page.locator('[data-guide]');

async function openSample(page, name) {
  await page.locator(`[data-sample="${name}"]`).click();
  await expect(page.locator('[role=tab]').first()).toBeVisible();
  await idle(page);
}

test('every sample of the start page has a reading of five steps', async ({ page, site }) => {
  await start(page, site);
  expect(await page.locator('[data-sample]').evaluateAll((all) => all.map((button) => button.dataset.sample))).toEqual(names);
  for (const name of names) expect(readings[name]?.steps, name).toHaveLength(5);
});

for (const name of names) {
  test(`what the reading of ${name} says is on screen`, async ({ page, site }) => {
    await start(page, site);
    await openSample(page, name);
    for (const [i, step] of readings[name].steps.entries()) {
      await expect(strip(page)).toHaveAttribute('data-step', String(i + 1));
      await expect(strip(page)).toContainText(`${i + 1} of 5`);
      await expect(page.locator('[data-guided]'), step.title).toBeVisible();
      await idle(page);
      const shown = page.locator(`.front ${step.target}`).first();
      for (const text of step.shown ?? []) await expect(shown, step.title).toContainText(text);
      const view = new URLSearchParams(step.link).get('view');
      await expect(page.locator(`[data-view="${view}"]`)).toBeVisible();
      expect(await faults(page, view)).toEqual([]);
      await picture(page, `guide-${name.split('.')[0]}-${i + 1}`);
      await strip(page).getByRole('button', { name: i === 4 ? 'Done' : 'Next' }).click();
    }
    await expect(strip(page)).toHaveCount(0);
    await expect(page.locator('[data-guided]')).toHaveCount(0);
  });
}

test('a reading is closed for good, comes back from Help, and needs no mouse', async ({ page, site }) => {
  const [name] = names;
  await start(page, site);
  await openSample(page, name);
  await expect(strip(page)).toBeVisible();
  // The first controls of the page by the Tab key are those of the strip.
  // A browser goes on from what was clicked last, unless the page itself has the focus.
  // What a page that was just opened draws anew may drop the focus once: then it begins again.
  await expect(async () => {
    await page.evaluate(() => { document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex'); });
    await page.keyboard.press('Tab');
    await expect(strip(page).getByRole('button', { name: 'Next' })).toBeFocused({ timeout: 1_000 });
  }).toPass();
  await page.keyboard.press('Enter');
  await expect(strip(page)).toHaveAttribute('data-step', '2');
  await page.keyboard.press('Escape');
  await expect(strip(page)).toHaveCount(0);
  await expect(page.locator('.notices')).toContainText('Help (?) opens it again');
  await page.goto('about:blank');
  await start(page, site);
  await openSample(page, name);
  await expect(strip(page)).toHaveCount(0);
  await page.keyboard.press('?');
  await page.locator(`[data-reading="${name}"]`).press('Enter');
  await expect(strip(page).getByRole('button', { name: 'Next' })).toBeFocused();
  // It belongs to its profile: on the start page it is not there.
  await page.getByRole('button', { name: 'Axonscope: start page' }).click();
  await expect(strip(page)).toBeHidden();
  await page.locator('[role=tab]').first().click();
  await expect(strip(page)).toBeVisible();
  // Nothing of the page is below the strip.
  const [page_, own] = [await page.locator('.app').boundingBox(), await strip(page).boundingBox()];
  expect(page_.y + page_.height).toBeLessThanOrEqual(own.y + 1);
});

test('the reading of a sample that is not open opens it', async ({ page, site }) => {
  await start(page, site);
  await page.keyboard.press('?');
  await page.locator(`[data-reading="${names[1]}"]`).click();
  await expect(strip(page)).toHaveAttribute('data-guide', names[1]);
  await expect(page.locator('[role=tab]')).toHaveCount(1);
});

test('on a phone the strip leaves room for the view', async ({ page, site }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const [name] = names;
  await start(page, site);
  await openSample(page, name);
  await expect(strip(page)).toBeVisible();
  await idle(page);
  const own = await strip(page).boundingBox();
  expect(own.height).toBeLessThan(844 * 0.4);
  expect(await faults(page, 'timeline')).toEqual([]);
  await picture(page, 'guide-phone');
});
