/** Prints each step with its duration when the step is complete. Steps can run in parallel. */
export class Progress {
  constructor(private readonly write: (line: string) => void) {}

  async step<T>(title: string, work: () => Promise<T>): Promise<T> {
    const began = performance.now();
    const result = await work();
    this.write(`  ${title.padEnd(44, ' ')} ${seconds(performance.now() - began)}`);
    return result;
  }

  note(line: string): void {
    this.write(`  ${line}`);
  }
}

export const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
