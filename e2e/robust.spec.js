// What happens in a browser and nowhere else: directories, archives, many files, files that change, workers that die.
import { mkdirSync, mkdtempSync, openSync, closeSync, ftruncateSync, readFileSync, rmSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dropFiles, expect, idle, neuron, openProfile, picture, samples, settled, show, start, test, zip } from './support.js';

const sample = join(samples, 'cpu_single.pt.trace.json.gz');
const tabs = (page) => page.locator('[role=tab]');

function trace(name, n = 40, extra = {}) {
  const events = Array.from({ length: n }, (_, i) => ({ ph: 'X', cat: 'cpu_op', name: `${name}_${i % 5}`, pid: 1, tid: 1, ts: i * 100, dur: 60 }));
  return JSON.stringify({ schemaVersion: 1, ...extra, traceEvents: events });
}

/** A trace of about so many bytes. */
function large(bytes, name = 'op') {
  const event = (i) => `{"ph":"X","cat":"cpu_op","name":"${name}${i % 97}","pid":1,"tid":1,"ts":${i * 10},"dur":8,"args":{"x":"${'y'.repeat(120)}"}}`;
  const n = Math.ceil(bytes / event(1).length);
  return `{"traceEvents":[${Array.from({ length: n }, (_, i) => event(i)).join(',')}]}`;
}

let folder;
test.beforeEach(() => { folder = mkdtempSync(join(tmpdir(), 'axonscope-')); });
test.afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name, content) {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, content);
  return path;
}

test('what the page shows itself before a file comes leaves nothing behind', async ({ page, site }) => {
  await page.addInitScript(() => Object.defineProperty(navigator, 'hardwareConcurrency', { get: () => 2 }));
  await start(page, site);
  await page.waitForFunction(() => performance.getEntriesByName('axonscope-rehearsed').length > 0);
  const left = await page.evaluate(() => ({
    elements: document.querySelectorAll('.rehearsal').length, fragment: location.hash, title: document.title, stored: localStorage.length,
    profile: document.body.dataset.profile ?? null, idle: document.body.dataset.idle,
  }));
  expect(left).toEqual({ elements: 0, fragment: '', title: 'Axonscope', stored: 0, profile: null, idle: 'true' });
  // Beside it, a reader waits for the first file.
  const programs = () => page.workers().filter((worker) => !worker.url().endsWith('/reader.js'));
  expect(programs()).toHaveLength(1);
  const [first] = programs();
  await openProfile(page, sample);
  await expect(tabs(page)).toHaveText([/cpu_single/]);
  await expect.poll(() => page.workers().length, 'reader and helper end with the import').toBe(1);
  expect(programs(), 'the worker of the rehearsal opens the file').toEqual([first]);
});

test('a picked directory is sorted into runs', async ({ page, site }) => {
  for (const name of ['w0.1', 'w1.2']) write(`logs/resnet/${name}.pt.trace.json`, trace(name));
  write('logs/notes.txt', 'nothing');
  await start(page, site);
  await settled(page, () => page.locator('input[webkitdirectory]').setInputFiles(join(folder, 'logs')));
  await expect(tabs(page)).toHaveText([/resnet · 2 workers/]);
  await expect(page.locator('.notices')).toContainText('logs/notes.txt');
});

test('a dropped directory is read to its leaves', async ({ page, site }) => {
  await start(page, site);
  await settled(page, () => page.evaluate((texts) => {
    // What a browser gives for a directory: entries, listed in portions.
    const file = (path, text) => ({ isDirectory: false, isFile: true, fullPath: path, file: (done) => done(new File([text], path.split('/').pop())) });
    const directory = (path, children) => ({
      isDirectory: true, isFile: false, fullPath: path,
      createReader: () => { const left = [...children]; return { readEntries: (done) => done(left.splice(0, 1)) }; },
    });
    const leaves = Object.entries(texts).map(([name, text]) => file(`/logs/deep/run/${name}`, text));
    const root = directory('/logs', [directory('/logs/deep', [directory('/logs/deep/run', leaves)])]);
    const items = [{ kind: 'file', webkitGetAsEntry: () => root, getAsFile: () => null }];
    const event = new Event('drop', { bubbles: true, cancelable: true });
    Object.defineProperty(event, 'dataTransfer', { value: { items, files: [], types: ['Files'] } });
    document.body.dispatchEvent(event);
  }, { 'a.1.pt.trace.json': trace('a'), 'b.1.pt.trace.json': trace('b') }));
  await expect(tabs(page)).toHaveText([/deep\/run · 2 workers/]);
});

test('a pasted file opens', async ({ page, site }) => {
  await start(page, site);
  await settled(page, () => page.evaluate((text) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text], 'pasted.json'));
    window.dispatchEvent(new ClipboardEvent('paste', { clipboardData: transfer, bubbles: true }));
  }, trace('pasted')));
  await expect(tabs(page)).toHaveText([/pasted\.json/]);
});

test('the members of an archive open like a directory', async ({ page, site }) => {
  await start(page, site);
  const files = { 'run/w0.1.pt.trace.json': trace('first', 900), 'run/w1.1.pt.trace.json': trace('second', 900), '../evil.json': trace('evil') };
  await dropFiles(page, { name: 'logs.zip', bytes: zip(files) });
  await expect(tabs(page)).toHaveText([/run · 2 workers/]);
  await expect(page.locator('[role=alert]')).toContainText('../evil.json');
  await show(page, 'operators');
  await page.locator('[data-pick="worker"]').selectOption('w1');
  await expect(page.locator('table[data-table="operators"]')).toContainText('second_0');
  await show(page, 'ledger');
  await expect(page.locator('[data-view="ledger"]')).toContainText('logs.zip/run/w1.1.pt.trace.json');
});

test('many files wait for their turn, and can be cancelled', async ({ page, site }) => {
  const text = large(50e6);
  const files = Array.from({ length: 6 }, (_, i) => write(`many/rank-${i}.json`, text.replace('{', `{"distributedInfo":{"rank":${i},"world_size":6},`)));
  await start(page, site);
  await page.locator('input[type=file]:not([webkitdirectory])').first().setInputFiles(files);
  await expect(page.locator('[data-plan]')).toContainText(/6 profiles, about .* of memory, \d at a time/);
  await expect(page.locator('[data-phase="waiting"]').first()).toBeVisible();
  // The page draws while its workers read.
  const worst = await page.evaluate(() => new Promise((done) => {
    let last = performance.now();
    let longest = 0;
    const end = last + 500;
    const frame = (now) => { longest = Math.max(longest, now - last); last = now; if (now < end) requestAnimationFrame(frame); else done(longest); };
    requestAnimationFrame(frame);
  }));
  expect(worst).toBeLessThan(1000);
  await page.getByRole('button', { name: 'Cancel all' }).click();
  await idle(page);
  await expect(page.locator('.reading')).toHaveCount(0);
  await openProfile(page, sample);
  await expect(page.locator('body')).toHaveAttribute('data-profile', 'kineto');
});

test('a trace that ends before its first record opens at the reasons', async ({ page, site }) => {
  await start(page, site);
  await dropFiles(page, { name: 'cut.json', bytes: Buffer.from('{"traceEvents": [{"ph":"X","ts":1,"dur":') });
  await expect(page.locator('[data-view="ledger"]')).toContainText('The file ends inside the record.');
});

test('what would pass the memory budget is asked for', async ({ page, site }) => {
  await page.addInitScript(() => Object.defineProperty(Navigator.prototype, 'deviceMemory', { get: () => 0.125 }));
  await start(page, site);
  const text = large(24e6);
  await page.locator('input[type=file]:not([webkitdirectory])').first().setInputFiles([0, 1, 2].map((i) => write(`b/rank${i}.json`, text.replace('op1', `op_${i}`))));
  const held = page.locator('[data-phase="held"]');
  await expect(held).toContainText(/Needs about .* of memory.*are left of this page's limit of 64\.0 MiB/, { timeout: 45_000 });
  await picture(page, 'robust-held');
  await expect(tabs(page)).toHaveCount(1);
  await page.getByRole('button', { name: 'Cancel all' }).click();
  await idle(page);
  await expect(page.locator('.reading')).toHaveCount(0);
  await expect(tabs(page)).toHaveCount(1);
});

/** Keeps the page's workers at hand, so that a test can kill them. */
const keepWorkers = () => {
  window.axonWorkers = [];
  const Real = window.Worker;
  window.Worker = class extends Real { constructor(...args) { super(...args); window.axonWorkers.push(this); } };
};

test('a worker killed in mid-import ends in a sentence', async ({ page, site }) => {
  await page.addInitScript(keepWorkers);
  await start(page, site);
  await openProfile(page, sample);
  const big = write('large.json', large(90e6));
  await page.locator('input[type=file]:not([webkitdirectory])').first().setInputFiles(big);
  await page.waitForFunction(() => /of 8\d|of 9\d/.test(document.querySelector('.reading')?.innerText ?? ''));
  await page.evaluate(() => window.axonWorkers.at(-1).terminate());
  await expect(page.locator('[role=alert]')).toContainText('large.json');
  await idle(page);
  await expect(tabs(page)).toHaveCount(1);
  await show(page, 'operators');
});

test('a worker killed after opening leaves the page, and its file can be opened again', async ({ page, site }) => {
  await page.addInitScript(keepWorkers);
  await start(page, site);
  await openProfile(page, sample);
  await page.evaluate(() => window.axonWorkers.forEach((w) => w.terminate()));
  await expect(page.locator('.notices')).toContainText(/stopped/);
  await settled(page, () => page.getByRole('button', { name: 'Reopen' }).click());
  await show(page, 'operators');
  await expect(page.locator('table[data-table="operators"]')).toContainText('aten::');
});

test('a file that changes or disappears while it is read gets a sentence', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, sample);
  for (const [name, change] of [['gone.json', unlinkSync], ['shrunk.json', (path) => truncateSync(path, 1000)]]) {
    const path = write(name, large(120e6));
    await page.locator('input[type=file]:not([webkitdirectory])').first().setInputFiles(path);
    await page.waitForSelector('.reading');
    change(path);
    await expect(page.locator('[role=alert]').filter({ hasText: name })).toContainText(/could not be read|ends|expected/i);
    await idle(page);
    await expect(tabs(page)).toHaveCount(1);
  }
});

test('the details of a record whose file has gone say so', async ({ page, site }) => {
  const path = write('later.json', trace('later', 400));
  await start(page, site);
  await openProfile(page, path);
  unlinkSync(path);
  await show(page, 'operators');
  await page.locator('table[data-table="operators"] [data-row]').first().click();
  await page.locator('[data-panel="operator"] [data-go="calls"]').click();
  await idle(page);
  await expect(page.locator('[data-view="details"]')).toContainText('could not be read');
  await expect(tabs(page)).toHaveCount(1);
});

test('more than fits in memory is refused before it is read', async ({ page, site }) => {
  const path = join(folder, 'huge.json');
  const handle = openSync(path, 'w');
  writeFileSync(handle, '{"schemaVersion": 1, "traceEvents": [\n{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,"dur":1},\n');
  ftruncateSync(handle, 7e9);
  closeSync(handle);
  await start(page, site);
  await openProfile(page, sample);
  await settled(page, () => page.locator('input[type=file]:not([webkitdirectory])').first().setInputFiles(path));
  // Beyond the budget the user is asked first; beyond what a worker can hold it is refused.
  const anyway = page.getByRole('button', { name: 'Open anyway' });
  if (await anyway.count()) await settled(page, () => anyway.click());
  await expect(page.locator('[role=alert]')).toContainText(/huge\.json.*needs about .*GiB.*at most 3\.26 GiB/);
  await expect(tabs(page)).toHaveCount(1);
});

test('deep nesting, a name of ten megabytes and names with HTML are shown as they are', async ({ page, site }) => {
  const evil = '<img src=x onerror="window.axonHacked=1">';
  const event = (name, i, args) => `{"ph":"X","cat":"cpu_op","name":${JSON.stringify(name)},"pid":1,"tid":1,"ts":${i * 10},"dur":5,"args":{"a":${args}}}`;
  const events = [event('deep', 1, `${'['.repeat(100_000)}1${']'.repeat(100_000)}`), event('n'.repeat(10 << 20), 2, 1), event(evil, 3, 2)];
  await start(page, site);
  await dropFiles(page, { name: `${evil.replaceAll('/', '')}.json`, bytes: Buffer.from(`{"schemaVersion":1,"traceEvents":[${events}]}`) });
  await expect(tabs(page)).toHaveCount(1);
  await show(page, 'operators');
  await expect(page.locator('table[data-table="operators"]')).toContainText('<img src=x');
  // A long name is shown shortened, wherever it stands.
  await settled(page, () => page.locator('table[data-table="operators"] tbody tr').filter({ hasText: 'nnnn…nnnn' }).locator('td').nth(2).click());
  await page.locator('[data-panel="operator"] [data-go="calls"]').click();
  await idle(page);
  await expect(page.locator('[data-view="details"]')).toContainText('nnnn…nnnn');
  const longest = await page.evaluate(() => Math.max(...[...document.querySelectorAll('body *')].map((e) => e.children.length ? 0 : e.textContent.length)));
  expect(longest).toBeLessThan(10_000);
  await show(page, 'timeline');
  expect(await page.evaluate(() => window.axonHacked)).toBeUndefined();
  await picture(page, 'robust-names');
});

test('a NEFF serves every trace of its uuid, also when it comes later', async ({ page, site }) => {
  const ntff = readFileSync(neuron('fused_attention', 'fused_exec_2.ntff'));
  const neff = readFileSync(neuron('fused_attention', 'fused.neff'));
  // The same run on two cores: other bytes at the end, so that they are two files.
  const other = Buffer.concat([ntff, Buffer.alloc(16)]);
  await start(page, site);
  await dropFiles(page, { name: 'nc0.ntff', bytes: ntff }, { name: 'nc1.ntff', bytes: other });
  const n = await tabs(page).count();
  expect(n).toBe(2);
  await dropFiles(page, { name: 'model.neff', bytes: neff });
  await expect(tabs(page)).toHaveCount(2);
  for (let i = 0; i < 2; i++) {
    await tabs(page).nth(i).click();
    await show(page, 'ledger');
    await expect(page.locator('[data-view="ledger"]')).toContainText('model.neff');
  }
});

test('closing a tab ends its worker', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, sample);
  await expect(tabs(page).first()).toContainText(/[KMG]iB/);
  const before = page.workers().length;
  await page.getByRole('button', { name: /^Close cpu_single/ }).click();
  await expect.poll(() => page.workers().length).toBeLessThan(before);
});

/** The workers that run the program of every format. */
async function fullWorkers(page) {
  const isFull = (worker) => worker.evaluate(() => performance.getEntriesByType('resource').some(({ name }) => name.endsWith('full_bg.wasm'))).catch(() => false);
  const workers = page.workers();
  const found = await Promise.all(workers.map(isFull));
  return workers.filter((_, i) => found[i]);
}

test('the program of every format starts before a file needs it, and ends where none does', async ({ page, site }) => {
  const [trace, program] = [neuron('fused_attention', 'fused_exec_2.ntff'), neuron('fused_attention', 'fused.neff')];
  const drag = () => page.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File(['x'], 'x'));
    window.dispatchEvent(new DragEvent('dragleave'));
    window.dispatchEvent(new DragEvent('dragover', { dataTransfer: data, cancelable: true }));
  });
  const n = async () => (await fullWorkers(page)).length;
  await start(page, site);
  await page.waitForFunction(() => performance.getEntriesByName('axonscope-rehearsed').length > 0);
  expect(await n(), 'nothing was opened before').toBe(0);
  await drag();
  await expect.poll(n, 'files are dragged over the page').toBe(1);
  await openProfile(page, sample);
  await expect.poll(n, 'a trace of PyTorch needs the other program').toBe(0);
  await drag();
  await expect.poll(n).toBe(1);
  const [first] = await fullWorkers(page);
  await openProfile(page, trace, program);
  expect(await fullWorkers(page), 'it is the one that was started').toEqual([first]);
  // The profile that was opened last needed it.
  await page.reload();
  await idle(page);
  await expect.poll(n).toBe(1);
  const [ahead] = await fullWorkers(page);
  await openProfile(page, trace, program);
  expect(await fullWorkers(page)).toEqual([ahead]);
});

test('a short Neuron trace is painted once, with the answer that came with it', async ({ page, site }) => {
  const marks = () => page.evaluate(() => ['paint', 'first answer'].map((phase) => performance.getEntriesByName(`axonscope:${phase}`).length));
  await start(page, site);
  await page.waitForFunction(() => performance.getEntriesByName('axonscope-rehearsed').length > 0);
  const before = await marks();
  await openProfile(page, neuron('baseline_attention', 'baseline_exec_2.ntff'), neuron('baseline_attention', 'baseline.neff'));
  // The next question, about its line in the library, comes two seconds later.
  expect((await marks()).map((count, i) => count - before[i])).toEqual([1, 0]);
  await expect(page.locator('[data-bands]')).toBeVisible();
});
