// A run of many ranks: findings, heat map, tables.
import { join } from 'node:path';
import { cells, dropFiles, expect, idle, openProfile, picture, root, start, test } from './support.js';

const run = join(root, 'tests', 'fixtures', 'axonrun', '32_ranks_4_faults.axonrun');
const base = join(root, 'tests', 'fixtures', 'axonrun', '32_ranks_no_faults.axonrun');

test('a run summary names what is wrong, and a cell names its trace', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, run);
  await expect(page.locator('body')).toHaveAttribute('data-profile', 'axonrun');
  const view = page.locator('[data-view="fleet"]');
  await expect(view.locator('h1')).toHaveText('Fleet');
  for (const subject of ['rank 13', 'group tp2', 'host node3', 'rank 6']) {
    await expect(view.locator(`[data-finding="${subject}"]`)).toBeVisible();
  }
  await expect(view.locator('[data-finding]')).toHaveCount(4);
  const map = view.locator('[data-fleet-map]');
  await expect(map).toHaveAttribute('data-fleet-map', '0,0,4,32');
  const metric = view.locator('select[data-field="metric"]');
  await expect(metric, 'the costliest finding is about waiting for data').toHaveValue('data-loader');
  await view.locator('[data-finding="rank 13"]').getByRole('button', { name: 'Map' }).click();
  await expect(metric).toHaveValue('kernel');
  await idle(page);
  await map.focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  await expect(view.locator('[data-fleet-cell]')).toContainText('Rank 1 on node0, step 11');
  await expect(view.locator('[data-fleet-cell]')).toContainText('node0_1001.rank1.pt.trace.json');
  await page.keyboard.press('+');
  await expect(map).toHaveAttribute('data-fleet-map', '1,8,2,16');
  await view.getByRole('button', { name: 'Fit all' }).click();
  await expect(map).toHaveAttribute('data-fleet-map', '0,0,4,32');
  await metric.selectOption('data-loader');
  await view.locator('select[data-field="order"]').selectOption('value');
  await idle(page);
  const box = await map.boundingBox();
  await page.mouse.move(box.x + 5, box.y + 5);
  await expect(view.locator('[data-fleet-cell]')).toContainText('on node3');
  await expect(page).toHaveURL(/s\.fleet\.metric=data-loader/);
  expect((await cells(page, 'fleet-hosts', 'name')).length).toBe(4);
  expect((await cells(page, 'fleet-kernels', 'n'))[0]).toBe('32');
  await picture(page, 'fleet');
});

for (const [ranks, subjects] of [[8, ['rank 5', 'group tp2', 'host node3', 'rank 1']], [512, ['rank 137', 'group tp77', 'host node41', 'rank 290']]]) {
  test(`every planted fault of ${ranks} ranks is named and nothing else`, async ({ page, site }) => {
    await start(page, site);
    await openProfile(page, join(root, 'tests', 'fixtures', 'axonrun', `${ranks}_ranks_4_faults.axonrun`));
    const view = page.locator('[data-view="fleet"]');
    await expect(view.locator('[data-finding]')).toHaveCount(4);
    for (const subject of subjects) await expect(view.locator(`[data-finding="${subject}"]`)).toBeVisible();
    await expect(view.locator('[data-fleet-map]')).toHaveAttribute('data-fleet-map', `0,0,4,${ranks}`);
    await picture(page, `fleet-${ranks}`);
  });
}

test('a run is compared with another open one', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, base);
  const view = page.locator('[data-view="fleet"]');
  await expect(view.locator('[data-finding]')).toHaveCount(0);
  await expect(view.locator('[data-fleet-compare]')).toHaveCount(0);
  await openProfile(page, run);
  await expect(page.locator('[role=tab]')).toHaveCount(2);
  const part = view.locator('[data-fleet-compare]');
  await part.locator('[data-field="base"]').selectOption({ index: 1 });
  await idle(page);
  await expect(part.locator('[data-change="New"]')).toHaveCount(4);
  await expect(part.locator('[data-change="Gone"]')).toHaveCount(0);
  // The rank with the slow device and the host that waits for data changed most; every rank is in both.
  const ranks = await cells(page, 'fleet-change-ranks', 'rank');
  expect(ranks.length).toBeGreaterThan(8);
  expect(await cells(page, 'fleet-change-steps', 'name')).toEqual(expect.arrayContaining(['Mean step', 'Kernel', 'DataLoader', 'Device idle']));
  await picture(page, 'fleet-compared');
  // The choice is part of the address.
  await expect(page).toHaveURL(/s\.fleet\.base=/);
  await part.locator('[data-field="base"]').selectOption('');
  await expect(part.locator('[data-change]')).toHaveCount(0);
});

// Rank 1 with a step of the run: known by the name of its file.
const RANK_1 = 'node0_1001.rank1.pt.trace.json';
const trace = (rank) => {
  const event = (name, cat, ts, dur) => ({ ph: 'X', cat, name, pid: 1001, tid: 1001, ts, dur, args: { 'External id': 1 } });
  const steps = [10, 11, 12].map((step, at) => event(`ProfilerStep#${step}`, 'user_annotation', 1000 + at * 100, 90));
  const work = [0, 1, 2].map((at) => event('aten::mm', 'cpu_op', 1010 + at * 100, 40));
  return JSON.stringify({ schemaVersion: 1, distributedInfo: { backend: 'nccl', rank, world_size: 32 }, traceEvents: [...steps, ...work] });
};

test('a cell names the trace, and its file opens at that step', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, run);
  const view = page.locator('[data-view="fleet"]');
  const map = view.locator('[data-fleet-map]');
  await expect(map).toHaveAttribute('data-fleet-map', '0,0,4,32');
  const box = await map.boundingBox();
  // Row 1 of 32, column 1 of 4.
  await page.mouse.click(box.x + box.width * 0.375, box.y + box.height * (1.5 / 32));
  const chosen = view.locator('[data-fleet-chosen]');
  await expect(chosen).toContainText('Rank 1 on node0, step 11');
  await expect(chosen).toContainText(RANK_1);
  await expect(view.locator('[data-fleet-mark]')).toBeVisible();
  await picture(page, 'fleet-chosen');
  await dropFiles(page, { name: RANK_1, bytes: Buffer.from(trace(1)) });
  await expect(page.locator('[role=tab]')).toHaveCount(2);
  await expect(page.locator('[data-view="timeline"]')).toBeVisible();
  // Step 11 is the selected range: 90 µs from 0.1 ms after the start of the trace.
  await expect(page).toHaveURL(/range=100000-190000/);
  await idle(page);
  // From the summary to the tab that is open.
  await page.locator('[role=tab]').first().click();
  await view.locator('[data-table="fleet-stragglers"] tbody tr').first().click();
  await expect(chosen).toContainText(/Rank \d+ on node\d, step 1\d/);
  await map.focus();
  await map.press('ArrowDown');
  await map.press('ArrowRight');
  await map.press('ArrowRight');
  await map.press('Enter');
  await expect(chosen).toContainText('Rank 1 on node0, step 12');
  await chosen.locator('[data-open-trace]').click();
  await expect(page.locator('[data-view="timeline"]')).toBeVisible();
  await expect(page).toHaveURL(/range=200000-290000/);
  await expect(page.locator('[role=tab]')).toHaveCount(2);
});

test('a trace is opened from a log directory that was added', async ({ page, site }) => {
  await start(page, site);
  await page.evaluate(async ([name, text]) => {
    const place = await navigator.storage.getDirectory();
    const traces = await place.getDirectoryHandle('traces', { create: true });
    const writable = await (await traces.getFileHandle(name, { create: true })).createWritable();
    await writable.write(text);
    await writable.close();
    window.showDirectoryPicker = async () => traces;
  }, [RANK_1, trace(1)]);
  await page.getByRole('button', { name: 'Add a log directory' }).click();
  await expect(page.locator('[data-directory="traces"]')).toBeVisible();
  await openProfile(page, run);
  const view = page.locator('[data-view="fleet"]');
  await view.locator('[data-fleet-map]').focus();
  for (const key of ['ArrowDown', 'ArrowRight', 'Enter']) await page.keyboard.press(key);
  await view.locator('[data-open-trace]').click();
  await expect(page.locator('[role=tab]')).toHaveCount(2);
  await expect(page).toHaveURL(/range=100000-190000/);
});
