// Smaller JavaScript of a release. Trunk's minifier names variables differently in each run, so that no two builds would be the same.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { minify } from 'terser';

/** The text without what only people read. `isModule`: nothing outside uses its names but those it exports. */
export async function minified(text, isModule) {
  const { code } = await minify(text, { ecma: 2020, module: isModule, compress: { passes: 2 } });
  return code;
}

/** The scripts of the workers' programs, from what wasm-bindgen wrote for them rather than from what trunk made of it. */
export async function minifyWorkers(site) {
  const made = join(process.env.CARGO_TARGET_DIR ?? 'target', 'wasm-bindgen', 'release');
  for (const file of ['worker.js', 'full.js']) writeFileSync(join(site, file), await minified(readFileSync(join(made, file), 'utf8'), false));
}
