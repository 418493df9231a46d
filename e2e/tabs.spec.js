// Several profiles side by side; what goes wrong with one leaves the others.
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readFileSync } from 'node:fs';
import { dropFiles, expect, ink, lanes, neuron, openProfile, samples, settled, show, start, test } from './support.js';

const sample = join(samples, 'cpu_single.pt.trace.json.gz');

test('two profiles open as tabs, and each comes back as it was', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, sample);
  await openProfile(page, neuron('fused_attention', 'fused_exec_2.ntff'));
  const tabs = page.locator('[role=tab]');
  await expect(tabs).toHaveCount(2);
  await expect(page.locator('body')).toHaveAttribute('data-profile', 'ntff');
  await tabs.nth(0).click();
  await expect(page.locator('body')).toHaveAttribute('data-profile', 'kineto');
  await show(page, 'timeline');
  expect((await ink(await lanes(page))).colours).toBeGreaterThan(8);
});

test('the tab in front is in sight, however many there are', async ({ page, site }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await start(page, site);
  await openProfile(page, sample);
  await openProfile(page, neuron('fused_attention', 'fused_exec_2.ntff'));
  await openProfile(page, neuron('fused_attention', 'fused_exec_2_profile_full.json'));
  const inSight = (n) => page.locator('[role=tab]').nth(n).evaluate((tab) => {
    const [own, around] = [tab.getBoundingClientRect(), tab.closest('.tabs').getBoundingClientRect()];
    return own.left >= around.left - 1 && own.right <= around.right + 1;
  });
  await expect.poll(() => inSight(2)).toBe(true);
  expect(await inSight(0)).toBe(false);
});

test('a view that is left frees the pixels of its pictures', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, sample);
  const widths = (pictures) => pictures.evaluate((all) => all.map((canvas) => canvas.width));
  // First those of the timeline, then those of charts.
  for (const leave of [() => show(page, 'operators'), () => settled(page, () => page.locator('.tabs__close').click())]) {
    const pictures = await page.evaluateHandle(() => [...document.querySelectorAll('canvas')]);
    expect(Math.min(...await widths(pictures))).toBeGreaterThan(0);
    await leave();
    expect(Math.max(...await widths(pictures))).toBe(0);
  }
});

test('the same content twice is one tab', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, sample);
  await openProfile(page, sample);
  await expect(page.locator('[role=tab]')).toHaveCount(1);
});

test('two profiles in one drop are two tabs', async ({ page, site }) => {
  await start(page, site);
  await dropFiles(page, sample, join(samples, 'gloo_ddp_rank0.pt.trace.json.gz'));
  await expect(page.locator('[role=tab]')).toHaveCount(2);
});

test('a closed tab is gone, and the last one leads back to the start page', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, sample);
  await page.getByRole('button', { name: /close/i }).first().click();
  await expect(page.locator('[role=tab]')).toHaveCount(0);
  await expect(page.locator('[data-view="start"]')).toBeVisible();
});

const truth = readFileSync(sample);
const bad = [
  ['an empty file', { name: 'empty.json', bytes: Buffer.alloc(0) }],
  ['one byte', { name: 'one.json', bytes: Buffer.from('{') }],
  ['a picture', { name: 'picture.png', bytes: Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex') }],
  ['a web page', { name: 'page.html', bytes: Buffer.from('<!DOCTYPE html><html><body>hello</body></html>') }],
  ['a JSON that is no profile', { name: 'package.json', bytes: Buffer.from('{"name": "x", "version": 1}') }],
  ['a truncated gzip', { name: 'cut.json.gz', bytes: gzipSync('{"hello": "world", "list": [1, 2, 3]}').subarray(0, 20) }],
];
for (const [what, file] of bad) {
  test(`${what} gets a sentence, and what was open stays open`, async ({ page, site }) => {
    await start(page, site);
    await openProfile(page, sample);
    await dropFiles(page, file);
    const alert = page.locator('[role=alert]').first();
    await expect(alert).toContainText(file.name);
    const text = await alert.innerText();
    expect(text.length).toBeGreaterThan(30);
    expect(text).not.toMatch(/undefined|NaN|panicked|Error\(|Some\(/);
    await expect(page.locator('body')).toHaveAttribute('data-profile', 'kineto');
    await expect(page.locator('[role=tab]')).toHaveCount(1);
  });
}

test('the sentence about a refused file goes when another file is given', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, sample);
  const alerts = page.locator('[role=alert]');
  await dropFiles(page, { name: 'first.json', bytes: Buffer.from('{"name": 1}') });
  await expect(alerts).toHaveCount(1);
  await dropFiles(page, { name: 'second.json', bytes: Buffer.from('{"name": 2}') });
  await expect(alerts).toHaveCount(1);
  await expect(alerts).toContainText('second.json');
  await expect(page.locator('body')).toHaveAttribute('data-profile', 'kineto');
  await dropFiles(page, join(samples, 'gloo_ddp_rank0.pt.trace.json.gz'));
  await expect(alerts).toHaveCount(0);
  await expect(page.locator('[role=tab]')).toHaveCount(2);
});

test('a trace cut in the middle opens with what was read, and says so', async ({ page, site }) => {
  const { gunzipSync } = await import('node:zlib');
  const text = gunzipSync(truth);
  await start(page, site);
  await dropFiles(page, { name: 'cut.pt.trace.json', bytes: text.subarray(0, Math.floor(text.length / 2)) });
  await expect(page.locator('body')).toHaveAttribute('data-profile', 'kineto');
  await show(page, 'ledger');
  await expect(page.locator('[data-view="ledger"]')).toContainText(/truncat|ends|cut/i);
});

test('a truncated NTFF gets a sentence', async ({ page, site }) => {
  await start(page, site);
  const bytes = readFileSync(neuron('fused_attention', 'fused_exec_2.ntff')).subarray(0, 3000);
  await dropFiles(page, { name: 'cut.ntff', bytes });
  await expect(page.locator('[role=alert]').first()).toContainText('cut.ntff');
});

test('names that hold HTML are shown as text', async ({ page, site }) => {
  const name = '<img src=x onerror="window.axonHacked=1"><script>window.axonHacked=1</script>';
  const trace = { traceEvents: [1, 2, 3].map((i) => ({ ph: 'X', name, cat: 'cpu_op', pid: name, tid: name, ts: i * 10, dur: 5, args: { [name]: name } })) };
  await start(page, site);
  await dropFiles(page, { name: '<b>x.json', bytes: Buffer.from(JSON.stringify(trace)) });
  await show(page, 'operators');
  await expect(page.locator('table[data-table="operators"]')).toContainText('<img src=x');
  expect(await page.evaluate(() => window.axonHacked)).toBeUndefined();
});

test('an import can be cancelled', async ({ page, site }) => {
  // Large enough that the page is still reading when the button is pressed.
  const event = (i) => `{"ph":"X","cat":"cpu_op","name":"op${i % 97}","pid":1,"tid":1,"ts":${i * 10},"dur":8,"args":{"x":"${'y'.repeat(120)}"}}`;
  const parts = Array.from({ length: 400_000 }, (_, i) => event(i));
  const { mkdtempSync, writeFileSync, rmSync } = await import('node:fs');
  const { tmpdir } = await import('node:os');
  const folder = mkdtempSync(join(tmpdir(), 'axonscope-'));
  const file = join(folder, 'large.json');
  writeFileSync(file, `{"traceEvents":[${parts.join(',')}]}`);
  try {
    await start(page, site);
    await page.locator('input[type=file]:not([webkitdirectory])').first().setInputFiles(file);
    await page.getByRole('button', { name: /cancel/i }).first().click();
    await page.waitForSelector('body[data-idle="true"]');
    await expect(page.locator('[role=tab]')).toHaveCount(0);
    await openProfile(page, sample);
    await expect(page.locator('body')).toHaveAttribute('data-profile', 'kineto');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
