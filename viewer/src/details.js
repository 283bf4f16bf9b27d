// What the run was: settings, statistics, what the program said, the model.
import { short } from './data.js';
import { byId, clip, make } from './dom.js';

function table(rows) {
  return make('table', {}, make('tbody', {}, ...rows.map(([key, value]) => make('tr', {}, make('th', { scope: 'row' }, key), make('td', {}, value)))));
}

function block(title, content, open = false) {
  return make('details', { class: 'card', open }, make('summary', {}, title), content);
}

export function addDetails(report) {
  const home = byId('details');
  report.runs.forEach((run, i) => {
    const which = report.runs.length > 1 ? ` of ${i + 1}: ${clip(run.name, 60)}` : '';
    const rows = [['problem or model', clip(run.source || run.name, 200)], ['program', `cardan ${run.version}`.trim()], ...run.settings.map(([k, v]) => [clip(k, 60), clip(v, 200)])];
    home.append(block(`Settings${which}`, table(rows.filter(([, v]) => v))));
    const numbers = Object.entries(run.statistics);
    if (numbers.length) home.append(block(`Statistics${which}`, table(numbers.map(([k, v]) => [k.replaceAll('_', ' '), short(v, 6)]))));
    if (run.events.length) home.append(block(`Events${which}`, table(run.events.slice(0, 500).map((e) => [`t = ${short(e.t, 8)}`, `${clip(e.name, 100)}${e.energy ? `, energy ${short(e.energy)} J` : ''}`]))));
    if (run.model) home.append(block(`Model file${which}`, make('pre', {}, run.model)));
  });
  byId('footer').append(`Made by ${report.generator}. ${report.precision} This page asks for nothing from the network.`);
}
