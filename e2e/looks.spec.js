// Pictures for people to look at, kept in e2e/artifacts: light and dark, wide and narrow. And what can be checked: nothing sticks out.
import { join } from 'node:path';
import { expect, neuron, openProfile, picture, samples, show, start, test } from './support.js';

for (const scheme of ['light', 'dark']) {
  for (const [width, height] of [[1440, 900], [390, 844]]) {
    test(`the page in ${scheme} at ${width}×${height}`, async ({ page, site }) => {
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height });
      const name = (what) => `${what}-${scheme}-${width}x${height}`;
      const sticksOut = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      await start(page, site);
      await picture(page, name('start'));
      expect(await sticksOut()).toBeLessThanOrEqual(0);
      await openProfile(page, neuron('fused_attention', 'fused_exec_2_profile_full.json'));
      await show(page, 'timeline');
      await picture(page, name('neuron-timeline'));
      expect(await sticksOut()).toBeLessThanOrEqual(0);
      await show(page, 'operators');
      await picture(page, name('neuron-operators'));
      expect(await sticksOut()).toBeLessThanOrEqual(0);
      await openProfile(page, join(samples, 'cpu_single.pt.trace.json.gz'));
      await show(page, 'timeline');
      await picture(page, name('torch-timeline'));
      await show(page, 'operators');
      await picture(page, name('torch-operators'));
      expect(await sticksOut()).toBeLessThanOrEqual(0);
    });
  }
}
