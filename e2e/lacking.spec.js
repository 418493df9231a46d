// A device profile that lacks something: the rest is shown, and what is missing is said, never shown as 0.
import { readFileSync, readdirSync } from 'node:fs';
import { expect, dropFiles, neuron, picture, show, start, test } from './support.js';

/** The fused run's JSON after `change`, as a file to drop. */
const changed = (change) => {
  const run = JSON.parse(readFileSync(neuron('fused_attention', 'fused_exec_2_profile_full.json')));
  change(run);
  return { name: 'run.json', bytes: Buffer.from(JSON.stringify(run)) };
};
const card = (page, id) => page.locator(`[data-card="${id}"] strong`);

test('without clock, bandwidth and summary nothing is measured against them', async ({ page, site }) => {
  await start(page, site);
  await dropFiles(page, changed((run) => {
    delete run.summary;
    delete run.metadata[0].pe_clock_freq;
    run.metadata[0].hbm_ddr_bandwidth = 0;
  }));
  await show(page, 'summary');
  for (const id of ['hfu_estimated_percent', 'mfu_inst_estimated_percent', 'mbu_estimated_percent']) await expect(card(page, id)).toHaveText('not available');
  await expect(card(page, 'hbm_read_bytes')).toHaveText('832 KiB');
  await expect(card(page, 'total_active_time_percent')).toHaveText('84.5%');
  await show(page, 'roofline');
  await expect(page.locator('[data-view="roofline"] [data-notes]')).toContainText('No memory ceiling');
  await show(page, 'profile');
  await expect(page.locator('[data-view="profile"]')).toContainText('Not recorded in this file');
});

test('without transfers, and without instructions, no part is shown as the whole', async ({ page, site }) => {
  await start(page, site);
  await dropFiles(page, changed((run) => {
    delete run.summary;
    delete run.dma;
  }));
  await show(page, 'summary');
  await expect(card(page, 'total_active_time_percent')).toHaveText('not available');
  await expect(page.locator('[data-chart="dma"]')).toHaveCount(0);
  await dropFiles(page, changed((run) => { run.instruction = []; }));
  await show(page, 'summary');
  await expect(page.locator('table[data-table="metrics"] tbody')).not.toContainText('differs');
  await expect(page.locator('[data-chart="flops"]')).toHaveCount(0);
  await show(page, 'advice');
  await expect(page.locator('[data-view="advice"]')).not.toContainText('Capture without an execution');
});

test('a table that breaks off costs its rows, and nothing else', async ({ page, site }) => {
  await start(page, site);
  const folder = (name) => neuron('fused_attention', 'parquet-zstd', name);
  const whole = readdirSync(neuron('fused_attention', 'parquet-zstd'));
  const files = whole.map((name) => {
    const bytes = readFileSync(folder(name));
    return { name, bytes: name === 'Instruction.parquet' ? bytes.subarray(0, bytes.length / 2) : bytes };
  });
  await dropFiles(page, ...files);
  await expect(page.locator('body')).toHaveAttribute('data-profile', 'neuron_parquet');
  await show(page, 'summary');
  await expect(card(page, 'hfu_estimated_percent')).toHaveText('5.8%');
  await show(page, 'ledger');
  await expect(page.locator('[data-view="ledger"]')).toContainText('Instruction');
  await expect(page.locator('[data-view="ledger"]')).not.toContainText('several profiles');
});

test('views without data are not in the side bar, and the profile says what they need', async ({ page, site }) => {
  await start(page, site);
  await dropFiles(page, neuron('fused_attention', 'fused_exec_2_profile_full.json'));
  for (const view of ['source', 'compare', 'variants']) await expect(page.locator(`[data-nav="${view}"]`)).toHaveCount(0);
  await show(page, 'profile');
  const missing = page.locator('table[data-table="missing-views"]');
  const row = (name) => missing.getByRole('row', { name });
  await expect(row('Source')).toContainText('NKI_DEBUG_INFO=1');
  await expect(row('Compare')).toContainText('A second device profile');
  await expect(row('Variants')).toContainText('A second device profile or summary');
  await expect(missing.locator('tbody tr')).toHaveCount(3);
  await picture(page, 'missing-views');
  await dropFiles(page, neuron('baseline_attention', 'baseline_exec_2_profile_full.json'));
  await expect(page.locator('[data-nav="compare"]')).toHaveCount(1);
  await show(page, 'profile');
  await expect(missing.locator('tbody tr')).toHaveCount(1);
  await expect(row('Source')).toHaveCount(1);
});

test('cards of Advice stand below each other without holes', async ({ page, site }) => {
  await start(page, site);
  await dropFiles(page, neuron('baseline_attention', 'baseline_exec_2_profile_full.json'));
  await show(page, 'advice');
  const boxes = await page.locator('.advice__item').evaluateAll((all) => all.map((e) => e.getBoundingClientRect()).map((b) => [b.left, b.top, b.bottom]));
  expect(boxes.length).toBeGreaterThan(3);
  for (let i = 1; i < boxes.length; i += 1) {
    const [[left, , bottom], [nextLeft, nextTop]] = [boxes[i - 1], boxes[i]];
    if (left === nextLeft) expect(nextTop - bottom).toBeLessThan(24);
  }
});
