import type { ProvisionContext } from '../runtime.js';
import { readable } from './build-failed.js';

const intervalMs = 10_000;
const maxCharacters = 4_000;

/** Writes the end of what is said to the boot log from time to time, and the rest when it is disposed of. */
export class OutputReport implements AsyncDisposable {
  private fresh = '';
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly context: Pick<ProvisionContext, 'report' | 'signal'>,
    private readonly message: string,
  ) {
    this.timer = setInterval(() => this.flush(), intervalMs);
  }

  add(text: string): void {
    // Twice what is shown: times and colours are taken out later.
    this.fresh = (this.fresh + text).slice(-2 * maxCharacters);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.timer);
    if (!this.context.signal.aborted) this.flush();
  }

  private flush(): void {
    const detail = readable(this.fresh).trim().slice(-maxCharacters);
    this.fresh = '';
    if (!detail) return;
    this.context.report({ step: 'devcontainer_output', status: 'completed', message: this.message, detail });
  }
}
