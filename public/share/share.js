// What the Share button and the command palette do (`src/app/storage/share.rs`): each part is a script of its own, loaded when it is used. `host` is the page.
const { load } = window.axonscopeEarly;

/** Offers a Blob as a download. */
export function save(blob, name) {
  const url = URL.createObjectURL(blob);
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

const picture = () => load('share/picture.js');
const panels = () => load('connect/panels.js');
const name = (host, ending) => `${host.state().file.replace(/\.+$/, '')}.${ending}`;

/** Saves the range or the entire trace as Chrome trace events: parts leave the page's memory as they come. */
async function saveTrace(host) {
  const { blob, nSlices, nWithout } = await trace(host);
  save(blob, name(host, host.state().hasRange ? 'range.trace.json' : 'trace.json'));
  const n = nSlices.toLocaleString('en').replaceAll(',', '\u2009');
  const lacking = nWithout > 0 ? ` ${nWithout} of these have no fields: the file could not be read again.` : '';
  host.notify(`${n} slices were saved as a Chrome trace.${lacking}`, nWithout > 0);
}

async function trace(host) {
  const { line } = await panels();
  const { hash, hasRange } = host.state();
  let isOver = false;
  const progress = line('Writing the Chrome trace', { actions: [['Cancel', (close) => { isOver = true; close(); }]] });
  const parts = [];
  let [nSlices, nWithout] = [0, 0];
  try {
    host.beginTrace();
    for (;;) {
      const [text, done, all, n, nLacking, isLast] = await host.nextOfTrace(hasRange);
      if (isOver) throw new Error('Saving was cancelled.');
      if (host.state()?.hash !== hash) throw new Error('Saving stopped because another profile was chosen.');
      parts.push(new Blob([text]));
      [nSlices, nWithout] = [nSlices + n, nWithout + nLacking];
      progress.update('Writing the Chrome trace', all > 0 ? done / all : null);
      if (isLast) return { blob: new Blob(parts, { type: 'application/json' }), nSlices, nWithout };
    }
  } finally {
    progress.close();
  }
}

/** Saves the tables of the entire profile or of the selected range as Parquet files in one ZIP archive. */
async function saveTables(host) {
  const { ask, el } = await panels();
  const state = host.state();
  if (state.nSlices === 0 && !state.isDevice) throw new Error('This profile has no tables that are written as Parquet.');
  let isRange = false;
  if (state.hasRange) {
    const text = `The tables of ${state.name}, or the rows that touch the selected range alone? ${state.scope}.`;
    const choice = await ask('Parquet tables', [el('p', {}, text)], [['Entire profile', 'all'], ['Selected range', 'range'], ['Cancel', null]]);
    if (!choice) return;
    isRange = choice === 'range';
  }
  const { blob, nRows } = await tables(host, isRange);
  save(blob, name(host, isRange ? 'range.parquet.zip' : 'parquet.zip'));
  host.notify(`${nRows.toLocaleString('en').replaceAll(',', '\u2009')} rows were saved as Parquet tables.`, false);
}

/** The tables as one ZIP archive, and how many rows they have. */
async function tables(host, isRange) {
  const { line } = await panels();
  const state = host.state();
  let isOver = false;
  const label = 'Writing Parquet tables';
  const progress = line(label, { actions: [['Cancel', (close) => { isOver = true; close(); }]] });
  // Members in order; the header of a table comes with its last bytes.
  const members = [];
  let table = [];
  let nRows = 0;
  try {
    await host.beginTables(isRange);
    for (;;) {
      const [header, bytes, done, n, isLast] = await host.nextOfTables();
      if (isOver) throw new Error('Saving was cancelled.');
      if (host.state()?.hash !== state.hash) throw new Error('Saving stopped because another profile was chosen.');
      nRows = n;
      table.push(new Blob([bytes]));
      if (header) {
        members.push(new Blob([header]), ...table);
        table = [];
      }
      progress.update(label, done);
      if (isLast) break;
    }
  } finally {
    host.endTables();
    progress.close();
  }
  return { blob: new Blob([...members, ...table], { type: 'application/zip' }), nRows };
}

/** What one HTML file of a range has: by the kind of profile. */
const RANGE_FORMS = {
  records: {
    held: 'the records of the selected range',
    what: 'The file of a range has the original records that touch it, the launches and operators of its kernels, and the metadata of the trace: all views open with the same range selected.',
  },
  tables: {
    held: 'the tables of the selected range',
    what: 'The file of a range has the instructions, transfers, semaphores and samples that touch it, as Parquet tables: all views of the device open with the same range selected. Metrics of the entire run stay those of the run; causes of waits are missing where they lie before the range.',
  },
  timeline: {
    held: 'the timeline of the selected range',
    what: 'The file of a range has its timeline alone: slices with their fields, counters, instants and arrows, as a Chrome trace. The other views of this profile need the entire profile.',
  },
};

/** A fragment for a profile whose content hash is not known yet: `ANY_PROFILE` in src/state/url.rs. */
const ofAnyProfile = (fragment) => fragment.split('&').filter((part) => !part.startsWith('n=')).map((part) => (part.startsWith('p=') ? 'p=*' : part)).join('&');

/** The files of a trace with the records of the selected range in place of its own. */
async function records(host, files, path) {
  const { line } = await panels();
  const { hash } = host.state();
  let isOver = false;
  const label = 'Reading the records of the selected range';
  const progress = line(label, { actions: [['Cancel', (close) => { isOver = true; close(); }]] });
  const parts = [];
  try {
    host.beginRecords();
    for (;;) {
      const [text, done, all, , member, isLast] = await host.nextOfRecords();
      if (isOver) throw new Error('Saving was cancelled.');
      if (host.state()?.hash !== hash) throw new Error('Saving stopped because another profile was chosen.');
      parts.push(new Blob([text]));
      progress.update(label, all > 0 ? done / all : null);
      if (!isLast) continue;
      const blob = new Blob(parts, { type: 'application/json' });
      if (files.length === 1) return [{ path, blob }];
      const own = files.findIndex((file) => file.path === member || file.path.endsWith(`/${member}`));
      if (own < 0) throw new Error(`The file ${member} of this profile was not found.`);
      return files.map((file, i) => (i === own ? { path: file.path.replace(/\.gz$/, ''), blob } : file));
    }
  } finally {
    progress.close();
  }
}

/** One HTML file with the profile, or with the selected range of it; its size is shown before it is saved. */
async function saveSingle(host) {
  if (window.axonscopeSingle) throw new Error('This page is already one HTML file: copy that file to share it.');
  const { ask, bytes, el, line } = await panels();
  const state = host.state();
  let files = host.files().map(([path, file]) => ({ path, blob: file }));
  if (files.length === 0 || files.some(({ blob }) => !(blob instanceof Blob) || blob.remote)) throw new Error('The profile is not a file of this machine. Share the link: it has the address.');
  const form = state.format === 'kineto' ? 'records' : state.isDevice ? 'tables' : 'timeline';
  let isRange = false;
  if (state.hasRange && state.nSlices > 0) {
    const text = `Everything of ${state.name}, or the selected range${state.hasRows ? ' and rows' : ''} alone? ${state.scope}.`;
    const choice = await ask('One HTML file', [el('p', {}, text), el('p', { 'data-single-range': form }, RANGE_FORMS[form].what)], [['Entire profile', 'all'], ['Selected range', 'range'], ['Cancel', null]]);
    if (!choice) return;
    isRange = choice === 'range';
  }
  const stem = state.file.replace(/\.+$/, '');
  if (isRange && form === 'records') files = await records(host, files, `${stem}.range.pt.trace.json`);
  else if (isRange && form === 'tables') files = [{ path: `${stem}.range.parquet.zip`, blob: (await tables(host, true)).blob }];
  else if (isRange) files = [{ path: `${stem}.range.trace.json`, blob: (await trace(host)).blob }];
  const progress = line('Writing one HTML file');
  let made;
  try {
    const { single } = await load('share/single.js');
    const read = async (name) => {
      const answer = await fetch(`./${name}`);
      if (!answer.ok) throw new Error(`The file ${name} of this site could not be read.`);
      return answer.blob();
    };
    // What the common worker does not read needs the one for all formats: see `needs_full` in src/formats.
    const needsFull = isRange ? form === 'tables' : state.format !== 'kineto';
    made = await single({ read, files, title: `${state.name} – Axonscope`, fragment: !isRange ? location.hash.slice(1) : form === 'timeline' ? '' : ofAnyProfile(location.hash.slice(1)), needsFull });
  } finally {
    progress.close();
  }
  const held = isRange ? RANGE_FORMS[form].held : 'the entire profile';
  const sizes = `The file has ${bytes(made.blob.size)}: ${bytes(made.profileBytes)} for ${held}, ${bytes(made.programBytes)} for the program. It opens from a disk, without a network, and contains the data of the profile.`;
  const isWanted = await ask('One HTML file', [el('p', { 'data-single-size': made.blob.size }, sizes)], [['Save', true], ['Cancel', false]]);
  if (isWanted) save(made.blob, name(host, 'html'));
}

/** A report of views that the user chooses. */
async function saveReport(host) {
  const { ask, el, line } = await panels();
  const { view: here, views } = host.state();
  const boxes = views.map(([id, title]) => [id, title, el('input', { type: 'checkbox', value: id, checked: id === here })]);
  const set = (wanted) => boxes.forEach(([, , box]) => { box.checked = wanted; });
  const all = el('p', { class: 'ask__buttons' }, el('button', { type: 'button', class: 'button', click: () => set(true) }, 'Choose all'), el('button', { type: 'button', class: 'button', click: () => set(false) }, 'Choose none'));
  const list = el('fieldset', { class: 'ask__views' }, el('legend', {}, 'Views'), boxes.map(([, title, box]) => el('label', {}, box, title)));
  const rows = el('select', { class: 'select' }, ROWS.map((n) => el('option', { value: n, selected: n === ROWS[1] }, String(n))));
  const format = el('select', { class: 'select' }, el('option', { value: 'markdown' }, 'Markdown'), el('option', { value: 'html' }, 'HTML with charts'));
  const field = (label, control) => el('label', { class: 'ask__field' }, label, control);
  const chosen = () => ({ views: boxes.filter(([, , box]) => box.checked).map(([id]) => id), mostRows: Number(rows.value), kind: format.value });
  const choice = await ask('Report of several views', [all, list, field('Rows of each table, at most', rows), field('Format', format)], [['Save report', chosen], ['Cancel', null]], { isWide: true });
  if (!choice) return;
  if (choice.views.length === 0) throw new Error('Choose at least one view for the report.');
  let isOver = false;
  const progress = line('Writing the report', { actions: [['Cancel', () => { isOver = true; }]] });
  try {
    const { report } = await load('share/report.js');
    const names = new Map(views);
    const onView = (id) => {
      progress.update(`Writing the report: ${names.get(id)}`, choice.views.indexOf(id) / choice.views.length);
      return !isOver;
    };
    save(await report(host, choice.kind, { ...choice, onView }), name(host, choice.kind === 'html' ? 'report.html' : 'report.md'));
  } finally {
    progress.close();
  }
}

/** Rows of a table of a report: what is offered, the second is chosen first. */
const ROWS = [10, 25, 50];

/** Puts the address of what is on screen on the clipboard, and says what the receiver needs. */
async function copyLink(host) {
  const { name: file, hash } = host.state();
  try {
    await navigator.clipboard.writeText(location.href);
  } catch {
    throw new Error('The browser did not allow copying. Copy the address of this page instead.');
  }
  const isRemote = new URLSearchParams(location.search).has('url');
  host.notify(isRemote ? 'The link was copied. It opens the same view with the same file.' : `The link was copied. It shows the same view to whoever opens the file ${file} (content hash ${hash.slice(0, 8)}…) on their machine.`, false);
}

const ACTIONS = {
  link: copyLink,
  png: async (host) => save(await (await picture()).png(host), name(host, 'png')),
  svg: async (host) => save(await (await picture()).svg(host), name(host, 'svg')),
  copy: async (host) => { await (await picture()).copy(host); host.notify('The timeline was copied as an image.', false); },
  trace: saveTrace,
  tables: saveTables,
  single: saveSingle,
  markdown: async (host) => save((await (await load('share/report.js')).report(host, 'markdown')), name(host, 'md')),
  report: saveReport,
  html: async (host) => save((await (await load('share/report.js')).report(host, 'html')), name(host, 'html')),
};

const TEXTS = {
  link: ['Copy link', 'link', 'view, range, selection and filters, without data; a local file is asked for by its name'],
  png: ['Save PNG', 'picture', 'the timeline with rows, ruler, legend and range, at twice the resolution of the screen'],
  svg: ['Save SVG', 'picture', 'the same as a vector image'],
  copy: ['Copy image', 'picture', 'the same on the clipboard'],
  markdown: ['Save Markdown', 'report', 'values, tables cut to 50 rows and a link to this view, for a pull request or a ticket'],
  html: ['Save HTML', 'report', 'the same with charts'],
  report: ['Choose views…', 'report', 'several views in one report, with links to each, to markers and to the selected range'],
  single: ['Save one HTML file', 'file', 'page and profile, or the selected range, in one file that opens from a disk without a network'],
  trace: ['Save Chrome trace', 'data', 'slices with their fields, instants, counters and arrows as JSON; opens in Perfetto'],
  tables: ['Save Parquet tables', 'data', 'the tables of the view SQL as Parquet files in a ZIP archive: rows of slices, instructions and transfers with their fields, for DuckDB, pandas or Spark'],
};
const GROUPS = { link: 'Link to this view', picture: 'Picture of the timeline', report: 'Report of this view, or of several', file: 'One HTML file', data: 'Data' };

async function panel(host) {
  const { ask, button, el, loadStyles } = await panels();
  loadStyles();
  const state = host.state();
  const hasTimeline = host.sizes() !== null;
  let chosen = null;
  const close = (event, id) => { chosen = id; event.target.closest('dialog').close(); };
  const row = ([id, [label, group, what]]) => {
    // One HTML file holds the worker that writes Parquet only where its profile needs it.
    const reason = group === 'link' && window.axonscopeSingle ? 'This page is a file: share the file.' : group === 'picture' && !hasTimeline ? 'Go to the timeline first.' : id === 'tables' && window.axonscopeSingle ? 'Open the profile on the page: this file does not contain the program that writes Parquet.' : '';
    const isOff = reason !== '';
    const item = button(label, (event) => close(event, id));
    item.dataset.shareAction = id;
    item.disabled = isOff;
    return el('p', { class: 'ask__field ask__action' }, item, el('span', { class: 'start__kind' }, isOff ? reason : what));
  };
  const group = (id) => [el('h3', {}, GROUPS[id]), ...Object.entries(TEXTS).filter(([, text]) => text[1] === id).map(row)];
  const scope = `${state.name}. ${state.scope}. Everything is made on this machine; nothing is uploaded.`;
  await ask('Share', [el('p', {}, scope), ...Object.keys(GROUPS).flatMap(group)], [['Close', null]], { isWide: true });
  if (chosen) await ACTIONS[chosen](host);
}

/** Does one action on the profile in front. Fails with a sentence. */
export async function act(host, action) {
  if (!host.state()) throw new Error('Open a profile first.');
  if (action === 'panel') return panel(host);
  return ACTIONS[action](host);
}
