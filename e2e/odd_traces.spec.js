// Traces that lack what views are about: every view that is offered says what it can and what it cannot; none is blank.
import { dropFiles, expect, faults, idle, start, test } from './support.js';

const op = (name, ts, dur, more = {}) => ({ ph: 'X', cat: 'cpu_op', name, pid: 1, tid: 1, ts, dur, args: { 'External id': ts + 1 }, ...more });
const step = (n, ts, dur) => ({ ph: 'X', cat: 'user_annotation', name: `ProfilerStep#${n}`, pid: 1, tid: 1, ts, dur });
const launch = (ts, correlation) => ({ ph: 'X', cat: 'cuda_runtime', name: 'cudaLaunchKernel', pid: 1, tid: 1, ts, dur: 2, args: { correlation } });
const kernel = (ts, dur, correlation, device = 0) => ({
  ph: 'X', cat: 'kernel', name: `gemm_${correlation % 3}`, pid: device, tid: 7, ts, dur, args: { device, stream: 7, correlation, 'External id': 1, grid: [8, 1, 1], block: [64, 1, 1] },
});
const ops = Array.from({ length: 30 }, (_, i) => op(`aten::op${i % 5}`, i * 100, 60));
const work = (device) => ops.flatMap((o, i) => [o, launch(o.ts + 5, i + 1), kernel(o.ts + 20, 50, i + 1, device)]);
const text = (events, more = {}) => JSON.stringify({ schemaVersion: 1, ...more, traceEvents: events });

const file = ['sql', 'profile', 'ledger'];
const host = ['timeline', 'overview', 'search', 'operators', 'modules'];
const device = [...host.slice(0, -1), 'kernels', 'modules'];
/** The same of a trace with steps. */
const stepped = (views) => views.flatMap((view) => (view === 'overview' ? [view, 'steps'] : [view]));

/** What is odd, the files, the views offered, and where something must be said. */
const cases = [
  ['no operators', { 'trace.json': text([launch(0, 1), launch(50, 2), kernel(10, 30, 1), kernel(60, 30, 2)]) }, [...device, ...file], { kernels: 'gemm_1' }],
  ['no kernels', { 'trace.json': text([step(1, 0, 3000), ...ops]) }, [...stepped(host), ...file], { operators: 'aten::op0' }],
  ['no steps', { 'trace.json': text(work(0)) }, [...device, ...file], { overview: 'step' }],
  ['one event', { 'trace.json': text([op('aten::one', 5, 7)]) }, [...host, ...file], { operators: 'aten::one' }],
  ['a GPU of id 200', { 'trace.json': text([step(1, 0, 3000), ...work(200)]) }, [...stepped(device), ...file], { overview: 'GPU 200' }],
  ['steps that overlap', { 'trace.json': text([step(1, 0, 2000), step(2, 1500, 1500), ...work(0)]) }, [...stepped(device), ...file], { overview: 'GPU 0' }],
  ['kernels before any launch', { 'trace.json': text([kernel(0, 30, 90), kernel(40, 30, 91), ...work(0).map((e) => ({ ...e, ts: e.ts + 200 }))]) }, [...device, ...file], { overview: '2 kernels have no launch event' }],
  ['events without duration, category, or with a thread of words', {
    'trace.json': text([...ops, { ph: 'X', cat: 'cpu_op', name: 'endless', pid: 1, tid: 1, ts: 9 }, { ph: 'X', name: 'uncalled', pid: 1, tid: 'main', ts: 40, dur: 5 }]),
  }, [...host, ...file], { ledger: 'duration' }],
  ['two ranks of four, of different lengths', {
    'rank0.json': text([step(1, 0, 3000), ...work(0)], { distributedInfo: { backend: 'nccl', rank: 0, world_size: 4 } }),
    'rank3.json': text([step(1, 0, 900), ...work(0).filter((e) => e.ts < 800)], { distributedInfo: { backend: 'nccl', rank: 3, world_size: 4 } }),
  }, [...stepped(device), 'distributed', 'diff', 'variants', ...file], { distributed: '2 of 4 ranks' }],
];

for (const [what, files, views, said] of cases) {
  test(`${what}: no view is blank`, async ({ page, site }) => {
    await start(page, site);
    await dropFiles(page, ...Object.entries(files).map(([name, bytes]) => ({ name, bytes })));
    await expect(page.locator('[role=alert]')).toHaveCount(0);
    const offered = await page.locator('[data-nav]').evaluateAll((all) => all.map((item) => item.dataset.nav));
    expect(offered).toEqual(views);
    const found = [];
    for (const view of offered) {
      await page.locator(`[data-nav="${view}"]`).click();
      const root = page.locator(`[data-view="${view}"]`);
      await expect(root).toBeVisible();
      await idle(page);
      found.push(...(await faults(page, view)).map((fault) => `${view}: ${fault}`));
      if (said[view]) await expect(root).toContainText(said[view]);
      await expect(page.locator('[role=alert]')).toHaveCount(0);
    }
    expect(found).toEqual([]);
  });
}
