// Several workers of a run: one tab, a panel that selects run, worker and span.
import { join } from 'node:path';
import { dropTree, expect, openProfile, picture, samples, show, start, test } from './support.js';

const sample = join(samples, 'cpu_single.pt.trace.json.gz');

/** A small trace with a rank and a name of its own. */
export function trace(name, rank, world) {
  const events = Array.from({ length: 40 }, (_, i) => ({ ph: 'X', cat: 'cpu_op', name: `${name}_${i % 5}`, pid: 1, tid: 1, ts: i * 100, dur: 60 }));
  const info = rank === undefined ? {} : { distributedInfo: { backend: 'nccl', rank, world_size: world } };
  return JSON.stringify({ schemaVersion: 1, ...info, traceEvents: events });
}

const run = ['w0.100', 'w0.99', 'w1.101', 'w1.200'].map((stem) => ({ path: `logs/resnet/${stem}.pt.trace.json`, bytes: trace(stem) }));

test('the workers of a directory are one tab, with a panel', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, sample);
  await dropTree(page, [...run, { path: 'logs/other/rank-0.json', bytes: trace('other', 0, 2) }]);
  const tabs = page.locator('[role=tab]');
  await expect(tabs).toHaveCount(3);
  await expect(tabs.nth(1)).toContainText('resnet · 2 workers');
  await tabs.nth(1).click();
  await show(page, 'operators');
  const pick = (what) => page.locator(`[data-pick="${what}"]`);
  const rows = page.locator('table[data-table="operators"]');
  await pick('worker').selectOption('w1');
  await pick('span').selectOption('2');
  await expect(rows).toContainText('w1.200_0');
  await pick('worker').selectOption('w0');
  // The view stays, and so does the span: by number, 100 is after 99.
  await expect(rows).toContainText('w0.100_0');
  await expect(pick('span')).toHaveValue('2');
  await pick('span').selectOption('1');
  await expect(rows).toContainText('w0.99_0');
  await picture(page, 'runs-panel');
  await pick('run').selectOption('other');
  await expect(rows).toContainText('other_0');
  await expect(tabs.nth(2)).toHaveAttribute('aria-selected', 'true');
  await tabs.nth(1).click();
  await page.getByRole('button', { name: 'Close resnet · 2 workers' }).click();
  await expect(tabs).toHaveCount(2);
  await expect(tabs.nth(0)).toContainText('cpu_single');
});

test('two files of one worker are both kept, with a sentence', async ({ page, site }) => {
  await start(page, site);
  await dropTree(page, [0, 1].map((i) => ({ path: `r/part${i}.json`, bytes: trace(`part${i}`, 0, 2) })));
  await expect(page.locator('.notices')).toContainText('worker rank 0');
  await expect(page.locator('[data-pick="worker"] option')).toHaveText(['rank 0', 'rank 0 (2)']);
});

test('a lone file is a plain tab without a panel', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, { name: 'rank0_trace.json', mimeType: 'application/json', buffer: Buffer.from(trace('x', 0, 8)) });
  await expect(page.locator('[role=tab]')).toContainText('rank0_trace.json');
  await expect(page.locator('[data-runs]')).toHaveCount(0);
});
