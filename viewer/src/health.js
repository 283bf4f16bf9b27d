// How the integration went: steps, Newton iterations, residuals, where energy came from and went.
import { Chart, translucent } from './chart.js';
import { curve } from './colours.js';
import { byId, make } from './dom.js';

const positive = (values) => Array.from(values, (v) => (v > 0 && Number.isFinite(v) ? v : null));
const finite = (values) => Array.from(values, (v) => (Number.isFinite(v) ? v : null));
const has = (values) => values && values.some((v) => Number.isFinite(v) && v !== 0);

// Runs without records of their steps (CSV) still have rows.
function residuals(run) {
  const { steps } = run;
  if (steps.t) return { times: steps.t, phi: steps.phi, hidden: steps.hidden, acceleration: steps.acceleration };
  const value = (name) => run.byName.get(name)?.values;
  return { times: run.t, phi: value('phi_max'), hidden: value('hidden_max') };
}

function energies(run) {
  const { steps } = run;
  if (steps.t) return { times: steps.t, kinetic: steps.kinetic, potential: steps.potential, work: steps.work, dE_i: steps.dE_i, dE_p: steps.dE_p, dE_e: steps.dE_e };
  const value = (name) => run.byName.get(name)?.values;
  return { times: run.t, kinetic: value('kinetic'), potential: value('potential'), work: value('work'), dE_i: value('dE_i'), dE_p: value('dE_p'), dE_e: value('dE_e') };
}

const partNames = { work: 'work of forces', dE_i: 'by the method', dE_p: 'by projections', dE_e: 'by events' };

// Parts stacked up where they add energy and down where they take it.
function stack(parts, names) {
  const up = new Float64Array(parts[0].length), down = new Float64Array(parts[0].length);
  return parts.map((part, i) => {
    const edge = new Array(part.length), base = new Array(part.length);
    for (let k = 0; k < part.length; k++) {
      const sum = part[k] >= 0 ? up : down;
      base[k] = sum[k];
      edge[k] = sum[k] += Number.isFinite(part[k]) ? part[k] : 0;
    }
    return { name: names[i], edge, base };
  });
}

export function addHealth(report, clock) {
  const run = report.runs[0], home = byId('health-cards');
  const marks = { events: run.events, projections: run.projections };
  const put = (options) => {
    const chart = new Chart({ clock, marks, ...options });
    home.append(chart.root);
    chart.draw();
    return chart;
  };
  const { steps } = run;
  if (steps.t) {
    put({ title: 'Step size', unit: 's', times: steps.t, series: [{ label: 'h', values: positive(steps.h), bars: true }], log: run.adaptive });
    const work = [{ label: 'Newton iterations', values: finite(steps.iterations), bars: true }];
    if (has(steps.rejected)) work.push({ label: 'rejected tries', values: finite(steps.rejected).map((v) => v || null), dots: true, points: true, colour: () => curve(3) });
    put({ title: 'Newton iterations per step', times: steps.t, series: work });
    if (has(steps.error)) put({ title: 'Estimated error over tolerance', times: steps.t, series: [{ label: 'error', values: positive(steps.error) }], log: true });
  }
  addResiduals(run, put);
  addEnergies(run, put);
  tellMarks(run);
}

function addResiduals(run, put) {
  const { times, phi, hidden, acceleration } = residuals(run);
  const series = [];
  if (has(phi)) series.push({ label: 'position', values: positive(phi) });
  if (has(hidden)) series.push({ label: 'velocity', values: positive(hidden) });
  if (has(acceleration)) series.push({ label: 'acceleration', values: positive(acceleration), spanGaps: true });
  if (series.length) put({ title: 'Constraint residuals', times, series, log: true });
}

function addEnergies(run, put) {
  const { times, kinetic, potential, ...parts } = energies(run);
  if (!kinetic) return;
  const total = Array.from(kinetic, (v, k) => v + potential[k]);
  put({ title: 'Energy', unit: 'J', times, series: [{ label: 'kinetic', values: finite(kinetic) }, { label: 'potential', values: finite(potential) }, { label: 'total', values: finite(total), width: 2, colour: () => curve(7) }] });
  const known = Object.keys(partNames).filter((name) => has(parts[name]));
  const change = total.map((v) => v - total[0]);
  const line = { label: 'change of energy', values: finite(change), width: 2, colour: () => curve(7) };
  if (!known.length) {
    put({ title: 'Change of energy since the start', unit: 'J', times, series: [line], note: run.energy_balance ? undefined : 'run with --energy-balance to see its parts' });
    return;
  }
  const stacked = stack(known.map((name) => parts[name]), known.map((name) => partNames[name]));
  const series = [], bands = [];
  stacked.forEach((part, i) => {
    const colour = () => curve([2, 0, 3, 4][i]);
    series.push({ label: part.name, values: part.edge, reading: parts[known[i]], colour, width: 1 });
    series.push({ label: '', values: part.base, colour, width: 0 });
    const edge = series.length - 1;
    bands.push({ series: [edge, edge + 1], fill: () => translucent(curve([2, 0, 3, 4][i])) });
    bands.push({ series: [edge + 1, edge], fill: () => translucent(curve([2, 0, 3, 4][i])) });
  });
  series.push(line);
  putLedger(put, { times, series, bands, known, parts, change });
}

function putLedger(put, { times, series, bands, known, parts, change }) {
  put({ title: 'Energy balance', unit: 'J', times, series, bands,
    table: () => ({ head: ['t', ...known, 'change'], columns: [times, ...known.map((name) => parts[name]), change] }) });
}

function tellMarks(run) {
  const home = byId('marks');
  if (run.events.length) home.append(make('span', { class: 'mark event' }), `${run.events.length} event${run.events.length > 1 ? 's' : ''} `);
  if (run.projections.length) home.append(make('span', { class: 'mark projection' }), `${run.projections.length} projections `);
}
