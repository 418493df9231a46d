// Profiles from other pages by postMessage (docs/embedding.md). 'PING' is answered with 'PONG' as soon as this page listens;
// { axonscope: { id, buffer | file | files, name, view, range } } with { axonscope: { id, ready, hash } } or { axonscope: { id, failed } }.
import { ask, bytes, el, fail } from './panels.js';

const SENDERS = 'axonscope.senders';
/** Messages of one origin that wait, bytes in one of them, and PINGs answered in a second. */
const MOST_WAITING = 8;
const MOST_BYTES = 4e9;
const MOST_PINGS = 20;
const OWN = location.origin;

const stored = () => { try { return JSON.parse(localStorage.getItem(SENDERS) ?? '[]'); } catch { return []; } };
/** Answer of the user for each origin: a promise of true or false. */
const answers = new Map();

/** Asks once per origin. A page without an origin of its own (a file, a sandbox) is asked for at every visit. */
function isAllowed(origin, what) {
  if (origin === OWN || stored().includes(origin)) return Promise.resolve(true);
  if (!answers.has(origin)) {
    const name = origin === 'null' ? 'A page without an origin (a local file or a sandboxed frame)' : origin;
    const content = [
      el('p', {}, el('strong', {}, name), ` sends ${what}.`),
      el('p', {}, 'The profile is read in this browser; nothing is sent back but whether it opened. You are asked once per page origin.'),
    ];
    answers.set(origin, ask('Show a profile from another page?', content, [['Show', true], ['Refuse', false]]).then((isAgreed) => {
      if (isAgreed && origin !== 'null') try { localStorage.setItem(SENDERS, JSON.stringify([...new Set([...stored(), origin])])); } catch { /* Asked again next time. */ }
      return isAgreed === true;
    }));
  }
  return answers.get(origin);
}

/** The files of a message, or a sentence. */
function filesOf({ buffer, file, files, name }) {
  const title = typeof name === 'string' && name ? name.slice(0, 300) : 'profile.json';
  const isBytes = buffer instanceof ArrayBuffer || ArrayBuffer.isView(buffer);
  const all = isBytes ? [new File([buffer], title)] : file instanceof Blob ? [file instanceof File && !name ? file : new File([file], title)] : files;
  if (!Array.isArray(all) || all.length === 0 || all.length > 1000 || !all.every((one) => one instanceof File)) return 'Expected `buffer` (ArrayBuffer), `file` (File or Blob) or `files` (array of File) in the message.';
  if (all.reduce((n, one) => n + one.size, 0) > MOST_BYTES) return `A message may hold ${bytes(MOST_BYTES)} at most.`;
  return all;
}

/** The fragment that shows a view and a range; see state::url. */
function fragment(hash, view, range) {
  const out = new URLSearchParams({ v: '1', p: hash });
  if (typeof view === 'string' && /^[a-z_]{1,40}$/.test(view)) out.set('view', view);
  if (Array.isArray(range) && range.length === 2) {
    const [from, to] = range.map((ns) => (['number', 'bigint'].includes(typeof ns) ? String(typeof ns === 'number' ? Math.round(ns) : ns) : ''));
    if (/^-?\d+$/.test(from) && /^-?\d+$/.test(to) && BigInt(from) < BigInt(to)) for (const key of ['range', 'win']) out.set(key, `${from}-${to}`);
  }
  return out.toString();
}

const isIdle = () => new Promise((done) => {
  const look = () => (document.body.dataset.idle === 'true' ? done() : setTimeout(look, 50));
  look();
});

/** Listens. `give(files)` opens files and resolves to { hash } or { error }. */
export function listen(give) {
  const waiting = new Map();
  const flooding = new Set();
  let pings = 0;
  let lastHash = null;
  let last = Promise.resolve();
  setInterval(() => { pings = 0; }, 1000);

  const show = async (origin, message) => {
    const hasData = ['buffer', 'file', 'files'].some((key) => message[key] !== undefined);
    const files = hasData ? filesOf(message) : null;
    if (typeof files === 'string') return { failed: files };
    const what = files ? `${files.length === 1 ? `\`${files[0].name}\`` : `${files.length} files`} (${bytes(files.reduce((n, file) => n + file.size, 0))})` : 'what to show';
    if (!await isAllowed(origin, what)) return { failed: 'The user refused profiles of this page.' };
    if (!files && !lastHash) return { failed: 'No profile is open: send one first.' };
    const { hash, error } = files ? await give(files) : { hash: lastHash };
    if (!hash) return { failed: error ?? 'The user cancelled.' };
    lastHash = hash;
    await isIdle();
    if (message.view !== undefined || message.range !== undefined) {
      location.hash = fragment(hash, message.view, message.range);
      await new Promise((done) => setTimeout(done, 50));
      await isIdle();
    }
    return { ready: true, hash };
  };

  addEventListener('message', async ({ data, origin, source }) => {
    // Not for this page: extensions and other programs send messages too.
    if (!source || source === window) return;
    const answer = (body) => source.postMessage(body, origin === 'null' ? '*' : origin);
    if (data === 'PING') {
      if (++pings <= MOST_PINGS) answer('PONG');
      return;
    }
    const message = data?.axonscope;
    if (typeof message !== 'object' || message === null) return;
    const { id } = message;
    const n = waiting.get(origin) ?? 0;
    // A flood is answered without being kept.
    if (n >= MOST_WAITING) {
      if (!flooding.has(origin)) fail(`${origin} sends more profiles than can be opened at a time; the others are refused.`);
      flooding.add(origin);
      answer({ axonscope: { id, failed: `More than ${MOST_WAITING} messages wait. Send the next when one is answered.` } });
      return;
    }
    waiting.set(origin, n + 1);
    // One after the other: the answer of each is its own.
    const body = await (last = last.then(() => show(origin, message)).catch((error) => ({ failed: String(error?.message ?? error) })));
    waiting.set(origin, waiting.get(origin) - 1);
    answer({ axonscope: { id, ...body } });
  });
}
