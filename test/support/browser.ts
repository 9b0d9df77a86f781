import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { limitMs } from './limit-ms.js';
import { traced } from './open-browsers.js';

const candidates = [process.env.BERTH_CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser'];

/** Where a browser is, or nothing. */
export const browserPath: string | undefined = candidates.find((path) => path && isExecutable(path));

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A browser of its own, with nothing in it, and what went wrong in its page. */
export class Browser implements AsyncDisposable {
  readonly problems: string[] = [];

  private constructor(
    readonly context: BrowserContext,
    readonly page: Page,
    private readonly folder: string,
  ) {
    page.on('pageerror', (error) => this.problems.push(`exception: ${error.message}`));
    page.on('console', (message) => {
      if (message.type() === 'error') this.problems.push(`console: ${message.text()}`);
    });
  }

  /** @param env with a home folder whose authorities it trusts, for example */
  static async start(
    executablePath: string,
    moreArguments: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ): Promise<Browser> {
    const folder = mkdtempSync(join(tmpdir(), 'berth-browser-'));
    const context = await chromium.launchPersistentContext(folder, {
      executablePath,
      headless: true,
      env: { ...process.env, ...env },
      viewport: { width: 1_100, height: 900 },
      args: [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        ...moreArguments,
      ],
    });
    context.setDefaultTimeout(limitMs(30_000));
    if (process.env.VITEST) await traced(context);
    return new Browser(context, context.pages()[0] ?? (await context.newPage()), folder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.context.close();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Signs in by the page that asks for it. */
export async function signInBy(page: Page, login: string): Promise<void> {
  await page.getByRole('button', { name: 'Sign in with GitHub' }).click();
  await page.getByRole('link', { name: login }).first().click();
}
