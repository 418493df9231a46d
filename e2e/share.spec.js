// What the Share button saves and copies: pictures, reports, a Chrome trace that opens again, one HTML file that opens from a disk.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { crc32, gzipSync } from 'node:zlib';
import { conformance, dropFiles, expect, idle, kineto, lanes, neuron, openProfile, picture, samples, settled, show, start, test, timeline } from './support.js';

const CPU = join(samples, 'cpu_single.pt.trace.json.gz');

/** Chooses an action of the Share dialog, and returns the path of what is saved. */
async function saved(page, action, then = async () => {}) {
  const download = page.waitForEvent('download');
  await page.locator('[data-share]').click();
  await page.locator(`[data-share-action="${action}"]`).click();
  await then();
  const file = await download;
  return { path: await file.path(), name: file.suggestedFilename() };
}

test('the link of a view is copied, with the name of the file that it needs', async ({ page, site, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await start(page, site);
  await openProfile(page, CPU);
  await show(page, 'operators');
  await expect.poll(() => page.url()).toContain('view=operators');
  await page.locator('[data-share]').click();
  await picture(page, 'share-dialog');
  await page.locator('[data-share-action="link"]').click();
  await expect(page.locator('.notice')).toContainText('cpu_single.pt.trace.json');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(page.url());
});

test('a picture of the timeline has its rows, legend and range', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, CPU);
  const png = await saved(page, 'png');
  expect(png.name).toMatch(/\.png$/);
  const bytes = readFileSync(png.path);
  expect(bytes.subarray(1, 4).toString()).toBe('PNG');
  const plot = await page.locator('.timeline__plot').boundingBox();
  expect(bytes.readUInt32BE(16), 'twice as many pixels as on screen').toBeGreaterThan(2 * plot.width);
  const svg = await saved(page, 'svg');
  const text = readFileSync(svg.path, 'utf8');
  expect(text).toContain('Entire trace');
  expect(text).toContain('cpu_single');
  expect((text.match(/<path fill="#/g) ?? []).length, 'slices by colour').toBeGreaterThan(5);
  for (const label of await page.locator('.timeline__label .timeline__name').allTextContents()) expect(text).toContain(label.slice(0, 6));
  const isSound = await page.evaluate((source) => new DOMParser().parseFromString(source, 'image/svg+xml').querySelector('parsererror') === null, text);
  expect(isSound).toBe(true);
});

test('the timeline and charts are copied as images', async ({ page, site, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await start(page, site);
  await openProfile(page, CPU);
  await page.locator('[data-share]').click();
  await page.locator('[data-share-action="copy"]').click();
  await expect(page.locator('.notice')).toContainText('copied');
  const types = () => page.evaluate(async () => (await navigator.clipboard.read()).flatMap((item) => item.types));
  expect(await types()).toContain('image/png');
  await show(page, 'overview');
  const copy = page.locator('figure.chart button', { hasText: 'Copy' }).first();
  await copy.click();
  await expect(page.locator('figure.chart button', { hasText: 'Copied' })).toHaveCount(1);
});

test('a Chrome trace of a range opens again, and is the range', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, CPU);
  const all = JSON.parse(readFileSync((await saved(page, 'trace')).path, 'utf8'));
  const slices = (trace) => trace.traceEvents.filter((event) => event.ph === 'X').length;
  expect(slices(all)).toBeGreaterThan(100);
  const box = await (await lanes(page)).boundingBox();
  await page.keyboard.down('Shift');
  await page.mouse.move(box.x + box.width * 0.4, box.y + box.height * 0.5);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.5, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await expect(page.locator('[data-clear-range]')).toBeVisible();
  const part = await saved(page, 'trace');
  expect(part.name).toMatch(/range\.trace\.json$/);
  const of = JSON.parse(readFileSync(part.path, 'utf8'));
  expect(slices(of)).toBeGreaterThan(0);
  expect(slices(of)).toBeLessThan(slices(all));
  await openProfile(page, { name: 'part.json', mimeType: 'application/json', buffer: readFileSync(part.path) });
  await expect(page.locator('[role=tab]')).toHaveCount(2);
});

/** Members of a ZIP archive by its directory, with the sums of their bytes checked: name and bytes. */
function members(path) {
  const bytes = readFileSync(path);
  const end = bytes.length - 22;
  expect(bytes.readUInt32LE(end)).toBe(0x06054b50);
  const out = {};
  for (let [n, at] = [bytes.readUInt16LE(end + 10), bytes.readUInt32LE(end + 16)]; n > 0; n--) {
    expect(bytes.readUInt32LE(at)).toBe(0x02014b50);
    const [crc, size, nName, from] = [bytes.readUInt32LE(at + 16), bytes.readUInt32LE(at + 24), bytes.readUInt16LE(at + 28), bytes.readUInt32LE(at + 42)];
    const name = bytes.subarray(at + 46, at + 46 + nName).toString();
    const data = bytes.subarray(from + 30 + bytes.readUInt16LE(from + 26) + bytes.readUInt16LE(from + 28)).subarray(0, size);
    expect(crc32(data), name).toBe(crc);
    for (const mark of [data.subarray(0, 4), data.subarray(-4)]) expect(mark.toString(), name).toBe('PAR1');
    out[name] = data;
    at += 46 + nName + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return out;
}

const names = (path) => Object.keys(members(path)).map((name) => name.replace('.parquet', ''));

/** Runs a query in the view SQL; the first cell of its result. */
async function answer(page, query) {
  await show(page, 'sql');
  const view = page.locator('[data-view="sql"]');
  const n = Number(await view.getAttribute('data-sql-runs'));
  await page.locator('[data-sql-text]').fill(query);
  await page.locator('[data-sql-run]').click();
  await expect(view).toHaveAttribute('data-sql-runs', String(n + 1), { timeout: 45_000 });
  expect(await view.getAttribute('data-sql'), await view.textContent()).toBe('ready');
  return (await page.locator('table[data-table="sql"] tbody tr[data-row] td').first().textContent()).trim();
}

test('Parquet tables of a device profile open again with the same answers', async ({ page, site }) => {
  const requested = [];
  page.on('request', (request) => requested.push(new URL(request.url()).pathname));
  await start(page, site);
  await openProfile(page, neuron('fused_attention', 'fused_exec_2_profile_full.json'));
  const query = "select concat_ws(' ', (select count(*) from Instruction), (select sum(duration_ns) from Instruction), (select sum(transfer_bytes) from DmaPacket), (select sum(raw_flops) from Instruction), (select count(*) from Flow), (select sum(duration_ns) from ActiveTime), (select hardware_flops from Summary)) as v";
  const before = await answer(page, query);
  const file = await saved(page, 'tables');
  expect(file.name).toMatch(/\.parquet\.zip$/);
  for (const table of ['Instruction', 'DmaPacket', 'ActiveTime', 'Flow', 'Summary', 'Metadata', 'TensorInfo']) expect(names(file.path)).toContain(table);
  await expect(page.locator('.notice')).toContainText('rows were saved');
  await openProfile(page, { name: 'fused.parquet.zip', mimeType: 'application/zip', buffer: readFileSync(file.path) });
  await expect(page.locator('body')).toHaveAttribute('data-profile', 'neuron_parquet');
  expect(await answer(page, query)).toBe(before);
});

test('Parquet tables of a trace, and of its selected range', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, CPU);
  const all = await saved(page, 'tables');
  for (const table of ['slice', 'track', 'thread', 'process', 'args', 'operator', 'step']) expect(names(all.path)).toContain(table);
  const box = await (await lanes(page)).boundingBox();
  await page.keyboard.down('Shift');
  await page.mouse.move(box.x + box.width * 0.4, box.y + box.height * 0.5);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.5, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await expect(page.locator('[data-clear-range]')).toBeVisible();
  const part = await saved(page, 'tables', () => page.locator('dialog .button', { hasText: 'Selected range' }).click());
  expect(part.name).toMatch(/range\.parquet\.zip$/);
  expect(members(part.path)['slice.parquet'].length).toBeLessThan(members(all.path)['slice.parquet'].length);

  // A trace of another program.
  await dropFiles(page, { name: 'chrome.json', bytes: JSON.stringify({ traceEvents: [1, 2, 3].map((i) => ({ ph: 'X', name: `task ${i}`, pid: 1, tid: 1, ts: i * 10, dur: 5, args: { request: i } })) }) });
  const chrome = await saved(page, 'tables');
  expect(names(chrome.path).sort()).toEqual(['args', 'process', 'slice', 'thread', 'track']);
});

test('Parquet tables whose writer cannot be loaded are a sentence, and nothing is lost', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, CPU);
  await page.route('**/full*', (route) => route.abort());
  await page.locator('[data-share]').click();
  await page.locator('[data-share-action="tables"]').click();
  await expect(page.locator('.notice')).toContainText('could not be loaded');
  await page.unroute('**/full*');
  const again = await saved(page, 'tables');
  expect(names(again.path)).toContain('slice');
});

test('a table is saved as JSON', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, CPU);
  await show(page, 'operators');
  const [file] = await Promise.all([page.waitForEvent('download'), page.locator('.table__tools').getByRole('button', { name: 'JSON' }).first().click()]);
  expect(file.suggestedFilename()).toMatch(/operators.*\.json$/);
  const rows = JSON.parse(readFileSync(await file.path(), 'utf8'));
  expect(rows.length).toBeGreaterThan(5);
  expect(typeof rows[0].name).toBe('string');
  expect(Object.values(rows[0]).some((value) => typeof value === 'number')).toBe(true);
});

test('a report has the tables and charts of the view', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, CPU);
  await show(page, 'operators');
  await expect(page.locator('table[data-table="operators"] tbody tr').first()).toBeVisible();
  const markdown = readFileSync((await saved(page, 'markdown')).path, 'utf8');
  expect(markdown).toMatch(/^# Operators/);
  expect(markdown).toContain('Content hash');
  expect(markdown).toMatch(/\| --- \|/);
  expect(markdown).toContain('aten');
  expect(markdown).toContain('view=operators');
  const html = readFileSync((await saved(page, 'html')).path, 'utf8');
  expect(html).toContain('data:image/svg+xml,');
  expect(html).not.toContain('<script');
});

test('a report of chosen views has each of them, with links, markers, and tables of so many rows', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, CPU);
  await show(page, 'timeline');
  await page.locator('body').press('m');
  await expect.poll(() => page.evaluate(() => Object.entries(localStorage).some(([key, text]) => key.startsWith('axonscope.annotations.') && text.includes('Marker 1')))).toBe(true);
  await show(page, 'steps');
  await expect.poll(() => page.url()).toContain('view=steps');
  const nSteps = await page.evaluate(() => history.length);
  const choose = (kind, rows, ...views) => async () => {
    const dialog = page.locator('dialog.ask');
    await expect(dialog.getByRole('checkbox', { name: 'Steps', exact: true })).toBeChecked();
    await dialog.getByRole('button', { name: 'Choose none' }).click();
    for (const view of views) await dialog.getByRole('checkbox', { name: view, exact: true }).check();
    await dialog.getByLabel('Rows of each table').selectOption(String(rows));
    await dialog.getByLabel('Format').selectOption(kind);
    await picture(page, 'share-views');
    await dialog.getByRole('button', { name: 'Save report' }).click();
  };
  const markdown = await saved(page, 'report', choose('markdown', 10, 'Timeline', 'Overview', 'Operators'));
  expect(markdown.name).toMatch(/\.report\.md$/);
  const text = readFileSync(markdown.path, 'utf8');
  expect(text.match(/^## .*/gm)).toEqual(expect.arrayContaining(['## Timeline', '## Overview', '## Operators', '## Links to times']));
  expect(text).toMatch(/\[Marker 1\]\(http[^)]*win=/);
  expect(text).toMatch(/\(http[^)]*view=operators[^)]*\)/);
  const operators = text.slice(text.indexOf('## Operators'));
  expect(operators.split('\n').filter((line) => /^\| aten/.test(line)).length).toBeLessThanOrEqual(10);
  expect(operators).toContain('The first 10 rows');
  await expect(page.locator('[data-view="steps"]'), 'the view of before').toBeVisible();
  expect(await page.evaluate(() => history.length), 'views shown for a report are no steps of Back').toBe(nSteps);
  const html = readFileSync((await saved(page, 'report', choose('html', 25, 'Overview', 'Operators'))).path, 'utf8');
  expect(html).toContain('<h2>Overview</h2>');
  expect(html).toContain('data:image/svg+xml,');
  expect(html).not.toContain('<script');
  // The link of a marker leads there.
  const link = text.match(/\[Marker 1\]\((http[^)]*)\)/)[1];
  await page.goto('about:blank');
  await page.goto(link);
  await openProfile(page, CPU);
  await expect(page.locator('[data-view="timeline"]')).toBeVisible();
  const shown = await timeline(page).getAttribute('data-window');
  expect(link).toContain(`win=${shown}`);
});

test('a report without a view is a sentence', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, CPU);
  await page.locator('[data-share]').click();
  await page.locator('[data-share-action="report"]').click();
  await page.getByRole('button', { name: 'Choose none' }).click();
  await page.getByRole('button', { name: 'Save report' }).click();
  await expect(page.locator('[role=alert]')).toContainText('Choose at least one view');
});

test('one HTML file opens from a disk without a network', async ({ page, site, browser }) => {
  await start(page, site);
  await openProfile(page, CPU);
  await show(page, 'operators');
  const file = await saved(page, 'single', async () => {
    await expect(page.locator('[data-single-size]')).toContainText('for the entire profile');
    await page.locator('dialog .button', { hasText: 'Save' }).click();
  });
  const out = join(test.info().outputDir, 'single.html');
  await (await import('node:fs/promises')).mkdir(test.info().outputDir, { recursive: true });
  await (await import('node:fs/promises')).copyFile(file.path, out);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, offline: true });
  try {
    const other = await context.newPage();
    const wrong = [];
    other.on('pageerror', (error) => wrong.push(error.message));
    other.on('request', (request) => { if (/^https?:/.test(request.url())) wrong.push(request.url()); });
    await other.goto(pathToFileURL(out).href);
    await expect(other.locator('body')).toHaveAttribute('data-profile', 'kineto');
    await idle(other);
    await expect(other.locator('[data-view="operators"]'), 'what was on screen').toBeVisible();
    await settled(other, () => other.locator('[data-nav="timeline"]').click());
    expect(wrong).toEqual([]);
  } finally {
    await context.close();
  }
  // The profile takes at most 25 % more than its gzip.
  const sizes = await page.evaluate(async (bytes) => {
    const { single } = await window.axonscopeEarly.load('share/single.js');
    const read = async (name) => (await fetch(`./${name}`)).blob();
    const made = await single({ read, files: [{ path: 'x.json', blob: new Blob([Uint8Array.from(bytes)]) }] });
    return made.profileBytes;
  }, [...readFileSync(CPU)]);
  expect(sizes).toBeLessThan(gzipSync(readFileSync(CPU)).length * 1.25 + 500);
  expect(statSync(out).size).toBeGreaterThan(sizes);
});

/** Selects a part of the timeline, as shares of its width. */
async function selectRange(page, from, to) {
  const box = await (await lanes(page)).boundingBox();
  await page.keyboard.down('Shift');
  await page.mouse.move(box.x + box.width * from, box.y + box.height * 0.5);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * to, box.y + box.height * 0.5, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await expect(page.locator('[data-clear-range]')).toBeVisible();
}

/** Opens a saved HTML file from the disk, with the network off. */
async function inAnotherBrowser(browser, file, look) {
  const { mkdir, copyFile } = await import('node:fs/promises');
  await mkdir(test.info().outputDir, { recursive: true });
  const out = join(test.info().outputDir, file.name);
  await copyFile(file.path, out);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, offline: true });
  try {
    const other = await context.newPage();
    await other.goto(pathToFileURL(out).href);
    await look(other);
  } finally {
    await context.close();
  }
}

/** Headline and rows of the views of a GPU trace. */
async function answersOf(page) {
  const out = {};
  await show(page, 'overview');
  out.overview = await page.locator('[data-view="overview"] [data-headline]').textContent();
  await show(page, 'operators');
  out.operators = await page.locator('[data-view="operators"] [data-headline]').textContent();
  await expect(page.locator('table[data-table="operators"] tbody tr[data-row]').first()).toBeVisible();
  out.rows = await page.locator('table[data-table="operators"]').innerText();
  await show(page, 'kernels');
  out.kernels = await page.locator('[data-view="kernels"] [data-headline]').textContent();
  await show(page, 'efficiency');
  out.efficiency = await page.locator('[data-view="efficiency"] [data-headline]').textContent();
  out.range = await page.locator('[data-clear-range]').textContent();
  return out;
}

test('one HTML file of a range answers as the entire trace with the range selected', async ({ page, site, browser }) => {
  test.setTimeout(120_000);
  await start(page, site);
  await openProfile(page, kineto('tracelens-traces', 'h100', 'Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz'));
  await selectRange(page, 0.35, 0.45);
  const want = await answersOf(page);
  expect(want.rows.split('\n').length).toBeGreaterThan(5);
  const file = await saved(page, 'single', async () => {
    await expect(page.locator('[data-single-range]')).toContainText('original records');
    await picture(page, 'share-range');
    await page.locator('dialog .button', { hasText: 'Selected range' }).click();
    await expect(page.locator('[data-single-size]')).toContainText('for the records of the selected range');
    await page.locator('dialog .button', { hasText: 'Save' }).click();
  });
  await inAnotherBrowser(browser, file, async (other) => {
    await expect(other.locator('body')).toHaveAttribute('data-profile', 'kineto');
    await idle(other);
    await expect(other.locator('[data-view="efficiency"]'), 'what was on screen').toBeVisible();
    expect(await answersOf(other)).toEqual(want);
  });
});

/** What the views of a device say that is known within a range: what ended a wait can lie before it. */
async function deviceAnswers(page) {
  const out = {};
  await show(page, 'bounds');
  out.bounds = (await page.locator('[data-view="bounds"]').innerText()).split('\n').slice(0, 8);
  await show(page, 'operators');
  out.operators = await page.locator('[data-view="operators"] [data-headline]').textContent();
  out.rows = await page.locator('table[data-table="operators"]').innerText();
  await show(page, 'summary');
  const engines = await page.locator('table[data-table="engines"] tbody tr[data-row]').allInnerTexts();
  out.engines = engines.filter((row) => !/\t0 ns/.test(row));
  out.range = await page.locator('[data-clear-range]').textContent();
  return out;
}

test('one HTML file of a range of a device profile has the views of the device', async ({ page, site, browser }) => {
  test.setTimeout(120_000);
  await start(page, site);
  await openProfile(page, neuron('fused_attention', 'fused_exec_2_profile_full.json'));
  await selectRange(page, 0.4, 0.6);
  const want = await deviceAnswers(page);
  const file = await saved(page, 'single', async () => {
    await expect(page.locator('[data-single-range]')).toContainText('as Parquet tables');
    await page.locator('dialog .button', { hasText: 'Selected range' }).click();
    await expect(page.locator('[data-single-size]')).toContainText('for the tables of the selected range');
    await page.locator('dialog .button', { hasText: 'Save' }).click();
  });
  await inAnotherBrowser(browser, file, async (other) => {
    await expect(other.locator('body')).toHaveAttribute('data-profile', 'neuron_parquet');
    await idle(other);
    expect(await deviceAnswers(other)).toEqual(want);
  });
});

test('one HTML file of a range of another profile says that it is the timeline alone', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, conformance('pftrace', 'qwen_h100.pftrace'));
  await selectRange(page, 0.4, 0.5);
  const file = await saved(page, 'single', async () => {
    await expect(page.locator('[data-single-range]')).toContainText('its timeline alone');
    await page.locator('dialog .button', { hasText: 'Selected range' }).click();
    await expect(page.locator('[data-single-size]')).toContainText('for the timeline of the selected range');
    await page.locator('dialog .button', { hasText: 'Save' }).click();
  });
  expect(file.name).toMatch(/\.html$/);
});

test('charts without plotters are saved as vectors too', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, neuron('fused_attention', 'fused_exec_2_profile_full.json'));
  await show(page, 'layers');
  const chart = page.locator('figure.chart').filter({ hasText: 'Active time of all engines together' });
  const [file] = await Promise.all([page.waitForEvent('download'), chart.getByRole('button', { name: 'SVG' }).click()]);
  expect(file.suggestedFilename()).toMatch(/\.svg$/);
  const svg = readFileSync(await file.path(), 'utf8');
  expect(svg).toMatch(/^<svg /);
  expect(svg).toContain('MATMUL');
  expect(svg.match(/<rect /g).length).toBeGreaterThan(20);
});

test('an old browser gets a sentence', async ({ page, site }) => {
  await start(page, site);
  const text = await page.evaluate(async () => {
    const { single } = await window.axonscopeEarly.load('share/single.js');
    const read = async (name) => (await fetch(`./${name}`)).blob();
    return (await single({ read, files: [{ path: 'x.json', blob: new Blob(['[]']) }] })).blob.text();
  });
  const old = await page.context().newPage();
  await old.addInitScript(() => { delete window.DecompressionStream; });
  const out = join(test.info().outputDir, 'single.html');
  const { mkdir, writeFile } = await import('node:fs/promises');
  await mkdir(test.info().outputDir, { recursive: true });
  await writeFile(out, text);
  await old.goto(pathToFileURL(out).href);
  await expect(old.locator('#early-status')).toContainText('needs a newer browser');
});
