// What the library keeps in the browser: handles of files (IndexedDB) and copies (the origin's private file system). Loaded by `src/app/library.rs`
// when it is first needed. Every function returns a promise; it fails with an Error that holds a sentence.
const { handleOf } = window.axonscopeEarly;
const COPIES = 'copies';

/** Runs `act` on the store of files by content hash: `{ parts: [{ path, handle, size, modified }], isCopy }`. */
async function stored(mode, act) {
  const db = await new Promise((ok, fail) => {
    const request = indexedDB.open('axonscope', 1);
    request.onupgradeneeded = () => request.result.createObjectStore('files');
    request.onsuccess = () => ok(request.result);
    request.onerror = () => fail(request.error);
  });
  try {
    return await new Promise((ok, fail) => {
      const transaction = db.transaction('files', mode);
      const request = act(transaction.objectStore('files'));
      transaction.oncomplete = () => ok(request.result);
      transaction.onabort = () => fail(transaction.error);
      transaction.onerror = () => fail(transaction.error);
    });
  } finally {
    db.close();
  }
}
const get = (hash) => stored('readonly', (store) => store.get(hash));
const put = (hash, record) => stored('readwrite', (store) => store.put(record, hash));
const part = (path, handle, file) => ({ path, handle, size: file.size, modified: file.lastModified });

/** An error as a sentence about the profile `name`. */
function sentence(error, name) {
  const of = name ? ` of \`${name}\`` : '';
  switch (error?.name) {
    case 'QuotaExceededError': return `The browser's storage has no room for a copy${of}. Delete entries of the library that have a copy, or free space on the disk.`;
    case 'NotFoundError': return `The file${of} was moved, renamed or deleted. Open it from its new place.`;
    case 'NotAllowedError': return `The browser was not allowed to read the file${of}. Select it in the library again and allow it, or open the file.`;
    case 'NotReadableError': return `The file${of} cannot be read. It may have changed while it was read; open it again.`;
    case 'SecurityError': case 'InvalidStateError': case 'UnknownError': case 'TypeError':
      return `This browser does not allow a page to keep files here, for example in a private window (${error.message}).`;
    default: return error?.message ?? String(error);
  }
}
const told = (act, name) => act.catch((error) => { throw new Error(sentence(error, name)); });

/** Keeps the handles of the files, where the browser gave some. Returns how they can be opened again: "copy", "file" or "". */
export async function keep(hash, files) {
  const before = await get(hash);
  if (before?.isCopy) return 'copy';
  const parts = [];
  for (const [path, file] of files) {
    const handle = await handleOf(file, path);
    if (!handle) return before ? 'file' : '';
    parts.push(part(path, handle, file));
  }
  await put(hash, { parts, isCopy: false });
  return 'file';
}

/** Copies the files. */
export function copy(hash, files, name) {
  return told((async () => {
    const size = files.reduce((sum, [, file]) => sum + file.size, 0);
    const { usage = 0, quota = Infinity } = await navigator.storage.estimate?.() ?? {};
    if (size > quota - usage) throw new DOMException('', 'QuotaExceededError');
    const root = await (await navigator.storage.getDirectory()).getDirectoryHandle(COPIES, { create: true });
    try {
      const folder = await root.getDirectoryHandle(hash, { create: true });
      const parts = [];
      for (const [i, [path, file]] of files.entries()) {
        const handle = await folder.getFileHandle(String(i), { create: true });
        await file.stream().pipeTo(await handle.createWritable());
        parts.push(part(path, handle, await handle.getFile()));
      }
      await put(hash, { parts, isCopy: true });
    } catch (error) {
      await root.removeEntry(hash, { recursive: true }).catch(() => {});
      throw error;
    }
    // The browser may otherwise delete copies when the disk is full; it decides, and a refusal changes nothing.
    navigator.storage.persist?.().catch(() => {});
  })(), name);
}

/** Whether a handle can be read; with `ask` the browser may ask the user. */
async function isAllowed(handle, ask) {
  const how = { mode: 'read' };
  const now = await handle.queryPermission?.(how) ?? 'granted';
  return now === 'granted' || (ask && await handle.requestPermission(how) === 'granted');
}

/** The files that were kept: `[[path, file, has changed], …]`. */
export function open(hash, name) {
  return told((async () => {
    const record = await get(hash);
    if (!record) throw new DOMException('', 'NotFoundError');
    const out = [];
    for (const { path, handle, size, modified } of record.parts) {
      if (!record.isCopy && !await isAllowed(handle, true)) throw new DOMException('', 'NotAllowedError');
      const file = await handle.getFile();
      out.push([path, file, file.size !== size || file.lastModified !== modified]);
    }
    return out;
  })(), name);
}

/** Which of these profiles can be opened without asking the user. */
export async function ready(hashes) {
  const out = [];
  for (const hash of hashes) {
    const record = await get(hash);
    const allowed = await Promise.all((record?.parts ?? []).map(({ handle }) => record.isCopy || isAllowed(handle, false)));
    if (record && allowed.every(Boolean)) out.push(hash);
  }
  return out;
}

/** Forgets the files of a profile, the copy included. */
export async function forget(hash) {
  await stored('readwrite', (store) => store.delete(hash));
  const root = await (await navigator.storage.getDirectory()).getDirectoryHandle(COPIES);
  await root.removeEntry(hash, { recursive: true });
}

/** Forgets everything. */
export async function clear() {
  await stored('readwrite', (store) => store.clear());
  await (await navigator.storage.getDirectory()).removeEntry(COPIES, { recursive: true });
}

/** `[bytes used, bytes available]`; empty where the browser does not say. */
export async function usage() {
  const { usage: used, quota } = await navigator.storage.estimate();
  return quota > 0 ? [used, quota] : [];
}
