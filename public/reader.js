// Reads parts of a file for the worker that parses it: bytes of a read arrive only while the thread that asked is idle, and that one is busy.
// In: [id, Blob]. Out: [id, ArrayBuffer], moved and not copied; or [id, why it cannot be read].
onmessage = async ({ data: [id, blob] }) => {
  try {
    const buffer = await blob.arrayBuffer();
    postMessage([id, buffer], [buffer]);
  } catch (error) {
    postMessage([id, String(error?.message ?? error)]);
  }
};
