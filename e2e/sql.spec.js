// The SQL view: several profiles, errors, limits, links, memory of the engine, and nothing from another host.
import { readFileSync } from 'node:fs';
import { dropFiles, expect, idle, openProfile, show, start, test } from './support.js';
import { baseline, bert, found, fused, opened, problem, result, run, small, view } from './sql_support.js';

const ENDLESS = 'with recursive x(i) as (select 1 union all select i + 1 from x) select count(*) from x';

/** Saves the workspace by the command palette. */
async function saveWorkspace(page) {
  await page.keyboard.press('Control+k');
  await page.keyboard.type('save workspace');
  await page.keyboard.press('Enter');
}

test('several profiles are schemas', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, fused());
  await openProfile(page, baseline());
  await show(page, 'sql');
  const schemas = await view(page).locator('[data-sql-schema]').allTextContents();
  expect(schemas.length).toBe(2);
  const counts = await result(page, `select (select count(*) from Instruction) as n union all select count(*) from ${schemas[1]}.Instruction`, 'n');
  const n = (path) => JSON.parse(readFileSync(path)).instruction.length;
  expect(counts.map(Number)).toEqual([n(baseline()), n(fused())]);

  // The one in front is the experiment, the other one the base; a new column of a table does not change that.
  expect(await view(page).locator('.sql__note').textContent()).toMatch(/or experiment.*or base/);
  const both = 'select (select count(*) from experiment.Instruction)::varchar as e, (select count(*) from base.Instruction)::varchar as b';
  expect(await found(page, both)).toEqual([{ e: String(n(baseline())), b: String(n(fused())) }]);
  const [{ gain }] = await found(page, 'select (select max(end_ts) - min(start_ts) from base.Instruction) - (select max(end_ts) - min(start_ts) from experiment.Instruction) as gain');
  const span = (path) => { const { instruction } = JSON.parse(readFileSync(path)); return Math.max(...instruction.map((r) => r.timestamp + r.duration)) - Math.min(...instruction.map((r) => r.timestamp)); };
  expect(gain).toBe(span(fused()) - span(baseline()));
  expect((await found(page, "select base.busy('Tensor', 0, 1000000000) as a, experiment.busy('Tensor', 0, 1000000000) as b"))[0].a).toBeGreaterThan(0);
  await page.getByRole('button', { name: /^Close .*fused/ }).click();
  await idle(page);
  expect(await run(page, both)).toBe('failed');
  expect(await problem(page)).toMatch(/experiment|base/);
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
  await expect(page.locator('[data-sql-status]')).toHaveText('The result below is of an earlier query.');
  expect(await result(page, 'select count(*) > 0 as v from kernel', 'v')).toEqual(['true']);

  // Escape in the text cancels as well.
  await page.locator('[data-sql-text]').fill(ENDLESS);
  await page.locator('[data-sql-run]').click();
  await expect(view(page)).toHaveAttribute('data-sql', 'running');
  await page.locator('[data-sql-text]').press('Escape');
  await expect(view(page)).toHaveAttribute('data-sql', 'failed', { timeout: 10_000 });
  expect(await problem(page)).toMatch(/cancelled/);

  // Queries with a result are in the history, the last one first; one of them goes back into the text.
  await view(page).getByRole('button', { name: 'Saved' }).click();
  const history = page.locator('.sql__list').last().getByRole('button');
  await expect(history).toHaveText(['select count(*) > 0 as v from kernel', 'select 41 + 1 as v']);
  await history.last().click();
  await expect(page.locator('[data-sql-text]')).toHaveValue('select 41 + 1 as v');

  // More rows than are shown.
  expect(await run(page, 'select i from range(100000000) r(i)')).toBe('ready');
  await expect(page.locator('[data-sql-status]')).toContainText('the first');

  // More memory than there is: a sentence, and the next query runs.
  expect(await run(page, "select len(string_agg(i || repeat('x', 200), ',')) as n from range(20000000) r(i)")).toBe('failed');
  expect(await problem(page)).toMatch(/memory|30 s/);
  expect(await result(page, 'select 41 + 1 as v', 'v')).toEqual(['42']);
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

test('a query in the link is run again, drawn and completed', async ({ page, site, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await start(page, site);
  await dropFiles(page, { name: 'trace.json', bytes: small() });
  await show(page, 'sql');
  expect(await result(page, 'select name, count(*) as n from slice group by name order by name', 'n')).toEqual(['5', '5', '5', '5']);
  for (const kind of ['bars', 'line', 'scatter']) {
    await page.locator('[data-sql-chart]').selectOption(kind);
    await expect(page.locator('[data-chart="sql"]')).toBeVisible();
  }
  expect(decodeURIComponent(new URL(page.url()).hash)).toContain('select');
  expect(await page.evaluate(async () => { await navigator.clipboard.writeText(''); return true; }).catch(() => false)).toBe(true);
  await view(page).getByRole('button', { name: 'Copy as Markdown' }).click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied.split('\n').slice(0, 3)).toEqual(['| name | n |', '| --- | ---: |', '| n0 | 5 |']);
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

test('a link brings its query, and named queries travel in the workspace', async ({ page, site, browser }) => {
  await start(page, site);
  await dropFiles(page, { name: 'trace.json', bytes: small() });
  await show(page, 'sql');
  await result(page, 'select max(dur) as longest from slice', 'longest');
  const link = page.url();
  await view(page).getByRole('button', { name: 'Saved' }).click();
  await page.locator('.sql__save input').fill('Longest');
  await page.locator('[data-sql-save]').click();
  await page.keyboard.press('Escape');
  const [file] = await Promise.all([page.waitForEvent('download'), saveWorkspace(page)]);
  const saved = JSON.parse(readFileSync(await file.path(), 'utf8'));
  expect(JSON.stringify(saved)).toContain('select max(dur) as longest from slice');

  // Another browser: the link has the query, the workspace file its name.
  const fresh = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  try {
    const other = await fresh.newPage();
    await other.goto(link);
    await idle(other);
    await dropFiles(other, { name: 'trace.json', bytes: small() });
    await expect(other.locator('[data-view="sql"] [data-sql-text]')).toHaveValue('select max(dur) as longest from slice');
    await other.locator('[data-sql-run]').click();
    await expect(view(other)).toHaveAttribute('data-sql-runs', '1', { timeout: 45_000 });
    const data = await other.evaluateHandle((text) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], 'mine.axonspace'));
      return transfer;
    }, readFileSync(await file.path(), 'utf8'));
    for (const type of ['dragenter', 'dragover', 'drop']) await other.dispatchEvent('body', type, { dataTransfer: data });
    await expect.poll(() => other.evaluate(() => localStorage.getItem('axonscope.sql') ?? '')).toContain('Longest');
    await show(other, 'timeline');
    await show(other, 'sql');
    await view(other).getByRole('button', { name: 'Saved' }).click();
    await expect(view(other).locator('.sql__named')).toContainText('Longest');
  } finally {
    await fresh.close();
  }
});

test('without its files the engine says what to do', async ({ page, site }) => {
  await page.route('**/duckdb/**', (route) => route.abort());
  await opened(page, site, bert());
  expect(await run(page, 'select 1')).toBe('failed');
  expect(await problem(page)).toMatch(/connect to the network/);
  await page.unroute('**/duckdb/**');
  expect(await run(page, 'select 1')).toBe('ready');
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

/** Drops a trace, counts its slices in SQL and closes it, by the page's own events: returns the count that is shown. Runs in the page. */
async function openQueryClose({ name, text }) {
  const one = (selector) => document.querySelector(selector);
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const until = async (is) => { while (!is()) await frame(); };
  const tabs = () => document.querySelectorAll('[role=tab]').length;
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([text], name));
  for (const type of ['dragenter', 'dragover', 'drop']) document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
  await until(() => one('[role=tab][aria-selected="true"]')?.textContent.includes(name) && one('[data-view="timeline"]'));
  one('[data-nav="sql"]').click();
  await until(() => one('[data-view="sql"]'));
  const field = one('[data-sql-text]');
  field.value = 'select count(*)::varchar as n from slice';
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
  const n = one('[data-view="sql"]').dataset.sqlRuns;
  field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true, cancelable: true }));
  await until(() => one('[data-view="sql"]').dataset.sqlRuns !== n);
  for (let i = 0; i < 2; i++) await frame();
  const count = one('table[data-table="sql"] tbody tr[data-row] td').textContent;
  one(`[aria-label="Close ${name}"]`).click();
  await until(() => tabs() === 1);
  return count;
}

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
    expect(await page.evaluate(openQueryClose, { name: `trace${turn}.json`, text: small(turn + 1) })).toBe(String(21 + turn));
    if (turn === 19) early = await used();
  }
  const late = await used();
  expect(engines(page)).toBe(1);
  expect(late.schemas).toBe(early.schemas);
  expect(late.bytes - early.bytes, JSON.stringify({ early, late })).toBeLessThan(4e6);
});

test('two pages run queries at once', async ({ page, site, context }) => {
  // A page behind another is drawn once a second: each is prepared while it is in front.
  const ready = async (tab, n) => {
    await start(tab, site);
    await dropFiles(tab, { name: 'trace.json', bytes: small(n) });
    await show(tab, 'sql');
  };
  await ready(page, 0);
  const other = await context.newPage();
  await ready(other, 1);
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
