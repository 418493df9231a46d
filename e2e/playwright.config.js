// End-to-end tests: a real Chromium on the built page, served from a sub-path. `make test` runs them.
import { defineConfig } from '@playwright/test';
import { options } from '../scripts/chromium.mjs';

// Specs of times, of memory and of many workers at once: they have the machine to themselves.
const ALONE = ['commands', 'first_paint', 'pieces', 'robust', 'sleep', 'snapshot', 'soak'].map((name) => `${name}.spec.js`);

export default defineConfig({
  testDir: '.',
  projects: [
    { name: 'alone', testMatch: ALONE, use: { serviceWorkers: 'allow' } },
    { name: 'side by side', testMatch: '*.spec.js', testIgnore: ALONE },
  ],
  outputDir: '../test-results',
  timeout: 60_000,
  expect: { timeout: 15_000 },
  retries: 0,
  // While one page waits, the other computes. The project `alone` is run with --workers=1.
  workers: 2,
  forbidOnly: !!process.env.CI,
  reporter: [['list', { printSteps: false }]],
  use: {
    browserName: 'chromium',
    headless: true,
    // Every test has a browser profile of its own, in which the site would be installed again: a fifth of the time. Specs where that matters allow it.
    serviceWorkers: 'block',
    viewport: { width: 1440, height: 900 },
    trace: 'off',
    launchOptions: options,
  },
});
