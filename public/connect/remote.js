// Files on a server, read by ranges: loaded by a worker with the first of them. Each cell of a file is requested once and kept by the browser as
// a Blob; the page gets the same Blobs (connect/open.js), so that a read that was stopped goes on where it ended.
(() => {
  /** Bytes of a cell; connect/open.js has the same number. */
  const CELL = 1 << 18;
  const RETRY_MS = [500, 1000, 2000, 4000];
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));

  /** `{ url, name, size, tag, id, cells, timeout }` as connect/open.js makes it; an object with the parts of a File that importers use, and `read`. */
  self.axonscopeRemote = ({ url, name, size, tag, id, cells, timeout }) => {
    const channel = new BroadcastChannel(id);
    const host = new URL(url).host;
    const keep = (index, blob) => {
      cells[index] = blob;
      channel.postMessage([index, blob]);
    };
    /** Runs of cells that are missing among those of [from, to): [first byte, byte after the last]. */
    const missing = (from, to) => {
      const runs = [];
      for (let i = Math.floor(from / CELL); i * CELL < to; i++) {
        if (cells[i]) continue;
        const end = Math.min((i + 1) * CELL, size);
        if (runs.at(-1)?.[1] === i * CELL) runs.at(-1)[1] = end;
        else runs.push([i * CELL, end]);
      }
      return runs;
    };
    const store = (from, buffer) => {
      for (let at = 0; at < buffer.byteLength; at += CELL) keep((from + at) / CELL, new Blob([buffer.slice(at, at + CELL)]));
    };
    const blobs = (from, to) => {
      const parts = [];
      for (let i = Math.floor(from / CELL); i * CELL < to; i++) parts.push(cells[i].slice(Math.max(from - i * CELL, 0), Math.min(to - i * CELL, CELL)));
      return new Blob(parts);
    };
    /** Why an answer is not the part that was asked for; empty if it is. */
    const fault = (status, header, n, [from, to]) => {
      const total = header('content-range')?.match(/\/(\d+)$/)?.[1];
      const now = header('etag') ?? header('last-modified');
      if (status === 200 || (total && Number(total) !== size) || (tag && now && now !== tag) || status === 412) return `The file on ${host} changed while it was read. Open its address again.`;
      if (status === 403 || status === 401) return `${host} refused bytes ${from}–${to - 1} (status ${status}): the address may have expired. Get a new one.`;
      if (status !== 206) return `${host} returned status ${status} for bytes ${from}–${to - 1} of ${size}.`;
      return n === to - from ? '' : `${host} returned ${n} bytes in place of ${to - from} (bytes ${from}–${to - 1} of ${size}).`;
    };
    const isPassing = (status) => status === 429 || status >= 500;
    const range = ([from, to]) => `bytes=${from}-${to - 1}`;

    const load = async (run) => {
      for (let attempt = 0; ; attempt++) {
        let sentence = `The connection to ${host} ended at byte ${run[0]} of ${size}.`;
        let isFinal = false;
        try {
          const response = await fetch(url, { headers: { range: range(run) }, credentials: 'omit', referrerPolicy: 'no-referrer', cache: 'no-store', signal: AbortSignal.timeout(timeout) });
          if (response.status !== 206) response.body?.cancel();
          const buffer = response.status === 206 ? await response.arrayBuffer() : new ArrayBuffer(0);
          const wrong = fault(response.status, (key) => response.headers.get(key), buffer.byteLength, run);
          if (!wrong) return store(run[0], buffer);
          sentence = wrong;
          isFinal = !isPassing(response.status);
        } catch (error) {
          if (error.name === 'TimeoutError') sentence = `${host} did not send bytes ${run[0]}–${run[1] - 1} of ${size} within ${timeout / 1000} s.`;
        }
        if (isFinal || attempt === RETRY_MS.length) throw new Error(sentence);
        await wait(RETRY_MS[attempt]);
      }
    };
    const loadNow = (run) => {
      for (let attempt = 0; ; attempt++) {
        let sentence = `${host} did not send bytes ${run[0]}–${run[1] - 1} of ${size}.`;
        let isFinal = false;
        const request = new XMLHttpRequest();
        try {
          request.open('GET', url, false);
          request.responseType = 'arraybuffer';
          request.timeout = timeout;
          request.setRequestHeader('range', range(run));
          request.send();
          const buffer = request.response ?? new ArrayBuffer(0);
          // A header that the server does not expose is asked for with an error on the console.
          const exposed = request.getAllResponseHeaders().toLowerCase();
          const header = (key) => (exposed.includes(`${key}:`) ? request.getResponseHeader(key) : null);
          const wrong = fault(request.status, header, buffer.byteLength, run);
          if (!wrong) return store(run[0], buffer);
          sentence = wrong;
          isFinal = !isPassing(request.status);
        } catch { /* The network failed; the browser does not say how. */ }
        if (isFinal || attempt === 2) throw new Error(sentence);
      }
    };
    const bound = (value) => Math.min(Math.max(value, 0), size);
    return {
      name, size,
      /** A part that is read later. */
      slice: (a, b) => ({
        arrayBuffer: () => {
          const [from, to] = [bound(a), bound(b)];
          const bytes = Promise.all(missing(from, to).map(load)).then(() => blobs(from, to).arrayBuffer());
          // Parts are requested ahead: one that fails is reported when its turn comes, or never.
          bytes.catch(() => {});
          return bytes;
        },
      }),
      /** Bytes at once: the worker waits. */
      read: (offset, n) => {
        const [from, to] = [bound(offset), bound(offset + n)];
        missing(from, to).forEach(loadNow);
        return new FileReaderSync().readAsArrayBuffer(blobs(from, to));
      },
    };
  };
})();
