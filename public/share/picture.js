// Pictures of the timeline: as pixels, or as SVG by a context that notes what is drawn. The rows are drawn by the page, once more, at any resolution.

const SCALE = 2;
const EDGE = 16;
const HEAD = 64;
const LINE = 20;

const visible = (selector) => [...document.querySelectorAll(selector)].filter((e) => e.getClientRects().length > 0);
const colour = (element, name) => getComputedStyle(element).getPropertyValue(name).trim();

/** What is round the rows: texts and places of the page's own elements, in CSS pixels from the upper left of the timeline. */
function around() {
  const root = document.querySelector('[data-view="timeline"]');
  const plot = root.querySelector('.timeline__plot').getBoundingClientRect();
  const from = root.querySelector('.timeline__top').getBoundingClientRect();
  const left = root.querySelector('.timeline__labels').getBoundingClientRect().left;
  const place = (element) => {
    const r = element.getBoundingClientRect();
    return { x: r.left - left, y: r.top, width: r.width, height: r.height };
  };
  const labels = visible('.timeline__labels .timeline__label')
    .map((label) => ({ ...place(label), pad: parseFloat(getComputedStyle(label).paddingLeft), text: label.querySelector('.timeline__name')?.textContent ?? '', isGroup: label.matches('.timeline__label--group'), share: label.querySelector('.timeline__busy')?.textContent ?? '' }))
    .map((label) => ({ ...label, y: label.y - plot.top }))
    .filter((label) => label.y + label.height > 0 && label.y < plot.height);
  const bands = visible('.timeline .steps__band').map((band) => ({ ...place(band), text: band.textContent })).map((b) => ({ ...b, y: b.y - from.bottom }));
  const legend = visible('[data-legend] .colours__item').map((item) => ({ text: item.textContent.trim(), colour: getComputedStyle(item.querySelector('.swatch')).backgroundColor }));
  const ink = { ground: colour(root, '--bg'), text: colour(root, '--text'), quiet: colour(root, '--text-2') || colour(root, '--text'), line: colour(root, '--line'), raised: colour(root, '--surface-1') };
  return { labels, bands, legend, ink, offset: plot.left - left, unit: root.querySelector('.timeline__unit')?.textContent ?? '', between: Math.max(0, plot.top - from.bottom), font: getComputedStyle(root).fontFamily };
}

/** The size of the picture, and a function that draws it on any context. */
function composed(host) {
  const sizes = host.sizes();
  if (!sizes) throw new Error('Go to the timeline first: the picture shows its rows.');
  const [width, height, top] = sizes;
  const state = host.state();
  const { labels, bands, legend, ink, offset, unit, between, font } = around();
  const total = offset + width + 2 * EDGE;
  const perLine = Math.max(1, Math.floor((total - 2 * EDGE) / 220));
  const nLines = Math.ceil(legend.length / perLine);
  const rowsTop = HEAD + top + between;
  const size = { width: Math.ceil(total), height: Math.ceil(rowsTop + height + EDGE + nLines * LINE + (nLines > 0 ? EDGE : 0)) };
  const draw = (ctx, scale) => {
    const write = (text, x, y, { face = `12px ${font}`, fill = ink.text, room = Infinity } = {}) => {
      ctx.font = face;
      ctx.fillStyle = fill;
      ctx.textBaseline = 'middle';
      let cut = text;
      while (cut.length > 1 && ctx.measureText(cut).width > room) cut = `${cut.slice(0, -2).trimEnd()}…`;
      ctx.fillText(cut, x, y);
    };
    const within = (x, y, w, h, act) => {
      ctx.save();
      ctx.translate(x, y);
      ctx.beginPath();
      ctx.rect(0, 0, w, h);
      ctx.clip();
      act();
      ctx.restore();
    };
    ctx.fillStyle = ink.ground;
    ctx.fillRect(0, 0, size.width, size.height);
    write(state.title, EDGE, 20, { face: `600 15px ${font}`, room: size.width - 2 * EDGE });
    write(`${state.scope}${state.window ? ` · visible: ${state.window}` : ''}`, EDGE, 44, { fill: ink.quiet, room: size.width - 2 * EDGE });
    within(EDGE + offset, HEAD, width, top, () => host.drawTop(ctx));
    write(unit, EDGE + 6, HEAD + top - 12, { face: `11px ${font}`, fill: ink.quiet, room: offset - 8 });
    within(EDGE + offset, HEAD + top, width, between, () => {
      for (const band of bands) {
        const x = band.x - offset;
        ctx.fillStyle = ink.raised;
        ctx.fillRect(x, band.y, band.width, band.height);
        ctx.fillStyle = ink.line;
        ctx.fillRect(x, band.y, 1, band.height);
        if (band.width > 30) write(band.text, x + 4, band.y + band.height / 2, { face: `11px ${font}`, room: band.width - 6 });
      }
    });
    within(EDGE + offset, rowsTop, width, height, () => host.drawRows(ctx, scale));
    within(EDGE, rowsTop, offset, height, () => {
      for (const label of labels) {
        ctx.fillStyle = label.isGroup ? ink.raised : ink.ground;
        ctx.fillRect(0, label.y, offset, label.height);
        ctx.fillStyle = ink.line;
        ctx.fillRect(0, label.y + label.height - 1, offset, 1);
        const middle = label.y + Math.min(label.height, 22) / 2;
        write(label.text.trim(), label.pad, middle, { face: `${label.isGroup ? '600 ' : ''}12px ${font}`, room: offset - label.pad - (label.share ? 52 : 6) });
        if (label.share) write(label.share, offset - 46, middle, { face: `11px ${font}`, fill: ink.quiet });
      }
    });
    legend.forEach(({ text, colour }, i) => {
      const [x, y] = [EDGE + (i % perLine) * 220, rowsTop + height + EDGE + Math.floor(i / perLine) * LINE + LINE / 2];
      ctx.fillStyle = colour;
      ctx.fillRect(x, y - 5, 10, 10);
      write(text, x + 16, y, { room: 196 });
    });
  };
  return { size, draw };
}

function canvasOf(host) {
  const { size, draw } = composed(host);
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [size.width * SCALE, size.height * SCALE];
  const ctx = canvas.getContext('2d');
  ctx.scale(SCALE, SCALE);
  draw(ctx, SCALE);
  return canvas;
}

const blobOf = (canvas) => new Promise((done, fail) => {
  canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error('The browser refused to make the picture: it may be too large.'))), 'image/png');
});

/** The timeline as PNG. */
export const png = async (host) => blobOf(canvasOf(host));

/** Puts a canvas on the clipboard. */
export async function copyCanvas(canvas) {
  if (!window.ClipboardItem || !navigator.clipboard?.write) throw new Error('This browser cannot copy images. Save the PNG instead.');
  await navigator.clipboard.write([new ClipboardItem({ 'image/png': blobOf(canvas) })]);
}

export const copy = async (host) => copyCanvas(canvasOf(host));

/** The timeline as SVG. */
export async function svg(host) {
  const { size, draw } = composed(host);
  const notes = new Recorder(size);
  draw(notes, SCALE);
  return new Blob([notes.text()], { type: 'image/svg+xml' });
}

/** What `draw` draws on a context, as SVG. */
export async function drawn(width, height, draw) {
  const notes = new Recorder({ width, height });
  draw(notes);
  return notes.text();
}

const escaped = (text) => String(text).replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '').replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);
const short = (n) => String(Math.round(n * 100) / 100);

const ANCHORS = { center: ' text-anchor="middle"', right: ' text-anchor="end"' };

/** A drawing context that writes SVG: as much of the canvas as the timeline uses. Pixels become paths of runs of one colour. */
class Recorder {
  constructor({ width, height }) {
    this.size = { width, height };
    this.out = [];
    this.nClips = 0;
    this.state = { x: 0, y: 0, depth: 0 };
    this.stack = [];
    Object.assign(this, { fillStyle: '#000', strokeStyle: '#000', lineWidth: 1, globalAlpha: 1, font: '11px monospace', textBaseline: 'middle', textAlign: 'left', lineJoin: 'miter', path: '' });
    this.ruler = document.createElement('canvas').getContext('2d');
  }

  text() {
    const { width, height } = this.size;
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${this.out.join('\n')}${'</g>'.repeat(this.state.depth)}</svg>\n`;
  }

  save() { this.stack.push({ ...this.state, style: [this.fillStyle, this.strokeStyle, this.globalAlpha, this.font] }); this.state = { ...this.state, depth: 0 }; }
  restore() {
    this.out.push('</g>'.repeat(this.state.depth));
    const { style, ...before } = this.stack.pop();
    this.state = before;
    [this.fillStyle, this.strokeStyle, this.globalAlpha, this.font] = style;
  }
  translate(x, y) { this.out.push(`<g transform="translate(${short(x)} ${short(y)})">`); this.state.depth++; }
  clip() {
    const id = `clip${++this.nClips}`;
    this.out.push(`<clipPath id="${id}"><path d="${this.path}"/></clipPath><g clip-path="url(#${id})">`);
    this.state.depth++;
  }

  alpha() { return this.globalAlpha < 1 ? ` opacity="${short(this.globalAlpha)}"` : ''; }
  clearRect() {}
  fillRect(x, y, w, h) { this.out.push(`<rect x="${short(x)}" y="${short(y)}" width="${short(Math.max(0, w))}" height="${short(Math.max(0, h))}" fill="${escaped(this.fillStyle)}"${this.alpha()}/>`); }
  strokeRect(x, y, w, h) { this.out.push(`<rect x="${short(x)}" y="${short(y)}" width="${short(Math.max(0, w))}" height="${short(Math.max(0, h))}" fill="none" stroke="${escaped(this.strokeStyle)}" stroke-width="${this.lineWidth}"${this.alpha()}/>`); }
  beginPath() { this.path = ''; }
  closePath() { this.path += 'Z'; }
  moveTo(x, y) { this.path += `M${short(x)} ${short(y)}`; }
  lineTo(x, y) { this.path += `${this.path ? 'L' : 'M'}${short(x)} ${short(y)}`; }
  bezierCurveTo(...at) { this.path += `C${at.map(short).join(' ')}`; }
  quadraticCurveTo(...at) { this.path += `Q${at.map(short).join(' ')}`; }
  rect(x, y, w, h) { this.path += `M${short(x)} ${short(y)}h${short(w)}v${short(h)}h${short(-w)}z`; }
  arc(x, y, r) { this.path += `M${short(x - r)} ${short(y)}a${short(r)} ${short(r)} 0 1 0 ${short(2 * r)} 0a${short(r)} ${short(r)} 0 1 0 ${short(-2 * r)} 0z`; }
  fill() { if (this.path) this.out.push(`<path d="${this.path}" fill="${escaped(this.fillStyle)}"${this.alpha()}/>`); }
  stroke() { if (this.path) this.out.push(`<path d="${this.path}" fill="none" stroke="${escaped(this.strokeStyle)}" stroke-width="${this.lineWidth}"${this.alpha()}/>`); }
  setLineDash() {}
  measureText(text) { this.ruler.font = this.font; return this.ruler.measureText(text); }
  written(text, x, y, paint) {
    const [, weight, px, family] = this.font.match(/^(\d+ )?([\d.]+)px (.*)$/s) ?? [null, '', '11', 'monospace'];
    this.out.push(`<text x="${short(x)}" y="${short(y)}" dy="0.35em" font-size="${px}" font-family="${escaped(family)}"${weight ? ` font-weight="${weight.trim()}"` : ''} xml:space="preserve"${ANCHORS[this.textAlign] ?? ''} ${paint}${this.alpha()}>${escaped(text)}</text>`);
  }
  fillText(text, x, y) { this.written(text, x, y, `fill="${escaped(this.fillStyle)}"`); }
  strokeText(text, x, y) { this.written(text, x, y, `fill="none" stroke="${escaped(this.strokeStyle)}" stroke-width="${this.lineWidth}" stroke-linejoin="round"`); }

  drawImage(canvas, x, y, w, h) {
    const { width, height } = canvas;
    const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
    this.out.push(`<g transform="translate(${short(x)} ${short(y)}) scale(${w / width} ${h / height})" shape-rendering="crispEdges">${paths(new Uint32Array(data.buffer), width, height)}</g>`);
  }
}

/** Pixels as paths by colour: rows that are equal are one, and in these the runs of a colour. */
export function paths(pixels, width, height) {
  const of = new Map();
  const row = (y) => pixels.subarray(y * width, (y + 1) * width);
  const isEqual = (a, b) => { for (let i = 0; i < width; i++) if (a[i] !== b[i]) return false; return true; };
  for (let top = 0; top < height;) {
    let bottom = top + 1;
    while (bottom < height && isEqual(row(top), row(bottom))) bottom++;
    const line = row(top);
    for (let left = 0; left < width;) {
      let right = left + 1;
      while (right < width && line[right] === line[left]) right++;
      // What is transparent is not drawn.
      if (line[left] >>> 24 === 0) { left = right; continue; }
      const part = `M${left} ${top}h${right - left}v${bottom - top}h${left - right}z`;
      if (of.has(line[left])) of.get(line[left]).push(part);
      else of.set(line[left], [part]);
      left = right;
    }
    top = bottom;
  }
  const hex = (pixel) => `#${[0, 8, 16].map((shift) => ((pixel >>> shift) & 255).toString(16).padStart(2, '0')).join('')}`;
  return [...of].map(([pixel, parts]) => `<path fill="${hex(pixel)}" d="${parts.join('')}"/>`).join('\n');
}
