// One chart: uPlot with the time cursor of the page, marks of events and projections, linked zoom.
import uPlot from 'uplot';
import { curve, ink, isDark } from './colours.js';
import { clip, fileName, make, save, sign } from './dom.js';
import { rowAt, short } from './data.js';

// No mechanism has forces or lengths of this size.
const vanishing = 1e-30;

const charts = new Set();
let zoomed = null;

// The span of time that all charts show; null: all of it.
export function zoom(range) {
  zoomed = range;
  for (const chart of charts) chart.show(range);
  document.getElementById('zoom-reset').hidden = !range;
}

export function repaint() {
  for (const chart of charts) chart.draw();
}

function axis(extra = {}) {
  return { stroke: ink('--soft'), font: '11px system-ui, sans-serif', grid: { stroke: ink('--rule'), width: 1 }, ticks: { stroke: ink('--rule'), width: 1, size: 4 }, ...extra };
}

// Short labels on axes of any size.
const ticks = (_, values) => values.map((v) => (v === null ? '' : short(v, 5)));

// series: [{ label, values, colour?, dash?, width?, fill?, points?, steps? }], all over `times`.
export class Chart {
  constructor({ title, unit = '', times, series, clock, marks = null, log = false, name, table, note, bands }) {
    Object.assign(this, { title, unit, times, series, clock, marks, log, note, bands });
    this.name = name || title;
    this.table = table;
    this.hidden = new Set();
    this.body = make('div', { class: 'plot' });
    this.legend = make('div', { class: 'keys', role: 'group', 'aria-label': 'Curves' });
    this.heading = make('h3', { title }, clip(title, 70));
    this.actions = make('div', { class: 'actions' });
    this.button('CSV', 'Save these numbers as CSV', () => this.saveCsv());
    this.button('PNG', 'Save this picture as PNG', () => this.savePng());
    this.root = make('article', { class: 'card chart', 'aria-label': title },
      make('div', { class: 'chart-head' }, this.heading, make('span', { class: 'unit' }, unit), this.actions), this.body, this.legend);
    charts.add(this);
    this.observer = new ResizeObserver(() => this.size());
    this.observer.observe(this.body);
    this.listener = () => this.point();
  }

  button(text, label, action, picture) {
    const button = make('button', { type: 'button', title: label, 'aria-label': `${label}: ${clip(this.title, 40)}`, on: { click: action } }, picture ? sign(picture) : text);
    this.actions.append(button);
    return button;
  }

  destroy() {
    charts.delete(this);
    this.observer.disconnect();
    this.clock.listeners = this.clock.listeners.filter((l) => l !== this.listener);
    if (this.plot) this.plot.destroy();
    this.root.remove();
  }

  // Now, and again when colours or curves change.
  draw() {
    if (this.plot) this.plot.destroy();
    this.largest = undefined;
    this.readings = [];
    const width = Math.max(120, this.body.clientWidth || 400);
    this.plot = new uPlot(this.options(width), [this.times, ...this.series.map((s) => s.values)], this.body);
    this.cursor = make('div', { class: 'now' });
    this.plot.over.append(this.cursor);
    this.show(zoomed);
    if (!this.clock.listeners.includes(this.listener)) this.clock.listen(this.listener);
    this.drawLegend();
    this.point();
  }

  options(width) {
    const { log } = this;
    return {
      width, height: 190, legend: { show: false }, padding: [8, 12, 0, 0],
      scales: { x: { time: false }, y: log ? { distr: 3 } : { range: comfortable } },
      axes: [axis({ size: 26, values: ticks }), axis({ size: 58, values: log ? powers : ticks, ...(log ? { splits: decades, filter: (u, splits) => splits } : { space: 32 }) })],
      series: [{}, ...this.series.map((s, i) => this.curve(s, i))],
      bands: this.bands,
      cursor: { sync: { key: 'time' }, drag: { x: true, y: false, setScale: false }, points: { size: 6 } },
      hooks: { drawClear: [(u) => this.drawMarks(u)], setSelect: [(u) => this.select(u)] },
      plugins: [{ hooks: { ready: (u) => this.listenTo(u.over) } }],
    };
  }

  curve(s, i) {
    const colour = s.colour ? s.colour() : curve(i);
    return {
      label: s.label, stroke: colour, width: s.width ?? 1.5, dash: s.dash, fill: s.fill ? s.fill() : undefined,
      show: !this.hidden.has(i), spanGaps: s.spanGaps || false, points: { show: s.points || false, size: s.points ? 4 : 5 },
      paths: s.bars ? uPlot.paths.stepped({ align: -1 }) : s.dots ? () => null : undefined,
    };
  }

  listenTo(over) {
    let down = null;
    const timeAt = (event) => this.plot.posToVal(event.clientX - over.getBoundingClientRect().left, 'x');
    over.addEventListener('mousedown', (event) => { down = event.clientX; });
    over.addEventListener('mouseup', (event) => {
      if (down !== null && Math.abs(event.clientX - down) < 4) this.clock.set(timeAt(event));
      down = null;
    });
    over.addEventListener('touchstart', (event) => this.clock.set(timeAt(event.touches[0])), { passive: true });
    over.addEventListener('touchmove', (event) => this.clock.set(timeAt(event.touches[0])), { passive: true });
    over.addEventListener('dblclick', () => zoom(null));
  }

  select(u) {
    if (u.select.width > 4) zoom([u.posToVal(u.select.left, 'x'), u.posToVal(u.select.left + u.select.width, 'x')]);
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  }

  show(range) {
    if (!this.plot) return;
    const [min, max] = range || [this.times[0], this.times[this.times.length - 1]];
    this.plot.setScale('x', { min, max: max > min ? max : min + 1 });
    this.point();
  }

  size() {
    const width = this.body.clientWidth;
    if (this.plot && width > 50 && width !== this.plot.width) this.plot.setSize({ width, height: 190 });
    this.point();
  }

  // The line of the present time, and the values there.
  point() {
    if (!this.plot) return;
    const x = this.plot.valToPos(this.clock.now, 'x');
    this.cursor.style.transform = `translateX(${x}px)`;
    this.cursor.hidden = !(x >= 0 && x <= this.plot.over.clientWidth);
    this.root.dataset.now = this.clock.now;
    const row = rowAt(this.times, this.clock.now);
    this.readings?.forEach((reading, i) => { reading.textContent = short(this.clean((this.series[i].reading || this.series[i].values)[row])); });
  }

  // Without what is rounding beside the largest number of the chart.
  clean(value) {
    if (this.log || !Number.isFinite(value)) return value;
    this.largest ??= this.series.reduce((most, s) => s.values.reduce((m, v) => (Number.isFinite(v) ? Math.max(m, Math.abs(v)) : m), most), 0);
    return Math.abs(value) < Math.max(1e-13 * this.largest, vanishing) ? 0 : value;
  }

  drawLegend() {
    this.readings = [];
    this.legend.replaceChildren(...this.series.flatMap((s, i) => {
      if (!s.label) { this.readings.push({}); return []; }
      const swatch = make('i', { style: { background: s.colour ? s.colour() : curve(i) } });
      if (s.dash) swatch.classList.add('dashed');
      const reading = make('b');
      this.readings.push(reading);
      return [make('button', { type: 'button', 'aria-pressed': String(!this.hidden.has(i)), title: s.label, on: { click: (event) => this.toggle(i, event.currentTarget) } }, swatch, make('span', {}, clip(s.label, 36)), reading)];
    }));
    if (this.note) this.legend.append(make('em', {}, this.note));
  }

  toggle(i, button) {
    if (this.hidden.has(i)) this.hidden.delete(i); else this.hidden.add(i);
    this.plot.setSeries(i + 1, { show: !this.hidden.has(i) });
    button.setAttribute('aria-pressed', String(!this.hidden.has(i)));
  }

  // Events as dashed lines, projections as ticks on the floor of the chart.
  drawMarks(u) {
    if (!this.marks) return;
    const { ctx, bbox } = u, ratio = uPlot.pxRatio;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.lineWidth = ratio;
    const line = (t, from, colour, dash) => {
      const x = Math.round(u.valToPos(t, 'x', true)) + 0.5;
      if (x < bbox.left || x > bbox.left + bbox.width) return;
      ctx.strokeStyle = colour;
      ctx.setLineDash(dash);
      ctx.beginPath();
      ctx.moveTo(x, bbox.top + from * bbox.height);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
    };
    for (const event of this.marks.events) line(event.t, 0, ink('--event'), [3 * ratio, 3 * ratio]);
    for (const projection of this.marks.projections) line(projection.t, 0.95, ink('--projection'), []);
    ctx.restore();
  }

  saveCsv() {
    const { head, columns } = this.table ? this.table() : { head: ['t', ...this.series.map((s) => s.label)], columns: [this.times, ...this.series.map((s) => s.values)] };
    const quote = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const lines = [head.map(quote).join(',')];
    for (let i = 0; i < columns[0].length; i++) lines.push(columns.map((c) => (c[i] ?? '')).join(','));
    save(`${fileName(this.name)}.csv`, new Blob([lines.join('\n') + '\n'], { type: 'text/csv' }));
  }

  // The chart with its title and names of the curves, on the colour of the page.
  savePng() {
    const source = this.plot.ctx.canvas, ratio = uPlot.pxRatio;
    const canvas = make('canvas');
    canvas.width = source.width;
    canvas.height = source.height + 56 * ratio;
    const ctx = canvas.getContext('2d');
    ctx.fillStyle = ink('--card');
    ctx.fillRect(0, 0, canvas.width, canvas.height);
    ctx.fillStyle = ink('--ink');
    ctx.font = `600 ${14 * ratio}px system-ui, sans-serif`;
    ctx.fillText(this.unit ? `${clip(this.title, 70)}  (${this.unit})` : clip(this.title, 70), 10 * ratio, 21 * ratio);
    ctx.font = `${12 * ratio}px system-ui, sans-serif`;
    let x = 10 * ratio;
    this.series.forEach((s, i) => {
      if (this.hidden.has(i) || !s.label) return;
      ctx.fillStyle = s.colour ? s.colour() : curve(i);
      ctx.fillText(clip(s.label, 30), x, 42 * ratio);
      x += ctx.measureText(clip(s.label, 30)).width + 16 * ratio;
    });
    ctx.drawImage(source, 0, 56 * ratio);
    canvas.toBlob((blob) => save(`${fileName(this.name)}.png`, blob));
  }
}

const powers = (_, values) => values.map((v) => {
  const power = Math.log10(v);
  return Math.abs(power - Math.round(power)) < 1e-9 ? `1e${Math.round(power)}` : short(v, 2);
});

// At most six powers of ten; within one decade 1, 2 and 5.
function decades(_, __, min, max) {
  const from = Math.floor(Math.log10(min)), to = Math.ceil(Math.log10(max));
  const splits = [];
  if (to - from <= 2) {
    for (let p = from; p <= to; p++) for (const k of [1, 2, 5]) splits.push(k * 10 ** p);
  } else {
    const stride = Math.ceil((to - from) / 6);
    for (let p = from; p <= to; p += stride) splits.push(10 ** p);
  }
  return splits.filter((v) => v >= min && v <= max);
}

// Ten per cent of room; curves that are constant, or equal to rounding, lie in the middle of a
// range in which their rounding errors cannot be seen.
function comfortable(_, min, max) {
  if (min === null || max === null || !Number.isFinite(min + max)) return [0, 1];
  const size = Math.max(Math.abs(min), Math.abs(max));
  const span = max - min;
  if (size < vanishing) return [-1, 1];
  if (span <= 1e-13 * size || span === 0) return size > 0 ? [min - 0.1 * size, max + 0.1 * size] : [-1, 1];
  return [min - 0.08 * span, max + 0.08 * span];
}

export const translucent = (colour) => colour + (isDark() ? '66' : '55');
