import { type ControlGroup, findControlGroup } from '../resource-history/control-group.js';
import { RecentEntries } from '../shared/recent-entries.js';
import { type KernelKill, readKernelKill } from './kernel-kill.js';

const maxContainers = 256;

interface Watched {
  readonly group: ControlGroup;
  count: number;
  /** When the counter was last found higher than before. */
  grewAt: number;
}

/** A kill for lack of memory, as far as the kernel reports. */
export interface OomKill {
  readonly limitBytes: number | undefined;
  readonly peakBytes: number | undefined;
  readonly process: KernelKill | null;
}

/**
 * The kernel's kills for lack of memory in containers. The first process of a container is an idle
 * shell, so usually another one is killed, and the container runs on.
 */
export class OomKills {
  private readonly containers = new RecentEntries<Watched>(maxContainers);

  constructor(
    private readonly deps: {
      readonly findGroup?: typeof findControlGroup;
      readonly kernelKill?: (containerId: string) => KernelKill | null;
      readonly now: () => number;
    },
  ) {}

  /** Begins to watch a container, or reads its counter again. */
  read(containerId: string): void {
    const known = this.containers.find(containerId);
    const group = known?.group ?? (this.deps.findGroup ?? findControlGroup)(containerId);
    const count = group?.read()?.oomKill;
    if (!group || count === undefined) return;
    if (!known) this.containers.set(containerId, { group, count, grewAt: Number.NEGATIVE_INFINITY });
    else if (count > known.count) Object.assign(known, { count, grewAt: this.deps.now() });
  }

  /** The engine has reported a kill; the counter may be gone with the container. */
  killed(containerId: string): void {
    this.read(containerId);
    const watched = this.containers.find(containerId);
    if (watched) watched.grewAt = this.deps.now();
  }

  /** The last kill in a watched container, when it was since that time; null without one. */
  since(containerId: string, time: number): OomKill | null {
    this.read(containerId);
    const watched = this.containers.find(containerId);
    if (!watched || watched.grewAt < time) return null;
    const figures = watched.group.read();
    return {
      limitBytes: figures?.memoryLimitBytes,
      peakBytes: figures?.memoryPeakBytes,
      process: (this.deps.kernelKill ?? readKernelKill)(containerId),
    };
  }
}

/** In words, for people: `the workspace's memory was full, 4.0 of 4.0 GiB; …`. */
export function oomKillText({ limitBytes, peakBytes, process }: OomKill): string {
  const killed = process ? `; killed process: ${process.name}, ${gibibytes(process.memoryBytes)} GiB` : '';
  return `${fullText(limitBytes, peakBytes)}${killed}`;
}

/** The kernel reclaims memory shortly before the limit. */
const fullShare = 0.98;

function fullText(limitBytes?: number, peakBytes?: number): string {
  if (limitBytes === undefined) return "the node's memory was full";
  const limit = gibibytes(limitBytes);
  if (peakBytes === undefined) return `the workspace's memory was full (limit ${limit} GiB)`;
  const use = `${gibibytes(peakBytes)} of ${limit} GiB`;
  return peakBytes >= limitBytes * fullShare
    ? `the workspace's memory was full, ${use}`
    : `the node's memory was full (the workspace used at most ${use})`;
}

/** Small amounts with two digits: a workspace has at least 0.5 GiB. */
function gibibytes(bytes: number): string {
  const amount = bytes / 2 ** 30;
  return amount.toFixed(amount < 1 ? 2 : 1);
}
