// A test in Firefox: the page loads, a sample opens, the table has rows, the timeline has ink, an address opens, and one HTML file opens from a disk.
// Prints `N passed, N failed` as its last line.
import { mkdtempSync, openAsBlob, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { farServer } from './far_server.js';
import { single } from '../public/share/single.js';
import puppeteer from 'puppeteer-core';
import { serve } from '../scripts/serve.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = process.env.AXONSCOPE_DIST ?? join(root, 'dist');
const site = await serve(dist, { prefix: '/sub/path/' });
const SAMPLE = join(root, 'public', 'samples', 'cpu_single.pt.trace.json.gz');
const folder = mkdtempSync(join(tmpdir(), 'axonscope-firefox-'));
let passed = 0;
let failed = 0;
const check = async (what, run) => {
  try {
    await run();
    passed++;
    console.log(`  ok      ${what}`);
  } catch (error) {
    failed++;
    console.log(`  FAILED  ${what}: ${error.message}`);
  }
};

const browser = await puppeteer.launch({
  browser: 'firefox',
  executablePath: process.env.AXONSCOPE_FIREFOX ?? '/usr/bin/firefox-esr',
  headless: true,
  extraPrefsFirefox: {
    'app.update.enabled': false,
    'browser.safebrowsing.update.enabled': false,
    'network.captive-portal-service.enabled': false,
    'network.connectivity-service.enabled': false,
  },
});
try {
  const page = await browser.newPage();
  await page.setViewport({ width: 1440, height: 900 });
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.message));
  const idle = () => page.waitForSelector('body[data-idle="true"]', { timeout: 45_000 });

  await check('the page loads', async () => {
    await page.goto(site.url);
    await idle();
  });
  await check('a sample opens', async () => {
    await page.waitForSelector('[data-sample]', { timeout: 15_000 });
    await page.$eval('[data-sample]', (button) => button.click());
    await page.waitForSelector('body[data-profile="kineto"]', { timeout: 45_000 });
    await idle();
  });
  await check('the timeline has ink', async () => {
    await page.waitForSelector('[data-view="timeline"] canvas', { timeout: 15_000 });
    const colours = await page.$$eval('[data-view="timeline"] canvas', (all) => Math.max(...all.map((canvas) => {
      if (!canvas.width || !canvas.height) return 0;
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return new Set(new Uint32Array(data.buffer)).size;
    })));
    if (colours < 8) throw new Error(`${colours} colours`);
  });
  await check('the operators table has rows', async () => {
    await page.$eval('[data-nav="operators"]', (link) => link.click());
    await page.waitForSelector('table[data-table="operators"] tbody tr', { timeout: 15_000 });
    const rows = await page.$$eval('table[data-table="operators"] tbody tr', (all) => all.length);
    if (rows < 3) throw new Error(`${rows} rows`);
  });
  await check('an address of another origin opens, after one question', async () => {
    const far = await farServer({ 'a.pt.trace.json.gz': readFileSync(SAMPLE) });
    try {
      await page.goto(`${site.url}open.html?url=${encodeURIComponent(`${far.url}/ranges/a.pt.trace.json.gz`)}`);
      await page.waitForSelector('dialog.ask .button--primary', { timeout: 15_000 });
      if (far.requests.length > 0) throw new Error('requested before the user agreed');
      await page.$eval('dialog.ask .button--primary', (button) => button.click());
      await page.waitForSelector('body[data-profile="kineto"]', { timeout: 45_000 });
      await idle();
    } finally {
      await far.close();
    }
  });
  await check('one HTML file opens from a disk with no server', async () => {
    const made = await single({ read: (name) => openAsBlob(join(dist, name)), files: [{ path: 'cpu_single.pt.trace.json.gz', blob: await openAsBlob(SAMPLE) }] });
    const file = join(folder, 'single.html');
    writeFileSync(file, Buffer.from(await made.blob.arrayBuffer()));
    const other = await browser.newPage();
    const requests = [];
    other.on('pageerror', (error) => errors.push(error.message));
    other.on('request', (request) => { if (/^https?:/.test(request.url())) requests.push(request.url()); });
    await other.setOfflineMode?.(true).catch(() => { /* not in this version of Firefox: requests are counted all the same */ });
    await other.goto(pathToFileURL(file).href);
    await other.waitForSelector('body[data-profile="kineto"]', { timeout: 45_000 });
    await other.waitForSelector('body[data-idle="true"]', { timeout: 45_000 });
    await other.$eval('[data-nav="operators"]', (link) => link.click());
    await other.waitForSelector('table[data-table="operators"] tbody tr', { timeout: 15_000 });
    if (requests.length > 0) throw new Error(`requests: ${requests.join(', ')}`);
    await other.close();
  });
  await check('nothing went wrong on the way', async () => {
    if (errors.length > 0) throw new Error(errors.join('; '));
  });
} finally {
  await browser.close();
  await site.close();
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
