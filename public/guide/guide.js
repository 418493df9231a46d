// Guided reading of a sample: five steps in a strip below the page, each at a view of its own (src/app/shell/guide.rs). Loaded with a sample, unless its
// reading was closed before. What is read is in readings.json.
const { load } = window.axonscopeEarly;
const CLOSED = 'axonscope.guide';
/** How long a step waits for the part of the page that it is about, ms. */
const PATIENCE = 10_000;

let open = null;

const readings = async () => {
  const answer = await fetch(new URL('readings.json', import.meta.url));
  if (!answer.ok) throw new Error('The guided readings of this site could not be read.');
  return answer.json();
};

/** Notes that a reading is not wanted again; without storage it is closed until the next visit. */
function note(name) {
  try {
    const names = JSON.parse(localStorage.getItem(CLOSED) ?? '[]');
    localStorage.setItem(CLOSED, JSON.stringify([...new Set([...names, name])]));
  } catch { /* Private windows refuse. */ }
}

const frame = () => new Promise((done) => requestAnimationFrame(() => done()));

/** Resolves to the first element of `selector`, or null where it does not come. */
function found(selector) {
  return new Promise((done) => {
    const look = () => document.querySelector(`.front ${selector}`);
    if (look()) return done(look());
    const watch = new MutationObserver(() => { if (look()) end(look()); });
    const timer = setTimeout(() => end(null), PATIENCE);
    const end = (element) => { watch.disconnect(); clearTimeout(timer); done(element); };
    watch.observe(document.body, { childList: true, subtree: true });
    return undefined;
  });
}

const unmark = () => document.querySelectorAll('[data-guided]').forEach((element) => element.removeAttribute('data-guided'));

/** Shows the reading of a sample. `takesFocus`: the user asked for it. */
export async function start(host, name, takesFocus) {
  const [{ el, button, sentence }, all] = await Promise.all([load('connect/panels.js'), readings()]);
  const reading = all[name];
  if (!reading || open?.name === name) return open?.focus();
  open?.remove();
  const href = new URL('guide.css', import.meta.url).href;
  if (!document.querySelector(`link[href="${href}"]`)) await new Promise((done) => document.head.append(el('link', { rel: 'stylesheet', href, load: done, error: done })));
  const { steps } = reading;
  let at = 0;
  const [count, title, text] = [el('p', { class: 'guide__count' }), el('h2', { class: 'guide__title' }), el('p', { class: 'guide__text' })];
  const close = () => {
    note(name);
    strip.remove();
    host.notify('The guided reading of this sample is closed. Help (?) opens it again.', false);
  };
  const [back, next] = [button('Back', () => go(at - 1)), button('Next', () => (at + 1 < steps.length ? go(at + 1) : close()), true)];
  const end = el('button', { type: 'button', class: 'button button--icon', 'aria-label': 'Close the guided reading', title: 'Close for good; Help (?) opens it again', click: close }, '×');
  const words = el('div', { class: 'guide__words', 'aria-live': 'polite' }, count, title, text);
  const strip = el('section', { class: 'guide', 'aria-label': 'Guided reading', 'data-guide': name }, words, el('p', { class: 'guide__buttons' }, back, next), end);
  const size = new ResizeObserver(() => document.documentElement.style.setProperty('--guide', `${strip.offsetHeight}px`));
  const onFront = ({ detail }) => { strip.hidden = detail !== host.hash; };
  strip.addEventListener('keydown', (event) => {
    // Keys of the page must not act on what is read here.
    event.stopPropagation();
    if (event.key === 'Escape') close();
  });
  const remove = strip.remove.bind(strip);
  strip.remove = () => {
    remove();
    size.disconnect();
    window.removeEventListener('axonscope-front', onFront);
    unmark();
    open = null;
  };
  async function go(to) {
    at = to;
    const step = steps[at];
    count.textContent = `${reading.title} · ${at + 1} of ${steps.length}`;
    title.textContent = step.title;
    text.replaceChildren(...sentence(step.text));
    back.disabled = at === 0;
    next.textContent = at + 1 < steps.length ? 'Next' : 'Done';
    strip.dataset.step = at + 1;
    unmark();
    host.go(step.link);
    // The view before has gone by then; it can hold what the selector means.
    await frame();
    await frame();
    const target = await found(step.target);
    if (!target || at !== to || !open) return;
    target.setAttribute('data-guided', '');
    target.scrollIntoView({ block: 'nearest' });
  }
  // First in the order of the Tab key, last on the screen.
  document.body.prepend(strip);
  size.observe(strip);
  window.addEventListener('axonscope-front', onFront);
  open = { name, remove: () => strip.remove(), focus: () => next.focus() };
  if (takesFocus) next.focus();
  await go(0);
}
