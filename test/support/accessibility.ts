import { join } from 'node:path';
import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const looks = [1_440, 768, 390].flatMap((width) => [
  { width, colorScheme: 'light', rules: '{}' } as const,
  // The other theme changes colours and nothing else.
  { width, colorScheme: 'dark', rules: "{ runOnly: ['color-contrast'] }" } as const,
]);

/** What is not accessible in a page, or too wide for it: wide and narrow, light and dark. */
export async function accessibilityProblems(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  await page.evaluate(axe.source);
  for (const { width, colorScheme, rules } of looks) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    const { violations } = (await page.evaluate(`axe.run(${rules})`)) as AxeResults;
    for (const { id, nodes } of violations)
      found.push(`${width} ${colorScheme} ${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
  }
  await page.setViewportSize({ width: 320, height: 900 });
  const excess = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  if (Number(excess) > 0) found.push(`${excess} px wider than a screen of 320 px`);
  return found;
}

/** Of each page that has any, once it has loaded. */
export async function problemsOfPages(
  page: Page,
  url: string,
  paths: readonly string[],
): Promise<Record<string, readonly string[]>> {
  const problems: Record<string, readonly string[]> = {};
  for (const path of paths) {
    await page.goto(url + path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('.loading').first().waitFor({ state: 'detached' });
    const found = await accessibilityProblems(page);
    if (found.length > 0) problems[path] = found;
    await keepScreenshot(page, path.replaceAll('/', '_'));
  }
  return problems;
}

/** For people to look at, where BERTH_SCREENSHOTS names a folder. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.BERTH_SCREENSHOTS;
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`) });
}
