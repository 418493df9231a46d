// What the library keeps in the browser: handles of files (IndexedDB) and copies (the origin's private file system). Loaded by `src/app/storage/library.rs`
// when it is first needed. Every function returns a promise; it fails with an Error that holds a sentence.
const { handleOf, roots } = window.axonscopeEarly;
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

/** Forgets the files of all profiles. */
export async function clear() {
  for (const hash of await stored('readonly', (store) => store.getAllKeys())) {
    if (!hash.startsWith(DIRECTORY)) await stored('readwrite', (store) => store.delete(hash));
  }
  await (await navigator.storage.getDirectory()).removeEntry(COPIES, { recursive: true });
}

/** `[bytes used, bytes available]`; empty where the browser does not say. */
export async function usage() {
  const { usage: used, quota } = await navigator.storage.estimate();
  return quota > 0 ? [used, quota] : [];
}

const DIRECTORY = 'directory:';
/** More files than a log directory has: a whole disk chosen by mistake. */
const MAX_FILES = 10_000;
const MAX_DEPTH = 12;

/** Lets the user choose a directory and keeps its handle. Its id, which ends in `/name`; null where the user chose none. */
export function addDirectory() {
  return told((async () => {
    if (!window.showDirectoryPicker) throw new Error('This browser cannot keep a directory. "Open a directory" opens all profiles in it.');
    let handle;
    try {
      handle = await showDirectoryPicker({ mode: 'read' });
    } catch (error) {
      if (error.name === 'AbortError') return null;
      throw error;
    }
    for (const id of await directoryIds()) {
      if (await (await get(id)).handle.isSameEntry(handle)) return id;
    }
    const id = `${DIRECTORY}${Date.now()}/${handle.name}`;
    await put(id, { handle });
    return id;
  })());
}

const directoryIds = async () => (await stored('readonly', (store) => store.getAllKeys())).filter((key) => key.startsWith(DIRECTORY));

/** The directories that were added: `[[id, name], …]`. */
export const directories = async () => (await directoryIds()).map((id) => [id, id.slice(id.indexOf('/') + 1)]);

/** Every file in a directory and below it: `[[path, file], …]`, the path beginning with the directory's name. */
export function listDirectory(id) {
  return told((async () => {
    const { handle } = await get(id) ?? {};
    if (!handle) throw new DOMException('', 'NotFoundError');
    if (!await isAllowed(handle, true)) throw new DOMException('', 'NotAllowedError');
    roots.set(handle.name, handle);
    const out = [];
    const walk = async (folder, path, depth) => {
      for await (const [name, entry] of folder) {
        if (name.startsWith('.')) continue;
        if (out.length >= MAX_FILES) throw new Error(`The directory contains more than ${MAX_FILES} files. Choose the directory of the logs.`);
        if (entry.kind === 'file') out.push([`${path}/${name}`, await entry.getFile()]);
        else if (depth < MAX_DEPTH) await walk(entry, `${path}/${name}`, depth + 1);
      }
    };
    await walk(handle, handle.name, 0);
    return out.sort(([a], [b]) => (a < b ? -1 : 1));
  })(), id.slice(id.indexOf('/') + 1));
}

/** A file of a directory by its path, which may begin above it: [path, File], or nothing where there is none. */
export function fileOfDirectory(id, path) {
  return told((async () => {
    const { handle } = await get(id) ?? {};
    if (!handle || !await isAllowed(handle, true)) return undefined;
    const names = path.split('/').filter((name) => name && name !== '..' && name !== '.');
    for (let from = 0; from < names.length; from += 1) {
      let folder = handle;
      try {
        for (const name of names.slice(from, -1)) folder = await folder.getDirectoryHandle(name);
        return [path, await (await folder.getFileHandle(names[names.length - 1])).getFile()];
      } catch (error) {
        if (!['NotFoundError', 'TypeMismatchError', 'TypeError'].includes(error?.name)) throw error;
      }
    }
    return undefined;
  })(), id.slice(id.indexOf('/') + 1));
}

/** Forgets a directory. */
export const forgetDirectory = (id) => stored('readwrite', (store) => store.delete(id));
