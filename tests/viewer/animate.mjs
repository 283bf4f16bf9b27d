// A GIF of a model in motion, with its joint forces as arrows, from the report page:
// node animate.mjs PROGRAM MODEL FILE.gif [BEGIN END FRAMES ZOOM]
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBrowser, openPage } from './browser.mjs';

const [program, model, picture, begin = 0, end = 1, frames = 40, zoom = 1] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'cardan-frames-'));
const report = join(folder, 'report.html');
execFileSync(program, ['run', model, '--quiet', '--report', report], { stdio: ['ignore', 'ignore', 'inherit'] });
const browser = await openBrowser();
const { page } = await openPage(browser, `file://${report}`, { viewport: { width: 1280, height: 760 }, deviceScaleFactor: 2 });
await page.evaluate(() => {
  document.getElementById('transport').hidden = true;
  window.cardanReport.view.fit();
});
const canvas = page.locator('#stage canvas').first();
for (let i = 0; i < frames; i++) {
  await page.evaluate((t) => window.cardanReport.clock.set(t), Number(begin) + (i / frames) * (end - begin));
  await page.waitForTimeout(120);
  await canvas.screenshot({ path: join(folder, `${String(i).padStart(3, '0')}.png`) });
}
await browser.close();
// Debian's own: another `convert` may stand before it in the PATH.
execFileSync('/usr/bin/convert', ['-delay', '4', '-loop', '0', join(folder, '*.png'), '-gravity', 'center', '-crop', `${100 / zoom}%x${100 / zoom}%+0+0`, '+repage', '-resize', '600x', '-colors', '96', '+dither', '-layers', 'optimize', picture]);
rmSync(folder, { recursive: true });
