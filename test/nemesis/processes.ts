import { readdir, readFile } from 'node:fs/promises';

/**
 * Processes that live at this moment and say this of themselves, in their arguments or their
 * environment.
 */
export async function processesWith(
  where: 'cmdline' | 'environ',
  entries: readonly string[],
): Promise<number[]> {
  const pids = (await readdir('/proc')).map(Number).filter(Number.isInteger);
  const matching = await Promise.all(
    pids.map(async (pid) => {
      const text = await readFile(`/proc/${pid}/${where}`, 'utf8').catch(() => '');
      const all = text.split('\0');
      return entries.every((entry) => all.includes(entry)) ? pid : null;
    }),
  );
  return matching.filter((pid) => pid !== null);
}

/** False when it is gone already. */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}
