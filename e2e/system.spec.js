// System profiles: cards, executions, advice, the orders of rows, the chain of an event, and the way to a device profile.
import { cells, dropFiles, dropTree, expect, idle, neuron, openProfile, picture, show, start, test } from './support.js';
import { directory, framework, hostBound } from './neuron_logs.js';

const card = (page, id) => page.locator(`[data-view="system"] [data-card="${id}"] strong`);

test('figures, advice and its places', async ({ page, site }) => {
  await start(page, site);
  await dropFiles(page, { name: 'system_profile.json', bytes: hostBound() });
  await expect(page.locator('body')).toHaveAttribute('data-profile', 'neuron_system');
  await show(page, 'system');
  await expect(card(page, 'device-runtime')).toHaveText('3.00 ms');
  await expect(card(page, 'device-profiles')).toHaveText('not available');
  await expect.poll(() => cells(page, 'executions', 'total_ns')).toEqual(['3.00 ms']);
  await expect.poll(() => cells(page, 'transfers', 'bytes')).toEqual(['4.00 MiB', '1.00 MiB']);
  await expect(page.locator('[data-finding]')).toHaveCount(4);
  await expect(page.locator('[data-finding="host-gaps"]')).toContainText('66.7%');
  await picture(page, 'system');
  await page.locator('[data-finding="host-gaps"] [data-evidence]').first().click();
  await idle(page);
  await expect(page.locator('[data-view="timeline"]')).toBeVisible();
  await expect(page).toHaveURL(/range=/);
});

test('rows in another order, kept in the link; the chain of the selected event', async ({ page, site }) => {
  await start(page, site);
  await dropFiles(page, { name: 'system_profile.json', bytes: hostBound() });
  await page.locator('select[data-field="rows"]').selectOption('cpu-device');
  await idle(page);
  await expect(page).toHaveURL(/cpu-device/);
  await show(page, 'system');
  await page.locator('table[data-table="executions"] tr[data-row]').first().click();
  await page.locator('[data-part="executions"] [data-jump]').click();
  await idle(page);
  await expect(page.locator('[data-view="details"]')).toContainText('nc_exec_running');
  await show(page, 'system');
  await expect(page.locator('[data-chain]')).toContainText('2 upstream, 0 downstream');
  await expect.poll(() => cells(page, 'upstream', 'name')).toEqual(['nrt_execute', 'CompileGraph']);
  await page.locator('table[data-table="upstream"] tr[data-row]').first().click();
  await idle(page);
  await expect(page.locator('[data-view="details"]')).toContainText('nrt_execute');
});

test('from an execution to its device profile, its window marked in both', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, neuron('fused_attention', 'fused_exec_2_profile_full.json'));
  await dropFiles(page, { name: 'system_profile.json', bytes: hostBound('fused_exec_2_profile_full') });
  await show(page, 'system');
  await page.locator('table[data-table="executions"] tr[data-row]').first().click();
  const link = page.locator('[data-device][data-own="true"]');
  await expect(link).toHaveCount(1);
  await expect.poll(async () => (await cells(page, 'executions', 'hfu'))[0]).toMatch(/%/);
  await link.click();
  await idle(page);
  await expect(page.locator('body')).toHaveAttribute('data-profile', 'neuron_json');
  await expect(page).toHaveURL(/range=/);
  await page.getByRole('tab', { name: /system_profile/ }).click();
  await idle(page);
  await expect(page.locator('[data-view="system"]')).toBeVisible();
  await expect(page.locator('[data-chain]')).toContainText('nc_exec_running');
});

test('figures of a range say so', async ({ page, site }) => {
  await start(page, site);
  await dropFiles(page, { name: 'system_profile.json', bytes: hostBound() });
  await show(page, 'system');
  await expect(page.locator('[data-scope]')).toHaveText('Entire trace');
  // Choosing a gap commits its range.
  await page.locator('[data-finding="compile"] [data-evidence]').first().click();
  await idle(page);
  // The gap is the scope of every view at once.
  await show(page, 'system');
  await expect(page.locator('[data-scope]')).toContainText('Selected range');
  await expect(card(page, 'duration')).toHaveText('1.00 ms');
  await expect(card(page, 'device-runtime')).toHaveText('not available');
  await expect(page.locator('[data-notes]').first()).toContainText('No model executes in this range');
  await page.locator('[data-clear-range]').click();
  await idle(page);
  await expect(page.locator('[data-scope]')).toHaveText('Entire trace');
  await expect(card(page, 'device-runtime')).toHaveText('3.00 ms');
});

test('a directory of tables: executions, the HBM over time', async ({ page, site }) => {
  await start(page, site);
  await dropTree(page, directory());
  await expect(page.locator('body')).toHaveAttribute('data-profile', 'neuron_system');
  await show(page, 'system');
  await expect(card(page, 'device-profiles')).toHaveText('1');
  await expect.poll(() => cells(page, 'executions', 'profile')).toEqual(['profile_nc_0']);
  await expect.poll(() => cells(page, 'hbm', 'bytes')).toEqual(['95 B', '60 B', '35 B']);
  await expect(page.locator('[data-chart="hbm-curve"]')).toContainText('Weights');
  await expect(page.locator('[data-finding="hbm-full"]')).toContainText('95.0%');
  await picture(page, 'system-directory');
});

test('the trace of the framework beside it stands on the same clock', async ({ page, site }) => {
  await start(page, site);
  await dropFiles(page, { name: 'system_profile.json', bytes: hostBound() }, { name: 'trace.json', bytes: framework() });
  await expect(page.getByRole('tab')).toHaveCount(1);
  await show(page, 'system');
  await expect(page.locator('[data-finding="host-gaps"]')).toContainText('train_step');
  await show(page, 'ledger');
  await expect(page.locator('[data-view="ledger"]')).toContainText('same clock');
});

test('from the selected event of the timeline to its device profile', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, neuron('fused_attention', 'fused_exec_2_profile_full.json'));
  await dropFiles(page, { name: 'system_profile.json', bytes: hostBound('fused_exec_2_profile_full') });
  await show(page, 'system');
  await page.locator('table[data-table="executions"] tr[data-row]').first().click();
  await page.locator('[data-part="executions"] [data-jump]').click();
  await idle(page);
  const details = page.locator('[data-view="details"]');
  await expect(details).toContainText('nc_exec_running');
  await details.locator('[data-device][data-own="true"]').click();
  await idle(page);
  await expect(page.locator('body')).toHaveAttribute('data-profile', 'neuron_json');
});

test('stops that are missing and clocks that jump are told', async ({ page, site }) => {
  await start(page, site);
  const sync = (device, host) => ({ event_type: 'timestamp_sync_point', phase: 'instant', nc_idx: 0, tracking_id: device, timestamp_ns: host,
    data: { exec_id: 'e', nc_timestamp_ns: device, cpu_timestamp_ns: host } });
  const one = (name, phase, id, time) => ({ event_type: name, phase, nc_idx: 0, tracking_id: id, timestamp_ns: time });
  const events = [sync(1000, 1000), sync(2000, 5_000_000), one('nrt_load', 'start', 1, 10), one('nrt_execute', 'start', 2, 50), one('nrt_execute', 'stop', 2, 40)];
  await dropFiles(page, { name: 'events.json', bytes: JSON.stringify({ events, data_version: 2 }) });
  await show(page, 'system');
  await expect(page.locator('[data-notes]').first()).toContainText('A clock jumps');
  await expect(page.locator('[data-notes]').first()).toContainText('nc_exec_running');
  await show(page, 'ledger');
  await expect(page.locator('[data-view="ledger"]')).toContainText('has no stop');
  await expect(page.locator('[data-view="ledger"]')).toContainText('stops before its start');
});
