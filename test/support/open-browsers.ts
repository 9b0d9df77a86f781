import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';

const open = new Set<BrowserContext>();
let count = 0;

/** From now on a failed test keeps what the browser shows and a trace of what it did. */
export async function traced(context: BrowserContext): Promise<void> {
  open.add(context);
  await context.tracing.start({ snapshots: true });
  context.once('close', () => open.delete(context));
}

/** Of all pages that are open, with the trace of each browser until now. */
export async function screenshots(folder: string): Promise<void> {
  for (const context of open) {
    count += 1;
    for (const [index, page] of context.pages().entries())
      await page.screenshot({ path: join(folder, `browser-${count}-page-${index}.png`) }).catch(() => {});
    await context.tracing.stop({ path: join(folder, `trace-${count}.zip`) }).catch(() => {});
    await context.tracing.start({ snapshots: true }).catch(() => {});
  }
}
