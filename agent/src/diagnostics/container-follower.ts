import { setTimeout as wait } from 'node:timers/promises';
import type { ContainerLine } from './container-log-lines.js';
import type { LogEntry } from './log-ring.js';
import type { NodeContainers } from './node-containers.js';

export interface FollowedFrom {
  /** Start time for containers without an entry in `lines`. */
  readonly since: string;
  /** Lines that were already read. */
  readonly lines: readonly ContainerLine[];
  readonly signal: AbortSignal;
}

/** Follows the logs of all containers of the node, including later ones. */
export class ContainerFollower {
  constructor(
    private readonly containers: NodeContainers,
    private readonly restartDelayMs: number,
  ) {}

  /** Passes each line on once, in order within its container, until the signal aborts. */
  follow({ since, lines, signal }: FollowedFrom, take: (entry: LogEntry) => void): void {
    const positions = new Map(lines.map(({ entry, time }) => [entry.source, time]));
    const open = new Set<string>();
    this.run(async () => {
      for (const container of await this.containers.list()) {
        if (open.has(container.id)) continue;
        const source = `docker:${container.name}`;
        const from = { since: positions.get(source) ?? since, signal };
        open.add(container.id);
        this.containers
          .follow(container, from, ({ entry, time }) => {
            positions.set(source, time);
            take(entry);
          })
          // The next round follows the container again.
          .catch(() => undefined)
          .finally(() => open.delete(container.id));
      }
    }, signal).catch(() => undefined);
  }

  private async run(round: () => Promise<void>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await round().catch(() => undefined);
      await wait(this.restartDelayMs, undefined, { signal });
    }
  }
}
