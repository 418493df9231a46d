// Reads parts of a file for the worker that parses it: bytes of a read arrive only while the thread that asked is idle, and that one is busy.
// In: [id, File, first byte, byte after the last]; or an ArrayBuffer that is returned after use; or a MessagePort, through which another worker asks.
// Out: [id, ArrayBuffer], moved and not copied; or [id, why it cannot be read]. To whom asked.

// A browser keeps what it reads into buffers of its own, and buffers that came with a message, until it collects garbage: as much memory as the
// file is long. So bytes are read into one buffer again and again, and sent in a few buffers that come back.
let spare = new ArrayBuffer(1 << 20);
const returned = [];
// One that is being parsed, and those that are read ahead.
const MOST_RETURNED = 5;

/** Keeps a buffer for a later read, or frees its memory. */
function keep(buffer) {
  if (returned.length < MOST_RETURNED) returned.push(buffer);
  else if (buffer.resizable) buffer.resize(0);
  else buffer.transfer?.(0);
}

/** A buffer of so many bytes: one that was returned, where it has room. */
function bufferOf(size) {
  const buffer = returned.pop();
  if (buffer?.byteLength === size) return buffer;
  if (buffer?.resizable && buffer.maxByteLength >= size) {
    buffer.resize(size);
    return buffer;
  }
  return new ArrayBuffer(size, { maxByteLength: size });
}

/** The bytes of a part. */
async function bytesOf(blob) {
  let reader;
  try {
    reader = blob.stream().getReader({ mode: 'byob' });
  } catch {
    // This browser fills no buffers of others.
    return blob.arrayBuffer();
  }
  const buffer = bufferOf(blob.size);
  const bytes = new Uint8Array(buffer);
  for (let at = 0; ;) {
    const { value, done } = await reader.read(new Uint8Array(spare));
    if (value) spare = value.buffer;
    if (done) {
      if (at < blob.size) throw new Error(`Expected ${blob.size} bytes, the browser returned ${at}.`);
      return buffer;
    }
    bytes.set(value, at);
    at += value.length;
  }
}

// One part after the other: they share the buffer.
let last = Promise.resolve();
const listenTo = (asker) => {
  asker.onmessage = ({ data }) => {
    if (data instanceof MessagePort) return listenTo(data);
    if (data instanceof ArrayBuffer) return keep(data);
    const [id, file, from, to] = data;
    last = last.then(async () => {
      try {
        const buffer = await bytesOf(file.slice(from, to));
        asker.postMessage([id, buffer], [buffer]);
      } catch (error) {
        spare = new ArrayBuffer(1 << 20);
        asker.postMessage([id, String(error?.message ?? error)]);
      }
    });
  };
};
listenTo(self);
