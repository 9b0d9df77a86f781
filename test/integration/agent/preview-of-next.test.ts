import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser, browserPath } from '../../support/browser.js';
import { until } from '../../support/until.js';
import { DevServerNode } from './dev-server-node.js';

const packages = ['next@16.4.6', 'react@19.3.1', 'react-dom@19.3.1'];
/** Kept between runs. */
const cache = resolve('.cache/dev-servers', packages[0] ?? '');
const installMs = 120_000;

if (!browserPath) console.warn('Previews of Next are not tested: there is no Chromium here.');

/** Null when the registry of packages cannot be reached. */
async function installNext(): Promise<string | null> {
  const done = join(cache, 'done');
  if (existsSync(done)) return cache;
  mkdirSync(cache, { recursive: true });
  writeFileSync(join(cache, 'package.json'), '{"private":true}');
  const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--save-exact'];
  try {
    await promisify(execFile)('npm', ['install', ...options, ...packages], {
      cwd: cache,
      timeout: installMs,
    });
  } catch (error) {
    if (!/ENOTFOUND|ECONNREFUSED|EAI_AGAIN|ETIMEDOUT/.test(String(error))) throw error;
    console.warn('Previews of Next are not tested: the registry of packages cannot be reached');
    return null;
  }
  writeFileSync(done, '');
  return cache;
}

const layout = `export default ({ children }) => <html><head><link rel="icon" href="data:," /></head><body>{children}</body></html>;`;
const page = (text: string) => `'use client';
import { useEffect, useState } from 'react';
export default function Page() {
  const [count, setCount] = useState(0);
  useEffect(() => { window.loads = (window.loads ?? 0) + 1; }, []);
  return <><h1>${text}</h1><button id="count" onClick={() => setCount(count + 1)}>{count}</button></>;
}`;

const installed = browserPath ? await installNext() : null;

describe.skipIf(installed === null)('a Next dev server at a host of its own', () => {
  let folder: string;
  const write = (name: string, text: string) => writeFileSync(join(folder, 'app', name), text);
  let served: DevServerNode;
  let browser: Browser;

  beforeAll(async () => {
    // Below the packages, because Next does not follow links out of its folder.
    folder = mkdtempSync(join(cache, 'app-'));
    mkdirSync(join(folder, 'app'));
    write('layout.jsx', layout);
    write('page.jsx', page('first'));
    const next = join(cache, 'node_modules/next/dist/bin/next');
    served = await DevServerNode.start(
      (port) => `cd ${folder} && NEXT_TELEMETRY_DISABLED=1 ${process.execPath} ${next} dev --port ${port}`,
    );
    browser = await Browser.start(browserPath ?? '');
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await served?.[Symbol.asyncDispose]();
    if (folder) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  /**
   * Next loses an edit that it sees before it watches for this page, and does not say when it does.
   */
  async function untilAnEditIsShown() {
    let count = 0;
    await until('an edit is shown', async () => {
      count += 1;
      write('page.jsx', page(`edit ${count}`));
      await browser.page.locator('h1', { hasText: 'edit' }).waitFor({ timeout: 10_000 });
      return true;
    });
  }

  it('loads scripts by root-absolute addresses, and shows an edit with the state of the page', async () => {
    await browser.page.goto(await served.signedUrl(), { timeout: 90_000 });
    await browser.page.locator('h1', { hasText: 'first' }).waitFor();
    await browser.page.waitForFunction('window.loads > 0');
    await browser.page.locator('#count').click();
    await browser.page.locator('#count', { hasText: '1' }).waitFor();
    await browser.page.evaluate('window.isSamePage = true');

    await untilAnEditIsShown();

    await browser.page.locator('#count', { hasText: '1' }).waitFor();
    expect(await browser.page.evaluate('window.isSamePage')).toBe(true);
    expect(browser.problems).toEqual([]);
  });
});
