// Trunk's post_build hook; works on the finished site before trunk moves it into place.
//   0. cuts the page's program into chunks (split.mjs); in release builds, makes the JavaScript of all programs smaller (minify.mjs)
//   1. joins the style sheets that follow the start page into one file
//   2. puts public/early.js in place of `__EARLY__`, and fills `__CSP_HASHES__` of the Content-Security-Policy with the hashes of the inline scripts of index.html
//   3. writes open.html: index.html with connections to https in its policy and the script that opens addresses
//   4. puts the files of the SQL engine into duckdb/, from the npm package
//   5. writes THIRD-PARTY.txt, the notices of all libraries in it
//   6. writes sw.js, the service worker, with the exact list of files
//   7. in release builds, writes FILE.br and FILE.gz beside every file over 1 KB
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { compress, isCompanion } from './compress.mjs';
import { minifyWorkers } from './minify.mjs';
import { split } from './split.mjs';
import { thirdParty } from './third_party.mjs';

const site = process.env.TRUNK_STAGING_DIR ?? process.argv[2];
if (!site) throw new Error('post-build.mjs is run by trunk, or with the folder of a built site as its argument');
const digest = (kind, data, as) => createHash(kind).update(data).digest(as);

// 1. One request instead of a dozen, on a line where each waits for its turn.
const page = join(site, 'index.html');
const isRelease = process.env.TRUNK_PROFILE === 'release';
let html = await split(site, readFileSync(page, 'utf8'), isRelease);
if (isRelease) await minifyWorkers(site);
const sheets = [...html.matchAll(/<link\b[^>]*\brel="?stylesheet"?[^>]*>/gi)].map(([tag]) => ({ tag, file: tag.match(/\bhref="?\.?\/?([^"\s>]+)/i)[1] }));
if (sheets.length > 1) {
  const css = sheets.map(({ file }) => readFileSync(join(site, file), 'utf8').trim()).join('\n');
  for (const { file } of sheets) rmSync(join(site, file));
  const name = `styles-${digest('sha256', css, 'hex').slice(0, 16)}.css`;
  writeFileSync(join(site, name), css);
  const integrity = `sha384-${digest('sha384', css, 'base64')}`;
  sheets.forEach(({ tag }, i) => { html = html.replace(tag, i === 0 ? `<link rel="stylesheet" href="./${name}" integrity="${integrity}">` : ''); });
}

// 2. The script of the start page: without its comments and indentation, otherwise as it is written.
const early = readFileSync(new URL('../public/early.js', import.meta.url), 'utf8').split('\n').map((l) => l.trim()).filter((l) => l && !/^(\/\/|\/\*\*.*\*\/$)/.test(l)).join('\n');
const place = /<script>\s*__EARLY__;?\s*<\/script>/;
if (!place.test(html)) throw new Error('index.html has no place for public/early.js');
html = html.replace(place, () => `<script>${early}</script>`);

// Content-Security-Policy. A browser hashes an inline script's text exactly as it stands between its tags.
const hashes = [...html.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script>/gi)]
  .filter(([, attributes, text]) => !/\bsrc\s*=/i.test(attributes) && text !== '')
  .map(([, , text]) => `'sha256-${digest('sha256', text, 'base64')}'`);
html = html.replaceAll('__CSP_HASHES__', [...new Set(hashes)].join(' '));
writeFileSync(page, html);
if (/\bon[a-z]+\s*=\s*["']/i.test(html.replace(/<script\b[\s\S]*?<\/script>/gi, ''))) {
  throw new Error('index.html holds an inline event handler, which the Content-Security-Policy forbids');
}

// 3. The second entry page. Only the policy, the mark on <html> and one script differ.
const swap = (text, from, to) => {
  if (!from.test(text)) throw new Error(`open.html cannot be made: index.html has no ${from}`);
  return text.replace(from, to);
};
let openPage = swap(html, /<html\b/, '<html data-page="open"');
openPage = swap(openPage, /object-src 'none'/, "connect-src 'self' https: http://localhost:* http://127.0.0.1:*; object-src 'none'");
openPage = swap(openPage, /<script\b[^>]*\bregister-sw\.js/, (found) => `<script type="module" src="./connect/open.js"></script>${found}`);
writeFileSync(join(site, 'open.html'), openPage);

// 4. The SQL engine: fetched when a query is first run, and kept from then on.
const engine = new URL('../node_modules/@duckdb/duckdb-wasm/', import.meta.url);
if (!existsSync(engine)) throw new Error('node_modules has no @duckdb/duckdb-wasm: run `npm ci --ignore-scripts`, or any script of scripts/');
mkdirSync(join(site, 'duckdb'), { recursive: true });
for (const name of ['duckdb-browser-eh.worker.js', 'duckdb-eh.wasm']) copyFileSync(new URL(`dist/${name}`, engine), join(site, 'duckdb', name));

// 5. For people who pass the site on; no page asks for it, so the service worker does not keep it.
const notices = 'THIRD-PARTY.txt';
writeFileSync(join(site, notices), thirdParty());

// 6. Service worker. Its version is a hash of every file, so that one visit never mixes two versions.
const walk = (folder) => readdirSync(folder).flatMap((name) => {
  const path = join(folder, name);
  return statSync(path).isDirectory() ? walk(path) : [path];
});
const all = new Set(walk(site).map((path) => relative(site, path).split(sep).join('/')));
const files = [...all].filter((file) => file !== 'sw.js' && file !== notices && !isCompanion(file, (name) => all.has(name))).sort();
const hash = createHash('sha256');
for (const file of files) hash.update(file).update('\0').update(readFileSync(join(site, file)));
const version = hash.digest('hex').slice(0, 16);

const template = readFileSync(new URL('./sw.template.js', import.meta.url), 'utf8');
const isLater = (file) => file.startsWith('duckdb/');
const list = (all) => JSON.stringify(all.map((file) => `./${file}`));
writeFileSync(join(site, 'sw.js'), template
  .replace("'__VERSION__'", JSON.stringify(version))
  .replace("['__FILES__']", list(['', ...files.filter((file) => !isLater(file))]))
  .replace("['__LATER__']", list(files.filter(isLater)))
  .replace("'__LATER_VERSION__'", JSON.stringify(JSON.parse(readFileSync(new URL('package.json', engine), 'utf8')).version)));

// 7. What a server sends in place of a file, to who accepts it.
const small = isRelease ? await compress(site, [...files, 'sw.js']) : [];
const sum = (key) => (small.reduce((n, file) => n + file[key], 0) / 1e6).toFixed(2);
console.log(`post-build: ${hashes.length} inline scripts hashed, ${files.length} files for offline use, version ${version}`
  + (isRelease ? `; ${small.length} files of ${sum('raw')} MB compressed to ${sum('br')} MB (brotli), ${sum('gz')} MB (gzip)` : ''));
