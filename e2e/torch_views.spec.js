// The views of PyTorch traces beyond the tables: figures on screen against what torch-tb-profiler says of the same files, and real clicks.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { conformance, expect, idle, ink, kineto, openProfile, show, start, test, timeline, visible, windowChanged } from './support.js';

const single = () => kineto('local-traces', 'cpu_single', 'worker0.1795203842800630766.pt.trace.json.gz');
const second = () => kineto('local-traces', 'cpu_single', 'worker0.1795203847522487121.pt.trace.json.gz');
const ranks = () => [
  kineto('local-traces', 'gloo_ddp', 'host_0.1795203883114417678.pt.trace.json.gz'),
  kineto('local-traces', 'gloo_ddp', 'host_1.1795203883106025163.pt.trace.json.gz'),
];
const resnet = (n, file) => kineto('kineto-traces', `resnet50_num_workers_${n}`, `${file}.pt.trace.json.gz`);
const truth = (name, view) => {
  const path = conformance('kineto', 'truth', name, view);
  try {
    return JSON.parse(readFileSync(`${path}.json`));
  } catch {
    return JSON.parse(gunzipSync(readFileSync(`${path}.json.gz`)));
  }
};

/** Rows of a table, by the first column: { name: { column: text } }. */
async function cells(page, id) {
  return page.locator(`table[data-table="${id}"]`).evaluate((table) => {
    const heads = [...table.querySelectorAll('thead th')].map((th) => th.dataset.column);
    return [...table.querySelectorAll('tbody tr[data-row]')].map((tr) => {
      const row = {};
      [...tr.children].forEach((cell, i) => { row[heads[i]] = cell.classList.contains('table__name') ? cell.title : cell.innerText.trim(); });
      return row;
    });
  });
}

/** A figure with its unit as bytes or nanoseconds, and how far rounding to three digits may be off. */
function figure(text) {
  const [, sign, number, unit] = text.replace(/[\u202f\u00a0 ]/g, '').match(/^([−-]?)([\d.]+)(\D*)$/) ?? [];
  const scale = { '': 1, B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, ns: 1, µs: 1e3, ms: 1e6, s: 1e9 }[unit];
  expect(scale, `the unit of "${text}"`).toBeDefined();
  return (sign ? -1 : 1) * Number(number) * scale;
}

// The page rounds to three digits; `slack` is what the plugin rounds away.
const near = (text, want, slack = 1) => expect(Math.abs(figure(text) - want), `${text} is about ${want}`).toBeLessThanOrEqual(Math.abs(want) * 0.006 + slack);

/** Chooses a row as a user does: beside the copy button of its name. */
const choose = (row) => row.click({ position: { x: 40, y: 12 } });

/** Nothing in a view sticks out or reads oddly. */
async function isSound(page) {
  await expect(page.locator('body')).not.toContainText(/\bNaN\b|undefined|Infinity|-0 /);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
}

test('memory: statistics and peak are the plugin’s, a drag selects, a right click gives all back', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, single());
  await show(page, 'memory');
  const view = page.locator('[data-view="memory"]');
  await expect(view.locator('[data-peak]')).toContainText('Peak 20.4 MiB');
  const want = truth('local.cpu_single.span1', 'memory_stats').rows.CPU;
  const got = await cells(page, 'memory-operators');
  expect(got.length).toBe(want.length);
  for (const [name, calls, increase, , , selfCount, , selfSize] of want) {
    const row = got.find((r) => r.operator === name);
    expect(row, name).toBeDefined();
    expect(figure(row.calls), `calls of ${name}`).toBe(calls);
    expect(figure(row.self_allocation_count)).toBe(selfCount);
    // The plugin has kilobytes with two digits.
    near(row.size_increase, increase * 1024, 5.2);
    near(row.self_allocation_size, selfSize * 1024, 5.2);
  }
  const curve = view.locator('[data-chart="memory-curve"] canvas').first();
  expect((await ink(curve)).inked).toBeGreaterThan(2000);
  const box = await curve.boundingBox();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 80);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + 90);
  await page.mouse.move(box.x + box.width * 0.7, box.y + 90);
  await page.mouse.up();
  await expect(view.locator('.torch__scope')).toContainText('Selected range');
  await idle(page);
  expect((await cells(page, 'memory-operators')).length).toBeLessThan(got.length);
  await curve.click({ button: 'right', position: { x: box.width * 0.5, y: 80 } });
  await expect(view.locator('.torch__scope')).toContainText('Entire trace');
  await isSound(page);
});

test('memory: pieces from a quarter of the largest on, frames of the allocation, and the way to the timeline', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, single());
  await show(page, 'memory');
  const view = page.locator('[data-view="memory"]');
  const events = truth('local.cpu_single.span1', 'memory_events').rows.CPU;
  const most = Math.max(...events.map((e) => e[1]));
  const wanted = events.filter((e) => e[1] >= most / 4).length;
  await expect(view.locator('[data-events-note]')).toContainText(`${wanted} allocations`);
  await view.locator('[data-field="min"]').fill('0');
  await view.locator('[data-field="min"]').press('Enter');
  await expect(view.locator('[data-events-note]')).toContainText(new RegExp(`${events.length} allocations`));
  const row = page.locator('table[data-table="memory-events"] tbody tr[data-row]').first();
  await choose(row);
  const piece = view.locator('[data-piece]');
  await expect(piece.locator('[data-frames] li').first()).toBeVisible();
  await piece.locator('[data-go]').click();
  await expect(timeline(page)).toBeVisible();
  await expect(page.locator('[data-view="details"]')).toBeVisible();
});

test('modules: table and flame graph, each linked to the timeline; the tree of operators', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, single());
  await show(page, 'modules');
  const view = page.locator('[data-view="modules"]');
  const flat = [];
  const walk = (rows) => rows.forEach((r) => { flat.push(r); walk(r.children ?? []); });
  walk(truth('local.cpu_single.span1', 'module').data);
  const table = page.locator('table[data-table="modules"]');
  await expect(table.locator('tbody tr').first()).toBeVisible();
  for (const row of await cells(page, 'modules')) {
    const want = flat.find((r) => row.name === r.name);
    expect(want, row.name).toBeDefined();
    expect(figure(row.occurrences)).toBe(want.occurences);
    expect(figure(row.operators)).toBe(want.operators);
    near(row.host_total, want.host_duration * 1000);
  }
  expect((await ink(view.locator('[data-chart="modules"] canvas').first())).colours).toBeGreaterThan(3);
  await choose(table.locator('tbody tr').nth(1));
  await view.locator('[data-chosen-module] [data-go="first"]').click();
  await expect(timeline(page)).toBeVisible();
  await expect(page.locator('[data-view="details"]')).toBeVisible();
  await show(page, 'modules');
  const tree = page.locator('table[data-table="operator-tree"]');
  await choose(tree.locator('tbody tr').first());
  await view.locator('[data-go="node"]').click();
  await expect(timeline(page)).toBeVisible();
});

test('distributed: two ranks merged; figures of the plugin; one rank alone says what it lacks', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, ...ranks());
  await show(page, 'distributed');
  const view = page.locator('[data-view="distributed"]');
  await expect(view.locator('.torch__scope')).toContainText('2 workers');
  for (const chart of ['overlap', 'wait']) {
    expect((await ink(view.locator(`[data-chart="${chart}"] canvas`).first())).inked).toBeGreaterThan(2000);
  }
  const want = truth('dist.local_gloo_ddp', 'commops').data;
  const got = await cells(page, 'communication');
  for (const worker of Object.keys(want)) {
    for (const [name, calls, size, , latency, , transfer] of want[worker].rows) {
      const row = got.find((r) => r.worker === worker && r.name === name);
      expect(row, `${name} of ${worker}`).toBeDefined();
      expect(figure(row.calls)).toBe(calls);
      near(row.total_size, size);
      near(row.total_latency, latency * 1000);
      near(row.transfer_time, transfer * 1000);
    }
  }
  await expect(view.locator('[data-straggler]').first()).toBeVisible();
  await choose(page.locator('table[data-table="communication"] tbody tr[data-row]').first());
  await expect(timeline(page)).toBeVisible();
  await isSound(page);
});

test('distributed: one rank is shown without what needs the others, and says so', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, ranks()[0]);
  await show(page, 'distributed');
  const view = page.locator('[data-view="distributed"]');
  await expect(view.locator('.torch__scope')).toContainText('One worker');
  await expect(page.locator('table[data-table="communication"] th[data-column="transfer_time"]')).toHaveCount(0);
  await expect(view.locator('[data-notes] li').first()).toBeVisible();
});

test('diff: sums and difference tables of the plugin; only with two open traces', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, resnet(0, 'worker0.1623143089861'));
  await expect(page.locator('[data-nav="diff"]')).toHaveCount(0);
  await openProfile(page, resnet(4, 'worker0.1623212756351'));
  await show(page, 'diff');
  const view = page.locator('[data-view="diff"]');
  const root = truth('diff.rn0s1_rn4s1', 'diff_root');
  const sum = await view.locator('[data-diff-sum]').innerText();
  near(sum.split(' → ')[0], root.left.total_duration * 1000);
  near(sum.split(' → ')[1].split(' (')[0], root.right.total_duration * 1000);
  expect((await ink(view.locator('[data-chart="diff-bars"] canvas').first())).inked).toBeGreaterThan(2000);
  const rows = await cells(page, 'diff-operators');
  for (const agg of root.left.aggs.slice(0, 5)) {
    const row = rows.find((r) => r.name === agg.name);
    if (row) expect(figure(row.base_calls)).toBe(agg.calls);
  }
  await view.locator('[data-field="by"]').selectOption('kernel');
  await expect(page.locator('table[data-table="diff-flat"] th[data-column="base_device_total"]')).toBeVisible();
  await isSound(page);
});

test('diff: a click looks into a part, and the way back', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, single());
  await openProfile(page, second());
  await show(page, 'diff');
  const view = page.locator('[data-view="diff"]');
  const parts = (await cells(page, 'diff-parts')).map((r) => figure(r.parts));
  const at = parts.findIndex((n) => n > 0);
  expect(at, 'a part with parts inside').toBeGreaterThanOrEqual(0);
  await choose(page.locator('table[data-table="diff-parts"] tbody tr[data-row]').nth(at));
  await expect(view.locator('[data-crumbs] li')).toHaveCount(2);
  await view.locator('[data-crumbs] button').first().click();
  await expect(view.locator('[data-crumbs] li')).toHaveCount(1);
  // A part without parts inside still shows its operators alone.
  const all = await view.locator('[data-diff-sum]').innerText();
  const leaf = parts.findIndex((n) => n === 0);
  await choose(page.locator('table[data-table="diff-parts"] tbody tr[data-row]').nth(leaf));
  await expect(view.locator('[data-crumbs] li')).toHaveCount(2);
  await expect(view.locator('[data-diff-sum]')).not.toHaveText(all);
});

test('trace: steps, counters, flows by kind with a count of those not drawn, jumps', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, resnet(0, 'worker0.1623143089861'));
  await show(page, 'timeline');
  const view = timeline(page);
  await expect(view.locator('[data-step="5"]')).toBeVisible();
  await expect(view).toContainText('GPU 0 utilization (computed)');
  await expect(view).toContainText('GPU 0 est. SM efficiency (computed)');
  await view.locator('[data-flows-menu]').click();
  await page.locator('[data-flow-mode="window"]').click();
  await page.keyboard.press('Escape');
  await expect(view.locator('[data-flows-drawn]')).toContainText(/500 of 9\s096/);
  const whole = await visible(page);
  await view.locator('[data-step="5"]').click();
  const step = await windowChanged(page, whole);
  expect(step.span).toBeLessThan(whole.span / 3);
  const details = page.locator('[data-view="details"]');
  const title = details.locator('h2');
  await expect(title).toContainText('ProfilerStep#5');
  await details.locator('[data-jump]').first().click();
  await expect(title).toContainText('stream 7');
  await page.locator('body').press('k');
  await expect(title).toContainText(/cuda\w+ · .*thread/);
});

test('trace: the workers of a run stand below each other on one clock', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, ...ranks());
  await show(page, 'timeline');
  await page.locator('[data-stack="true"]').click();
  await expect(page.locator('[data-alignment]')).toContainText('wall-clock');
  await expect(timeline(page)).toContainText('host_0');
  await expect(timeline(page)).toContainText('host_1');
});

test('trace: workers that do not fit on one clock are shown one at a time', async ({ page, site }) => {
  // What copies may take is a part of what the browser says of the machine, and so is what is opened without a question.
  await page.addInitScript(() => Object.defineProperty(Navigator.prototype, 'deviceMemory', { get: () => 8 / 1024 ** 2 }));
  await start(page, site);
  await page.locator('input[type=file]:not([webkitdirectory])').first().setInputFiles(ranks());
  for (const held of [2, 1]) {
    await expect(page.locator('[data-phase]')).toHaveCount(held);
    await page.getByRole('button', { name: 'Open anyway' }).click();
  }
  await expect(page.locator('.reading')).toHaveCount(0);
  await show(page, 'timeline');
  await expect(page.locator('[data-alignment]')).toContainText('Too large for one clock');
  await expect(page.locator('[data-stack="true"]')).toBeDisabled();
});

/** Figures of all modules of a file that are on screen, with the time that the plugin tells of them. */
async function modulesAre(page, data) {
  const want = [];
  const walk = (rows) => rows.forEach((r) => { want.push(r); walk(r.children ?? []); });
  walk(data);
  const got = await cells(page, 'modules');
  expect(got.map((r) => r.name)).toEqual(want.map((r) => r.name));
  got.forEach((row, i) => {
    expect(figure(row.occurrences)).toBe(want[i].occurences);
    expect(figure(row.operators)).toBe(want[i].operators);
    near(row.host_total, want[i].host_duration * 1000);
    near(row.host_self, want[i].self_host_duration * 1000);
    near(row.mean, want[i].avg_duration * 1000);
  });
}

for (const [which, folder] of [['of old', 'lightning_oldcat'], ['of today', 'lightning']]) {
  test(`Lightning, in a trace ${which}: the plugin's hierarchy and figures, each linked to the timeline`, async ({ page, site }) => {
    await start(page, site);
    await openProfile(page, kineto('local-traces', folder, 'worker0.1795204596385050133.pt.trace.json.gz'));
    await show(page, 'modules');
    const view = page.locator('[data-view="modules"]');
    await expect(view.locator('h1')).toHaveText('Lightning');
    await expect(view.locator('.torch__scope')).toHaveText('5 Lightning modules');
    // The plugin finds none in traces of today, whose names are annotations: the same run told as it was before is the truth for both.
    await modulesAre(page, truth('local.lightning_oldcat', 'module').data);
    expect((await ink(view.locator('[data-chart="modules"] canvas').first())).colours).toBeGreaterThan(3);
    await choose(page.locator('table[data-table="modules"] tbody tr').nth(1));
    await view.locator('[data-chosen-module] [data-go="first"]').click();
    await expect(timeline(page)).toBeVisible();
    await expect(page.locator('[data-view="details"]')).toContainText('[pl][module]');
    await isSound(page);
  });
}
