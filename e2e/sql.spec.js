// SQL over profiles: the gallery, values that other views show, errors, and nothing from another host.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cells, dropFiles, expect, idle, kineto, neuron, openProfile, show, start, test } from './support.js';
import { kinds } from './kinds.js';

const gallery = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'public', 'sql', 'gallery.json'), 'utf8'));
const rows = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'tests', 'fixtures', 'sql', 'gallery_rows.json'), 'utf8'));
const fused = () => neuron('fused_attention', 'fused_exec_2_profile_full.json');
const baseline = () => neuron('baseline_attention', 'baseline_exec_2_profile_full.json');
const bert = () => kineto('tracelens-traces', 'h100', 'gaunernst_bert-small-uncased__1016001.json.gz');

/** A trace of 20 slices and more. */
const small = (more = 0) => JSON.stringify({ traceEvents: Array.from({ length: 20 + more }, (_, i) => ({ ph: 'X', name: `n${i % 4}`, pid: 1, tid: 1, ts: i * 10, dur: 5 })) });
const ENDLESS = 'with recursive x(i) as (select 1 union all select i + 1 from x) select count(*) from x';

const view = (page) => page.locator('[data-view="sql"]');

/** Runs a query and waits for its end: `ready` or `failed`. */
async function run(page, text) {
  const n = Number(await view(page).getAttribute('data-sql-runs'));
  await page.locator('[data-sql-text]').fill(text);
  await page.locator('[data-sql-text]').press('Control+Enter');
  await expect(view(page)).toHaveAttribute('data-sql-runs', String(n + 1), { timeout: 45_000 });
  await idle(page);
  return view(page).getAttribute('data-sql');
}

/** What is wrong with the query. */
const problem = (page) => page.locator('[data-sql-problem]').textContent();

/** The cells of a result's column. */
const result = async (page, query, column) => {
  expect(await run(page, query), await view(page).textContent()).toBe('ready');
  return cells(page, 'sql', column);
};

async function opened(page, site, ...files) {
  await start(page, site);
  await openProfile(page, ...files);
  await show(page, 'sql');
}

/** Runs a gallery; `expected` are the rows that the converted tables give in scripts/tables. */
const runAll = async (page, kind, expected) => {
  const wrong = [];
  for (const [title, , query] of gallery[kind]) {
    if (await run(page, query) !== 'ready') {
      wrong.push(`${title}: ${await problem(page)}`);
    } else if (expected) {
      const n = Number((await page.locator('[data-sql-status]').textContent()).split('row')[0].replace(/\D/g, ''));
      if (n !== expected[title]) wrong.push(`${title}: ${n} rows, ${expected[title]} expected`);
    }
  }
  expect(wrong).toEqual([]);
};

test('every query of the gallery runs on a device profile, and the values are those of the views', async ({ page, site }) => {
  const requested = [];
  page.on('request', (request) => requested.push(new URL(request.url())));
  await opened(page, site, fused());
  expect(requested.some((url) => url.pathname.includes('/duckdb/')), 'the engine is not loaded before a query is run').toBe(false);
  await runAll(page, 'device', rows.device);
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

  // A row leads to the slice.
  await run(page, 'select start_ts, end_ts, opcode from Instruction order by duration_ns desc limit 1');
  const opcode = (await cells(page, 'sql', 'opcode'))[0];
  await page.locator('table[data-table="sql"] tbody tr[data-row]').first().click();
  await expect(page.locator('[data-view="timeline"]')).toBeVisible();
  await expect(page.locator('[data-view="details"]')).toContainText(opcode);
});

test('queries that people run over the Parquet tables run unchanged', async ({ page, site }) => {
  await opened(page, site, fused());
  for (const query of [
    "SELECT engine, SUM(duration_ns) AS busy FROM ActiveTime WHERE pcore_idx = 0 GROUP BY engine",
    "SELECT SUM(transfer_bytes) FROM DmaPacketAggregated WHERE source = '[[INPUT]]'",
    'SELECT id, engine, opcode, start_ts, end_ts, duration_ns, evt_wait_time_ns, operands, adjusted_flops, tensor_instruction_type, hbm_read_bytes, hbm_write_bytes, hlo_name, nki_source_location, bir_debug_info_source_location, bir_id, pcore_idx, dma_trigger_start_ts, dma_wait_time_ns FROM Instruction WHERE engine = \'Tensor\'',
    'SELECT queue_type, queue_name, op, source, dest, variable, read_num_sbuf_partitions, write_num_sbuf_partitions FROM DmaPacketAggregated',
    'SELECT variable_name, type, size FROM TensorInfo',
    'SELECT in_table, in_id, out_table, out_id FROM Flow',
    'SELECT dma_ddr_bandwidth, hbm_ddr_bandwidth, tensor_engine_num_rows, tensor_engine_num_cols, tensor_engine_clock_freq FROM Metadata',
    'SELECT total_time, hardware_flops, transpose_flops FROM Summary',
  ]) expect(await run(page, query), `${query}: ${await view(page).textContent()}`).toBe('ready');
});

test('every query of the gallery runs on a PyTorch trace, and the values are those of the views', async ({ page, site }) => {
  await opened(page, site, bert());
  await runAll(page, 'torch', rows.torch);
  await runAll(page, 'trace', rows.trace);
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

test('the gallery of device profiles runs on an NTFF with its NEFF', async ({ page, site }) => {
  await opened(page, site, neuron('fused_attention', 'fused_exec_2.ntff'), neuron('fused_attention', 'fused.neff'));
  await runAll(page, 'device');
});

test('every query of the gallery runs on a Chrome trace and a system profile', async ({ page, site }) => {
  for (const kind of ['chrome', 'neuron-system']) {
    await start(page, site);
    await kinds.find(([name]) => name === kind)[1](page);
    await show(page, 'sql');
    await runAll(page, 'trace');
  }
});

test('several profiles are schemas', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, fused());
  await openProfile(page, baseline());
  await show(page, 'sql');
  const schemas = await view(page).locator('.sql__note code').allTextContents();
  expect(schemas.length).toBe(3);
  const counts = await result(page, `select (select count(*) from Instruction) as n union all select count(*) from ${schemas[1]}.Instruction`, 'n');
  const n = (path) => JSON.parse(readFileSync(path)).instruction.length;
  expect(counts.map(Number)).toEqual([n(baseline()), n(fused())]);
});

test('a wrong query is one sentence with its place, and the page stays alive', async ({ page, site }) => {
  await opened(page, site, bert());
  for (const [query, sentence] of [
    ['', /gallery/],
    ['select 1; select 2', /One query/],
    ["copy slice to 'x.csv'", /COPY/],
    ["attach 'x.db'", /ATTACH/],
    ['install httpfs', /INSTALL/],
    ['select *\nfrom kernels', /Line 2, column 6: .*kernels.*kernel/],
    ['select nam from kernel', /Line 1, column 8: .*nam.*name/],
    ['select 1 +', /Line \d/],
    ["select * from read_csv('https://example.com/a.csv')", /disabled by configuration/],
    ["select * from 'https://example.com/a.parquet'", /does not exist/],
  ]) {
    expect(await run(page, query), query).toBe('failed');
    expect(await problem(page), query).toMatch(sentence);
  }
  expect(await result(page, 'select 41 + 1 as v', 'v')).toEqual(['42']);

  // Without an end: cancelled, and the next query runs.
  await page.locator('[data-sql-text]').fill(ENDLESS);
  await page.locator('[data-sql-run]').click();
  await expect(view(page)).toHaveAttribute('data-sql', 'running');
  await page.locator('[data-sql-cancel]').click();
  await expect(view(page)).toHaveAttribute('data-sql', 'failed', { timeout: 10_000 });
  expect(await problem(page)).toMatch(/cancelled/);
  expect(await result(page, 'select count(*) > 0 as v from kernel', 'v')).toEqual(['true']);

  // More rows than are shown.
  expect(await run(page, 'select i from range(100000000) r(i)')).toBe('ready');
  await expect(page.locator('[data-sql-status]')).toContainText('the first');
});

test('a query of more than 30 s is ended with a sentence', async ({ page, site }) => {
  await page.clock.install();
  await opened(page, site, bert());
  await result(page, 'select 1 as n', 'n');
  await page.locator('[data-sql-text]').fill(ENDLESS);
  await page.locator('[data-sql-run]').click();
  await expect(view(page)).toHaveAttribute('data-sql', 'running');
  await expect(page.locator('[data-sql-status]')).toContainText('Running');
  await page.clock.fastForward(31_000);
  await expect(view(page)).toHaveAttribute('data-sql', 'failed', { timeout: 10_000 });
  expect(await problem(page)).toMatch(/ended after 30 s/);
  expect(await result(page, 'select 41 + 1 as v', 'v')).toEqual(['42']);
});

test('a query in the link is run again, drawn and completed', async ({ page, site }) => {
  await start(page, site);
  await dropFiles(page, { name: 'trace.json', bytes: small() });
  await show(page, 'sql');
  expect(await result(page, 'select name, count(*) as n from slice group by name order by name', 'n')).toEqual(['5', '5', '5', '5']);
  for (const kind of ['bars', 'line', 'scatter']) {
    await page.locator('[data-sql-chart]').selectOption(kind);
    await expect(page.locator('[data-chart="sql"]')).toBeVisible();
  }
  expect(decodeURIComponent(new URL(page.url()).hash)).toContain('select');
  await page.locator('[data-sql-text]').fill('select self');
  await page.locator('[data-sql-text]').press('End');
  await page.locator('[data-sql-text]').pressSequentially('_');
  await expect(page.locator('#sql-offers li').first()).toContainText('self_dur');
  await page.locator('[data-sql-text]').press('Tab');
  await expect(page.locator('[data-sql-text]')).toHaveValue('select self_dur');
  await view(page).getByRole('button', { name: 'Gallery' }).click();
  await page.locator('[data-sql-query="Longest slices"]').click();
  await expect(page.locator('[data-sql-text]')).toHaveValue(/order by dur desc/);
});

test.describe('without a service worker', () => {
  test.use({ serviceWorkers: 'block' });

  test('without its files the engine says what to do', async ({ page, site }) => {
    await page.route('**/duckdb/**', (route) => route.abort());
    await opened(page, site, bert());
    expect(await run(page, 'select 1')).toBe('failed');
    expect(await problem(page)).toMatch(/connect to the network/);
    await page.unroute('**/duckdb/**');
    expect(await run(page, 'select 1')).toBe('ready');
  });
});

/** Workers of the SQL engine. */
const engines = (page) => page.workers().filter((worker) => worker.url().includes('/duckdb/')).length;

test('closing a profile ends its query and returns the memory, as often as it is opened', async ({ page, site }) => {
  await start(page, site);
  for (let turn = 0; turn < 6; turn++) {
    await dropFiles(page, { name: `trace${turn}.json`, bytes: small(turn) });
    await show(page, 'sql');
    expect(await result(page, 'select count(*) as n from slice', 'n')).toEqual([String(20 + turn)]);
    expect(engines(page)).toBe(1);
    if (turn % 2) {
      await page.locator('[data-sql-text]').fill(ENDLESS);
      await page.locator('[data-sql-run]').click();
      await expect(view(page)).toHaveAttribute('data-sql', 'running');
    }
    await page.getByRole('button', { name: `Close trace${turn}.json` }).click();
    await expect(view(page)).toHaveCount(0);
    await expect.poll(() => engines(page)).toBe(0);
  }
});

test('200 profiles that are opened, queried and closed leave no memory behind', async ({ page, site }) => {
  test.setTimeout(600_000);
  await start(page, site);
  await dropFiles(page, { name: 'stays.json', bytes: small() });
  const used = async () => {
    await show(page, 'sql');
    const bytes = Number((await result(page, "select sum(memory_usage_bytes)::bigint::varchar as v from duckdb_memory()", 'v'))[0]);
    const schemas = Number((await result(page, 'select count(*)::varchar as v from duckdb_schemas() where not internal', 'v'))[0]);
    return { bytes, schemas };
  };
  await used();
  let early;
  for (let turn = 0; turn < 200; turn++) {
    await dropFiles(page, { name: `trace${turn}.json`, bytes: small(turn + 1) });
    await show(page, 'sql');
    expect(await result(page, 'select count(*)::varchar as n from slice', 'n')).toEqual([String(21 + turn)]);
    await page.getByRole('button', { name: `Close trace${turn}.json` }).click();
    await idle(page);
    if (turn === 19) early = await used();
  }
  const late = await used();
  expect(engines(page)).toBe(1);
  expect(late.schemas).toBe(early.schemas);
  expect(late.bytes - early.bytes, JSON.stringify({ early, late })).toBeLessThan(4e6);
});

test('two pages run queries at once', async ({ page, site, context }) => {
  const other = await context.newPage();
  for (const [n, tab] of [page, other].entries()) {
    await start(tab, site);
    await dropFiles(tab, { name: 'trace.json', bytes: small(n) });
    await show(tab, 'sql');
  }
  const counts = await Promise.all([page, other].map((tab) => result(tab, 'select count(*) as n from slice', 'n')));
  expect(counts).toEqual([['20'], ['21']]);
  await other.close();
});

test('a minute after the view is left the engine ends', async ({ page, site }) => {
  await page.clock.install();
  await opened(page, site, bert());
  await result(page, 'select 1 as n', 'n');
  await show(page, 'timeline');
  await page.clock.fastForward(50_000);
  expect(engines(page)).toBe(1);
  await page.clock.fastForward(11_000);
  await expect.poll(() => engines(page)).toBe(0);
  await show(page, 'sql');
  expect(await result(page, 'select 41 + 1 as n', 'n')).toEqual(['42']);
});
