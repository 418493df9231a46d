// Reports of analyze: the figures, the failing call, what changed between two.
import { cells, dropFiles, expect, idle, neuron, openProfile, picture, show, start, test } from './support.js';

const view = (page) => page.locator('[data-view="support"]');

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

test('odd reports: what is missing is said, what was open stays', async ({ page, site }) => {
  await start(page, site);
  const supported = { aten: { 'aten::add': 2 }, xla: ['f32[] add(f32[], f32[])', 'f32[] add(f32[], f32[])'] };
  const twice = '{"support_percentage":"nan%","supported_operators":{"aten":{"aten::add":2,"aten::add":3}}}';
  await dropFiles(page, { name: 'result.json', bytes: twice });
  await expect(page.locator('[data-chart="support-gauge"]')).toContainText('not available');
  await expect(page.locator('[data-remark="percentage"]')).toContainText('nan%');
  await expect(page.locator('[data-remark="missing"]')).toContainText('what fails is not available');
  expect(await cells(page, 'support-operators', 'supported')).toEqual(['5']);
  const mismatch = { support_percentage: '60.00%', supported_operators: supported, unsupported_operators: { aten: [], xla: [] } };
  await dropFiles(page, { name: 'result.json', bytes: JSON.stringify(mismatch) });
  await expect(page.locator('[data-remark="mismatch"]')).toContainText('100.00 %');
  expect(await cells(page, 'support-instructions', 'count')).toEqual(['2']);
  await page.getByRole('group', { name: 'Which operators' }).getByRole('button', { name: 'Supported' }).click();
  await expect(page).toHaveURL(/s\.support\.which=supported/);
  await dropFiles(page, { name: 'result.json', bytes: '{"support_percentage"' });
  await expect(page.locator('[role=alert]').last()).toContainText('Expected');
  await expect(page.getByRole('tab')).toHaveCount(2);
});
