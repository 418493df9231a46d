// Profiles sent by other pages: the example of docs/embedding.md in a page of another origin, refusals, floods.
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, idle, picture, samples, test as base } from './support.js';

const SAMPLE = 'cpu_single.pt.trace.json.gz';
const guide = join(resolve(dirname(fileURLToPath(import.meta.url)), '..'), 'docs', 'embedding.md');

const test = base.extend({
  // A page of another origin, with a profile beside it.
  host: async ({ page, site }, use) => {
    const example = readFileSync(guide, 'utf8').match(/```html\n([\s\S]*?)```/)[1];
    expect(example.trim().split('\n').length).toBeLessThanOrEqual(15);
    const html = `<!DOCTYPE html><html lang="en"><head><title>Host</title></head><body>${example.replaceAll('https://axonscope.example/', site.url).replaceAll('profile.json.gz', SAMPLE)}</body></html>`;
    const server = createServer((request, response) => {
      const isData = request.url.includes(SAMPLE);
      response.writeHead(200, { 'content-type': isData ? 'application/octet-stream' : 'text/html' });
      response.end(isData ? readFileSync(join(samples, SAMPLE)) : request.url.includes('example') ? html : '<!DOCTYPE html><title>Empty</title>');
    });
    await new Promise((done) => { server.listen(0, '127.0.0.1', done); });
    const url = `http://127.0.0.1:${server.address().port}`;
    page.allowed.add(url);
    await use(url);
    server.close();
    server.closeAllConnections();
  },
});

/** A host page with Axonscope in a frame. `window.answers` has its answers, `window.pongs` counts its greetings, which can come late. */
async function framed(page, site, host, query = '?embed=1') {
  await page.goto(`${host}/`);
  await page.evaluate(async (src) => {
    Object.assign(window, { answers: [], pongs: 0 });
    addEventListener('message', ({ data }) => { if (data === 'PONG') window.pongs++; else window.answers.push(data); });
    const frame = document.createElement('iframe');
    Object.assign(frame, { src, id: 'frame', width: 1200, height: 700 });
    document.body.append(frame);
    window.send = (message) => frame.contentWindow.postMessage(message, '*');
    while (window.pongs === 0) { window.send('PING'); await new Promise((ok) => setTimeout(ok, 100)); }
  }, `${site.url}open.html${query}`);
  return page.frameLocator('#frame');
}

const answers = (page) => page.evaluate(() => window.answers.map((data) => data.axonscope ?? data));

test('the example of docs/embedding.md shows a profile after one question', async ({ page, site, host }) => {
  await page.goto(`${host}/example`);
  const frame = page.frameLocator('iframe');
  await expect(frame.locator('dialog.ask')).toContainText(host);
  await picture(page, 'embedding-question');
  await frame.getByRole('button', { name: 'Show' }).click();
  await expect(page.locator('#said')).toHaveText('ready');
  await expect(frame.locator('[data-view="operators"]')).toBeVisible();
  await expect(frame.locator('.topbar')).toBeHidden();
  await expect(frame.locator('.sidebar')).toBeHidden();
  await expect(frame.locator('[data-range]')).toContainText('Selected range');
  await picture(page, 'embedding-example');
  // Not asked again.
  await page.reload();
  await expect(page.locator('#said')).toHaveText('ready');
});

test('what axonscope.show() puts into a notebook shows the profile', async ({ page, site, host }) => {
  const code = 'import sys, axonscope; print(axonscope.show(sys.argv[1], page=sys.argv[2], view="operators", time_range=(0, 200_000_000))._repr_html_())';
  const cell = execFileSync('python3', ['-B', '-c', code, join(samples, SAMPLE), site.url], { env: { ...process.env, PYTHONPATH: join(dirname(guide), '..', 'python') }, encoding: 'utf8' });
  await page.goto(`${host}/`);
  // As a notebook does: scripts of an output are run.
  await page.evaluate((html) => {
    document.body.append(document.createRange().createContextualFragment(html));
  }, cell);
  const frame = page.frameLocator('iframe');
  await frame.getByRole('button', { name: 'Show' }).click();
  await expect(frame.locator('[data-view="operators"]')).toBeVisible();
  await expect(frame.locator('[data-range]')).toContainText('Selected range');
});

test('a page that the user refuses gets a sentence, and nothing opens', async ({ page, site, host }) => {
  const frame = await framed(page, site, host);
  await page.evaluate(() => window.send({ axonscope: { id: 1, buffer: new TextEncoder().encode('{}').buffer, name: 'x.json' } }));
  await frame.getByRole('button', { name: 'Refuse' }).click();
  await expect.poll(() => answers(page)).toEqual([{ id: 1, failed: 'The user refused profiles of this page.' }]);
  await page.evaluate(() => window.send({ axonscope: { id: 2, view: 'operators' } }));
  await expect.poll(async () => (await answers(page)).length).toBe(2);
  await expect(frame.locator('dialog.ask')).toHaveCount(0);
});

test('messages that make no sense and floods are answered, and what is open stays open', async ({ page, site, host }) => {
  const frame = await framed(page, site, host, '');
  await page.evaluate(async (name) => {
    const buffer = await (await fetch(`/${name}`)).arrayBuffer();
    window.send({ axonscope: { id: 'first', buffer, name } });
  }, SAMPLE);
  await frame.getByRole('button', { name: 'Show' }).click();
  await expect.poll(() => answers(page)).toEqual([{ id: 'first', ready: true, hash: expect.stringMatching(/^[0-9a-f]+$/) }]);
  await page.evaluate(() => {
    window.answers.length = 0;
    for (const body of [null, 7, 'text', { axonscope: 7 }, { perfetto: {} }]) window.send(body);
    window.send({ axonscope: { id: 'a', buffer: 'no buffer' } });
    window.send({ axonscope: { id: 'b', files: [1, 2] } });
    window.send({ axonscope: { id: 'c', buffer: new TextEncoder().encode('not a profile').buffer, name: 'broken.json' } });
    window.send({ axonscope: { id: 'd', view: '../x', range: ['a', 5] } });
  });
  await expect.poll(async () => (await answers(page)).map(({ id, ready, failed }) => `${id}: ${ready ?? failed}`).sort().join('\n')).toMatch(/^a: Expected `buffer`.*\nb: Expected `buffer`.*\nc: .*broken\.json.*\nd: true$/);
  await page.evaluate(() => {
    window.answers.length = 0;
    window.pongs = 0;
    for (let i = 0; i < 500; i++) window.send('PING');
    for (let i = 0; i < 500; i++) window.send({ axonscope: { id: i, buffer: new ArrayBuffer(8), name: `${i}.json` } });
  });
  await expect.poll(async () => (await answers(page)).filter((a) => a.failed).length).toBe(500);
  const said = await answers(page);
  expect(await page.evaluate(() => window.pongs)).toBeLessThanOrEqual(40);
  expect(said.filter((a) => /messages wait/.test(a.failed ?? '')).length).toBeGreaterThan(400);
  expect(await frame.locator('[role=tab]').count()).toBe(1);
  await expect(frame.locator('[data-view="timeline"]')).toBeVisible();
});

test('index.html takes no messages', async ({ page, site }) => {
  await page.goto(site.url);
  await idle(page);
  const said = await page.evaluate(() => new Promise((done) => {
    const frame = document.createElement('iframe');
    frame.src = location.href;
    addEventListener('message', ({ data }) => done(data));
    frame.onload = () => { frame.contentWindow.postMessage('PING', '*'); setTimeout(() => done('nothing'), 1000); };
    document.body.append(frame);
  }));
  expect(said).toBe('nothing');
});
