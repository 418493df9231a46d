// Makes the pictures of README.md and docs/ from the shipped samples: node scripts/pictures.mjs [FOLDER OF THE BUILT SITE]
// Run it when the look has changed, and look at what it made.
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';
import { options } from './chromium.mjs';
import { serve } from './serve.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = join(root, 'docs', 'pictures');
// Small enough for a page of docs, large enough for every column.
const viewport = { width: 1280, height: 800 };

const idle = (page) => page.waitForSelector('body[data-idle="true"]', { timeout: 60_000 });
const open = async (page, sample) => {
  // Without its guided reading.
  await page.evaluate((name) => localStorage.setItem('axonscope.guide', JSON.stringify([name])), sample);
  await page.locator(`[data-sample="${sample}"]`).click();
  await page.waitForSelector('body[data-profile]');
  await idle(page);
};
const show = async (page, view) => {
  await page.locator(`[data-nav="${view}"]`).first().click();
  await page.waitForSelector(`[data-view="${view}"]`);
  await idle(page);
};

/** Selects a long slice: a click on the widest run of one colour in the upper lanes. */
async function selectSlice(page) {
  const at = await page.evaluate(() => {
    const canvas = [...document.querySelectorAll('[data-view="timeline"] canvas')].sort((a, b) => b.clientWidth * b.clientHeight - a.clientWidth * a.clientHeight)[0];
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const colour = (x, y) => { const i = (y * canvas.width + x) * 4; return (data[i] << 16) | (data[i + 1] << 8) | data[i + 2]; };
    const saturation = (c) => { const parts = [c >> 16, (c >> 8) & 255, c & 255]; return Math.max(...parts) - Math.min(...parts); };
    let best = { run: 0 };
    for (let y = Math.floor(canvas.height * 0.1); y < canvas.height * 0.5; y += 4) {
      for (let x = Math.floor(canvas.width * 0.25), from = x; x < canvas.width * 0.9; x++) {
        if (colour(x, y) !== colour(from, y)) from = x;
        if (saturation(colour(x, y)) > 40 && x - from > best.run) best = { run: x - from, x: (x + from) / 2, y };
      }
    }
    const box = canvas.getBoundingClientRect();
    return best.run > 0 ? { x: box.left + best.x * box.width / canvas.width, y: box.top + best.y * box.height / canvas.height } : null;
  });
  if (at === null) throw new Error('the timeline shows no slice');
  await page.mouse.click(at.x, at.y);
  await page.mouse.move(5, 5);
  await idle(page);
}

const pictures = {
  start: async () => {},
  'pytorch-overview': async (page) => { await open(page, 'cpu_single.pt.trace.json.gz'); await show(page, 'overview'); },
  'neuron-timeline': async (page) => { await open(page, 'synthetic-neuron.json'); await show(page, 'timeline'); await selectSlice(page); },
};

mkdirSync(out, { recursive: true });
const site = await serve(process.argv[2] ?? process.env.AXONSCOPE_DIST ?? join(root, 'dist'));
const browser = await chromium.launch(options);
for (const colorScheme of ['light', 'dark']) {
  for (const [name, prepare] of Object.entries(pictures)) {
    const page = await browser.newPage({ viewport, colorScheme, reducedMotion: 'reduce' });
    await page.goto(site.url);
    await idle(page);
    await prepare(page);
    const path = join(out, `${name}-${colorScheme}.png`);
    await page.screenshot({ path });
    console.log(`${path.slice(root.length)}  ${Math.round(statSync(path).size / 1024)} KB`);
    await page.close();
  }
}
await browser.close();
await site.close();
