// Every real file set opens from a drop to a drawn timeline, a pie and a table.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, dropFiles, ink, kineto, lanes, neuron, openProfile, show, start, test, timeline } from './support.js';

const parquet = (codec) => {
  const folder = neuron('fused_attention', codec);
  return readdirSync(folder).map((name) => join(folder, name));
};

const neuronCases = [
  ['an NTFF alone', 'ntff', () => [neuron('fused_attention', 'fused_exec_2.ntff')]],
  ['an NTFF with its NEFF', 'ntff', () => [neuron('fused_attention', 'fused_exec_2.ntff'), neuron('fused_attention', 'fused.neff')]],
  ["the profiler's JSON", 'neuron_json', () => [neuron('fused_attention', 'fused_exec_2_profile_full.json')]],
  ['a Neuron Explorer directory', 'neuron_parquet', () => parquet('parquet-zstd')],
  ['one with another codec', 'neuron_parquet', () => parquet('parquet-snappy')],
  ['another NTFF', 'ntff', () => [neuron('baseline_attention', 'baseline_exec_2.ntff')]],
  ['another NTFF with its NEFF', 'ntff', () => [neuron('baseline_attention', 'baseline_exec_2.ntff'), neuron('baseline_attention', 'baseline.neff')]],
  ['another JSON', 'neuron_json', () => [neuron('baseline_attention', 'baseline_exec_2_profile_full.json')]],
];

const kinetoCases = [
  ['a PyTorch trace of today', 'kineto', () => [kineto('local-traces', 'cpu_single', 'worker0.1795203842800630766.pt.trace.json.gz')]],
  ['a PyTorch trace of a distributed run', 'kineto', () => [kineto('local-traces', 'gloo_ddp', 'host_1.1795203883106025163.pt.trace.json.gz')]],
  ['a PyTorch trace of Lightning', 'kineto', () => [kineto('local-traces', 'lightning', 'worker0.1795204596385050133.pt.trace.json.gz')]],
];

for (const [what, format, files] of [...neuronCases, ...kinetoCases]) {
  test(`${what} is drawn, summed and charted`, async ({ page, site }) => {
    await start(page, site);
    await dropFiles(page, ...files());
    await expect(page.locator('body')).toHaveAttribute('data-profile', format);
    await show(page, 'timeline');
    await expect(timeline(page)).toHaveAttribute('data-window', /\d/);
    const drawn = await ink(await lanes(page));
    expect(drawn.colours).toBeGreaterThan(8);
    expect(drawn.inked).toBeGreaterThan(2000);
    await show(page, 'operators');
    const table = page.locator('table[data-table="operators"]');
    await expect(table.locator('tbody tr').first()).toBeVisible();
    expect(await table.locator('tbody tr').count()).toBeGreaterThan(2);
    const pie = await ink(page.locator('canvas[data-chart], [data-chart] canvas').first());
    expect(pie.colours).toBeGreaterThan(3);
    await expect(page.locator('[role=alert]')).toHaveCount(0);
    await expect(page.locator('body')).not.toContainText(/\bNaN\b|undefined|-0 /);
  });
}

test('a NEFF alone opens and says what it holds', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, neuron('neff_matmul_small', 'matmul_small.neff'));
  await expect(page.locator('body')).toHaveAttribute('data-profile', 'neff');
  await expect(page.locator('[role=alert]')).toHaveCount(0);
});

test('a NEFF dropped after its NTFF joins it', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, neuron('fused_attention', 'fused_exec_2.ntff'));
  await openProfile(page, neuron('fused_attention', 'fused.neff'));
  await expect(page.locator('body')).toHaveAttribute('data-profile', 'ntff');
  await expect(page.locator('[role=tab]')).toHaveCount(1);
});

test('a NEFF of another model that comes later opens beside the trace', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, neuron('fused_attention', 'fused_exec_2.ntff'));
  await openProfile(page, neuron('baseline_attention', 'baseline.neff'));
  await expect(page.locator('body')).toHaveAttribute('data-profile', 'neff');
  await expect(page.locator('[role=tab]')).toHaveCount(2);
});

test('a wrong pair of NTFF and NEFF is refused with both identities', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, neuron('fused_attention', 'fused_exec_2.ntff'), neuron('baseline_attention', 'baseline.neff'));
  await expect(page.locator('[role=alert]').first()).toContainText(/[0-9a-f]{8}/);
});
