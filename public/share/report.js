// A report of the view on screen as Markdown or HTML: its headings, sentences, values, tables (their first rows) and charts (HTML alone, as SVG).
// It is read from the page's elements, so that it has what the reader saw.

const MOST_ROWS = 50;
const MOST_CHARACTERS = 400;

const isSeen = (element) => element.getClientRects().length > 0 && !element.closest('.visually-hidden, [aria-hidden="true"], dialog, template');
const words = (element) => element.innerText.replace(/\s+/g, ' ').trim();
const cut = (text) => (text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS - 1)}…` : text);

/** The SVG of a chart: what its button would save. */
function svgOf(figure) {
  let svg = null;
  const take = (event) => { svg = event.detail; event.preventDefault(); };
  window.addEventListener('axonscope-save', take);
  figure.querySelector('button[title="Save as a vector image"]')?.click();
  window.removeEventListener('axonscope-save', take);
  return svg;
}

/** A table: headers and rows as texts, and how many rows it has beyond these. */
async function tableOf(table) {
  const box = table.closest('.table-box');
  const before = box?.scrollTop ?? 0;
  if (before > 0) {
    box.scrollTop = 0;
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  }
  const cells = (row) => [...row.cells].map((cell) => cut(words(cell)));
  const head = table.tHead?.rows.length > 0 ? cells(table.tHead.rows[table.tHead.rows.length - 1]) : [];
  const body = [...table.tBodies].flatMap((part) => [...part.rows]).filter((row) => row.cells.length > 1 && !row.matches('[aria-hidden="true"]'));
  const rows = body.slice(0, MOST_ROWS).map(cells).filter((row) => row.some((cell) => cell !== ''));
  const count = table.closest('.table-part')?.parentElement?.querySelector('.table__count');
  const note = count ? words(count) : '';
  if (before > 0) box.scrollTop = before;
  const isCut = body.length > MOST_ROWS || note !== '';
  return { kind: 'table', head, rows, note: isCut ? `The first ${rows.length} rows${note ? `; the table has: ${note}` : ''}.` : '' };
}

/** What is on screen, in order. */
async function blocks(root) {
  const out = [];
  const read = async (element) => {
    if (!isSeen(element)) {
      for (const child of element.children) if (getComputedStyle(element).display === 'contents') await read(child);
      return;
    }
    if (element.matches('h1, h2, h3, h4')) out.push({ kind: 'heading', text: words(element), level: Number(element.tagName[1]) });
    else if (element.matches('table')) out.push(await tableOf(element));
    else if (element.matches('figure.chart')) {
      const title = words(element.querySelector('h3') ?? element);
      const table = element.querySelector('table');
      out.push({ kind: 'chart', title, svg: svgOf(element), text: table && isSeen(table) ? await tableOf(table) : null });
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

/** The report of the view on screen as a Blob: 'markdown' or 'html'. */
export async function report(host, kind) {
  const state = host.state();
  const root = document.querySelector('.front__view');
  const content = state.view === 'timeline' ? [] : await blocks(root);
  if (state.view === 'timeline') {
    const { svg } = await window.axonscopeEarly.load('share/picture.js');
    content.push({ kind: 'chart', title: 'Timeline', svg: await (await svg(host)).text(), text: null });
    const sums = root.querySelector('[data-range-sums]')?.parentElement;
    if (sums) content.push(...await blocks(sums));
  }
  // A file that was read from a disk has an address of its page, which is no address for the reader.
  const link = location.protocol.startsWith('http') ? location.href : '';
  const facts = [['Profile', state.name], ['Content hash', state.hash], ['Scope', state.scope], ['Slices', String(state.nSlices)]];
  const title = `${state.viewTitle}: ${state.title}`;
  const hasAddress = /[?&]url=/.test(location.search);
  const sentence = hasAddress ? 'Open this view' : 'Open this view, then the profile of this name and hash';
  if (kind === 'markdown') {
    const parts = [`# ${plain(title)}`, MARKDOWN.values({ pairs: facts }), ...(link ? [`[${sentence}](${link.replaceAll(')', '%29')})`] : []), ...content.map((block) => MARKDOWN[block.kind](block))];
    return new Blob([`${parts.join('\n\n')}\n`], { type: 'text/markdown' });
  }
  const policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";
  const anchor = link ? `<p><a href="${escapeHtml(link)}">${sentence}</a></p>` : '';
  return new Blob([`<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head>\n<body><h1>${escapeHtml(title)}</h1>\n${HTML.values({ pairs: facts })}\n${anchor}\n${content.map((block) => HTML[block.kind](block)).join('\n')}\n</body></html>\n`], { type: 'text/html' });
}
