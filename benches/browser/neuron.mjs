// Files of Neuron's tools, as large as asked for: an operator timeline of the TensorBoard plugin, a report of analyze.
import { closeSync, openSync, writeSync } from 'node:fs';

/** Writes parts one after the other, some thousands at a time. */
function write(file, parts) {
  const out = openSync(file, 'w');
  let held = [];
  for (const part of parts) {
    held.push(part);
    if (held.length === 20_000) { writeSync(out, held.join('')); held = []; }
  }
  writeSync(out, held.join(''));
  closeSync(out);
}

const OPERATORS = ['aten__addmm_dot', 'aten__relu_maximum', 'aten__tanh_tanh', 'aten__permute_transpose', 'aten__add_add', 'xla__device_data'];
const HLO = ['dot', 'maximum', 'tanh', 'transpose', 'add', 'parameter'];

function* timeline(slices) {
  yield '{"displayTimeUnit":"ns","neuronStartTimestampNs":1681335781000000000,"traceEvents":[';
  const names = ['Process Overview', 'Process Control', 'Process Execution', 'Process Data Transfer'];
  const rows = [[2, 'Compute Busy'], [3, 'DMA Busy']];
  let first = true;
  const line = (record) => { const text = (first ? '' : ',\n') + JSON.stringify(record); first = false; return text; };
  for (const [i, name] of names.entries()) yield line({ ph: 'M', pid: i + 1, tid: 0, name: 'process_name', args: { name } });
  for (const [tid, name] of rows) yield line({ ph: 'M', pid: 1, tid, name: 'thread_name', args: { name } });
  for (const pid of [3, 4]) {
    yield line({ ph: 'M', pid, tid: 8, name: 'thread_name', args: { name: 'Framework Ops' } });
    yield line({ ph: 'M', pid, tid: 9, name: 'thread_name', args: { name: 'HLO Ops' } });
  }
  // Six slices a turn: busy, execution and transfer of an operator at both levels.
  for (let turn = 0; turn * 6 < slices; turn++) {
    const k = turn % OPERATORS.length;
    const [ts, dur] = [turn * 2, 0.7 + (turn % 13) / 20];
    const id = turn % 1000;
    const fused = turn % 50 === 49;
    const operator = fused ? `fused_${id}` : `${OPERATORS[k]}.${id}`;
    const bar = (pid, tid, name, at, args = {}) => line({ ph: 'X', pid, tid, name, ts: at, dur, args });
    yield bar(1, 2, 'Compute Busy', ts);
    yield bar(1, 3, 'DMA Busy', ts + 0.9);
    yield bar(3, 8, operator, ts, fused ? { fused: `Sequential_1/${OPERATORS[0]}.${id - 1}, Sequential_1/${OPERATORS[1]}.${id}` } : {});
    yield bar(3, 9, `%${HLO[k]}.${id} = ${HLO[k]}(%p0.1)`, ts);
    yield bar(4, 8, `${OPERATORS[k]}.${id}`, ts + 0.9);
    yield bar(4, 9, `%${HLO[k]}.${id} = ${HLO[k]}(%p0.1)`, ts + 0.9);
  }
  yield ']}';
}

export const operatorTimeline = (file, slices) => write(file, timeline(slices));

function* report(operators) {
  const share = Math.floor(operators * 0.6);
  yield `{"torch_neuronx_version":"1.13.0","neuronx_cc_version":"2.5.0","support_percentage":"60.00%","supported_operators":{"aten":{`;
  for (let i = 0; i < share; i++) yield `${i ? ',' : ''}"aten::op_${i}":${1 + (i % 9)}`;
  yield '},"xla":[';
  for (let i = 0; i < share; i++) yield `${i ? ',' : ''}"f32[4,${i % 64}]{1,0} add(f32[4,${i % 64}]{1,0}, f32[4,${i % 64}]{1,0})"`;
  yield ']},"unsupported_operators":{"aten":[';
  for (let i = share; i < operators; i++) yield `${i > share ? ',' : ''}{"kind":"aten::op_${i}","failureAt":"neuronx-cc","call":"model.py ${i}"}`;
  yield '],"xla":[';
  for (let i = share; i < operators; i++) yield `${i > share ? ',' : ''}{"hlo_instruction":"c64[4]{0} multiply(c64[4]{0}, c64[4]{0})","aten_op":"aten::op_${i}"}`;
  yield ']}}';
}

export const supportReport = (file, operators) => write(file, report(operators));
