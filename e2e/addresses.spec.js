// Files from anywhere: addresses in the link or the field of the start page, read by open.html in ranges or as a whole; index.html connects nowhere.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { farServer, longTrace } from './far_server.js';
import { corsRules, fileName, listingKind, toUrl } from '../public/connect/addresses.js';
import { expect, idle, openProfile, picture, samples, show, start, test as base } from './support.js';

const SAMPLE = 'cpu_single.pt.trace.json.gz';
const DDP = 'gloo_ddp_rank0.pt.trace.json.gz';
const bytesOf = (name) => readFileSync(join(samples, name));

const test = base.extend({
  far: async ({ page }, use) => {
    const far = await farServer({ [SAMPLE]: bytesOf(SAMPLE), [DDP]: bytesOf(DDP), 'long.json': longTrace(6e6) });
    page.allowed.add(far.url);
    await use(far);
    expect(far.requests.filter((r) => r.cookie || r.referer), 'requests with a cookie or a referrer').toEqual([]);
    await far.close();
  },
});

const dialog = (page) => page.locator('dialog.ask');
const alert = (page) => page.locator('.lines [role=alert]');
const openPage = (site, ...urls) => `${site.url}open.html?${urls.map((url) => `url=${encodeURIComponent(url)}`).join('&')}`;

/** Opens open.html with addresses and agrees to their origins. */
async function visit(page, site, ...urls) {
  await page.goto(openPage(site, ...urls));
  await dialog(page).getByRole('button', { name: 'Load' }).click();
}

const isOpen = async (page, n = 1) => {
  await expect(page.locator('[role=tab]')).toHaveCount(n);
  await idle(page);
};

test('what people paste becomes the address of the file', () => {
  for (const [typed, wanted] of [
    ['https://github.com/o/r/blob/main/a/b.json.gz', 'https://raw.githubusercontent.com/o/r/main/a/b.json.gz'],
    ['https://huggingface.co/datasets/o/d/blob/main/t.json?download=true', 'https://huggingface.co/datasets/o/d/resolve/main/t.json?download=true'],
    ['s3://bucket/a b/c.ntff', 'https://bucket.s3.amazonaws.com/a%20b/c.ntff'],
    ['s3://my.bucket/c.ntff', 'https://s3.amazonaws.com/my.bucket/c.ntff'],
    ['s3://bucket/runs/', 'https://bucket.s3.amazonaws.com/?list-type=2&prefix=runs%2F'],
    ['https://bucket.s3.eu-west-1.amazonaws.com/runs/', 'https://bucket.s3.eu-west-1.amazonaws.com/?list-type=2&prefix=runs%2F'],
    ['https://s3.eu-west-1.amazonaws.com/bucket/runs/', 'https://s3.eu-west-1.amazonaws.com/bucket/?list-type=2&prefix=runs%2F'],
    ['gs://bucket/runs/', 'https://storage.googleapis.com/storage/v1/b/bucket/o?prefix=runs%2F'],
    ['https://storage.googleapis.com/bucket/runs/', 'https://storage.googleapis.com/storage/v1/b/bucket/o?prefix=runs%2F'],
    ['https://a.blob.core.windows.net/c/runs/?sv=1&sig=x', 'https://a.blob.core.windows.net/c?sv=1&sig=x&restype=container&comp=list&prefix=runs%2F'],
    ['example.com/t.json#part', 'https://example.com/t.json'],
    ['https://bucket.s3.amazonaws.com/t.json?X-Amz-Signature=a%2Bb', 'https://bucket.s3.amazonaws.com/t.json?X-Amz-Signature=a%2Bb'],
    ['http://localhost:9000/t.json', 'http://localhost:9000/t.json'],
  ]) expect(toUrl(typed).url?.href, typed).toBe(wanted);
  for (const [typed, reason] of [['http://example.com/t', 'https'], ['ftp://x/y', 'ftp'], ['https://u:p@x/y', 'user name'], ['file:///etc/passwd', 'file:'], ['', 'not an address'], ['javascript:alert(1)', 'javascript:']]) {
    expect(toUrl(typed).error, typed).toContain(reason);
  }
  expect(toUrl('./files/a%20b.json', 'https://x/t/open.html?url=y').url.href).toBe('https://x/t/files/a%20b.json');
  for (const above of ['./../secret', './%2e%2e/secret', './a/../../secret']) expect(toUrl(above, 'https://x/t/open.html').error, above).toContain('not beside this page');
  expect(fileName(new URL('https://x/a/b%20c.json?sig=1'))).toBe('b c.json');
  expect(listingKind(new URL('https://x/a'))).toBe('');
  expect(corsRules('https://page').map(({ text }) => text.includes('https://page') && text.includes('Content-Range'))).toEqual([true, true, true]);
});

test('index.html connects nowhere, in the page and in its workers', async ({ page, site, far }) => {
  await start(page, site);
  await openProfile(page, join(samples, SAMPLE));
  const tries = (url) => Promise.all([fetch(url), new Promise((ok, fail) => { const x = new XMLHttpRequest(); x.onload = ok; x.onerror = fail; x.open('GET', url); x.send(); })].map((p) => p.then(() => 'connected', () => 'refused')));
  expect(await page.evaluate(tries, far.url)).toEqual(['refused', 'refused']);
  const workers = page.workers().filter((worker) => worker.url().startsWith('blob:'));
  expect(workers.length).toBeGreaterThan(0);
  for (const worker of workers) expect(await worker.evaluate(tries, far.url)).toEqual(['refused', 'refused']);
  expect(far.requests).toEqual([]);
  await expect.poll(() => page.wrong.length).toBeGreaterThan(0);
  expect(page.wrong.every((said) => /Content Security Policy/.test(said)), page.wrong.join('\n')).toBe(true);
  page.wrong.length = 0;
});

test('open.html by itself requests its own files only', async ({ page, site, far }) => {
  await page.goto(`${site.url}open.html`);
  await idle(page);
  await openProfile(page, join(samples, SAMPLE));
  expect(far.requests).toEqual([]);
  const policy = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute('content');
  expect(policy).toContain("connect-src 'self' https:");
  expect(policy).not.toMatch(/script-src[^;]*(unsafe-inline|'unsafe-eval'|https:)/);
});

test('an address is asked for once per origin, and then read in ranges', async ({ page, site, far }) => {
  const url = `${far.url}/ranges/long.json`;
  // index.html leads to open.html.
  await page.goto(`${site.url}?url=${encodeURIComponent(url)}`);
  await page.waitForURL(/open\.html\?url=/);
  await expect(dialog(page)).toContainText(far.url);
  await idle(page);
  expect(far.requests).toEqual([]);
  await picture(page, 'address-question');
  const release = far.hold(3_000_000);
  await dialog(page).getByRole('button', { name: 'Load' }).click();
  // Lanes are drawn while the rest of the file is held back.
  await expect(page.locator('.reading canvas')).toBeVisible();
  await expect.poll(() => page.locator('.reading').innerText()).toMatch(/1\.00\s*MiB of/);
  await expect(page.locator('[role=tab]')).toHaveCount(0);
  await picture(page, 'address-reading');
  release();
  await isOpen(page);
  await show(page, 'operators');
  expect(far.requests.every((r) => r.method === 'GET' && r.range && r.path === '/ranges/long.json')).toBe(true);
  // Every byte once.
  const parts = far.requests.map((r) => r.range.split('-').map(Number)).sort((a, b) => a[0] - b[0]);
  parts.slice(1).forEach(([from], i) => expect(from).toBeGreaterThan(parts[i][1]));
  // The link has the address, and opens without a question.
  await show(page, 'timeline');
  await expect.poll(() => page.url()).toContain('#v=1');
  expect(new URL(page.url()).searchParams.getAll('url')).toEqual([url]);
  const n = far.requests.length;
  await page.reload();
  await isOpen(page);
  await expect(dialog(page)).toHaveCount(0);
  expect(far.requests.length).toBeGreaterThan(n);
});

test('several addresses open together; the field of the start page takes one', async ({ page, site, far }) => {
  await visit(page, site, `${far.url}/ranges/${SAMPLE}`, `${far.url}/whole/${DDP}`);
  await isOpen(page, 2);
  const link = new URL(page.url());
  expect(link.searchParams.getAll('url')).toHaveLength(2);

  await page.goto(site.url);
  await idle(page);
  await page.getByLabel('Open an address').fill(`${far.url}/whole/${SAMPLE}`);
  await page.getByRole('button', { name: 'Open address' }).click();
  await page.waitForURL(/open\.html/);
  await isOpen(page);
  // And on open.html itself, without leaving what is open.
  await page.goto(`${site.url}open.html`);
  await idle(page);
  await page.getByLabel('Open an address').fill(`${far.url}/hidden/${SAMPLE}`);
  await page.keyboard.press('Enter');
  await isOpen(page);
});

test('nothing is requested when the user does not agree', async ({ page, site, far }) => {
  await page.goto(openPage(site, `${far.url}/ranges/${SAMPLE}`));
  await dialog(page).getByRole('button', { name: 'Cancel' }).click();
  await expect(page.locator('body')).toHaveAttribute('data-connect', 'idle');
  await idle(page);
  expect(far.requests).toEqual([]);
});

for (const [kind, address] of [['Amazon S3', '/bucket/?list-type=2&prefix=runs/'], ['Google', '/storage/v1/b/bucket/o?prefix=runs/'], ['Azure', '/container?restype=container&comp=list&prefix=runs/&sig=s']]) {
  test(`a prefix of ${kind} is a list to choose from`, async ({ page, site, far }) => {
    far.keys = [{ name: 'runs/', size: 0 }, { name: `runs/1/${SAMPLE}`, size: bytesOf(SAMPLE).length }, { name: 'runs/1/notes & more.txt', size: 3 }, { name: `runs/2/${DDP}`, size: bytesOf(DDP).length }];
    await visit(page, site, far.url + address);
    await expect(dialog(page).locator('tbody tr')).toHaveCount(3);
    await dialog(page).getByLabel('Filter by name').fill('trace');
    await expect(dialog(page).locator('tbody tr')).toHaveCount(2);
    await dialog(page).getByRole('button', { name: 'Choose all' }).click();
    await expect(dialog(page).getByRole('status')).toContainText('2 of 3 files chosen');
    await picture(page, `address-listing-${kind.toLowerCase().replace(' ', '-')}`);
    await dialog(page).getByRole('button', { name: 'Open', exact: true }).click();
    await isOpen(page, 2);
    if (kind === 'Azure') expect(far.requests.at(-1).path).toMatch(/^\/container\/runs\/.*\?sig=s$/);
  });
}

test('a bad address is one sentence, and what is open stays open', async ({ page, site, far }) => {
  await page.addInitScript(() => { window.axonscopeLimits = { silenceMs: 1000, partMs: 1000, bytes: 4e6 }; });
  await visit(page, site, `${far.url}/ranges/${SAMPLE}`);
  await isOpen(page);
  const host = new URL(far.url).host;
  const closed = await farServer({});
  await closed.close();
  page.allowed.add(closed.url);
  const cases = [
    ['/none/x.json', 'returned status 404: there is no file'],
    ['/denied/x.json', 'Request has expired'],
    ['/html/x.json', 'returned a web page (HTML)'],
    ['/endless/x.json', 'sent more than 3.81'],
    ['/silent/x.json', 'sent nothing for 1 s'],
    ['/mute/x.json', 'did not answer within 1 s'],
    ['/short/long.json', 'The connection to'],
    ['/nocors/x.json', 'Access-Control-Allow-Origin: '],
  ];
  for (const [path, text] of cases) {
    await page.evaluate((url) => window.axonscopeEarly.go(url), far.url + path);
    await expect(alert(page), path).toContainText(text);
    await expect(alert(page), path).toContainText(host);
    if (path.startsWith('/nocors')) {
      for (const cloud of ['Amazon S3', 'Google Cloud Storage', 'Azure Blob Storage']) await expect(alert(page).locator('summary', { hasText: cloud })).toBeVisible();
      await alert(page).locator('summary').first().click();
      await expect(alert(page).locator('pre').first()).toContainText(new URL(site.url).origin);
      await picture(page, 'address-cors');
    }
    await alert(page).getByRole('button', { name: 'Dismiss' }).click();
  }
  await page.evaluate((url) => { window.axonscopeEarly.go(url); window.axonscopeEarly.go('ftp://x/y'); }, `${closed.url}/x.json`);
  await dialog(page).getByRole('button', { name: 'Load' }).click();
  await expect(alert(page).first()).toContainText('cannot be opened');
  await expect(alert(page).last()).toContainText('could not be reached');
  await isOpen(page);
  await show(page, 'operators');
});

test('a redirect is followed', async ({ page, site, far }) => {
  await visit(page, site, `${far.url}/redirect/${SAMPLE}`);
  await isOpen(page);
});

for (const [kind, text] of [['changing', 'changed while it was read'], ['longer', 'returned status 416|returned \\d+ bytes in place of'], ['fewer', 'returned \\d+ bytes in place of']]) {
  test(`parts that do not fit together are refused: ${kind}`, async ({ page, site, far }) => {
    await page.goto(openPage(site, `${far.url}/${kind}/long.json`));
    const release = far.hold(400_000);
    await dialog(page).getByRole('button', { name: 'Load' }).click();
    await expect.poll(() => far.requests.length).toBeGreaterThan(1);
    far.change();
    release();
    await expect(page.locator('.notice', { hasText: new RegExp(text) })).toBeVisible();
    await expect(page.locator('[role=tab]')).toHaveCount(0);
  });
}

test('a read that stopped goes on where it ended', async ({ page, site, far }) => {
  far.broken = 3_500_000;
  await page.goto(openPage(site, `${far.url}/flaky/long.json`));
  const release = far.hold(1_200_000);
  await dialog(page).getByRole('button', { name: 'Load' }).click();
  await expect.poll(() => far.requests.filter((r) => r.range.startsWith('1048576')).length).toBeGreaterThan(0);
  // Cancelled by the user; what is loaded is kept.
  await page.locator('.reading').getByRole('button', { name: 'Cancel' }).click();
  release();
  far.broken = Infinity;
  const offered = page.locator('.lines [role=status]', { hasText: 'long.json' });
  await expect(offered).toContainText(/1\.00\s*MiB of 5\.7/);
  const first = far.requests.filter((r) => r.range.startsWith('0-')).length;
  await offered.getByRole('button', { name: 'Resume' }).click();
  await isOpen(page);
  expect(far.requests.filter((r) => r.range.startsWith('0-')).length, 'the beginning is not requested again').toBe(first);
});
