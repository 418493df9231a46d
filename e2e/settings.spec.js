// What the timeline shows is chosen in its View panel, and is in the link.
import { expect, idle, neuron, openProfile, show, start, test } from './support.js';

const device = neuron('fused_attention', 'fused_exec_2_profile_full.json');
const labels = (page) => page.locator('.timeline__label');

test('kinds of rows leave and come back, colours and semaphores are in the link', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, device);
  await show(page, 'timeline');
  await page.getByLabel('Show only rows whose path contains this text').fill('NC');
  await page.locator('[data-settings-menu]').click();
  const panel = page.locator('[data-settings]');
  await expect(panel.locator('[data-row-kind="DMA"]')).toBeChecked();
  await panel.locator('[data-row-kind="DMA"]').uncheck();
  await idle(page);
  await expect(labels(page).filter({ hasText: 'qGpSimdDynamic' })).toHaveCount(0);
  await expect(labels(page).filter({ hasText: /^.?Sync/ }).first()).toBeVisible();
  await panel.locator('[data-setting="names"]').uncheck();
  await panel.locator('[data-setting="dma-colour"]').selectOption('engine');
  await panel.locator('[data-setting="semaphores"]').fill('2');
  await panel.locator('[data-setting="semaphores"]').press('Enter');
  await idle(page);
  await expect.poll(() => decodeURIComponent(page.url())).toContain('s.timeline.hidden=DMA');
  for (const part of ['s.timeline.names=false', 's.timeline.dma-colour=engine', 's.timeline.semaphores=2']) expect(page.url()).toContain(part);
  await panel.locator('[data-settings-minimal]').click();
  await idle(page);
  await expect(labels(page).filter({ hasText: 'Semaphores' })).toHaveCount(0);
  await panel.locator('[data-settings-full]').click();
  await idle(page);
  await expect(panel.locator('[data-row-kind="DMA"]')).toBeChecked();
  await expect.poll(() => page.url()).not.toContain('s.timeline.');
});
