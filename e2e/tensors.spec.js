// Tensors and memory, saving all rows, and two device profiles beside each other.
import { readFileSync } from 'node:fs';
import { expect, dropFiles, idle, neuron, picture, show, start, test } from './support.js';

const json = (run, stem) => neuron(run, `${stem}_exec_2_profile_full.json`);

test('tensors and memory are those of the file', async ({ page, site }) => {
  await start(page, site);
  await dropFiles(page, json('baseline_attention', 'baseline'));
  await show(page, 'tensors');
  const told = JSON.parse(readFileSync(json('baseline_attention', 'baseline')));
  const total = told.nc_mem_usage.find((u) => u.nc === 4 && u.usage_type === 'Total').amount_bytes;
  await expect(page.locator('[data-hbm-total]')).toContainText(`NC 4 ${(total / 2 ** 30).toPrecision(3)} GiB`);
  await expect(page.locator('table[data-table="tensors"]')).toContainText('identity_56_sg0000');
  const heads = page.locator('table[data-table="tensors"] thead th');
  await expect(heads.first()).toHaveAttribute('data-column', 'name');
  const left = (await page.locator('[data-left-out]').textContent()).match(/: (.*)\.$/)[1].split(', ');
  for (const label of left) await expect(heads.filter({ hasText: new RegExp(`^${label}`) })).toHaveCount(0);
  expect((await heads.count()) + left.length).toBe(16);
  await expect(page.locator('[data-chart="on-chip"] canvas')).toBeVisible();
  await expect(page.locator('[data-view="tensors"] [data-notes]')).toContainText('not available');
  await picture(page, 'tensors-light-1440');
  await page.setViewportSize({ width: 390, height: 844 });
  await idle(page);
  await picture(page, 'tensors-light-390');
});

test('every row can be saved', async ({ page, site }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await start(page, site);
  await dropFiles(page, json('fused_attention', 'fused'));
  await show(page, 'tables');
  const told = JSON.parse(readFileSync(json('fused_attention', 'fused')));
  for (const [id, section] of [['instructions', 'instruction'], ['dma', 'dma'], ['semaphores', 'semaphore_update']]) {
    const [file] = await Promise.all([page.waitForEvent('download'), page.locator(`[data-export="${id}"]`).click()]);
    const lines = readFileSync(await file.path(), 'utf8').split('\r\n').filter(Boolean);
    expect(lines.length).toBe(told[section].length + 1);
    expect(lines[0]).toMatch(/^timeline_track,/);
    await expect(page.locator('[data-exporting]')).toHaveAttribute('data-exporting', 'false');
  }
  await page.locator('.tables__item', { hasText: 'terminology' }).click();
  await idle(page);
  await expect(page.locator('table[data-table="terminology"] [data-column="value"]')).toBeVisible();
  await picture(page, 'tables-dark-1440');
});

test('two runs are compared', async ({ page, site }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await start(page, site);
  await dropFiles(page, json('baseline_attention', 'baseline'));
  await expect(page.locator('[data-nav="compare"]')).toHaveCount(0);
  await dropFiles(page, json('fused_attention', 'fused'));
  await show(page, 'compare');
  await expect(page.locator('table[data-table="compare-times"]')).toContainText('MATMUL');
  await expect(page.locator('table[data-table="compare-metrics"]')).toContainText('Duration of the run');
  // Units, the change in the same unit and in per cent, and whether it is for the better.
  const length = page.locator('table[data-table="compare-metrics"] tbody tr', { hasText: 'Duration of the run' });
  for (const part of ['59.5 µs', '38.6 µs', '−20.9 µs', '−35.1%', 'better']) await expect(length).toContainText(part);
  await picture(page, 'compare-dark-1440');
  await show(page, 'tensors');
  await picture(page, 'tensors-dark-1440');
});

test('timelines of two runs stand on one clock, at a name, or by share', async ({ page, site }) => {
  await start(page, site);
  await dropFiles(page, json('baseline_attention', 'baseline'));
  await dropFiles(page, json('fused_attention', 'fused'));
  await show(page, 'compare');
  const all = page.locator('.compared [data-view="timeline"]');
  await expect(all).toHaveCount(1);
  await expect(page.locator('[data-alignment]')).toHaveText('Every run starts at time zero.');
  const told = JSON.parse(readFileSync(json('baseline_attention', 'baseline')));
  const n = told.instruction.filter((i) => i.opcode === 'MATMUL').length;
  await page.locator('table[data-table="compare-times"] tbody tr', { hasText: 'MATMUL' }).first().click();
  await expect(page.locator('[data-alignment]')).toContainText(`Aligned at the first MATMUL: ${n} /`);
  await idle(page);
  await picture(page, 'compare-light-1440');
  await page.locator('[data-unanchor]').click();
  await page.locator('[data-zoom="relative"]').click();
  await expect(all).toHaveCount(2);
  await idle(page);
  const windows = async () => {
    const texts = await all.evaluateAll((list) => list.map((e) => e.dataset.window));
    return texts.map((t) => t.match(/^(-?\d+)-(-?\d+)$/).slice(1).map(Number));
  };
  const [a, b] = await windows();
  const box = await all.first().locator('canvas').last().boundingBox();
  await page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.5);
  await page.keyboard.press('w');
  // The second run follows the first: the same share of each is seen.
  await expect.poll(async () => {
    const [c, d] = await windows();
    const share = (w, whole) => (w[1] - w[0]) / (whole[1] - whole[0]);
    return share(c, a) < 0.95 && Math.abs(share(c, a) - share(d, b)) < 0.01;
  }).toBe(true);
  await idle(page);
  await picture(page, 'compare-relative-light-1440');
  await page.setViewportSize({ width: 390, height: 844 });
  await idle(page);
  await picture(page, 'compare-relative-light-390');
});

test('timelines that do not fit on one clock stand by themselves, and say why', async ({ page, site }) => {
  await start(page, site);
  await dropFiles(page, json('baseline_attention', 'baseline'));
  await dropFiles(page, json('fused_attention', 'fused'));
  // What copies may take is a part of what the browser says of the machine.
  await page.evaluate(() => Object.defineProperty(navigator, 'deviceMemory', { configurable: true, get: () => 16 / 1024 ** 2 }));
  await show(page, 'compare');
  await expect(page.locator('[data-alignment]')).toHaveText(/^Each window shows .* Too large for one clock: it needs copies of [\d.]+ KiB, and this page's limit for them is 2\.00 KiB\.$/);
  await expect(page.locator('[data-run]')).toHaveCount(2);
  await expect(page.locator('[data-zoom="absolute"]')).toBeDisabled();
  await expect(page.locator('[data-zoom="relative"]')).toHaveAttribute('aria-pressed', 'true');
  await idle(page);
  await picture(page, 'compare-too-large-light-1440');
});

test('a summary by itself opens', async ({ page, site }) => {
  await start(page, site);
  const { summary } = JSON.parse(readFileSync(json('fused_attention', 'fused')));
  await dropFiles(page, { name: 'summary.json', bytes: Buffer.from(JSON.stringify({ n_a: summary[0], n_b: summary[0] })) });
  await expect(page.locator('body')).toHaveAttribute('data-profile', 'neuron_summary');
  await show(page, 'summary');
  await expect(page.locator('[data-card="hfu_estimated_percent"] strong')).toHaveText('5.8%');
  await expect(page.locator('[data-field="node"] option')).toHaveCount(2);
  await expect(page.locator('table[data-table="metrics"] tbody')).not.toContainText('differs');
  // It has no rows: nothing is said of when engines and transfers ran.
  await expect(page.locator('[data-chart="memory"]')).toBeVisible();
  await expect(page.locator('[data-chart="flops"], [data-chart="dma"]')).toHaveCount(0);
  await expect(page.locator('[data-view="summary"]')).not.toContainText('No engine ran');
  await picture(page, 'summary-alone-light-1440');
});
