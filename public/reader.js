// Reads parts of a file for the worker that parses it: bytes of a read arrive only while the thread that asked is idle, and that one is busy.
// In: [id, Blob]. Out: [id, ArrayBuffer], moved and not copied; or [id, why it cannot be read].

// A browser keeps what it reads into buffers of its own, and buffers that came with a message, until it collects garbage: as much memory as the
// file is long. So bytes are read into one buffer again and again, and sent in buffers that the receiver can make empty.
let spare = new ArrayBuffer(1 << 20);

/** The bytes of a part. */
async function bytesOf(blob) {
  let reader;
  try {
    reader = blob.stream().getReader({ mode: 'byob' });
  } catch {
    // This browser fills no buffers of others.
    return blob.arrayBuffer();
  }
  const buffer = new ArrayBuffer(blob.size, { maxByteLength: blob.size });
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
onmessage = ({ data: [id, blob] }) => {
  last = last.then(async () => {
    try {
      const buffer = await bytesOf(blob);
      postMessage([id, buffer], [buffer]);
    } catch (error) {
      spare = new ArrayBuffer(1 << 20);
      postMessage([id, String(error?.message ?? error)]);
    }
  });
};
