// After one visit the page opens with the network off, from any sub-path.
import { expect, idle, show, test, dist } from './support.js';
import { serve } from '../scripts/serve.mjs';

test.use({ serviceWorkers: 'allow' });

test('the page reloads with its server gone, and a sample still opens', async ({ browser }) => {
  const site = await serve(dist, { prefix: '/another/place/' });
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  try {
    const page = await context.newPage();
    await page.goto(site.url);
    await idle(page);
    await page.evaluate(async () => {
      await navigator.serviceWorker.ready;
      if (!navigator.serviceWorker.controller) await new Promise((ok) => navigator.serviceWorker.addEventListener('controllerchange', ok));
    });
    await site.close();
    await context.setOffline(true);
    await page.reload();
    await idle(page);
    await page.locator('[data-sample]').first().click();
    await expect(page.locator('body')).toHaveAttribute('data-profile', /./);
    await idle(page);
    await show(page, 'timeline');
  } finally {
    await context.close();
  }
});
