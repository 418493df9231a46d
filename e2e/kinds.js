// One profile of each kind that the page opens, with the views it offers: what specs that go through everything go through.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { conformance, dropFiles, dropTree, kineto, neuron, openProfile, root } from './support.js';
import { directory, framework, hostBound, served, summaryText, table, timeline, trace } from './neuron_logs.js';

const resnet = (workers, file) => kineto('kineto-traces', `resnet50_num_workers_${workers}`, `${file}.pt.trace.json.gz`);
const device = (run, stem) => neuron(run, `${stem}_exec_2_profile_full.json`);
const fused = () => device('fused_attention', 'fused');

/** The log directory of a run with all of its tools. */
export const logs = () => [
  ['neuron_op_timeline.json', timeline()],
  ['neuron_framework_op.json', table([['aten__addmm_dot', 1, 300], ['aten__tanh_tanh', 1, 200], ['fused_3', 1, 100]], 600)],
  ['neuron_hlo_op.json', table([['dot', 1, 300], ['tanh', 1, 200]], 500)],
  ['neuron_trace.json', trace()],
].map(([name, bytes]) => ({ path: `logs/plugins/neuron/2022_10_14_19_22_22/${name}`, bytes }));

/** A small device run in which instructions name lines of source. */
const withLines = () => {
  const row = (id, engine, opcode, start, duration, place) => ({
    id, label: engine, subgroup: engine, subgraph: 'sg00', opcode, timestamp: start, duration, operands: '', evt_wait_time: 0, nki_source_location: place, pc: id,
  });
  const instruction = [row(1, 'Tensor', 'MATMUL', 0, 100, '/src/kernel.py:3'), row(2, 'Vector', 'COPY', 50, 100, '/src/kernel.py:3'), row(3, 'Scalar', 'ACTIVATE', 300, 10, '/src/util.py:9')];
  return JSON.stringify({ metadata: [{ first_hw_timestamp: 0, last_hw_timestamp: 1000 }], instruction });
};

const chrome = () => {
  const slice = (i) => ({ ph: 'X', name: `task ${i % 7}`, pid: 1 + (i % 2), tid: i % 4, ts: i * 90, dur: 40 + (i * 37) % 200, args: { request: i } });
  const names = [1, 2].map((pid) => ({ ph: 'M', name: 'process_name', pid, args: { name: pid === 1 ? 'browser' : 'renderer' } }));
  const counters = Array.from({ length: 60 }, (_, i) => ({ ph: 'C', name: 'queue length', pid: 1, ts: i * 300, args: { waiting: (i * i) % 17 } }));
  return JSON.stringify({ traceEvents: [...names, ...counters, ...Array.from({ length: 200 }, (_, i) => slice(i))] });
};

const slices = ['timeline', 'search', 'operators'];
const torch = ['timeline', 'overview', 'steps', 'search', 'operators'];
const ofDevice = ['timeline', 'summary', 'bounds', 'gaps', 'advice', 'search', 'operators', 'tensors', 'layers', 'program', 'roofline'];
const file = ['profile', 'ledger'];
const queried = ['sql', ...file];
const tables = ['tables', ...queried];

/** Name, how it is opened, and the views that it offers, in the order of the side bar. */
export const kinds = [
  ['torch-gpu', (page) => openProfile(page, resnet(0, 'worker0.1623143089861')), [...torch, 'kernels', 'efficiency', 'memory', 'modules', ...queried]],
  ['torch-today', (page) => openProfile(page, kineto('tracelens-traces', 'h100', 'Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz')), [...torch, 'kernels', 'efficiency', 'memory', 'modules', ...queried]],
  ['torch-ranks', (page) => openProfile(page, ...[0, 1].map((n) => kineto('kineto-traces', 'synth_nccl2', `host_${n}.pt.trace.json.gz`))), [...torch, 'kernels', 'modules', 'distributed', 'diff', 'variants', ...queried]],
  ['torch-rank', (page) => openProfile(page, kineto('local-traces', 'gloo_ddp', 'host_1.1795203883106025163.pt.trace.json.gz')), [...torch, 'memory', 'modules', 'distributed', ...queried]],
  ['torch-lightning', (page) => openProfile(page, kineto('local-traces', 'lightning', 'worker0.1795204596385050133.pt.trace.json.gz')), [...torch, 'memory', 'modules', ...queried]],
  ['memory-snapshot', (page) => openProfile(page, conformance('memory', 'from_empty.pickle')), ['timeline', 'snapshot', ...queried]],
  ['chrome', (page) => dropFiles(page, { name: 'trace.json', bytes: chrome() }), [...slices, ...queried]],
  ['neuron-json', (page) => openProfile(page, fused()), [...ofDevice, ...tables]],
  ['neuron-ntff', (page) => openProfile(page, neuron('baseline_attention', 'baseline_exec_2.ntff'), neuron('baseline_attention', 'baseline.neff')), [...ofDevice, ...tables]],
  ['neuron-parquet', (page) => {
    const folder = neuron('fused_attention', 'parquet-zstd');
    return dropFiles(page, ...readdirSync(folder).map((name) => join(folder, name)));
  }, [...ofDevice, ...tables]],
  ['neuron-source', (page) => dropFiles(page, { name: 'run.json', bytes: withLines() }),
    ['timeline', 'summary', 'bounds', 'gaps', 'advice', 'search', 'operators', 'tensors', 'layers', 'source', 'program', 'roofline', ...tables]],
  ['neuron-two', async (page) => {
    await openProfile(page, fused());
    await openProfile(page, device('baseline_attention', 'baseline'));
  }, [...ofDevice, 'compare', 'variants', ...tables]],
  ['neuron-summary', (page) => {
    const { summary } = JSON.parse(readFileSync(fused()));
    return dropFiles(page, { name: 'summary.json', bytes: JSON.stringify({ n_a: summary[0], n_b: summary[0] }) });
  }, ['summary', 'variants', ...tables]],
  ['neuron-summary-text', (page) => dropFiles(page, { name: 'summary.txt', bytes: summaryText }), ['summary', 'tensors', ...tables]],
  ['neff', (page) => openProfile(page, neuron('neff_matmul_small', 'matmul_small.neff')), ['program', ...tables]],
  ['neuron-logs', async (page) => {
    await dropTree(page, logs());
    // The directory holds a trace too; the profile that is read first is in front.
    await page.getByRole('tab').filter({ hasNotText: 'trace' }).click();
  }, [...slices, 'operator-timeline', 'operator-framework', 'operator-hlo', ...tables]],
  ['neuron-log-trace', (page) => dropFiles(page, { name: 'neuron_trace.json', bytes: trace() }), [...slices, 'trace', ...queried]],
  ['neuron-system', (page) => dropFiles(page, { name: 'system_profile.json', bytes: hostBound() }, { name: 'trace.json', bytes: framework() }), ['timeline', 'system', 'serving', 'search', 'operators', ...queried]],
  ['neuron-system-tables', (page) => dropTree(page, directory()), ['timeline', 'system', 'serving', 'search', 'operators', ...tables]],
  ['neuron-serving', (page) => dropFiles(page, { name: 'system_profile.json', bytes: served() }), ['timeline', 'system', 'serving', 'search', 'operators', ...tables]],
  ['neuron-serving-two', async (page) => {
    await dropFiles(page, { name: 'before.json', bytes: served() });
    await dropFiles(page, { name: 'after.json', bytes: served({ decode: 4e6 }) });
  }, ['timeline', 'system', 'serving', 'search', 'operators', 'compare', 'variants', ...tables]],
  ['support', (page) => openProfile(page, neuron('analyze', 'unsupported-verbosity1.json')), ['support', ...file]],
  ['axonrun', (page) => openProfile(page, join(root, 'tests', 'fixtures', 'axonrun', '32_ranks_4_faults.axonrun')), ['fleet', ...file]],
];
