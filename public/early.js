// The start page before the program is there; inlined into index.html and open.html. Sets the theme, starts the first worker beside the page's
// program, and keeps what the user opens meanwhile. `src/app/open/early.rs` takes it over.
(() => {
  // index.html connects to its own files only; addresses are opened by open.html, which has another policy.
  const canConnect = document.documentElement.dataset.page === 'open';
  const toOpenPage = (search) => location.assign(`open.html${search}${location.hash}`);
  if (!canConnect && /[?&](url|embed)=/.test(location.search)) location.replace(`open.html${location.search}${location.hash}`);

  const stored = (key) => { try { return localStorage.getItem(`axonscope.${key}`); } catch { return null; } };
  const theme = stored('theme');
  if (theme === 'dark' || theme === 'light') document.documentElement.dataset.theme = theme;

  // In the frame of another page: the view alone, without bars.
  if (canConnect && /[?&]embed=1/.test(location.search)) document.documentElement.dataset.embed = '';

  const early = window.axonscopeEarly = { isOver: false, waiting: [] };

  /** Starts a worker: 'worker' or 'full'. By a blob, because such a worker has the policy of this page; one started by its address has none. */
  early.worker = (program) => {
    if (window.axonscopeSingle) return axonscopeSingle.worker(program);
    const base = new URL('.', document.baseURI).href;
    const text = `axonscopeBase='${base}';importScripts(axonscopeBase+'${program}.js');wasm_bindgen({module_or_path:axonscopeBase+'${program}_bg.wasm'})`;
    return new Worker(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })));
  };
  /** Loads a script of the site when it is first needed. */
  early.load = async (file) => import(window.axonscopeSingle ? await axonscopeSingle.url(file) : new URL(file, document.baseURI).href);
  /** Opens `{ files, entries }` now, or when the program has loaded. */
  early.open = (item) => {
    if (early.isOver) dispatchEvent(new CustomEvent('axonscope-open', { detail: item }));
    else early.waiting.push(item);
  };
  /** Opens what an address names. public/open.js puts its own in place. */
  early.go = (text) => toOpenPage(`?url=${encodeURIComponent(text)}`);

  // Page and worker are two programs: without this, the second would be asked for when the first runs.
  const first = { worker: null, messages: [], error: null };
  try {
    first.worker = early.worker('worker');
    first.worker.onmessage = (event) => first.messages.push(event);
    first.worker.onerror = (event) => { first.error = event.message || 'its program could not be loaded'; };
  } catch { /* The program starts its own, and says why it cannot. */ }
  early.takeWorker = () => { const { worker, messages, error } = first; first.worker = null; return worker && [worker, messages, error]; };

  // Handles of files and directories that were dropped or chosen, by which the library (public/library.js) opens them again.
  const handles = new Map();
  const roots = early.roots = new Map();
  const keyOf = (file) => [file.name, file.size, file.lastModified].join('/');
  const hold = (item) => {
    const file = item.kind === 'file' && item.getAsFileSystemHandle && item.getAsFile();
    if (!file) return;
    item.getAsFileSystemHandle().then((handle) => {
      if (handle?.kind === 'directory') roots.set(handle.name, handle);
      else if (handle) handles.set(keyOf(file), handle);
    }, () => { /* not every drop has one */ });
  };
  early.handleOf = async (file, path) => {
    const known = handles.get(keyOf(file));
    const [root, ...parts] = path.split('/');
    if (known || !roots.has(root)) return known;
    let folder = roots.get(root);
    const name = parts.pop();
    for (const part of parts) folder = await folder.getDirectoryHandle(part);
    return folder.getFileHandle(name);
  };
  early.library = () => early.load('library.js');
  addEventListener('drop', (event) => { for (const item of event.dataTransfer?.items ?? []) hold(item); });
  // Gives the files of handles to the page, as if the input had been used.
  const give = async (picked) => {
    const input = document.getElementById('open-files');
    const data = new DataTransfer();
    for (const handle of picked) {
      const file = await handle.getFile();
      handles.set(keyOf(file), handle);
      data.items.add(file);
    }
    input.files = data.files;
    input.dispatchEvent(new Event('change', { bubbles: true }));
  };
  // Files that the system opens with the installed page.
  window.launchQueue?.setConsumer(({ files }) => { if (files?.length > 0) give(files); });
  // The browser's newer dialog gives handles beside the files; where it is refused, the input opens its own.
  let isPlain = false;
  addEventListener('click', async (event) => {
    const input = event.target;
    if (input.id !== 'open-files' || isPlain || !window.showOpenFilePicker) return;
    event.preventDefault();
    try {
      await give(await showOpenFilePicker({ multiple: true }));
    } catch (error) {
      if (error.name === 'AbortError') return;
      isPlain = true;
      input.click();
      isPlain = false;
    }
  });

  const say = (text, isError = false) => {
    const place = document.getElementById('early-status');
    if (!place) return;
    place.textContent = text;
    place.classList.toggle('start__early--error', isError);
    if (isError) place.setAttribute('role', 'alert');
  };
  const wait = (item, what) => {
    early.waiting.push(item);
    if (what) say(`${what} opens when the program has loaded.`);
  };
  const waitForFiles = (files, entries = []) => {
    const n = files.length + entries.length;
    if (n > 0) wait({ files, entries }, n === 1 ? (files[0] ?? entries[0]).name : `${n} files`);
  };

  // What a drop holds must be taken while its event is handled: afterwards the browser gives nothing.
  const dropped = (data) => {
    const items = [...data.items].filter((item) => item.kind === 'file');
    const held = items.map((item) => ({ entry: item.webkitGetAsEntry?.(), file: item.getAsFile() }));
    const entries = held.map((h) => h.entry).filter((entry) => entry?.isDirectory);
    const files = held.filter((h) => !h.entry?.isDirectory && h.file).map((h) => h.file);
    return entries.length + files.length > 0 ? [files, entries] : [[...data.files], []];
  };
  const listen = (type, act) => addEventListener(type, (event) => { if (!early.isOver) act(event); });
  listen('dragover', (event) => event.preventDefault());
  listen('drop', (event) => { event.preventDefault(); if (event.dataTransfer) waitForFiles(...dropped(event.dataTransfer)); });
  listen('paste', ({ clipboardData, target }) => {
    const files = [...(clipboardData?.files ?? [])];
    const text = clipboardData?.getData('text/plain').trimStart() ?? '';
    const isField = target instanceof Element && target.matches('input, select, textarea');
    if (files.length === 0 && text && !isField) files.push(new File([text], `pasted.${'{['.includes(text[0]) ? 'json' : 'txt'}`));
    waitForFiles(files);
  });
  listen('change', ({ target }) => {
    if (!target.matches?.('#open-files, #open-directory')) return;
    waitForFiles([...target.files]);
    target.value = '';
  });
  listen('click', ({ target }) => {
    const button = target.closest?.('#early button');
    if (!button) return;
    const { pick, sample, entry, early: act } = button.dataset;
    if (pick) document.getElementById(pick).click();
    else if (sample) wait({ sample }, button.textContent);
    else if (entry) wait({ entry }, button.textContent);
    else if (act === 'theme') {
      const root = document.documentElement;
      const isDark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
      root.dataset.theme = isDark ? 'light' : 'dark';
      try { localStorage.setItem('axonscope.theme', root.dataset.theme); } catch { /* Private windows refuse; nothing depends on it. */ }
    } else if (act === 'help') wait({ help: true }, 'Help');
    else if (act === 'clear') wait({ clear: true });
  });
  // The form is in the start page before and after the program is there.
  addEventListener('submit', (event) => {
    if (!event.target.matches('.start__address')) return;
    event.preventDefault();
    const text = event.target.elements.address.value.trim();
    if (text) early.go(text);
  });
  const failed = (reason) => {
    if (early.isOver) return;
    say(`Axonscope could not start: ${reason?.message ?? reason ?? 'its program could not be loaded'}. It needs the network on the first visit and a browser of 2021 or later (Safari 16.4). Reload the page to try again.`, true);
    document.body.dataset.early = 'failed';
  };
  addEventListener('unhandledrejection', (event) => failed(event.reason));
  addEventListener('error', (event) => {
    const isFile = event.target instanceof HTMLScriptElement && event.target.type === 'module'
      || event.target instanceof HTMLLinkElement && event.target.rel === 'modulepreload';
    if (event.message || isFile) failed(event.error ?? event.message);
  }, { capture: true });

  /** Adds what is known of a link and of profiles that were open before. Called once the start page is parsed. */
  early.fill = () => {
    const show = (id, fill) => {
      const template = document.getElementById(id);
      const copy = template.content.cloneNode(true);
      fill(copy);
      template.replaceWith(copy);
    };
    const link = new URLSearchParams(location.hash.slice(1).replaceAll('+', '%2B'));
    if (link.get('v') === '1' && link.get('p')) {
      show('early-wanted', (copy) => {
        if (link.get('n')) copy.querySelector('strong').textContent = link.get('n');
        copy.querySelector('code').textContent = link.get('p');
      });
    }
    let entries = [];
    try { entries = JSON.parse(stored('recents') || '[]'); } catch { /* as if there were none */ }
    if (!Array.isArray(entries) || entries.length === 0) return;
    show('early-library', (copy) => {
      const row = copy.querySelector('li');
      // As many as src/views/start/library.rs shows.
      for (const { name, title, kind, date, hash, line, tags, compared } of entries.slice(0, 10)) {
        const entry = row.cloneNode(true);
        const [button, text] = [entry.querySelector('button'), entry.querySelector('.start__kind')];
        button.textContent = title || name;
        button.dataset.entry = hash;
        for (const tag of tags ?? []) {
          button.parentElement.insertBefore(Object.assign(document.createElement('span'), { className: 'library__tag', textContent: tag }), text);
          button.parentElement.insertBefore(document.createTextNode(' '), text.previousSibling);
        }
        text.textContent = line || `${kind} · ${date} UTC`;
        if (compared?.length > 0) text.after(Object.assign(text.cloneNode(), { textContent: `compared with ${compared.join(', ')}` }));
        row.before(entry);
      }
      row.remove();
      const more = copy.querySelector('.library__more');
      if (entries.length > 10) more.textContent = `Show ${entries.length - 10} more`;
      else more.remove();
    });
  };
})();
