// What the view shows: switches, size of the arrows, traces.
import { byId, clip, make } from './dom.js';

const switches = [['names', 'Names'], ['joints', 'Joints'], ['forces', 'Forces'], ['torques', 'Torques'], ['traces', 'Traces'], ['grid', 'Grid'], ['follow', 'Follow'], ['ghost', 'Second run']];
const mostOffered = 300;

export function addStageTools(view) {
  const home = byId('stage-tools');
  const kinds = new Set(view.arrows.sets.map((set) => set.switchName));
  for (const [name, label] of switches) {
    if ((name === 'forces' || name === 'torques') && !kinds.has(name)) continue;
    if (name === 'follow' && !view.travels) continue;
    if (name === 'ghost' && view.runs.length < 2) continue;
    const box = make('input', { type: 'checkbox', 'data-show': name, on: { change: () => { view.show[name] = box.checked; view.move(); } } });
    box.checked = view.show[name];
    home.append(make('label', { class: 'switch' }, box, make('span', {}, label)));
  }
  if (kinds.size) {
    const slider = make('input', { type: 'range', min: '-2', max: '2', step: '0.05', value: '0', id: 'arrow-scale', on: { input: () => { view.arrowScale = 10 ** Number(slider.value); view.move(); } } });
    home.append(make('label', { class: 'slider' }, make('span', {}, 'Arrows'), slider));
  }
  home.append(traceMenu(view), make('button', { type: 'button', title: 'Whole mechanism (F)', on: { click: () => view.fit() } }, 'Fit'));
}

function traceMenu(view) {
  const list = make('div', { class: 'menu' });
  view.tracePoints.slice(0, mostOffered).forEach((point, i) => {
    const box = make('input', { type: 'checkbox', on: { change: () => {
      if (box.checked && !view.show.traces) byId('stage-tools').querySelector('[data-show=traces]').click();
      view.trace(i, box.checked);
    } } });
    box.checked = point.chosen;
    list.append(make('label', {}, box, make('span', {}, clip(point.name, 40))));
  });
  return make('details', { class: 'traces' }, make('summary', {}, 'Trace…'), list);
}
