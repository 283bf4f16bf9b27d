// The report page in a real browser. CARDAN_PROGRAM names the program to make reports with.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openBrowser, openPage } from './browser.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const program = resolve(process.env.CARDAN_PROGRAM || join(here, '../../build/release/cli/cardan'));
const models = join(here, '../../models');
const work = mkdtempSync(join(tmpdir(), 'cardan-viewer-'));
const limits = { timeout: 300000 };
let browser;

const cardan = (...args) => execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28 });
const file = (name) => join(work, name);
const open = (name, options) => openPage(browser, `file://${file(name)}`, options);

before(async () => {
  cardan('run', join(models, 'four_bar.yaml'), '--out', file('four_bar.csv'), '--report', file('four_bar.html'));
  browser = await openBrowser();
}, limits);

after(async () => {
  await browser?.close();
  rmSync(work, { recursive: true, force: true });
});

// Columns of a CSV as numbers.
function readCsv(name) {
  const [head, ...rows] = readFileSync(file(name), 'utf8').trim().split('\n').map((line) => line.split(','));
  return new Map(head.map((column, i) => [column, rows.map((row) => Number(row[i]))]));
}

// Pixels of the stage: how many differ from the colour of the corner, and what they are.
async function stagePixels(page) {
  return page.evaluate(() => {
    const { view } = window.cardanReport;
    view.renderer.render(view.scene, view.camera);
    const source = document.querySelector('#stage canvas');
    const canvas = document.createElement('canvas');
    canvas.width = 320;
    canvas.height = 240;
    const context = canvas.getContext('2d', { willReadFrequently: true });
    context.drawImage(source, 0, 0, 320, 240);
    const { data } = context.getImageData(0, 0, 320, 240);
    const pixels = [];
    for (let i = 0; i < data.length; i += 4) pixels.push((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
    return pixels;
  });
}

const differing = (a, b) => a.reduce((n, pixel, i) => n + (pixel !== b[i]), 0);

test('the four-bar loads from file:// without complaint and without any request', limits, async () => {
  const { page, context, requests, complaints } = await open('four_bar.html');
  assert.deepEqual(requests, []);
  assert.deepEqual(complaints, []);
  assert.equal(await page.title(), 'four_bar');
  assert.equal(await page.getAttribute('#summary', 'data-verdict'), 'good');
  assert.match(await page.textContent('#summary'), /Verdict: good/);
  assert.match(await page.textContent('#summary'), /second order/);
  await context.close();
});

test('bodies are drawn, and move on play', limits, async () => {
  const { page, context, complaints } = await open('four_bar.html');
  await page.evaluate(() => { window.cardanReport.view.show.grid = false; window.cardanReport.view.move(); });
  const first = await stagePixels(page);
  const background = first[0];
  const drawn = first.filter((pixel) => pixel !== background).length;
  assert.ok(drawn > 500, `only ${drawn} pixels differ from the background`);
  await page.click('#play');
  await page.waitForFunction(() => window.cardanReport.clock.now > 0.2);
  await page.click('#play');
  const later = await stagePixels(page);
  assert.ok(differing(first, later) > 500, `only ${differing(first, later)} pixels moved`);
  assert.deepEqual(complaints, []);
  await context.close();
});

test('the scrubber moves the time cursor in the plots', limits, async () => {
  const { page, context } = await open('four_bar.html');
  const cursor = () => page.locator('#cards .now').first().evaluate((e) => e.getBoundingClientRect().left);
  const left = await cursor();
  await page.locator('#scrub').fill('1.5');
  const right = await cursor();
  const width = await page.locator('#cards .u-over').first().evaluate((e) => e.clientWidth);
  assert.ok(Math.abs(right - left - 0.75 * width) < 2, `moved by ${right - left} of ${width}`);
  assert.match(await page.textContent('#clock'), /^1\.5/);
  await context.close();
});

test('a click in a plot sets the time, a drag zooms all plots', limits, async () => {
  const { page, context } = await open('four_bar.html');
  const over = page.locator('#cards .u-over').first();
  await over.scrollIntoViewIfNeeded();
  const box = await over.boundingBox();
  await page.mouse.click(box.x + box.width / 4, box.y + 60);
  const now = await page.evaluate(() => window.cardanReport.clock.now);
  assert.ok(Math.abs(now - 0.5) < 0.02, `time is ${now}`);
  await page.mouse.move(box.x + box.width / 2, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.75 * box.width, box.y + 60, { steps: 4 });
  await page.mouse.up();
  const ranges = await page.evaluate(() => [...window.cardanReport.plots.cards.values()].map((c) => [c.plot.scales.x.min, c.plot.scales.x.max]));
  for (const [min, max] of ranges) assert.ok(Math.abs(min - 1) < 0.03 && Math.abs(max - 1.5) < 0.03, `${min} ${max}`);
  await page.click('#zoom-reset');
  assert.equal(await page.evaluate(() => [...window.cardanReport.plots.cards.values()][0].plot.scales.x.max), 2);
  await context.close();
});

test('plotted joint forces are the numbers of the file', limits, async () => {
  const { page, context } = await open('four_bar.html');
  const csv = readCsv('four_bar.csv');
  const plotted = await page.evaluate(() => [...window.cardanReport.plots.cards.values()].map((chart) => ({ title: chart.title, data: chart.plot.data.map((c) => Array.from(c)), labels: chart.series.map((s) => s.label) })));
  const forces = plotted.filter((chart) => / · force$/.test(chart.title));
  assert.ok(forces.length >= 3);
  for (const chart of forces) {
    const joint = chart.title.split(' · ')[0];
    assert.deepEqual(chart.data[0], csv.get('t'));
    chart.labels.forEach((label, i) => assert.deepEqual(chart.data[i + 1], csv.get(`${joint}.${label}`)));
  }
  await context.close();
});

test('plotted multipliers of a built-in problem are the numbers of the file', limits, async () => {
  cardan('run', 'heavy_top', '--step', '1e-3', '--out', file('top.csv'));
  cardan('report', file('top.csv'), '--model', 'heavy_top', '-o', file('top.html'));
  const { page, context, complaints } = await open('top.html');
  const csv = readCsv('top.csv');
  const data = await page.evaluate(() => [...window.cardanReport.plots.cards.values()][0].plot.data.map((c) => Array.from(c)));
  for (let i = 1; i <= 3; i++) assert.deepEqual(data[i], csv.get(`lambda${i}`));
  assert.ok((await stagePixels(page)).length > 0);
  assert.deepEqual(complaints, []);
  await context.close();
});

test('a plain start of ga3 turns the summary to a warning, the perturbed start does not', limits, async () => {
  for (const [start, verdict] of [['plain', 'warning'], ['perturbed', 'good']]) {
    cardan('run', 'heavy_top', '--method', 'ga3', '--start', start, '--step', '1e-3', '--report', file('start.html'));
    const { page, context } = await open('start.html');
    assert.equal(await page.getAttribute('#summary', 'data-verdict'), verdict);
    if (verdict === 'warning') assert.match((await page.locator("#statements .warning").allTextContents()).join(" "), /spurious oscillation.*plain start/s);
    await context.close();
  }
});

test('a projection that pumps energy turns the summary to a warning', limits, async () => {
  cardan('run', 'heavy_top', '--method', 'ga3', '--step', '1e-3', '--project', 'velocity', '--projection', 'identity', '--report', file('pump.html'));
  const { page, context } = await open('pump.html');
  assert.equal(await page.getAttribute('#summary', 'data-verdict'), 'warning');
  assert.match(await page.textContent('#statements'), /projections pumped energy in/);
  const ledger = await page.evaluate(() => document.querySelector('#health').textContent);
  assert.match(ledger, /by projections/);
  await context.close();
});

// ---- hostile names ----

const evil = '"\'</script><script>window.hacked=1</script><img src=x onerror=window.hacked=2>&lt;😈';

test('names with quotes, tags, emoji and 10 000 letters neither break the page nor get into it', limits, async () => {
  const long = 'x'.repeat(10000);
  const model = {
    cardan: 1, name: evil + long, description: `</title>${evil}`, gravity: [0, 0, -9.81],
    bodies: [{ name: 'arm', mass: 1, inertia: [1, 1, 1], position: [1, 0, 0] }, { name: long, mass: 1, inertia: [1, 1, 1], position: [2, 0, 0] }],
    joints: [
      { name: 'hinge', type: 'revolute', body1: 'ground', body2: 'arm', location: [0, 0, 0], axis: [0, 1, 0] },
      { name: `ball${long}`, type: 'spherical', body1: 'arm', body2: long, location: [1, 0, 0] }],
    solver: { step: 0.01, end: 0.5 },
  };
  const path = file('evil<script>"\'<b>😈.json');
  writeFileSync(path, JSON.stringify(model));
  cardan('run', path, '--report', file('evil.html'), '--out', file('evil.csv'));
  // columns of a CSV may have any name
  const column = evil.replaceAll('"', '').replaceAll(',', '');
  const csv = readFileSync(file('evil.csv'), 'utf8').replaceAll('hinge.', `${column}hinge.`);
  writeFileSync(file('</evil2>.csv'.replace('/', '_')), csv);
  cardan('report', file('<_evil2>.csv'), '--title', `${evil}-->${long}`, '-o', file('evil2.html'));
  for (const name of ['evil.html', 'evil2.html']) {
    const { page, context, requests, complaints } = await open(name);
    assert.deepEqual(requests, []);
    assert.deepEqual(complaints, []);
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    assert.equal(await page.locator('img').count(), 0);
    assert.equal(await page.locator('script').count(), 3);
    assert.ok((await page.textContent('h1')).startsWith(evil));
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, 'long names widen the page');
    await page.fill('#search', 'hinge');
    assert.ok((await page.locator('#choices button').count()) > 0);
    await context.close();
  }
});

// ---- ways to look at it ----

test('the view tells names, time, axes and the size of the grid', limits, async () => {
  const { page, context } = await open('four_bar.html');
  assert.deepEqual(await page.locator('.stage-name').allTextContents(), ['crank', 'coupler', 'rocker']);
  await page.locator('#scrub').fill('0.5');
  await page.waitForTimeout(200);
  assert.match(await page.textContent('.stage-time'), /^t = 0\.50*\d* s$/);
  assert.match(await page.textContent('.stage-scale'), /^grid 0\.\d+ m$/);
  assert.deepEqual(await page.locator('.stage-axes text').allTextContents(), ['x', 'y', 'z']);
  // a name stands where its body is
  const [label, centre] = await page.evaluate(() => {
    const { view } = window.cardanReport, at = view.centre.clone().setFromMatrixPosition(view.poses[0].matrices[1]).project(view.camera);
    const stage = document.getElementById('stage').getBoundingClientRect(), box = document.querySelectorAll('.stage-name')[1].getBoundingClientRect();
    return [[box.left - stage.left, box.top - stage.top], [((at.x + 1) / 2) * stage.width, ((1 - at.y) / 2) * stage.height]];
  });
  assert.ok(Math.hypot(label[0] - centre[0], label[1] - centre[1]) < 20, `${label} ${centre}`);
  await page.uncheck('[data-show=names]');
  await page.waitForTimeout(200);
  assert.equal(await page.locator('.stage-name:visible').count(), 0);
  await context.close();
});

test('legends show no rounding', limits, async () => {
  const { page, context } = await open('four_bar.html');
  for (const t of [0.3, 0.7, 1.1, 1.9]) {
    await page.locator('#scrub').fill(String(t));
    const legends = (await page.locator('#cards .keys b').allTextContents()).join(' ');
    assert.doesNotMatch(legends, /e-(1[4-9]|[2-9]\d|\d{3})/);
  }
  await context.close();
});

test('torques of motors come first', limits, async () => {
  cardan('run', join(models, 'robot.yaml'), '--report', file('robot.html'));
  const { page, context } = await open('robot.html');
  const heads = await page.locator('#cards h3').allTextContents();
  assert.match(heads[0], /^axis_\d · torque$/);
  assert.ok(heads.some((head) => / · force$/.test(head)), heads.join());
  assert.ok(await page.isChecked('[data-show=torques]'));
  await context.close();
});

test('the heavy top has a rotor', limits, async () => {
  cardan('run', join(models, 'heavy_top.yaml'), '--report', file('top_model.html'));
  const { page, context } = await open('top_model.html');
  const shapes = await page.evaluate(() => window.cardanReport.view.run.scene.bodies[0].shapes.map((s) => [s.type, !!s.guess]));
  assert.ok(shapes.some(([type, guess]) => type === 'cylinder' && !guess), JSON.stringify(shapes));
  await context.close();
});

test('the player covers nothing on a phone', limits, async () => {
  const { page, context } = await open('four_bar.html', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const covered = await page.evaluate(() => [...document.querySelectorAll('#stage-tools input, #stage-tools button, #cards .actions button')].filter((control) => control.checkVisibility()).filter((control) => {
    control.scrollIntoView({ block: 'end' });
    const box = control.getBoundingClientRect();
    const there = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    return !(there && (there === control || control.contains(there) || there.closest('label')?.contains(control)));
  }).map((control) => control.outerHTML.slice(0, 80)));
  assert.deepEqual(covered, []);
  await context.close();
});

test('it is readable on a phone', limits, async () => {
  const { page, context, complaints } = await open('four_bar.html', { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
  const stage = await page.locator('#stage').boundingBox();
  assert.ok(stage.width > 300 && stage.height > 200);
  const transport = await page.locator('#transport').boundingBox();
  assert.ok(transport.x >= 0 && transport.x + transport.width <= 360);
  const cards = await page.locator('#cards .chart').first().boundingBox();
  assert.ok(cards.y > stage.y + stage.height, 'plots follow the view');
  await page.tap('#play');
  await page.waitForFunction(() => window.cardanReport.clock.now > 0.05);
  assert.deepEqual(complaints, []);
  await context.close();
});

test('it is dark where the system is, and by the switch', limits, async () => {
  const { page, context } = await open('four_bar.html', { colorScheme: 'dark' });
  const lightness = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0));
  assert.ok((await lightness()) < 150);
  const dark = await stagePixels(page);
  await page.click('#theme');
  assert.ok((await lightness()) > 600);
  const light = await stagePixels(page);
  assert.ok((light[0] & 255) > (dark[0] & 255) + 100, 'the view changes too');
  await context.close();
});

test('the keyboard does it all', limits, async () => {
  const { page, context } = await open('four_bar.html');
  const now = () => page.evaluate(() => window.cardanReport.clock.now);
  const times = readCsv('four_bar.csv').get('t');
  await page.keyboard.press('ArrowRight');
  assert.equal(await now(), times[1]);
  await page.keyboard.press('Shift+ArrowRight');
  assert.equal(await now(), times[11]);
  await page.keyboard.press('ArrowLeft');
  assert.equal(await now(), times[10]);
  await page.keyboard.press('End');
  assert.equal(await now(), times.at(-1));
  await page.keyboard.press('Home');
  assert.equal(await now(), 0);
  await page.keyboard.press(' ');
  await page.waitForFunction(() => window.cardanReport.clock.now > 0.05);
  await page.keyboard.press(' ');
  assert.equal(await page.evaluate(() => window.cardanReport.clock.playing), false);
  await page.keyboard.press('d');
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  await page.keyboard.press('?');
  assert.equal(await page.evaluate(() => document.getElementById('help').open), true);
  await page.keyboard.press('Escape');
  await page.keyboard.press('/');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'search');
  await page.keyboard.type('crank vel');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  assert.ok((await page.textContent('#cards')).includes('crank · velocity'));
  // every control can be reached, has a name and shows where the focus is
  const unnamed = await page.evaluate(() => [...document.querySelectorAll('button, input, select')].filter((e) => !(e.ariaLabel || e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.[0]?.textContent.trim())).map((e) => e.outerHTML));
  assert.deepEqual(unnamed, []);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  assert.notEqual(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle), 'none');
  await context.close();
});

test('a plot can be saved as CSV and PNG', limits, async () => {
  const { page, context } = await open('four_bar.html');
  const csv = readCsv('four_bar.csv');
  const card = page.locator('#cards .chart').first();
  const [table] = await Promise.all([page.waitForEvent('download'), card.getByText('CSV', { exact: true }).click()]);
  const lines = readFileSync(await table.path(), 'utf8').trim().split('\n');
  assert.equal(lines.length, csv.get('t').length + 1);
  const joint = (await card.locator('h3').textContent()).split(' · ')[0];
  assert.equal(Number(lines[100].split(',')[2]), csv.get(`${joint}.fy`)[99]);
  const [picture] = await Promise.all([page.waitForEvent('download'), card.getByText('PNG', { exact: true }).click()]);
  assert.equal(readFileSync(await picture.path()).subarray(1, 4).toString(), 'PNG');
  await context.close();
});

test('without WebGL the plots still work', limits, async () => {
  const plain = await openBrowser(['--disable-gpu', '--disable-3d-apis']);
  const { page } = await openPage(plain, `file://${file('four_bar.html')}`);
  assert.match(await page.textContent('#stage-message'), /WebGL/);
  assert.equal(await page.locator('#stage-message').isVisible(), true);
  assert.ok((await page.locator('#cards canvas').count()) >= 3);
  await page.locator('#scrub').fill('1');
  assert.match(await page.textContent('#clock'), /^1\.0/);
  await plain.close();
});

test('a CSV without a model says why nothing moves', limits, async () => {
  cardan('report', file('four_bar.csv'), '-o', file('numbers.html'));
  const { page, context, complaints } = await open('numbers.html');
  assert.match(await page.textContent('#stage-message'), /--model/);
  assert.deepEqual(complaints, []);
  await context.close();
});

test('two runs lie over each other, and their difference is shown', limits, async () => {
  cardan('run', 'heavy_top', '--step', '2e-3', '--method', 'ga3', '--out', file('a.h5'));
  cardan('run', 'heavy_top', '--step', '1e-3', '--out', file('b.h5'));
  cardan('run', 'heavy_top', '--step', '2e-3', '--method', 'ga3', '--out', file('a.csv'));
  cardan('run', 'heavy_top', '--step', '1e-3', '--out', file('b.csv'));
  cardan('report', file('a.h5'), file('b.h5'), '-o', file('both.html'));
  const { page, context, complaints } = await open('both.html');
  assert.match(await page.textContent('#summary'), /Joint forces of the two runs differ by up to/);
  const [first, second] = [readCsv('a.csv'), readCsv('b.csv')];
  const chart = () => page.evaluate(() => { const c = [...window.cardanReport.plots.cards.values()][0]; return { labels: c.series.map((s) => s.label), data: c.plot.data.map((d) => Array.from(d)) }; });
  const overlaid = await chart();
  assert.deepEqual(overlaid.labels.slice(0, 2), ['lambda1', 'lambda1 (2)']);
  await page.locator('#cards .chart').first().getByText('Δ', { exact: true }).click();
  const { data } = await chart();
  // every second step of the second run ends where one of the first does
  const apart = first.get('t').map((_, i) => second.get('lambda1')[2 * i] - first.get('lambda1')[i]);
  const worst = Math.max(...apart.map((d, i) => Math.abs(d - data[1][i])));
  const size = Math.max(...second.get('lambda1').map(Math.abs));
  assert.ok(worst < 1e-9 * size, `differences are off by ${worst}`);
  await page.evaluate(() => { const { clock, view } = window.cardanReport; view.show.grid = false; clock.set(0.9); });
  const ghost = await stagePixels(page);
  await page.locator('[data-show=ghost]').click();
  const alone = await stagePixels(page);
  assert.ok(differing(ghost, alone) > 20, 'the second run is not to be seen');
  assert.deepEqual(complaints, []);
  await context.close();
});

// ---- size ----

test('50 bodies over 10 s at 100 Hz make less than 3 MB', limits, async () => {
  cardan('generate', 'chain', '--n', '50', '--out', file('chain50.yaml'));
  cardan('run', file('chain50.yaml'), '--end', '10', '--sample', '0.01', '--rtol', '1e-3', '--out', file('chain50.csv'), '--report', file('chain50.html'));
  const { size } = statSync(file('chain50.html'));
  assert.ok(size < 3e6, `${size} bytes`);
  const { page, context, complaints } = await open('chain50.html');
  const after = await page.getAttribute('html', 'data-ready-after');
  console.log(`# 50 bodies, 10 s at 100 Hz: ${(size / 1e6).toFixed(2)} MB, ready after ${after} ms (software rendering)`);
  assert.equal(await page.evaluate(() => window.cardanReport.report.runs[0].t.length), 1001);
  // what is rounded is off by half a unit at most, which is 1/65000 of the range of its column
  const csv = readCsv('chain50.csv');
  const columns = await page.evaluate(() => window.cardanReport.report.runs[0].columns.filter((_, i) => i % 37 === 0).map((c) => ({ name: c.name, unit: c.data.unit ?? 0, values: Array.from(c.values) })));
  assert.ok(columns.some((column) => column.unit > 0) && columns[0].unit === 0);
  for (const { name, unit, values } of columns) {
    const wanted = csv.get(name), range = Math.max(...wanted) - Math.min(...wanted);
    const off = Math.max(...values.map((v, i) => Math.abs(v - wanted[i])));
    assert.ok(unit <= range / 64999 && off <= 0.5001 * unit + 1e-12 * Math.max(...wanted.map(Math.abs)), `${name} is off by ${off}, unit ${unit}`);
  }
  assert.deepEqual(complaints, []);
  await context.close();
});

test('1000 bodies are drawn', limits, async () => {
  cardan('generate', 'chain', '--n', '1000', '--out', file('chain1000.yaml'));
  cardan('run', file('chain1000.yaml'), '--end', '0.1', '--step', '0.01', '--report', file('chain1000.html'));
  const { page, context, complaints } = await open('chain1000.html', { viewport: { width: 1000, height: 700 } });
  const cost = await page.evaluate(() => {
    const { view, clock } = window.cardanReport;
    const begin = performance.now();
    for (let i = 0; i < 60; i++) {
      clock.now = (clock.end * i) / 60;
      view.move();
    }
    return { move: (performance.now() - begin) / 60, calls: view.renderer.info.render.calls };
  });
  // a pixel is read back so that the frame has been drawn when the clock is read
  const frame = await page.evaluate(() => {
    const { view, clock } = window.cardanReport, gl = view.renderer.getContext(), begin = performance.now();
    for (let i = 0; i < 5; i++) {
      clock.now = (clock.end * i) / 5;
      view.move();
      view.renderer.render(view.scene, view.camera);
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    }
    return (performance.now() - begin) / 5;
  });
  console.log(`# 1000 bodies: ${cost.move.toFixed(2)} ms a frame to place them, ${cost.calls} draw calls, ${(1000 / frame).toFixed(1)} frames a second drawn by software`);
  assert.ok(cost.calls < 30, 'copies are drawn one by one');
  assert.deepEqual(complaints, []);
  await context.close();
});
