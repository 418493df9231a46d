// System profiles: cards, executions, advice, the orders of rows, the chain of an event, and the way to a device profile.
import { dropFiles, expect, idle, neuron, openProfile, picture, show, start, test } from './support.js';
import { hostBound } from './neuron_logs.js';

const cells = (page, id, column) => page.locator(`table[data-table="${id}"]`).evaluate((element, wanted) => {
  const at = [...element.querySelectorAll('thead th')].findIndex((th) => th.dataset.column === wanted);
  return [...element.querySelectorAll('tbody tr[data-row]')].map((tr) => tr.children[at].textContent.trim());
}, column);
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
  await expect(page.locator('[data-finding="host-gaps"]')).toContainText('66.7 %');
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
