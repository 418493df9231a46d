// Writes one HTML file with the page and a profile, by the writer that the page itself uses: node scripts/single.mjs OUT.html FILE...
import { openAsBlob } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { single } from '../public/share/single.js';

const [out, ...paths] = process.argv.slice(2);
if (!out || paths.length === 0) {
  console.error('usage: node scripts/single.mjs OUT.html FILE... (or: make dist-single PROFILE=FILE OUT=OUT.html)');
  process.exit(2);
}
const site = process.env.AXONSCOPE_DIST ?? fileURLToPath(new URL('../dist', import.meta.url));
const files = await Promise.all(paths.map(async (path) => ({ path: basename(path), blob: await openAsBlob(path) })));
// The name of a JSON file or an archive does not say what is in it: only these are certain not to need the worker for all formats.
const needsFull = !paths.every((path) => /\.pt\.trace\.json(\.gz)?$/.test(path));
const title = `${files[0].path} – Axonscope`;
const made = await single({ read: (name) => openAsBlob(join(site, name)), files, title, needsFull });
await writeFile(out, Buffer.from(await made.blob.arrayBuffer()));
const mb = (n) => `${(n / 1e6).toFixed(2)} MB`;
console.log(`${out}: ${mb(made.blob.size)} (profile ${mb(made.profileBytes)}, program ${mb(made.programBytes)})`);
