// Markers and regions: by key, mouse and panel; compared, saved, exported, imported.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { atRest, expect, idle, lanes, openProfile, picture, samples, show, start, test, visible } from './support.js';

const panel = (page) => page.locator('[data-view="annotations"]');
const rows = (page) => panel(page).locator('table[data-table="annotations"] tbody tr');

async function markAt(page, share, height = 0.5) {
  const box = await (await lanes(page)).boundingBox();
  await page.mouse.move(box.x + box.width * share, box.y + box.height * height);
  await page.keyboard.press('m');
}

async function download(page, button) {
  const [file] = await Promise.all([page.waitForEvent('download'), button.click()]);
  return readFileSync(await file.path(), 'utf8');
}

test.beforeEach(async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, join(samples, 'cpu_single.pt.trace.json.gz'));
  await show(page, 'timeline');
  await page.locator('[data-annotations]').click();
  await expect(panel(page)).toBeVisible();
});

test('M and the right button drop markers, and the figures between them are shown', async ({ page }) => {
  await markAt(page, 0.3);
  const box = await (await lanes(page)).boundingBox();
  await page.mouse.click(box.x + box.width * 0.7, box.y + box.height * 0.5, { button: 'right' });
  await expect(rows(page)).toHaveCount(2);
  await expect(rows(page).nth(1).locator('[data-difference]')).toContainText(/\d (ns|µs|ms|s)/);
  await expect(panel(page).locator('[data-figures]')).toContainText(/Between Marker 1 and Marker 2: .*slices/);
  await expect(panel(page).locator('table[data-table="span-tracks"] tbody tr').first()).toBeVisible();
  await idle(page);
  // Not squeezed to its header by what stands below.
  expect((await panel(page).locator('.table-box').first().boundingBox()).height).toBeGreaterThan(60);
  await panel(page).locator('[data-select-span]').click();
  await expect(page.locator('[data-clear-range]')).toContainText(/Selected range .* – /);
  await idle(page);
});

test('a marker is dragged, renamed, moved by typing, and deleted', async ({ page }) => {
  await markAt(page, 0.5);
  const time = rows(page).first().locator('.annotations__time');
  const before = await time.inputValue();
  const box = await (await lanes(page)).boundingBox();
  const at = await page.evaluate(() => {
    const [, from, to] = document.querySelector('[data-view="timeline"]').dataset.window.match(/^(-?\d+)-(-?\d+)$/).map(Number);
    return { from, to };
  });
  const ns = (text) => Number(text.replace('−', '-').split(' ')[0]) * { ns: 1, 'µs': 1e3, ms: 1e6, s: 1e9 }[text.split(' ')[1]];
  const x = box.x + ((ns(before) - at.from) / (at.to - at.from)) * box.width;
  await page.mouse.move(x, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(x + 60, box.y + 40);
  await page.mouse.move(x + 120, box.y + 40);
  await page.mouse.up();
  await expect.poll(() => time.inputValue()).not.toBe(before);
  await rows(page).first().locator('.annotations__name').fill('warm-up ends');
  await rows(page).first().locator('.annotations__name').press('Enter');
  await time.fill('1.5 us');
  await time.press('Enter');
  await expect(time).toHaveValue('1.5 µs');
  await time.fill('soon');
  await time.press('Enter');
  await expect(page.getByRole('alert').filter({ hasText: 'found `soon`' })).toBeVisible();
  await expect(time).toHaveValue('1.5 µs');
  await rows(page).first().getByRole('button', { name: 'Delete warm-up ends' }).click();
  await expect(rows(page)).toHaveCount(0);
});

test('a selected range becomes a region, and Go to shows it', async ({ page }) => {
  const box = await (await lanes(page)).boundingBox();
  const y = box.y + box.height * 0.5;
  await page.keyboard.down('Shift');
  await page.mouse.move(box.x + box.width * 0.4, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.45, y);
  await page.mouse.move(box.x + box.width * 0.5, y);
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await page.getByRole('button', { name: 'Make region' }).click();
  await expect(rows(page)).toHaveCount(1);
  await expect(panel(page).locator('[data-figures]')).toContainText('In Region 1');
  const whole = await visible(page);
  await rows(page).first().getByRole('button', { name: 'Go to' }).click();
  const near = await atRest(page);
  expect(near.span).toBeLessThan(whole.span * 0.3);
});

test('two markers at one moment are told as such', async ({ page }) => {
  await markAt(page, 0.3);
  await markAt(page, 0.6);
  await expect(rows(page)).toHaveCount(2);
  const time = (at) => rows(page).nth(at).locator('.annotations__time');
  await time(1).fill(await time(0).inputValue());
  await time(1).press('Enter');
  await expect(panel(page).locator('[data-figures]')).toContainText('are at the same time');
});

test('annotations stay with the profile, and go through files', async ({ page, site }) => {
  await markAt(page, 0.3);
  await markAt(page, 0.6);
  await expect(rows(page)).toHaveCount(2);
  const json = await download(page, panel(page).locator('.annotations__head').getByRole('button', { name: 'JSON' }));
  const csv = await download(page, panel(page).locator('.annotations__head').getByRole('button', { name: 'CSV' }));
  expect(JSON.parse(json).set.items).toHaveLength(2);
  expect(csv.split('\r\n')[0]).toBe('name,start_ns,end_ns,colour,versus');
  await panel(page).getByPlaceholder('Name of the set').fill('before');
  await panel(page).getByRole('button', { name: 'Save set' }).click();

  await page.goto('about:blank');
  await start(page, site);
  await openProfile(page, join(samples, 'cpu_single.pt.trace.json.gz'));
  await page.locator('[data-annotations]').click();
  await expect(rows(page)).toHaveCount(2);
  await panel(page).getByRole('button', { name: 'Clear all' }).click();
  // Nothing brings them back: it is asked first.
  await panel(page).locator('[data-clear-ask]').getByRole('button', { name: 'Cancel' }).click();
  await expect(rows(page)).toHaveCount(2);
  await panel(page).getByRole('button', { name: 'Clear all' }).click();
  await panel(page).locator('[data-clear]').click();
  await expect(rows(page)).toHaveCount(0);
  await panel(page).locator('[data-import]').setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
  await expect(rows(page)).toHaveCount(2);
  await panel(page).locator('[data-import]').setInputFiles({ name: 'b.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b\n1,2') });
  await expect(page.getByRole('alert').filter({ hasText: '`b.csv` was not imported' })).toBeVisible();
  await expect(rows(page)).toHaveCount(2);

  // What is there gives way only when it is said so, and a file of another profile is remarked on.
  const question = panel(page).locator('[data-import-ask]');
  await panel(page).locator('[data-import]').setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
  await expect(question).toContainText('2 annotations are already on the timeline');
  await question.locator('[data-import-as="add"]').click();
  await expect(rows(page)).toHaveCount(4);
  await expect(question).toHaveCount(0);
  const foreign = JSON.parse(json);
  foreign.of = { hash: 'another', name: 'another run' };
  const file = { name: 'c.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(foreign)) };
  await panel(page).locator('[data-import]').setInputFiles(file);
  await expect(question).toContainText('of another profile, `another run`');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(rows(page)).toHaveCount(4);
  await panel(page).locator('[data-import]').setInputFiles(file);
  await question.locator('[data-import-as="replace"]').click();
  await expect(rows(page)).toHaveCount(2);
});

test('a marker gets a colour out of the palette', async ({ page }) => {
  await markAt(page, 0.4);
  await expect(rows(page)).toHaveCount(1);
  await rows(page).first().getByRole('button', { name: 'Colour of Marker 1' }).click();
  const palette = rows(page).first().locator('.annotations__palette');
  await expect(palette).toBeVisible();
  await palette.locator('[data-colour="3"]').click();
  await expect(palette).toBeHidden();
  await expect(palette.locator('[data-colour="3"]')).toHaveAttribute('aria-pressed', 'true');
});

for (const scheme of ['light', 'dark']) {
  for (const [width, height] of [[1440, 900], [390, 844]]) {
    test(`annotations and search in ${scheme} at ${width}×${height}`, async ({ page }) => {
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height });
      const sticksOut = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      await markAt(page, 0.3);
      await markAt(page, 0.6);
      await expect(rows(page)).toHaveCount(2);
      await idle(page);
      await picture(page, `annotations-${scheme}-${width}x${height}`);
      expect(await sticksOut()).toBeLessThanOrEqual(0);
      await show(page, 'search');
      await page.locator('[data-view="search"]').getByLabel('Text', { exact: true }).fill('conv');
      await expect(page.locator('table[data-table="search-summary"] tbody tr').first()).toBeVisible();
      await idle(page);
      await picture(page, `search-${scheme}-${width}x${height}`);
      expect(await sticksOut()).toBeLessThanOrEqual(0);
    });
  }
}
