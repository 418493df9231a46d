// Profiles in tabs sleep when they do not fit the memory budget together, and wake as they were: when they are shown, or when another view asks them.
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { cells, expect, idle, lanes, openProfile, picture, samples, settled, show, start, test } from './support.js';

const CPU = join(samples, 'cpu_single.pt.trace.json.gz');
const DDP = join(samples, 'gloo_ddp_rank0.pt.trace.json.gz');
const NEURON = join(samples, 'synthetic-neuron.json');
const MIB = 1 << 20;

const tab = (page, name) => page.locator('.tabs__item', { hasText: name });
const rest = (page, name) => tab(page, name).getAttribute('data-rest');

/** The first memory that a text tells, bytes. */
function bytes(text) {
  const [, number, unit] = text.match(/([\d.]+)\s*([KMG])iB/);
  return Number(number) * { K: 1024, M: MIB, G: MIB * 1024 }[unit];
}

/** The memory that a tab shows, bytes. */
const memory = async (page, name) => bytes(await tab(page, name).locator('.tabs__memory').textContent());

/** Sets the limit of the page, which is half of what the browser says of the machine. */
const limit = (page, bytes) => page.evaluate((gib) => Object.defineProperty(navigator, 'deviceMemory', { configurable: true, get: () => gib }), (bytes * 2) / 1024 ** 3);

/** Sets the limit so that either of the two profiles fits beside `more` bytes, and not both: what a profile takes grows and shrinks with the program. */
async function roomForOne(page, more = 0) {
  const sizes = [await memory(page, 'cpu_single'), await memory(page, 'gloo_ddp')];
  await limit(page, Math.max(...sizes) + Math.min(...sizes) / 2 + more);
}

/** Two profiles, the second in front, and room for one only. */
async function two(page, site) {
  await start(page, site);
  await openProfile(page, CPU);
  await show(page, 'timeline');
  const box = await (await lanes(page)).boundingBox();
  await page.keyboard.down('Shift');
  await page.mouse.move(box.x + box.width * 0.3, box.y + box.height * 0.5);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.5, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await expect(page.locator('[data-clear-range]')).toBeVisible();
  await show(page, 'operators');
  await idle(page);
  const before = { range: await page.locator('[data-range]').first().textContent(), rows: await cells(page, 'operators', 'name') };
  await openProfile(page, DDP);
  await expect(page.locator('[role=tab]')).toHaveCount(2);
  expect([await rest(page, 'cpu_single'), await rest(page, 'gloo_ddp')]).toEqual([null, null]);
  await roomForOne(page);
  return before;
}

test('the least used profile sleeps, and its tab wakes with view, range and rows as they were', async ({ page, site }) => {
  const before = await two(page, site);
  const nWorkers = page.workers().length;
  // Whatever comes to front next makes the page look at its memory.
  await page.getByRole('button', { name: 'Axonscope: start page' }).click();
  await page.locator('[role=tab]', { hasText: 'gloo_ddp' }).click();
  await expect(tab(page, 'cpu_single')).toHaveAttribute('data-rest', 'asleep');
  await expect(tab(page, 'cpu_single')).toContainText('sleeping');
  await expect(tab(page, 'cpu_single').locator('[role=tab]')).toHaveAttribute('title', /select it to open it again as it was/);
  await expect.poll(() => page.workers().length).toBeLessThan(nWorkers);
  await idle(page);
  await picture(page, 'tab-asleep');

  await settled(page, () => page.locator('[role=tab]', { hasText: 'cpu_single' }).click());
  await expect(tab(page, 'cpu_single')).not.toHaveAttribute('data-rest', /./);
  await expect(tab(page, 'gloo_ddp')).toHaveAttribute('data-rest', 'asleep');
  await expect(page.locator('[data-view="operators"]')).toBeVisible();
  await expect(page.locator('[data-range]').first()).toHaveText(before.range);
  await expect.poll(() => cells(page, 'operators', 'name')).toEqual(before.rows);
  await expect(page.locator('[role=tab][aria-selected=true]')).toBeFocused();
  await expect(page.locator('[role=alert]')).toHaveCount(0);
});

test('a view that asks a sleeping profile wakes it', async ({ page, site }) => {
  await two(page, site);
  await page.getByRole('button', { name: 'Axonscope: start page' }).click();
  await page.locator('[role=tab]', { hasText: 'gloo_ddp' }).click();
  await expect(tab(page, 'cpu_single')).toHaveAttribute('data-rest', 'asleep');
  await show(page, 'diff');
  await expect(page.locator('[data-view="diff"] table tbody tr').first()).toBeVisible();
  await expect(tab(page, 'cpu_single')).not.toHaveAttribute('data-rest', /./);
});

test('a further profile opens beside sleeping ones, without a question', async ({ page, site }) => {
  await two(page, site);
  // What the further one needs is said where nothing has room.
  await limit(page, MIB);
  await page.locator('input[type=file]:not([webkitdirectory])').first().setInputFiles(NEURON);
  const needs = bytes(await page.locator('[data-phase="held"]').getByText('Needs about').first().textContent());
  await page.locator('.reading').getByRole('button', { name: /^Cancel/ }).first().click();
  await expect(page.locator('.reading')).toHaveCount(0);
  await roomForOne(page, needs);
  await openProfile(page, NEURON);
  await expect(page.locator('[role=tab]')).toHaveCount(3);
  await expect(page.locator('[data-phase="held"]')).toHaveCount(0);
  await expect(page.locator('body')).toHaveAttribute('data-profile', 'neuron_json');
  await expect(page.locator('.tabs__item[data-rest="asleep"]')).not.toHaveCount(0);
});

test('a file that changed while its profile slept is a sentence, and the others stay open', async ({ page, site }) => {
  await start(page, site);
  const write = (text) => page.evaluate(async (base64) => {
    const handle = await (await navigator.storage.getDirectory()).getFileHandle('cpu_single.pt.trace.json.gz', { create: true });
    const writable = await handle.createWritable();
    await writable.write(Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)));
    await writable.close();
    window.showOpenFilePicker = async () => [handle];
  }, text);
  await write(readFileSync(CPU).toString('base64'));
  await settled(page, () => page.getByRole('button', { name: 'Open files' }).and(page.locator('.button')).click());
  await openProfile(page, DDP);
  await roomForOne(page);
  await page.getByRole('button', { name: 'Axonscope: start page' }).click();
  await page.locator('[role=tab]', { hasText: 'gloo_ddp' }).click();
  await expect(tab(page, 'cpu_single')).toHaveAttribute('data-rest', 'asleep');
  await write(readFileSync(DDP).toString('base64'));
  await page.locator('[role=tab]', { hasText: 'cpu_single' }).click();
  await expect(page.locator('[role=alert]')).toContainText('could not be opened again');
  await settled(page, () => page.locator('[role=tab]', { hasText: 'gloo_ddp' }).click());
  await show(page, 'operators');
  await expect(page.locator('table[data-table="operators"] tbody tr').first()).toBeVisible();
});
