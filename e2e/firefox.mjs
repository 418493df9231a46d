// A smoke test in Firefox: the page loads, a sample opens, the table has rows, the timeline has ink.
// Prints `N passed, N failed` as its last line.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import puppeteer from 'puppeteer-core';
import { serve } from '../scripts/serve.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const site = await serve(process.env.AXONSCOPE_DIST ?? join(root, 'dist'), { prefix: '/sub/path/' });
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
  await check('nothing went wrong on the way', async () => {
    if (errors.length > 0) throw new Error(errors.join('; '));
  });
} finally {
  await browser.close();
  await site.close();
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
