// The start page is drawn from index.html alone, keeps what is opened in it, and gives way to the program without moving.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, idle, samples, test } from './support.js';

const PROGRAM = /\/page[^/]*\.wasm$/;
const SAMPLE = join(samples, 'cpu_single.pt.trace.json.gz');

/** The page with its program held back. `release` lets it go on. */
async function held(page, url) {
  let release;
  const gate = new Promise((ok) => { release = ok; });
  await page.route(PROGRAM, async (route) => { await gate; await route.continue(); });
  await page.goto(url, { waitUntil: 'commit' });
  await expect(page.locator('#early h1')).toBeVisible();
  return release;
}

/** Every word on screen with its place, and every button. */
const layout = (page) => page.evaluate(() => {
  const root = document.querySelector('#early') ?? document.querySelector('.app');
  const out = [];
  const add = (what, box) => { if (box.width > 0) out.push([what, ...[box.left, box.top, box.width, box.height].map((x) => Math.round(x * 4) / 4)].join(' ')); };
  const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    if (walk.currentNode.parentElement.closest('template, noscript, script')) continue;
    // Word by word: the program makes more text nodes than the parser.
    for (const { 0: word, index } of walk.currentNode.data.matchAll(/[\p{L}\p{N}]+/gu)) {
      const range = document.createRange();
      range.setStart(walk.currentNode, index);
      range.setEnd(walk.currentNode, index + word.length);
      add(word, range.getBoundingClientRect());
    }
  }
  for (const button of root.querySelectorAll('button')) add(`button ${button.getAttribute('aria-label') ?? button.textContent.trim()}`, button.getBoundingClientRect());
  return out;
});

test('at 10 Mbit/s with a cold cache the start page is on screen within half a second', async ({ browser, site }) => {
  const took = [];
  // The machine may be busy: the quickest of three tells what the page needs.
  for (let i = 0; i < 3 && !(Math.min(...took) <= 500); i++) {
    const context = await browser.newContext();
    const page = await context.newPage();
    const cdp = await context.newCDPSession(page);
    await cdp.send('Network.enable');
    await cdp.send('Network.emulateNetworkConditions', { offline: false, latency: 40, downloadThroughput: 10e6 / 8, uploadThroughput: 10e6 / 8 });
    await page.goto(site.url, { waitUntil: 'commit' });
    await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
    took.push(await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime));
    await expect(page.locator('h1')).toHaveText('Where did the time go?');
    await context.close();
  }
  expect(Math.min(...took), `first contentful paint of ${took.map(Math.round)} ms`).toBeLessThanOrEqual(500);
});

const RECENTS = [['llama.pt.trace.json', '0011223344556677'], ['profile.ntff', 'aabbccddeeff0011']]
  .map(([name, hash]) => ({ name, kind: 'PyTorch profiler trace', hash, date: '2026-11-20 23:05' }));
for (const [what, viewport, stored, fragment] of [
  ['on a screen', { width: 1440, height: 900 }, {}, ''],
  ['on a phone', { width: 390, height: 844 }, {}, ''],
  ['with profiles that were open before', { width: 1440, height: 900 }, { 'axonscope.recents': JSON.stringify(RECENTS) }, ''],
  ['with a link to a profile', { width: 1440, height: 900 }, {}, '#v=1&p=00112233&n=a%20trace.json'],
  ['in the other theme', { width: 1440, height: 900 }, { 'axonscope.theme': 'dark' }, ''],
]) {
  test(`the program takes over and nothing moves: ${what}`, async ({ page, site }) => {
    await page.setViewportSize(viewport);
    await page.addInitScript((items) => { for (const [key, value] of Object.entries(items)) localStorage.setItem(key, value); }, stored);
    const release = await held(page, site.url + fragment);
    const colour = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    // The other style sheets are there too: what they add must not move anything either.
    const [before, coloured] = [await layout(page), await colour()];
    if (stored['axonscope.theme'] === 'dark') expect(coloured).toBe('rgb(15, 18, 23)');
    expect(before.length).toBeGreaterThan(40);
    release();
    await idle(page);
    await expect(page.locator('#early')).toHaveCount(0);
    const after = await layout(page);
    expect(before.filter((line) => !after.includes(line)), `not at the same place afterwards; there is:\n${after.join('\n')}`).toEqual([]);
    expect(await colour()).toBe(coloured);
  });
}

test('a file chosen before the program is there opens as soon as it is', async ({ page, site }) => {
  const release = await held(page, site.url);
  await page.locator('#open-files').setInputFiles(SAMPLE);
  await expect(page.locator('#early-status')).toContainText('cpu_single.pt.trace.json.gz opens when');
  release();
  await expect(page.locator('body')).toHaveAttribute('data-profile', 'kineto');
  await idle(page);
  await expect(page.locator('[role=tab]')).toHaveCount(1);
});

test('files dropped before the program is there open as soon as it is', async ({ page, site }) => {
  const release = await held(page, site.url);
  for (const name of ['cpu_single.pt.trace.json.gz', 'gloo_ddp_rank0.pt.trace.json.gz']) {
    const data = await page.evaluateHandle(([file, base64]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], file));
      return transfer;
    }, [name, readFileSync(join(samples, name)).toString('base64')]);
    for (const type of ['dragenter', 'dragover', 'drop']) await page.dispatchEvent('body', type, { dataTransfer: data });
  }
  release();
  await expect(page.locator('[role=tab]')).toHaveCount(2);
  await idle(page);
});

test('a sample, the theme and the keyboard work before the program is there', async ({ page, site }) => {
  const release = await held(page, site.url);
  await page.locator('[data-early="theme"]').click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.locator('#early [data-sample]').first().focus();
  await page.keyboard.press('Enter');
  release();
  await expect(page.locator('body')).toHaveAttribute('data-profile', 'kineto');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
});

test('the control that has the focus keeps it', async ({ page, site }) => {
  const release = await held(page, site.url);
  await page.getByText('Open a directory').focus();
  release();
  await idle(page);
  await expect(page.getByText('Open a directory')).toBeFocused();
});

test('a program that cannot be loaded is told, and nothing pretends to work', async ({ page, site }) => {
  await page.route(PROGRAM, (route) => route.abort());
  await page.goto(site.url, { waitUntil: 'commit' });
  await expect(page.locator('[role=alert]')).toContainText('could not start');
  page.wrong.length = 0;
});
