"""Profiles in a notebook: a frame of the page that is given the file, or one of `axonscope view`."""

import atexit
import base64
import html
import json
import os
import subprocess
from urllib.parse import urlsplit

from ._program import AxonscopeError, paths_of, program

# Bytes that are put into the output of a cell; larger files are served.
MOST_SENT = 100_000_000

SCRIPT = """
(() => {
  const frame = document.getElementById(%(id)s), said = document.getElementById(%(id)s + '-said');
  const origin = %(origin)s, files = %(files)s.map(({ name, data }) => new File([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], name));
  let isSent = false;
  const ping = setInterval(() => frame.contentWindow?.postMessage('PING', origin), 200);
  addEventListener('message', ({ data, source }) => {
    if (source !== frame.contentWindow) return;
    if (data?.axonscope) said.textContent = data.axonscope.failed ?? '';
    if (data !== 'PONG' || isSent) return;
    isSent = true;
    clearInterval(ping);
    source.postMessage({ axonscope: { id: 1, files, ...%(shown)s } }, origin);
  });
})();
"""

_servers = []


class Frame:
    """What a notebook shows; `address` is the address of the frame."""

    def __init__(self, text, address):
        self._text = text
        self.address = address

    def _repr_html_(self):
        return self._text

    def __repr__(self):
        return f"<axonscope {self.address}>"


def show(path, page=None, view=None, time_range=None, height=700):
    """Shows a profile in a notebook, as the last value of a cell.

    path: a file, or several that open together (a trace with its NEFF, the ranks of a run).
    page: address of a hosted page, else the environment variable AXONSCOPE_PAGE. The files are handed to it in the browser and sent nowhere.
      Without one, and for more than 100 MB, `axonscope view` serves page and files on this machine until Python ends; the browser must be
      on this machine too, or behind `ssh -L`.
    view, time_range: id of a view as in links, and (start, end) in nanoseconds; for a hosted page.
    """
    paths = paths_of(path)
    page = page or os.environ.get("AXONSCOPE_PAGE")
    is_sent = page and all(os.path.isfile(one) for one in paths) and sum(os.path.getsize(one) for one in paths) < MOST_SENT
    return _sent(paths, page, view, time_range, height) if is_sent else _served(paths, height)


def _frame(address, height, name=""):
    identity = f' id="{name}"' if name else ""
    return f'<iframe{identity} src="{html.escape(address)}" title="Profile" style="width:100%;height:{int(height)}px;border:0"></iframe>'


def _sent(paths, page, view, time_range, height):
    parts = urlsplit(page)
    if parts.scheme not in ("https", "http") or not parts.netloc:
        raise AxonscopeError(f"Expected the address of a page, https://…, found `{page}`.")
    directory = parts.path if parts.path.endswith("/") else parts.path.rsplit("/", 1)[0] + "/"
    origin = f"{parts.scheme}://{parts.netloc}"
    address = f"{origin}{directory}open.html?embed=1"
    files = []
    for one in paths:
        with open(one, "rb") as file:
            files.append({"name": os.path.basename(one), "data": base64.b64encode(file.read()).decode()})
    shown = {}
    if view:
        shown["view"] = str(view)
    if time_range:
        shown["range"] = [int(ns) for ns in time_range]
    name = f"axonscope-{os.urandom(8).hex()}"
    # A name of a file must not end the script.
    quoted = {key: json.dumps(value).replace("<", "\\u003c") for key, value in dict(id=name, origin=origin, files=files, shown=shown).items()}
    text = f'{_frame(address, height, name)}<p id="{name}-said"></p><script>{SCRIPT % quoted}</script>'
    return Frame(text, address)


def _served(paths, height):
    command = [program(), "view", *([] if not os.environ.get("AXONSCOPE_DIST") else ["--page", os.environ["AXONSCOPE_DIST"]]), "--", *map(os.fspath, paths)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8")
    address = server.stdout.readline().strip()
    if not address:
        raise AxonscopeError(server.communicate()[1].strip() or "axonscope view printed no address.")
    if not _servers:
        atexit.register(close)
    _servers.append(server)
    return Frame(_frame(address, height), address)


def close():
    """Ends the servers of `show`."""
    while _servers:
        server = _servers.pop()
        server.terminate()
        server.communicate()
