// Memory snapshots: figures on screen against the truth files, and real clicks, drags and keys on the picture.
import { readFileSync } from 'node:fs';
import { conformance, dropFiles, expect, idle, openProfile, settled, start, test } from './support.js';

const file = (name) => conformance('memory', `${name}.pickle`);
const truth = (name) => JSON.parse(readFileSync(conformance('memory', `${name}.truth.json`))).devices[0];
const gib = (bytes) => `${(bytes / 1024 ** 3).toFixed(2)} GiB`;
const rows = (page, id) => page.locator(`table[data-table="${id}"] tbody tr[data-row]`);

async function ends(canvas) {
  const [from, to] = (await canvas.getAttribute('data-window')).split('-').map(Number);
  return { from, to, span: to - from };
}

test('a snapshot opens with its peak by frame, its allocations with stacks, and its segments', async ({ page, site }) => {
  const want = truth('training');
  await start(page, site);
  await openProfile(page, file('training'));
  const view = page.locator('[data-view="snapshot"]');
  await expect(view.locator('[data-peak]')).toContainText(`Peak ${gib(want.peak)} of ${gib(want.reserved)} reserved`);
  await expect(view.locator('[data-moment]')).toContainText(`in ${want.live_blocks_at_peak} allocations after event 9`);
  const live = rows(page, 'snapshot-live');
  await expect(live.first()).toBeVisible();
  const frame = want.live_at_peak_by_python_frame.find((g) => g.frame.endsWith(':73:step'));
  await expect(live.filter({ hasText: ':73:step' })).toContainText(gib(frame.bytes));
  await expect(live.filter({ hasText: ':73:step' })).toContainText(String(frame.blocks));
  // The stack of an allocation.
  await rows(page, 'snapshot-allocations').filter({ hasText: 'optimizer.py' }).first().click({ position: { x: 300, y: 12 } });
  await expect(view.locator('[data-piece] [data-frames] li').filter({ hasText: 'optimizer.py' }).first()).toBeVisible();
  await expect(view.locator('[data-piece]')).toContainText('Address');
  await expect(view.locator('[data-fragmentation]')).toContainText(`${want.segments} segments`);
  await expect(rows(page, 'snapshot-segment-rows').first()).toBeVisible();
  // Another moment, another grouping.
  await view.locator('[data-go="last"]').click();
  await idle(page);
  await expect(view.locator('[data-moment]')).toContainText(gib(want.live_after_last_event));
  await view.locator('[data-field="group"]').selectOption('stack');
  await idle(page);
  await expect(live.filter({ hasText: '<' }).first()).toBeVisible();
  expect(page.url()).toContain('snapshot');
});

test('the picture zooms, pans, chooses and reads out, by pointer and by keys', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, file('from_empty'));
  const canvas = page.locator('[data-chart="snapshot-history"] canvas');
  await expect(canvas).toHaveAttribute('data-bands', /^[1-9]/);
  const all = await ends(canvas);
  expect(all).toEqual({ from: 0, to: 97, span: 97 });
  const box = await canvas.boundingBox();
  await page.mouse.move(box.x + box.width * 0.75, box.y + box.height - 40);
  await expect(page.locator('.readout')).toContainText('allocation');
  await expect(page.locator('.readout')).toContainText('0x');
  await page.mouse.down();
  await page.mouse.up();
  await idle(page);
  await expect(page.locator('[data-piece] [data-frames] li').first()).toBeVisible();
  const state = Number(await canvas.getAttribute('data-cursor'));
  await canvas.focus();
  await page.keyboard.press('ArrowRight');
  await expect(canvas).toHaveAttribute('data-cursor', String(state + 1));
  await page.keyboard.press('w');
  await page.keyboard.press('w');
  const near = await ends(canvas);
  expect(near.span).toBeLessThan(all.span / 2);
  await page.keyboard.press('d');
  const moved = await ends(canvas);
  expect(moved.from).toBeGreaterThan(near.from);
  await page.mouse.move(box.x + 300, box.y + 100);
  await page.mouse.down();
  await page.mouse.move(box.x + 500, box.y + 100, { steps: 4 });
  await page.mouse.up();
  expect((await ends(canvas)).from).toBeLessThan(moved.from);
  await page.keyboard.press('f');
  expect(await ends(canvas)).toEqual(all);
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -300);
  await page.keyboard.up('Control');
  expect((await ends(canvas)).span).toBeLessThan(all.span);
  const chart = page.locator('[data-chart="snapshot-history"]');
  const [download] = await Promise.all([page.waitForEvent('download'), chart.getByRole('button', { name: 'SVG' }).click()]);
  const svg = readFileSync(await download.path(), 'utf8');
  expect(svg).toContain('Allocated memory');
  expect(svg.match(/<path fill=/g).length).toBeGreaterThan(4);
  await page.locator('[data-field="axis"]').selectOption('time');
  await idle(page);
  expect((await ends(canvas)).span).toBe(970_162_000);
});

// Two hundred thousand events: opcodes as Python writes them, the texts once in the memo.
function long(n) {
  const text = (t) => Buffer.concat([Buffer.from([0x8c, t.length]), Buffer.from(t), Buffer.from([0x94])]);
  const parts = [Buffer.from([0x80, 4, 0x7d, 0x94, 0x28])];
  for (const word of ['action', 'addr', 'size', 'time_us', 'alloc', 'free_completed']) parts.push(text(word), Buffer.from('0'));
  parts.push(text('segments'), Buffer.from([0x5d, 0x94]), text('device_traces'), Buffer.from([0x5d, 0x94, 0x5d, 0x94, 0x28]));
  for (let k = 0; k < n; k += 1) {
    const isFree = k > 400 && k % 2 === 1;
    const event = Buffer.from([0x7d, 0x94, 0x28, 0x68, 1, 0x68, isFree ? 6 : 5, 0x68, 2, 0x4a, 0, 0, 0, 0, 0x68, 3, 0x4a, 0, 0, 0, 0, 0x68, 4, 0x4a, 0, 0, 0, 0, 0x75]);
    event.writeInt32LE(isFree ? k - 399 : k, 10);
    // Some are large enough to be drawn by themselves, the others are summed by frame.
    event.writeInt32LE(1024 * (1 + (k * 7919) % 5000) * (k % 64 === 0 ? 16 : 1), 17);
    event.writeInt32LE(k, 24);
    parts.push(event);
    if (k % 1000 === 999) parts.push(Buffer.from([0x65, 0x28]));
  }
  parts.push(Buffer.from([0x65, 0x61, 0x75, 0x2e]));
  return Buffer.concat(parts);
}

test('a long history draws a bounded number of bands at every zoom', async ({ page, site }) => {
  await start(page, site);
  await dropFiles(page, { name: 'long.pickle', bytes: long(200_000) });
  const canvas = page.locator('[data-chart="snapshot-history"] canvas');
  await expect(canvas).toHaveAttribute('data-bands', /^[1-9]/);
  await canvas.focus();
  const times = [];
  for (const key of [...'wwwwdddaasswwww']) {
    const before = await page.evaluate(() => performance.now());
    await page.keyboard.press(key);
    await idle(page);
    times.push(await page.evaluate((t) => performance.now() - t, before));
    expect(Number(await canvas.getAttribute('data-bands'))).toBeLessThanOrEqual(22_000);
  }
  console.log(`zoom and pan of 200,000 events: ${times.map((t) => Math.round(t)).join(', ')} ms to the new picture`);
  await expect(page.locator('[data-peak]')).toContainText('200 000 events'.replace(' ', '\u202f'));
});

// The 1 M and 10 M events of the requirement are made in the browser: Node need not hold them, nor the protocol carry them.
const dropLong = (page, n) => page.evaluate(async ([count, source]) => {
  const texts = (t) => [0x8c, t.length, ...new TextEncoder().encode(t), 0x94];
  const head = [0x80, 4, 0x7d, 0x94, 0x28];
  for (const word of ['action', 'addr', 'size', 'time_us', 'alloc', 'free_completed']) head.push(...texts(word), 0x30);
  head.push(...texts('segments'), 0x5d, 0x94, ...texts('device_traces'), 0x5d, 0x94, 0x5d, 0x94, 0x28);
  const parts = [Uint8Array.from(head)];
  const event = [0x7d, 0x94, 0x28, 0x68, 1, 0x68, 5, 0x68, 2, 0x4a, 0, 0, 0, 0, 0x68, 3, 0x4a, 0, 0, 0, 0, 0x68, 4, 0x4a, 0, 0, 0, 0, 0x75];
  for (let from = 0; from < count; from += 100_000) {
    const end = Math.min(count, from + 100_000);
    const bytes = new Uint8Array((end - from) * event.length + Math.floor((end - from) / 1000) * 2);
    const view = new DataView(bytes.buffer);
    let at = 0;
    for (let k = from; k < end; k += 1) {
      bytes.set(event, at);
      const isFree = k > 400 && k % 2 === 1;
      if (isFree) bytes[at + 6] = 6;
      view.setInt32(at + 10, isFree ? k - 399 : k, true);
      view.setInt32(at + 17, 1024 * (1 + (k * 7919) % 5000) * (k % 64 === 0 ? 16 : 1), true);
      view.setInt32(at + 24, k, true);
      at += event.length;
      if (k % 1000 === 999) { bytes[at] = 0x65; bytes[at + 1] = 0x28; at += 2; }
    }
    parts.push(bytes.subarray(0, at));
  }
  parts.push(Uint8Array.from([0x65, 0x61, 0x75, 0x2e]));
  const data = new DataTransfer();
  data.items.add(new File(parts, source));
  document.body.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: data }));
}, [n, `${n}.pickle`]);

test('a million events are zoomed and moved at the rate of the screen', async ({ page, site }) => {
  test.setTimeout(240_000);
  await start(page, site);
  await settled(page, () => dropLong(page, 1_000_000));
  const canvas = page.locator('[data-chart="snapshot-history"] canvas');
  await expect(canvas).toHaveAttribute('data-bands', /^[1-9]/, { timeout: 120_000 });
  await canvas.focus();
  // While keys are held, every frame is painted: what is between two frames is measured, the longest are the machine's.
  const drive = () => page.evaluate(async () => {
    const element = document.querySelector('[data-chart="snapshot-history"] canvas');
    const times = [];
    const keys = [...'wwwwwwddddddaaaassssss'];
    let last = performance.now();
    for (let i = 0; i < 120; i += 1) {
      if (i % 4 === 0) element.dispatchEvent(new KeyboardEvent('keydown', { key: keys[(i / 4) % keys.length], bubbles: true }));
      await new Promise(requestAnimationFrame);
      const now = performance.now();
      times.push(now - last);
      last = now;
    }
    times.sort((a, b) => a - b);
    return { median: times[60], p95: times[114], worst: times.at(-1) };
  });
  // A busy machine shows no page at its rate, so one calm round of three is enough. A slow page is slow in all of them.
  const rounds = [];
  do {
    rounds.push(await drive());
    const { median, p95, worst } = rounds.at(-1);
    console.log(`1,000,000 events: frames of ${median.toFixed(1)} ms in the median, ${p95.toFixed(1)} ms at p95, worst ${worst.toFixed(1)} ms`);
    // Two frames at p95: other programs of the machine take one now and then.
  } while (rounds.length < 3 && !(rounds.at(-1).median < 17.5 && rounds.at(-1).p95 < 34));
  expect(rounds.at(-1).median).toBeLessThan(17.5);
  expect(rounds.at(-1).p95).toBeLessThan(34);
});

test('ten million events open', async ({ page, site }) => {
  test.setTimeout(420_000);
  await start(page, site);
  const began = Date.now();
  await dropLong(page, 10_000_000);
  const canvas = page.locator('[data-chart="snapshot-history"] canvas');
  await expect(canvas).toHaveAttribute('data-bands', /^[1-9]/, { timeout: 360_000 });
  console.log(`10,000,000 events (290 MB) on screen after ${((Date.now() - began) / 1000).toFixed(1)} s`);
  await expect(page.locator('[data-peak]')).toContainText('10\u202f000\u202f000 events');
  await canvas.focus();
  const before = await canvas.getAttribute('data-window');
  await page.keyboard.press('w');
  await expect(canvas).not.toHaveAttribute('data-window', before);
});

test('a pickle with code is refused, a cut one shows what is there, and nothing open is lost', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, file('from_empty'));
  await dropFiles(page, { name: 'code.pickle', bytes: Buffer.concat([Buffer.from([0x80, 4]), Buffer.from('cos\nsystem\n(S\'ls\'\ntR.')]) });
  await expect(page.locator('[role=alert]')).toContainText('found the instruction GLOBAL at byte 2, which loads or calls code. Nothing of the file was run.');
  await expect(page.locator('[data-view="snapshot"]')).toBeVisible();
  const whole = readFileSync(file('inference'));
  await dropFiles(page, { name: 'cut.pickle', bytes: whole.subarray(0, Math.floor(whole.length * 0.7)) });
  await expect(page.locator('[data-view="snapshot"] [data-peak]')).toContainText('Peak');
  await page.locator('[data-nav="ledger"]').click();
  await expect(page.locator('[data-view="ledger"]')).toContainText('The file ends inside the snapshot');
});
