// The local server sends compressed forms to those who accept them, and what a host must send: types, caching, nothing outside its folder.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { compress, isCompanion } from '../scripts/compress.mjs';
import { serve } from '../scripts/serve.mjs';

const text = 'a line of text\n'.repeat(500);
const hashed = 'page-0123456789abcdef_bg.wasm';
let folder;
let site;

test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'axonscope-serve-'));
  mkdirSync(join(folder, 'samples'));
  for (const name of ['index.html', hashed, 'samples/a.json']) writeFileSync(join(folder, name), text);
  writeFileSync(join(folder, 'samples/b.json.gz'), gzipSync(text));
  writeFileSync(join(folder, 'small.js'), '1');
  await compress(folder, ['index.html', hashed, 'samples/a.json', 'samples/b.json.gz', 'small.js']);
  site = await serve(folder, { prefix: '/sub/path/' });
});
test.afterAll(async () => {
  await site.close();
  rmSync(folder, { recursive: true });
});

/** As a browser asks, without undoing the encoding. */
const ask = (path, headers = {}) => new Promise((done, fail) => {
  get(site.url + path, { headers }, (response) => {
    const parts = [];
    response.on('data', (part) => parts.push(part));
    response.on('end', () => done({ status: response.statusCode, headers: response.headers, body: Buffer.concat(parts) }));
  }).on('error', fail);
});

test('brotli, else gzip, else the file', async () => {
  const brotli = await ask('', { 'accept-encoding': 'gzip, deflate, br, zstd' });
  expect(brotli.headers).toMatchObject({ 'content-encoding': 'br', 'content-type': 'text/html; charset=utf-8', vary: 'accept-encoding', 'cache-control': 'no-cache' });
  expect(brotliDecompressSync(brotli.body).toString()).toBe(text);
  const gzip = await ask(hashed, { 'accept-encoding': 'gzip, br;q=0' });
  expect(gzip.headers).toMatchObject({ 'content-encoding': 'gzip', 'content-type': 'application/wasm', 'cache-control': 'public, max-age=31536000, immutable' });
  expect(gunzipSync(gzip.body).toString()).toBe(text);
  const plain = await ask('samples/a.json');
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(plain.body.toString()).toBe(text);
});

test('a sample that is a .gz stays one, and small files are sent as they are', async () => {
  const sample = await ask('samples/b.json.gz', { 'accept-encoding': 'br, gzip' });
  expect(sample.headers).toMatchObject({ 'content-type': 'application/gzip' });
  expect(sample.headers['content-encoding']).toBeUndefined();
  expect(gunzipSync(sample.body).toString()).toBe(text);
  expect((await ask('small.js', { 'accept-encoding': 'br' })).headers['content-encoding']).toBeUndefined();
  expect(isCompanion('samples/b.json.gz', () => false)).toBe(false);
  expect(isCompanion('samples/a.json.gz', (name) => name === 'samples/a.json')).toBe(true);
});

test('what did not change is not sent again, and each form has its own tag', async () => {
  const first = await ask('', { 'accept-encoding': 'br' });
  const again = await ask('', { 'accept-encoding': 'br', 'if-none-match': first.headers.etag });
  expect(again.status).toBe(304);
  expect(again.body.length).toBe(0);
  expect((await ask('', { 'if-none-match': first.headers.etag })).status).toBe(200);
});

test('what is outside the folder is not there', async () => {
  for (const path of ['../package.json', '%2e%2e/%2e%2e/etc/passwd', 'nothing', 'samples', '%']) {
    expect([400, 404]).toContain((await ask(path)).status);
  }
});
