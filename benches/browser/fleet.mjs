// Frames of the heat map of Fleet in a real Chromium: one JSON line. `node benches/browser/fleet.mjs run.axonrun`, on the page in AXONSCOPE_DIST or dist/.
// `cargo run --profile fast --example make_fleet -- --ranks 10000 --steps 1000 --summary run.axonrun` writes the run of docs/fleet.md.
//   open_s      from the choice of the file to nothing pending
//   metric_s    from the choice of another value of the cells to nothing pending
//   frames_ms   times between frames while the map is zoomed, dragged and pointed at, an input in each frame: p50, p95, worst
//   paint_ms    of them, what computing and drawing the map took: p50, p95, worst
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';
import { options } from '../../scripts/chromium.mjs';
import { serve } from '../../scripts/serve.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const dist = process.env.AXONSCOPE_DIST ?? join(root, 'dist');
const file = process.argv[2];
if (!file) { console.error('Expected a run summary: node benches/browser/fleet.mjs run.axonrun'); process.exit(2); }
const spread = (list) => {
  const sorted = list.slice().sort((a, b) => a - b);
  const at = (q) => Number(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))].toFixed(1));
  return { p50: at(0.5), p95: at(0.95), worst: at(1), n: sorted.length };
};

/** Zooms in on a corner and out again, drags, and reads cells out on the way over the map: one event in each frame. */
async function frames() {
  const map = document.querySelector('[data-fleet-map]');
  const box = map.getBoundingClientRect();
  const deltas = [], paints = [];
  const at = (type, x, y, more = {}) => map.dispatchEvent(new (type === 'wheel' ? WheelEvent : PointerEvent)(type, {
    clientX: box.left + x * box.width, clientY: box.top + y * box.height, pointerId: 1, bubbles: true, cancelable: true, ...more,
  }));
  const next = () => new Promise((done) => requestAnimationFrame(done));
  let last = await next();
  const step = async (act) => {
    act();
    const now = await next();
    deltas.push(now - last);
    paints.push(Number(map.dataset.frameMs));
    last = now;
  };
  for (let i = 0; i < 60; i++) await step(() => at('wheel', 0.3, 0.6, { ctrlKey: true, deltaY: i % 30 < 15 ? -60 : 60 }));
  for (let i = 0; i < 20; i++) await step(() => at('wheel', 0.5, 0.5, { ctrlKey: true, deltaY: -60 }));
  at('pointerdown', 0.5, 0.5);
  for (let i = 0; i < 60; i++) await step(() => at('pointermove', 0.5 + 0.3 * Math.sin(i / 9), 0.5 + 0.3 * Math.cos(i / 9)));
  at('pointerup', 0.1, 0.1);
  for (let i = 0; i < 60; i++) await step(() => at('pointermove', i / 60, 1 - i / 60));
  return { deltas, paints };
}

const site = await serve(dist);
const browser = await chromium.launch(options);
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  const idle = () => page.waitForSelector('body[data-idle="true"]', { timeout: 120_000 });
  await page.goto(site.url);
  await idle();
  let began = Date.now();
  await page.locator('input[type=file]:not([webkitdirectory])').first().setInputFiles(file);
  await page.waitForSelector('[data-fleet-map]', { timeout: 120_000 });
  await page.waitForFunction(() => document.querySelector('[data-fleet-map]')?.dataset.frameMs !== undefined, undefined, { timeout: 120_000 });
  await idle();
  const open_s = (Date.now() - began) / 1000;
  const whole = await page.locator('[data-fleet-map]').getAttribute('data-fleet-map');
  began = Date.now();
  await page.locator('select[data-field="metric"]').selectOption('communication');
  await idle();
  const metric_s = (Date.now() - began) / 1000;
  const { deltas, paints } = await page.evaluate(frames);
  const [, , steps, ranks] = whole.split(',').map(Number);
  console.log(JSON.stringify({ case: 'fleet', ranks, steps, open_s, metric_s, frames_ms: spread(deltas), paint_ms: spread(paints) }));
} finally {
  await browser.close();
  await site.close?.();
}
