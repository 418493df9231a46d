// The notices of everything that is linked into the page or copied beside it, as one text: `node scripts/third_party.mjs [FILE]`.
// A library is named with its version, licence and source; each licence text stands once, below the libraries that bring it.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const TARGET = 'wasm32-unknown-unknown';
/** What a package under MIT says that brings no text of its own. */
const MIT = (authors) => `MIT License

Copyright (c) ${authors}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"),
to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense,
and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS
IN THE SOFTWARE.`;
const isNotice = (name) => /^(licen[cs]e|copying|copyright|notice|unlicense)/i.test(name);

/** Crates that are linked into the page or a worker: normal dependencies, without macros, which only run while building. */
function crates() {
  const text = execFileSync('cargo', ['metadata', '--format-version', '1', '--locked', '--offline', '--filter-platform', TARGET, '--features', 'page'],
    { cwd: root, maxBuffer: 256 << 20, encoding: 'utf8' });
  const { packages, resolve } = JSON.parse(text);
  const byId = new Map(packages.map((p) => [p.id, p]));
  const nodes = new Map(resolve.nodes.map((n) => [n.id, n]));
  const isMacro = (p) => p.targets.some((t) => t.kind.includes('proc-macro'));
  const seen = new Set();
  const visit = (id) => {
    if (seen.has(id) || isMacro(byId.get(id))) return;
    seen.add(id);
    for (const dep of nodes.get(id).deps) if (dep.dep_kinds.some((k) => k.kind === null)) visit(dep.pkg);
  };
  visit(resolve.root);
  seen.delete(resolve.root);
  return [...seen].map((id) => byId.get(id)).map((p) => ({
    name: p.name, version: p.version, licence: p.license ?? `see ${p.license_file}`, source: p.repository ?? `https://crates.io/crates/${p.name}`, folder: dirname(p.manifest_path),
    authors: p.authors.join(', ') || `the authors of ${p.name}`,
  }));
}

/** Packages of npm whose files are copied into the site. */
function npm() {
  return ['@duckdb/duckdb-wasm'].map((name) => {
    const folder = join(root, 'node_modules', name);
    const { version, license, repository, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return { name, version, licence: license, source: (repository?.url ?? repository ?? '').replace(/^git\+/, ''), folder, authors: author?.name ?? author ?? `the authors of ${name}` };
  });
}

/** The notices as text. The same libraries give the same bytes. */
export function thirdParty() {
  const all = [...crates(), ...npm()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.version < b.version ? -1 : 1));
  const texts = new Map();
  const add = (library, text) => {
    const key = text.replace(/\s+/g, ' ');
    if (!texts.has(key)) texts.set(key, { text, of: [] });
    texts.get(key).of.push(`${library.name} ${library.version}`);
  };
  const notices = ({ folder }) => readdirSync(folder, { withFileTypes: true }).filter((e) => e.isFile() && isNotice(e.name)).map((e) => e.name).sort()
    .map((file) => readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trimEnd());
  for (const library of all) {
    // Some packages leave their text in the repository: another package of it, or the licence's own words.
    const own = notices(library);
    const siblings = all.filter((other) => other.source === library.source).map(notices).find((found) => found.length > 0);
    const found = own.length > 0 ? own : siblings ?? (/\bMIT\b/.test(library.licence) ? [MIT(library.authors)] : []);
    if (found.length === 0) throw new Error(`${library.name} ${library.version} brings no licence text: add it to scripts/third_party.mjs`);
    found.forEach((text) => add(library, text));
  }
  const rule = '-'.repeat(80);
  const lines = [
    'Axonscope is licensed under the Apache License, Version 2.0. It contains the following libraries, and the standard library of Rust',
    '(MIT OR Apache-2.0, https://github.com/rust-lang/rust).', '',
    ...all.map((l) => `${l.name} ${l.version} · ${l.licence} · ${l.source}`), '',
  ];
  for (const { text, of } of texts.values()) lines.push(rule, [...new Set(of)].join(', '), rule, '', text, '');
  return `${lines.join('\n')}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [out] = process.argv.slice(2);
  if (out) writeFileSync(out, thirdParty());
  else process.stdout.write(thirdParty());
}
