// Runs of the TensorBoard Neuron plugin: figures of both levels, fused members, what is to be seen, two runs, a trace.
import { cells, dropFiles, dropTree, expect, idle, lanes, picture, show, start, test, zip } from './support.js';
import { table, timeline, trace } from './neuron_logs.js';


test('the plugin\'s tables: shares, devices, both levels', async ({ page, site }) => {
  await start(page, site);
  const framework = table([['aten__addmm_dot', 2, 279], ['aten__relu_maximum', 1, 276], ['aten__tanh_tanh', 1, 159]], 714);
  await dropFiles(page, { name: 'neuron_framework_op.json', bytes: framework }, { name: 'neuron_hlo_op.json', bytes: table([['dot', 2, 279]], 279) });
  await expect(page.locator('[data-view="operator-framework"]')).toBeVisible();
  await expect.poll(() => cells(page, 'operator-framework', 'time_share')).toEqual(['39.1%', '38.7%', '22.3%']);
  await page.locator('[data-field="both"]').check();
  await idle(page);
  await expect.poll(() => cells(page, 'operator-hlo', 'name')).toEqual(expect.arrayContaining([expect.stringContaining('dot')]));
  await picture(page, 'operator-framework');
});

test('a table that is a list alone opens; one that says too little is shown as it stands', async ({ page, site }) => {
  await start(page, site);
  const rows = [['Op Name', 'Occurrences', 'Neuron Device', 'NeuronCore', 'Time (ns)'], ['aten__addmm_dot', 2, 0, 0, 300], ['aten__tanh_tanh', 1, 0, 0, 100]];
  await dropFiles(page, { name: 'neuron_framework_op.json', bytes: JSON.stringify(rows) });
  await expect(page.locator('[data-view="operator-framework"]')).toBeVisible();
  await expect.poll(() => cells(page, 'operator-framework', 'time_share')).toEqual(['75.0%', '25.0%']);
  await picture(page, 'operator-framework-list');
  await dropFiles(page, { name: 'neuron_hlo_op.json', bytes: JSON.stringify([{ what: 'dot', load: 4 }]) });
  await expect(page.locator('[data-view="operator-hlo"]')).toContainText('shown without interpretation');
  await expect.poll(() => cells(page, 'hlo_ops', 'what')).toEqual(['dot']);
});

test('the operator timeline: figures, captions, fused members', async ({ page, site }) => {
  await start(page, site);
  await dropFiles(page, { name: 'neuron_op_timeline.json', bytes: timeline() });
  await show(page, 'operator-framework');
  await expect.poll(() => cells(page, 'operator-framework', 'time_ns')).toContain('300 ns');
  await page.locator('table[data-table="operator-framework"] tr[data-row]', { hasText: 'fused_3' }).click();
  await idle(page);
  await expect(page.locator('[data-member="aten__permute_transpose"]')).toContainText('not on the timeline: inside another operation');
  await page.locator('button[data-member="aten__addmm_dot"]').click();
  await idle(page);
  await expect(page.locator('[data-view="timeline"]')).toBeVisible();
  await expect(page.locator('[data-view="details"]')).toContainText('aten__addmm_dot.36');
  await show(page, 'operator-timeline');
  await expect(page.locator('[data-verdict]')).toHaveAttribute('data-verdict', 'transfer-dominated');
  await expect(page.locator('[data-caption="early_constants"]')).toContainText('aten__relu_maximum');
  await expect(page.locator('[data-caption="gap_filled"]')).toContainText('100.0%');
  await picture(page, 'operator-timeline');
});

test('two runs are compared; a trace tells idle time per step', async ({ page, site }) => {
  await start(page, site);
  await dropFiles(page, { name: 'neuron_op_timeline.json', bytes: timeline() });
  await dropFiles(page, { name: 'neuron_op_timeline.json', bytes: timeline({ relu: false }) });
  await show(page, 'operator-framework');
  await page.locator('select[data-field="compare"]').selectOption({ index: 1 });
  await idle(page);
  await expect.poll(() => cells(page, 'operator-diff', 'place')).toContain('only before');
  await dropFiles(page, { name: 'neuron_trace.json', bytes: trace() });
  await show(page, 'trace');
  await expect.poll(() => cells(page, 'trace-steps', 'idle_ns')).toEqual(['750 µs']);
  await expect.poll(() => cells(page, 'trace-steps', 'host')).toEqual(['Compile']);
  await picture(page, 'neuron-trace');
});

const stamp = '2022_10_14_19_22_22';
const run = (folder, files) => files.map(([name, bytes]) => ({ path: `logs/plugins/neuron/${folder}/${name}`, bytes }));
const all = [
  ['neuron_op_timeline.json', timeline()],
  ['neuron_framework_op.json', table([['aten__addmm_dot', 1, 300], ['aten__tanh_tanh', 1, 200], ['fused_3', 1, 100]], 600)],
  ['neuron_hlo_op.json', table([['dot', 1, 300], ['tanh', 1, 200]], 500)],
];

test('a log directory is listed by runs with their tools; two of one name stay apart', async ({ page, site }) => {
  await start(page, site);
  await dropTree(page, [...run(stamp, [...all, ['neuron_trace.json', trace()]]), ...run('other', all.slice(0, 1)),
    { path: 'logs/temp_profiler_logs/other/neuron_op_timeline.json', bytes: timeline({ relu: false }) }]);
  const tabs = page.getByRole('tab');
  await expect(tabs).toHaveCount(4);
  await page.getByRole('tab', { name: stamp, exact: false }).filter({ hasNotText: 'trace' }).click();
  await show(page, 'operator-framework');
  await expect.poll(() => cells(page, 'operator-framework', 'time_share')).toEqual(['50.0%', '33.3%', '16.7%']);
  await expect(page.locator('[data-nav="trace"]')).toHaveCount(0);
  const runs = page.locator('select[data-field="run"] option');
  await expect(runs).toHaveCount(4);
  await expect(runs.filter({ hasText: 'trace: trace' })).toHaveCount(1);
  // Runs of one name are told apart by their paths, in the tabs as in the list.
  const named = await runs.filter({ hasText: 'other' }).allTextContents();
  expect(named.map((n) => n.split(':')[0]).sort()).toEqual(['other · neuron', 'other · temp_profiler_logs']);
  await expect(tabs.filter({ hasText: 'other · neuron' })).toHaveCount(1);
  await expect(tabs.filter({ hasText: 'other · temp_profiler_logs' })).toHaveCount(1);
  await show(page, 'profile');
  await expect(page.locator('[data-view="profile"]')).toContainText('2022-10-14 19:22:22');
  await tabs.filter({ hasText: 'other · neuron' }).click();
  await expect(page).toHaveTitle(/^other · neuron – /);
});

test('the members of a fused bar lead to their bars; the choices are in the link', async ({ page, site }) => {
  await start(page, site);
  await dropTree(page, run(stamp, all));
  await show(page, 'operator-framework');
  await page.locator('[data-field="both"]').check();
  await idle(page);
  await expect(page).toHaveURL(/s\.operator-framework\.both=true/);
  await expect.poll(() => cells(page, 'operator-hlo', 'time_ns')).toEqual(['300 ns', '200 ns']);
  await page.locator('table[data-table="operator-framework"] tr[data-row]', { hasText: 'fused_3' }).click();
  await idle(page);
  await page.locator('[data-jump]').click();
  await idle(page);
  await expect(page.locator('[data-view="details"]')).toContainText('fused_3');
  await show(page, 'operator-timeline');
  const members = page.locator('[data-overlap] [data-member]');
  await expect(members).toHaveCount(2);
  await expect(page.locator('[data-member="aten__permute_transpose"]')).toContainText('not on the timeline: inside another operation');
  await page.locator('button[data-member="aten__addmm_dot"]').click();
  await idle(page);
  await expect(page.locator('[data-view="details"]')).toContainText('aten__addmm_dot.36');
  await expect(page.locator('[data-overlap]')).toContainText('%dot.36');
});

test('operators of a range are those of its slices, or the table says that it is of the entire trace', async ({ page, site }) => {
  await start(page, site);
  await dropTree(page, run(stamp, [all[0], all[2]]));
  await show(page, 'operator-timeline');
  await page.locator('[data-caption="gap_filled"] button').click();
  await idle(page);
  await show(page, 'operator-framework');
  await expect(page.locator('[data-scope]')).toContainText('Selected range');
  // In the pause nothing executes; one operator moves data.
  await expect.poll(() => cells(page, 'operator-framework', 'name')).toEqual([expect.stringContaining('aten__addmm_dot')]);
  expect(await cells(page, 'operator-framework', 'transfer_ns')).toEqual(['600 ns']);
  await page.locator('[data-field="both"]').check();
  await idle(page);
  await expect(page.locator('[data-scope-of="operator-hlo"]')).toContainText('Entire trace');
  expect(await cells(page, 'operator-hlo', 'time_ns')).toEqual(['300 ns', '200 ns']);
  await page.locator('[data-clear-range]').click();
  await idle(page);
  await expect(page.locator('[data-scope]')).toHaveText('Entire trace');
  await expect.poll(() => cells(page, 'operator-framework', 'time_ns')).toContain('300 ns');
});

test('a zip of a log directory tells the same as the directory', async ({ page, site }) => {
  const files = run(stamp, [...all, ['neuron_trace.json', trace()]]);
  /** Every figure of the run in front. */
  const figures = async () => {
    await page.getByRole('tab', { name: stamp }).filter({ hasNotText: 'trace' }).click();
    const out = {};
    for (const [view, columns] of [['operator-framework', ['name', 'occurrences', 'time_ns', 'time_share']], ['operator-hlo', ['name', 'time_ns', 'time_share']]]) {
      await show(page, view);
      await expect(page.locator(`table[data-table="${view}"] tbody tr[data-row]`).first()).toBeVisible();
      for (const column of columns) out[`${view} ${column}`] = await cells(page, view, column);
    }
    await show(page, 'operator-timeline');
    out.verdict = await page.locator('[data-verdict]').innerText();
    out.figures = await page.locator('.neuronlog__figures').innerText();
    await page.getByRole('tab', { name: stamp }).filter({ hasText: 'trace' }).click();
    await show(page, 'trace');
    await expect(page.locator('table[data-table="trace-steps"] tbody tr[data-row]')).toHaveCount(1);
    for (const column of ['idle_ns', 'host']) out[`trace ${column}`] = await cells(page, 'trace-steps', column);
    return out;
  };
  await start(page, site);
  await dropTree(page, files);
  await expect(page.getByRole('tab')).toHaveCount(2);
  const directory = await figures();
  expect(directory['operator-framework time_ns']).toEqual(['300 ns', '200 ns', '100 ns']);
  await start(page, site, '?zip');
  await dropFiles(page, { name: 'logs.zip', bytes: zip(Object.fromEntries(files.map(({ path, bytes }) => [path, bytes]))) });
  await expect(page.getByRole('tab')).toHaveCount(2);
  expect(await figures()).toEqual(directory);
  await show(page, 'ledger');
  await expect(page.locator('[data-view="ledger"]')).toContainText('logs.zip/logs/plugins/neuron/');
});

test('a trace of a selected range: the device\'s time in it, and which range it is', async ({ page, site }) => {
  await start(page, site);
  await dropFiles(page, { name: 'neuron_trace.json', bytes: trace() });
  await show(page, 'trace');
  const view = page.locator('[data-view="trace"]');
  const execution = view.locator('.neuronlog__figure', { hasText: 'Device execution' }).locator('dd');
  await expect(view.locator('[data-scope]')).toHaveText('Entire trace');
  await expect(execution).toHaveText('250 µs');
  // The device executes from 650 to 900 µs of 1 ms: a range that begins before it and ends within.
  const box = await (await lanes(page)).boundingBox();
  const at = (share) => page.mouse.move(box.x + box.width * share, box.y + box.height * 0.5);
  await page.keyboard.down('Shift');
  await at(0.5);
  await page.mouse.down();
  await at(0.6);
  await at(0.8);
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await idle(page);
  await expect(view.locator('[data-scope]')).toContainText(/^Selected range.*steps that touch it are listed in full/);
  const [, from, to] = page.url().match(/range=(\d+)-(\d+)/).map(Number);
  expect(from).toBeLessThan(650_000);
  const inside = (to - 650_000) / 1000;
  await expect(execution).toHaveText(`${inside.toPrecision(3)} µs`);
  expect(await cells(page, 'trace-steps', 'idle_ns')).toEqual(['750 µs']);
  await page.keyboard.press('Escape');
  await idle(page);
  await expect(execution).toHaveText('250 µs');
});

const varint = (n) => n < 128 ? [n] : [n % 128 + 128, ...varint(Math.floor(n / 128))];
const number = (field, n) => [field * 8, ...varint(n)];
const part = (field, bytes) => [field * 8 + 2, ...varint(bytes.length), ...bytes];
const text = (field, words) => part(field, [...Buffer.from(words)]);

test('the planes of an XSpace open as a timeline; raw files are answered with how to export them', async ({ page, site }) => {
  await start(page, site);
  const event = [...number(1, 7), ...number(2, 1_000_000), ...number(3, 2_500_000)];
  const line = [...number(1, 1), ...text(2, 'stream'), ...number(3, 5000), ...part(4, event)];
  const meta = [...number(1, 7), ...part(2, [...number(1, 7), ...text(2, 'matmul')])];
  const plane = [...number(1, 1), ...text(2, '/device:XPU:0'), ...part(3, line), ...part(4, meta)];
  await dropFiles(page, { name: 'host.xplane.pb', bytes: Buffer.from(part(1, plane)) });
  await expect(page.locator('body')).toHaveAttribute('data-profile', 'tensorboard_neuron');
  await show(page, 'operators');
  await expect.poll(() => cells(page, 'operators', 'name')).toEqual([expect.stringContaining('matmul')]);
  await dropFiles(page, { name: 'ntrace.pb', bytes: Buffer.from([0x0a, 3, 1, 2, 3]) });
  await expect(page.locator('[role=alert]').last()).toContainText('neuron-explorer view -d DIR');
  await expect(page.getByRole('tab')).toHaveCount(1);
});

test('what holds no profile names likely causes, and what was open stays', async ({ page, site }) => {
  await start(page, site);
  await dropFiles(page, { name: 'neuron_op_timeline.json', bytes: timeline() });
  await dropTree(page, [{ path: 'logs/plugins/neuron/a/readme.txt', bytes: 'nothing' }]);
  const alert = page.locator('[role=alert]').last();
  for (const words of ['2.6', 'traced_only', 'context']) await expect(alert).toContainText(words);
  await expect(page.getByRole('tab')).toHaveCount(1);
  await expect(page.locator('body')).toHaveAttribute('data-profile', 'tensorboard_neuron');
  await dropFiles(page, { name: 'neuron_op_timeline.json', bytes: '{"neuronStartTimestampNs":1,"traceEvents":[]}' });
  await expect(page.locator('[role=alert]').last()).toContainText('traced_only');
  await expect(page.getByRole('tab')).toHaveCount(1);
});

test('tables with unknown keys, totals, units and names show what they can', async ({ page, site }) => {
  await start(page, site);
  const open = (name, ops, total) => dropFiles(page, { name, bytes: JSON.stringify({ ops, total_time: total }) });
  await open('neuron_framework_op.json', [{ 'Op Name': 'aten__add', Occurrences: 1, 'Time (ns)': 40, 'engine load': '7' }], 50);
  await expect(page.locator('[data-view="operator-framework"]')).toContainText('total of 50 ns');
  expect(await cells(page, 'operator-framework', 'engine load')).toEqual(['7']);
  await open('neuron_framework_op.json', [{ what: 'aten__add', n: 3 }, { what: 'aten__mul', n: 4 }], 50);
  await expect(page.locator('[data-view="operator-framework"]')).toContainText('shown without interpretation');
  await expect.poll(() => cells(page, 'framework_ops', 'what')).toEqual(['aten__add', 'aten__mul']);
  await open('neuron_hlo_op.json', [], 0);
  await expect(page.locator('[data-view="operator-hlo"]')).toContainText('operator list of the file is empty');
});
