// Frames of a crowded timeline: many tracks, all rows expanded, everything selected, search marks and arrows on, on a large screen.
import { closeSync, openSync, writeSync } from 'node:fs';
import * as inside from './inside.mjs';

/** Writes a trace of `slices` slices on `tracks` threads of ten processes; every hundredth operator starts an arrow to the next thread. */
export function crowdedTrace(file, slices, tracks) {
  const open = openSync(file, 'w');
  let text = '{"schemaVersion": 1, "traceEvents": [\n';
  const put = (record) => {
    text += record;
    if (text.length > 1 << 20) { writeSync(open, text); text = ''; }
  };
  const each = Math.ceil(slices / tracks / 3);
  let n = 0;
  for (let i = 0; i < each; i++) {
    for (let track = 0; track < tracks; track++) {
      const [pid, tid, ts] = [track % 10, 1000 + track, i * 40 + (track * 7) % 23];
      const operator = (name, at, dur) => put(`{"ph": "X", "cat": "cpu_op", "name": "aten::${name}", "pid": ${pid}, "tid": ${tid}, "ts": ${at}, "dur": ${dur}},\n`);
      operator(`op_${(i * 31 + track) % 97}`, ts, 30);
      operator(i % 8 === 0 ? 'mm' : `inner_${track % 13}`, ts + 2, 10);
      operator(`inner_${i % 17}`, ts + 14, 12);
      if ((i * tracks + track) % 100 === 0) {
        const to = (track + 1) % tracks;
        put(`{"ph": "s", "cat": "async_cpu_to_gpu", "name": "ac2g", "id": ${n}, "pid": ${pid}, "tid": ${tid}, "ts": ${ts + 3}},\n`);
        put(`{"ph": "f", "bp": "e", "cat": "async_cpu_to_gpu", "name": "ac2g", "id": ${n++}, "pid": ${to % 10}, "tid": ${1000 + to}, "ts": ${i * 40 + (to * 7) % 23 + 16}},\n`);
      }
    }
  }
  writeSync(open, `${text}{"ph": "M", "name": "process_name", "pid": 0, "args": {"name": "python"}}\n]}\n`);
  closeSync(open);
}

/** Milliseconds between the frames of a zoom and pan over an open profile whose page is large. */
export async function crowdedFrames(page) {
  await page.getByRole('button', { name: 'Expand all' }).click();
  await page.locator('[data-flows-menu]').click();
  await page.locator('[data-flow-mode="window"]').check();
  await page.keyboard.press('Escape');
  await page.locator('input[type=search][aria-label^="Search"]').fill('aten::mm');
  await page.locator('[data-search-count]').filter({ hasText: /\d/ }).waitFor();
  await page.getByRole('button', { name: 'Select', exact: true }).click();
  const canvas = await page.locator('[data-view="timeline"] canvas').evaluateAll((all) => {
    const box = all.sort((a, b) => b.clientWidth * b.clientHeight - a.clientWidth * a.clientHeight)[0].getBoundingClientRect();
    return { left: box.left, right: box.right, y: box.top + box.height / 2 };
  });
  await page.mouse.move(canvas.left + 2, canvas.y);
  await page.mouse.down();
  await page.mouse.move(canvas.right - 2, canvas.y, { steps: 4 });
  await page.mouse.up();
  await page.waitForSelector('body[data-idle="true"]');
  return page.evaluate(inside.frames);
}
