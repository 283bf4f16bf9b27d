// Makes dist/report.html, the page without a run in it: scripts and styles inline, nothing to fetch.
// The program puts the run between the two halves at @DATA@ and the title at @TITLE@.
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const read = (...path) => readFileSync(join(here, ...path), 'utf8');

async function bundle(entry, loader) {
  const result = await build({
    entryPoints: [join(here, 'src', entry)], bundle: true, minify: true, write: false,
    format: 'iife', target: 'es2022', charset: 'utf8', legalComments: 'none', logLevel: 'warning',
  });
  return result.outputFiles[0].text.trim();
}

const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

// Texts that would end the elements they are put into.
const script = (await bundle('main.js')).replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
const style = await bundle('style.css');
if (style.includes('</style')) throw new Error('the style sheet would end its element');

const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; ` +
  "img-src data: blob:; base-uri 'none'; form-action 'none'";
const licences = ['three', 'uplot'].map((name) => {
  const version = JSON.parse(read('node_modules', name, 'package.json')).version;
  return `${name} ${version}\n\n${read('node_modules', name, 'LICENSE').trim()}`;
}).join('\n\n----\n\n');

const page = read('src', 'page.html')
  .replace('@POLICY@', () => policy)
  .replace('@LICENCES@', () => licences.replace(/--+/g, '- - -'))
  .replace('@STYLE@', () => style)
  .replace('@SCRIPT@', () => script);
mkdirSync(join(here, 'dist'), { recursive: true });
writeFileSync(join(here, 'dist', 'report.html'), page);
writeFileSync(join(here, 'THIRD-PARTY'),
  'The report page holds parts of these programs, under these licences.\n\n' + licences + '\n');
console.log(`viewer/dist/report.html: ${(page.length / 1000).toFixed(0)} kB`);
