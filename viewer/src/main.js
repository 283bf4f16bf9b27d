// Puts the page together.
import { Clock } from './clock.js';
import { repaint, zoom } from './chart.js';
import { isDark } from './colours.js';
import { readReport, short } from './data.js';
import { byId, clip, make, sign } from './dom.js';
import { addDetails } from './details.js';
import { addHealth } from './health.js';
import { addKeys } from './keys.js';
import { Plots } from './plots.js';
import { addStageTools } from './stage.js';
import { addTransport } from './transport.js';
import { View } from './view.js';

// ---- light and dark ----

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  byId('theme').replaceChildren(sign(theme === 'dark' ? 'sun' : 'moon'));
}

function addTheme(onChange) {
  const wished = matchMedia('(prefers-color-scheme: dark)');
  const change = (theme) => { setTheme(theme); onChange(); };
  byId('theme').addEventListener('click', () => change(isDark() ? 'light' : 'dark'));
  wished.addEventListener('change', () => change(wished.matches ? 'dark' : 'light'));
}

// ---- heading and summary ----

function span(run) {
  const steps = run.statistics.steps;
  const parts = [run.method, `t = ${short(run.t[0])} to ${short(run.t[run.t.length - 1])} s`];
  if (steps) parts.push(`${steps} steps`);
  if (run.status && run.status !== 'done') parts.push(run.status);
  return parts.filter(Boolean).join(' · ');
}

function addHeading(report) {
  const [run, other] = report.runs;
  document.title = clip(report.title, 100);
  byId('title').textContent = clip(report.title, 120);
  byId('title').title = clip(report.title, 2000);
  byId('subtitle').append(span(run));
  if (other) byId('subtitle').append(make('span', { class: 'versus' }, ' against '), `${clip(other.name, 40)}: ${span(other)}`);
  if (run.description) byId('subtitle').after(make('p', { class: 'description' }, clip(run.description, 300)));
}

function addSummary(report) {
  const home = byId('statements');
  const worst = report.summary.some((s) => s.level === 'warning' || s.level === 'error') ? 'warning' : 'good';
  byId('summary').classList.add(worst);
  byId('summary').dataset.verdict = worst;
  for (const { level, text } of report.summary) {
    const picture = level === 'good' ? 'good' : level === 'note' ? 'note' : 'warning';
    const label = { good: 'In order', note: 'Note', warning: 'Warning', error: 'Error' }[level];
    home.append(make('li', { class: level }, sign(picture), make('span', { class: 'hidden' }, `${label}: `), make('span', {}, text)));
  }
}

// ---- the 3D view, if there is something to draw and something to draw with ----

function sayOnStage(text) {
  byId('stage').hidden = true;
  byId('stage-tools').hidden = true;
  const message = byId('stage-message');
  message.hidden = false;
  message.textContent = text;
}

function addView(report, clock) {
  const run = report.runs[0];
  if (!run.scene || !run.poses.length) {
    sayOnStage(run.noScene || 'Nothing to draw in 3D: this result holds numbers only. The plots show them.');
    byId('view').classList.add('empty');
    return null;
  }
  try {
    return new View(byId('stage'), report.runs, clock);
  } catch (error) {
    sayOnStage('This browser cannot show the 3D view: WebGL is missing or switched off. Everything else on this page works without it.');
    byId('view').classList.add('empty');
    return null;
  }
}

async function start() {
  setTheme(matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  const report = await readReport();
  addHeading(report);
  addSummary(report);
  const clock = new Clock(report.runs[0].t);
  addTransport(clock);
  const plots = new Plots(report, clock);
  addHealth(report, clock);
  addDetails(report);
  // the numbers are there to be read while the picture is made
  await new Promise((shown) => { requestAnimationFrame(() => setTimeout(shown, 0)); });
  const view = addView(report, clock);
  if (view) addStageTools(view);
  byId('zoom-reset').addEventListener('click', () => zoom(null));
  addTheme(() => { repaint(); view?.paint(); });
  addKeys(clock, view, { theme: () => byId('theme').click() });
  // for tests and for those who look under the hood
  window.cardanReport = { report, clock, view, plots };
  requestAnimationFrame(() => {
    document.documentElement.dataset.ready = 'true';
    document.documentElement.dataset.readyAfter = String(Math.round(performance.now()));
  });
}

start().catch((error) => {
  byId('summary').append(make('p', { class: 'failed', role: 'alert' }, `This report cannot be shown: ${error.message}`));
  throw error;
});
