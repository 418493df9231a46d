// What the timeline shows is chosen in its View panel, and is in the link.
import { join } from 'node:path';
import { expect, idle, lanes, neuron, openProfile, picture, samples, show, start, test, visible } from './support.js';

const device = () => neuron('fused_attention', 'fused_exec_2_profile_full.json');
const labels = (page) => page.locator('.timeline__label');

test('kinds of rows leave and come back, colours and semaphores are in the link', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, device());
  await show(page, 'timeline');
  await page.getByLabel('Show only rows with this text in their path').fill('NC');
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

test('what cannot be a semaphore or a window is told at its field', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, device());
  await show(page, 'timeline');
  await page.locator('[data-settings-menu]').click();
  const panel = page.locator('[data-settings]');
  const semaphores = panel.locator('[data-setting="semaphores"]');
  await semaphores.fill('abc');
  await semaphores.press('Enter');
  await expect(semaphores).toHaveAttribute('aria-invalid', 'true');
  await expect(panel.locator('[data-wrong="semaphores"]')).toContainText('abc is no semaphore of this profile');
  await semaphores.fill('');
  await semaphores.press('Enter');
  await expect(semaphores).toHaveAttribute('aria-invalid', 'false');
  const [from, wrong] = [panel.locator('[data-setting="from"]'), panel.locator('[data-wrong="window"]')];
  const before = await visible(page);
  await from.fill('1e99');
  await from.press('Enter');
  await expect(from).toHaveAttribute('aria-invalid', 'true');
  await expect(wrong).toContainText('found 1e99');
  expect(await visible(page)).toMatchObject(before);
  await from.fill(String(before.to + 1000));
  await from.press('Enter');
  await expect(wrong).not.toContainText('found 1e99');
  await expect(from).toHaveAttribute('aria-invalid', 'true');
  await from.fill(String(before.from + 2000));
  await from.press('Enter');
  await expect.poll(() => visible(page)).toMatchObject({ from: before.from + 2000, to: before.to });
  await expect(from).toHaveAttribute('aria-invalid', 'false');
  await expect(wrong).toHaveText('');
});

test('the rows of the physical cores stand among each other as one logical core, and back', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, device());
  await show(page, 'timeline');
  await expect(labels(page).filter({ hasText: /^.?NC 4/ }).first()).toBeVisible();
  await page.locator('[data-settings-menu]').click();
  const cores = page.locator('[data-settings] [data-setting="cores"]');
  await cores.selectOption('logical');
  await idle(page);
  await expect(labels(page).filter({ hasText: 'Logical core of NC 4, NC 5' })).toHaveCount(1);
  await expect(page).toHaveURL(/s\.timeline\.cores=logical/);
  // A row that each core has stands twice, one below the other; its kind can still be left out.
  await page.locator('[data-row-kind="DMA"]').uncheck();
  await idle(page);
  const vector = labels(page).filter({ hasText: /Vector · NC/ });
  await expect.poll(async () => (await vector.allTextContents()).map((t) => t.match(/NC \d/)[0])).toEqual(['NC 4', 'NC 5']);
  await picture(page, 'logical-core');
  await cores.selectOption('');
  await idle(page);
  await expect(labels(page).filter({ hasText: 'Logical core' })).toHaveCount(0);
});

test('choices saved as mine are what the next profile of the kind begins with, and a link shows its own', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, device());
  await show(page, 'timeline');
  await page.locator('[data-settings-menu]').click();
  const panel = page.locator('[data-settings]');
  const own = panel.locator('[data-own-choices]');
  await expect(own).toHaveAttribute('data-own-choices', 'none');
  await expect(own.locator('[data-own-save]')).toBeDisabled();
  await panel.locator('[data-row-kind="DMA"]').uncheck();
  await panel.locator('[data-setting="legend"]').check();
  await own.locator('[data-own-save]').click();
  await expect(own).toHaveAttribute('data-own-choices', 'shown');
  await panel.locator('[data-settings-full]').click();
  await expect(own).toHaveAttribute('data-own-choices', 'other');
  await expect(own).toContainText('Neuron device profiles open with your saved settings');
  await own.locator('[data-own-show]').click();
  await expect(own).toHaveAttribute('data-own-choices', 'shown');
  await expect(panel.locator('[data-row-kind="DMA"]')).not.toBeChecked();
  await idle(page);
  await expect.poll(() => page.url()).toContain('s.timeline.hidden=DMA');
  const plain = page.url().replace(/&s\.[^&]*/g, '');

  await page.goto('about:blank');
  await start(page, site);
  await openProfile(page, neuron('baseline_attention', 'baseline_exec_2_profile_full.json'));
  await show(page, 'timeline');
  await expect(labels(page).filter({ hasText: 'qSync' })).toHaveCount(0);
  await expect.poll(() => page.url()).toContain('s.timeline.hidden=DMA');
  await openProfile(page, join(samples, 'cpu_single.pt.trace.json.gz'));
  await show(page, 'timeline');
  await idle(page);
  await expect.poll(() => page.url()).not.toContain('s.timeline.');

  await page.goto('about:blank');
  await page.goto(plain);
  await idle(page);
  await openProfile(page, device());
  await page.locator('[data-settings-menu]').click();
  await expect(panel.locator('[data-row-kind="DMA"]')).toBeChecked();
  await expect(own).toHaveAttribute('data-own-choices', 'other');
  await own.locator('[data-own-forget]').click();
  await expect(own).toHaveAttribute('data-own-choices', 'none');
  await page.goto('about:blank');
  await start(page, site);
  await openProfile(page, device());
  await page.locator('[data-settings-menu]').click();
  await expect(panel.locator('[data-row-kind="DMA"]')).toBeChecked();
});

test('Escape closes the menu that is open, and nothing behind it', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, device());
  await show(page, 'operators');
  await page.locator('table[data-table="operators"] tbody tr[data-row] td').first().click();
  await idle(page);
  await expect(page.locator('[data-view="details"]')).toBeVisible();
  await page.locator('[data-settings-menu]').click();
  await expect(page.locator('[data-settings]')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.locator('[data-settings]')).toBeHidden();
  await expect(page.locator('[data-view="details"]')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.locator('[data-view="details"]')).toHaveCount(0);
});

test('the column that slices are coloured by is in the link', async ({ page, site, browser }) => {
  await start(page, site);
  await openProfile(page, device());
  await show(page, 'timeline');
  await page.locator('[data-field="colour"]').selectOption('opcode');
  await idle(page);
  await expect.poll(() => page.url()).toContain('s.timeline.colour=opcode');
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const other = await context.newPage();
  await other.goto(page.url());
  await idle(other);
  await openProfile(other, device());
  await expect(other.locator('[data-field="colour"]')).toHaveValue('opcode');
  await context.close();
});

test('rows stay as they were put when others come above them or take their place', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, device());
  await show(page, 'timeline');
  const filter = page.getByLabel('Show only rows with this text in their path');
  const closed = labels(page).filter({ has: page.locator('button[aria-expanded="true"]') }).filter({ hasText: 'DMA' }).first();
  const path = await closed.getAttribute('data-track');
  await closed.locator('button.timeline__fold').click();
  const group = page.locator(`[data-track="${path}"] button.timeline__fold`);
  await expect(group).toHaveAttribute('aria-expanded', 'false');
  await idle(page);
  const scalar = page.locator('.timeline__labels-scroll .timeline__label[data-track$="Scalar"]').first();
  const pinned = await scalar.getAttribute('data-track');
  await scalar.hover();
  await scalar.getByLabel(/^Pin to the top/).click();
  const top = page.locator('.timeline__labels-pinned .timeline__label');
  await expect(top).toHaveCount(1);
  await filter.fill('NC 4');
  const check = async () => {
    await idle(page);
    await expect(filter).toHaveValue('NC 4');
    await expect(top).toHaveCount(1);
    await expect(top).toHaveAttribute('data-track', pinned);
  };
  await page.locator('[data-settings-menu]').click();
  const panel = page.locator('[data-settings]');
  await panel.locator('[data-setting="names-row"]').selectOption('opcode');
  await expect(labels(page).filter({ hasText: 'Opcode' }).first()).toBeVisible();
  await check();
  await panel.locator('[data-setting="dma-rows"]').selectOption('engine');
  await check();
  await page.keyboard.press('Escape');
  await show(page, 'operators');
  await show(page, 'timeline');
  await expect(labels(page).filter({ hasText: 'Opcode' }).first()).toBeVisible();
  await check();
  // What is filtered is in the link, and lifted there as well.
  await expect.poll(() => decodeURIComponent(page.url())).toContain('s.timeline.filter=NC 4');
  const other = await page.context().newPage();
  await other.goto(page.url());
  await idle(other);
  await openProfile(other, device());
  await expect(other.getByLabel('Show only rows with this text in their path')).toHaveValue('NC 4');
  await expect(labels(other).filter({ hasText: 'NC 5' })).toHaveCount(0);
  await other.close();
  // A filter opens what it finds; without it the group is closed as before.
  await filter.fill('');
  await expect.poll(() => page.url()).not.toContain('s.timeline.filter');
  await expect(group).toHaveAttribute('aria-expanded', 'false');
});

test('two markers are the edges of the window, to the nanosecond', async ({ page, site }) => {
  await start(page, site);
  await openProfile(page, device());
  await show(page, 'timeline');
  await page.locator('[data-settings-menu]').click();
  const panel = page.locator('[data-settings]');
  await expect(panel.locator('[data-setting="between"]')).toHaveCount(0);
  await page.keyboard.press('Escape');
  const box = await (await lanes(page)).boundingBox();
  for (const share of [0.6, 0.3, 0.8]) {
    await page.mouse.move(box.x + box.width * share, box.y + box.height * 0.9);
    await page.keyboard.press('m');
  }
  await page.locator('[data-annotations]').click();
  await page.locator('[data-view="annotations"] select').first().selectOption('ns');
  const row = (name) => page.locator('table[data-table="annotations"] tbody tr').filter({ has: page.locator(`input[aria-label="Name"]`) }).nth(name);
  const times = await Promise.all([0, 1, 2].map(async (i) => Number((await row(i).getByLabel('Time').inputValue()).replace(/\D/g, ''))));
  await page.locator('[data-settings-menu]').click();
  await panel.locator('[data-setting="marker-from"]').selectOption({ label: 'Marker 1' });
  await panel.locator('[data-setting="between"]').click();
  await expect.poll(() => visible(page)).toMatchObject({ from: times[1], to: times[2] });
  await panel.locator('[data-setting="marker-to"]').selectOption({ label: 'Marker 2' });
  await panel.locator('[data-setting="between"]').click();
  await expect.poll(() => visible(page)).toMatchObject({ from: times[0], to: times[1] });
  await page.keyboard.press('Escape');
  await row(2).click({ position: { x: 3, y: 3 } });
  await page.locator('[data-zoom-span]').click();
  await expect.poll(() => visible(page)).toMatchObject({ from: times[1], to: times[2] });
});

for (const scheme of ['light', 'dark']) {
  for (const [width, height] of [[1440, 900], [390, 844]]) {
    test(`the View panel in ${scheme} at ${width}×${height}`, async ({ page, site }) => {
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width, height });
      await start(page, site);
      await openProfile(page, device());
      const box = await (await lanes(page)).boundingBox();
      for (const share of [0.3, 0.6]) {
        await page.mouse.move(box.x + box.width * share, box.y + box.height * 0.8);
        await page.keyboard.press('m');
      }
      await page.locator('[data-settings-menu]').click();
      const panel = page.locator('[data-settings]');
      await panel.locator('[data-setting="legend"]').check();
      await panel.locator('[data-own-save]').click();
      await panel.locator('[data-setting="names"]').uncheck();
      await idle(page);
      const edges = await panel.evaluate((e) => [e.scrollWidth - e.clientWidth, e.getBoundingClientRect().right - window.innerWidth]);
      expect(edges[0]).toBeLessThanOrEqual(0);
      expect(edges[1]).toBeLessThanOrEqual(0);
      await picture(page, `settings-${scheme}-${width}`);
    });
  }
}
