// Debian's Chromium, without a screen; WebGL by SwiftShader.
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const places = [process.env.CARDAN_CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export function openBrowser(extra = []) {
  const executablePath = places.find((path) => path && existsSync(path));
  if (!executablePath) throw new Error('no Chromium found; install it (scripts/setup chromium) or set CARDAN_CHROMIUM');
  return chromium.launch({ executablePath, args: ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist', '--no-sandbox', '--disable-dev-shm-usage', ...extra] });
}

// A page that remembers everything it asked for and complained about.
export async function openPage(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  const requests = [], complaints = [];
  page.on('request', (request) => { if (request.url() !== url && !request.url().startsWith('blob:')) requests.push(request.url()); });
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) complaints.push(message.text()); });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(url);
  await page.waitForSelector('html[data-ready=true]', { timeout: 120000 });
  return { page, context, requests, complaints };
}
