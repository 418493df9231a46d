// Reports of analyze: the figures, the failing call, what changed between two, lists too long to be there at once.
import { readFileSync } from 'node:fs';
import { cells, dropFiles, expect, idle, neuron, openProfile, picture, show, start, test } from './support.js';

const view = (page) => page.locator('[data-view="support"]');

test('a report opens at its own view and says what fails, where and why', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, neuron('analyze', 'unsupported-verbosity1.json'));
  await expect(view(page)).toBeVisible();
  await expect(page.locator('[data-nav="timeline"]')).toHaveCount(0);
  await expect(page.locator('[data-chart="support-gauge"]')).toContainText('60.00%');
  await expect(page.locator('[data-remark="percentage"]').first()).toContainText('3 of 5');
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
  await expect(page.locator('[data-chart="support-gauge"]')).toContainText('100.00%');
  await page.locator('select[data-field="compare"]').selectOption({ index: 1 });
  await idle(page);
  await expect(page.locator('[data-diff]')).toContainText('60.00% before, 100.00% now');
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

test('odd reports: what is missing is said, what was open stays', async ({ page, site }) => {
  await start(page, site);
  const supported = { aten: { 'aten::add': 2 }, xla: ['f32[] add(f32[], f32[])', 'f32[] add(f32[], f32[])'] };
  const twice = '{"support_percentage":"nan%","supported_operators":{"aten":{"aten::add":2,"aten::add":3}}}';
  await dropFiles(page, { name: 'result.json', bytes: twice });
  await expect(page.locator('[data-chart="support-gauge"]')).toContainText('not available');
  await expect(page.locator('[data-remark="percentage"]')).toContainText('nan%');
  await expect(page.locator('[data-remark="missing"]')).toContainText('no list of unsupported operators');
  expect(await cells(page, 'support-operators', 'supported')).toEqual(['5']);
  const mismatch = { support_percentage: '60.00%', supported_operators: supported, unsupported_operators: { aten: [], xla: [] } };
  await dropFiles(page, { name: 'result.json', bytes: JSON.stringify(mismatch) });
  await expect(page.locator('[data-remark="mismatch"]')).toContainText('100.00%');
  expect(await cells(page, 'support-instructions', 'count')).toEqual(['2']);
  await page.getByRole('group', { name: 'Which operators' }).getByRole('button', { name: 'Supported' }).click();
  await expect(page).toHaveURL(/s\.support\.which=supported/);
  await dropFiles(page, { name: 'result.json', bytes: '{"support_percentage"' });
  await expect(page.locator('[role=alert]').last()).toContainText('Expected');
  await expect(page.getByRole('tab')).toHaveCount(2);
});

/** A report in which 700 operators fail and 900 work. */
function long() {
  const aten = Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`aten::good_${i}`, i + 1]));
  const failing = Array.from({ length: 700 }, (_, i) => ({ kind: `aten::bad_${i}`, failureAt: 'neuronx-cc', call: `m.py ${i}\nn.py ${i}` }));
  const xla = failing.map((f, i) => ({ hlo_instruction: `c64[${i}]{0} multiply(c64[${i}]{0}, c64[${i}]{0})`, aten_op: f.kind }));
  const report = { support_percentage: '0.00%', supported_operators: { aten, xla: [] }, unsupported_operators: { aten: failing, xla } };
  return JSON.stringify(report);
}

test('long lists begin with a few rows; filter, CSV and a choice see all of them', async ({ page, site }) => {
  await start(page, site);
  await dropFiles(page, { name: 'result.json', bytes: long() });
  const part = (id) => page.locator('.table-part', { has: page.locator(`table[data-table="${id}"]`) });
  const count = (id) => part(id).locator('.table__count');
  await expect(count('support-operators')).toHaveText(/^1\D600 of 1\D600 rows$/);
  await expect(count('support-failures')).toHaveText('700 of 700 rows');
  // Sums are of all rows, so there are none before all rows are.
  await expect(part('support-operators').locator('tfoot')).toHaveCount(0);
  const [file] = await Promise.all([page.waitForEvent('download'), part('support-failures').getByRole('button', { name: 'CSV' }).click()]);
  expect(readFileSync(await file.path(), 'utf8').trim().split('\r\n')).toHaveLength(701);
  await idle(page);
  await expect(part('support-operators').locator('tfoot')).toContainText('700');
  await part('support-operators').getByRole('searchbox').fill('good_899');
  await expect.poll(() => cells(page, 'support-operators', 'supported')).toEqual(['900']);
});

test('a filter in a link, or the end of a list, brings the other rows', async ({ page, site }) => {
  await start(page, site);
  await dropFiles(page, { name: 'result.json', bytes: long() });
  const table = page.locator('.table-part', { has: page.locator('table[data-table="support-operators"]') });
  await table.getByRole('searchbox').fill('good_8');
  await idle(page);
  await expect(table.locator('.table__count')).toHaveText(/^111 of 1\D600 rows$/);
  await table.getByRole('searchbox').fill('');
  await page.getByRole('group', { name: 'Which operators' }).getByRole('button', { name: 'Supported' }).click();
  await expect(table.locator('.table__count')).toHaveText('900 of 900 rows');
  const failures = page.locator('.table-part', { has: page.locator('table[data-table="support-failures"]') });
  await failures.locator('.table-box').focus();
  await page.keyboard.press('End');
  await expect(failures.locator('tr[data-row="699"]')).toBeVisible();
  await page.keyboard.press('Enter');
  await idle(page);
  await expect(page.locator('[data-failure]')).toContainText('c64[699]{0} multiply');
});
