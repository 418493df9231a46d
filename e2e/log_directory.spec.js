// A log directory as a library: listed by run, worker and span without being opened, refreshed, opened, compared. The dialog cannot be clicked
// here: it returns a real handle of the private file system, which survives a reload.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, idle, samples, start, test } from './support.js';

const CPU = readFileSync(join(samples, 'cpu_single.pt.trace.json.gz')).toString('base64');
const DDP = readFileSync(join(samples, 'gloo_ddp_rank0.pt.trace.json.gz')).toString('base64');
const NEURON = readFileSync(join(samples, 'synthetic-neuron.json')).toString('base64');

/** Writes files below `logs` and lets the dialog return that directory. */
const write = (page, files) => page.evaluate(async (list) => {
  const logs = await (await navigator.storage.getDirectory()).getDirectoryHandle('logs', { create: true });
  for (const [path, base64] of list) {
    const parts = path.split('/');
    const name = parts.pop();
    let folder = logs;
    for (const part of parts) folder = await folder.getDirectoryHandle(part, { create: true });
    const writable = await (await folder.getFileHandle(name, { create: true })).createWritable();
    await writable.write(Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)));
    await writable.close();
  }
  window.showDirectoryPicker = async () => logs;
}, files);

const rows = (page) => page.locator('table[data-table="log-directory"] tbody tr');
const listed = (page) => rows(page).evaluateAll((all) => all.map((tr) => [...tr.children].slice(1, 4).map((td) => td.textContent.trim()).join('|')));

test('runs, workers and spans are listed, new files appear on refresh, two are compared', async ({ page, site }) => {
  await start(page, site);
  await write(page, [
    ['run1/worker0.1700000001000.pt.trace.json.gz', CPU],
    ['run1/worker0.1700000002000.pt.trace.json.gz', DDP],
    ['plugins/neuron/session/profile.json', NEURON],
    ['run1/notes.txt', btoa('not a profile')],
  ]);
  await page.getByRole('button', { name: 'Add a log directory' }).click();
  await expect(rows(page)).toHaveCount(3);
  const first = await listed(page);
  expect(first).toContain('run1|worker0|1');
  expect(first).toContain('run1|worker0|2');
  expect(first.some((row) => row.startsWith('plugins/neuron/session|'))).toBe(true);
  await expect(page.locator('[role=tab]')).toHaveCount(0);

  await write(page, [['hta/rank-0.json.gz', CPU]]);
  await page.getByRole('button', { name: 'Refresh logs' }).click();
  await expect(rows(page)).toHaveCount(4);
  await expect(rows(page).filter({ hasText: 'new' })).toHaveCount(1);
  await expect(rows(page).filter({ hasText: 'new' })).toContainText('rank 0');

  // The directory is there after a reload, and listed by one click.
  await page.reload();
  await idle(page);
  await page.getByRole('button', { name: 'List logs' }).click();
  await expect(rows(page)).toHaveCount(4);
  await page.getByLabel('Choose logs/run1/worker0.1700000001000.pt.trace.json.gz').check();
  await page.getByLabel('Choose logs/run1/worker0.1700000002000.pt.trace.json.gz').check();
  await page.getByRole('button', { name: 'Compare two' }).click();
  await expect(page.locator('[data-view="diff"]')).toBeVisible();
  await idle(page);
  // Both are in the library, to be opened from their handles.
  await expect.poll(() => page.evaluate(() => JSON.parse(localStorage.getItem('axonscope.recents')).map((e) => e.kept))).toEqual(['file', 'file']);
});

test('a directory that is gone, refused or without profiles is a sentence', async ({ page, site }) => {
  await start(page, site);
  await write(page, [['notes.txt', btoa('not a profile')]]);
  await page.getByRole('button', { name: 'Add a log directory' }).click();
  await expect(page.locator('[data-directory] [role=alert]')).toContainText('notes.txt');
  await page.evaluate(async () => (await navigator.storage.getDirectory()).removeEntry('logs', { recursive: true }));
  await page.getByRole('button', { name: 'List logs' }).click();
  await expect(page.locator('[data-directory] [role=alert]')).toContainText('moved, renamed or deleted');
  await page.evaluate(() => { FileSystemDirectoryHandle.prototype.queryPermission = async () => 'denied'; FileSystemDirectoryHandle.prototype.requestPermission = async () => 'denied'; });
  await page.getByRole('button', { name: 'List logs' }).click();
  await expect(page.locator('[data-directory] [role=alert]')).toContainText('was not allowed to read');
  await page.getByRole('button', { name: 'Remove logs' }).click();
  await expect(page.locator('[data-directory]')).toHaveCount(0);
  await page.evaluate(() => { delete window.showDirectoryPicker; Object.defineProperty(window, 'showDirectoryPicker', { value: undefined }); });
  await page.getByRole('button', { name: 'Add a log directory' }).click();
  await expect(page.locator('[role=alert]')).toContainText('cannot keep a directory');
});
