// Idle time by cause, the critical path, advice: figures of the real runs, and clicks that lead to the timeline.
import { expect, dropFiles, idle, neuron, otherArchitecture, picture, show, start, test } from './support.js';

test('gaps and the critical path lead to the timeline', async ({ page, site }) => {
  await start(page, site);
  await dropFiles(page, neuron('fused_attention', 'fused_exec_2_profile_full.json'));
  await show(page, 'gaps');
  await expect(page.locator('[data-chart="idle-causes"]')).toBeVisible();
  const gaps = page.locator('table[data-table="gaps"]');
  await expect(gaps).toContainText('S[5] (Tensor) ≥ 5');
  await expect(page.locator('table[data-table="path-shares"]')).toContainText('Tensor');
  await expect(page.locator('[data-part="critical-path"]')).toContainText('126 steps over 34.5 µs');
  await picture(page, 'gaps-light-1440');
  await gaps.locator('tbody tr[data-row]').first().click();
  await idle(page);
  await expect(page.locator('[data-view="timeline"]')).toBeVisible();
  await page.setViewportSize({ width: 390, height: 844 });
  await show(page, 'gaps');
  await picture(page, 'gaps-light-390');
});

test('a trace without decoded operands says which causes it cannot tell', async ({ page, site }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await start(page, site);
  await dropFiles(page, otherArchitecture(neuron('fused_attention', 'fused_exec_2.ntff')));
  await show(page, 'gaps');
  await expect(page.locator('[data-view="gaps"] [data-notes]').first()).toContainText('not available');
  await picture(page, 'gaps-dark-1440');
});

test('advice is ranked, explained, and shows its places', async ({ page, site }) => {
  await start(page, site);
  await dropFiles(page, neuron('baseline_attention', 'baseline_exec_2_profile_full.json'));
  await show(page, 'advice');
  await expect(page.locator('[data-recommendation="R20"]')).toContainText('23.8%');
  await expect(page.locator('[data-recommendation="R21"]')).toContainText('13.6 µs');
  await expect(page.locator('[data-warning]')).toHaveCount(3);
  await expect(page.locator('[data-part="unjudged"] summary')).toContainText('need data that this file does not record');
  await picture(page, 'advice-light-1440');
  await page.locator('[data-recommendation="R17"] [data-evidence]').first().click();
  await idle(page);
  await expect(page.locator('[data-view="timeline"]')).toBeVisible();
  await page.setViewportSize({ width: 390, height: 844 });
  await show(page, 'advice');
  await picture(page, 'advice-light-390');
});
