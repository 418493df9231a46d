// What specs of the SQL view share: running a query, and reading its result or that of another view.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cells, expect, kineto, neuron, openProfile, show, start } from './support.js';

export const gallery = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'public', 'sql', 'gallery.json'), 'utf8'));
const fixture = (name) => JSON.parse(readFileSync(join(import.meta.dirname, '..', 'tests', 'fixtures', 'sql', name), 'utf8'));
export const rows = fixture('gallery_rows.json');
export const digests = fixture('gallery_digests.json');
export const fused = () => neuron('fused_attention', 'fused_exec_2_profile_full.json');
export const ntff = (...files) => files.map((file) => neuron('fused_attention', file));
export const baseline = () => neuron('baseline_attention', 'baseline_exec_2_profile_full.json');
export const bert = () => kineto('tracelens-traces', 'h100', 'gaunernst_bert-small-uncased__1016001.json.gz');

/** A trace of 20 slices and more. */
export const small = (more = 0) => JSON.stringify({ traceEvents: Array.from({ length: 20 + more }, (_, i) => ({ ph: 'X', name: `n${i % 4}`, pid: 1, tid: 1, ts: i * 10, dur: 5 })) });

export const view = (page) => page.locator('[data-view="sql"]');

/** Runs a query and waits for its end, and until that is drawn: `ready` or `failed`. Not for the address, which follows a pause later. */
export async function run(page, text) {
  const n = Number(await view(page).getAttribute('data-sql-runs'));
  await page.locator('[data-sql-text]').fill(text);
  await page.locator('[data-sql-text]').press('Control+Enter');
  await page.waitForFunction((n) => document.querySelector('[data-view="sql"]')?.dataset.sqlRuns === n, String(n + 1), { timeout: 45_000 });
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return view(page).getAttribute('data-sql');
}

/** What is wrong with the query. */
export const problem = (page) => page.locator('[data-sql-problem]').textContent();

/** The cells of a result's column. */
export const result = async (page, query, column) => {
  expect(await run(page, query), await view(page).textContent()).toBe('ready');
  return cells(page, 'sql', column);
};

export async function opened(page, site, ...files) {
  await start(page, site);
  await openProfile(page, ...files);
  await show(page, 'sql');
}

/** The rows of a table of another view, as its JSON has them: unrounded. */
export async function rowsOf(page, id) {
  const part = page.locator('.table-part', { has: page.locator(`table[data-table="${id}"]`) }).last();
  const [file] = await Promise.all([page.waitForEvent('download'), part.getByRole('button', { name: 'JSON' }).click()]);
  return JSON.parse(readFileSync(await file.path(), 'utf8'));
}

/** The result of a query, the same way. */
export const found = async (page, query) => {
  expect(await run(page, query), await view(page).textContent()).toBe('ready');
  return rowsOf(page, 'sql');
};

/** What a result holds as one word, whatever the order of its rows: for comparing with another engine's. Floats to nine digits. */
const digest = (query, fields) => {
  const isFloat = (kind) => /^(FLOAT|DOUBLE|DECIMAL)/.test(kind);
  const cell = ({ name, kind }) => {
    const quoted = `"${name.replaceAll('"', '""')}"`;
    return `coalesce(${isFloat(kind) ? `format('{:.9g}', ${quoted}::double)` : `${quoted}::varchar`}, '∅')`;
  };
  return `select md5(string_agg(line, chr(10) order by line)) as digest from (select concat_ws('|', ${fields.map(cell).join(', ')}) as line from (${query}))`;
};

/** Runs `queries` as one, each with its number as the column `nth`. */
const allOf = (page, queries) => found(page, queries.map((query, nth) => `select ${nth} as nth, * from (${query})`).join(' union all '));

/** Digests of the results of queries, null where there are no rows; `shown` are the columns that the table had. */
async function digestsOf(page, queries, shown) {
  const described = await allOf(page, queries.map((query) => `select column_name, column_type from (describe ${query})`));
  const fields = queries.map((_, nth) => described.filter((row) => row.nth === nth).map((row) => ({ name: row.column_name, kind: row.column_type })));
  expect(fields.map((all) => all.map((field) => field.name))).toEqual(shown);
  const rows = await allOf(page, queries.map((query, nth) => digest(query, fields[nth])));
  return queries.map((_, nth) => rows.find((row) => row.nth === nth).digest || null);
}

/** Runs a gallery; `expected` are the rows that the converted tables give in scripts/tables. */
export const runAll = async (page, kind, expected, digests) => {
  const wrong = [];
  const shown = [];
  for (const [title, , query] of gallery[kind]) {
    if (await run(page, query) !== 'ready') {
      wrong.push(`${title}: ${await problem(page)}`);
    } else if (expected) {
      const n = Number((await page.locator('[data-sql-status]').textContent()).split('row')[0].replace(/\D/g, ''));
      if (n !== expected[title]) wrong.push(`${title}: ${n} rows, ${expected[title]} expected`);
    }
    shown.push(await page.locator('table[data-table="sql"] thead th').evaluateAll((all) => all.map((th) => th.dataset.column)));
  }
  expect(wrong).toEqual([]);
  if (!digests) return;
  const digested = await digestsOf(page, gallery[kind].map(([, , query]) => query), shown);
  gallery[kind].forEach(([title], nth) => {
    if (digested[nth] !== digests[title]) wrong.push(`${title}: other values than the converted tables have (${digested[nth]})`);
  });
  expect(wrong).toEqual([]);
};
