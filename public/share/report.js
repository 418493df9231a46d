// A report as Markdown or HTML of the view on screen, or of a chosen set of views: headings, sentences, values, tables (their first rows), charts
// (HTML alone, as SVG), and links to each view and to named times. It is read from the page's elements, so that it has what the reader saw.

const MOST_CHARACTERS = 400;

const isSeen = (element) => element.getClientRects().length > 0 && !element.closest('.visually-hidden, [aria-hidden="true"], dialog, template');
const words = (element) => element.innerText.replace(/\s+/g, ' ').trim();
const cut = (text) => (text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS - 1)}…` : text);

/** Milliseconds that a chart may take for its SVG: some load what writes it. */
const LONGEST_MS = 3000;

/** The SVG of a chart: what its button would save. */
async function svgOf(figure) {
  const button = figure.querySelector('button[title="Save as a vector image"]');
  if (!button) return null;
  return new Promise((done) => {
    const end = (svg) => { window.removeEventListener('axonscope-save', take); done(svg); };
    const take = (event) => { event.preventDefault(); end(event.detail); };
    window.addEventListener('axonscope-save', take);
    button.click();
    setTimeout(end, LONGEST_MS, null);
  });
}

/** A table: headers and rows as texts, and how many rows it has beyond these. */
async function tableOf(table, mostRows) {
  const box = table.closest('.table-box');
  const before = box?.scrollTop ?? 0;
  if (before > 0) {
    box.scrollTop = 0;
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  }
  const cells = (row) => [...row.cells].map((cell) => cut(words(cell)));
  const head = table.tHead?.rows.length > 0 ? cells(table.tHead.rows[table.tHead.rows.length - 1]) : [];
  const body = [...table.tBodies].flatMap((part) => [...part.rows]).filter((row) => row.cells.length > 1 && !row.matches('[aria-hidden="true"]'));
  const rows = body.slice(0, mostRows).map(cells).filter((row) => row.some((cell) => cell !== ''));
  const count = table.closest('.table-part')?.parentElement?.querySelector('.table__count');
  const note = count ? words(count) : '';
  if (before > 0) box.scrollTop = before;
  const isCut = body.length > mostRows || note !== '';
  return { kind: 'table', head, rows, note: isCut ? `The first ${rows.length} rows${note ? `; the table has: ${note}` : ''}.` : '' };
}

/** What is on screen, in order. */
async function blocks(root, mostRows) {
  const out = [];
  const read = async (element) => {
    if (!isSeen(element)) {
      for (const child of element.children) if (getComputedStyle(element).display === 'contents') await read(child);
      return;
    }
    if (element.matches('h1, h2, h3, h4')) out.push({ kind: 'heading', text: words(element), level: Number(element.tagName[1]) });
    else if (element.matches('table')) out.push(await tableOf(element, mostRows));
    else if (element.matches('figure.chart')) {
      const title = words(element.querySelector('h3') ?? element);
      const table = element.querySelector('table');
      out.push({ kind: 'chart', title, svg: await svgOf(element), text: table && isSeen(table) ? await tableOf(table, mostRows) : null });
    } else if (element.matches('dl')) {
      const names = [...element.querySelectorAll('dt')];
      out.push({ kind: 'values', pairs: names.map((dt) => [words(dt), cut(words(dt.nextElementSibling ?? dt))]) });
    } else if (element.matches('p, li, pre')) {
      const text = cut(words(element));
      if (text) out.push({ kind: element.matches('li') ? 'item' : 'text', text });
    } else if (!element.matches('button, input, select, label, canvas, svg, nav, [role="toolbar"]')) {
      const isLeaf = element.children.length === 0 || [...element.children].every((child) => child.matches('span, strong, b, i, em, code, small'));
      const text = isLeaf ? cut(words(element)) : '';
      if (text) out.push({ kind: 'text', text });
      else for (const child of element.children) await read(child);
    }
  };
  await read(root);
  return out;
}

const escapeHtml = (text) => text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);
const plain = (text) => text.replace(/([\\`*_[\]<>#|~])/g, '\\$1');

function markdownTable({ head, rows, note }) {
  const n = Math.max(head.length, ...rows.map((row) => row.length), 1);
  const line = (cells) => `| ${Array.from({ length: n }, (_, i) => plain(cells[i] ?? '')).join(' | ')} |`;
  return [line(head), `|${' --- |'.repeat(n)}`, ...rows.map(line), ...(note ? ['', plain(note)] : [])].join('\n');
}

function htmlTable({ head, rows, note }) {
  const cells = (row, tag) => row.map((cell) => `<${tag}>${escapeHtml(cell)}</${tag}>`).join('');
  const foot = note ? `<p>${escapeHtml(note)}</p>` : '';
  return `<table><thead><tr>${cells(head, 'th')}</tr></thead><tbody>${rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n')}</tbody></table>${foot}`;
}

const MARKDOWN = {
  heading: ({ text, level }) => `${'#'.repeat(Math.min(6, level + 1))} ${plain(text)}`,
  text: ({ text }) => plain(text),
  item: ({ text }) => `- ${plain(text)}`,
  values: ({ pairs }) => pairs.map(([name, value]) => `- ${plain(name)}: ${plain(value)}`).join('\n'),
  table: markdownTable,
  chart: ({ title, text }) => `**${plain(title)}** (chart)${text ? `\n\n${markdownTable(text)}` : ''}`,
};

const HTML = {
  heading: ({ text, level }) => `<h${Math.min(6, level + 1)}>${escapeHtml(text)}</h${Math.min(6, level + 1)}>`,
  text: ({ text }) => `<p>${escapeHtml(text)}</p>`,
  item: ({ text }) => `<ul><li>${escapeHtml(text)}</li></ul>`,
  values: ({ pairs }) => `<dl>${pairs.map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`).join('')}</dl>`,
  table: htmlTable,
  // The SVG is the page's own and holds no script; it is shown as an image all the same, which runs none.
  chart: ({ title, svg, text }) => `<figure><figcaption>${escapeHtml(title)}</figcaption>${svg ? `<img alt="${escapeHtml(title)}" src="data:image/svg+xml,${encodeURIComponent(svg)}">` : ''}${text ? htmlTable(text) : ''}</figure>`,
};

const STYLE = 'body{font:14px/1.5 system-ui,sans-serif;max-width:1100px;margin:24px auto;padding:0 16px}table{border-collapse:collapse;margin:12px 0}td,th{padding:3px 8px;border-bottom:1px solid #ccc;text-align:left;overflow-wrap:anywhere}img{max-width:100%}figure{margin:16px 0}dt{font-weight:600}dd{margin:0 0 4px 16px}';

/** Until the page is idle and has painted. */
const settled = () => new Promise((done) => {
  const look = (n) => requestAnimationFrame(() => {
    const isIdle = document.body.dataset.idle === 'true';
    if (isIdle && n >= 3) done();
    else look(isIdle ? n + 1 : 0);
  });
  look(0);
});

/** What is on screen. */
async function content(host, view, mostRows) {
  const root = document.querySelector('.front__view');
  if (view !== 'timeline') return blocks(root, mostRows);
  const { svg } = await window.axonscopeEarly.load('share/picture.js');
  const sums = root.querySelector('[data-range-sums]')?.parentElement;
  return [{ kind: 'chart', title: 'Timeline', svg: await (await svg(host)).text(), text: null }, ...(sums ? await blocks(sums, mostRows) : [])];
}

// A file that was read from a disk has an address of its page, which is no address for the reader.
const hasAddress = () => location.protocol.startsWith('http');
/** The address of what a fragment names. */
const address = (fragment) => `${location.href.split('#')[0]}#${fragment}`;

/** The chosen views one after the other: title, link and content of each. `onView` is called before each; where it returns false, the report ends. */
async function sections(host, views, mostRows, onView) {
  const { hash, view: first } = host.state();
  const out = [];
  try {
    host.setStepping(false);
    for (const view of views) {
      if (!onView(view)) throw new Error('The report was cancelled.');
      host.showView(view);
      await settled();
      const state = host.state();
      if (state?.hash !== hash) throw new Error('The report stopped because another profile was chosen.');
      out.push({ title: state.viewTitle, link: hasAddress() ? address(state.fragment) : '', blocks: await content(host, view, mostRows) });
    }
  } finally {
    if (host.state()?.hash === hash) host.showView(first);
    // The address follows a little later.
    setTimeout(() => host.setStepping(true), 600);
  }
  return out;
}

/**
 * The report as a Blob: 'markdown' or 'html'. `views` are the ids of views in order; `onView` is told which is read and returns whether to continue.
 */
export async function report(host, kind, { views = null, mostRows = 50, onView = () => true } = {}) {
  const state = host.state();
  const all = await sections(host, views ?? [state.view], mostRows, onView);
  const isOne = all.length === 1;
  const moments = hasAddress() ? state.moments.map(([name, when, fragment]) => ({ name, when, link: address(fragment) })) : [];
  const facts = [['Profile', state.name], ['Content hash', state.hash], ['Scope', state.scope], ['Slices', String(state.nSlices)]];
  const title = isOne ? `${all[0].title}: ${state.title}` : `Report: ${state.title}`;
  const sentence = /[?&]url=/.test(location.search) ? 'Open this view' : 'Open this view, then the profile of this name and hash';
  if (kind === 'markdown') {
    const link = (text, href) => `[${plain(text)}](${href.replaceAll(')', '%29')})`;
    const section = ({ title: name, link: href, blocks: parts }) => [...(isOne ? [] : [`## ${plain(name)}`]), ...(href ? [link(sentence, href)] : []), ...parts.map((block) => MARKDOWN[block.kind](block))];
    const times = moments.length > 0 ? ['## Links to times', moments.map(({ name, when, link: href }) => `- ${link(name, href)}: ${plain(when)}`).join('\n')] : [];
    const parts = [`# ${plain(title)}`, MARKDOWN.values({ pairs: facts }), ...all.flatMap(section), ...times];
    return new Blob([`${parts.join('\n\n')}\n`], { type: 'text/markdown' });
  }
  const policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";
  const link = (text, href) => `<a href="${escapeHtml(href)}">${escapeHtml(text)}</a>`;
  const section = ({ title: name, link: href, blocks: parts }) => [isOne ? '' : `<h2>${escapeHtml(name)}</h2>`, href ? `<p>${link(sentence, href)}</p>` : '', ...parts.map((block) => HTML[block.kind](block))].join('\n');
  const times = moments.length > 0 ? `<h2>Links to times</h2><ul>${moments.map(({ name, when, link: href }) => `<li>${link(name, href)}: ${escapeHtml(when)}</li>`).join('')}</ul>` : '';
  return new Blob([`<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head>\n<body><h1>${escapeHtml(title)}</h1>\n${HTML.values({ pairs: facts })}\n${all.map(section).join('\n')}\n${times}\n</body></html>\n`], { type: 'text/html' });
}
