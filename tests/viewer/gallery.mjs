// Reports of all shipped models, their pictures and docs/gallery.md, and the picture of a whole
// report: node gallery.mjs PROGRAM MODELS REPORTS DOCS [NAME...]; with names only their pictures.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { openBrowser, openPage } from './browser.mjs';

const [program, models, reports, docs, ...only] = process.argv.slice(2);
const pictures = join(docs, 'images', 'gallery');
// the part of the run at which a model looks best
const moments = { four_bar: 0.375, chain: 0.25, pendulum: 0.12, bicycle: 0.12, robot: 0.6, nfourbar: 0.2 };
const names = readdirSync(models).filter((file) => file.endsWith('.yaml')).map((file) => basename(file, '.yaml')).sort();

async function takePicture(browser, name) {
  const report = join(reports, `${name}.html`);
  rmSync(report, { force: true });
  try {
    execFileSync(program, ['run', join(models, `${name}.yaml`), '--quiet', '--report', report], { stdio: ['ignore', 'ignore', 'inherit'] });
  } catch (failure) {
    // a run that fails on its way has a report too, which says so
    if (!existsSync(report)) throw failure;
    console.log(`${name}: the run failed`);
  }
  const { page, context } = await openPage(browser, `file://${resolve(report)}`, { viewport: { width: 1280, height: 800 } });
  await page.evaluate((part) => {
    const { clock, view } = window.cardanReport;
    clock.set(clock.begin + part * (clock.end - clock.begin));
    view?.fit();
  }, moments[name] ?? 0.35);
  await page.waitForTimeout(500);
  if (name === 'four_bar') await page.screenshot({ path: join(docs, 'images', 'report.png') });
  await page.evaluate(() => { document.getElementById('transport').hidden = true; });
  await page.locator('#stage').screenshot({ path: join(pictures, `${name}.png`) });
  console.log(report);
  await context.close();
}

function writePage() {
  const cells = names.map((name) => {
    const text = readFileSync(join(models, `${name}.yaml`), 'utf8').match(/^description: *"?(.*?)"?$/m)?.[1] ?? '';
    return `[![${name}](images/gallery/${name}.png)](models/${name}.md)<br>**[${name}](models/${name}.md)**: ${text}`;
  });
  const rows = [];
  for (let i = 0; i < cells.length; i += 2) rows.push(`| ${cells[i]} | ${cells[i + 1] ?? ''} |`);
  writeFileSync(join(docs, 'gallery.md'), `# Gallery

The models that come with Cardan, as their [reports](report.md) show them. This page, its pictures and the reports
themselves, with motion, plots and health, are made by

\`\`\`
make gallery      # reports into build/gallery (needs Chromium and npm)
\`\`\`

or one by one: \`cardan run models/four_bar.yaml --report four_bar.html\`.

| | |
|---|---|
${rows.join('\n')}
`);
}

mkdirSync(reports, { recursive: true });
mkdirSync(pictures, { recursive: true });
const browser = await openBrowser();
for (const name of only.length ? only : names) await takePicture(browser, name);
await browser.close();
if (!only.length) writePage();
