/** With less work than this since the last look the agent rests, for nobody types and nothing streams. */
const restCpuMs = 30;
/** So much more than after the last collection is worth the pause at once, half as much after another second of rest, and so on. */
const worthBytes = 8 * 2 ** 20;
const leastBytes = 2 * 2 ** 20;

export interface CollectedProcess {
  cpuMs(): number;
  /** What the engine holds, in its heap and beside it. */
  heldBytes(): number;
  collect(): void;
}

/**
 * Gives back what a burst of work has left. The engine collects when it allocates: an agent that rests would keep buffers and
 * emptied pages until there is work again. Collecting all of it stops the agent for a few hundredths of a second, which nobody
 * notices who waits for nothing.
 */
export class RestCollector {
  private workedMs: number;
  private keptBytes = 0;
  private worth = worthBytes;

  constructor(private readonly process: CollectedProcess) {
    this.workedMs = process.cpuMs();
  }

  /** To be called once a second. */
  look(): void {
    const workedMs = this.process.cpuMs();
    if (workedMs - this.workedMs >= restCpuMs) this.worth = worthBytes;
    else this.rest();
    this.workedMs = this.process.cpuMs();
  }

  private rest(): void {
    if (this.process.heldBytes() >= this.keptBytes + this.worth) {
      this.process.collect();
      this.keptBytes = this.process.heldBytes();
    }
    this.worth = Math.max(this.worth / 2, leastBytes);
  }
}
