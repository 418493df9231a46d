// Queries in SQL: the gallery on each kind of profile, and values that other views show.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cells, conformance, dropFiles, expect, neuron, openProfile, samples, show, start, test } from './support.js';
import { kinds } from './kinds.js';
import { served } from './neuron_logs.js';
import { bert, digests, found, fused, gallery, ntff, opened, result, rows, rowsOf, run, runAll, view } from './sql_support.js';

test('every query of the gallery runs on a device profile, and the values are those of the views', async ({ page, site }) => {
  test.setTimeout(240_000);
  const requested = [];
  page.on('request', (request) => requested.push(new URL(request.url())));
  await opened(page, site, fused());
  expect(requested.some((url) => url.pathname.includes('/duckdb/')), 'the engine is not loaded before a query is run').toBe(false);
  await runAll(page, 'device', rows.device, digests.device);
  expect(requested.filter((url) => url.pathname.endsWith('.wasm') && url.pathname.includes('/duckdb/')).length).toBe(1);
  expect(requested.filter((url) => url.protocol.startsWith('http') && url.origin !== new URL(site.url).origin)).toEqual([]);

  const json = JSON.parse(readFileSync(fused()));
  const sum = (rows, key) => rows.reduce((n, row) => n + row[key], 0);
  const raw = async (query) => Number((await result(page, `select (${query})::varchar as v`, 'v'))[0]);
  expect(await raw('select count(*) from Instruction')).toBe(json.instruction.length);
  expect(await raw('select sum(duration_ns) from Instruction')).toBe(sum(json.instruction, 'duration'));
  expect(await raw('select sum(raw_flops) from Instruction')).toBe(json.summary[0].hardware_flops);
  const moved = json.dma.filter((row) => row.duplicate !== 'yes');
  expect(await raw('select sum(transfer_bytes) from DmaPacket')).toBe(sum(moved, 'transfer_size'));
  const tensor = json.active_time.filter((row) => row.engine === 'tensor');
  const active = tensor.reduce((n, row) => n + row.end_ts - row.start_ts, 0);
  expect(await raw("select merged(start_ts, end_ts) from ActiveTime where engine = 'tensor'"), 'intervals of one core do not overlap').toBe(active);
  expect(await raw("select busy('Tensor', 0, 1000000000000000)")).toBe(active);
  expect(await raw('select overlap(0, 10, 4, 20)')).toBe(6);
  const spans = (table, where) => `(select intervals(start_ts, end_ts) from ${table} where ${where})`;
  expect(await raw(`select merged(${spans('ActiveTime', "engine = 'tensor'")})`)).toBe(active);
  const [, , states] = gallery.device.find(([title]) => title === 'Overlap of tensor and DMA');
  expect(await raw(`select overlap(${spans('ActiveTime', "engine = 'tensor'")}, ${spans('DmaPacket', 'true')})`)).toBe(await raw(states));

  // A row leads to the slice.
  await run(page, 'select start_ts, end_ts, opcode from Instruction order by duration_ns desc limit 1');
  const opcode = (await cells(page, 'sql', 'opcode'))[0];
  await page.locator('table[data-table="sql"] tbody tr[data-row]').first().click();
  await expect(page.locator('[data-view="timeline"]')).toBeVisible();
  await expect(page.locator('[data-view="details"]')).toContainText(opcode);
});

/** Queries as public scripts run them over Neuron Explorer's tables (bytes, busy time as unions, waits, sources and destinations, sizes). */
const OF_SCRIPTS = [
  'SELECT engine, SUM(duration_ns) AS busy FROM ActiveTime WHERE pcore_idx = 0 GROUP BY engine ORDER BY engine',
  "SELECT SUM(transfer_bytes) AS bytes FROM DmaPacketAggregated WHERE source = '[[INPUT]]'",
  "SELECT engine, opcode, start_ts, end_ts, duration_ns, evt_wait_time_ns, adjusted_flops, tensor_instruction_type, hbm_read_bytes, hbm_write_bytes, pcore_idx FROM Instruction WHERE engine = 'Tensor' ORDER BY start_ts, opcode LIMIT 100",
  'SELECT id, operands, hlo_name, nki_source_location, bir_debug_info_source_location, bir_id, dma_trigger_start_ts, dma_wait_time_ns FROM Instruction LIMIT 10',
  'SELECT queue_type, queue_name, op, source, dest, variable, read_num_sbuf_partitions, write_num_sbuf_partitions, is_transpose_mode FROM DmaPacketAggregated',
  'SELECT queue_type, COUNT(*) AS n, SUM(transfer_bytes) AS bytes FROM DmaPacket GROUP BY queue_type ORDER BY queue_type',
  "SELECT variable_name, type, size FROM TensorInfo WHERE type IN ('IN', 'OUT') ORDER BY ALL",
  'SELECT in_table, in_id, out_table, out_id FROM Flow',
  'SELECT dma_ddr_bandwidth, hbm_ddr_bandwidth, tensor_engine_num_rows, tensor_engine_num_cols, tensor_engine_clock_freq FROM Metadata',
  'SELECT total_time, hardware_flops, transpose_flops FROM Summary',
  "SELECT engine, SUM(evt_wait_time_ns) AS waited FROM Instruction WHERE opcode = 'LDWEIGHTS' AND evt_wait_time_ns > 0 GROUP BY engine",
  `WITH o AS (SELECT start_ts, end_ts, MAX(end_ts) OVER (ORDER BY start_ts ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS prev FROM DmaPacket WHERE queue_type <> 'instruction')
SELECT SUM(GREATEST(0, end_ts - GREATEST(start_ts, COALESCE(prev, start_ts)))) AS busy FROM o`,
];
/** Those whose answers an NTFF and the tables of Neuron Explorer give as the JSON does, to the last digit. */
const EQUAL = [
  "SELECT engine, opcode, start_ts, end_ts, duration_ns, adjusted_flops, tensor_instruction_type, pcore_idx FROM Instruction WHERE engine = 'Tensor' ORDER BY start_ts, opcode LIMIT 100",
  ...OF_SCRIPTS.filter((query) => query.includes('FROM DmaPacket ') && !query.includes('LIMIT')),
];

test('queries that people run over the Parquet tables run unchanged on every format', async ({ page, site }) => {
  test.setTimeout(180_000);
  const answers = [];
  for (const open of [
    () => openProfile(page, fused()),
    () => openProfile(page, ...ntff('fused_exec_2.ntff', 'fused.neff')),
    () => kinds.find(([name]) => name === 'neuron-parquet')[1](page),
  ]) {
    await start(page, site);
    await open();
    await show(page, 'sql');
    for (const query of OF_SCRIPTS) expect(await run(page, query), `${query}: ${await view(page).textContent()}`).toBe('ready');
    const rows = [];
    for (const query of EQUAL) rows.push(await found(page, query));
    answers.push(rows);
  }
  expect(answers[0].every((rows) => rows.length > 0)).toBe(true);
  expect(answers[1], 'NTFF and NEFF').toEqual(answers[0]);
  expect(answers[2], 'tables of Neuron Explorer').toEqual(answers[0]);
});

test('every query of the gallery runs on a PyTorch trace, and the values are those of the views', async ({ page, site }) => {
  test.setTimeout(300_000);
  await opened(page, site, bert());
  await runAll(page, 'torch', rows.torch, digests.torch);
  await runAll(page, 'trace', rows.trace, digests.trace);
  const [, , query] = gallery.torch[0];
  const names = await result(page, query, 'name');
  const calls = await cells(page, 'sql', 'calls');
  await show(page, 'kernels');
  const seen = await cells(page, 'kernels', 'name');
  const seenCalls = await cells(page, 'kernels', 'calls');
  const of = (all, values) => Object.fromEntries(all.map((name, i) => [name, Number(values[i].replace(/\D/g, ''))]));
  const [ours, theirs] = [of(names, calls), of(seen, seenCalls)];
  const common = Object.keys(theirs).filter((name) => name in ours);
  expect(common.length).toBeGreaterThan(2);
  for (const name of common) expect(ours[name], name).toBe(theirs[name]);

  await show(page, 'sql');
  await expect(page.locator('[data-sql-text]')).toHaveValue(query);
  await run(page, 'select slice_id, name from kernel order by dur desc limit 5');
  await page.locator('[data-sql-mark]').click();
  await expect(page.locator('[data-view="timeline"]')).toBeVisible();

  // A named set: drawn alone, and the scope of the views.
  const set = page.locator('[data-slice-set]');
  await expect(set).toContainText('5 slices');
  await expect(set.locator('input')).toHaveValue(/select slice_id, name from kernel/);
  await set.locator('input').fill('longest');
  await set.locator('input').press('Enter');
  await set.locator('[data-set-alone]').click();
  await expect(set.locator('[data-set-alone]')).toHaveAttribute('aria-pressed', 'true');
  await set.locator('[data-set-scope]').click();
  await expect(page.locator('[data-clear-range]')).toContainText('Region longest: ');
  await expect(page.locator('[data-boxed-rows]')).toContainText('1 row');
  await show(page, 'kernels');
  await expect(page.locator('[data-view="kernels"] [data-scope]')).toContainText('Region longest: ');
  await expect(set.locator('input')).toHaveValue('longest');
  await set.locator('[data-set-clear]').click();
  await expect(set).toHaveCount(0);
});

test('rows with times lead to the slices of that name, also as a set', async ({ page, site }) => {
  await opened(page, site, fused());
  await run(page, "select start_ts, end_ts, opcode from Instruction where engine = 'Tensor' and opcode = 'MATMUL' order by start_ts limit 7");
  await page.locator('[data-sql-mark]').click();
  await expect(page.locator('[data-slice-set]')).toContainText('7 slices');
  await expect(page.locator('[data-view="timeline"]')).toBeVisible();
});

/** A profile of each kind whose gallery is no other test's: its name, how it is opened, the galleries that it has, and a query that finds rows. */
const others = [
  ['an NTFF', (page) => openProfile(page, ...ntff('fused_exec_2.ntff')), ['device'], 'select count(*) as n from Instruction'],
  ['an NTFF with its NEFF', (page) => openProfile(page, ...ntff('fused_exec_2.ntff', 'fused.neff')), ['device'], 'select count(*) as n from TensorInfo'],
  ['tables of Neuron Explorer', (page) => kinds.find(([name]) => name === 'neuron-parquet')[1](page), ['device'], 'select count(*) as n from Instruction'],
  ['a run summary of Neuron', (page) => kinds.find(([name]) => name === 'neuron-summary')[1](page), ['device'], 'select count(*) as n from Summary'],
  ['a system profile', (page) => kinds.find(([name]) => name === 'neuron-system')[1](page), ['system', 'trace'], 'select count(*) as n from CpuUsage'],
  ['a system profile of serving', (page) => dropFiles(page, { name: 'system_profile.json', bytes: served() }), ['system', 'trace'], 'select count(*) as n from SystemProfileHbmUsage'],
  ['tables of a system profile', (page) => kinds.find(([name]) => name === 'neuron-system-tables')[1](page), ['system', 'trace'], 'select count(*) as n from SystemProfileEvents'],
  ['a Chrome trace', (page) => kinds.find(([name]) => name === 'chrome')[1](page), ['trace'], 'select count(*) as n from counter'],
  ['a Perfetto trace', (page) => openProfile(page, conformance('pftrace', 'range_of_interest.pftrace')), ['trace'], 'select count(*) as n from slice'],
  ['a PyTorch trace of a CPU', (page) => openProfile(page, join(samples, 'cpu_single.pt.trace.json.gz')), ['torch', 'trace'], 'select count(*) as n from operator'],
  ['a memory snapshot', (page) => kinds.find(([name]) => name === 'memory-snapshot')[1](page), ['trace'], 'select count(*) as n from track'],
];
for (const [name, open, galleries, query] of others) {
  test(`the gallery runs on ${name}`, async ({ page, site }) => {
    test.setTimeout(120_000);
    await start(page, site);
    await open(page);
    await show(page, 'sql');
    for (const kind of galleries) await runAll(page, kind);
    expect((await found(page, query))[0].n, query).toBeGreaterThan(0);
    // What the menu offers are these queries.
    await view(page).getByRole('button', { name: 'Gallery' }).click();
    await expect(page.locator('[data-sql-query]')).toHaveCount(galleries.reduce((n, kind) => n + gallery[kind].length, 0));
  });
}

test('before the first query the gallery is in the view', async ({ page, site }) => {
  await opened(page, site, bert());
  const first = page.locator('[data-sql-first]');
  await expect(first.getByRole('listitem')).toHaveCount(gallery.torch.length + gallery.trace.length);
  await first.getByRole('button', { name: /Longest slices/ }).click();
  await expect(page.locator('[data-sql-text]')).toHaveValue(/order by dur desc/);
  await expect(first).toHaveCount(0);
});

test('a NEFF has queries of its tables', async ({ page, site }) => {
  await start(page, site);
  await kinds.find(([name]) => name === 'neff')[1](page);
  await show(page, 'sql');
  await view(page).getByRole('button', { name: 'Gallery' }).click();
  const all = page.locator('[data-sql-query]');
  await expect(all.first()).toContainText(/^Rows of /);
  expect(await all.count()).toBeGreaterThan(1);
});

test('a profile without a timeline has queries of its tables', async ({ page, site }) => {
  await start(page, site);
  await dropFiles(page, { name: 'neuron_framework_op.json', bytes: JSON.stringify({ ops: [{ 'Op Name': 'a', Occurrences: 1, 'Neuron Device': 0, NeuronCore: 0, 'Time (ns)': 5 }], total_time: 5 }) });
  await show(page, 'sql');
  await view(page).getByRole('button', { name: 'Gallery' }).click();
  const all = page.locator('[data-sql-query]');
  await expect(all.nth(1)).toBeVisible();
  await all.first().click();
  const query = await page.locator('[data-sql-text]').inputValue();
  expect((await found(page, query)).length).toBeGreaterThan(0);
});

/** Sums of numbers by a key, for what two tables split differently. */
const summed = (rows, key, value) => rows.reduce((all, row) => ({ ...all, [key(row)]: (all[key(row)] ?? 0) + row[value] }), {});
const common = (a, b) => Object.keys(a).filter((key) => key in b);

test('values of a device profile are those of its views', async ({ page, site }) => {
  await opened(page, site, fused());
  const engines = await found(page, "select engine, pcore_idx, count, busy_ns, null as bytes from (select engine, pcore_idx, count(*) as count from Instruction group by all) join (select engine, pcore_idx, merged(start_ts, end_ts) as busy_ns from Instruction where opcode <> 'EVENT_SEMAPHORE' group by all) using (engine, pcore_idx) union all select 'DMA', pcore_idx, count(*), merged(start_ts, end_ts), sum(transfer_bytes)::bigint from DmaPacket group by all");
  const opcodes = await found(page, 'select pcore_idx, engine, opcode, count(*) as count, sum(duration_ns) as time_ns, sum(evt_wait_time_ns) as wait_ns, count(*) filter (evt_wait_time_ns > 0) as waiting from Instruction group by all');
  const tensors = await found(page, 'select variable_name as name, any_value(size) as size from TensorInfo where variable_name is not null group by all');
  const [{ flops }] = await found(page, 'select sum(raw_flops) as flops from Instruction');

  // Instructions, transfers, busy time and bytes by engine and core.
  await show(page, 'summary');
  const seen = await rowsOf(page, 'engines');
  expect(seen.length).toBe(12);
  const rows = (all, core) => all.map((row) => [row.engine, core(row), row.count, row.busy_ns, Number(row.bytes ?? 0)]).sort();
  expect(rows(engines, (row) => row.pcore_idx)).toEqual(rows(seen, (row) => Number(row.core.replace(/\D/g, '')) - 4));

  // Executions, time and waits by opcode, of the core that is shown.
  await show(page, 'bounds');
  const waits = await rowsOf(page, 'waits');
  expect(waits.length).toBeGreaterThan(5);
  const key = (row) => `${row.engine} ${row.opcode}`;
  for (const value of ['count', 'time_ns', 'wait_ns', 'waiting']) {
    const theirs = summed(waits, key, value);
    const ofCores = [0, 1].map((core) => summed(opcodes.filter((row) => row.pcore_idx === core), key, value));
    const differ = ofCores.map((ours) => Object.keys(theirs).filter((name) => ours[name] !== theirs[name]).map((name) => [value, name, ours[name], theirs[name]]));
    expect(differ[0].length < differ[1].length ? differ[0] : differ[1]).toEqual([]);
  }

  await show(page, 'tensors');
  const sizes = (all) => Object.fromEntries(all.filter((row) => row.name && row.size !== null).map((row) => [row.name, row.size]));
  expect(Object.keys(sizes(tensors)).length).toBe(5);
  expect(sizes(await rowsOf(page, 'tensors'))).toMatchObject(sizes(tensors));
  await show(page, 'operators');
  expect((await rowsOf(page, 'operators')).reduce((n, row) => n + (row.flops ?? 0), 0)).toBe(flops);
});

test('values of a PyTorch trace are those of its views', async ({ page, site }) => {
  await opened(page, site, bert());
  const kernels = await found(page, 'select name, count(*) as calls, sum(dur) as total_ns, min(dur) as min_ns, max(dur) as max_ns from kernel group by name');
  const steps = await found(page, 'select name, dur from step');
  await show(page, 'kernels');
  const seen = await rowsOf(page, 'kernels');
  expect(seen.length).toBeGreaterThan(5);
  for (const value of ['calls', 'total_ns', 'min_ns', 'max_ns']) {
    const of = (rows) => Object.fromEntries(rows.map((row) => [row.name, row[value]]));
    const [ours, theirs] = [of(kernels), of(seen)];
    expect(common(theirs, ours).length).toBe(seen.length);
    for (const name of Object.keys(theirs)) expect(ours[name], `${value} of ${name}`).toBe(theirs[name]);
  }
  await show(page, 'steps');
  expect((await rowsOf(page, 'steps')).map((row) => row.name).sort()).toEqual(steps.map((row) => `ProfilerStep#${row.name}`).sort());
});

test('values of a system profile are those of its view', async ({ page, site }) => {
  await start(page, site);
  await kinds.find(([name]) => name === 'neuron-system')[1](page);
  await show(page, 'sql');
  const cores = await found(page, "select nc_idx, count(*) as count, merged(start_ts, end_ts) as busy_ns, sum(duration_ns) as total_ns, min(duration_ns) as min_ns, max(duration_ns) as max_ns from SystemProfileEvents where name like 'nc_exec_running%' group by nc_idx");
  const cpus = await found(page, 'select cpu_id, count(*) as n, max(util_percent) as most from CpuUsage group by cpu_id order by cpu_id');
  await show(page, 'system');
  const seen = await rowsOf(page, 'cores');
  expect(seen.length).toBe(1);
  for (const value of ['count', 'busy_ns']) expect(cores[0][value], value).toBe(seen[0][value]);
  const executions = await rowsOf(page, 'executions');
  expect(executions.reduce((n, row) => n + row.calls, 0)).toBe(cores[0].count);
  for (const value of ['total_ns', 'min_ns', 'max_ns']) expect(cores[0][value], value).toBe(executions[0][value]);
  const use = (await rowsOf(page, 'cpus')).map((row) => [row.cpu.replace(/\D/g, ''), row.n, Math.round(row.most * 100)]).sort();
  expect(use).toEqual(cpus.map((row) => [row.cpu_id, row.n, Math.round(row.most)]).sort());
});

test('a system profile has the same events as JSON and as tables', async ({ page, site }) => {
  await start(page, site);
  await kinds.find(([name]) => name === 'neuron-system-tables')[1](page);
  await show(page, 'sql');
  const types = Object.fromEntries((await found(page, 'describe SystemProfileEvents')).map((row) => [row.column_name, row.column_type]));
  expect(types).toMatchObject({ id: 'BIGINT', name: 'VARCHAR', start_ts: 'BIGINT', duration_ns: 'BIGINT', process_id: 'BIGINT', flow_id: 'VARCHAR', extra_attributes_json: 'VARCHAR' });
  const [{ n, differs }] = await found(page, 'select count(*) as n, count(*) filter (end_ts - start_ts <> duration_ns or start_ts < 0) as differs from SystemProfileEvents');
  expect(n).toBe(3);
  expect(differs).toBe(0);
  await page.locator('[data-sql-text]').fill('select id, name, start_ts, end_ts from SystemProfileEvents order by duration_ns desc limit 1');
  const [longest] = await found(page, await page.locator('[data-sql-text]').inputValue());
  await page.locator('table[data-table="sql"] tbody tr[data-row]').first().click();
  await expect(page.locator('[data-view="details"]')).toContainText(longest.name);
});
