// A day of work in a minute: 200 profiles of every kind are opened, looked at and closed, damaged ones among them. Nothing of them stays.
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, dropTree, idle, root, start, test } from './support.js';

const below = (folder) => readdirSync(folder).sort().flatMap((name) => {
  const path = join(folder, name);
  return statSync(path).isDirectory() ? below(path) : [path];
});

/** Every case of tests/cases, as the files of one drop. */
function cases() {
  const all = join(root, 'tests', 'cases');
  const folders = readdirSync(all).sort().filter((name) => statSync(join(all, name)).isDirectory()).flatMap((format) => readdirSync(join(all, format)).sort().map((name) => join(all, format, name)));
  return folders.map((folder) => below(folder).filter((path) => path !== join(folder, 'expected.txt'))
    .map((path) => ({ path: `${relative(all, folder)}/${relative(folder, path)}`, bytes: readFileSync(path) })));
}

test('200 profiles that are opened, viewed and closed leave no memory, no worker and no listener', async ({ page, site }) => {
  // Minutes of a browser's time: not part of every run.
  test.skip(process.env.AXONSCOPE_SOAK !== '1', 'AXONSCOPE_SOAK=1 runs it');
  test.setTimeout(900_000);
  const drops = cases();
  expect(drops.length).toBeGreaterThan(30);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
  await start(page, site);
  const close = page.locator('.tabs__close');
  const nav = page.locator('[data-nav]');

  let opened = 0;
  let refused = 0;
  const turn = async (number) => {
    const files = drops[number % drops.length];
    await dropTree(page, files);
    const n = await close.count();
    if (n === 0) refused += 1;
    for (let tab = 0; tab < n; tab += 1) {
      opened += 1;
      // The view in front, and one more: over the turns every view of every kind.
      const views = await nav.count();
      if (views > 0) {
        await nav.nth((number * 7 + Math.floor(number / drops.length)) % views).click();
        await idle(page);
      }
      await close.first().click();
      await idle(page);
    }
    await expect(close).toHaveCount(0);
    const dismiss = page.locator('.notice button');
    while (await dismiss.count() > 0) await dismiss.first().click();
  };
  const measured = async () => {
    await idle(page);
    await expect.poll(() => page.workers().length, 'no worker is left').toBeLessThanOrEqual(workers);
    for (let i = 0; i < 3; i += 1) await cdp.send('HeapProfiler.collectGarbage');
    const { metrics } = await cdp.send('Performance.getMetrics');
    const of = (name) => metrics.find((metric) => metric.name === name).value;
    return { heap: of('JSHeapUsedSize'), nodes: of('Nodes'), listeners: of('JSEventListeners') };
  };

  const workers = page.workers().length;
  // The first round through the cases fills what a page keeps once: the library, tables of the program, the memory of its heap.
  const warm = drops.length;
  for (let number = 0; number < warm; number += 1) await turn(number);
  const early = await measured();
  for (let number = warm; number < warm + 200; number += 1) await turn(number);
  const late = await measured();
  console.log(`opened ${opened}, refused ${refused}`, early, late);
  expect(opened).toBeGreaterThan(100);
  expect(refused).toBeGreaterThan(20);
  for (const what of ['heap', 'nodes', 'listeners']) expect(late[what], what).toBeLessThanOrEqual(early[what] * 1.05);
});
