// Play, pause, scrub, speed.
import { byId, make, sign } from './dom.js';

const speeds = [];
for (let power = -5; power <= 2; power++) for (const k of [1, 2, 5]) speeds.push(k * 10 ** power);

const text = (speed) => (speed >= 1 ? `${+speed.toPrecision(3)} ×` : speed >= 0.01 ? `${+speed.toPrecision(3)} ×` : `1/${Math.round(1 / speed)} ×`);

// Real time where a run takes seconds; else so that it takes about eight.
function naturalSpeed(clock) {
  const span = clock.end - clock.begin;
  if (span >= 1.5 && span <= 20) return 1;
  return speeds.reduce((best, s) => (Math.abs(Math.log(span / s / 8)) < Math.abs(Math.log(span / best / 8)) ? s : best), 1);
}

export function addTransport(clock) {
  const scrub = byId('scrub'), play = byId('play'), output = byId('clock'), select = byId('speed');
  byId('back').append(sign('back'));
  byId('forward').append(sign('forward'));
  for (const speed of speeds) select.append(make('option', { value: speed }, text(speed)));
  clock.speed = naturalSpeed(clock);
  select.value = String(speeds.find((s) => s === clock.speed));
  select.addEventListener('change', () => { clock.speed = Number(select.value); });
  clock.changeSpeed = (by) => {
    const i = Math.min(speeds.length - 1, Math.max(0, speeds.indexOf(clock.speed) + by));
    clock.speed = speeds[i];
    select.value = String(speeds[i]);
  };
  scrub.min = clock.begin;
  scrub.max = clock.end;
  scrub.addEventListener('input', () => { clock.playing = false; clock.set(Number(scrub.value)); });
  play.addEventListener('click', () => clock.play());
  byId('back').addEventListener('click', () => clock.step(-1));
  byId('forward').addEventListener('click', () => clock.step(1));
  const { digits } = clock;
  let shown = null;
  clock.listen(() => {
    if (document.activeElement !== scrub || Number(scrub.value) !== clock.now) scrub.value = clock.now;
    scrub.style.setProperty('--part', String((clock.now - clock.begin) / Math.max(clock.end - clock.begin, 1e-300)));
    output.textContent = `${clock.now.toFixed(digits)} s`;
    scrub.setAttribute('aria-valuetext', `${clock.now.toFixed(digits)} seconds`);
    if (shown !== clock.playing) {
      shown = clock.playing;
      play.replaceChildren(sign(shown ? 'pause' : 'play'));
      play.setAttribute('aria-label', shown ? 'Pause' : 'Play');
      play.title = shown ? 'Pause (space)' : 'Play (space)';
    }
  });
}
