import { existsSync, type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';

const folders = ['agent', 'client', 'infra', 'lambdas', 'protocol', 'state-machines', 'web'];
/** An editor writes a file in several steps, and a checkout writes many files. */
const quietMs = 150;

/**
 * Reports changed source files in batches, one batch at a time, by their path in the repository.
 * Tests are no source.
 */
export class ChangedFiles implements AsyncDisposable {
  private readonly watchers: readonly FSWatcher[];
  private readonly pending = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private work: Promise<void> = Promise.resolve();

  constructor(
    root: string,
    private readonly handle: (files: readonly string[]) => Promise<void>,
  ) {
    this.watchers = folders
      .filter((folder) => existsSync(join(root, folder)))
      .map((folder) =>
        watch(join(root, folder), { recursive: true }, (_event, name) => {
          if (name) this.add(join(folder, name));
        }),
      );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const watcher of this.watchers) watcher.close();
    clearTimeout(this.timer);
    await this.work;
  }

  private add(file: string): void {
    if (!/\.(?:ts|json|css|html|svg)$/.test(file) || file.endsWith('.test.ts')) return;
    this.pending.add(file);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.work = this.work.then(() => this.flush());
    }, quietMs);
  }

  private async flush(): Promise<void> {
    const files = [...this.pending].toSorted();
    this.pending.clear();
    if (files.length > 0) await this.handle(files);
  }
}
