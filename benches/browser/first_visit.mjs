// A first visit over a slow line, with a cold cache: when the start page is on screen, when the program is ready, how many bytes were sent.
// `node benches/browser/first_visit.mjs` measures it alone, in dist/ or AXONSCOPE_DIST; BENCH_MBIT=10 and BENCH_LATENCY_MS=40 choose the line.
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';
import { options } from '../../scripts/chromium.mjs';
import { serve } from '../../scripts/serve.mjs';
import { slowLine } from './slow_line.mjs';

const bits_per_s = Number(process.env.BENCH_MBIT ?? '10') * 1e6;
const latency_ms = Number(process.env.BENCH_LATENCY_MS ?? '40');
const median = (list) => list.slice().sort((a, b) => a - b)[(list.length - 1) >> 1];
const seconds = (ms) => Number((ms / 1000).toFixed(3));

/** Times of one visit, in milliseconds from the navigation's start. */
async function visit(launch, url, throttle) {
  const browser = await launch();
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.addInitScript(() => {
      const seen = new MutationObserver(() => {
        if (document.body?.dataset.idle === 'true') { window.axonReady ??= performance.now(); seen.disconnect(); }
      });
      seen.observe(document, { attributes: true, subtree: true, attributeFilter: ['data-idle'] });
    });
    if (throttle) {
      const cdp = await page.context().newCDPSession(page);
      await cdp.send('Network.enable');
      await cdp.send('Network.emulateNetworkConditions', { offline: false, latency: latency_ms, downloadThroughput: bits_per_s / 8, uploadThroughput: bits_per_s / 8 });
    }
    await page.goto(url, { waitUntil: 'commit' });
    await page.waitForFunction(() => window.axonReady !== undefined, null, { timeout: 120_000 });
    return await page.evaluate(() => ({ painted: performance.getEntriesByName('first-contentful-paint')[0].startTime, ready: window.axonReady }));
  } finally {
    await browser.close();
  }
}

/** Medians of `runs` visits: through Chromium's own throttling, which gives the worker a line of its own, and over one line for all of it. */
export async function firstVisit(launch, site, runs = 3) {
  const throttled = [];
  const shared = [];
  const sent = [];
  for (let i = 0; i < runs; i++) {
    throttled.push(await visit(launch, site.url, true));
    const line = await slowLine(site.url, { bits_per_s, latency_ms });
    shared.push(await visit(launch, line.url, false));
    sent.push(line.bytes());
    await line.close();
  }
  const of = (list, key) => seconds(median(list.map((v) => v[key])));
  return {
    case: `first visit, ${bits_per_s / 1e6} Mbit/s, ${latency_ms} ms`,
    painted_s: of(throttled, 'painted'), ready_s: of(throttled, 'ready'),
    shared_painted_s: of(shared, 'painted'), shared_ready_s: of(shared, 'ready'), sent_bytes: median(sent),
  };
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const site = await serve(process.env.AXONSCOPE_DIST ?? join(root, 'dist'));
  const launch = () => chromium.launch(options);
  console.log(JSON.stringify(await firstVisit(launch, site, Number(process.env.BENCH_RUNS ?? '3'))));
  await site.close();
}
