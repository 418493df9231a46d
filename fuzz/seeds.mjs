// Writes the seeds of the fuzz targets from `tests/cases` and `fuzz/corpus`: `node fuzz/seeds.mjs FOLDER`.
// A case of several files is one text, as `tests/support/targets.rs` reads it.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const [out] = process.argv.slice(2);
if (!out) throw new Error('expected the folder to write to');

const below = (folder) => readdirSync(folder).sort().flatMap((name) => {
  const path = join(folder, name);
  return statSync(path).isDirectory() ? below(path) : [path];
});
const folders = (folder) => readdirSync(folder).map((name) => join(folder, name)).filter((path) => statSync(path).isDirectory());
const write = (target, name, bytes) => {
  mkdirSync(join(out, target), { recursive: true });
  writeFileSync(join(out, target, name), bytes);
};

for (const format of folders(join(root, 'tests/cases'))) {
  for (const folder of folders(format)) {
    const name = relative(join(root, 'tests/cases'), folder).replaceAll('/', '-');
    const files = below(folder).filter((path) => path !== join(folder, 'expected.txt'));
    const packed = (path) => /\.(gz|zip|tar)$/.test(path);
    if (files.length === 1) {
      const bytes = readFileSync(files[0]);
      write(packed(files[0]) ? 'archives' : relative(join(root, 'tests/cases'), format), name, bytes);
      if (files[0].endsWith('.gz')) write('gzip', name, bytes);
    } else {
      const parts = files.flatMap((path) => {
        const bytes = readFileSync(path);
        return [Buffer.from(`${relative(folder, path)}\n${bytes.length}\n`), bytes, Buffer.from('\n')];
      });
      write(relative(join(root, 'tests/cases'), format), name, Buffer.concat([Buffer.from('several files\n'), ...parts]));
    }
  }
}
const texts = {
  url: [
    'v=1&p=abc&n=trace.json&view=operators&range=10-500&rows=a%7Cb&win=0-99&sel=GPU%200%20/%20stream%207|12|gemm&q=aten&s.operators.sort=self%3Adown',
    'v=1&p=abc&inst=t|-5|mark%257C&s.timeline.fold=',
  ],
  annotations: [
    '{"kind":"axonscope annotations","version":1,"of":{"hash":"h","name":"n"},"set":{"items":[{"id":1,"name":"a","colour":2,"start":5,"end":9,"versus":2},{"id":2,"name":"b","colour":0,"start":7,"end":null,"versus":null}]}}',
    'name,start_ns,end_ns,colour,versus\r\n"a, b",5,9,1,c\r\nc,7,,0,\r\n',
  ],
  workspace: ['{"kind":"axonscope workspace","version":1,"front":"h","layout":"right","profiles":[{"hash":"h","name":"n.json","link":"v=1&p=h&view=gaps","annotations":{}}],"queries":[["top","select 1"]]}'],
};
for (const [target, list] of Object.entries(texts)) list.forEach((text, i) => write(target, `written-${i}`, text));
// Of zeros every message is the shortest of its kind.
for (let kind = 0; kind < 120; kind += 1) write('wire', `zeros-${kind}`, Buffer.concat([Buffer.from([kind]), Buffer.alloc(64)]));
write('arrow', 'end', Buffer.from([255, 255, 255, 255, 0, 0, 0, 0]));

const corpus = join(root, 'fuzz/corpus');
if (existsSync(corpus)) for (const folder of folders(corpus)) cpSync(folder, join(out, relative(corpus, folder)), { recursive: true });
