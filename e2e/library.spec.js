// The library: what was opened before, kept by handle or as a copy, with names, tags and stars. A file that moved, a storage that is full or
// denied end in a sentence.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { dropFiles, expect, idle, openProfile, samples, settled, show, start, test } from './support.js';

const CPU = join(samples, 'cpu_single.pt.trace.json.gz');
const DDP = join(samples, 'gloo_ddp_rank0.pt.trace.json.gz');
const entry = (page, name) => page.locator('[data-entry]', { hasText: name });
const closeAll = async (page) => {
  for (const tab of await page.locator('.tabs__close').all()) await tab.click();
  await idle(page);
};
const kept = (page) => page.evaluate(() => JSON.parse(localStorage.getItem('axonscope.recents') || '[]'));

/** Makes the browser's file dialog give real handles of files in the private file system: the dialog itself cannot be clicked here. */
async function pickerOf(page, ...paths) {
  const files = paths.map((path) => ({ name: basename(path), base64: readFileSync(path).toString('base64') }));
  await page.evaluate(async (list) => {
    const root = await navigator.storage.getDirectory();
    const handles = [];
    for (const { name, base64 } of list) {
      const handle = await root.getFileHandle(name, { create: true });
      const writable = await handle.createWritable();
      await writable.write(Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)));
      await writable.close();
      handles.push(handle);
    }
    window.showOpenFilePicker = async () => handles;
  }, files);
}

test('a file of the dialog is in the library after a reload and opens from its handle', async ({ page, site }) => {
  await start(page, site);
  await pickerOf(page, CPU);
  await settled(page, () => page.getByRole('button', { name: 'Open files' }).and(page.locator('.button')).click());
  await expect(page.locator('body')).toHaveAttribute('data-profile', 'kineto');
  await expect.poll(async () => (await kept(page))[0]?.kept).toBe('file');
  await expect.poll(async () => (await kept(page))[0]?.figure, { timeout: 20_000 }).toContain('mean step');
  await closeAll(page);
  await page.goto('about:blank');
  await start(page, site);
  const line = entry(page, 'cpu_single');
  await expect(line).toContainText('PyTorch');
  await expect(line).toContainText('CPU');
  await expect(line).toContainText('mean step');
  await expect(line).toContainText('opens from disk');
  await settled(page, () => line.getByRole('button', { name: /^cpu_single/ }).click());
  await expect(page.locator('[role=tab]')).toHaveCount(1);
});

test('entries are starred, named, tagged, filtered and deleted', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, CPU);
  await openProfile(page, DDP);
  await page.getByRole('button', { name: 'Axonscope: start page' }).click();
  await expect(page.locator('[data-entry]')).toHaveCount(2);
  await expect(page.locator('[data-entry]').first()).toContainText('gloo_ddp');
  await page.getByRole('button', { name: /^Star cpu_single/ }).click();
  await expect(page.locator('[data-entry]').first()).toContainText('cpu_single');
  await page.getByRole('button', { name: /^Edit name and tags of cpu_single/ }).click();
  await page.getByLabel('Name', { exact: true }).fill('Baseline');
  await page.getByLabel('Tags', { exact: true }).fill('slow, laptop');
  await page.keyboard.press('Enter');
  await expect(page.locator('[data-entry]').first().getByRole('button', { name: 'Baseline', exact: true })).toBeVisible();
  await page.goto('about:blank');
  await start(page, site);
  await page.getByLabel('Filter the library').fill('lapt');
  await expect(page.locator('[data-entry]')).toHaveCount(1);
  await expect(page.locator('[data-entry]')).toContainText('laptop');
  await page.getByLabel('Filter the library').fill('nothing of the kind');
  await expect(page.locator('[data-library]')).toContainText('No entry of the library matches');
  await page.getByLabel('Filter the library').fill('');
  await page.getByRole('button', { name: /^Delete gloo_ddp/ }).click();
  await expect(page.locator('[data-entry]')).toHaveCount(1);
  // A file that was given without a handle is asked for again.
  await page.getByRole('button', { name: 'Baseline', exact: true }).click();
  await expect(page.locator('.notices')).toContainText('Select the file to open it');
});

test('a copy opens without its file, its size is in the use of the storage, and deleting frees it', async ({ page, site }) => {
  await start(page, site);
  await dropFiles(page, CPU);
  await page.getByRole('button', { name: 'Axonscope: start page' }).click();
  await page.getByRole('button', { name: /^Keep a copy of cpu_single/ }).click();
  await expect(entry(page, 'cpu_single')).toContainText('copy kept');
  await expect(page.locator('[data-storage]')).toContainText(/Browser storage: .* of .* used/);
  const files = () => page.evaluate(async () => {
    const copies = await (await navigator.storage.getDirectory()).getDirectoryHandle('copies');
    const sizes = [];
    try {
      for await (const folder of copies.values()) for await (const file of folder.values()) sizes.push((await file.getFile()).size);
    } catch (error) {
      // What is deleted just now is neither there nor gone.
      return error.name;
    }
    return sizes;
  });
  expect(await files()).toEqual([readFileSync(CPU).length]);
  await closeAll(page);
  await page.goto('about:blank');
  await start(page, site);
  await settled(page, () => page.getByRole('button', { name: /^cpu_single/ }).click());
  await show(page, 'operators');
  await closeAll(page);
  await page.getByRole('button', { name: /^Delete cpu_single/ }).click();
  await expect(page.locator('[data-library]')).toHaveCount(0);
  await expect.poll(files).toEqual([]);
});

test('a file that moved or changed is reported in a sentence and the entry stays', async ({ page, site }) => {
  await start(page, site);
  await pickerOf(page, CPU);
  await settled(page, () => page.getByRole('button', { name: 'Open files' }).and(page.locator('.button')).click());
  await expect.poll(async () => (await kept(page))[0]?.kept).toBe('file');
  await closeAll(page);
  await pickerOf(page, CPU);
  await settled(page, () => page.getByRole('button', { name: /^cpu_single/ }).click());
  await expect(page.locator('.notices')).toContainText('has changed since');
  await closeAll(page);
  await page.evaluate(async () => (await navigator.storage.getDirectory()).removeEntry('cpu_single.pt.trace.json.gz'));
  await page.getByRole('button', { name: /^cpu_single/ }).click();
  await expect(page.locator('[role=alert]')).toContainText('was moved, renamed or deleted');
  await expect(entry(page, 'cpu_single')).toBeVisible();
});

for (const [what, stub, sentence] of [
  ['full', () => { navigator.storage.estimate = async () => ({ usage: 999, quota: 1000 }); }, 'has no room for a copy'],
  ['denied', () => { navigator.storage.getDirectory = async () => { throw new DOMException('no access', 'SecurityError'); }; }, 'does not allow a page to keep files'],
]) {
  test(`storage that is ${what} is one sentence, and the profile stays open`, async ({ page, site }) => {
    await start(page, site);
    await page.evaluate(stub);
    await openProfile(page, CPU);
    await page.getByRole('button', { name: 'Axonscope: start page' }).click();
    await page.getByRole('button', { name: /^Keep a copy of cpu_single/ }).click();
    await expect(page.locator('[role=alert]')).toContainText(sentence);
    await page.locator('[role=tab]').click();
    await expect(page.locator('body')).toHaveAttribute('data-profile', 'kineto');
  });
}

test('without any storage, as in a private window, profiles open as always', async ({ page, site }) => {
  await page.addInitScript(() => {
    Object.defineProperty(window, 'indexedDB', { value: { open() { throw new DOMException('no', 'SecurityError'); } } });
    Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError'); } });
  });
  await start(page, site);
  await openProfile(page, CPU);
  await show(page, 'operators');
  await expect(page.locator('[role=alert]')).toHaveCount(0);
  await page.getByRole('button', { name: 'Axonscope: start page' }).click();
  await expect(entry(page, 'cpu_single')).toBeVisible();
});

test('a reload opens the tabs again where the browser still allows it, and shows the same view', async ({ page, site }) => {
  await start(page, site);
  await pickerOf(page, DDP, CPU);
  await settled(page, () => page.getByRole('button', { name: 'Open files' }).and(page.locator('.button')).click());
  await expect(page.locator('[role=tab]')).toHaveCount(2);
  await idle(page);
  await page.locator('[role=tab]', { hasText: 'cpu_single' }).click();
  await show(page, 'operators');
  await expect.poll(async () => (await kept(page)).map((e) => e.kept)).toEqual(['file', 'file']);
  await expect.poll(() => page.url()).toContain('view=operators');
  const address = page.url();
  await page.addInitScript(() => {
    window.axonFronts = new Set();
    const note = () => window.axonFronts.add(document.querySelector('[role=tab][aria-selected=true]')?.textContent.split('.')[0]);
    new MutationObserver(note).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['aria-selected'] });
  });
  await page.reload();
  await expect(page.locator('[role=tab]')).toHaveCount(2);
  await expect(page.locator('[role=tab][aria-selected=true]')).toContainText('cpu_single');
  await expect(page.locator('[data-view="operators"]')).toBeVisible();
  await idle(page);
  expect(page.url()).toBe(address);
  // The other one opened behind it, in its old place.
  await expect(page.locator('[role=tab]').nth(0)).toContainText('gloo_ddp_rank0');
  expect(await page.evaluate(() => [...window.axonFronts].filter(Boolean))).toEqual(['cpu_single']);
  // A handle that needs the user's permission again is offered with one click.
  await page.addInitScript(() => {
    let isAsked = false;
    FileSystemFileHandle.prototype.queryPermission = async () => (isAsked ? 'granted' : 'prompt');
    FileSystemFileHandle.prototype.requestPermission = async () => { isAsked = true; return 'granted'; };
  });
  await idle(page);
  await page.reload();
  await expect(page.locator('[data-resume]')).toContainText('cpu_single');
  await page.getByRole('button', { name: 'Open again' }).click();
  await expect(page.locator('[role=tab]')).toHaveCount(2);
  await expect(page.locator('[role=tab][aria-selected=true]')).toContainText('cpu_single');
});

test('a permission that is refused is a sentence', async ({ page, site }) => {
  await start(page, site);
  await pickerOf(page, CPU);
  await settled(page, () => page.getByRole('button', { name: 'Open files' }).and(page.locator('.button')).click());
  await expect.poll(async () => (await kept(page))[0]?.kept).toBe('file');
  await closeAll(page);
  await page.evaluate(() => {
    FileSystemFileHandle.prototype.queryPermission = async () => 'prompt';
    FileSystemFileHandle.prototype.requestPermission = async () => 'denied';
  });
  await page.getByRole('button', { name: /^cpu_single/ }).click();
  await expect(page.locator('[role=alert]')).toContainText('was not allowed to read the file');
});

test('a workspace is saved, and loads what was noted on the same profile; of another profile it is a sentence', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, CPU);
  await show(page, 'timeline');
  await page.locator('body').press('m');
  await show(page, 'operators');
  await expect.poll(() => page.url()).toContain('view=operators');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('save workspace');
  const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
  expect(download.suggestedFilename()).toMatch(/\.axonspace$/);
  const text = readFileSync(await download.path(), 'utf8');
  expect(text.length).toBeLessThan(4_000);
  const saved = JSON.parse(text);
  expect(saved.profiles).toHaveLength(1);

  // In a browser that knows nothing of it: the sentence, and then the file.
  await page.evaluate(() => { localStorage.clear(); sessionStorage.clear(); });
  await page.goto('about:blank');
  await start(page, site);
  const workspace = { name: 'a.axonspace', bytes: text };
  const drop = (file) => page.evaluate(({ name, bytes }) => {
    const data = new DataTransfer();
    data.items.add(new File([bytes], name));
    document.body.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: data }));
  }, file);
  await drop(workspace);
  await expect(page.locator('.notices')).toContainText('which is not open');
  await openProfile(page, CPU);
  await expect(page.locator('[data-view="operators"]')).toBeVisible();
  await show(page, 'timeline');
  await page.locator('[data-annotations]').click();
  await expect(page.locator('table[data-table="annotations"] tbody tr')).toHaveCount(1);
  for (const [bytes, sentence] of [['{', 'Expected a workspace saved by this page'], ['{"kind":"axonscope workspace","version":9,"profiles":[]}', 'version 9']]) {
    await drop({ name: 'bad.axonspace', bytes });
    await expect(page.locator('[role=alert]')).toContainText(sentence);
    await expect(page.locator('body')).toHaveAttribute('data-profile', 'kineto');
  }
});
