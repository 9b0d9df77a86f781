import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser, browserPath } from '../../support/browser.js';
import { DevServerNode } from './dev-server-node.js';

if (!browserPath) console.warn('Previews of Vite are not tested: there is no Chromium here.');

const vite = resolve('node_modules/vite/bin/vite.js');
const page = `<!doctype html><link rel="icon" href="data:,"><h1></h1><script type="module" src="/main.js"></script>`;
const main = `
import { text } from '/text.js';
const show = (value) => { document.querySelector('h1').textContent = value; };
window.loads = (window.loads ?? 0) + 1;
show(text);
import.meta.hot.accept('/text.js', (changed) => show(changed.text));
`;

describe.skipIf(!browserPath)('a Vite dev server at a host of its own', () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-vite-'));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  let served: DevServerNode;
  let browser: Browser;

  beforeAll(async () => {
    write('index.html', page);
    write('main.js', main);
    write('text.js', `export const text = 'first';`);
    served = await DevServerNode.start(
      (port) => `cd ${folder} && ${process.execPath} ${vite} --port ${port} --strictPort`,
    );
    browser = await Browser.start(browserPath ?? '');
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await served?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it('loads modules by root-absolute addresses, and replaces a changed one without a reload', async () => {
    // A change before the client of Vite is connected would reach no page.
    const connected = browser.page.waitForEvent('console', (line) => line.text() === '[vite] connected.');
    await browser.page.goto(await served.signedUrl());
    await browser.page.locator('h1', { hasText: 'first' }).waitFor();
    await connected;
    expect(browser.page.url()).toBe(served.url);

    write('text.js', `export const text = 'second';`);

    await browser.page.locator('h1', { hasText: 'second' }).waitFor();
    expect(await browser.page.evaluate('window.loads')).toBe(1);
    expect(browser.problems).toEqual([]);
  });
});
