// The files of a prefix as a list to choose from.
import { ask, bytes, el } from './panels.js';

/** Rows on screen; a filter finds the others. */
const ROWS = 500;

const shortDate = (date) => { const at = new Date(date); return Number.isNaN(at.valueOf()) ? '' : `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`; };

/** `files`: [{ name, size, date, url }]. Resolves to the chosen addresses, or null. */
export async function choose(files, source, isCut) {
  const chosen = new Set();
  const prefix = files.reduce((shared, { name }) => { let n = 0; while (n < shared.length && shared[n] === name[n]) n++; return shared.slice(0, n); }, files[0].name);
  const cut = prefix.slice(0, prefix.lastIndexOf('/') + 1).length;
  const status = el('p', { role: 'status' });
  const body = el('tbody');
  const filter = el('input', { class: 'input', type: 'search', 'aria-label': 'Filter by name', placeholder: 'Filter by name' });
  const matching = () => files.filter(({ name }) => name.toLowerCase().includes(filter.value.trim().toLowerCase()));
  const show = () => {
    const found = matching();
    body.replaceChildren(...found.slice(0, ROWS).map(({ name, size, date, url }) => {
      const box = el('input', { type: 'checkbox', 'aria-label': `Open ${name}`, change: () => { if (box.checked) chosen.add(url); else chosen.delete(url); say(); } });
      box.checked = chosen.has(url);
      return el('tr', {}, el('td', {}, box), el('td', {}, name.slice(cut) || name), el('td', { class: 'figure' }, bytes(size)), el('td', {}, shortDate(date)));
    }));
    say();
  };
  const say = () => {
    const size = files.filter(({ url }) => chosen.has(url)).reduce((n, file) => n + file.size, 0);
    const found = matching().length;
    status.textContent = `${chosen.size} of ${files.length} files chosen, ${bytes(size)}.${found > ROWS ? ` The first ${ROWS} of ${found} are shown; filter to see others.` : ''}${isCut ? ' The listing is longer than this; name a longer prefix.' : ''}`;
  };
  filter.addEventListener('input', show);
  show();
  const all = el('button', { type: 'button', class: 'button', click: () => { for (const { url } of matching()) chosen.add(url); show(); } }, 'Choose all');
  const none = el('button', { type: 'button', class: 'button', click: () => { chosen.clear(); show(); } }, 'Choose none');
  const table = el('table', {}, el('thead', {}, el('tr', {}, el('th', {}, 'Open'), el('th', {}, 'Name'), el('th', { class: 'figure' }, 'Size'), el('th', {}, 'Date'))), body);
  const content = [
    el('p', {}, el('code', {}, source.host + (files[0].name.slice(0, cut) ? ` · ${files[0].name.slice(0, cut)}` : ''))),
    el('p', { class: 'ask__field' }, filter, all, none),
    el('div', { class: 'ask__list', tabindex: 0, role: 'group', 'aria-label': 'Files' }, table),
    status,
  ];
  const urls = await ask('Choose profiles to open', content, [['Open', () => [...chosen]], ['Cancel', null]], { isWide: true });
  return urls?.length ? urls : null;
}
