import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const looks = [
  { width: 1_440, colorScheme: 'light' },
  { width: 1_440, colorScheme: 'dark' },
  { width: 390, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
] as const;

/** What is not accessible in a page, wide and narrow, light and dark. */
export async function accessibilityProblems(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { width, colorScheme } of looks) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await page.evaluate(axe.source);
    const { violations } = (await page.evaluate('axe.run()')) as AxeResults;
    for (const { id, nodes } of violations)
      found.push(`${width} ${colorScheme} ${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
  }
  return found;
}
