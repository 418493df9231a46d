// Nothing leaves the machine: the page asks for its own files and for nothing else.
import { join } from 'node:path';
import { expect, openProfile, samples, show, start, test, dist } from './support.js';
import { existsSync } from 'node:fs';

test.use({ serviceWorkers: 'allow' });

test('opening a profile asks the network for nothing', async ({ page, site }) => {
  const asked = [];
  await start(page, site);
  await page.waitForLoadState('networkidle');
  page.on('request', (request) => asked.push(request));
  await openProfile(page, join(samples, 'cpu_single.pt.trace.json.gz'));
  await show(page, 'operators');
  const prefix = new URL(site.url).pathname;
  for (const request of asked.filter((r) => r.url().startsWith('http'))) {
    expect(request.method()).toBe('GET');
    expect(request.postData()).toBeNull();
    const path = new URL(request.url()).pathname;
    expect(path.startsWith(prefix)).toBe(true);
    expect(existsSync(join(dist, path.slice(prefix.length) || 'index.html')), path).toBe(true);
  }
});

test('the policy forbids foreign connections and inline scripts', async ({ page, site }) => {
  await start(page, site);
  const policy = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute('content');
  expect(policy).toContain("default-src 'self'");
  expect(policy).not.toContain('__CSP_HASHES__');
  expect(policy).not.toMatch(/script-src[^;]*'unsafe-inline'/);
  expect(policy).not.toMatch(/script-src[^;]*'unsafe-eval'/);
  const ran = await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.axonInline = 1';
    document.head.append(script);
    return window.axonInline === 1;
  }).catch(() => false);
  expect(ran).toBe(false);
  // The browser said so, and this once it is what we wanted.
  await expect.poll(() => page.wrong.length).toBe(1);
  page.wrong.length = 0;
});
