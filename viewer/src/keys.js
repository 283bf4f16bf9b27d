// The keyboard.
import { byId, make } from './dom.js';

const keys = [
  ['Space', 'play or pause'], ['← →', 'one frame back, forward; with Shift ten'], ['Home End', 'first, last frame'],
  ['[ ]', 'slower, faster'], ['F', 'whole mechanism in view'], ['J G T', 'joints, grid, traces'], ['A', 'force arrows'],
  ['D', 'light or dark'], ['/', 'search for an output to plot'], ['?', 'this list'],
];

export function addKeys(clock, view, { theme }) {
  const help = byId('help');
  byId('keys').append(...keys.flatMap(([key, what]) => [make('dt', {}, ...key.split(' ').map((k) => make('kbd', {}, k))), make('dd', {}, what)]));
  const open = () => help.showModal();
  byId('help-open').addEventListener('click', open);
  byId('help-close').addEventListener('click', () => help.close());
  const toggle = (name) => document.querySelector(`[data-show=${name}]`)?.click();
  const actions = {
    ' ': () => clock.play(), ArrowLeft: (e) => clock.step(e.shiftKey ? -10 : -1), ArrowRight: (e) => clock.step(e.shiftKey ? 10 : 1),
    Home: () => clock.set(clock.begin), End: () => clock.set(clock.end), '[': () => clock.changeSpeed(-1), ']': () => clock.changeSpeed(1),
    f: () => view?.fit(), j: () => toggle('joints'), g: () => toggle('grid'), t: () => toggle('traces'), a: () => toggle('forces'),
    d: theme, '/': () => byId('search').focus(), '?': open,
  };
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    const at = event.target;
    const typing = at.matches?.('input[type=search], select, textarea');
    const onButton = event.key === ' ' && at.matches?.('button, summary, input[type=checkbox]');
    const onSlider = at.matches?.('input[type=range]:not(#scrub)') && /^(Arrow|Home|End)/.test(event.key);
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (typing || onButton || onSlider || !action) return;
    event.preventDefault();
    action(event);
  });
}
