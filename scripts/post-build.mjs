// Trunk's post_build hook; works on the finished site before trunk moves it into place.
//   1. fills `__CSP_HASHES__` of the Content-Security-Policy with the hashes of the inline scripts of index.html
//   2. writes sw.js, the service worker, with the exact list of files
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

const site = process.env.TRUNK_STAGING_DIR ?? process.argv[2];
if (!site) throw new Error('post-build.mjs is run by trunk, or with the folder of a built site as its argument');

// 1. Content-Security-Policy. A browser hashes an inline script's text exactly as it stands between its tags.
const page = join(site, 'index.html');
let html = readFileSync(page, 'utf8');
const hashes = [...html.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script>/gi)]
  .filter(([, attributes, text]) => !/\bsrc\s*=/i.test(attributes) && text !== '')
  .map(([, , text]) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);
html = html.replaceAll('__CSP_HASHES__', [...new Set(hashes)].join(' '));
writeFileSync(page, html);
if (/\bon[a-z]+\s*=\s*["']/i.test(html.replace(/<script\b[\s\S]*?<\/script>/gi, ''))) {
  throw new Error('index.html holds an inline event handler, which the Content-Security-Policy forbids');
}

// 2. Service worker. Its version is a hash of every file, so that one visit never mixes two versions.
const walk = (folder) => readdirSync(folder).flatMap((name) => {
  const path = join(folder, name);
  return statSync(path).isDirectory() ? walk(path) : [path];
});
const files = walk(site).map((path) => relative(site, path).split(sep).join('/')).filter((file) => file !== 'sw.js').sort();
const hash = createHash('sha256');
for (const file of files) hash.update(file).update('\0').update(readFileSync(join(site, file)));
const version = hash.digest('hex').slice(0, 16);

const template = readFileSync(new URL('./sw.template.js', import.meta.url), 'utf8');
writeFileSync(join(site, 'sw.js'), template
  .replace("'__VERSION__'", JSON.stringify(version))
  .replace("['__FILES__']", JSON.stringify(['./', ...files.map((file) => `./${file}`)])));
console.log(`post-build: ${hashes.length} inline scripts hashed, ${files.length} files for offline use, version ${version}`);
