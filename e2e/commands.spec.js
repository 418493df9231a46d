// The command palette by keyboard alone, and Back over views, ranges, zooms and selections.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { atRest, expect, idle, lanes, openProfile, samples, show, start, test, visible } from './support.js';

const CPU = join(samples, 'cpu_single.pt.trace.json.gz');
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const field = (page) => page.getByRole('combobox', { name: 'Command' });

/** Opens the palette, types, and runs what is first. */
async function command(page, text) {
  await page.keyboard.press('Control+k');
  await expect(field(page)).toBeFocused();
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
  await expect(page.locator('[data-commands]')).toBeHidden();
  await idle(page);
}

test('views, actions, tracks, operators, settings and profiles are reached by keyboard', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, CPU);
  await openProfile(page, join(samples, 'gloo_ddp_rank0.pt.trace.json.gz'));
  await command(page, 'operators');
  await expect(page.locator('[data-view="operators"]')).toBeVisible();
  await command(page, 'cpu_single');
  await expect(page.locator('[role=tab][aria-selected=true]')).toContainText('cpu_single');
  await command(page, 'dark light');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await command(page, 'aten::addmm');
  await expect(page.locator('[data-view="timeline"]')).toBeVisible();
  await expect(page.locator('[data-view="details"]')).toContainText('aten::addmm');
  await command(page, 'close profile');
  await expect(page.locator('[role=tab]')).toHaveCount(1);

  // Arrows move the active line, Escape closes and gives the keyboard back.
  await page.keyboard.press('Control+k');
  const active = () => field(page).getAttribute('aria-activedescendant');
  const first = await active();
  await page.keyboard.press('ArrowDown');
  const second = await active();
  expect(second).not.toBe(first);
  await expect(page.locator(`#${second}`)).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await expect(page.getByRole('option').last()).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.type('qqqqzzzz');
  await expect(page.locator('[data-commands]')).toContainText('Nothing matches');
  await page.keyboard.press('Escape');
  await expect(page.locator('[data-commands]')).toBeHidden();
});

test('a palette that is opened again at once stays open', async ({ page, site }) => {
  await start(page, site);
  // The browser says that the first one closed when the second one is open.
  await page.evaluate(async () => {
    for (let i = 0; i < 3; i += 1) {
      document.body.dispatchEvent(new KeyboardEvent('keydown', { code: 'KeyK', key: 'k', ctrlKey: true, bubbles: true, cancelable: true }));
      for (let k = 0; k < 100; k += 1) await null;
    }
    for (let i = 0; i < 3; i += 1) await new Promise(requestAnimationFrame);
  });
  await expect(page.locator('[data-commands]')).toBeVisible();
  await expect(field(page)).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.locator('[data-commands]')).toBeHidden();
});

test('axe-core finds nothing in the palette and in a library with entries', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, CPU);
  await page.getByRole('button', { name: 'Axonscope: start page' }).click();
  await page.evaluate(axe);
  const findings = () => page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { resultTypes: ['violations'] });
    return violations.filter((v) => ['critical', 'serious'].includes(v.impact)).map((v) => `${v.id}: ${v.nodes[0].html}`);
  });
  expect(await findings()).toEqual([]);
  await page.screenshot({ path: 'e2e/artifacts/library-light.png' });
  await page.keyboard.press('Control+k');
  await expect(field(page)).toBeVisible();
  expect(await findings()).toEqual([]);
  await page.screenshot({ path: 'e2e/artifacts/commands-light.png' });
});

test('Back undoes zooms, ranges, views and profiles, one step for a zoom without a pause', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, CPU);
  await show(page, 'timeline');
  const whole = await atRest(page);
  const box = await (await lanes(page)).boundingBox();
  await expect.poll(() => page.url()).toContain('#v=1');
  await page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.3);
  for (let i = 0; i < 4; i += 1) await page.keyboard.press('w');
  const zoomed = await atRest(page);
  expect(zoomed.span).toBeLessThan(whole.span);
  await expect.poll(() => page.url()).toContain('win=');
  await command(page, 'select visible range');
  await expect.poll(() => page.url()).toContain('range=');
  await show(page, 'operators');
  await expect.poll(() => page.url()).toContain('view=operators');

  await page.goBack();
  await expect(page.locator('[data-view="timeline"]')).toBeVisible();
  await expect(page.locator('[data-clear-range]')).toBeVisible();
  await page.goBack();
  await expect(page.locator('[data-clear-range]')).toHaveCount(0);
  expect((await visible(page)).span).toBe(zoomed.span);
  await page.goBack();
  await expect.poll(async () => (await visible(page)).span).toBe(whole.span);
  await page.goBack();
  await expect(page.locator('[data-view="start"]')).toBeVisible();
  await page.goForward();
  await expect(page.locator('[data-view="timeline"]')).toBeVisible();
  await page.goForward();
  await expect.poll(async () => (await visible(page)).span).toBe(zoomed.span);
});

test('Back twice while the page is busy adds no step to the history', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, CPU);
  for (const view of ['operators', 'ledger', 'overview']) {
    await show(page, view);
    await expect.poll(() => page.url()).toContain(`view=${view}`);
  }
  const n_steps = await page.evaluate(() => history.length);
  // The page is busy from the first arrival on, for longer than what follows an arrival may take: the second comes, and before its event the address is due.
  await page.evaluate(() => new Promise((done) => {
    const busy = () => { for (const end = performance.now() + 900; performance.now() < end;); };
    addEventListener('hashchange', () => {
      addEventListener('hashchange', done, { once: true });
      history.back();
      busy();
    }, { once: true });
    history.back();
  }));
  await expect(page.locator('[data-view="operators"]')).toBeVisible();
  await expect.poll(() => page.url()).toContain('view=operators');
  expect(await page.evaluate(() => history.length)).toBe(n_steps);
  await page.goForward();
  await expect(page.locator('[data-view="ledger"]')).toBeVisible();
});
