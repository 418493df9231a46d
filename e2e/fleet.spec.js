// A run of many ranks: findings, heat map, tables.
import { join } from 'node:path';
import { cells, expect, idle, openProfile, picture, root, start, test } from './support.js';

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
  await map.focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  await expect(view.locator('[data-fleet-cell]')).toContainText('Rank 1 on node0, step 11');
  await expect(view.locator('[data-fleet-cell]')).toContainText('node0_1001.rank1.pt.trace.json');
  await page.keyboard.press('+');
  await expect(map).toHaveAttribute('data-fleet-map', '1,8,2,16');
  await view.getByRole('button', { name: 'Fit all' }).click();
  await expect(map).toHaveAttribute('data-fleet-map', '0,0,4,32');
  await view.locator('select[data-field="metric"]').selectOption('data-loader');
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
