// `axonscope view`: the command serves the built page with a file of this machine, and the printed address opens it.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { dist, expect, idle, root, samples, show, test } from './support.js';

test.use({ serviceWorkers: 'allow' });

const target = process.env.CARGO_TARGET_DIR ?? join(root, 'target');
const binary = process.env.AXONSCOPE_BIN ?? ['debug', 'fast', 'release'].map((profile) => join(target, profile, 'axonscope')).find(existsSync);

/** The command with files; ends with `end()`. */
async function view(...files) {
  if (!binary && process.env.CI) throw new Error(`no axonscope below ${target}: run \`cargo build --bin axonscope\`, or set AXONSCOPE_BIN`);
  test.skip(!binary, 'no axonscope: run `cargo build --bin axonscope`');
  const child = spawn(binary, ['view', '--page', dist, ...files], { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const address of createInterface({ input: child.stdout })) return { address, end: () => child.kill() };
  throw new Error('axonscope view printed no address');
}

test('the printed address opens the files, without a question, and nothing else is requested', async ({ page }) => {
  const served = await view(join(samples, 'gloo_ddp_rank0.pt.trace.json.gz'), join(samples, 'synthetic-neuron.json'));
  try {
    const { origin, pathname } = new URL(served.address);
    page.allowed.add(origin);
    const requests = [];
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(served.address);
    await expect(page.locator('[role=tab]')).toHaveCount(2);
    await idle(page);
    await expect(page.locator('dialog.ask')).toHaveCount(0);
    await show(page, 'timeline');
    const token = pathname.split('/')[1];
    const outside = requests.filter((url) => !/^(blob|data):/.test(url) && !url.startsWith(`${origin}/${token}/`));
    expect(outside, 'requests outside the token').toEqual([]);
    expect(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length), 'nothing is installed').toBe(0);
    // The address still has each file once, and opens them again.
    expect(new URL(page.url()).searchParams.getAll('url')).toHaveLength(2);
    await page.reload();
    await expect(page.locator('[role=tab]')).toHaveCount(2);
    await idle(page);
    // Without the token there is nothing.
    expect((await page.request.get(`${origin}/open.html`)).status()).toBe(404);
  } finally {
    served.end();
  }
});
