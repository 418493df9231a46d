// Logs of the TensorBoard Neuron plugin and system profiles, made from the documented shapes: no public sample exists.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const name = (pid, tid, what, text) => ({ ph: 'M', pid, tid, name: what, args: { name: text } });
const bar = (pid, tid, text, ns, length, args = {}) => ({ ph: 'X', pid, tid, name: text, ts: ns / 1000, dur: length / 1000, args });

/** Execution of two operators and a fused one, with the transfer that fills the pause between them. */
export function timeline({ relu = true } = {}) {
  const events = [
    ...['Process Overview', 'Process Control', 'Process Execution', 'Process Data Transfer'].map((p, i) => name(i + 1, 0, 'process_name', p)),
    ...['Neuron Runtime Setup', 'Compute Busy', 'DMA Busy'].map((r, i) => name(1, i + 1, 'thread_name', r)),
    ...[2, 3, 4].flatMap((pid) => [name(pid, 8, 'thread_name', 'Framework Ops'), name(pid, 9, 'thread_name', 'HLO Ops')]),
    bar(1, 1, 'Neuron Runtime Setup', 0, 1000), bar(1, 2, 'Compute Busy', 1400, 300), bar(1, 2, 'Compute Busy', 2300, 400),
    bar(1, 3, 'DMA Busy', 1000, 400), bar(1, 3, 'DMA Busy', 1700, 600),
    ...[2, 3, 4].map((pid) => bar(pid, 1, 'TestModel[model]', 1000, 1700)),
    bar(4, 8, 'aten__relu_maximum.40', 1000, 100), bar(4, 8, 'aten__addmm_dot.50', 1700, 600),
    bar(3, 8, 'aten__addmm_dot.36', 1400, 300), bar(3, 9, '%dot.36 = dot(%p4.35, %transpose.34)', 1400, 300),
    bar(3, 8, 'aten__tanh_tanh.55', 2500, 200), bar(3, 9, '%tanh.55 = tanh(%dot.50)', 2500, 200),
    bar(3, 8, 'fused_3', 2400, 100, { fused: 'Sequential_1/aten__addmm_dot.36, Sequential_1/aten__permute_transpose.17' }),
  ];
  if (relu) events.push(bar(3, 8, 'aten__relu_maximum.40', 2300, 100));
  const kept = relu ? events : events.filter((e) => !e.name.includes('relu'));
  return JSON.stringify({ displayTimeUnit: 'ns', neuronStartTimestampNs: 1681335781000000000, traceEvents: kept });
}

export const table = (rows, total) => JSON.stringify({
  ops: rows.map(([op, n, ns]) => ({ 'Op Name': op, Occurrences: n, 'Neuron Device': 0, NeuronCore: 0, 'Time (ns)': ns })), total_time: total,
});

export const trace = () => JSON.stringify({ displayTimeUnit: 'ns', traceEvents: [
  ...['IO Data Transfer', 'NeuronDevice Execution', 'CC Synchronization'].map((r, i) => name(4736, i + 1, 'thread_name', r)),
  ...[['Step1', 0, 1000], ['Compile', 20, 560]].map(([n, ts, dur]) => ({ ph: 'X', pid: '/host:CPU', tid: 'python#24', name: n, ts, dur, args: {} })),
  { ph: 'X', pid: 4736, tid: 2, name: 'model.neff', ts: 650, dur: 250, args: {} },
] });

const EPOCH = 1729888371000000000n;

/** The tables of a system profile's directory, made and checked by `tests/native/neuron_system.rs`. */
export function directory() {
  const folder = fileURLToPath(new URL('../tests/cases/neuron_system/directory/global/run@latest/', import.meta.url));
  return readdirSync(folder).map((name) => ({ path: `global/run@latest/${name}`, bytes: readFileSync(join(folder, name)) }));
}

/** A trace of the framework, of the same process: microseconds since the epoch. */
export function framework() {
  const slice = (text, start, length) => `{"ph":"X","name":"${text}","pid":7,"tid":71,"ts":${(EPOCH + BigInt(start)) / 1000n},"dur":${length / 1000}}`;
  const process = '{"ph":"M","name":"process_name","pid":7,"args":{"name":"python"}}';
  return `{"traceEvents":[${[process, slice('train_step', 4_000_000, 5_000_000), slice('aten::linear', 4_001_000, 1_000_000)].join(',')}]}`;
}

/** A system profile: three executions far apart; the host compiles first and copies between them; one CPU is busy. */
export function hostBound(deviceProfile = '') {
  const ms = 1_000_000;
  // Epochs in nanoseconds are beyond a number of JavaScript: written as text.
  const event = (source, text, start, length, more = '') => `{"instance_id":"i-0f","process_id":"7","thread_id":70,"trace_event_source":"${source}",`
    + `"name":"${text}","timestamp":${EPOCH + BigInt(start)},"duration":${length}${source === 'framework' ? '' : ',"nc_idx":0'}${more}}`;
  const model = `,"model_name":"/cache/graph_a.neff"${deviceProfile ? `,"device_profile":"${deviceProfile}"` : ''}`;
  const events = [
    event('framework', 'CompileGraph', 0, ms, ',"id":1,"flow_id":["100"]'),
    event('neuron_rt', 'nrt_execute', ms - 1000, ms + 2000, ',"id":2,"flow_id":["100","200"]'),
    event('neuron_rt', 'kmgr_exec_core', ms - 500, ms + 1000),
    event('neuron_rt', 'dmem_buf_copyin', 2.5 * ms, ms, `,"size":${4 << 20}`),
    event('neuron_rt', 'dmem_buf_copyout', 6 * ms, ms / 2, `,"size":${1 << 20}`),
    event('neuron_hw', 'nc_exec_running', ms, ms, `${model},"id":3,"flow_id":["200"]`),
    event('neuron_hw', 'nc_exec_running', 5 * ms, ms, model),
    event('neuron_hw', 'nc_exec_running', 9 * ms, ms, model),
  ];
  const cpu = (id, util) => `{"cpu_id":"${id}","duration":1,"instance_id":"i-0f","timestamp":${EPOCH + BigInt(10 * ms)},"util":${util}}`;
  return `{"trace_events":[${events.join(',')}],"mem_usage":[],"cpu_util":[${cpu(3, 97)},${cpu(4, 12)}]}`;
}

/** A summary as people paste it: Markdown with units. */
export const summaryText = [
  '| Group | Name | Value |', '|---|---|---|', '| overall_stats | **total_time** | 59.533 **us** |', '| overall_stats | **hardware_flops** | 0.537 **GFLOPS** |',
  '| data_movement | **hbm_read_bytes** | 4.00 **MiB** |', '| data_movement | **spill_reload_bytes** | 4,194,304 **B** |', '| tensor_engine | tensor_engine_active_time | 17.06 us |', '',
  '| ND Idx | NC Idx | Usage Type | Amount |', '|---|---|---|---|', '| 0 | 4 | Tensors | 1.50 MiB |', '',
].join('\r\n');

/** A system profile of serving, as written since mid-2026: two bursts of requests on a logical core of two physical ones. */
export function served({ decode = 5e6 } = {}) {
  const events = [];
  const event = (name, start, duration, more = '') => events.push(`{"name":"${name}","timestamp":${EPOCH + BigInt(start)},"timestamp_unit":"ns","duration":${duration},`
    + `"process_id":"7","thread_id":70,"instance_id":"i-0f","nc_idx":0,"lnc_idx":0${more}}`);
  for (const burst of [0, 1]) {
    let now = burst * 20e9;
    for (let step = 0; step < 42; step++) {
      const isPrefill = step % 21 === 0;
      const length = isPrefill ? 45e6 : decode;
      const model = `/cache/${isPrefill ? 'context_encoding_model' : 'token_generation_model'}/_tp0_bk${isPrefill ? 1 : 0}/graph.neff`;
      event('dmem_buf_copyin', now, 200_000, ',"size":65536');
      event('nrt_model_submit', now + 800_000, 100_000, `,"exec_id":"${burst}-${step}"`);
      for (const core of [0, 1]) event('nc_exec_running', now + 1e6 + core * 1000, length - 1000, `,"device_core_idx":${core},"exec_id":"${burst}-${step}","model_name":"${model}"`);
      event('cc_running', now + 2e6, length / 5, ',"device_core_idx":0');
      now += 1e6 + length;
    }
  }
  const memory = [0, 1].map((at) => `{"hbm_idx":0,"instance_id":"i-0f","timestamp":${EPOCH + BigInt(at * 20e9)},"total_bytes":${8e9 + at * (1 << 20)},"weights_bytes":8000000000,"dram_spill_bytes":${at << 20}}`);
  return `{"trace_event":[${events.join(',')}],"device_mem_usage":[${memory.join(',')}],"system_profile_metadata":[{"hbm_capacity_bytes":25769803776}]}`;
}
