// The files that are measured: generated traces, in bench-data (which git ignores).
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, openSync, readFileSync, readSync, closeSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { crowdedTrace } from './crowded.mjs';
import { operatorTimeline, supportReport } from './neuron.mjs';

const MB = 1_000_000;

export function files(root, say) {
  const data = join(root, 'bench-data');
  const made = (name, make) => {
    mkdirSync(data, { recursive: true });
    const file = join(data, name);
    if (!existsSync(file)) {
      say(`writing ${file.slice(root.length)}`);
      make(file);
    }
    return file;
  };
  const example = (name, ...args) => execFileSync(
    'cargo', ['run', '--quiet', '--profile', 'fast', '--example', name, '--', '--seed', '1', ...args],
    { cwd: root, stdio: ['ignore', 2, 2] },
  );
  const generate = (megabytes, ...options) => (file) => example('make_trace', '--bytes', String(megabytes * MB), ...options, file);
  const trace = (megabytes) => made(`trace-${megabytes}MB.pt.trace.json`, generate(megabytes));
  return {
    /** Operators, launches, kernels, arrows. */
    trace,
    /** Python functions, modules and allocations besides. */
    rich: (megabytes) => made(`rich-${megabytes}MB.pt.trace.json`, generate(megabytes, '--rich')),
    /** The traces of the workers of one run: the same trace, each with its own rank. */
    workers: (n, megabytes) => Array.from({ length: n }, (_, rank) => made(`workers/rank${rank}-${megabytes}MB.pt.trace.json`, (file) => {
      mkdirSync(join(data, 'workers'), { recursive: true });
      copyFileSync(trace(megabytes), file);
      setRank(file, rank);
    })),
    /** That many slices on a thousand tracks. */
    crowded: (slices) => made(`crowded-${slices}.json`, (file) => crowdedTrace(file, slices, 1000)),
    /** An operator timeline of the TensorBoard Neuron plugin with that many slices. */
    operators: (slices) => made(`neuron_op_timeline-${slices}.json`, (file) => operatorTimeline(file, slices)),
    /** A Neuron device profile of 2 M instructions and 5 M transfers: a directory of Parquet tables, or with `.json` that. */
    device: (ending = '') => made(`device${ending}`, (path) => example('make_device', path)),
    /** A small one as JSON, some 100 MB: a text that Parse can take. */
    smallDevice: () => made('device-100MB.json', (path) => example('make_device', '--instructions', '77000', '--transfers', '192500', path)),
    /** A Neuron device trace with the execution of a short one again and again. */
    deviceTrace: (short, megabytes) => made(`repeated-${megabytes}MB.ntff`, (file) => execFileSync(
      'cargo', ['run', '--quiet', '--profile', 'fast', '--example', 'repeat_ntff', '--', '--bytes', String(megabytes * MB), short, file],
      { cwd: root, stdio: ['ignore', 2, 2] },
    )),
    /** Summaries of a device run, each with so many kilobytes of metrics: paths. */
    summaries: (n, kilobytes) => Array.from({ length: n }, (_, i) => made(`summaries/run_s${i}-${kilobytes}KB.json`, (file) => {
      mkdirSync(join(data, 'summaries'), { recursive: true });
      const values = { total_time: (100 + i) * 1e-6, hbm_read_bytes: 4096 * i, hbm_write_bytes: 1024, tensor_engine_active_time: 5e-5 };
      for (let at = 0; at < kilobytes * 24; at++) values[`metric_of_some_engine_${at}`] = (at * 7 + i) / 8;
      writeFileSync(file, JSON.stringify({ [`n_${String(i).padStart(40, '0')}`]: values }));
    })),
    /** A Neuron system profile with about that many events. */
    system: (events) => made(`system-${events}.json`, (file) => example('make_system', '--events', String(events), file)),
    /** A report of `analyze` with that many operators. */
    report: (operators) => made(`analyze-${operators}.json`, (file) => supportReport(file, operators)),
    gzip: (megabytes) => made(`trace-${megabytes}MB.pt.trace.json.gz`, (file) => writeFileSync(file, gzipSync(readFileSync(trace(megabytes)), { level: 6 }))),
    /** The beginning of a trace and nothing behind it, in a file of that length: takes no room on the disk. */
    hollow: (gigabytes) => made(`hollow-${gigabytes}GB.json`, (file) => {
      writeFileSync(file, '{"schemaVersion": 1, "traceEvents": [{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 1},\n');
      truncateSync(file, gigabytes * 1e9);
    }),
  };
}

/** Writes another digit over the rank in the head of a trace. */
function setRank(file, rank) {
  const open = openSync(file, 'r+');
  const head = Buffer.alloc(4096);
  readSync(open, head, 0, head.length, 0);
  const key = '"rank": ';
  const at = head.indexOf(key);
  if (at < 0) throw new Error(`${file} does not tell its rank`);
  writeSync(open, String(rank), at + key.length);
  closeSync(open);
}
