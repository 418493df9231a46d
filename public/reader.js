// Reads parts of a file for the worker that parses it: bytes of a read arrive only while the thread that asked is idle, and that one is busy.
// In: [id, Blob]. Out: [id, ArrayBuffer], moved and not copied; or [id, why it cannot be read].
onmessage = async ({ data: [id, blob] }) => {
  try {
    const read = await blob.arrayBuffer();
    // The memory of a buffer that was moved is kept with its message until garbage is collected, unless it can be resized to nothing.
    const buffer = new ArrayBuffer(read.byteLength, { maxByteLength: read.byteLength });
    new Uint8Array(buffer).set(new Uint8Array(read));
    read.transfer?.(0);
    postMessage([id, buffer], [buffer]);
  } catch (error) {
    postMessage([id, String(error?.message ?? error)]);
  }
};
