// The plots of outputs: which there are, which are shown, the search that adds one.
import { Chart } from './chart.js';
import { curve } from './colours.js';
import { drawable, interpolate } from './data.js';
import { byId, clip, make } from './dom.js';

const order = ['joint', 'multiplier', 'sensor', 'body', 'output', 'energy', 'health'];
const titles = { pos: 'position', quat: 'orientation', vel: 'velocity', omega: 'angular velocity', force: 'force', torque: 'torque', acc: 'acceleration', alpha: 'angular acceleration' };
const ownTitles = { lambda: 'constraint forces λ', psi: 'constraint forces ψ', eta: 'stabilisation η', x: 'position', u: 'velocity', e: 'orientation' };

// "x1 x2 x3" of a built-in problem belong together.
function groupKey(column) {
  if (column.owner) return `${column.kind}\n${column.owner}\n${column.quantity}`;
  if (column.kind === 'energy' || column.kind === 'health') return column.kind;
  return `${column.kind}\n\n${column.name.replace(/_?\d+$/, '')}`;
}

export function groupsOf(run) {
  const groups = new Map();
  for (const column of run.columns) {
    if (column.kind === 'time') continue;
    const key = groupKey(column);
    if (!groups.has(key)) groups.set(key, { key, kind: column.kind, owner: column.owner, columns: [], ...nameOf(column) });
    groups.get(key).columns.push(column);
  }
  const driven = drivenJoints(run);
  const rank = (g) => order.indexOf(g.kind) * 10 + (isDrive(g, driven) ? -1 : g.what === 'force' ? 0 : g.what === 'torque' ? 2 : 3);
  return [...groups.values()].map((g, i) => ({ ...g, i })).sort((a, b) => rank(a) - rank(b) || a.i - b.i);
}

function nameOf(column) {
  if (column.kind === 'energy') return { what: 'energy', title: 'Energy' };
  if (column.kind === 'health') return { what: 'health', title: 'Constraint residuals' };
  const what = column.owner ? titles[column.quantity] || column.quantity.replaceAll('_', ' ') : '';
  if (column.owner) return { what, title: `${clip(column.owner, 60)} · ${what}` };
  const stem = column.name.replace(/_?\d+$/, '');
  return { what: stem, title: ownTitles[stem] ? `${ownTitles[stem]}` : stem };
}

// Names of the joints that a motion turns: there the torque is what one looks for.
const drivenJoints = (run) => new Set((run.scene?.joints || []).filter((joint) => joint.driven).map((joint) => joint.name));
const isDrive = (group, driven) => group.what === 'torque' && driven.has(group.owner);

// Torques of motors first, then joint forces, those with the largest first; at most five, then what a
// problem moves.
function firstOf(groups, driven) {
  const peak = (g) => Math.max(...g.columns.map((c) => c.values.reduce((m, v) => (Number.isFinite(v) ? Math.max(m, Math.abs(v)) : m), 0)));
  const forces = groups.filter((g) => g.kind === 'joint' && g.what === 'force');
  const few = (list, most) => (list.length <= 40 ? [...list].sort((a, b) => peak(b) - peak(a)) : list).slice(0, most);
  const drives = few(groups.filter((g) => isDrive(g, driven)), 3);
  const chosen = [...drives, ...few(forces, drives.length ? 2 : 3)];
  if (!chosen.length) chosen.push(...groups.filter((g) => g.kind === 'multiplier' && /^(lambda|psi)$/.test(g.what)));
  const rest = groups.filter((g) => !chosen.includes(g) && (g.kind === 'sensor' || ((g.kind === 'output') && !/^(e)$/.test(g.what))));
  chosen.push(...rest.slice(0, Math.max(0, 4 - chosen.length)));
  if (chosen.length < 3) chosen.push(...groups.filter((g) => g.kind === 'body').slice(0, 3 - chosen.length));
  return chosen;
}

export class Plots {
  constructor(report, clock) {
    this.runs = report.runs;
    this.run = report.runs[0];
    this.clock = clock;
    this.marks = { events: this.run.events, projections: this.run.projections };
    this.groups = groupsOf(this.run);
    this.cards = new Map();
    this.difference = false;
    for (const group of firstOf(this.groups, drivenJoints(this.run))) this.add(group);
    this.search();
  }

  add(group) {
    if (this.cards.has(group.key)) {
      this.cards.get(group.key).root.scrollIntoView({ block: 'nearest', behavior: 'smooth' });
      return;
    }
    const chart = new Chart({ title: group.title, unit: group.columns[0].unit, times: this.run.t, series: this.seriesOf(group), clock: this.clock, marks: this.marks,
      log: group.kind === 'health', name: `${group.owner || group.what}-${group.what}`, note: group.columns.some((c) => !c.exact) ? 'rounded' : undefined });
    if (this.runs.length > 1) {
      const button = chart.button('Δ', 'Show the difference of the two runs', () => {
        chart.difference = !chart.difference;
        button.setAttribute('aria-pressed', String(chart.difference));
        chart.series = this.seriesOf(group, chart.difference);
        chart.hidden.clear();
        chart.draw();
      });
      button.setAttribute('aria-pressed', 'false');
    }
    chart.button('', 'Remove this plot', () => this.remove(group.key), 'close');
    this.cards.set(group.key, chart);
    byId('cards').append(chart.root);
    chart.draw();
  }

  remove(key) {
    this.cards.get(key)?.destroy();
    this.cards.delete(key);
    byId('search').focus();
  }

  // Of two runs the second is dashed; as a difference it is the second less the first.
  seriesOf(group, difference = false) {
    const positive = group.kind === 'health';
    const own = (values) => (positive ? Array.from(values, (v) => (v > 0 && Number.isFinite(v) ? v : null)) : drawable(values));
    const other = this.runs[1];
    const series = [];
    group.columns.forEach((column, i) => {
      const twin = other?.byName.get(column.name);
      if (difference) {
        const there = twin ? interpolate(other.t, twin.values, this.run.t) : Array(this.run.t.length).fill(null);
        series.push({ label: `Δ ${column.label}`, values: there.map((v, k) => (v === null || !Number.isFinite(column.values[k]) ? null : positive ? Math.abs(v - column.values[k]) || null : v - column.values[k])), colour: () => curve(i) });
        return;
      }
      series.push({ label: column.label, values: own(column.values), colour: () => curve(i) });
      if (twin) series.push({ label: `${column.label} (2)`, values: own(interpolate(other.t, twin.values, this.run.t)), colour: () => curve(i), dash: [5, 4], width: 1.2 });
    });
    return series;
  }

  // ---- search ----

  search() {
    const input = byId('search'), list = byId('choices');
    const hide = () => { list.hidden = true; };
    const offer = () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      const text = (g) => `${g.title} ${g.kind} ${g.columns.map((c) => c.name).join(' ')}`.toLowerCase();
      const found = this.groups.filter((g) => words.every((w) => text(g).includes(w)));
      list.replaceChildren(...this.offers(found.slice(0, 200)));
      if (!found.length) list.append(make('p', {}, 'Nothing of this name.'));
      if (found.length > 200) list.append(make('p', {}, `and ${found.length - 200} more; type to find them`));
      list.hidden = false;
    };
    input.addEventListener('focus', offer);
    input.addEventListener('input', offer);
    input.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') { hide(); input.blur(); }
      if (event.key === 'ArrowDown') { list.querySelector('button')?.focus(); event.preventDefault(); }
      if (event.key === 'Enter') list.querySelector('button')?.click();
    });
    list.addEventListener('keydown', (event) => {
      const all = [...list.querySelectorAll('button')], i = all.indexOf(document.activeElement);
      if (event.key === 'Escape') { hide(); input.focus(); }
      if (event.key === 'ArrowDown') { all[Math.min(i + 1, all.length - 1)]?.focus(); event.preventDefault(); }
      if (event.key === 'ArrowUp') { (i > 0 ? all[i - 1] : input).focus(); event.preventDefault(); }
    });
    document.addEventListener('pointerdown', (event) => { if (!event.target.closest('.picker')) hide(); });
    document.addEventListener('focusin', (event) => { if (!event.target.closest('.picker')) hide(); });
  }

  // Under the name of the body or joint they belong to.
  offers(groups) {
    const out = [], names = { joint: 'Joint', body: 'Body', sensor: 'Sensor', multiplier: 'Multipliers', output: 'Outputs', energy: 'Run', health: 'Run' };
    let last = '';
    const byOwner = [...groups].sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || a.i - b.i);
    for (const group of byOwner) {
      const owner = group.owner ? `${names[group.kind]} ${clip(group.owner, 40)}` : names[group.kind];
      if (owner !== last) out.push(make('h4', {}, owner));
      last = owner;
      const shown = this.cards.has(group.key);
      out.push(make('button', { type: 'button', 'aria-pressed': String(shown), on: { click: (event) => {
        if (this.cards.has(group.key)) this.remove(group.key); else this.add(group);
        event.currentTarget.setAttribute('aria-pressed', String(this.cards.has(group.key)));
      } } }, make('span', {}, group.owner ? group.what : group.title), make('small', {}, clip(group.columns.map((c) => c.label).join(' '), 40))));
    }
    return out;
  }
}
