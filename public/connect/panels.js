// Small panels and dialogs of the scripts in this folder. Texts go in as text, never as markup.

/** An element: attributes (functions are listeners), then children (elements or texts). */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(key, value);
    else if (value !== false && value != null) element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.flat().filter((child) => child != null && child !== ''));
  return element;
}

/** A sentence with `code` between backquotes, as nodes. */
export const sentence = (text) => text.split('`').map((part, i) => (i % 2 ? el('code', {}, part) : part));

export const button = (label, act, isPrimary = false) => el('button', { type: 'button', class: isPrimary ? 'button button--primary' : 'button', click: act }, label);

/** A size: three digits and a unit, as the rest of the page writes it. */
export function bytes(n) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let at = 0;
  let value = n;
  while (value >= (at === 0 ? 1024 : 1023.5) && at < units.length - 1) { value /= 1024; at++; }
  return `${at === 0 ? n : value >= 999.5 ? Math.round(value) : value.toPrecision(3)} ${units[at]}`;
}

export function loadStyles() {
  // One HTML file has them inlined.
  if (window.axonscopeSingle) return;
  const href = new URL('panels.css', import.meta.url).href;
  if (!document.querySelector(`link[href="${href}"]`)) document.head.append(el('link', { rel: 'stylesheet', href }));
}

/** Asks; resolves to the value of the button, or null when the dialog is closed in another way. `buttons`: [label, value], the first is the main one. */
export function ask(title, content, buttons, { isWide = false } = {}) {
  loadStyles();
  return new Promise((done) => {
    const box = el('dialog', { class: isWide ? 'ask ask--wide' : 'ask', 'aria-label': title });
    let answer = null;
    const choose = (value) => { answer = typeof value === 'function' ? value() : value; box.close(); };
    box.append(el('h2', {}, title), ...content, el('p', { class: 'ask__buttons' }, buttons.map(([label, value], i) => button(label, () => choose(value), i === 0))));
    box.addEventListener('close', () => { box.remove(); done(answer); });
    // Keys of the page behind must not act.
    box.addEventListener('keydown', (event) => event.stopPropagation());
    document.body.append(box);
    box.showModal();
  });
}

let list = null;
/** A line in the corner: `update` changes its text and bar, `close` removes it. `actions`: [label, function]. */
export function line(text, { isError = false, actions = [], more = [] } = {}) {
  loadStyles();
  list ??= document.body.appendChild(el('section', { class: 'lines', 'aria-label': 'Addresses' }));
  const words = el('p', { class: 'lines__text' });
  const bar = el('progress', { class: 'lines__bar', max: 1, 'aria-label': 'Part loaded', hidden: true });
  const close = () => item.remove();
  const item = el('div', { class: isError ? 'lines__item lines__item--error' : 'lines__item', role: isError ? 'alert' : 'status' }, words, bar, more,
    el('p', { class: 'ask__buttons' }, actions.map(([label, act]) => button(label, () => act(close)))));
  const update = (next, share) => {
    words.replaceChildren(...sentence(next));
    bar.hidden = share === undefined;
    if (share === null) bar.removeAttribute('value');
    else if (share !== undefined) bar.value = share;
  };
  update(text);
  list.append(item);
  return { update, close };
}

/** A sentence about something that went wrong; it stays until it is closed. */
export const fail = (text, { actions = [], more = [] } = {}) => line(text, { isError: true, more, actions: [...actions, ['Dismiss', (close) => close()]] });

/** A button that copies a text. */
export const copyButton = (text) => {
  const made = button('Copy', async () => {
    await navigator.clipboard.writeText(text);
    made.textContent = 'Copied';
  });
  return made;
};
