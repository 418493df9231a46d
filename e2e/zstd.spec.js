// Files that are compressed by Zstandard: of several frames, truncated, damaged, at an address.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { farServer } from './far_server.js';
import { dropFiles, expect, idle, openProfile, root, samples, show, start, test } from './support.js';

const PACKED = join(root, 'tests', 'fixtures', 'zstd', 'two_frames.json.zst');

test('a file of several frames opens under the name of its content', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, PACKED);
  await expect(page.locator('body')).toHaveAttribute('data-profile', 'kineto');
  await expect(page.locator('[role=tab]')).toContainText('two_frames.json');
  await expect(page.locator('[role=tab]')).not.toContainText('zst');
  await show(page, 'operators');
  await expect(page.locator('table[data-table="operators"] tbody tr[data-row]')).toHaveCount(7);
  await expect(page.locator('[role=alert]')).toHaveCount(0);
});

test('a truncated file shows what is there, a damaged one and another content are a sentence', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, join(samples, 'cpu_single.pt.trace.json.gz'));
  const whole = readFileSync(PACKED);
  await dropFiles(page, { name: 'other.json.zst', bytes: Buffer.from('{"traceEvents":[]}') });
  await expect(page.locator('[role=alert]')).toContainText('`other.json.zst`'.replaceAll('`', ''));
  await expect(page.locator('[role=alert]')).toContainText('Expected Zstandard data');
  await dropFiles(page, { name: 'head.json.zst', bytes: whole.subarray(0, 9) });
  await expect(page.locator('[role=alert]')).toContainText('truncated');
  await dropFiles(page, { name: 'bad.json.zst', bytes: Buffer.concat([whole.subarray(0, 4), Buffer.alloc(200, 0xff)]) });
  await expect(page.locator('[role=alert]')).toContainText('damaged near byte');
  await expect(page.locator('[role=tab]')).toHaveCount(1);
  await dropFiles(page, { name: 'cut.json.zst', bytes: whole.subarray(0, whole.length - 30) });
  await expect(page.locator('[role=tab]')).toHaveCount(2);
  await expect(page.locator('[role=alert]')).toContainText('truncated; the data before its end is read');
  await show(page, 'ledger');
  await expect(page.locator('[data-view="ledger"]')).toContainText(/ends inside|truncated/i);
});

test('a file at an address is decompressed', async ({ page, site }) => {
  const far = await farServer({ 'trace.json.zst': readFileSync(PACKED) });
  page.allowed.add(far.url);
  try {
    for (const kind of ['ranges', 'whole']) {
      await page.goto(`${site.url}open.html?url=${encodeURIComponent(`${far.url}/${kind}/trace.json.zst`)}`);
      const load = page.locator('dialog.ask').getByRole('button', { name: 'Load' });
      if (kind === 'ranges') await load.click();
      await expect(page.locator('[role=tab]')).toHaveCount(1);
      await idle(page);
      await expect(page.locator('body')).toHaveAttribute('data-profile', 'kineto');
    }
  } finally {
    await far.close();
  }
});
