import { setTimeout as wait } from 'node:timers/promises';
import type { ContainerLine } from './container-log-lines.js';
import type { LogEntry } from './log-ring.js';
import type { NodeContainers } from './node-containers.js';

export interface FollowedFrom {
  /** Docker's time, or any other as text, from which containers are followed of which nothing was read. */
  readonly since: string;
  /** What was read already. */
  readonly lines: readonly ContainerLine[];
  readonly signal: AbortSignal;
}

/** Follows the logs of all containers of the node, those that start later included. */
export class ContainerFollower {
  constructor(
    private readonly containers: NodeContainers,
    private readonly restartDelayMs: number,
  ) {}

  /** Each line once, in the order of its container, until the signal. */
  follow({ since, lines, signal }: FollowedFrom, take: (entry: LogEntry) => void): void {
    const places = new Map(lines.map(({ entry, time }) => [entry.source, time]));
    const open = new Set<string>();
    this.run(async () => {
      for (const container of await this.containers.list()) {
        if (open.has(container.id)) continue;
        const source = `docker:${container.name}`;
        const from = { since: places.get(source) ?? since, signal };
        open.add(container.id);
        this.containers
          .follow(container, from, ({ entry, time }) => {
            places.set(source, time);
            take(entry);
          })
          // An engine that went away is asked again with the next look.
          .catch(() => undefined)
          .finally(() => open.delete(container.id));
      }
    }, signal).catch(() => undefined);
  }

  private async run(look: () => Promise<void>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await look().catch(() => undefined);
      await wait(this.restartDelayMs, undefined, { signal });
    }
  }
}
