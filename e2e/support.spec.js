// Reports of analyze: the figures, the failing call, what changed between two.
import { dropFiles, expect, idle, neuron, openProfile, picture, show, start, test } from './support.js';

const view = (page) => page.locator('[data-view="support"]');
const cells = (page, table, column) => page.locator(`table[data-table="${table}"]`).evaluate((element, wanted) => {
  const at = [...element.querySelectorAll('thead th')].findIndex((th) => th.dataset.column === wanted);
  return [...element.querySelectorAll('tbody tr[data-row]')].map((tr) => tr.children[at].textContent.trim());
}, column);

test('a report opens at its own view and says what fails, where and why', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, neuron('analyze', 'unsupported-verbosity1.json'));
  await expect(view(page)).toBeVisible();
  await expect(page.locator('[data-nav="timeline"]')).toHaveCount(0);
  await expect(page.locator('[data-chart="support-gauge"]')).toContainText('60.00 %');
  await expect(page.locator('[data-chart="support-gauge"]')).toContainText('3 of 5');
  await expect(page.locator('[data-remark="both"]')).toContainText('c64');
  await expect(page.locator('[data-failure]')).toContainText('test2_unsup.py 24');
  expect(await cells(page, 'support-operators', 'unsupported')).toEqual(['1', '']);
  expect(await cells(page, 'support-instructions', 'opcode')).toEqual(['convert', 'multiply', 'multiply', 'broadcast', 'add']);
  await page.getByRole('button', { name: 'Failing', exact: true }).click();
  await expect.poll(() => cells(page, 'support-operators', 'supported')).toEqual(['1']);
  await picture(page, 'support');
});

test('two reports: what became supported', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, neuron('analyze', 'unsupported-verbosity2.json'));
  await expect(page.locator('[data-remark="verbosity"]')).toContainText('--analyze-verbosity 1');
  await openProfile(page, neuron('analyze', 'supported.json'));
  await expect(page.locator('[data-chart="support-gauge"]')).toContainText('100.00 %');
  await page.locator('select[data-field="compare"]').selectOption({ index: 1 });
  await idle(page);
  await expect(page.locator('[data-diff]')).toContainText('60.00 % before, 100.00 % now');
  await expect.poll(() => cells(page, 'support-diff', 'change')).toContain('became supported');
  await show(page, 'ledger');
  await show(page, 'support');
});

test('a log names its report; what was open stays', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, neuron('analyze', 'api-variant.json'));
  await expect(page.locator('[data-failure]')).toContainText('graph(%x');
  await dropFiles(page, { name: 'run.log', bytes: 'INFO ||ANALYZE||: Model analysis completed. Report - /x/result.json\n' });
  await expect(page.locator('[role=alert]')).toContainText('/x/result.json');
  await expect(view(page)).toBeVisible();
});
