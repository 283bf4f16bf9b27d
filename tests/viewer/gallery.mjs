// Reports and pictures of all shipped models: node gallery.mjs PROGRAM MODELS REPORTS PICTURES [NAME...]
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { openBrowser, openPage } from './browser.mjs';

const [program, models, reports, pictures, ...only] = process.argv.slice(2);
mkdirSync(reports, { recursive: true });
mkdirSync(pictures, { recursive: true });
// the part of the run at which a model looks best
const moments = { chain: 0.25, pendulum: 0.12, bicycle: 0.12, robot: 0.6 };
const browser = await openBrowser();
for (const file of readdirSync(models).filter((name) => name.endsWith('.yaml')).sort()) {
  const name = basename(file, '.yaml');
  if (only.length && !only.includes(name)) continue;
  const report = join(reports, `${name}.html`);
  execFileSync(program, ['run', join(models, file), '--quiet', '--report', report], { stdio: ['ignore', 'ignore', 'inherit'] });
  const { page, context, complaints } = await openPage(browser, `file://${resolve(report)}`, { viewport: { width: 1280, height: 760 } });
  await page.evaluate((part) => {
    const { clock, view } = window.cardanReport;
    document.body.style.maxWidth = 'none';
    clock.set(clock.begin + part * (clock.end - clock.begin));
    view?.fit();
  }, moments[name] ?? 0.35);
  await page.waitForTimeout(500);
  await page.locator('#stage').screenshot({ path: join(pictures, `${name}.png`) });
  console.log(`${name}: ${report}${complaints.length ? ` complaints: ${complaints}` : ''}`);
  await context.close();
}
await browser.close();
