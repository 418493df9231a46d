// Times of queries in the SQL view: of the engine's start, of the first query over a table, which loads its columns, and of the same query again.

const OF_SLICES = [
  ['group', 'select name, count(*) as n, sum(dur) as time_ns from slice group by name'],
  ['window', 'select max(gap) as longest_ns from (select ts - lag(ts + dur) over (partition by track_id order by ts) as gap from slice)'],
  ['six columns', 'select count(id), count(parent_id), max(depth), sum(self_dur), count(category), count(track_id) from slice'],
];
const OF_DEVICE = [
  ['group', 'select engine, opcode, count(*) as n, sum(duration_ns) as time_ns from Instruction group by all'],
  ['group of transfers', 'select queue_name, count(*) as n, sum(transfer_bytes) as bytes from DmaPacket group by queue_name'],
  ['window', 'select max(gap) as longest_ns from (select start_ts - lag(end_ts) over (partition by engine order by start_ts) as gap from Instruction)'],
  ['join', 'select count(*) as n from Instruction i join DmaPacket d on d.start_ts >= i.start_ts and d.start_ts < i.end_ts and i.engine = \'Tensor\' where i.start_ts < 1000000'],
];

/** Tables that a query loads. */
const tables = (text) => ['slice', 'Instruction', 'DmaPacket'].filter((name) => new RegExp(`\\b${name}\\b`).test(text));

/** Milliseconds of each query: `first` with what it loads, `again` without; and how many rows of its tables were loaded in a second of the difference. */
export async function queries(page, isDevice) {
  await page.locator('[data-nav="sql"]').first().click();
  const view = page.locator('[data-view="sql"]');
  const run = async (text) => {
    const n = Number(await view.getAttribute('data-sql-runs'));
    await page.locator('[data-sql-text]').fill(text);
    const began = Date.now();
    await page.locator('[data-sql-run]').click();
    await page.waitForFunction((n) => document.querySelector('[data-view="sql"]').dataset.sqlRuns === String(n + 1), n, { timeout: 300_000 });
    const ms = Date.now() - began;
    if (await view.getAttribute('data-sql') !== 'ready') throw new Error(`${text}: ${await page.locator('[data-sql-problem]').textContent()}`);
    return ms;
  };
  const out = { engine_ms: await run('select 1') };
  const counts = {};
  const cell = page.locator('table[data-table="sql"] tbody tr[data-row] td').first();
  for (const [name, text] of isDevice ? OF_DEVICE : OF_SLICES) {
    const times = { first_ms: await run(text), again_ms: await run(text) };
    for (const table of tables(text)) {
      if (counts[table] === undefined) {
        await run(`select count(*)::varchar as n from ${table}`);
        counts[table] = Number(await cell.textContent());
      }
    }
    const n = tables(text).reduce((sum, table) => sum + counts[table], 0);
    out[name] = { ...times, rows: n, loaded_rows_per_s: Math.round(n * 1000 / Math.max(times.first_ms - times.again_ms, 1)) };
  }
  // How long the page stands still at most while a million rows come and are shown.
  await page.evaluate(() => {
    window.sqlWorst = 0;
    let before = performance.now();
    const frame = (now) => { window.sqlWorst = Math.max(window.sqlWorst, now - before); before = now; requestAnimationFrame(frame); };
    requestAnimationFrame(frame);
  });
  out['a million rows'] = { first_ms: await run(isDevice ? 'select id, start_ts, end_ts, opcode from Instruction' : 'select id, ts, dur, name from slice') };
  await page.waitForTimeout(1000);
  out['a million rows'].worst_frame_ms = Math.round(await page.evaluate(() => window.sqlWorst));
  return out;
}
