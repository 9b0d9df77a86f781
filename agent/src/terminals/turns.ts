import { availableParallelism } from 'node:os';

/** Beside somebody who types, all floods together write so much in a turn: some three megabytes a second for each processor. */
export const turnBytes = 64 * 1024;
const processorMs = 20;
/** For so long after a key somebody is taken to be typing. */
const typingMs = 500;

/**
 * Of a machine's processors a flood takes all that it is given: the program that writes, the kernel that passes it on, this agent,
 * and whoever reads it. While somebody types in another terminal, floods therefore take turns that leave room between them.
 */
export class Turns {
  private typist: unknown = null;
  private typedAtMs = Number.NEGATIVE_INFINITY;
  private nextMs = 0;
  private readonly turnMs: number;

  constructor(
    processors = availableParallelism(),
    private readonly nowMs = () => performance.now(),
  ) {
    this.turnMs = processorMs / processors;
  }

  typed(terminal: unknown): void {
    this.typist = terminal;
    this.typedAtMs = this.nowMs();
  }

  /** How long a terminal rests that has written `turnBytes`; 0 where it disturbs nobody. */
  restMs(terminal: unknown): number {
    const now = this.nowMs();
    if (terminal === this.typist || now - this.typedAtMs > typingMs) return 0;
    this.nextMs = Math.max(now, this.nextMs) + this.turnMs;
    return this.nextMs - now;
  }
}
