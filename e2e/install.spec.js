// The page as an installed program: manifest, icons, files that the system opens with it, and an update that asks for a reload.
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dist, expect, idle, samples, start, test } from './support.js';
import { serve } from '../scripts/serve.mjs';

test.use({ serviceWorkers: 'allow' });

test('the manifest names icons of their sizes and the files that it opens', async ({ page, site }) => {
  await start(page, site);
  const href = await page.locator('link[rel="manifest"]').getAttribute('href');
  const found = await page.evaluate(async (url) => {
    const manifest = await (await fetch(url)).json();
    const sizes = await Promise.all(manifest.icons.filter((i) => i.type === 'image/png').map(async ({ src, sizes: said }) => {
      const image = await createImageBitmap(await (await fetch(src)).blob());
      return [said, `${image.width}x${image.height}`];
    }));
    return { manifest, sizes };
  }, href);
  expect(found.sizes.map(([said]) => said)).toEqual(['192x192', '512x512']);
  for (const [said, is] of found.sizes) expect(is).toBe(said);
  const endings = found.manifest.file_handlers.flatMap((handler) => Object.values(handler.accept).flat());
  expect(endings).toEqual(expect.arrayContaining(['.ntff', '.neff', '.pt.trace.json', '.pt.trace.json.gz', '.pftrace']));
});

test('a file that the system opens with the installed page is opened', async ({ page, site }) => {
  const base64 = readFileSync(join(samples, 'cpu_single.pt.trace.json.gz')).toString('base64');
  await page.addInitScript((bytes) => {
    const file = new File([Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0))], 'cpu_single.pt.trace.json.gz');
    Object.defineProperty(window, 'launchQueue', { value: { setConsumer: (take) => addEventListener('DOMContentLoaded', () => take({ files: [{ kind: 'file', getFile: async () => file }] })) } });
  }, base64);
  await page.goto(site.url);
  await expect(page.locator('body')).toHaveAttribute('data-profile', 'kineto');
  await idle(page);
});

test('a new version waits until the user reloads', async ({ browser }) => {
  const folder = mkdtempSync(join(tmpdir(), 'axonscope-update-'));
  cpSync(dist, folder, { recursive: true });
  const site = await serve(folder, { prefix: '/update/' });
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.goto(site.url);
    await idle(page);
    await page.evaluate(async () => {
      await navigator.serviceWorker.ready;
      if (!navigator.serviceWorker.controller) await new Promise((ok) => navigator.serviceWorker.addEventListener('controllerchange', ok));
    });
    await page.reload();
    await idle(page);
    await expect(page.locator('[data-update]')).toHaveCount(0);
    const caches = () => page.evaluate(() => window.caches.keys());
    const [first] = await caches();
    const script = join(folder, 'sw.js');
    const text = readFileSync(script, 'utf8');
    rmSync(script);
    appendFileSync(script, text.replace(/(const CACHE = PREFIX \+ )"[0-9a-f]+"/, '$1"0123456789abcdef"'));
    await page.evaluate(async () => (await navigator.serviceWorker.getRegistration()).update());
    await expect(page.locator('[data-update]')).toContainText('A new version of Axonscope is ready');
    // The open page goes on with its own files.
    expect(await caches()).toContain(first);
    await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Reload' }).click()]);
    await idle(page);
    await expect.poll(caches).toEqual([expect.stringContaining('0123456789abcdef')]);
    await expect(page.locator('[data-update]')).toHaveCount(0);
  } finally {
    await context.close();
    await site.close();
    rmSync(folder, { recursive: true });
  }
});
