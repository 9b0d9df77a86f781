import { setTimeout as wait } from 'node:timers/promises';
import { spawn } from '../node/process-priority.js';
import { ByteBudget, endless, StreamLimit } from '../streams/byte-budget.js';
import { type Disk, DiskBudget } from '../streams/disk-budget.js';

const pauseMs = 250;
/** Counting the files of a large folder must not take longer than filling it. */
const pausePerLook = 4;

/** Counts what other programs write to a folder, and aborts when it exceeds limit or free disk. */
export class DiskWatch implements Disposable {
  private readonly exceeded = new AbortController();
  private readonly ended = new AbortController();

  private constructor(private readonly disk: Disk) {}

  static start(disk: Disk): DiskWatch {
    const watch = new DiskWatch(disk);
    watch.run().catch(() => undefined);
    return watch;
  }

  get signal(): AbortSignal {
    return this.exceeded.signal;
  }

  /**
   * The limit that the folder exceeds, or null. Looks once more: a fast program can end between two
   * looks.
   */
  async failure(): Promise<StreamLimit | null> {
    await this.lookOnce();
    const { reason } = this.signal;
    return reason instanceof StreamLimit ? reason : null;
  }

  [Symbol.dispose](): void {
    this.ended.abort();
  }

  private async run(): Promise<void> {
    const { signal } = this.ended;
    while (!signal.aborted && !this.signal.aborted) {
      const startedAt = performance.now();
      await this.lookOnce();
      const tookMs = performance.now() - startedAt;
      await wait(Math.max(pauseMs, pausePerLook * tookMs), undefined, { signal });
    }
  }

  private async lookOnce(): Promise<void> {
    if (this.signal.aborted) return;
    await this.look().catch((error: unknown) => {
      if (error instanceof StreamLimit) this.exceeded.abort(error);
    });
  }

  private async look(): Promise<void> {
    const { folder, limitBytes, source } = this.disk;
    await DiskBudget.open(this.disk);
    if (limitBytes !== endless) new ByteBudget(limitBytes, source).take(await usedBytes(folder));
  }
}

/** Files that disappear are left out. */
async function usedBytes(folder: string): Promise<number> {
  const child = spawn('du', ['-sk', '--', folder], { stdio: ['ignore', 'pipe', 'ignore'] });
  let text = '';
  for await (const chunk of child.stdout) text += chunk;
  return Number.parseInt(text, 10) * 1_024 || 0;
}
