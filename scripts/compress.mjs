// FILE.br and FILE.gz beside the files of a built site, for servers that send them in its place: scripts/serve.mjs, nginx with `brotli_static` and
// `gzip_static`, an upload script. `node scripts/compress.mjs FOLDER` writes them for any folder.
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Smaller files fit in one packet anyway. */
const MIN_BYTES = 1024;
/** Larger files are compressed a little less: at the highest quality brotli takes minutes for them. */
const LARGE_BYTES = 16e6;
/** Compressed as they are. */
const PACKED = /\.(gz|br|png|zip)$/;

/** Whether a file is the compressed form of another one, and no file of its own (such as a sample that ends in `.gz`). */
export const isCompanion = (file, exists) => /\.(br|gz)$/.test(file) && exists(file.slice(0, -3));

/** Writes both forms of the given files that gain by it; gives their sizes. */
export async function compress(folder, files) {
  const wanted = files.filter((file) => !PACKED.test(file) && statSync(join(folder, file)).size > MIN_BYTES);
  return Promise.all(wanted.map(async (file) => {
    const bytes = readFileSync(join(folder, file));
    const [br, gz] = await Promise.all([
      promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: bytes.length > LARGE_BYTES ? 9 : 11, [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
      promisify(gzip)(bytes, { level: 9 }),
    ]);
    writeFileSync(join(folder, `${file}.br`), br);
    writeFileSync(join(folder, `${file}.gz`), gz);
    return { file, raw: bytes.length, br: br.length, gz: gz.length };
  }));
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const folder = resolve(process.argv[2] ?? 'dist');
  const all = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((e) => e.isFile()).map((e) => relative(folder, join(e.parentPath ?? e.path, e.name)));
  const names = new Set(all);
  for (const { file, raw, br, gz } of await compress(folder, all.filter((file) => !isCompanion(file, (name) => names.has(name))))) {
    console.log(`${String(raw).padStart(9)} ${String(br).padStart(9)} ${String(gz).padStart(9)}  ${file}`);
  }
}
