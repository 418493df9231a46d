// What runs inside the page. Each function is sent there as text: it knows nothing of this file.

/** Before anything else: notes when a file was chosen, lanes were painted, and nothing was pending any more; and how long each question took. */
export function watch() {
  const bench = { chosen: null, preview: null, idle: null, worst: 0, asked: [] };
  window.axonBench = bench;
  document.addEventListener('change', () => { bench.chosen = performance.now(); look(); requestAnimationFrame(pace); }, { capture: true });
  let last = null;
  const pace = (now) => {
    if (last !== null) bench.worst = Math.max(bench.worst, now - last);
    last = now;
    if (bench.idle === null) requestAnimationFrame(pace);
  };
  const small = new OffscreenCanvas(48, 24);
  const pen = small.getContext('2d', { willReadFrequently: true });
  const painted = () => [...document.querySelectorAll('canvas')].some((canvas) => {
    if (canvas.width < 300 || canvas.height < 100) return false;
    pen.clearRect(0, 0, 48, 24);
    pen.drawImage(canvas, 0, 0, 48, 24);
    return new Set(new Uint32Array(pen.getImageData(0, 0, 48, 24).data.buffer)).size > 24;
  });
  const look = () => {
    if (bench.preview !== null) return;
    if (painted()) bench.preview = performance.now() - bench.chosen;
    else requestAnimationFrame(look);
  };
  new MutationObserver(() => {
    if (bench.chosen !== null && document.body?.dataset.idle === 'true' && document.body.dataset.profile) bench.idle ??= performance.now() - bench.chosen;
  }).observe(document, { attributes: true, subtree: true, attributeFilter: ['data-idle', 'data-profile'] });

  // A question and its answer are told by the first byte of their messages (src/worker/protocol.rs: ToWorker::Ask, ToPage::Answer), then their id.
  const [ASK, ANSWER] = [2, 5];
  const key = (worker, bytes) => { let id = 0, at = 1; do id += (bytes[at] & 127) * 128 ** (at - 1); while (bytes[at++] & 128); return `${worker} ${id}`; };
  const open = new Map();
  let n = 0;
  const Plain = window.Worker;
  window.Worker = class extends Plain {
    constructor(...args) {
      super(...args);
      const me = this.axonBench = n++;
      this.addEventListener('message', ({ data }) => {
        if (data?.[0]?.[0] !== ANSWER) return;
        const from = open.get(key(me, data[0]));
        if (from !== undefined) bench.asked.push(performance.now() - from);
      });
    }
    postMessage(message, ...rest) {
      if (message?.[0]?.[0] === ASK) open.set(key(this.axonBench, message[0]), performance.now());
      return super.postMessage(message, ...rest);
    }
  };
}

/** Zooms in and out and pans over the timeline, a step per frame; gives the times between frames. */
export function frames() {
  const all = [...document.querySelectorAll('[data-view="timeline"] canvas')];
  const canvas = all.sort((a, b) => b.clientWidth * b.clientHeight - a.clientWidth * a.clientHeight)[0];
  const box = canvas.getBoundingClientRect();
  const at = { clientX: box.left + box.width * 0.6, clientY: box.top + box.height * 0.4, bubbles: true, cancelable: true, deltaMode: 0 };
  const step = (i) => {
    if (i < 90) return { deltaY: -40, ctrlKey: true };
    if (i < 150) return { deltaY: 60, shiftKey: true };
    if (i < 240) return { deltaY: 40, ctrlKey: true };
    return { deltaY: -60, shiftKey: true };
  };
  return new Promise((done) => {
    const deltas = [];
    let last = null;
    let i = 0;
    const tick = (now) => {
      if (last !== null && i > 3) deltas.push(now - last);
      last = now;
      if (i === 300) return done(deltas);
      canvas.dispatchEvent(new WheelEvent('wheel', { ...at, ...step(i++) }));
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
}

/** Goes through every view and searches. For each: milliseconds from the click to nothing pending (frames and what waits for typing to end
 *  included), and of its slowest question alone, from message to message. */
export async function views() {
  const idle = () => document.body.dataset.idle === 'true';
  const time = (act, done) => new Promise((give) => {
    const { asked } = window.axonBench;
    asked.length = 0;
    const from = performance.now();
    act();
    let n = 0;
    let first;
    const look = () => {
      const took = performance.now() - from;
      // Bounds says its first sentence before its slower parts are there.
      if (n > 1 && first === undefined && document.querySelector('[data-view="bounds"] [data-answer]')?.textContent) first = Math.round(took);
      const query = asked.length > 0 ? Math.round(Math.max(...asked) * 10) / 10 : undefined;
      if (n++ > 1 && idle() && done()) give({ shown: Math.round(took), first, query });
      else if (took > 60_000) give({ shown: null, query });
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  const ids = [...new Set([...document.querySelectorAll('[data-nav]')].map((nav) => nav.dataset.nav))];
  const took = {};
  const go = async (id) => {
    const nav = document.querySelector(`[data-nav="${id}"]`);
    return nav ? time(() => nav.click(), () => document.querySelector('[data-view]')) : null;
  };
  for (const id of ids.filter((id) => id !== 'timeline')) took[id] = await go(id);
  await go('timeline');
  const box = document.querySelector('input[type=search][aria-label^="Search"]');
  const count = () => document.querySelector('[data-search-count]')?.textContent ?? '';
  const before = count();
  if (box) {
    took.search = await time(() => {
      box.value = 'aten::mm';
      box.dispatchEvent(new Event('input', { bubbles: true }));
    }, () => count() !== before && /\d/.test(count()));
  }
  await go('ledger');
  const records = Number((document.querySelector('[data-view="ledger"] dd')?.textContent ?? '').replace(/\D/g, '')) || null;
  return { took, records };
}

/** Seconds that TextDecoder and JSON.parse take for the file in `input`, and that inflating it takes when it is gzip. */
export async function parse() {
  const file = document.querySelector('input').files[0];
  const zipped = file.name.endsWith('.gz');
  let inflate = null;
  let bytes;
  if (zipped) {
    const from = performance.now();
    const parts = [];
    for await (const part of file.stream().pipeThrough(new DecompressionStream('gzip'))) parts.push(part);
    inflate = (performance.now() - from) / 1000;
    bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
  } else bytes = await file.arrayBuffer();
  const from = performance.now();
  window.kept = JSON.parse(new TextDecoder().decode(bytes));
  return { parse: (performance.now() - from) / 1000, inflate };
}
