// Cuts the page's program into chunks: what the start page and the timeline need, and per group of views what only these need (src/app/wiring/chunks.rs).
// Trunk binds the program as one; here the linked program, which kept its relocations, is cut by `wasm-split-cli`, bound again, and optimized.
// The chunks are named after the program's hash, so that no two builds mix.
import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { minified } from './minify.mjs';

const LINK = '__wasm_split.js';
/** As trunk calls wasm-opt for the workers (index.html). */
const OPTIMIZE = ['-O3', '--one-caller-inline-max-function-size=200'];

/** The linked program of the build that trunk has just made: the latest, unless the profile is named. */
function linked() {
  const target = join(process.env.CARGO_TARGET_DIR ?? 'target', 'wasm32-unknown-unknown');
  const profiles = process.env.AXONSCOPE_CARGO_PROFILE ? [process.env.AXONSCOPE_CARGO_PROFILE] : process.env.TRUNK_PROFILE === 'release' ? ['page'] : ['fast', 'debug'];
  const made = profiles.map((profile) => join(target, profile, 'page.wasm')).filter(existsSync);
  if (made.length === 0) throw new Error(`no linked page.wasm in ${target} for ${profiles.join(', ')}`);
  return made.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0];
}

/** The `features` section of a program names what it needs beyond the first version of WebAssembly. */
const FEATURES = ['--enable-simd', '--enable-bulk-memory', '--enable-bulk-memory-opt', '--enable-reference-types', '--enable-multivalue', '--enable-mutable-globals',
  '--enable-nontrapping-float-to-int', '--enable-sign-ext', '--enable-extended-const', '--enable-call-indirect-overlong'];

/**
 * Cuts the program of the site; returns index.html with what has changed in it: hashes of the files. In release builds the parts are optimized and minified.
 */
export async function split(site, html, isRelease) {
  const name = html.match(/\bpage-[0-9a-f]+(?=\.js)/)?.[0];
  if (!name) throw new Error('index.html does not start the page');
  const work = mkdtempSync(join(tmpdir(), 'axonscope-split-'));
  const run = (program, ...words) => execFileSync(program, words, { stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    run('wasm-split-cli', linked(), work, '--target', 'web', '--out-name', name);
    run('wasm-bindgen', join(work, `${name}.wasm`), '--target', 'web', '--out-dir', work, '--out-name', name, '--no-typescript', '--keep-lld-exports');
    rmSync(join(work, `${name}.wasm`));
    const chunks = readdirSync(work).filter((file) => file.endsWith('.wasm') && file !== `${name}_bg.wasm`);
    let link = readFileSync(join(work, LINK), 'utf8');
    for (const chunk of chunks) {
      link = link.replaceAll(`./${chunk}"`, `./${name}_${chunk}"`);
      renameSync(join(work, chunk), join(work, `${name}_${chunk}`));
    }
    const written = (text) => (isRelease ? minified(text, true) : text);
    writeFileSync(join(site, `${name}_chunks.js`), await written(link));
    const glue = readFileSync(join(work, `${name}.js`), 'utf8');
    const from = `from "./${LINK}"`;
    if (!glue.includes(from)) throw new Error(`the program does not load ${LINK}`);
    // The program itself asks for the module by its first name.
    writeFileSync(join(site, `${name}.js`), await written(glue.replaceAll(from, `from "./${name}_chunks.js"`)));
    for (const file of [`${name}_bg.wasm`, ...chunks.map((chunk) => `${name}_${chunk}`)]) {
      if (isRelease) run('wasm-opt', ...OPTIMIZE, ...FEATURES, join(work, file), '-o', join(site, file));
      else writeFileSync(join(site, file), readFileSync(join(work, file)));
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  for (const file of [`${name}.js`, `${name}_bg.wasm`]) {
    const now = `sha384-${createHash('sha384').update(readFileSync(join(site, file))).digest('base64')}`;
    html = html.replace(/<link\b[^>]*>/gi, (tag) => (tag.includes(file) ? tag.replace(/\bintegrity="?[^"\s>]+"?/, `integrity="${now}"`) : tag));
  }
  return html;
}
